"""Word links: kept, combined, checked and scored."""
