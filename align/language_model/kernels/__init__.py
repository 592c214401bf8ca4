"""Kernels that score sentences."""
