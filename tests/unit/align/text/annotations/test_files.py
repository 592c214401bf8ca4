"""Files of annotations: each format read, written and read again; what is wrong with them."""

import gzip
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from isogloss.align import DataError, DataWarning, Span, UsageError
from isogloss.align.text.annotations.characters import WordPlaces
from isogloss.align.text.annotations.files import AnnotationForm, AnnotationReader, AnnotationWriter
from isogloss.align.text.annotations.sentence import AnnotatedSentence

A, B = Span(((0, 2),), "PER"), Span(((3, 4),), "LOC")
WORDS = [["Ana", "Ruiz", "in", "Łódź"], [], ["😀", "Bo"]]
SPANS = [[A, B], [], [Span(((1, 2),), "PER")]]
TEXTS = {
    "columns": "Ana\tB-PER\nRuiz\tI-PER\nin\tO\nŁódź\tB-LOC\n\n\n😀\tO\nBo\tB-PER\n\n",
    "tags": "B-PER I-PER O B-LOC\n\nO B-PER\n",
    "standoff": "T1\tPER 0 8\tAna Ruiz\nT2\tLOC 12 16\tŁódź\nT3\tPER 20 22\tBo\n",
    "jsonl": "".join(
        json.dumps({"tokens": words, "spans": spans}, ensure_ascii=False) + "\n"
        for words, spans in zip(
            WORDS,
            [[{"start": 0, "end": 2, "label": "PER"}, {"start": 3, "end": 4, "label": "LOC"}], [],
             [{"start": 1, "end": 2, "label": "PER"}]],
            strict=True,
        )
    ),
}  # fmt: skip


@pytest.fixture
def read(tmp_path):
    """Read a text as annotations."""

    def read(content, form=None, words=None, name="a", text=None):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        if text is not None:
            (tmp_path / "t").write_bytes(text.encode())
            form = AnnotationForm(text=tmp_path / "t")
        reader = AnnotationReader(path, form, words)
        sentences = list(reader)
        reader.warn()
        return reader, sentences

    return read


@pytest.mark.parametrize("format", TEXTS)
def test_every_format_is_found_out_read_and_written(read, format):
    text = "\n".join(" ".join(words) for words in WORDS)
    reader, sentences = read(TEXTS[format], None, WORDS, text=text)
    assert reader.format == format
    assert [list(sentence.spans) for sentence in sentences] == SPANS
    assert [sentence.length for sentence in sentences] == [4, 0, 2]
    writer = AnnotationWriter(format)
    lines = [
        line
        for sentence, words in zip(sentences, WORDS, strict=True)
        for line in writer.lines(sentence, words, " ".join(words), sentence.spans)
    ]
    assert "".join(f"{line}\n" for line in lines) == TEXTS[format]


WORD = st.text(  # a byte order mark is dropped where a file begins
    st.characters(exclude_categories=["Cs", "Cc", "Z"], exclude_characters="\ufeff"),
    min_size=1,
    max_size=4,
)


@st.composite
def annotated(draw):
    """Words, and spans of them that don't overlap."""
    words = draw(st.lists(WORD, min_size=1, max_size=8))
    cuts = sorted(draw(st.sets(st.integers(0, len(words)), max_size=6)))
    pairs = list(zip(cuts[::2], cuts[1::2], strict=False))
    return words, [Span((pair,), draw(st.sampled_from(["PER", "a-b"]))) for pair in pairs]


@given(st.lists(annotated(), min_size=1, max_size=4), st.sampled_from(list(TEXTS)), st.booleans())
def test_round_trips(tmp_path_factory, rows, format, gaps):
    folder = tmp_path_factory.mktemp("files")
    text = [("  " if gaps else " ").join(words) for words, _ in rows]
    writer = AnnotationWriter(format, characters=gaps)
    lines = [
        line
        for (words, spans), row in zip(rows, text, strict=True)
        for line in writer.lines(AnnotatedSentence(len(words), spans), words, row, spans)
    ]
    (folder / "a").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    (folder / "t").write_text("".join(f"{line}\n" for line in text), encoding="utf-8", newline="")
    form = AnnotationForm(format, text=folder / "t")
    found = list(AnnotationReader(folder / "a", form, [words for words, _ in rows]))
    assert [list(sentence.spans) for sentence in found] == [spans for _, spans in rows]


def test_columns_of_others(read):
    # blanks between columns, the tag in the middle, many blank lines, no blank line at the end
    content = "\n\nEU NNP B-ORG x\nis VB O x\n\n\n\nok UH O x"
    form = AnnotationForm("columns", column=3)
    _, sentences = read(content, form)
    assert [(s.length, list(s.spans), s.line) for s in sentences] == [
        (2, [Span(((0, 1),), "ORG")], 3), (1, [], 8),
    ]  # fmt: skip
    # comments where columns have tabs; a word that is #; CRLF, BOM and gz
    content = b"\xef\xbb\xbf# text = x\r\n#\tB-A\r\n\r\n"
    with pytest.warns(DataWarning) as told:
        _, sentences = read(gzip.compress(content), name="a.gz")
    assert {str(warning.message).partition(": ")[2] for warning in told} == {
        "a byte order mark was removed",
        "the carriage return at the end of 3 lines was removed (Windows line endings)",
    }
    assert list(sentences[0].spans) == [Span(((0, 1),), "A")]


@pytest.mark.parametrize(
    ("record", "spans"),
    [
        ({"text": "a bc  d", "label": [[2, 4, "X"]]}, [Span(((1, 2),), "X")]),
        ({"text": "😀 b", "entities": [{"start_offset": 2, "end_offset": 3, "type": "X"}]},
         [Span(((1, 2),), "X")]),
        ({"text": "ab c", "tokens": [{"text": "ab"}, {"text": "c"}], "spans": [
            {"start": 0, "end": 4, "label": "X", "token_end": 1}]}, [Span(((0, 2),), "X")]),
        ({"text": "ab c", "tokens": [{"id": 0, "start": 0, "end": 2}, {"start": 3, "end": 4}],
          "ents": [{"start": 0, "end": 4, "label": "X"}]}, [Span(((0, 2),), "X")]),
        ({"tokens": ["a", "b"], "ner_tags": ["O", "B-X"]}, [Span(((1, 2),), "X")]),
        ({"tokens": ["a", "b", "c"], "spans": [
            {"start": 0, "end": 3, "parts": [[0, 1], [2, 3]], "label": "X"}]},
         [Span(((0, 1), (2, 3)), "X")]),
    ],
)  # fmt: skip
def test_records_of_others(read, record, spans):
    _, sentences = read(json.dumps(record | {"id": 7}))
    assert list(sentences[0].spans) == spans
    words = ["x"] * sentences[0].length
    lines = AnnotationWriter("jsonl").lines(sentences[0], words, " ".join(words), spans)
    again = json.loads(next(lines))
    assert again["id"] == 7
    assert ("text" in again) == ("text" in record)
    assert set(record) - {"text", "tokens"} <= set(again)
    _, sentences = read(json.dumps(again))
    assert list(sentences[0].spans) == spans


def test_keys_of_spans_stay_and_what_is_of_the_source_is_left_out(read):
    span = {"id": 5, "start_offset": 0, "end_offset": 1, "type": "X", "text": "a", "token_end": 0}
    record = {"text": "a b", "entities": [span], "relations": [{"from_id": 5}], "sents": [],
              "label": [[0, 1, "X"]], "pos_tags": ["A", "B"]}  # fmt: skip
    told = r"skipped label \(1 line\), pos_tags \(1 line\), relations \(1 line\); only spans"
    with pytest.warns(DataWarning, match=told):
        _, sentences = read(json.dumps(record))
    (line,) = AnnotationWriter("jsonl").lines(sentences[0], ["x"], "x", sentences[0].spans)
    assert json.loads(line) == {
        "text": "x",
        "entities": [{"start_offset": 0, "end_offset": 1, "type": "X", "id": 5, "text": "x"}],
    }  # fmt: skip


def test_a_column_of_confidences_is_not_one_of_tags(read):
    spans = [Span(((0, 1),), "X", 0.5)]
    source = AnnotatedSentence(2, spans)
    lines = list(AnnotationWriter("columns", confidence=True).lines(source, "ab", "a b", spans))
    assert lines == ["a\tB-X\t0.5000", "b\tO\t_", ""]
    for content in ("\n".join(lines), "# a b\n" + "\n".join(lines), "a B-X 1\nb O _\n"):
        _, sentences = read(content)
        assert [list(sentence.spans) for sentence in sentences] == [[Span(((0, 1),), "X")]]
    with pytest.raises(DataError, match=r"line 1: '0\.5000' is not a valid tag"):
        read("\n".join(lines), AnnotationForm(column=3))
    with pytest.raises(DataError, match="line 2: '_' is not a valid tag"):
        read("a\tX\tO\nb\tX\t_\n")


def test_spans_within_words_take_whole_words(read):
    with pytest.warns(
        DataWarning, match=r"1 span splits a word \(first: line 1\); such spans were"
    ):
        _, sentences = read(json.dumps({"text": "New-York is", "spans": [[0, 3, "X"]]}))
    assert list(sentences[0].spans) == [Span(((0, 1),), "X")]


def test_standoff_of_others(read):
    # carriage returns count, notes are left out, spans with holes and within each other
    text = "a b c\r\n😀 d\r\n"
    content = "T2\tY 9 10\td\nT1\tX 0 1;4 5\ta c\nR1\tof Arg1:T1 Arg2:T2\nT3\tZ 4 5\tc\n"
    with pytest.warns(DataWarning, match=r"skipped relations \(1\); only spans are projected"):
        _, sentences = read(content, text=text)
    assert [list(sentence.spans) for sentence in sentences] == [
        [Span(((0, 1), (2, 3)), "X"), Span(((2, 3),), "Z")], [Span(((1, 2),), "Y")],
    ]  # fmt: skip
    with pytest.warns(DataWarning, match="the byte order mark is ignored in offsets"):
        read("T1\tX 0 1\ta\n", text="\ufeffa\n")


@pytest.mark.parametrize(
    ("content", "words", "message"),
    [
        ("a\tO\nb\n\n", None, "a, line 2: the line 'b' is malformed; expected a word and its"),
        ("a b\nc\n", None, "line 2: the line 'c' is malformed; expected a word and its tag,"),
        (
            "a\tO\nb\tO\n\n",
            [["a"]],
            "line 1: the sentence that begins with 'a' has 2 tags for 1 word; expected",
        ),
        (
            "the\tO\nred\tO\nhouse\tO\n",
            [["X", "X", "X"]],
            "line 1: the annotated words differ from the text, such as 'the' and 'X'; expected the",
        ),
        ("a\tO\n\na\tO\n", [["a"]], "line 3: the annotations have more sentences than the text;"),
        ("a\tO\n", [["a"], ["b"]], "line 1: the annotations end before the text; expected one"),
        ("O O\n", [["a"]], "line 1: the sentence that begins with .* has 2 tags for 1 word"),
        ("O\n", [["a"], ["a"]], "line 1: the annotations end before the text; expected one"),
        ("{]\n", None, "line 1: invalid JSON .*keys that are read"),
        ('{"tokens": ["a"], "spans": []}\n[]', None, "line 2: the record is a list of 0;"),
        ('{"spans": []}', None, "line 1: the record has neither text nor tokens"),
        ('{"tokens": "ab", "spans": []}', None, "tokens is 'ab'; expected a list of strings"),
        ('{"text": 3, "spans": []}', None, "text is 3; expected a string. See"),
        ('{"tokens": ["a"]}', None, "no spans; expected a list under 'spans'"),
        ('{"tokens": ["a"], "ner_tags": [3]}', None, r"ner_tags is \[3\]; expected tag names"),
        ('{"tokens": ["a"], "label": "x"}', None, "label is 'x'; expected a list under 'spans'"),
        (
            '{"tokens": ["a"], "tags": []}',
            None,
            "the record has 0 tags for 1 word; expected one tag",
        ),
        ('{"tokens": ["a"], "spans": [3]}', None, "a span is 3; expected a list or an object"),
        (
            '{"tokens": ["a"], "spans": [[0, "x", "A"]]}',
            None,
            r'a span is {"start": 0, "end": "x", "label": "A"}; expected two integers and a string',
        ),
        ('{"tokens": ["a"], "spans": [[0, 1]]}', None, r'a span is {"start": 0, "end": 1};'),
        ('{"tokens": ["a"], "spans": [[0, 2, "A"]]}', None, "a span covers the words 0 to 2 of a"),
        (
            '{"text": "a", "spans": [[0, 2, "A"]]}',
            None,
            "a span covers the characters 0 to 2 of a",
        ),
        ('{"text": "a  b", "spans": [[1, 2, "A"]]}', None, "the span of characters 1 to 2, ' ',"),
        ('{"text": "a b", "spans": []}', [["a", "c"]], "the text at character 2 is 'b'; expected"),
        ('{"text": "a b", "spans": []}', [["a"]], "'b' follows the last word; expected the end"),
        ('{"tokens": ["a"], "spans": []}', [["a", "b"]], "the record has 1 token; expected 2,"),
        ('{"tokens": ["a"], "spans": []}', [["a"], []], "line 1: the annotations end before the"),
    ],
)
def test_what_is_wrong(read, content, words, message):
    with pytest.raises(DataError, match=message):
        read(content, None, words)


@pytest.mark.parametrize(
    ("content", "text", "message"),
    [
        ("T1\tX 0 1\tb\n", "a\n", "line 1: the text at the span is 'a'; expected 'b'. Check that"),
        ("T1\tX 0 3\ta b\n", "a\nb\n", "line 1: the span of characters 0 to 3 crosses a line"),
        ("\nT1\tX 9 10\ta\n", "a\n", "line 2: a span covers the characters 9 to 10 of a text of"),
        ("T1\tX 1 2\t \n", "a b\n", "line 1: the span of characters 1 to 2, ' ', contains no"),
        ("T1\tX 1 1\ta\n", "a\n", r"line 1: the line 'T1\\tX 1 1\\ta' is malformed; expected"),
        ("T1\tX\ta\n", "a\n", r"the line 'T1\\tX\\ta' is malformed; expected T1<TAB>LABEL START"),
        ("T1\tX 0 1\ta\n?\n", "a\n", r"line 2: the line '.' is malformed; expected T1<TAB>LABEL"),
    ],
)
def test_what_is_wrong_with_standoff(read, content, text, message):
    with pytest.raises(DataError, match=message):
        read(content, text=text)


def test_texts_of_standoff(read, tmp_path):
    with pytest.raises(
        UsageError, match="a is in standoff format, which needs the annotated text; pass"
    ):
        read("T1\tX 0 1\ta\n")
    (tmp_path / "b.txt").write_text("a\n")
    assert len(read("T1\tX 0 1\ta\n", name="b.ann")[1]) == 1
    (tmp_path / "b.txt").write_bytes(b"\xe9\n")
    with pytest.raises(DataError, match=r"b.txt, line 1: byte 0x.. at column .* is not UTF-8"):
        read("T1\tX 0 1\ta\n", name="b.ann")
    (tmp_path / "b.txt").write_text("a\n")
    form = AnnotationForm(text=tmp_path / "b.txt")
    with pytest.raises(DataError, match="there are more lines of words than of text"):
        read("T1\tX 0 1\ta\n", form, [["a"], ["b"]])
    with pytest.raises(
        DataError, match="the annotated text, line 1: the text at character 0 is 'a'"
    ):
        read("T1\tX 0 1\ta\n", form, [["b"]])


@pytest.mark.parametrize(
    ("format", "label"),
    [("standoff", ""), ("standoff", "a b"), ("columns", "a\tb"), ("tags", "a b")],
)
def test_labels_that_a_format_can_not_hold(format, label):
    sentence = AnnotatedSentence(1, [Span(((0, 1),), label)])
    with pytest.raises(DataError, match=r"the label '.*' contains whitespace"):
        list(AnnotationWriter(format).lines(sentence, ["a"], "a", sentence.spans))
    lines = AnnotationWriter("jsonl").lines(sentence, ["a"], "a", sentence.spans)
    assert json.loads(next(lines))["spans"][0]["label"] == label


def test_confidence_is_written_where_asked_for():
    spans = [Span(((0, 1),), "X", 0.5)]
    sentence, words = AnnotatedSentence(2, spans), ["a", "b"]
    columns = AnnotationWriter("columns", "bioes", confidence=True)
    assert list(columns.lines(sentence, words, "a b", spans)) == ["a\tS-X\t0.5000", "b\tO\t_", ""]
    standoff = AnnotationWriter("standoff", confidence=True)
    assert list(standoff.lines(sentence, words, "a b", spans)) == [
        "T1\tX 0 1\ta", "#1\tAnnotatorNotes T1\tconfidence 0.5000",
    ]  # fmt: skip
    lists = sentence._replace(listed=True, key="label")
    assert json.loads(next(AnnotationWriter("jsonl").lines(lists, words, "a b", spans))) == {
        "tokens": words, "label": [[0, 1, "X"]],
    }  # fmt: skip


def test_places_of_words_with_odd_blanks():
    places = WordPlaces(["\u00a0a", "b"], "\t\u00a0a  b\r")
    assert (places.starts, places.ends) == ([1, 5], [3, 6])
    assert places.characters(((0, 2),)) == ((1, 6),)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"format": "x"}, "format must be one of columns, tags, jsonl, standoff"),
        ({"scheme": "x"}, "scheme must be one of bio, iob1, bioes"),
        ({"column": 1}, "column must be at least 2, or 0 for the last column"),
    ],
)
def test_forms_that_are_none(values, message):
    with pytest.raises(UsageError, match=message):
        AnnotationForm(**values)


def test_words_that_are_spelled_otherwise_are_the_same_text(read):
    """Lower case, escapes and numbers in the first column are not another text."""
    for content in ("The\tO\n&apos;\tO\nhouse\tO\n", "1\tO\n2\tO\n3\tO\n"):
        _, (sentence,) = read(content, None, [["the", "'", "house"]])
        assert sentence.words == ["the", "'", "house"]
