"""What a link is, learned from some sentences with gold links."""
