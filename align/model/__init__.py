"""The aligner: latent-domain Model 1 and HMM, their training, and what is kept of it."""
