"""Bad and odd input: what is said, and what becomes of the data."""

import bz2
import contextlib
import gzip
import lzma
import os
import threading
from pathlib import Path

import numpy as np
import pytest
import zstandard

from isogloss.align.errors import DataError, DataWarning
from isogloss.align.files.writers import write_lines
from isogloss.align.links.links import Links
from isogloss.align.model.parameters import AlignerOptions
from isogloss.align.text.labels import check_seed_size, match_labels, read_labels, read_seed_sample
from isogloss.align.text.readers import (
    read_bitext,
    read_gold,
    read_lines,
    read_links,
    read_sentences,
)
from isogloss.align.training.train import train

QUICK = AlignerOptions(model1_iterations=1, hmm_iterations=1)


def put(path: Path, content: str | bytes) -> Path:
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


@pytest.fixture
def source(tmp_path: Path) -> Path:
    return put(tmp_path / "x.es", "la casa\nuna mesa\nla mesa\n")


@pytest.fixture
def target(tmp_path: Path) -> Path:
    return put(tmp_path / "x.en", "the house\na table\nthe table\n")


def test_a_bitext(source: Path, target: Path) -> None:
    bitext = read_bitext(source, target)
    assert bitext.source.words(0) == ["la", "casa"]
    assert bitext.target.words(2) == ["the", "table"]
    assert bitext.label_ids.tolist() == [-1, -1, -1]
    assert bitext.domains == ()


def test_given_vocabularies(source: Path, target: Path, tmp_path: Path) -> None:
    first = read_bitext(source, target)
    known = first.source.vocabulary, first.target.vocabulary
    other = read_bitext(
        put(tmp_path / "y.es", "la silla"), put(tmp_path / "y.en", "the chair"), vocabularies=known
    )
    assert [known[0].get("la"), -1] == other.source.tokens.tolist()
    assert known[1] is other.target.vocabulary


def test_lowercase(tmp_path: Path) -> None:
    path = put(tmp_path / "x", "La Casa É\n")
    assert read_sentences(path, lowercase=True) == [["la", "casa", "é"]]
    assert read_sentences(path) == [["La", "Casa", "É"]]


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"", []),
        (b"\n", [""]),
        (b"a\nb", ["a", "b"]),
        (b"a\n\nb\n", ["a", "", "b"]),
        ("a\u2028b\x0b\x0c\x1c\x85c\n".encode(), ["a\u2028b\x0b\x0c\x1c\x85c"]),
        (b"a\rb\n", ["a\rb"]),
    ],
)
def test_lines_end_at_line_feeds_only(tmp_path: Path, content: bytes, expected: list) -> None:
    assert expected == read_lines(put(tmp_path / "x", content))


def test_tokens_are_split_at_blanks_and_tabs_only(tmp_path: Path) -> None:
    path = put(tmp_path / "x", "  a \t b\u2003c\x0b ||||  d\n \t \n")
    assert read_sentences(path) == [["a", "b\u2003c\x0b", "||||", "d"], []]


@pytest.mark.parametrize("extra", ["source", "target"])
def test_different_line_counts(extra: str, source: Path, target: Path) -> None:
    longer = source if extra == "source" else target
    put(longer, longer.read_text() + "otra\n")
    seen = "3 lines, but .* has 4" if extra == "source" else "4 lines, but .* has 3"
    with pytest.raises(
        DataError,
        match=rf"x\.en, line 4: the file has {seen}; expected two files with one line per "
        r"sentence pair\. Look for a missing or duplicated line break",
    ):
        read_bitext(source, target)


@pytest.mark.parametrize("side", ["source", "target"])
def test_an_empty_line_stays_a_line_without_links(
    side: str, source: Path, target: Path, tmp_path: Path
) -> None:
    file = source if side == "source" else target
    lines = file.read_text().split("\n")
    put(file, "\n".join([lines[0], "", *lines[2:]]))
    with pytest.warns(
        DataWarning,
        match=r"x\.es, .*x\.en: 1 pair has an empty side \(first: "
        r"line 2\); such pairs have no links and no phrase pairs",
    ):
        bitext = read_bitext(source, target)
    links = train(bitext, options=QUICK).align(bitext)
    assert len(links) == 3
    assert links[1] == []
    assert links[0] and links[2]


def test_all_lines_empty_on_one_side(source: Path, target: Path) -> None:
    put(source, "\n\n\n")
    with pytest.warns(DataWarning, match="3 pairs have an empty side"):
        bitext = read_bitext(source, target)
    with pytest.raises(DataError, match="no sentence pair has words on both sides"):
        train(bitext, options=QUICK)


def test_invalid_utf8(source: Path, target: Path) -> None:
    put(target, b"the house\nun caf\xe9\nx\n")
    with pytest.raises(
        DataError,
        match=r"x\.en, line 2: byte 0xe9 at column 7 is not UTF-8"
        r"\. The encoding is likely CP1252 \(reads 'café', .*\. Convert it with `iconv -f CP1252 ",
    ):
        read_bitext(source, target)


@pytest.mark.parametrize("line", ["||| a", "a ||| b", "a |||", "a\t|||\tb", "|||"])
def test_a_token_of_bars(source: Path, target: Path, line: str) -> None:
    put(source, f"la casa\n{line}\nx\n")
    with pytest.raises(
        DataError, match=r"x.es, line 2: the text contains \|\|\| as a token; expected text without"
    ):
        read_bitext(source, target)


@pytest.mark.parametrize("long", [(3000, 1000), (3000, 2), (2, 3000)])
def test_a_line_of_3000_tokens_among_short_ones(tmp_path: Path, long: tuple[int, int]) -> None:
    def words(letter: str, count: int) -> str:
        return " ".join(f"{letter}{k % 700}" for k in range(count))

    def text(letter: str, count: int) -> str:
        return "\n".join([words(letter, 3), words(letter, count), *[words(letter, 5)] * 2]) + "\n"

    bitext = read_bitext(
        put(tmp_path / "x.f", text("f", long[0])), put(tmp_path / "x.e", text("e", long[1]))
    )
    links = train(bitext, options=QUICK).align(bitext, heuristic="union")
    assert len(links) == 4
    links.check_range(bitext.source.lengths, bitext.target.lengths)
    assert links[2] == links[3]
    assert len(links[1]) >= 2


def test_windows_line_ends(tmp_path: Path) -> None:
    path = put(tmp_path / "x", b"a b\r\nc\r\nd\n")
    with pytest.warns(
        DataWarning, match=r"x: the carriage return at the end of 2 lines was removed"
    ):
        assert read_sentences(path) == [["a", "b"], ["c"], ["d"]]


def test_byte_order_mark(tmp_path: Path) -> None:
    path = put(tmp_path / "x", b"\xef\xbb\xbfa b\nc\n")
    with pytest.warns(DataWarning, match="x: a byte order mark was removed"):
        assert read_sentences(path) == [["a", "b"], ["c"]]


@pytest.mark.parametrize("mark", ["\u00a0", "\u200b", "\u2060", "\ufeff"])
def test_odd_spaces_stay_in_their_token(tmp_path: Path, mark: str) -> None:
    path = put(tmp_path / "x", f"a\nb 10{mark}000 c\n{mark}\n")
    with pytest.warns(
        DataWarning,
        match=r"x: 2 lines contain no-break or zero-width spaces inside "
        r"tokens \(first: line 2\); they are kept",
    ):
        assert [["a"], ["b", f"10{mark}000", "c"], [mark]] == read_sentences(path)


def test_missing_file(tmp_path: Path) -> None:
    with pytest.raises(
        DataError, match=r"none\.en cannot be read: No such file or directory\. Check"
    ):
        read_lines(tmp_path / "none.en")


PACKERS = {
    "gz": gzip.compress,
    "bz2": bz2.compress,
    "xz": lzma.compress,
    "zst": zstandard.ZstdCompressor(write_checksum=True).compress,
}


@pytest.mark.parametrize("kind", PACKERS)
@pytest.mark.parametrize("name", ["x.txt", "x.gz"])
def test_compression_is_told_by_content(tmp_path: Path, kind: str, name: str) -> None:
    path = put(tmp_path / name, PACKERS[kind]("a é\n\nb".encode()))
    assert read_lines(path) == ["a é", "", "b"]


@pytest.mark.parametrize("kind", PACKERS)
def test_an_empty_archive(tmp_path: Path, kind: str) -> None:
    assert read_lines(put(tmp_path / "x", PACKERS[kind](b""))) == []


def test_plain_text_called_gz(tmp_path: Path) -> None:
    assert read_lines(put(tmp_path / "x.gz", "a\n")) == ["a"]


@pytest.mark.parametrize("kind", PACKERS)
def test_truncated_archive(tmp_path: Path, kind: str) -> None:
    rng = np.random.default_rng(0)
    text = "".join(f"{number}\n" for number in rng.integers(0, 10**9, 20_000))
    packed = PACKERS[kind](text.encode())
    path = put(tmp_path / "x", packed[: len(packed) // 2])
    with pytest.raises(
        DataError,
        match=r"x, line \d+: the compressed file is truncated or damaged in or after this "
        r"line \(.+\)\. Fetch or compress it again",
    ):
        read_lines(path)


def test_damaged_gzip(tmp_path: Path) -> None:
    packed = bytearray(gzip.compress(b"a b c\n" * 100))
    packed[-6] ^= 0xFF  # the checksum
    with pytest.raises(DataError, match=r"truncated or damaged in or after this line \(CRC check"):
        read_lines(put(tmp_path / "x", bytes(packed)))


def test_links_and_gold_name_their_line(tmp_path: Path) -> None:
    path = put(tmp_path / "x.a", "0-0\n1:1\n")
    for read in (read_links, read_gold):
        with pytest.raises(
            DataError, match=r"x.a, line 2: '1:1' is malformed; expected .*links such as"
        ):
            read(path)
    assert read_links(put(path, "0-0\n"))[0] == [(0, 0)]


def test_links_are_read_as_links_load_reads_them(tmp_path: Path) -> None:
    path = put(tmp_path / "x.a", "0-0:0.75 1-1:0.5\n")
    for scored in (None, True, False):
        assert read_links(path, scored=scored) == Links.load(path, scored=scored)
    links = read_links(path)
    assert links.probability is not None
    assert links.probability.tolist() == [0.75, 0.5]
    with pytest.raises(DataError, match="Convert other scores to probabilities, or remove them"):
        read_links(put(path, "0-0:3.5\n"))


def test_labels(source: Path, target: Path, tmp_path: Path) -> None:
    labels = put(tmp_path / "x.domains", "med\n-\n med \n")
    bitext = read_bitext(source, target, labels=labels)
    assert bitext.domains == ("med",)
    assert bitext.label_ids.tolist() == [0, -1, 0]


def test_domains_are_in_alphabetical_order(tmp_path: Path) -> None:
    labels, domains = read_labels(put(tmp_path / "x", "med\nlaw\nlaw\n-\nmed\n"), 5)
    assert domains == ("law", "med")
    assert labels.tolist() == [1, 0, 0, -1, 1]
    assert match_labels(["med", "-"], domains).tolist() == [1, -1]


@pytest.mark.parametrize(
    ("content", "line", "message"),
    [
        ("a\na\n", 3, r"the file has 2 labels; expected 3, one per sentence pair\. Use -"),
        ("a\na\na\na\n", 4, r"the file has 4 labels; expected 3, one per sentence pair"),
        ("a\na b\na\n", 2, "the label 'a b' is malformed; expected one domain name, or -, per"),
        ("a\na\x1bb\na\n", 2, r"the label 'a\\x1bb' is malformed; expected one domain name, or -,"),
        ("a\na\n\n", 3, "the label '' is malformed; expected one domain name, or -, per line"),
        ("a\nlaw\nb\n", 2, r"unknown domain 'law'; expected one of a, b, or -"),
        ("b\na\na\n", 1, r"the domain 'b' has 1 seed pair; expected at least 2\. Add pairs"),
    ],
)
def test_bad_labels(tmp_path: Path, content: str, line: int, message: str) -> None:
    path = put(tmp_path / "x.domains", content)
    with pytest.raises(DataError, match=rf"x\.domains, line {line}: {message}"):
        read_labels(path, 3, allowed=("a", "b"))


def test_a_seed_sample() -> None:
    assert ("med", Path("a=b.es"), Path("b.en")) == read_seed_sample("med=a=b.es,b.en")
    assert ("med", Path("a.tmx"), None) == read_seed_sample("med=a.tmx")


@pytest.mark.parametrize("option", ["", "med", "med=", "med=,b", "med=a,", "=a,b", "-=a,b", "a,b"])
def test_malformed_seed_sample(option: str) -> None:
    with pytest.raises(
        DataError, match=f"the seed sample '{option}' is malformed; expected NAME=SRC"
    ):
        read_seed_sample(option)


@pytest.mark.parametrize(("count", "seen"), [(0, "0 seed pairs"), (1, "1 seed pair")])
def test_a_seed_sample_of_one_pair(count: int, seen: str) -> None:
    with pytest.raises(
        DataError, match=rf"x\.es, line 1: the domain 'med' has {seen}; expected at least 2\. Add"
    ):
        check_seed_size(count, "med", "x.es")
    check_seed_size(2, "med", "x.es")


def test_one_line_out_per_line_in(source: Path, target: Path, tmp_path: Path) -> None:
    from isogloss.align.links.links import format_links

    put(source, source.read_text() + "\n")
    put(target, target.read_text() + "\n")
    with pytest.warns(DataWarning, match="1 pair has an empty side"):
        bitext = read_bitext(source, target)
    write_lines(format_links(train(bitext, options=QUICK).align(bitext)), tmp_path / "x.a")
    lines = read_lines(tmp_path / "x.a")
    assert len(lines) == 4
    assert lines[3] == ""


def test_a_pipe_can_be_read(tmp_path: Path) -> None:
    """As the shell's `<(zcat x.gz)` gives one."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)

    def feed() -> None:
        with contextlib.suppress(BrokenPipeError):
            pipe.write_bytes(b"a\nb\n")

    writer = threading.Thread(target=feed, daemon=True)
    writer.start()
    try:
        assert read_lines(pipe) == ["a", "b"]
    finally:
        writer.join(timeout=5.0)


def test_a_truncated_archive_names_the_last_good_line(tmp_path: Path) -> None:
    path = put(tmp_path / "x", gzip.compress(b"a\nb\nc\n")[:-4])
    with pytest.raises(DataError, match="x, line 3: the compressed file is truncated"):
        read_lines(path)


def test_more_domains_than_labels_have_numbers(tmp_path: Path) -> None:
    """Each is looked up once, so that so many take no time."""
    path = tmp_path / "labels"
    names = [f"d{k:05d}" for k in range(32767)]
    path.write_text("\n".join(names * 2) + "\n")
    labels, domains = read_labels(path, 2 * 32767)
    assert (32766, tuple(names)) == (labels[-1], domains)
    path.write_text("\n".join([*names, "more"] * 2) + "\n")
    with pytest.raises(DataError, match="labels: there are 32768 domains; expected at most 32767"):
        read_labels(path, 2 * 32768)


def test_a_side_that_is_longer_than_links_have_positions_for(tmp_path: Path) -> None:
    for name, words in (("a", 65536), ("b", 65537)):
        (tmp_path / name).write_text("a\n" + "w " * words + "\n")
    assert [1, 65536] == read_bitext(tmp_path / "a", tmp_path / "a").source.lengths.tolist()
    with pytest.warns(DataWarning, match=r"1 pair has more than 65536 words on a side .*line 2"):
        bitext = read_bitext(tmp_path / "a", tmp_path / "b", max_length=10**6)
    assert [1, 0] == bitext.source.lengths.tolist() == bitext.target.lengths.tolist()


def test_seed_samples_have_names_as_labels_have() -> None:
    for option in ("my domain=en,es", "a\x1bb=en,es"):
        with pytest.raises(
            DataError, match=r"the name in seed sample '.*=en,es' is invalid; expected a"
        ):
            read_seed_sample(option)


def test_tabs_around_the_separator_of_pairs(tmp_path: Path) -> None:
    (tmp_path / "x").write_text("a b\t|||\tx y\nc\t|||\tz\n")
    bitext = read_bitext(tmp_path / "x")
    assert [bitext.source.words(k) for k in (0, 1)] == [["a", "b"], ["c"]]
    assert [bitext.target.words(k) for k in (0, 1)] == [["x", "y"], ["z"]]
