"""Kernels of the learners."""
