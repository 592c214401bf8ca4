"""Commands that run the whole pipeline."""
