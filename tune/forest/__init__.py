"""Forests: all derivations of a sentence that a search leaves, and inference in them."""
