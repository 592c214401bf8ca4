"""Parts of a bitext that are drawn at random, and bitexts that are only read in parts."""
