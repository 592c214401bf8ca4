"""Phrase tables: in memory, as text of several programs, and as streams."""
