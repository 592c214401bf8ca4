"""Metrics: statistics first, score second."""
