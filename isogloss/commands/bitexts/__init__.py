"""Commands that take a bitext: look at it, align it."""
