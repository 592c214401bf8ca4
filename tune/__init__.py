"""Tuning: n-best lists, metrics, optimisers, the decoder."""
