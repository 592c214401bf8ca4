"""N-best lists: any line, read as the slow twin reads it or refused as it refuses it."""

import json
import random
import warnings
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from isogloss.align.errors import DataError, DataWarning
from isogloss.tune.nbest.feature_names import NameTable
from isogloss.tune.nbest.lines import LineParser
from isogloss.tune.nbest.store import open_nbest, store_nbest
from isogloss.tune.nbest.types import NBest, read_nbest
from tests.naive import nbest as naive

DIGITS = st.text("0123456789", min_size=1, max_size=22)
NUMBERS = st.one_of(
    st.integers(-99, 99).map(str),
    st.floats(-1e30, 1e30, allow_nan=False).map(repr),
    st.floats(width=32, allow_nan=False, allow_infinity=False).map(repr),
    st.builds(
        "{}{}.{}{}".format,
        st.sampled_from(["", "-", "+"]), DIGITS, DIGITS,
        st.sampled_from(["", "e3", "E-7", "e+22", "e-40", "e-70"]),
    ),
)  # fmt: skip
DENSE = st.sampled_from(["LM", "TM", "TM.0", "TM.1", "W=", "é"])
SPARSE = st.sampled_from(["x_y", "x_=~=", "WT_1", "x_y.0"])
GROUPS = st.builds(
    lambda name, values: f"{name}= {' '.join(values)}",
    st.one_of(DENSE, SPARSE), st.lists(NUMBERS, min_size=1, max_size=3),
)  # fmt: skip
PAIRS = st.builds("{}={}".format, st.one_of(DENSE, SPARSE), NUMBERS)
FIELDS = st.lists(st.one_of(GROUPS, PAIRS), max_size=4).map(" ".join)
WORDS = st.sampled_from(["a", "b", "|||x", "x|||", "\u00a0", "", "\t", "ü", "||", "="])
TEXTS = st.lists(WORDS, max_size=3).map(" ".join)
LINES = st.builds("{} ||| {} ||| {} ||| 0".format, st.integers(0, 3), TEXTS, FIELDS)
NAMES = st.sampled_from(["a1", "utt-3", "1089-134686-0", "é_2"])
NAMED_LINES = st.builds("{} ||| {} ||| {} ||| 0".format, NAMES, TEXTS, FIELDS)
ODD = st.text(" |=01.e-\t_aé", max_size=12)


def read(lines: list[str], folder: Path) -> NBest:
    path = folder / "list"
    path.write_text("\n".join(lines) + "\n", newline="\n")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        return read_nbest([path])


def as_dictionary(lists: NBest) -> dict[int, list[tuple[str, naive.Features]]]:
    rows, names = lists.rows, lists.space.names
    result: dict[int, list[tuple[str, naive.Features]]] = {}
    for sentence in range(len(lists)):
        for k in lists.hypotheses(sentence):
            begin, end = rows.offsets[k], rows.offsets[k + 1]
            features = [(names[i], v) for i, v in zip(
                rows.ids[begin:end].tolist(), rows.values[begin:end].tolist(), strict=True
            )]  # fmt: skip
            result.setdefault(sentence, []).append((lists.texts[k], features))
    return result


def check(lines: list[str], folder: Path) -> None:
    try:
        names, expected = naive.read(lines)
    except naive.Wrong:
        with pytest.raises(DataError, match="line"):
            read(lines, folder)
        return
    lists = read(lines, folder)
    assert names == list(lists.space.names)
    assert expected == as_dictionary(lists)


@pytest.mark.parametrize("name", ["0", "a1"])
def test_a_text_that_looks_like_a_separator(tmp_path: Path, name: str) -> None:
    check([f"{name} ||| \t|||  ||| ||| x_y.0=1 ||| 0"], tmp_path)


@given(st.lists(LINES, min_size=1, max_size=8))
def test_lines_of_the_form(tmp_path_factory: pytest.TempPathFactory, lines: list[str]) -> None:
    check(lines, tmp_path_factory.mktemp("lists"))


@given(st.lists(NAMED_LINES, min_size=1, max_size=8))
def test_lines_with_names(tmp_path_factory: pytest.TempPathFactory, lines: list[str]) -> None:
    check(lines, tmp_path_factory.mktemp("lists"))


@given(st.lists(st.tuples(LINES | NAMED_LINES, ODD, st.integers(0, 40)), min_size=1, max_size=3))
def test_lines_with_something_odd(
    tmp_path_factory: pytest.TempPathFactory, lines: list[tuple[str, str, int]]
) -> None:
    check(
        [line[:position] + odd + line[position:] for line, odd, position in lines],
        tmp_path_factory.mktemp("lists"),
    )


@given(st.lists(NUMBERS.filter(lambda token: abs(float(token)) < 3.4e38), min_size=1, max_size=20))
def test_numbers(tokens: list[str]) -> None:
    line = "".join(f" x_{k}={token}" for k, token in enumerate(tokens))
    expected = [naive.single(token) for token in tokens]
    (rows,) = LineParser(NameTable()).parse(f"0 ||| |||{line}".encode(), 0)
    np.testing.assert_array_equal(np.array(expected, np.float32), rows.rows.values)


@given(
    st.lists(st.lists(LINES, min_size=1, max_size=8), min_size=1, max_size=3),
    st.sampled_from([1, 300, 1 << 20]),
)
def test_a_stored_list_is_the_list(
    tmp_path_factory: pytest.TempPathFactory, files: list[list[str]], max_memory: int
) -> None:
    folder = tmp_path_factory.mktemp("lists")
    paths = [folder / str(k) for k in range(len(files))]
    for path, lines in zip(paths, files, strict=True):
        path.write_text("\n".join(lines) + "\n", newline="\n")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        try:
            expected = read_nbest(paths)
        except DataError:
            return
        store_nbest(paths, folder / "stored", max_memory=max_memory)
    opened = open_nbest(folder / "stored", verify=True)
    assert expected.space.names == opened.space.names
    assert expected.texts == opened.texts
    assert expected.rows == opened.rows
    np.testing.assert_array_equal(expected.sentence_offsets, opened.sentence_offsets)


@given(
    st.integers(1, 6).flatmap(lambda n: st.permutations(range(n))),
    st.booleans(),
    st.integers(0, 3),
    st.sampled_from([1, 1 << 20]),
)
def test_records_in_any_order(
    tmp_path_factory: pytest.TempPathFactory,
    order: list[int],
    as_text: bool,
    more: int,
    max_memory: int,
) -> None:
    folder = tmp_path_factory.mktemp("lists")
    records = [
        {"id": str(k) if as_text else k, "src": f"s{k}", "hyps": [{"text": f"{k}"}] * (1 + k % 2)}
        for k in order
    ]
    path = folder / "list"
    path.write_text("".join(json.dumps(one) + "\n" for one in records))
    count = len(order) + more
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        lists = read_nbest([path], count if more else 0)
        store_nbest([path], folder / "stored", max_memory=max_memory)
        stored = open_nbest(folder / "stored", count if more else 0, verify=True)
    for one in (lists, stored):
        assert len(one) == count
        assert [str(k) for k in range(len(order))] == list(one.texts)
        assert [*(f"s{k}" for k in range(len(order))), *[""] * more] == list(one.sources or ())
        assert tuple(map(str, range(count))) == one.names


def test_names_beyond_the_first_room(tmp_path: Path) -> None:
    random.seed(1)
    lines = [
        f"{k} ||| x ||| {' '.join(f'g{random.randrange(10**6)}_= {j} {k}' for j in range(50))}"
        for k in range(200)
    ]
    check(lines, tmp_path)
