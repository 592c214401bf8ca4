"""Symmetrized links of 3,000 real pairs are those of Moses's symal, line for line."""

from pathlib import Path

import pytest

from isogloss.align.links.links import format_links
from isogloss.align.links.symmetrize import symmetrize
from isogloss.align.text.readers import read_lines, read_links


@pytest.mark.parametrize(
    ("heuristic", "file"),
    [
        ("intersection", "links.intersect.gz"),
        ("union", "links.union.gz"),
        ("grow-diag", "links.symal.grow-diag.gz"),
        ("grow-diag-final", "links.symal.grow-diag-final.gz"),
        ("grow-diag-final-and", "links.symal.grow-diag-final-and.gz"),
    ],
)
def test_links_are_those_of_symal(shared_data: Path, heuristic: str, file: str) -> None:
    folder = shared_data / "moses-golden"
    forward, reverse = (read_links(folder / f"links.{way}.gz") for way in ("forward", "reverse"))
    expected = [sorted(line.split()) for line in read_lines(folder / file)]
    actual = list(format_links(symmetrize(forward, reverse, heuristic)))
    assert expected == [sorted(line.split()) for line in actual]
    assert len(actual) == 3000
