"""Plots of weights and of tuning."""
