"""Sections that reports of several kinds of runs have in common."""
