"""Rules as text by a kernel, against Python's formatting."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from isogloss.align.arrays.sparse_rows import Ragged
from isogloss.align.errors import DataError
from isogloss.align.kernels.simd import BLOCK
from isogloss.align.text.corpus import Corpus
from isogloss.features.table.formats import SCALES, MosesFormat, TableFormat
from isogloss.features.table.grammars import Cdec
from isogloss.features.table.kernels.formatting import (
    LONGEST_NUMBER,
    REMEMBERED,
    write_number,
    write_whole,
)
from isogloss.features.table.phrase_table import PhraseTable
from isogloss.features.table.phrases import phrase_texts
from isogloss.features.table.rule_formatter import RuleFormatter
from isogloss.features.table.rule_texts import format_rules
from isogloss.features.table.sidecar import MOSES_SCORES
from isogloss.features.table.write_blocks import format_blocks, write_blocks
from tests.tiers import examples


def shown(value: float) -> str:
    out = np.zeros(LONGEST_NUMBER + 4, np.uint8)
    size = write_number(value, out, 2)
    assert size <= 2 + LONGEST_NUMBER
    assert not out[size:].any()
    return out[2:size].tobytes().decode()


finite = st.floats(allow_nan=False, allow_infinity=False)


@examples(400)
@given(finite | st.floats(0.0, 1.0) | st.floats(-30.0, 30.0).map(lambda x: 10.0**x))
@example(5e-324)
@example(-2.2250738585072014e-308)
@example(1.7976931348623157e308)
@example(-0.0)
def test_numbers(value: float) -> None:
    assert shown(value) == f"{value:.6g}"


@examples(300)
@given(st.integers(100_000, 999_999), st.integers(0, 9), st.sampled_from([-1, 0, 1]))
def test_ties_and_their_neighbors(digits: int, shift: int, side: int) -> None:
    """Seven digits that end in 5, whose double is a tie or lies just beside it."""
    for value in ((digits + 0.5) / 10.0**shift, (digits + 0.5) * 10.0**shift):
        near = float(np.nextafter(value, value + side))
        assert shown(near) == f"{near:.6g}"


@examples(300)
@given(st.integers(0, (1 << 21) - 1), st.integers(0, 30))
def test_exact_binary_fractions(numerator: int, power: int) -> None:
    value = numerator / (1 << power)
    assert shown(value) == f"{value:.6g}"


def test_powers_of_ten_and_what_is_beside_them() -> None:
    for power in range(-323, 309):
        ten = float(f"1e{power}")
        for value in (ten, np.nextafter(ten, 0.0), np.nextafter(ten, np.inf), ten * 0.9999995):
            assert shown(value) == f"{value:.6g}"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "0"), (1.0, "1"), (999999.0, "999999"), (1e6, "1e+06"), (1234567.0, "1.23457e+06"),
        (999999.5, "1e+06"), (0.5, "0.5"), (0.0001, "0.0001"), (0.00001, "1e-05"),
        (0.1 + 0.2, "0.3"), (2.718281828459045, "2.71828"), (1e100, "1e+100"), (-1e-300, "-1e-300"),
        (0.1234565, "0.123456"), (1e-320, "9.99989e-321"), (123.456789e30, "1.23457e+32"),
    ],
)  # fmt: skip
def test_what_numbers_look_like(value: float, text: str) -> None:
    assert shown(value) == text == f"{value:.6g}"


@given(st.integers(-(10**17), 10**17))
def test_whole_numbers(number: int) -> None:
    out = np.zeros(24, np.uint8)
    assert out[: write_whole(number, out, 0)].tobytes().decode() == str(number)


word = st.text(
    st.characters(exclude_categories=["Cs", "Cc", "Zs", "Zl", "Zp"], exclude_characters="|"),
    min_size=1,
    max_size=24,
)
phrase_lists = st.lists(st.lists(word, min_size=1, max_size=4), min_size=1, max_size=5)
probability = st.floats(1e-9, 1.0) | st.sampled_from([1.0, 0.5, 1 / 3])
count = st.sampled_from([0.0, 1.0, 2.0, 0.25, 1234567.0]) | st.floats(0.0, 1e4)
feature_rows = st.lists(st.tuples(st.integers(0, 2), st.floats(-9, 9, width=32)), max_size=3)


@st.composite
def tables(draw: st.DrawFn) -> PhraseTable:
    source, target = draw(phrase_lists), draw(phrase_lists)
    sides = st.tuples(st.integers(0, len(source) - 1), st.integers(0, len(target) - 1))
    rules = sorted(draw(st.lists(sides, max_size=9)))
    n, columns = len(rules), draw(st.integers(1, 6))
    links = draw(st.lists(st.lists(st.integers(0, 65535), max_size=4), min_size=n, max_size=n))
    scores = draw(st.lists(probability, min_size=n * columns, max_size=n * columns))
    counts = draw(st.lists(count, min_size=3 * n, max_size=3 * n))
    sparse = draw(st.none() | st.lists(feature_rows, min_size=n, max_size=n))
    return PhraseTable(
        Corpus.from_sentences(source),
        Corpus.from_sentences(target),
        np.array([rule[0] for rule in rules], np.int32),
        np.array([rule[1] for rule in rules], np.int32),
        np.array(scores).reshape(n, columns),
        tuple(f"score.{k}" for k in range(columns)),
        Ragged.from_rows([(link, 1.0) for link in row] for row in links),
        np.array(counts).reshape(n, 3),
        Ragged.empty(n) if sparse is None else Ragged.from_rows(sparse),
        () if sparse is None else ("A_x", "dom_law", "B_é"),
    )


def text_of(table: PhraseTable) -> list[str]:
    return b"".join(format_blocks([table])).decode().split("\n")


@settings(max_examples=40, deadline=None)
@given(tables())
def test_lines_are_those_of_the_python_formatter(table: PhraseTable) -> None:
    assert text_of(table) == [*format_rules(table), ""]


@settings(max_examples=30, deadline=None)
@given(tables())
def test_reordering_lines(table: PhraseTable) -> None:
    source, target = phrase_texts(table.source), phrase_texts(table.target)
    formatter = RuleFormatter.of(table)
    lines = b"".join(formatter.reordering(table, table.scores)).decode()
    numbers = [" ".join(f"{x:.6g}" for x in row) for row in table.scores.tolist()]
    rules = zip(table.rule_source.tolist(), table.rule_target.tolist(), numbers, strict=True)
    assert lines == "".join(f"{source[f]} ||| {target[e]} ||| {row}\n" for f, e, row in rules)
    scores = np.linspace(0.0, 1.0, 3 * len(source)).reshape(-1, 3)
    lines = b"".join(formatter.reordering(table, scores, with_target=False)).decode()
    numbers = [" ".join(f"{x:.6g}" for x in row) for row in scores.tolist()]
    expected = zip(source, numbers, strict=True)
    assert lines == "".join(f"{phrase} ||| {row}\n" for phrase, row in expected)


def one_rule(source: list[str], target: list[str], links: list[int]) -> PhraseTable:
    zero = np.zeros(1, np.int32)
    return PhraseTable(
        Corpus.from_sentences([source]), Corpus.from_sentences([target]), zero, zero,
        np.array([[0.5, 0.25, 1.0, 1 / 3]]), MOSES_SCORES,
        Ragged.from_rows([[(link, 1.0) for link in links]]), np.array([[2.0, 1.0, 0.5]]),
        Ragged.empty(1), (),
    )  # fmt: skip


def test_more_numbers_than_are_remembered() -> None:
    rng = np.random.default_rng(5)
    few = rng.choice([0.0, -0.0, 1.0, -1.0, 0.5, 1e-300, np.pi], 3 * REMEMBERED)
    values = np.where(rng.random(3 * REMEMBERED) < 0.5, few, rng.normal(size=3 * REMEMBERED))
    table = one_rule(["a"], ["b"], [])
    lines = b"".join(RuleFormatter.of(table).reordering(
        replace(table, source=Corpus.from_sentences([["a"]] * REMEMBERED)),
        values.reshape(-1, 3), with_target=False,
    ))  # fmt: skip
    shown = [" ".join(f"{x:.6g}" for x in row) for row in values.reshape(-1, 3).tolist()]
    assert lines.decode().splitlines() == [f"a ||| {row}" for row in shown]


@pytest.mark.parametrize("length", [1, BLOCK - 1, BLOCK, BLOCK + 1, 3 * BLOCK, 1000])
def test_words_longer_than_a_block(length: int) -> None:
    long, other = "x" * length, "é" * length
    table = one_rule([long, "a", long], ["b", other], [0, 513])
    assert text_of(table) == [
        f"{long} a {long} ||| b {other} ||| 0.5 0.25 1 0.333333 ||| 0-0 2-1 ||| 2 1 0.5 ||| |||",
        "",
    ]


def test_no_link_and_no_count() -> None:
    table = one_rule(["a"], ["b"], [])
    assert text_of(table)[0] == "a ||| b ||| 0.5 0.25 1 0.333333 ||| ||| 2 1 0.5 ||| |||"
    bare = replace(table, counts=np.zeros((1, 3)))
    assert text_of(bare) == [*format_rules(bare), ""]


def test_the_longest_numbers_have_room() -> None:
    table = one_rule(["a"], ["b"], [65535] * 8)
    scores = np.full((1, 4), 1.23456e-300)
    widest = replace(table, scores=scores, counts=-scores[:, :3])
    score, count = "1.23456e-300", "-1.23456e-300"
    links = " ".join(["255-255"] * 8)
    assert text_of(widest)[0] == (
        f"a ||| b ||| {' '.join([score] * 4)} ||| {links} ||| {' '.join([count] * 3)} ||| |||"
    )


def test_a_score_of_zero_is_what_decoders_take_its_logarithm_for() -> None:
    table = replace(one_rule(["a"], ["b"], []), scores=np.array([[0.0, 1.0, 0.5, 0.0]]))
    assert text_of(table)[0] == "a ||| b ||| 3.72008e-44 1 0.5 3.72008e-44 ||| ||| 2 1 0.5 ||| |||"
    assert text_of(table) == [*format_rules(table), ""]


def test_a_score_below_zero() -> None:
    table = replace(one_rule(["a"], ["b"], []), scores=np.array([[0.5, 1.0, -0.5, 1.0]]))
    with pytest.raises(DataError, match=r"the score p\(e\|f\) of rule 1 is -0.5; expected scores"):
        text_of(table)


@pytest.mark.parametrize("format", [Cdec(), MosesFormat(SCALES["log"])])
def test_other_formats(format: TableFormat) -> None:
    table = one_rule(["a"], ["b"], [])
    lines = b"".join(format_blocks([table], format)).decode().splitlines()
    assert lines == list(format_rules(table, format))
    assert lines[0] != text_of(table)[0]


def test_blocks_of_other_vocabularies(tmp_path: Path) -> None:
    blocks = [one_rule(["a"], ["b"], []), one_rule(["c"], ["d", "e"], [])]
    assert write_blocks(blocks, tmp_path / "table") == 2
    sources = [line.split(" ||| ")[0] for line in (tmp_path / "table").read_text().splitlines()]
    assert sources == ["a", "c"]
    with pytest.raises(DataError, match="the source phrase 'a' follows 'c'; expected the order"):
        write_blocks(blocks[::-1], tmp_path / "table")
    assert write_blocks(blocks[::-1], tmp_path / "table", in_order=True) == 2


def test_parts_follow_each_other(monkeypatch: pytest.MonkeyPatch) -> None:
    table = one_rule(["a"], ["b"], [0])
    rows: NDArray[np.int32] = np.zeros(5, np.int32)
    many = replace(
        table, rule_source=rows, rule_target=rows, scores=np.arange(1.0, 21.0).reshape(5, 4),
        links=table.links.select(rows.astype(np.int64)), counts=np.arange(1.0, 16.0).reshape(5, 3),
        sparse=Ragged.empty(5),
    )  # fmt: skip
    whole = list(format_blocks([many]))
    monkeypatch.setattr("isogloss.features.table.rule_formatter._RULES", 2)
    parts = list(format_blocks([many]))
    assert [part.count(b"\n") for part in parts] == [2, 2, 1]
    assert len(whole) == 1
    assert b"".join(parts) == whole[0]
    assert whole[0].decode().split("\n") == [*format_rules(many), ""]
    room = "isogloss.features.table.rule_formatter._BYTES"
    monkeypatch.setattr(room, 16)  # which not a line fits in
    parts = list(format_blocks([many]))
    assert len(parts) > 2
    assert b"".join(parts) == whole[0]
