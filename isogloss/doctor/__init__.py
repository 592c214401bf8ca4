"""What may go wrong with a bitext, found before it is aligned."""
