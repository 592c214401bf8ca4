"""Pages: self-contained HTML files of alignments, which open without a network."""
