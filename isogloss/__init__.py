"""isogloss: word alignment, phrase features and tuning for bitexts of mixed domains."""

from align.version import __version__

__all__ = ["__version__"]
