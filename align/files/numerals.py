"""Numbers as text files and command lines have them: ASCII digits, finite, nothing around them.

Python's own ``int`` and ``float`` take more: ``1_000``, digits of other scripts, ``inf``, blanks.
"""

import math
import re

__all__ = [
    "LARGEST_SINGLE",
    "LARGEST_WHOLE",
    "is_decimal",
    "is_whole",
    "parse_number",
    "parse_whole",
]

LARGEST_WHOLE = (1 << 63) - 1
LARGEST_SINGLE = 3.4028234663852886e38  # the largest float32
_WHOLE = re.compile(r"[+-]?[0-9]{1,19}", re.ASCII)
_NUMBER = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?", re.ASCII)


def is_whole(text: str, below: int = LARGEST_WHOLE) -> bool:
    """Whether a text is a whole number from 0 on and below a bound, in ASCII digits alone."""
    return text.isascii() and text.isdecimal() and len(text) < 20 and int(text) < below


def parse_whole(text: str) -> int:
    """A whole number of 64 bits. Raises ValueError for anything else."""
    value = int(text) if _WHOLE.fullmatch(text) else None
    if value is None or abs(value) > LARGEST_WHOLE:
        raise ValueError(f"{text[:40]!r} is not an integer")
    return value


def is_decimal(text: str) -> bool:
    """Whether a text is a decimal number, and nothing else that Python takes for one."""
    return _NUMBER.fullmatch(text) is not None


def parse_number(text: str) -> float:
    """A finite number. Raises ValueError for anything else."""
    value = float(text) if is_decimal(text) else math.nan
    if not math.isfinite(value):
        raise ValueError(f"{text[:40]!r} is not a finite number")
    return value
