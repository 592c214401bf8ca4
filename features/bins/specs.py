"""How scores are to be discretized: ``NAME:BITS`` and what may stand behind it."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from isogloss.align.errors import OptionError, UsageError
from isogloss.align.files.numerals import parse_whole

from .uniform import MAX_BITS

__all__ = ["BinSpec", "check_scores", "parse_bin_spec"]

_OPTION = r":(?:keep|overlap=[0-9]{1,5}(?:,[0-9]{1,5})*|extend=[0-9]{1,5})"
_SPEC = re.compile(rf"(.+?):([0-9]{{1,5}})((?:{_OPTION})*)")
_EXPECTED = "NAME:BITS, optionally followed by :overlap=N, :extend=N or :keep"


@dataclass(frozen=True)
class BinSpec:
    """How a score is to be discretized.

    name: the score
    bits: at most 2^bits bins, 1 to 16
    overlaps: widths of windows, as numbers of neighbors: (0,) are the bins themselves, 2 stands
        for windows of three bins, one beginning at each bin, (0, 1) for bins and windows of two
    extend: with 1 the indicator of a bin fires for the values of both its neighbors, too (eq. 8)
    keep: the real-valued score stays beside its bins

    Raises UsageError for bits or windows outside the range, or for overlaps together with extend.
    """

    name: str
    bits: int
    overlaps: tuple[int, ...] = (0,)
    extend: int = 0
    keep: bool = False

    def __post_init__(self) -> None:
        if not 1 <= self.bits <= MAX_BITS:
            raise UsageError(f"{self.name}: bits must be between 1 and {MAX_BITS}, got {self.bits}")
        limit = (1 << self.bits) - 2  # a window of all bins says nothing
        for what, windows in (("overlap", self.overlaps), ("extend", (self.extend,))):
            if not all(0 <= width <= limit for width in windows):
                shown = ",".join(map(str, windows))
                raise UsageError(
                    f"{self.name}: {what} must be between 0 and {limit} for {1 << self.bits} bins, "
                    f"got {shown}"
                )
        if not self.overlaps or len(set(self.overlaps)) != len(self.overlaps):
            raise UsageError(f"{self.name}: overlap widths must be unique, got {self.overlaps}")
        if self.extend and self.overlaps != (0,):
            raise UsageError(
                f"{self.name}: overlap and extend are mutually exclusive; use only one"
            )


def parse_bin_spec(text: str) -> BinSpec:
    """``NAME:BITS``, with ``:overlap=N`` (or ``N,N``), ``:extend=N`` or ``:keep`` behind it.

    Raises UsageError for other text and values out of range.
    """
    match = _SPEC.fullmatch(text)
    given = [item.partition("=")[::2] for item in match[3].split(":")[1:]] if match else []
    options = dict(given)
    if not match or len(options) != len(given):
        raise OptionError("discretize", _EXPECTED, text)
    overlaps = tuple(parse_whole(width) for width in options.get("overlap", "0").split(","))
    extend = parse_whole(options.get("extend", "0"))
    return BinSpec(match[1], int(match[2]), overlaps, extend, "keep" in options)


def check_scores(specs: Sequence[BinSpec]) -> None:
    """Raise UsageError for a score that is named twice."""
    names = [spec.name for spec in specs]
    twice = next((name for k, name in enumerate(names) if name in names[:k]), None)
    if twice is not None:
        raise UsageError(f"the score {twice!r} is repeated; discretize each score once")
