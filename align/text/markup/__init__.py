"""Texts that stand in markup: test sets."""
