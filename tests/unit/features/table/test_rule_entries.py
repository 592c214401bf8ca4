"""What a table prints and gives rule by rule."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from isogloss.align.arrays.sparse_rows import Ragged
from isogloss.align.errors import UsageError
from isogloss.features.table.phrase_table import PhraseTable, RuleEntry
from isogloss.features.table.rules import select_rules

TEXT = """\
casa verde ||| green house ||| 0.5 0.25 1 0.125 ||| 1-0 0-1 ||| 2 1 1 ||| A_x 1 B_y 2.5 |||
casa ||| home ||| 0.5 0.25 0.25 0.125 ||| 0-0 ||| 2 4 1 ||| |||
casa ||| house ||| 0.5 0.25 0.5 0.333333333 ||| 0-0 ||| 4 4 2 ||| B_y 1 |||
casa ||| the house ||| 1 0.25 0.25 0.125 ||| 0-1 ||| 1 4 1 ||| |||
"""


@pytest.fixture
def table(tmp_path: Path) -> PhraseTable:
    (tmp_path / "table").write_text(TEXT)
    return PhraseTable.load(tmp_path / "table")


def test_a_table_prints_its_sizes_and_first_rules(table: PhraseTable) -> None:
    sizes = (
        "PhraseTable(4 rules, 2 source and 4 target phrases, "
        "scores p(f|e) lex(f|e) p(e|f) lex(e|f), 2 sparse features)"
    )
    assert repr(table) == (
        f"{sizes}:\n"
        "  casa verde ||| green house ||| 0.5 0.25 1 0.125 ||| A_x=1 B_y=2.5\n"
        "  casa ||| home ||| 0.5 0.25 0.25 0.125\n"
        "  casa ||| house ||| 0.5 0.25 0.5 0.333333 ||| B_y=1\n"
        "  ..."
    )


def test_a_small_table_prints_all_rules(table: PhraseTable) -> None:
    assert repr(select_rules(table, np.array([1]))) == (
        "PhraseTable(1 rule, 2 source and 4 target phrases, "
        "scores p(f|e) lex(f|e) p(e|f) lex(e|f), 2 sparse features):\n"
        "  casa ||| home ||| 0.5 0.25 0.25 0.125"
    )


def test_a_table_without_rules_prints_its_sizes(table: PhraseTable) -> None:
    assert repr(select_rules(table, np.arange(0))) == (
        "PhraseTable(0 rules, 2 source and 4 target phrases, "
        "scores p(f|e) lex(f|e) p(e|f) lex(e|f), 2 sparse features)"
    )


def test_many_scores_are_cut(table: PhraseTable) -> None:
    more = table.with_scores([f"s{k}" for k in range(5)], np.ones((4, 5)))
    assert "scores p(f|e) lex(f|e) p(e|f) lex(e|f) s0 s1 s2 s3 ..., 2 sparse" in repr(more)


def test_rules_by_number(table: PhraseTable) -> None:
    assert table[0] == RuleEntry(
        "casa verde",
        "green house",
        {"p(f|e)": 0.5, "lex(f|e)": 0.25, "p(e|f)": 1.0, "lex(e|f)": 0.125},
        {"A_x": 1.0, "B_y": 2.5},
        ((1, 0), (0, 1)),
        (2.0, 1.0, 1.0),
    )
    assert table[-1] == table[3]
    assert table[3].target == "the house"
    for number in (4, -5):
        with pytest.raises(
            IndexError, match=f"rule {number} is out of range: the table has 4 rules"
        ):
            table[number]


def test_rules_one_after_the_other(table: PhraseTable) -> None:
    assert [rule.target for rule in table] == ["green house", "home", "house", "the house"]


def test_a_feature_that_comes_twice_adds_up(table: PhraseTable) -> None:
    twice = Ragged.from_rows([[(0, 1.0), (0, 2.0)], [], [], []])
    assert replace(table, sparse=twice)[0].features == {"A_x": 3.0}


def test_as_a_table(table: PhraseTable) -> None:
    pytest.importorskip("pyarrow")
    pytest.importorskip("pandas")
    frame = table.to_pandas()
    names = [*table.score_names, "c(e)", "c(f)", "c(f,e)"]
    assert list(frame) == ["source", "target", *names, "features"]
    assert frame["source"].tolist() == ["casa verde", "casa", "casa", "casa"]
    assert frame["target"].tolist() == ["green house", "home", "house", "the house"]
    assert frame[list(table.score_names)].to_numpy().tolist() == table.scores.tolist()
    assert frame["c(f)"].tolist() == table.counts[:, 1].tolist()
    values = [{one["name"]: one["value"] for one in row} for row in frame["features"]]
    assert values == [rule.features for rule in table]
    assert (
        "features"
        not in replace(table, sparse=Ragged.empty(len(table)), sparse_names=()).to_pandas()
    )


def test_a_phrase_without_rules(table: PhraseTable) -> None:
    for kind in (KeyError, UsageError):
        with pytest.raises(kind, match=r"^the table has no rule for the source phrase 'x'$"):
            table["x"]
