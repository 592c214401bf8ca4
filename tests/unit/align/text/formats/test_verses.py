"""Verses that are joined in a translation."""

from pathlib import Path

import pytest

from isogloss.align.errors import DataWarning, OptionError, UsageError
from isogloss.align.text.readers import iter_pairs


def joined(folder: Path, source: list[str], target: list[str]) -> list[tuple[str, str]]:
    for name, lines in (("s", source), ("t", target)):
        (folder / name).write_text("".join(f"{line}\n" for line in lines))
    found = list(iter_pairs(folder / "s", folder / "t", format="vref"))
    assert [pair.number for pair in found] == list(range(1, len(source) + 1))
    return [(pair.source, pair.target) for pair in found]


@pytest.mark.parametrize(
    ("source", "target", "expected"),
    [
        (["a", "b"], ["x", "y"], [("a", "x"), ("b", "y")]),
        (["a b", "<range>", "c"], ["x", "y", "z"], [("a b", "x y"), ("", ""), ("c", "z")]),
        (["a", "b", ""], ["x y", "<range>", "<range>"], [("a b", "x y"), ("", ""), ("", "")]),
        (["a b", "<range>", "c"], ["x", "y", "<range>"], [("a b c", "x y"), ("", ""), ("", "")]),
        (["a", "<range>"], ["x", "<range>"], [("a", "x"), ("", "")]),
        (["a", "<range>"], ["", ""], [("a", ""), ("", "")]),
        (["", "<range>", ""], ["x", "y", ""], [("", "x y"), ("", ""), ("", "")]),
        (["<range>", "b"], ["x", "y"], [("", "x"), ("b", "y")]),
        (["a", "< range >"], ["x", "y"], [("a", "x y"), ("", "")]),
        (["a", "&lt; range &gt;"], ["x", "y"], [("a", "x y"), ("", "")]),
        (["a", "a <range>"], ["x", "y"], [("a", "x"), ("a <range>", "y")]),
    ],
)  # fmt: skip
def test_ranges(
    tmp_path: Path, source: list[str], target: list[str], expected: list[tuple[str, str]]
) -> None:
    assert joined(tmp_path, source, target) == expected


@pytest.mark.filterwarnings("ignore:.*<range>")
def test_without_the_format_lines_stay(tmp_path: Path) -> None:
    joined(tmp_path, ["a", "<range>"], ["x", "y"])
    with pytest.warns(DataWarning, match=r"lines are <range>.* Pass --format vref"):
        pairs = list(iter_pairs(tmp_path / "s", tmp_path / "t"))
    assert [pair.source for pair in pairs] == ["a", "<range>"]


def test_the_format_needs_two_files(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="the format vref is one of two files; pass both transl"):
        list(iter_pairs(tmp_path / "s", format="vref"))
    with pytest.raises(UsageError, match="a bitext in two files has no other format; omit"):
        list(iter_pairs(tmp_path / "s", tmp_path / "t", format="tsv"))
    with pytest.raises(OptionError, match=r"format must be one of pairs, .*, vref"):
        list(iter_pairs(tmp_path / "s", format="x"))
