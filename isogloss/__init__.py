"""isogloss: word alignment, phrase features and tuning for bitexts of mixed domains."""

__version__ = "0.1.0"
