"""Batch optimisers on n-best lists."""
