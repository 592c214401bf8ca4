"""The lines of a bitext as doctor reads them."""

from collections.abc import Iterator
from itertools import chain, islice

from isogloss.align.files.text_io import raw_lines
from isogloss.align.text.formats.pair import Pair

from ..doctor.examination import BLOCK, LineBlock, blocks_of
from .shared import BitextOptions

__all__ = ["line_blocks"]


def line_blocks(bitext: BitextOptions) -> Iterator[LineBlock]:
    """The lines of both sides; two files may differ in length."""
    if bitext.target is not None:
        return blocks_of(raw_lines(bitext.source), raw_lines(bitext.target))
    return chain.from_iterable(blocks_of(*block) for block in _encoded(bitext.pairs()))


def _encoded(pairs: Iterator[Pair]) -> Iterator[LineBlock]:
    while block := list(islice(pairs, BLOCK)):
        yield [pair.source.encode() for pair in block], [pair.target.encode() for pair in block]
