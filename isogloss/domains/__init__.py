"""What a model says of its domains, as rows for people and programs."""
