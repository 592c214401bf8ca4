"""Gold alignments in the formats of their makers: recognized, read, refused, written."""

import re
from pathlib import Path

import pytest

from isogloss.align.errors import DataError, DataWarning, OptionError, UsageError
from isogloss.align.files.text_io import read_lines
from isogloss.align.files.writers import write_lines
from isogloss.align.links.formats.gold_formats import GOLD_FORMATS
from isogloss.align.links.gold_links import GoldLinks, parse_gold
from isogloss.align.text.readers import read_gold, read_linked_bitext, read_links

GOLD = GoldLinks.from_pairs([[(0, 0), (1, 2)], [], [(3, 0)]], [[(1, 1)], [], []])
SURE = GoldLinks(GOLD.sure, GOLD.sure)
TEXTS = [("a b", "x y z"), ("", "only"), ("a b c d", "x")]
XL_WA = ["a b\tx y z\t0-0 1-2\t\t", "\tonly\t", "a b c d\tx\t3-0"]
RECORDS = [
    '{"text_a": "a b", "text_b": "x y z", "labels": "0-0 1-2"}',
    '{"text_a": "", "text_b": "only", "labels": []}',
    '{"text_a": "a b c d", "text_b": "x", "labels": [[3, 0]]}',
]
BURRITO = [
    '{"meta": {"conformsTo": "0.3", "creator": "isogloss"}, "roles": ["source", "target"], '
    '"type": "translation", "records": [',
    *(
        f'{{"source": ["{source}"], "target": ["{target}"], "meta": {{"id": "{number}", "origin": '
        f'"isogloss", "status": "created"}}}}{comma}'
        for source, target, number, comma in (
            ("s1", "t1", "1.001", ","), ("s2", "t3", "1.002", ","), ("s6", "t5", "3.001", ""),
        )
    ),
    "]}",
]  # fmt: skip
FILES: dict[str, tuple[list[str], GoldLinks]] = {
    "pharaoh": (["0-0 1p1 1-2", "", "3-0"], GOLD),
    "talp": (["1-1 2p2 2-3", "", "4-1"], GOLD),
    "naacl": (["0001 1 1 S", "0001 2 2 P", "0001 2 3 S", "0003 4 1 S"], GOLD),
    "xl-wa": (XL_WA, SURE),
    "ctfalign": (RECORDS, SURE),
    "burrito": (BURRITO, SURE),
}
IDS = (["s1 s2", "", "s3 s4 s5 s6"], ["t1 t2 t3", "t4", "t5"])


@pytest.fixture
def ids(tmp_path: Path) -> tuple[Path, Path]:
    """Files of the token ids of the sentences."""
    files = tmp_path / "source.ids", tmp_path / "target.ids"
    for file, lines in zip(files, IDS, strict=True):
        write_lines(lines, file)
    return files


@pytest.mark.parametrize("format", GOLD_FORMATS)
def test_each_format_is_read(format: str, tmp_path: Path, ids: tuple[Path, Path]) -> None:
    lines, gold = FILES[format]
    write_lines(["", *lines] if format == "naacl" else lines, tmp_path / "x.gz")
    assert GoldLinks.load(tmp_path / "x.gz", format=format, ids=ids) == gold
    if format != "talp":
        assert GoldLinks.load(tmp_path / "x.gz", ids=ids) == gold
        assert read_gold(tmp_path / "x.gz", ids=ids) == gold


@pytest.mark.parametrize("format", ["naacl", "xl-wa", "ctfalign", "burrito"])
def test_links_of_each_format(format: str, tmp_path: Path, ids: tuple[Path, Path]) -> None:
    """Where alignments in Pharaoh are read, those of annotators are, the possible ones too."""
    lines, gold = FILES[format]
    write_lines(lines, tmp_path / "x.gz")
    assert read_links(tmp_path / "x.gz", ids=ids) == gold.possible
    if format == "naacl":
        return
    write_lines([" ".join("x" * len(line.split())) for line in IDS[0]], tmp_path / "source")
    write_lines([" ".join("x" * len(line.split())) for line in IDS[1]], tmp_path / "target")
    sides = tmp_path / "source", tmp_path / "target"
    with pytest.warns(DataWarning, match="1 pair has an empty side"):
        _, found = read_linked_bitext(*sides, links=tmp_path / "x.gz", ids=ids)
    assert found == gold.possible


@pytest.mark.parametrize("name", ["x.talp", "x.talp.gz", "X.TALP"])
def test_talp_is_known_by_its_name(name: str, tmp_path: Path) -> None:
    lines, gold = FILES["talp"]
    write_lines(lines, tmp_path / name)
    assert GoldLinks.load(tmp_path / name) == read_gold(tmp_path / name) == gold
    assert read_links(tmp_path / name) == gold.possible
    write_lines(FILES["pharaoh"][0], tmp_path / name)
    assert GoldLinks.load(tmp_path / name, format="pharaoh") == gold
    with pytest.raises(DataError, match=rf"{name}, line 1: the link '0-0' has the position 0"):
        read_links(tmp_path / name)


def test_scored_links_between_tabs_are_pharaoh(tmp_path: Path) -> None:
    write_lines(["0-0:0.5\t1-1:0.25\t2-2:1"], tmp_path / "x")
    assert read_links(tmp_path / "x")[0] == [(0, 0), (1, 1), (2, 2)]


def test_links_of_other_json(tmp_path: Path) -> None:
    write_lines(['{"groups": []}'], tmp_path / "x")
    message = (
        r"x: the alignments name words by token ids; expected files with the ids of both sides. "
        r"Pass --source-ids FILE and --target-ids FILE \(ids=\(source, target\) in Python\), or con"
    )
    with pytest.raises(DataError, match=message):
        read_links(tmp_path / "x")
    with pytest.raises(DataError, match=message):
        read_gold(tmp_path / "x", format="burrito")


@pytest.mark.parametrize(
    ("line", "sure", "possible"),
    [
        ("1\t2\t3", [(1, 2)], []),  # S by default
        ("001 2 3 P", [], [(1, 2)]),
        ("1 2 3 S 0.75", [(1, 2)], []),
        ("1 2 3 1", [(1, 2)], []),
        ("0-0\t1p1", [(0, 0)], [(1, 1)]),  # Pharaoh, not a sentence pair
        ("0-0\t1-1\t2-2", [(0, 0), (1, 1), (2, 2)], []),
        ("1 2 3\tx y z\t2-0 1p1", [(2, 0)], [(1, 1)]),
        ("1 2 3\tx\t", [], []),
    ],
)
def test_what_a_first_line_shows(
    line: str, sure: list[tuple[int, int]], possible: list[tuple[int, int]]
) -> None:
    assert parse_gold([line])[0] == (sure, sorted([*sure, *possible]))


def test_blank_lines() -> None:
    assert len(parse_gold([])) == 0
    assert list(parse_gold(["", " ", XL_WA[0]])) == [([], []), ([], []), SURE[0]]
    assert list(parse_gold(["", RECORDS[0], ""])) == [([], []), SURE[0], ([], [])]


def test_pairs_without_links_at_the_end() -> None:
    """NAACL form has no lines for these."""
    lines = ["1 1 1", "3 2 2"]
    assert len(parse_gold(lines)) == 3
    gold = parse_gold(lines, num_pairs=5)
    assert (len(gold), gold[2], gold[4]) == (5, ([(1, 1)], [(1, 1)]), ([], []))
    assert len(parse_gold([], format="naacl", num_pairs=5)) == 5
    assert len(parse_gold(["1100 1 1"])) == 1100


def test_a_link_that_is_sure_once() -> None:
    assert parse_gold(["1 1 1 P", "1 1 1 S"])[0] == ([(0, 0)], [(0, 0)])


BAD = [
    ("talp", "1-1 0p2", "the link '0p2' has the position 0; expected positions counted from 1. If"),
    ("talp", "1-1 x", "'x' is malformed; expected gold links such as"),
    ("naacl", "1 2", "'1 2' is malformed; expected numbers of sentence, .* such as 1 3 4 S. Write"),
    ("naacl", "1 2 3 X", "'1 2 3 X' is malformed"),
    ("naacl", "1 2 3 S 1.5", "'1 2 3 S 1.5' is malformed"),
    ("naacl", "1 2 3 S 0.5 0", ".* is malformed"),
    ("naacl", "1 -2 3", ".* is malformed"),
    ("naacl", "1 99999999 3", ".* is malformed"),
    ("naacl", "1 0 3", "'1 0 3' has the number 0; .* from 1. Remove links .*: `awk"),
    ("naacl", "0 1 3", "'0 1 3' has the number 0; .*Add 1 to all of its numbers: `awk"),
    ("naacl", "2000 1 1", "the sentence number is 2000; expected at most 1200 for 2 links. Number"),
    ("xl-wa", "a\tx", "the line has 2 columns; expected source sentence, target .* by tabs. Add"),
    ("xl-wa", "a\tx\t0-", "'0-' is malformed; expected gold links such as"),
    ("xl-wa", "a b\tx\t1-1", "link 1-1 is out of range: .* 2 source words and 1 target word. Che"),
    ("ctfalign", "{", r"invalid JSON \(.*; expected a JSON object per line. Correct the line"),
    ("ctfalign", "[]", r"'\[\]' is malformed; expected an object such as \{\"text_a\".* Write one"),
    ("ctfalign", '{"text_a": "a", "text_b": "x"}', ".* is malformed; expected an object"),
    ("ctfalign", '{"text_a": "a", "text_b": "x", "labels": "0"}', "'0' is malformed; expected go"),
    (
        "ctfalign",
        '{"text_a": "a", "text_b": "x", "labels": "0-1"}',
        "link 0-1 is out of range: the sentence pair has 1 source word and 1 target word",
    ),
    *(
        (
            "ctfalign",
            f'{{"text_a": "a", "text_b": "x", "labels": [{label}]}}',
            rf"the label {re.escape(label)} is malformed; expected a pair .* such as \[0, 1\]. La",
        )
        for label in ("0", "[0]", "[0, -1]", "[0, 0, 0]")
    ),
    (
        "ctfalign",
        '{"text_a": "a", "text_b": "x", "labels": "0-0", "units_a": ["a"], "units_b": ["x"]}',
        "the labels are positions of subwords, .* 'units_a'; .* positions of words. Run ctfalign",
    ),
]


@pytest.mark.parametrize(("format", "line", "message"), BAD)
def test_malformed_lines(format: str, line: str, message: str) -> None:
    first = FILES[format][0][0]
    with pytest.raises(DataError, match=f"^x.gold, line 2: {message}"):
        parse_gold([first, line], "x.gold", format)
    if format != "talp":  # recognized by the first line
        with pytest.raises(DataError, match=f"^x.gold, line 2: {message}"):
            parse_gold([first, line], "x.gold")


@pytest.mark.parametrize("line", ["0 0 1 1", "1 0 2 1", "0 1 1 2 2 0", "1 1 2 2 3 3 4 4"])
def test_pairs_of_numbers_are_no_numbered_links(line: str) -> None:
    """They aren't told to add 1, which would make other links of them."""
    with pytest.raises(DataError, match=r"'[01]' is malformed; expected gold links") as caught:
        parse_gold([line, "0 0"], "x.gold")
    assert "awk" not in str(caught.value)
    assert parse_gold(["1 1 1 1", "1 2 2 0.5"])[0] == ([(0, 0), (1, 1)], [(0, 0), (1, 1)])


def test_more_sentences_than_the_text() -> None:
    with pytest.raises(
        DataError, match=r"x, line 2: the sentence number is 3; expected at most 2, the number of p"
    ):
        parse_gold(["1 1 1", "3 1 1"], "x", num_pairs=2)


def test_unknown_format(tmp_path: Path) -> None:
    write_lines(["0-0"], tmp_path / "x")
    message = "format must be one of pharaoh, talp, naacl, xl-wa, ctfalign, burrito, got 'NAACL'"
    with pytest.raises(OptionError, match=message):
        read_gold(tmp_path / "x", format="NAACL")
    with pytest.raises(OptionError, match=message):
        GOLD.save(tmp_path / "x", format="NAACL")


@pytest.mark.parametrize("format", GOLD_FORMATS)
def test_each_format_is_written(format: str, tmp_path: Path, ids: tuple[Path, Path]) -> None:
    lines, gold = FILES[format]
    gold.save(tmp_path / "x.gz", format=format, texts=TEXTS, ids=ids)
    if format == "ctfalign":
        assert read_lines(tmp_path / "x.gz")[0] == lines[0]
    else:
        assert read_lines(tmp_path / "x.gz") == [line.removesuffix("\t\t") for line in lines]
    assert GoldLinks.load(tmp_path / "x.gz", format=format, ids=ids) == gold


def test_burrito_that_cannot_be_written(ids: tuple[Path, Path]) -> None:
    with pytest.raises(UsageError, match=r"burrito names words by token ids; pass --source-ids F"):
        SURE.save("-", format="burrito")
    with pytest.raises(DataError, match=r"have 1 possible link; expected only sure .*. Drop the p"):
        GOLD.save("-", format="burrito", ids=ids)
    with pytest.raises(
        DataError,
        match=r"source.ids: the file has 3 lines of token ids, but the text has 1; expected one li",
    ):
        GOLD[:1].save("-", format="burrito", ids=ids)
    with pytest.raises(DataError, match=r"line 2: link 0-0 is out of range: .* 0 source words and"):
        GoldLinks.from_pairs([[], [(0, 0)], []]).save("-", format="burrito", ids=ids)


def test_sentences_of_any_blanks(tmp_path: Path) -> None:
    gold = GoldLinks.from_pairs([[(1, 0)]])
    gold.save(tmp_path / "x", format="xl-wa", texts=[(" a\t b\n", "x ")])
    assert read_lines(tmp_path / "x") == ["a b\tx\t1-0"]


@pytest.mark.parametrize("format", ["xl-wa", "ctfalign"])
def test_what_cannot_be_written(format: str) -> None:
    with pytest.raises(UsageError, match=f"the format {format} contains the sentences; pass the t"):
        SURE.save("-", format=format)
    with pytest.raises(DataError, match=r"have 1 possible link; expected only sure .*. Drop the p"):
        GOLD.save("-", format=format, texts=TEXTS)
    with pytest.raises(
        DataError, match=r"text has fewer sentence pairs than .*; expected 3, one p"
    ):
        SURE.save("-", format=format, texts=TEXTS[:2])
    with pytest.raises(DataError, match=r"text has more sentence pairs than the gold alignments"):
        SURE.save("-", format=format, texts=[*TEXTS, ("", "")])
    with pytest.raises(DataError, match=r"link 1-2 is out of range: .* 1 source word and 3 target"):
        SURE.save("-", format=format, texts=[("a", "x y z"), *TEXTS[1:]])
