"""Which lines are in the language of the other side? No model: the text itself is the evidence.

Each side's word frequencies are its profile. A line whose words are more frequent on the other
side, its own occurrences left out, is likely to be in the other language.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from isogloss.align.arrays.ragged import offsets_of, row_numbers

from .survey import TokenBlock

__all__ = ["ForeignLines", "LanguageProfiles"]

_SMOOTHING = 0.5  # pseudo-count of each word on each side
_ROUNDS = 3  # of taking flagged lines out of the profile that they spoil
# log odds: mean per token, and sum, at which a pair is called swapped; a side foreign. Real pairs
# stay below 0.6 on average (names, numbers, code), swapped ones reach 0.9 where a fifth of a text
# is swapped, and 2.2 where a fiftieth is (en-es, en-fr and en-de mixtures, 3,000 pairs).
_SWAPPED = (0.7, 10.0)
_FOREIGN = (1.0, 12.0)


@dataclass(frozen=True)
class ForeignLines:
    """Pairs whose sides are exchanged, and pairs where one side only is foreign.

    swapped, source, target: bool[num_pairs] each
    """

    swapped: NDArray[np.bool_]
    source: NDArray[np.bool_]
    target: NDArray[np.bool_]


class LanguageProfiles:
    """Word counts of both languages: int64[2, capacity], by side and id.

    A flagged line counts for the other language, so that many of them do not blur the profiles.
    """

    def __init__(self) -> None:
        self._counts = np.zeros((2, 1 << 12), np.int64)

    def flag(self, blocks: tuple[TokenBlock, TokenBlock]) -> ForeignLines:
        """Add the lines of both sides and flag those in the other language, given all so far."""
        largest = max((int(block.ids.max(initial=0)) for block in blocks), default=0)
        if largest >= self._counts.shape[1]:
            grown = np.zeros((2, 2 * largest), np.int64)
            grown[:, : self._counts.shape[1]] = self._counts
            self._counts = grown
        lines = [row_numbers(offsets_of(block.lengths)) for block in blocks]
        moved = [np.zeros(len(block.lengths), bool) for block in blocks]
        if self._counts.any():  # what came before is the better judge
            flagged = self._judge(blocks, lines)
            moved = [flagged.swapped | flagged.source, flagged.swapped | flagged.target]
        self._count(blocks, lines, [(~away).astype(np.int64) for away in moved], swap=False)
        self._count(blocks, lines, [away.astype(np.int64) for away in moved], swap=True)
        for _ in range(_ROUNDS):
            flagged = self._judge(blocks, lines, moved)
            wanted = [flagged.swapped | flagged.source, flagged.swapped | flagged.target]
            step = [new.astype(np.int64) - old for new, old in zip(wanted, moved, strict=True)]
            if not any(change.any() for change in step):
                break
            self._count(blocks, lines, [-change for change in step], swap=False)
            self._count(blocks, lines, step, swap=True)
            moved = wanted
        return flagged

    def _count(
        self,
        blocks: Sequence[TokenBlock],
        lines: Sequence[NDArray[np.int64]],
        number: Sequence[NDArray[np.int64]],
        swap: bool,
    ) -> None:
        """Count each line ``number`` times, int64[num_lines], for its own side or the other."""
        for side, block in enumerate(blocks):
            np.add.at(self._counts[side ^ swap], block.ids, number[side][lines[side]])

    def _judge(
        self,
        blocks: Sequence[TokenBlock],
        lines: Sequence[NDArray[np.int64]],
        moved: Sequence[NDArray[np.bool_]] | None = None,
    ) -> ForeignLines:
        """Flag lines; ``moved`` tells on which side each is counted, None = on none."""
        totals = np.log(self._counts.sum(axis=1) + 1.0)
        sums: list[NDArray[np.float64]] = []
        for side, block in enumerate(blocks):
            same, other = self._counts[side, block.ids], self._counts[1 - side, block.ids]
            if moved is not None:
                away = moved[side][lines[side]]
                same, other = same - ~away, other - away
            odds = np.log((other + _SMOOTHING) / (same + _SMOOTHING))
            odds += totals[side] - totals[1 - side]
            side_sums = np.bincount(lines[side], odds, minlength=len(block.lengths))
            sums.append(side_sums.astype(np.float64))  # no tokens at all: integers
        lengths = [block.lengths for block in blocks]
        swapped = (
            _clear(sums[0] + sums[1], lengths[0] + lengths[1], _SWAPPED)
            & (sums[0] > 0)
            & (sums[1] > 0)
        )
        single = [_clear(sums[side], lengths[side], _FOREIGN) & ~swapped for side in (0, 1)]
        return ForeignLines(swapped, single[0], single[1])


def _clear(
    sums: NDArray[np.float64], lengths: NDArray[np.int32], limits: tuple[float, float]
) -> NDArray[np.bool_]:
    mean, least = limits
    clear: NDArray[np.bool_] = (sums > least) & (sums > mean * lengths)
    return clear
