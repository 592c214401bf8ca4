"""Which rules of a table stay."""
