"""Gold links that don't fit: outside of their text, or of another text than some links."""

import numpy as np
from numpy.typing import NDArray

from ..ragged import row_numbers
from .kernels.links import PAIR_SHIFT, SOURCE_SHIFT
from .links import GoldLinks, Links

__all__ = ["gold_hint", "outside_of_text"]

_ENOUGH = 50  # sure links, below which nothing is said
_SHIFTS = 5  # lines by which gold links may have been moved
# of the sure links: another reading of gold links finds that many times as many, and so many more.
# Of the right reading, the best other one has at most 0.53 of the links (15,000 links of 11 sets)
_TIMES, _MORE = 1.5, 0.15
_HARDLY_ANY = 0.2  # links of one text find 0.05 to 0.14 of another's


def gold_hint(links: Links, gold: GoldLinks, name: str = "gold links") -> str:
    """What would explain that links find few of the sure gold links, and what to do; else nothing.

    Both have the same number of sentence pairs. name: what is said in place of gold links
    """
    keys, sure = links.keys(), gold.sure
    if len(sure.source) < _ENOUGH or not len(keys):
        return ""
    pair, source, target = _columns(sure)

    def found(
        pair: NDArray[np.int64], source: NDArray[np.int64], target: NDArray[np.int64]
    ) -> float:
        inside = (pair >= 0) & (pair < len(gold)) & (source >= 0) & (target >= 0)
        moved = pair << PAIR_SHIFT | source << SOURCE_SHIFT | target
        return float(np.isin(moved[inside], keys).sum() / len(pair))

    here = found(pair, source, target)
    readings = {
        "with source and target exchanged": found(pair, target, source),
        "with positions less by 1: they look 1-based": found(pair, source - 1, target - 1),
        "with positions more by 1: the links look 1-based": found(pair, source + 1, target + 1),
        "exchanged, and 1-based": found(pair, target - 1, source - 1),
    }
    shifts = [by for by in range(-_SHIFTS, _SHIFTS + 1) if by]
    moved = {by: found(pair + by, source, target) for by in shifts}
    for by, share in moved.items():
        where = f"{abs(by)} line{'s' * (abs(by) > 1)} {'later' if by > 0 else 'earlier'}"
        readings[f"{where}: a line is lost or added somewhere"] = share
    best = max(readings, key=lambda reading: readings[reading])
    sort = f"sure {name}" if name == "gold links" else name
    seen = f"{_percent(here)} of the {sort} are among the links"
    if readings[best] >= max(_TIMES * here, here + _MORE):
        return f"{seen}, but {_percent(readings[best])} would be {best}. Correct one of the files"
    chance = float(np.mean([*moved.values()]))
    if here < min(_HARDLY_ANY, 2 * chance):
        return (
            f"{seen}, and {_percent(chance)} of those of other lines: the {name} look like "
            "those of another text, or of one that is tokenised or sorted in another way"
        )
    return ""


def outside_of_text(
    gold: GoldLinks, source_lengths: NDArray[np.int64], target_lengths: NDArray[np.int64]
) -> NDArray[np.int64]:
    """The lines, from 0, of gold links outside of their pairs, a line for each: int64[n].

    source_lengths, target_lengths: int64[num_pairs], words of each sentence; a pair with an empty
    side has lost its words, and is passed over
    """
    pair, source, target = _columns(gold.possible)
    outside = (source >= source_lengths[pair]) | (target >= target_lengths[pair])
    outside &= (source_lengths[pair] > 0) & (target_lengths[pair] > 0)
    return pair[outside]


def _columns(links: Links) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Sentence pair, source and target of each link: int64[n] each."""
    pair = row_numbers(links.offsets).astype(np.int64)
    return pair, links.source.astype(np.int64), links.target.astype(np.int64)


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %"
