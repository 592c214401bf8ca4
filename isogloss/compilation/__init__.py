"""Compiling kernels ahead: which ones, for what types, in several processes."""
