"""Batch optimizers on n-best lists."""
