"""Tuning runs: what they read, the folder they keep, the report they print."""
