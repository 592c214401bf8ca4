"""A bitext that is read several times, block after block."""

import warnings
from pathlib import Path

import numpy as np
import pytest

from isogloss.align.errors import DataError, DataWarning
from isogloss.align.text.pair_collector import PairSettings
from isogloss.align.text.readers import read_bitext
from isogloss.align.text.samples import streamed_bitext
from isogloss.align.text.samples.streamed_bitext import StreamedBitext


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(streamed_bitext, "PART", 4)
    monkeypatch.chdir(tmp_path)


def two_files(
    number: int = 10, settings: PairSettings | None = None, labels: list[str] | None = None
) -> StreamedBitext:
    Path("s").write_text("".join(f"a{k} b\n" for k in range(number)))
    Path("t").write_text("".join(f"x{k} y z\n" for k in range(number)))
    if labels is not None:
        Path("l").write_text("".join(f"{label}\n" for label in labels))
    return StreamedBitext("s", "t", settings or PairSettings(), None if labels is None else "l")


def test_the_parts_are_the_text() -> None:
    text = two_files(labels=["law", "-"] * 5)
    parts = [part for part in text.parts(10) if part is not None]
    assert [part.first for part in parts] == [0, 4, 8]
    whole = read_bitext("s", "t")
    assert [words for part in parts for words in part.bitext.source] == list(whole.source)
    assert [words for part in parts for words in part.bitext.target] == list(whole.target)
    assert [label for part in parts for label in part.labels] == ["law", "-"] * 5


def test_parts_are_passed_over() -> None:
    parts = list(two_files().parts(10, skipped=2))
    assert parts[:2] == [None, None]
    assert parts[2] is not None
    assert (parts[2].first, parts[2].bitext.source[0]) == (8, ["a8", "b"])


def test_pairs_with_labels_are_always_drawn() -> None:
    text = two_files(labels=["-", "law", "-", "-", "-", "-", "-", "-", "-", "law"])
    for seed in range(20):
        rows, count = text.draw(4, seed)
        assert count == 10
        assert len(rows) == 4
        assert {1, 9} <= set(rows.tolist())
    assert len({tuple(text.draw(4, seed)[0].tolist()) for seed in range(20)}) > 5


def test_required_pairs_are_always_drawn() -> None:
    text = two_files()
    for seed in range(20):
        rows, count = text.draw(4, seed, np.array([0, 4, 9]))
        assert (len(rows), count) == (4, 10)
        assert {0, 4, 9} <= set(rows.tolist())
    assert text.draw(2, 1, np.array([0, 4, 9]))[0].tolist() == [0, 4, 9]


@pytest.mark.parametrize("inside", ["column", "prop:d"])
def test_labels_beside_the_pairs(inside: str) -> None:
    if inside == "column":
        Path("b").write_text("".join(f"a{k}\tx\t{'law' if k == 5 else '-'}\n" for k in range(9)))
    else:
        lines = [f'{{"source": "a{k}", "target": "x", "d": "law"}}\n' for k in range(9)]
        lines = [
            line if k == 5 else line.replace(', "d": "law"', "") for k, line in enumerate(lines)
        ]
        Path("b").write_text("".join(lines))
    text = StreamedBitext("b", None, PairSettings(labels=inside))
    rows, _ = text.draw(3, 1)
    assert 5 in rows
    bitext, labels = text.select(rows, 9)
    assert bitext.source[rows.tolist().index(5)] == ["a5"]
    assert [label for label in labels if label != "-"] == ["law"]
    assert [label for part in text.parts(9) if part for label in part.labels].index("law") == 5


def test_pairs_that_nothing_is_learned_from_are_not_drawn() -> None:
    Path("s").write_text("a\n\n \na b c d\na\n")
    Path("t").write_text("x\nx\nx\nx\n\n")
    text = StreamedBitext("s", "t", PairSettings(max_length=3))
    assert text.draw(5, 1)[0].tolist() == [0]
    with pytest.warns(DataWarning) as told:
        parts = list(text.parts(5))
    messages = [str(warning.message) for warning in told]
    assert messages[0].startswith("s, t: 1 pair has more than 3 words on a side (first: line 4)")
    assert messages[1].startswith("s, t: 3 pairs have an empty side (first: line 2)")
    assert parts[0] is not None
    assert parts[0].bitext.source.lengths.tolist() == [1, 0, 0, 0]


def test_what_is_odd_is_told_once() -> None:
    text = two_files()
    Path("s").write_bytes(Path("s").read_bytes().replace(b"\n", b"\r\n"))
    with pytest.warns(DataWarning, match="the carriage return at the end of 10 lines was removed"):
        rows, _ = text.draw(3, 1)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        text.select(rows, 10)
        list(text.parts(10))


def test_a_text_that_changes_is_refused() -> None:
    text = two_files()
    message = "the text has 10 sentence pairs; expected 12 as when it was read before"
    with pytest.raises(DataError, match=message):
        text.select(np.arange(3), 12)
    with pytest.raises(DataError, match=message):
        list(text.parts(12))


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        (["law"] * 9, "there are fewer labels than pairs"),
        (["law"] * 11, "there are more labels than pairs"),
        (["law", "two words", *["-"] * 8], "the label 'two words' is malformed"),
    ],
)
def test_bad_labels(labels: list[str], message: str) -> None:
    with pytest.raises(DataError, match=message):
        two_files(labels=labels).draw(3, 1)


@pytest.mark.parametrize("rows", [range(0), range(3), range(3, 9), range(5, 6), range(10)])
def test_some_rows_only(rows: range) -> None:
    text = two_files()
    parts = [part for part in text.parts(10, rows=rows) if part is not None]
    found = [words[0] for part in parts for words in part.bitext.source]
    assert found == [f"a{row}" for row in rows]
    assert [part.first for part in parts][:1] == list(rows[:1])


def test_the_first_pairs_and_their_number() -> None:
    text = two_files()
    assert text.count() == 10
    assert list(text.head().source) == [["a0", "b"], ["a1", "b"], ["a2", "b"], ["a3", "b"]]


def test_units_of_a_tmx_are_told_as_units() -> None:
    unit = '<tu><tuv xml:lang="en"><seg>{}</seg></tuv><tuv xml:lang="es"><seg>x</seg></tuv></tu>'
    units = "".join(map(unit.format, ("a", "", "b")))
    Path("m.tmx").write_text(f'<tmx version="1.4"><header/><body>{units}</body></tmx>')
    text = StreamedBitext("m.tmx", None, PairSettings(languages=("en", "es")))
    with pytest.warns(DataWarning, match=r"1 pair has an empty side \(first: unit 2\)"):
        list(text.parts(3))


def test_what_the_files_are_is_told_once(tmp_path: Path) -> None:
    """When they are counted, before any part is read."""
    for name in ("s", "t"):
        (tmp_path / name).write_text("".join(f"{k}. the house is red\n" for k in range(9)))
    stream = StreamedBitext(tmp_path / "s", tmp_path / "t", PairSettings())
    with pytest.warns(DataWarning, match="the lines are numbered") as caught:
        num_pairs = stream.count()
    assert len(caught) == 2
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert len(stream.head()) > 0
        assert sum(len(part.bitext) for part in stream.parts(num_pairs) if part) == 9
