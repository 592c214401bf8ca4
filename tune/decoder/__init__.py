"""Phrase-based decoder."""
