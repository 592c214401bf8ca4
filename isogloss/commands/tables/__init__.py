"""Commands that make and change phrase tables."""
