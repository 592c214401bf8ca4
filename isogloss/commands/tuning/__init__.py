"""Commands that learn weights, and that use them on n-best lists."""
