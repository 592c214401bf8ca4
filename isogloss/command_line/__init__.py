"""The command line: which commands there are, and their parsers and help."""
