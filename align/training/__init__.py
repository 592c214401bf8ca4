"""Training: from a bitext to a model, flat or with latent domains."""
