"""N-best lists of any system: read, merged, stored and written."""
