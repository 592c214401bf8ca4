"""Symmetrize the links of two directions (Och & Ney 2003; Koehn, Och & Marcu 2003)."""

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from ..arrays.ragged import offsets_of, positions_within, row_numbers
from ..errors import DataError, OptionError, did_you_mean, pluralize
from ..execution.calls import public
from .gold_links import links_of
from .kernels.symmetrize import grow_links
from .links import Links

__all__ = ["HEURISTICS", "links_of_paths", "look_exchanged", "symmetrize"]

# grow, diagonal neighbors, final, final-and
_STEPS = {
    "intersection": (False, False, False, False),
    "grow": (True, False, False, False),
    "grow-diag": (True, True, False, False),
    "grow-diag-final": (True, True, True, False),
    "grow-diag-final-and": (True, True, False, True),
}
HEURISTICS = (*_STEPS, "union", "source-to-target", "target-to-source")


def _lengths(links: Links) -> tuple[np.ndarray, np.ndarray]:
    """Sentence lengths as far as the links tell: one past the last linked position."""
    pair = row_numbers(links.offsets)
    lengths = np.zeros((2, len(links)), np.int64)
    np.maximum.at(lengths[0], pair, links.source + 1)
    np.maximum.at(lengths[1], pair, links.target + 1)
    return lengths[0], lengths[1]


def look_exchanged(forward: Links, reverse: Links) -> bool:
    """Whether links of both directions fit the other one: at most one per source or target word."""
    given = _repeats(forward, forward.source) + _repeats(reverse, reverse.target)
    return given > 0 == _repeats(forward, forward.target) + _repeats(reverse, reverse.source)


def _repeats(links: Links, positions: np.ndarray) -> int:
    """How many links are of a word that has another one. positions: int32[num_links]"""
    words = row_numbers(links.offsets) * (int(positions.max(initial=0)) + 1) + positions
    return len(words) - len(np.unique(words))


@public
def symmetrize(
    t2s: Links | Iterable[Iterable[Sequence[int]]],
    s2t: Links | Iterable[Iterable[Sequence[int]]],
    heuristic: str = "grow-diag-final-and",
) -> Links:
    """Combine the links of both directions into one set per sentence pair.

    The growing heuristics give the links of Moses's symal, which sweeps by target position, then
    by source position. fast_align's atools sweeps in another order.

    Parameters
    ----------
    t2s : Links or list of lists of (int, int)
        Links as (source, target) positions, at most one per source word.
    s2t : Links or list of lists of (int, int)
        Links as (source, target) positions, at most one per target word.
    heuristic : str, default "grow-diag-final-and"
        One of "intersection", "grow", "grow-diag", "grow-diag-final", "grow-diag-final-and",
        "union", "source-to-target" and "target-to-source".

    Returns
    -------
    Links

    Raises
    ------
    UsageError
        If the heuristic is unknown.
    WrongTypeError
        If the links are something else.
    DataError
        If they have different numbers of sentence pairs.

    Examples
    --------
    >>> import isogloss as ig
    >>> ig.symmetrize([[(0, 0), (1, 1)]], [[(0, 0), (1, 2)]], "union")[0]
    [(0, 0), (1, 1), (1, 2)]
    """
    forward, reverse = links_of(t2s, "t2s links"), links_of(s2t, "s2t links")
    if not isinstance(heuristic, str) or heuristic not in HEURISTICS:
        near = did_you_mean(str(heuristic), HEURISTICS)
        raise OptionError(
            "heuristic", f"one of {', '.join(HEURISTICS)}", heuristic, near and f"; {near}"
        )
    if len(forward) != len(reverse):
        raise DataError(
            f"the t2s links have {pluralize(len(forward))}, but the s2t links have {len(reverse)}",
            "one line per sentence pair in both",
        )
    if heuristic == "source-to-target":
        return forward
    if heuristic == "target-to-source":
        return reverse
    union = Links.from_keys(np.concatenate([forward.keys(), reverse.keys()]), len(forward))
    if heuristic == "union":
        return union
    return _grown(forward, reverse, union, _STEPS[heuristic])


def _grown(
    forward: Links, reverse: Links, union: Links, steps: tuple[bool, bool, bool, bool]
) -> Links:
    """The links of both directions, to which those of their union are added step by step."""
    source, target = np.empty_like(union.source), np.empty_like(union.target)
    offsets = np.zeros(len(forward) + 1, np.int64)
    size = grow_links(
        (forward.source, forward.target, forward.offsets),
        (reverse.source, reverse.target, reverse.offsets),
        _lengths(union),
        steps,
        source,
        target,
        offsets,
    )
    return Links(source[:size].copy(), target[:size].copy(), offsets)


def links_of_paths(path: NDArray[np.int32], offsets: NDArray[np.int64]) -> Links:
    """The links of a direction, (word, state), of a best state per word.

    path: int32[num_words], -1 = NULL; offsets: int64[num_pairs + 1]
    """
    linked = path >= 0
    counts = np.bincount(row_numbers(offsets)[linked], minlength=len(offsets) - 1)
    position = positions_within(offsets)[linked].astype(np.int32)
    return Links(position, path[linked], offsets_of(counts))
