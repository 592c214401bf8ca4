"""Commands that look at weights."""
