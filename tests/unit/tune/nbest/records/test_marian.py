"""Lists of Marian with links before the features, and with a score for each token."""

from pathlib import Path

import pytest

from isogloss.align.errors import DataError
from isogloss.tune.nbest.types import NBest, read_nbest

PLAIN = "0 ||| the cat . ||| F0= -1.5 F1= -2 ||| -0.5\n0 ||| a ||| F0= -3 F1= -1 ||| -0.75\n"


def read(folder: Path, text: str) -> NBest:
    (folder / "list").write_text(text)
    return read_nbest([folder / "list"])


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("0-0 1-1 2-2", "0-0"),
        ("0.9,0.05,0.05 6e-05,0.9,0.1 0.1,0.1,0.8", "0.1,1.2e-3"),
        ("0-0 1-1 2-2", ""),
    ],
)
def test_links_before_the_features(tmp_path: Path, first: str, second: str) -> None:
    expected = read(tmp_path, PLAIN)
    text = PLAIN.replace(". ||| ", f". ||| {first} ||| ").replace("a ||| ", f"a ||| {second} ||| ")
    assert read(tmp_path, text) == expected


def test_an_empty_hypothesis_first(tmp_path: Path) -> None:
    found = read(tmp_path, "0 |||  |||  ||| F0= -1 ||| -1\n0 ||| a ||| 0-0 ||| F0= -2 ||| -2\n")
    assert list(found.texts) == ["", "a"]
    assert found.rows.values.tolist() == [-1, -2]


def test_scores_of_words_are_summed(tmp_path: Path) -> None:
    text = PLAIN.replace("F1= -2", "WordScores= -0.5 -0.25 -1").replace("F1= -1", "WordScores= -2")
    found = read(tmp_path, text)
    assert found.space.names == ("F0", "WordScores")
    assert found.rows.values.tolist() == [-1.5, -1.75, -3, -2]
    both = text.replace(". ||| ", ". ||| 0-0 1-1 ||| ").replace("a ||| ", "a ||| 0-0 ||| ")
    assert read(tmp_path, both) == found


def test_lines_that_cannot_be_read(tmp_path: Path) -> None:
    text = "0 ||| a ||| 0-0 ||| F0= -1 ||| -1\n0 ||| b ||| 0-0 ||| F0= x ||| -1\n"
    with pytest.raises(DataError, match="list, line 2: 'x' is not a number"):
        read(tmp_path, text)
    text = "0 ||| a ||| WordScores= -1 -2\n0 ||| b ||| WordScores= -1 -2-\n"
    with pytest.raises(DataError, match="list, line 2: '-2-' is not a number"):
        read(tmp_path, text)
    with pytest.raises(DataError, match=r"'W' has 1 value, but 2 .* a sum instead of a value per"):
        read(tmp_path, "0 ||| a ||| W= -1 -2\n0 ||| b ||| W= -1\n")
