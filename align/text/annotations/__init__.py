"""Annotated text, read and written: spans of words as columns, tags, JSON lines, standoff."""
