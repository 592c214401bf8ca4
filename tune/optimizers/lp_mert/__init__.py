"""LP-MERT: minimum error rate by linear programs (Galley & Quirk 2011)."""
