"""Weights of features, and the formats that other programs keep them in."""
