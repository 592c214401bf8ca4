"""What a model says about its domains."""
