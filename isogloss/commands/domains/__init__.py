"""Commands that look at the domains of a model."""
