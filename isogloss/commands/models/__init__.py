"""Commands that learn models, or tell what is in one."""
