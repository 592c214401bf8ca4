"""The lines of a bitext as doctor reads them."""

from collections.abc import Iterator
from itertools import chain, islice

from isogloss.align.files.text_io import decode_lines, raw_lines
from isogloss.align.text.formats.pair import Pair
from isogloss.align.text.markup.sgm import Segments, begins_test_set

from ..doctor.examination import BLOCK, LineBlock, blocks_of
from .shared import BitextOptions

__all__ = ["line_blocks"]

_LEAD = 20  # lines that show whether a file is a test set


def line_blocks(bitext: BitextOptions) -> Iterator[LineBlock]:
    """The lines of both sides; two files may differ in length."""
    if bitext.target is not None and bitext.form.format is None:
        return blocks_of(*map(_sentences, (bitext.source, bitext.target)))
    return chain.from_iterable(blocks_of(*block) for block in _encoded(bitext.pairs()))


def _sentences(path: str) -> Iterator[bytes]:
    """The lines of a file as they are, or the segments of a test set."""
    lines = raw_lines(path)
    lead = list(islice(lines, _LEAD))
    whole = chain(lead, lines)
    if begins_test_set(line.decode(errors="replace") for line in lead):
        return (text.encode() for text in Segments(decode_lines(whole, path), path))
    return whole


def _encoded(pairs: Iterator[Pair]) -> Iterator[LineBlock]:
    while block := list(islice(pairs, BLOCK)):
        yield [pair.source.encode() for pair in block], [pair.target.encode() for pair in block]
