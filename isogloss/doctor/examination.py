"""One pass over a bitext: the figures that doctor judges, in memory of a few bytes per pair."""

import zlib
from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isogloss.align.text.distinct_pairs import DistinctPairs
from isogloss.align.text.length_limit import MAX_LENGTH

from .languages import LanguageProfiles
from .survey import Lexicon, SideSurvey, Tally, TokenBlock

__all__ = ["BLOCK", "Examination", "LineBlock", "blocks_of", "examine"]

BLOCK = 4096  # lines at a time, fewer where they are long
_BLOCK_BYTES = 1 << 23  # a character takes some 30 bytes while it is looked at

LineBlock = tuple[list[bytes], list[bytes]]


@dataclass(frozen=True)
class Examination:
    """What one pass leaves.

    sides: surveys of source and target; the pairs are the lines that both have.
    lengths: int32[lines], tokens per line of each side.
    repeated: pairs that came before, and the lines of the first; identical: source = target.
    swapped: each side looks like the other one; foreign: only this side does.
    type_pairs: estimated number of different pairs of word types, in pairs that are aligned.
    """

    sides: tuple[SideSurvey, SideSurvey]
    lengths: tuple[NDArray[np.int32], NDArray[np.int32]]
    repeated: Tally
    identical: Tally
    swapped: Tally
    foreign: tuple[Tally, Tally]
    type_pairs: int

    @property
    def pairs(self) -> int:
        """Lines that both sides have."""
        return min(map(len, self.lengths))

    @property
    def pair_lengths(self) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """Lengths of the lines that both sides have: int32[pairs] each."""
        return self.lengths[0][: self.pairs], self.lengths[1][: self.pairs]

    @property
    def pair_cells(self) -> NDArray[np.int64]:
        """Pairs of positions, J * I: int64[pairs]; 0 where the pair is too long to be aligned."""
        source, target = (side.astype(np.int64) for side in self.pair_lengths)
        return np.where(_aligned(source, target), source * target, 0)

    @property
    def cells(self) -> int:
        """The sum of J * I."""
        return int(self.pair_cells.sum())


def _aligned(source: NDArray[Any], target: NDArray[Any]) -> NDArray[np.bool_]:
    """bool[n]: pairs of such lengths that align, by default, does not take as empty."""
    return np.asarray(np.maximum(source, target) <= MAX_LENGTH)


def blocks_of(source: Iterable[bytes], target: Iterable[bytes]) -> Iterator[LineBlock]:
    """Both sides, up to 4,096 lines at a time; the longer one goes on alone."""
    sides = iter(source), iter(target)
    while any(block := (list(islice(sides[0], BLOCK)), list(islice(sides[1], BLOCK)))):
        parts = max(sum(map(len, lines)) for lines in block) // _BLOCK_BYTES + 1
        step = -(-BLOCK // parts)
        for first in range(0, max(map(len, block)), step):
            yield block[0][first : first + step], block[1][first : first + step]


def examine(blocks: Iterable[LineBlock], lowercase: bool = False) -> Examination:
    """Look at all lines once; no content raises an error; ``lowercase`` as align would."""
    lexicon, profiles, type_pairs = Lexicon(), LanguageProfiles(), DistinctPairs()
    sides = SideSurvey(0, lexicon, lowercase), SideSurvey(1, lexicon, lowercase)
    lengths = array("i"), array("i")
    sums = array("Q")
    identical, swapped, foreign = Tally(), Tally(), (Tally(), Tally())
    for block in blocks:
        first = len(sums) + 1
        tokens = [side.add(lines) for side, lines in zip(sides, block, strict=True)]
        for side_lengths, part in zip(lengths, tokens, strict=True):
            side_lengths.frombytes(part.lengths.tobytes())
        number = min(map(len, block))
        if not number:
            continue
        pair = _first_lines(tokens[0], number), _first_lines(tokens[1], number)
        sums.frombytes(_checksums(block, number).tobytes())
        same = [n for n, (a, b) in enumerate(zip(*block, strict=False), first) if a == b]
        identical.add([n for n in same if block[0][n - first].strip()])
        type_pairs.add(*_aligned_tokens(pair))
        flagged = profiles.flag(pair)
        swapped.add(np.setdiff1d(np.flatnonzero(flagged.swapped) + first, same))
        foreign[0].add(np.flatnonzero(flagged.source) + first)
        foreign[1].add(np.flatnonzero(flagged.target) + first)
    return Examination(
        sides,
        (np.array(lengths[0], np.int32), np.array(lengths[1], np.int32)),
        _repeated(np.array(sums, np.uint64)),
        identical,
        swapped,
        foreign,
        len(type_pairs),
    )


def _first_lines(tokens: TokenBlock, number: int) -> TokenBlock:
    lengths = tokens.lengths[:number]
    return TokenBlock(tokens.ids[: lengths.sum()], lengths)


def _aligned_tokens(pair: tuple[TokenBlock, TokenBlock]) -> list[NDArray[np.int32]]:
    """Ids and lengths of both sides, of the pairs that are aligned."""
    kept = _aligned(pair[0].lengths, pair[1].lengths)
    columns: list[NDArray[np.int32]] = []
    for side in pair:
        columns += [side.ids[np.repeat(kept, side.lengths)], side.lengths[kept]]
    return columns


def _checksums(block: Sequence[list[bytes]], number: int) -> NDArray[np.uint64]:
    """uint64[number]: CRC-32 of the source line above that of the target line; 0 = both blank."""
    source, target = (
        np.fromiter(map(zlib.crc32, islice(lines, number)), np.uint64, number) for lines in block
    )
    return (source << np.uint64(32)) | target


def _repeated(sums: NDArray[np.uint64]) -> Tally:
    """Pairs that equal an earlier one; pairs of two empty lines are told as such elsewhere."""
    order = np.argsort(sums, kind="stable")
    again = np.zeros(len(sums), bool)
    again[order[1:]] = sums[order[1:]] == sums[order[:-1]]
    again &= sums != 0
    tally = Tally()
    tally.add(np.flatnonzero(again) + 1)
    return tally
