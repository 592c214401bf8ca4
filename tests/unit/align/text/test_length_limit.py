"""Pairs that are too long to be aligned: read as empty, counted, and named by their place."""

import warnings

import pytest

from isogloss.align import DataWarning, UsageError, read_bitext
from isogloss.align.text.length_limit import LengthLimit


def words(count: int) -> str:
    return " ".join(f"w{k}" for k in range(count))


@pytest.fixture
def files(tmp_path):
    """Five pairs: 2-2, 4-2, 2-0, 2-5, 3-3."""
    sides = {"a": (2, 4, 2, 2, 3), "b": (2, 2, 0, 5, 3)}
    for name, counts in sides.items():
        (tmp_path / name).write_text("".join(f"{words(count)}\n" for count in counts))
    return tmp_path / "a", tmp_path / "b"


def test_long_pairs_are_read_as_empty(files):
    with pytest.warns(DataWarning) as caught:
        bitext = read_bitext(*files, max_length=3)
    source, target = bitext.source.lengths.tolist(), bitext.target.lengths.tolist()
    assert (source, target) == ([2, 0, 2, 0, 3], [2, 0, 0, 0, 3])
    assert bitext.source.words(4) == ["w0", "w1", "w2"]
    assert "w3" not in bitext.source.vocabulary  # nothing is learned from it
    messages = [str(one.message) for one in caught]
    assert messages[0].startswith(
        f"{files[0]}, {files[1]}: 2 pairs have more than 3 words on a side (first: line 2); such "
        "pairs are treated as empty and get no links. Split long lines into "
        "sentences, or raise the limit (`max_length=...`"
    )
    assert "1 pair has an empty side (first: line 3)" in messages[1]


@pytest.mark.filterwarnings("ignore:.*an empty side:isogloss.align.DataWarning")
@pytest.mark.parametrize("limit", [0, 5])
def test_no_limit_or_a_higher_one(files, limit):
    bitext = read_bitext(*files, max_length=limit)
    assert bitext.source.lengths.tolist() == [2, 4, 2, 2, 3]
    assert bitext.target.lengths.tolist() == [2, 2, 0, 5, 3]


def test_units_are_numbered_as_in_the_file(tmp_path):
    """Those without one of the languages have no place in the bitext."""
    unit = "<tuv xml:lang='{}'><seg>{}</seg></tuv>"
    units = [
        unit.format("de", "x"),
        unit.format("en", words(4)) + unit.format("es", "x"),
        unit.format("en", "a") + unit.format("es", "x"),
    ]
    body = "".join(f"<tu>{one}</tu>" for one in units)
    (tmp_path / "x.tmx").write_text(
        f"<?xml version='1.0'?><tmx version='1.4'><header/><body>{body}</body></tmx>"
    )
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        bitext = read_bitext(tmp_path / "x.tmx", languages=("en", "es"), max_length=3)
    assert bitext.source.lengths.tolist() == [0, 1]
    assert any("x.tmx: 1 pair has more than 3 words on a side (first: unit 2)" in str(one.message)
               for one in caught)  # fmt: skip


def test_the_limit_counts_either_side():
    limit = LengthLimit(3)
    lengths = [(3, 3), (4, 1), (1, 4), (0, 9)]
    assert [limit.exceeded(*pair, 1) for pair in lengths] == [False, True, True, True]
    assert not LengthLimit(0).exceeded(1 << 16, 1 << 16, 1)
    assert LengthLimit(0).exceeded(1, (1 << 16) + 1, 1)


def test_a_limit_below_0():
    with pytest.raises(UsageError, match=r"max_length must be at least 0 \(0 = no limit\), got -1"):
        LengthLimit(-1)
