"""Phrase pairs of an aligned bitext, and their scores."""
