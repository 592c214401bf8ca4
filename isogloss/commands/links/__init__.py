"""Commands about word links."""
