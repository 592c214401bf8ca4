"""Sparse features of rules and derivations, made by templates."""
