"""Words that several projected spans claim: the surer span has them."""

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from ..arrays.ragged import row_numbers
from .formats.kernels.pharaoh import LONGEST
from .spans import Spans

__all__ = ["Pieces", "settle_conflicts"]

Pieces = tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]


def settle_conflicts(
    spans: Spans, pieces: Pieces, sure: NDArray[np.float64], *, keep: bool, nested: bool
) -> Pieces | None:
    """Give each word that several spans claim to the surest of them, of equal ones the first.

    What is left of the others is cut where it has to be, and the longest part of it stays, the
    first of equal ones; with ``keep`` all parts do. Spans that overlap where they come from have
    their words in common, if ``nested``.

    pieces: int64[n] each: span, first word, word behind the last, by span and position
    sure: float64[num_spans]
    Returns the pieces, int64[m] each, or None where no word is claimed twice.
    """
    span, start, end = pieces
    sentence = row_numbers(spans.offsets)[span]
    order = np.argsort(sentence * (2 * LONGEST) + start, kind="stable")
    reached = np.maximum.accumulate((sentence * (2 * LONGEST) + end)[order])
    twice = (sentence * (2 * LONGEST) + start)[order][1:] < reached[:-1]
    contested = np.zeros(len(spans), np.bool_)
    contested[sentence[order][1:][twice]] = True
    if not contested.any():
        return None
    rows = np.flatnonzero(contested[sentence])
    settled: list[tuple[int, int, int]] = []
    for number in np.flatnonzero(contested).tolist():
        own = rows[sentence[rows] == number]
        claims: dict[int, list[int]] = {}
        for row in own.tolist():
            claims.setdefault(int(span[row]), []).extend(range(start[row], end[row]))
        settled += _settled(spans, claims, sure, keep, nested)
    others = np.flatnonzero(~contested[sentence])
    found = np.array(settled, np.int64).reshape(-1, 3)
    joined = [np.concatenate([column[others], found[:, k]]) for k, column in enumerate(pieces)]
    order = np.lexsort((joined[1], joined[0]))
    return joined[0][order], joined[1][order], joined[2][order]


def _settled(
    spans: Spans,
    claims: dict[int, list[int]],
    sure: NDArray[np.float64],
    keep: bool,
    nested: bool,
) -> Iterable[tuple[int, int, int]]:
    """The pieces of the spans of one sentence, which claim words."""
    sources = {span: _source_words(spans, span) for span in claims}
    owners: dict[int, list[int]] = {}
    for span in sorted(claims, key=lambda span: (-sure[span], span)):
        free = [
            word
            for word in claims[span]
            if all(nested and sources[span] & sources[other] for other in owners.get(word, ()))
        ]
        runs = _runs(free)
        if not keep and len(free) < len(claims[span]) and runs:
            runs = [max(runs, key=lambda run: run[1] - run[0])]
        for begin, end in runs:
            for word in range(begin, end):
                owners.setdefault(word, []).append(span)
            yield span, begin, end


def _source_words(spans: Spans, span: int) -> set[int]:
    rows = range(*spans.part_offsets[span : span + 2].tolist())
    return {word for row in rows for word in range(spans.start[row], spans.end[row])}


def _runs(words: list[int]) -> list[tuple[int, int]]:
    """Runs of rising words: the first of each, and the word behind its last one."""
    runs: list[tuple[int, int]] = []
    for word in words:
        if runs and runs[-1][1] == word:
            runs[-1] = (runs[-1][0], word + 1)
        else:
            runs.append((word, word + 1))
    return runs
