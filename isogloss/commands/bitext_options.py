"""How the options of a command say that a bitext is to be read."""

import argparse
from typing import Any

from align.text.bitext_formats import parse_languages

__all__ = ["bitext_form"]


def bitext_form(options: argparse.Namespace) -> dict[str, Any]:
    """How to read a bitext, for read_bitext."""
    return {
        "format": options.format,
        "languages": parse_languages(options.langs) if options.langs else None,
        "lowercase": options.lowercase,
    }
