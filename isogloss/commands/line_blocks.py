"""The lines of a bitext as doctor reads them."""

from collections.abc import Iterator
from itertools import chain, islice

from isogloss.align.files.inputs.shards import paired_files
from isogloss.align.files.outputs import is_stream
from isogloss.align.files.text_io import decode_lines, raw_lines
from isogloss.align.text.formats.pair import Pair
from isogloss.align.text.formats.verses import VERSES
from isogloss.align.text.markup.sgm import Segments, begins_test_set
from isogloss.align.text.recognition.recognition import forms_of_files, forms_of_side
from isogloss.align.text.recognition.sample import TextSample
from isogloss.align.text.recognition.sides import with_one_sided, without_shared

from ..doctor.examination import BLOCK, LineBlock, blocks_of
from ..doctor.text_rules import SideForms
from .shared import BitextOptions

__all__ = ["forms_of_sides", "line_blocks"]

_LOOKED_AT = 300  # pairs

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


def forms_of_sides(bitext: BitextOptions) -> SideForms:
    """What the files of both sides are, if they aren't text, or what a file of pairs has."""
    if bitext.target is None:
        if is_stream(bitext.source):
            return (), ()
        pairs = list(islice(bitext.pairs(), _LOOKED_AT))
        left = TextSample.of_lines(pair.source for pair in pairs)
        right = TextSample.of_lines(pair.target for pair in pairs)
        samples: list[TextSample | None] = [left, right]
        forms = without_shared([forms_of_side(left), forms_of_side(right)])
    else:
        known = ("verse-ranges",) if bitext.form.format == VERSES else ()
        files = paired_files(bitext.source, bitext.target)[0]
        forms, samples = forms_of_files(files, known)
    source, target = with_one_sided(forms, samples)
    return source, target


def _encoded(pairs: Iterator[Pair]) -> Iterator[LineBlock]:
    while block := list(islice(pairs, BLOCK)):
        yield [pair.source.encode() for pair in block], [pair.target.encode() for pair in block]
