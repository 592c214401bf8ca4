"""Features and their counts."""

from pathlib import Path

import pytest

from isogloss.features.table.feature_list import FeatureList
from isogloss.features.table.stream import read_blocks

TEXT = """\
a ||| b ||| 1 0.5 ||| 0-0 ||| 1 1 1 ||| A_x 1 B_y 1 |||
a ||| c ||| 1 0.5 ||| 0-0 ||| 1 1 1 ||| A_x 1 |||
b ||| c ||| 1 0.5 ||| 0-0 ||| 1 1 1 ||| C_z 1 A_x 2 |||
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    (tmp_path / "table").write_text(TEXT)
    return tmp_path / "table"


def test_counts(path: Path) -> None:
    listed = FeatureList()
    blocks = list(listed.watch(read_blocks(path, rules=1)))
    assert [2, 1] == [len(block) for block in blocks]
    assert ["p(f|e)\t3", "lex(f|e)\t3", "A_x\t3", "B_y\t1", "C_z\t1"] == list(listed.lines())
    assert ["A_x", "B_y", "C_z"] == listed.sparse_names
    assert (3, "3") == (listed.num_rules, listed.shown_size)


def test_names_beyond_the_limit_are_counted_together(path: Path) -> None:
    listed = FeatureList(limit=2)
    list(listed.watch(read_blocks(path, rules=1)))
    assert ["A_x\t3", "B_y\t1", "(others)\t1"] == list(listed.lines())[2:]
    assert "more than 2" == listed.shown_size
