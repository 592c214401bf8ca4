"""Bitexts in one file: which form they have, what is read from them, what is refused."""

import bz2
import gzip
import json
from pathlib import Path

import pytest
import zstandard

from isogloss.align import read_bitext
from isogloss.align.errors import DataError, DataWarning, UsageError
from isogloss.align.text.bitext import Bitext
from isogloss.align.text.formats.detection import detect_format
from isogloss.align.text.formats.languages import parse_languages
from isogloss.align.text.formats.opening import open_pairs
from isogloss.align.text.formats.pair import Pair
from isogloss.align.text.readers import iter_pairs, read_linked_bitext

PAIRS = [("the house", "la casa"), ("a table", "una mesa")]
TMX = '<?xml version="1.0"?><tmx><body>{}</body></tmx>'
UNIT = '<tu><tuv xml:lang="en"><seg>{}</seg></tuv><tuv xml:lang="es"><seg>{}</seg></tuv></tu>'
TEXTS = {
    "pairs": "the house ||| la casa\na table ||| una mesa\n",
    "tsv": "the house\tla casa\na table\tuna mesa\n",
    "jsonl": "".join(json.dumps({"source": s, "target": t}) + "\n" for s, t in PAIRS),
    "tmx": TMX.format("".join(UNIT.format(s, t) for s, t in PAIRS)),
}


def put(tmp_path: Path, content: str | bytes) -> Path:
    path = tmp_path / "x"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def sides(bitext: Bitext) -> list[tuple[str, str]]:
    return [
        (" ".join(bitext.source.words(k)), " ".join(bitext.target.words(k)))
        for k in range(len(bitext))
    ]


@pytest.mark.parametrize("form", [*TEXTS])
@pytest.mark.parametrize("named", [False, True])
@pytest.mark.parametrize(
    "pack", [bytes, gzip.compress, bz2.compress, zstandard.ZstdCompressor().compress]
)
def test_each_form_is_told_or_named(tmp_path: Path, form: str, named: bool, pack) -> None:
    path = put(tmp_path, pack(TEXTS[form].encode()))
    bitext = read_bitext(path, format=form if named else None, languages=("en", "es"))
    assert PAIRS == sides(bitext)
    assert bitext.label_ids.tolist() == [-1, -1]


@pytest.mark.parametrize("form", [*TEXTS])
def test_pairs_come_one_by_one(tmp_path: Path, form: str) -> None:
    pairs = iter_pairs(put(tmp_path, TEXTS[form]), languages=("en", "es"))
    assert next(pairs) == Pair("the house", "la casa", None, 1)
    assert list(pairs) == [Pair("a table", "una mesa", None, 2)]


def test_pairs_of_two_files(tmp_path: Path) -> None:
    (tmp_path / "en").write_text("a\t b\nc")
    (tmp_path / "es").write_text("x\n\n")
    found = list(iter_pairs(tmp_path / "en", tmp_path / "es"))
    assert found == [Pair("a\t b", "x", None, 1), Pair("c", "", None, 2)]


def test_a_long_count_of_lines_is_told_in_full(tmp_path: Path) -> None:
    (tmp_path / "en").write_text("a\n" * 50)
    (tmp_path / "es").write_text("x\n" * 2000)
    with pytest.raises(DataError, match="es, line 51: the file has 2000 lines, but"):
        read_bitext(tmp_path / "en", tmp_path / "es")
    with pytest.raises(DataError, match=r"en, line 51: the file has 50 lines, but .*es has 2000;"):
        read_bitext(tmp_path / "es", tmp_path / "en")


@pytest.mark.parametrize(
    ("line", "form"),
    [
        ("a ||| b", "pairs"),
        ("{a} ||| {b}", "jsonl or pairs"),
        ("||| b", "pairs"),
        ("a |||", "pairs"),
        ("a|||b\tc", "tsv"),
        ("\tb", "tsv"),
        ("a\tb ||| c", "pairs or tsv"),
        ("{ 0 }\tb", "jsonl or tsv"),
        ('{"source": "a ||| b",\t"target": "c"}', "jsonl"),
        ('  {"source": "a"', "jsonl"),
        ("<tmx version='1.4'>", "tmx"),
        ("\ufeff<?xml version='1.0'?>", "tmx"),
        ("\ufeffa\tb", "tsv"),
        ("<a>\t<b>", "tsv"),
        ("a|||b", ""),
        ("a b", ""),
    ],
)
def test_what_tells_a_form(tmp_path: Path, line: str, form: str) -> None:
    path = put(tmp_path, f"\n \n{line}\r\n")
    if form in TEXTS:
        with open_pairs(path) as stream:
            assert stream.counted == ("unit" if form == "tmx" else "line")
        assert form == detect_format(path.read_bytes().splitlines(keepends=True), path)
        return
    message = (
        rf"x, line 3: the format is ambiguous: {form}; expected both sides of a pair "
        r"per line \(pairs, tsv, jsonl\) or unit \(tmx\)\. Set `format=...`"
        if form
        else r"x, line 3: the format is unknown: the line contains no .*`format=...`"
    )
    with pytest.raises(DataError, match=message):
        read_bitext(path)


def test_an_empty_file_is_an_empty_bitext(tmp_path: Path) -> None:
    assert len(read_bitext(put(tmp_path, ""))) == 0


@pytest.mark.parametrize(
    ("form", "content"),
    [
        ("pairs", "\na ||| b\n ||| \n\na |||\n||| b"),
        ("tsv", "\na\tb\n\t\n  \na\t\n\tb"),
        ("jsonl", '\n{"src":"a","tgt":"b"}\n{"src":"","tgt":" "}\n\n'
                  '{"src":"a","tgt":""}\n{"src":"","trg":"b"}'),
        ("tmx", TMX.format("".join(
            UNIT.format(*pair)
            for pair in (("", ""), ("a", "b"), ("", ""), ("", ""), ("a", ""), ("", "b"))
        ))),
    ],
)  # fmt: skip
def test_blank_pairs_stay(tmp_path: Path, form: str, content: str) -> None:
    place = "unit" if form == "tmx" else "line"
    with pytest.warns(
        DataWarning,
        match=rf"x: 5 pairs have an empty side \(first: {place} 1\); such pairs have no links "
        "and no phrase pairs",
    ):
        bitext = read_bitext(put(tmp_path, content), languages=("en", "es"))
    assert sides(bitext) == [("", ""), ("a", "b"), ("", ""), ("", ""), ("a", ""), ("", "b")]


@pytest.mark.parametrize("form", [*TEXTS])
def test_odd_spaces_are_counted_once_per_pair(tmp_path: Path, form: str) -> None:
    text = TEXTS[form].replace("a table", "a\u00a0table").replace("una mesa", "una\u200bmesa")
    if form == "jsonl":
        text = "".join(
            json.dumps({"src": s, "trg": t}, ensure_ascii=False) + "\n"
            for s, t in [PAIRS[0], ("a\u00a0table", "una\u200bmesa")]
        )
    place = "unit" if form == "tmx" else "line"
    with pytest.warns(
        DataWarning,
        match=rf"x: 1 {place} contains no-break or zero-width spaces inside tokens \(first: "
        rf"{place} 2\); they are kept",
    ) as caught:
        bitext = read_bitext(put(tmp_path, text), languages=("en", "es"))
    assert len(caught) == 1
    assert sides(bitext)[1] == ("a\u00a0table", "una\u200bmesa")


@pytest.mark.parametrize("form", ["tsv", "jsonl", "tmx"])
def test_a_token_of_bars(tmp_path: Path, form: str) -> None:
    text = TEXTS[form].replace("una mesa", "una ||| mesa")
    place = (
        r"x: the text contains \|\|\| as a token in unit 2"
        if form == "tmx"
        else r"x, line 2: the text contains \|\|\| as a token"
    )
    with pytest.raises(DataError, match=rf"{place}; expected text without"):
        read_bitext(put(tmp_path, text), format=form, languages=("en", "es"))


@pytest.mark.parametrize("form", ["pairs", "tsv", "jsonl"])
def test_windows_files(tmp_path: Path, form: str) -> None:
    text = "\ufeff" + TEXTS[form].replace("\n", "\r\n")
    with pytest.warns(DataWarning) as caught:
        assert PAIRS == sides(read_bitext(put(tmp_path, text)))
    assert [str(one.message).partition(": ")[2] for one in caught] == [
        "a byte order mark was removed",
        "the carriage return at the end of 2 lines was removed (Windows line endings)",
    ]


@pytest.mark.parametrize("form", ["pairs", "tsv", "jsonl"])
def test_invalid_utf8(tmp_path: Path, form: str) -> None:
    content = TEXTS[form].encode().replace(b"una", b"u\xf1a")
    with pytest.raises(DataError, match=r"x, line 2: byte 0xf1 at column \d+ is not UTF-8"):
        read_bitext(put(tmp_path, content))


@pytest.mark.parametrize("form", [*TEXTS])
def test_a_truncated_archive(tmp_path: Path, form: str) -> None:
    packed = zstandard.ZstdCompressor(write_checksum=True).compress(TEXTS[form].encode())
    with pytest.raises(DataError, match=r"x, line \d+: the compressed file is truncated"):
        read_bitext(put(tmp_path, packed[:-2]), languages=("en", "es"))


def test_an_archive_without_a_whole_line(tmp_path: Path) -> None:
    path = put(tmp_path, gzip.compress(b"no separator")[:-8])
    with pytest.raises(DataError, match="x, line 1: the compressed file is truncated"):
        read_bitext(path)


@pytest.mark.parametrize(
    ("form", "line", "message"),
    [
        ("pairs", "a|||b", r"the line has 1 field; expected source \|\|\| target, with"),
        ("pairs", "a ||| b ||| c", r"the line has 3 fields; expected source \|\|\| target"),
        ("pairs", "||| a ||| b", r"the line has 3 fields; expected source"),
        ("tsv", "a b", "the line has 1 column; expected source and target, separated by a tab."),
        ("jsonl", "a\tb", r"invalid JSON \(Expecting value at column 1\); expected a JSON object"),
        ("jsonl", '{"source": "a"', r"invalid JSON \(.* at column 15\); expected a JSON object"),
        ("jsonl", "[" * 100_000, r"lists or objects are nested too deeply in the JSON"),
        ("jsonl", "1" * 5000, r"a number in the JSON has thousands of digits"),
        ("jsonl", '["a", "b"]', r'the JSON value is not an object: \["a", "b"\]; expected the'),
        ("jsonl", '{"source": "a", "tgt": "b"}', "the record has the keys source, tgt; expected"),
        ("jsonl", "{}", r"the record has the keys \(none\); expected the keys source and target"),
        ("jsonl", '{"src": "a", "tgt": ["b"]}', r'tgt is \["b"\]; expected a string'),
        ("jsonl", '{"src": null, "trg": "b"}', "src is null; expected a string"),
        ("jsonl", r'{"src": "a", "tgt": "\ud800"}', "tgt contains an unpaired surrogate; expected"),
        ("jsonl", '{"translation": "a"}', "the record has the keys translation; expected the"),
    ],
)  # fmt: skip
def test_malformed_lines(tmp_path: Path, form: str, line: str, message: str) -> None:
    path = put(tmp_path, TEXTS[form] + line + "\n" + TEXTS[form])
    with pytest.raises(DataError, match=f"x, line 3: {message}"):
        read_bitext(path, format=form)


def test_further_columns_of_a_tsv(tmp_path: Path) -> None:
    """They are told of once, whichever lines have them."""
    path = put(tmp_path, "\na\tb\tc\na\tb\na\tb\tc\td\te\na\tb\t\td\n")
    with pytest.warns(DataWarning) as told:
        bitext = read_bitext(path, format="tsv")
    assert sides(bitext) == [("", ""), *[("a", "b")] * 4]
    messages = [str(warning.message) for warning in told if "ignored" in str(warning.message)]
    assert len(messages) == 1
    assert "x: the third column, such as 'c', is ignored;" in messages[0]
    path = put(tmp_path, "a\tb\na\tb\t0-0\td\na\tb\t\td\n")
    message = r"x: columns after the third are ignored in 2 lines \(first: line 2\)"
    with pytest.warns(DataWarning, match=message):
        read_bitext(path, format="tsv")


@pytest.mark.parametrize("text", ["a\tb\t0-0\n\na\tb\n", "a\tb\n\na\tb\t0-0\n"])
def test_a_third_column_that_is_read_is_in_every_line(tmp_path: Path, text: str) -> None:
    first, other = (3, 2) if text.startswith("a\tb\t") else (2, 3)
    message = f"x, line 3: the line has {other} columns; expected {first} columns as in previous"
    with pytest.raises(DataError, match=message):
        read_bitext(put(tmp_path, text), labels="column")


def test_line_breaks_in_json_are_blanks(tmp_path: Path) -> None:
    line = json.dumps({"src": "a\nb\r\nc", "tgt": "x\ty\u2028z"})
    assert sides(read_bitext(put(tmp_path, line))) == [("a b c", "x y\u2028z")]


def test_links_of_a_tsv(tmp_path: Path) -> None:
    path = put(tmp_path, "\na b\tx y\t1-0 0-1:0.5\nc\tz\t\n")
    assert list(iter_pairs(path))[1:] == [
        Pair("a b", "x y", "1-0 0-1:0.5", 2),
        Pair("c", "z", "", 3),
    ]
    with pytest.warns(DataWarning, match="1 pair has an empty side"):
        bitext, links = read_linked_bitext(path)
    assert sides(bitext) == [("", ""), ("a b", "x y"), ("c", "z")]
    assert links is not None
    assert [links[k] for k in range(3)] == [[], [(0, 1), (1, 0)], []]
    assert read_linked_bitext(put(tmp_path, "a\tb"))[1] is None


@pytest.mark.parametrize(
    ("links", "message"),
    [
        ("0-0 0:1", "'0:1' is malformed; expected links such as 0-0 or 3-4:0.87"),
        ("2-0", "link 2-0 is out of range: the sentence pair has 2 source"),
    ],
)
def test_bad_links_of_a_tsv(tmp_path: Path, links: str, message: str) -> None:
    with pytest.raises(DataError, match=f"x, line 2: {message}"):
        read_linked_bitext(put(tmp_path, f"a\tb\t0-0\na b\tx y\t{links}\n"))


@pytest.mark.parametrize("form", [*TEXTS])
def test_links_in_a_file_of_their_own(tmp_path: Path, form: str) -> None:
    path, links = put(tmp_path, TEXTS[form]), tmp_path / "links.gz"
    links.write_bytes(gzip.compress(b"\n0-1 1-0:0.5\n"))
    _, found = read_linked_bitext(path, links=links, languages=("en", "es"))
    assert found is not None
    assert [found[k] for k in range(2)] == [[], [(0, 1), (1, 0)]]
    links.write_text("0-0\n1-2\n")
    with pytest.raises(
        DataError,
        match=r"links.gz, line 2: link 1-2 is out of range: the sentence pair has 2 source",
    ):
        read_linked_bitext(path, links=links, languages=("en", "es"))
    for text, message in (
        ("0-0\n", "line 2: the file has 1 line"),
        ("\n\n\n\n", "line 3: the file has 4 lines"),
    ):
        links.write_text(text)
        with pytest.raises(DataError, match=rf"links.gz, {message}, but .*x has 2"):
            read_linked_bitext(path, links=links, languages=("en", "es"))


def test_a_pair_that_is_too_long_loses_its_links(tmp_path: Path) -> None:
    path = put(tmp_path, "a b c\tx\t2-0\na b\tx\t1-0\n")
    with pytest.warns(DataWarning, match="1 pair has more than 2 words"):
        bitext, links = read_linked_bitext(path, max_length=2)
    assert sides(bitext) == [("", ""), ("a b", "x")]
    assert links is not None
    assert [links[k] for k in range(2)] == [[], [(1, 0)]]


@pytest.mark.parametrize("form", [*TEXTS])
def test_a_sentence_of_40000_tokens(tmp_path: Path, form: str) -> None:
    long = " ".join(f"w{k % 9000}" for k in range(40_000))
    text = TEXTS[form].replace("the house", long).replace("una mesa", long)
    bitext = read_bitext(put(tmp_path, text), languages=("en", "es"))
    assert sides(bitext) == [(long, "la casa"), ("a table", long)]
    assert bitext.source.lengths.tolist() == [40_000, 2]


def test_a_sentence_of_40000_tokens_in_two_files(tmp_path: Path) -> None:
    long = " ".join(f"w{k % 9000}" for k in range(40_000))
    (tmp_path / "en").write_text(f"a\n{long}\n")
    (tmp_path / "es").write_text(f"{long}\nb\n")
    bitext = read_bitext(tmp_path / "en", tmp_path / "es")
    assert sides(bitext) == [("a", long), (long, "b")]


def test_labels_and_lowercase_and_vocabularies(tmp_path: Path) -> None:
    (tmp_path / "labels").write_text("law\nlaw\n")
    first = read_bitext(
        put(tmp_path, "The\tLa\nA\tUNA\n"), labels=tmp_path / "labels", lowercase=True
    )
    assert sides(first) == [("the", "la"), ("a", "una")]
    assert first.domains == ("law",)
    known = first.source.vocabulary, first.target.vocabulary
    other = read_bitext(put(tmp_path, "a b\tla mesa\n"), vocabularies=known)
    assert other.source.tokens.tolist() == [2, -1]
    assert other.target.vocabulary is known[1]


def test_format_belongs_to_one_file(tmp_path: Path) -> None:
    path = put(tmp_path, TEXTS["tsv"])
    with pytest.raises(UsageError, match=r"in two files has no other format; omit `format=\.\.\.`"):
        read_bitext(path, path, format="tsv")
    for target in (path, None):
        with pytest.raises(UsageError, match=r"format must be one of pairs, .*, got 'csv'"):
            read_bitext(path, target, format="csv")


def test_languages() -> None:
    assert parse_languages("en-es") == ("en", "es")
    assert parse_languages("en-GB,pt-BR") == ("en-GB", "pt-BR")
    for text in ("en", "en-GB-es", "en-", "", "en,", "a,b,c"):
        with pytest.raises(
            UsageError, match=f"langs must be two codes such as en-es, .*, got '{text}'"
        ):
            parse_languages(text)
    for text in ("en-EN", "en,en-GB", "pt_BR,pt"):
        with pytest.raises(
            UsageError, match=f"langs must be two different languages, got '{text}'"
        ):
            parse_languages(text)
