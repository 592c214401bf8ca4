"""Scores as bins of even population."""
