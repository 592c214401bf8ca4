"""Bilingual dictionaries: the surest translation pairs of a text and of its domains."""
