"""Whatever a file holds, it is looked at without an error, and the same each time."""

import warnings

from hypothesis import given
from hypothesis import strategies as st

from isogloss.align.errors import DataWarning
from isogloss.align.files.encodings import conversion, wide_encoding
from isogloss.align.files.inputs.samples import FileSample
from isogloss.align.text.recognition.decoder_files import forms_of_decoder_files
from isogloss.align.text.recognition.kinds import KINDS
from isogloss.align.text.recognition.recognition import forms_of, looked_at
from isogloss.align.text.recognition.sample import TextSample

MARKS = (
    "\n", "\r", "\t", " ", "|||", "<seg>", "</seg>", "<", ">", "&amp;", "&#1;", "\\u00e9", "%20",
    '"', ",", "1", "0-0", "GEN 1:1", "@@", "\u2581", "\\id ", "{", "}", "(", ")", "a", "é", "\0",
    "-->", "00:00:01,000", "<range>", "\ufeff", "\x85", "[", "]", "=", "F= ",
)  # fmt: skip
TEXTS = st.lists(st.sampled_from(MARKS), max_size=80).map("".join)
BYTES = st.one_of(
    st.binary(max_size=200),
    TEXTS.map(str.encode),
    TEXTS.map(lambda text: text.encode("utf-16-le")),
    st.tuples(TEXTS, st.binary(max_size=9)).map(lambda parts: parts[0].encode() + parts[1]),
)


@given(BYTES, st.lists(BYTES, max_size=2), st.booleans())
def test_any_bytes(head: bytes, parts: list[bytes], is_whole: bool) -> None:
    sample = TextSample.of(FileSample(head, is_whole, tuple(parts)))
    for form in (*forms_of(sample), *forms_of_decoder_files(sample)):
        assert form.kind in KINDS
        assert form.name and form.remedy
        assert form.line is None or 1 <= form.line <= max(len(sample.first), 1)
    assert forms_of(sample) == forms_of(TextSample.of(FileSample(head, is_whole, tuple(parts))))


@given(st.lists(st.binary(max_size=30), max_size=9))
def test_any_lines_have_a_remedy(lines: list[bytes]) -> None:
    assert conversion(lines)
    assert wide_encoding(b"\n".join(lines)) in ("", "UTF-16", "UTF-32", *WIDE)


WIDE = ("UTF-16LE", "UTF-16BE", "UTF-32LE", "UTF-32BE")


@given(st.lists(st.tuples(TEXTS, TEXTS), max_size=9))
def test_pairs_pass_as_they_are(pairs: list[tuple[str, str]]) -> None:
    class Sides:
        def __init__(self, source: str, target: str) -> None:
            self.source, self.target = source, target

    given_pairs = [Sides(*pair) for pair in pairs]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        assert list(looked_at(iter(given_pairs), "x")) == given_pairs
