"""Weights of features, and the forms that other programs keep them in."""
