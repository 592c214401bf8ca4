"""Features of phrase tables: extraction, templates, bins, pruning."""
