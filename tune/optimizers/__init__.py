"""Optimisers: pure functions of examples, weights, random numbers and options."""
