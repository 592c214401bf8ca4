"""Commands that translate, and that judge translations."""
