"""Tuning with a decoder in the loop, by our own or by any command."""
