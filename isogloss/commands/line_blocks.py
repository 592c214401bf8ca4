"""The lines of a bitext as doctor reads them."""

from collections.abc import Iterator
from itertools import chain, islice

from isogloss.align.files.inputs.shards import paired_files
from isogloss.align.files.outputs import is_stream
from isogloss.align.files.text_io import raw_lines
from isogloss.align.text.formats.pair import Pair
from isogloss.align.text.recognition.recognition import forms_of_side, forms_of_text
from isogloss.align.text.recognition.sample import TextSample

from ..doctor.examination import BLOCK, LineBlock, blocks_of
from ..doctor.text_rules import SideForms
from .shared import BitextOptions

__all__ = ["forms_of_sides", "line_blocks"]

_LOOKED_AT = 300  # pairs


def line_blocks(bitext: BitextOptions) -> Iterator[LineBlock]:
    """The lines of both sides; two files may differ in length."""
    if bitext.target is not None:
        return blocks_of(raw_lines(bitext.source), raw_lines(bitext.target))
    return chain.from_iterable(blocks_of(*block) for block in _encoded(bitext.pairs()))


def forms_of_sides(bitext: BitextOptions) -> SideForms:
    """What the files of both sides are, if they aren't text, or what a file of pairs has."""
    if bitext.target is None:
        if is_stream(bitext.source):
            return (), ()
        pairs = list(islice(bitext.pairs(), _LOOKED_AT))
        left = TextSample.of_lines(pair.source for pair in pairs)
        return forms_of_side(left), forms_of_side(
            TextSample.of_lines(pair.target for pair in pairs)
        )
    source, target = paired_files(bitext.source, bitext.target)[0]
    return forms_of_text(source), forms_of_text(target)


def _encoded(pairs: Iterator[Pair]) -> Iterator[LineBlock]:
    while block := list(islice(pairs, BLOCK)):
        yield [pair.source.encode() for pair in block], [pair.target.encode() for pair in block]
