"""Formats of bitexts: two line-aligned files, or one file of pairs."""
