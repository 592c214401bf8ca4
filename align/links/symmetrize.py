"""Symmetrise the links of two directions (Och & Ney 2003; Koehn, Och & Marcu 2003)."""

import numpy as np

from ..errors import DataError, UsageError
from ..ragged import row_numbers
from .kernels.symmetrize import grow_links
from .links import Links

__all__ = ["HEURISTICS", "symmetrize"]

# grow, diagonal neighbours, final, final-and
_STEPS = {
    "intersection": (False, False, False, False),
    "grow": (True, False, False, False),
    "grow-diag": (True, True, False, False),
    "grow-diag-final": (True, True, True, False),
    "grow-diag-final-and": (True, True, False, True),
}
_ALIASES = {"intersect": "intersection"}
HEURISTICS = (*_STEPS, "union", "source-to-target", "target-to-source")


def _lengths(links: Links) -> tuple[np.ndarray, np.ndarray]:
    """Sentence lengths as far as the links tell: one past the last linked position."""
    pair = row_numbers(links.offsets)
    lengths = np.zeros((2, len(links)), np.int64)
    np.maximum.at(lengths[0], pair, links.source + 1)
    np.maximum.at(lengths[1], pair, links.target + 1)
    return lengths[0], lengths[1]


def symmetrize(forward: Links, reverse: Links, heuristic: str = "grow-diag-final-and") -> Links:
    """Combine the links of both directions, both given as (source, target) positions.

    The growing heuristics give the links that Moses's symal gives: they sweep by target position,
    then by source position. fast_align's atools sweeps in another order.

    Raises UsageError for an unknown heuristic, DataError for different numbers of pairs.
    """
    heuristic = _ALIASES.get(heuristic, heuristic)
    if heuristic not in HEURISTICS:
        raise UsageError(f"heuristic {heuristic!r}; expected one of {', '.join(HEURISTICS)}")
    if len(forward) != len(reverse):
        raise DataError(
            f"{len(forward)} lines of forward and {len(reverse)} of reverse links",
            "one line per sentence pair in both",
        )
    if heuristic == "source-to-target":
        return forward
    if heuristic == "target-to-source":
        return reverse
    union = Links.from_keys(np.concatenate([forward.keys(), reverse.keys()]), len(forward))
    if heuristic == "union":
        return union
    source, target = np.empty_like(union.source), np.empty_like(union.target)
    offsets = np.zeros(len(forward) + 1, np.int64)
    size = grow_links(
        (forward.source, forward.target, forward.offsets),
        (reverse.source, reverse.target, reverse.offsets),
        _lengths(union),
        _STEPS[heuristic],
        source,
        target,
        offsets,
    )
    return Links(source[:size].copy(), target[:size].copy(), offsets)
