"""Lexical translation tables, and the forms that other programs keep them in."""
