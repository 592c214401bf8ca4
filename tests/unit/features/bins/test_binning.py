"""Uniform-population binning against examples worked by hand, and its files and errors."""

import gzip
import json
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from isogloss.align.arrays.sparse_rows import Ragged
from isogloss.align.errors import DataError, UsageError
from isogloss.align.text.corpus import Corpus
from isogloss.features.bins.binning import (
    Binning,
    BinSpec,
    bins_file,
)
from isogloss.features.bins.rule_use import RuleUse, read_rule_use
from isogloss.features.table.columns import as_written
from isogloss.features.table.phrase_table import PhraseTable
from isogloss.features.table.rules import select_rules
from isogloss.features.table.sidecar import columns_file


@pytest.fixture
def table() -> PhraseTable:
    words = Corpus.from_sentences([["a"], ["b"], ["c"], ["d"]])
    rules = np.arange(4, dtype=np.int32)
    return PhraseTable(
        words,
        words,
        rules,
        rules,
        np.array([[0.5, 9.0], [0.25, 8.0], [0.75, 7.0], [0.125, 6.0]]),
        ("p", "q"),
        Ragged.empty(4),
        np.array([[1.0, 1.0, 1.0], [9.0, 9.0, 0.0], [3.0, 3.0, 2.0], [5.0, 5.0, 5.0]]),
        Ragged.from_rows([[(0, 2.0)], [], [], [(0, 1.0)]]),
        ("A_x",),
    )


def test_a_score_becomes_indicators(table: PhraseTable) -> None:
    binning = Binning.fit([table], ["p:1"])
    result = binning.apply(table)
    assert [0.125, 0.5] == binning.bins[0].first.tolist()
    assert ("q",) == result.score_names
    assert [[9.0], [8.0], [7.0], [6.0]] == result.scores.tolist()
    assert ("A_x", "p_bin0:2", "p_bin1:2") == result.sparse_names
    assert [0, 2, 1, 2, 0, 1] == result.sparse.ids.tolist()
    assert [2.0, 1.0, 1.0, 1.0, 1.0, 1.0] == result.sparse.values.tolist()
    assert [0, 2, 3, 4, 6] == result.sparse.offsets.tolist()


def test_a_table_need_not_be_in_blocks(table: PhraseTable) -> None:
    assert Binning.fit(table, ["p:1"]) == Binning.fit([table], ["p:1"])


def test_bins_weigh_what_their_score_did(table: PhraseTable) -> None:
    """To the letter where each value has a bin of its own, else by the bin's median."""
    logs = np.log([0.125, 0.25, 0.5, 0.75])
    alone = Binning.fit([table], ["p:2", "q:1:keep"]).weights({"p": 2.0, "q": 3.0, "LM0": 4.0})
    np.testing.assert_allclose(list(alone.values()), 2.0 * logs)
    assert list(alone) == [f"p_bin{number}:4" for number in range(4)]
    pairs = Binning.fit([table], ["p:1"]).weights({"p": 2.0})
    np.testing.assert_allclose(list(pairs.values()), 2.0 * logs[[0, 2]])
    assert Binning.fit([table], ["p:2"]).weights({"q": 2.0}) == {}
    nothing = replace(table, scores=np.array([[0.0, 1.0], [0.5, 1.0], [0.0, 1.0], [0.5, 1.0]]))
    lowest = Binning.fit([nothing], ["p:1"]).weights({"p": 1.0})
    np.testing.assert_allclose(list(lowest.values()), [-100.0, np.log(0.5)])


@pytest.mark.parametrize("spec", ["p:2:extend=1", "p:2:overlap=1", "p:2:overlap=0,1"])
def test_windows_share_what_their_score_weighed(table: PhraseTable, spec: str) -> None:
    """What all of a value's features add, over all values, is what the score did."""
    binning = Binning.fit([table], [spec])
    weights = binning.weights({"p": 2.0})
    applied = binning.apply(table)
    added = [sum(weights.get(name, 0.0) for name in names) for names in names_by_rule(applied)]
    scores = 2.0 * np.log(table.scores[:, 0])
    assert sum(added) == pytest.approx(scores.sum())
    assert scores.min() <= min(added) < max(added) <= scores.max()


def test_a_score_may_stay_beside_its_indicators(table: PhraseTable) -> None:
    result = Binning.fit([table], ["p:1:keep"]).apply(table)
    assert ("p", "q") == result.score_names
    np.testing.assert_array_equal(table.scores, result.scores)
    assert ("A_x", "p_bin0:2", "p_bin1:2") == result.sparse_names


def names_by_rule(table: PhraseTable) -> list[list[str]]:
    bounds = table.sparse.offsets.tolist()
    return [
        [table.sparse_names[k] for k in table.sparse.ids[begin:end].tolist()]
        for begin, end in pairwise(bounds)
    ]


def test_windows_of_neighboring_bins(table: PhraseTable) -> None:
    """Four bins, windows of two: the ends fire one of them, the others two."""
    result = Binning.fit([table], ["p:2:overlap=0,1"]).apply(table)
    assert [
        ["A_x", "p_bin2:4", "p_bin1..2:4_overlap1", "p_bin2..3:4_overlap1"],
        ["p_bin1:4", "p_bin0..1:4_overlap1", "p_bin1..2:4_overlap1"],
        ["p_bin3:4", "p_bin2..3:4_overlap1"],
        ["A_x", "p_bin0:4", "p_bin0..1:4_overlap1"],
    ] == names_by_rule(result)


def test_bins_that_take_in_their_neighbors(table: PhraseTable) -> None:
    """Equation 8: a value fires its own bin and both neighbors."""
    result = Binning.fit([table], ["p:2:extend=1"]).apply(table)
    assert [
        ["A_x", "p_bin1:4_extend1", "p_bin2:4_extend1", "p_bin3:4_extend1"],
        ["p_bin0:4_extend1", "p_bin1:4_extend1", "p_bin2:4_extend1"],
        ["p_bin2:4_extend1", "p_bin3:4_extend1"],
        ["A_x", "p_bin0:4_extend1", "p_bin1:4_extend1"],
    ] == names_by_rule(result)


@pytest.mark.parametrize("spec", ["p:4:overlap=3", "p:4:extend=3", "p:4:overlap=9,7"])
def test_windows_of_all_bins_give_way_to_bins(table: PhraseTable, spec: str) -> None:
    """Four values only, so that a window of four or more bins would always fire."""
    names = Binning.fit([table], [spec]).feature_names
    assert ("p_bin0:4", "p_bin1:4", "p_bin2:4", "p_bin3:4") == names


def test_several_scores_at_once(table: PhraseTable) -> None:
    fitted = Binning.fit([table], ["q:1:keep", BinSpec("p", 1)])
    result = fitted.apply(table)
    assert ("q_bin0:2", "q_bin1:2", "p_bin0:2", "p_bin1:2") == fitted.feature_names
    assert ("q",) == result.score_names
    assert [
        ["A_x", "q_bin1:2", "p_bin1:2"],
        ["q_bin1:2", "p_bin0:2"],
        ["q_bin0:2", "p_bin1:2"],
        ["A_x", "q_bin0:2", "p_bin0:2"],
    ] == names_by_rule(result)


def test_blocks_are_as_good_as_the_table(table: PhraseTable) -> None:
    blocks = [select_rules(table, np.array(own, np.int64)) for own in ([0], [1, 2], [], [3])]
    whole, parts = Binning.fit([table], ["p:1"]), Binning.fit(iter(blocks), ["p:1"])
    assert whole.to_json() == parts.to_json()
    assert names_by_rule(whole.apply(table)) == [
        names for block in blocks for names in names_by_rule(parts.apply(block))
    ]


def test_bins_of_one_table_applied_to_another(table: PhraseTable) -> None:
    """Values outside the range seen go to the end bins, values between two bins to the lower."""
    fitted = Binning.fit([table], ["p:2"])
    other = select_rules(table, np.array([0, 1, 2]))
    other = other.with_scores(["x"], other.scores[:, :1])
    changed = PhraseTable(
        other.source, other.target, other.rule_source, other.rule_target,
        np.array([[0.0], [0.74], [1.0]]), ("p",), other.links, other.counts, other.sparse,
        other.sparse_names,
    )  # fmt: skip
    assert [["A_x", "p_bin0:4"], ["p_bin2:4"], ["p_bin3:4"]] == names_by_rule(fitted.apply(changed))


def test_population_of_tokens(table: PhraseTable) -> None:
    """Values 0.125, 0.5, 0.75 were used 5, 1, 2 times and 0.25 never: u = 8 / 2, then 3 / 1."""
    fitted = Binning.fit([table], ["p:1"], population="tokens")
    assert [[0.125, 0.5], [5.0, 3.0]] == [
        fitted.bins[0].first.tolist(),
        fitted.bins[0].population.tolist(),
    ]
    assert "tokens" == fitted.population
    # the rule that was never used has the bin below
    assert ["p_bin0:2"] == names_by_rule(fitted.apply(table))[1]


def test_population_given_from_outside(table: PhraseTable) -> None:
    """Values 0.125, 0.25 and 0.75, used 1, 1 and 3 times: u = 5 / 2, then 2 / 1."""
    use = RuleUse({"d ||| d": 1.0, "b ||| b": 1.0, "c ||| c": 3.0, "x ||| y": 7.0})
    fitted = Binning.fit([table], ["p:1"], population=use)
    assert [0.125, 0.75] == fitted.bins[0].first.tolist()
    assert "given" == fitted.population


@pytest.mark.parametrize("count", [-1.0, np.nan, np.inf])
def test_counts_that_are_none(table: PhraseTable, count: float) -> None:
    def population(block: PhraseTable) -> NDArray[np.float64]:
        return np.array([1.0, 0.0, count, count])

    message = rf"the count of the rule 'c \|\|\| c' is {count}; expected 0 or more"
    with pytest.raises(DataError, match=message):
        Binning.fit([table], ["p:1"], population=population)


def test_a_population_of_another_length(table: PhraseTable) -> None:
    with pytest.raises(ValueError, match="a population must return one weight per rule"):
        Binning.fit([table], ["p:1"], population=lambda block: np.ones(3))


def test_no_population(table: PhraseTable) -> None:
    none = select_rules(table, np.array([], np.int64))
    with pytest.raises(DataError, match="the phrase table is empty; expected at least one rule"):
        Binning.fit([none], ["p:1"])
    unused = select_rules(table, np.array([1]))
    message = r"no rule has a count above 0; expected c\(f, e\), the third count of each rule"
    with pytest.raises(DataError, match=message):
        Binning.fit([unused], ["p:1"], population="tokens")
    with pytest.raises(DataError, match="above 0; expected counts of rule use"):
        Binning.fit([table], ["p:1"], population=RuleUse({}))


def test_usage(table: PhraseTable) -> None:
    with pytest.raises(UsageError, match="score 'r'; the table has p, q"):
        Binning.fit([table], ["r:1"])
    with pytest.raises(UsageError, match="discretize must be NAME:BITS"):
        Binning.fit([table], ["p"])
    with pytest.raises(UsageError, match="the score 'p' is repeated; discretize each score once"):
        Binning.fit([table], ["p:1", "p:2"])
    with pytest.raises(UsageError, match="population must be rules, tokens or a function, got"):
        Binning.fit([table], ["p:1"], population="words")  # type: ignore[arg-type]
    fitted = Binning.fit([table], ["p:1:keep"])
    with pytest.raises(UsageError, match="the table already has p_bin0:2; discretize each score"):
        fitted.apply(fitted.apply(table))
    with pytest.raises(UsageError, match="score 'p'; the table has q"):
        fitted.apply(Binning.fit([table], ["p:2"]).apply(table))
    with pytest.raises(UsageError, match="score 'r'; this binning has p"):
        fitted.number("r")
    with pytest.raises(ValueError, match="bins for each specification"):
        Binning((BinSpec("p", 1),), ())


def test_rule_use_file(tmp_path: Path, table: PhraseTable) -> None:
    lines = ["d ||| d ||| 2", "a  |||  a  ||| 0.5", "d ||| d ||| 1e1"]
    (tmp_path / "use.gz").write_bytes(gzip.compress("\n".join(lines).encode()))
    use = read_rule_use(tmp_path / "use.gz")
    assert {"d ||| d": 12.0, "a ||| a": 0.5} == use.counts
    assert [0.5, 0.0, 0.0, 12.0] == use(table).tolist()


@pytest.mark.parametrize(
    "line", ["", "a ||| b", "a ||| b ||| c", "a ||| b ||| -1", "a ||| b ||| nan", "a ||| b ||| inf",
             "a ||| b ||| 1 ||| 2", " ||| b ||| 1"]
)  # fmt: skip
def test_bad_line_of_rule_use(tmp_path: Path, line: str) -> None:
    path = tmp_path / "use"
    path.write_text(f"a ||| a ||| 1\n{line}\n")
    with pytest.raises(
        DataError, match=rf"^{path}, line 2: the line '.*' is malformed; expected source"
    ):
        read_rule_use(path)


def test_bins_stand_beside_their_table() -> None:
    assert Path("x/table.bins.json") == bins_file("x/table.gz")
    assert Path("table.bins.json") == bins_file(Path("table"))
    assert columns_file("t.a.gz").name.removesuffix("columns.json") + "bins.json" == (
        bins_file("t.a.gz").name
    )


def test_file_of_bins(tmp_path: Path, table: PhraseTable) -> None:
    own = Binning.fit([table], ["p:1", "q:2:overlap=0,1:keep"], population="tokens")
    own.save(tmp_path / "bins.json")
    again = Binning.load(tmp_path / "bins.json")
    assert own.to_json() == again.to_json()
    assert names_by_rule(own.apply(table)) == names_by_rule(again.apply(table))
    again.save(tmp_path / "bins2.json")
    assert (tmp_path / "bins.json").read_bytes() == (tmp_path / "bins2.json").read_bytes()


def test_bins_are_those_of_the_table_as_it_is_written(table: PhraseTable) -> None:
    """e^3 is 20.0855 in its file, below what it was; and more digits than six say nothing."""
    scores = np.exp([[3.0, -41.3], [4.0, -45.1], [3.0000001, 700.0], [5.0, 0.0]])
    own = Binning.fit([replace(table, scores=scores)], ["p:2:keep", "q:2:keep"])
    assert own.bins[0].first.tolist() == [20.0855, 54.5982, 148.413]
    written = [[float(f"{score:.6g}") for score in rule] for rule in scores.tolist()]
    again = replace(table, scores=np.array(written))
    assert Binning.fit([again], ["p:2:keep", "q:2:keep"]).to_json() == own.to_json()
    tables = own.apply(replace(table, scores=scores)), own.apply(again)
    assert names_by_rule(tables[0]) == names_by_rule(tables[1])


@given(
    st.lists(
        st.one_of(
            st.floats(allow_nan=False, allow_infinity=False),
            st.floats(1e-8, 1.0),
            st.integers(1, 1999999).map(lambda number: number / 2e5),  # near ties
        )
    )
)
def test_numbers_as_they_are_written(values: list[float]) -> None:
    expected = [float(f"{value:.6g}") for value in values]
    assert as_written(np.array(values, np.float64)).tolist() == expected


def test_written_form(table: PhraseTable, capsys: pytest.CaptureFixture[str]) -> None:
    Binning.fit([table], ["p:1", "q:1:extend=0"]).save(None)
    text = capsys.readouterr().out
    assert text.splitlines()[:3] == [
        '{"format": "isogloss bins", "version": 1, "population": "rules", "scores": [',
        '{"name": "p", "bits": 1, "overlaps": [0], "extend": 0, "keep": false, '
        '"first": [0.125, 0.5], "median": [0.125, 0.5], "last": [0.25, 0.75], '
        '"population": [2.0, 2.0]},',
        '{"name": "q", "bits": 1, "overlaps": [0], "extend": 0, "keep": false, '
        '"first": [6.0, 8.0], "median": [6.0, 8.0], "last": [7.0, 9.0], '
        '"population": [2.0, 2.0]}',
    ]
    assert Binning.from_json(json.loads(text)).feature_names == (
        "p_bin0:2", "p_bin1:2", "q_bin0:2", "q_bin1:2"
    )  # fmt: skip


def test_no_score_at_all(tmp_path: Path, table: PhraseTable) -> None:
    own = Binning.fit([table], [])
    own.save(tmp_path / "bins.json")
    assert () == Binning.load(tmp_path / "bins.json").specs
    assert ("A_x",) == own.apply(table).sparse_names


SCORE = {
    "name": "p", "bits": 1, "overlaps": [0], "extend": 0, "keep": False, "first": [1.0, 2.0],
    "median": [1.0, 2.0], "last": [1.0, 2.0], "population": [1.0, 1.0],
}  # fmt: skip


RISING = [1.0, 2.0, 3.0]


def file_of(**changes: object) -> object:
    score = {key: value for key, value in (SCORE | changes).items() if value is not ...}
    return {"format": "isogloss bins", "version": 1, "population": "rules", "scores": [score]}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ([], "a list of 0; expected an object"),
        ({}, r"the key 'format' is missing"),
        ({"format": "x"}, "the format is 'x'"),
        ({"format": "isogloss bins"}, r"the key 'version' is"),
        ({"format": "isogloss bins", "version": 1}, r"the key"),
        (file_of(first=...), r"the key 'first' is missing in"),
        (file_of(first=[1.0]), r"each bin must have a first,"),
        (file_of(first=["x", "y"]), r"scores\[0\]\.first\[0\] is 'x'; expected a number"),
        (
            file_of(first=[1.0, float("nan")]),
            r"scores\[0\]\.first\[1\] is nan; expected a finite n",
        ),
        (file_of(last=[2.0, 3.0]), r"values must increase from"),
        (file_of(bits=17), r"p: bits must be"),
        (file_of(bits=1.0), r"scores\[0\]\.bits is 1.0; expected an integer"),
        (file_of(bits=True), r"scores\[0\]\.bits is True; expected an integer"),
        (file_of(keep=1), r"scores\[0\]\.keep is 1; expected true or false"),
        (file_of(name=7), r"scores\[0\]\.name is 7; expected a string"),
        (file_of(overlaps=["1"]), r"scores\[0\]\.overlaps\[0\] is '1'; expected an integer"),
        (file_of(overlaps=[]), r"p: overlap widths must be"),
        (
            file_of(first=RISING, median=RISING, last=RISING, population=RISING),
            "1 bits do not match 3 bins",
        ),
    ],
)
def test_files_that_hold_no_bins(tmp_path: Path, content: object, message: str) -> None:
    path = tmp_path / "bins.json"
    path.write_text(json.dumps(content))
    start = rf"^{path}: the JSON does not describe bins \(.*{message}.*\); expected "
    with pytest.raises(DataError, match=start):
        Binning.load(path)


def test_a_good_file(tmp_path: Path) -> None:
    (tmp_path / "bins.json").write_text(json.dumps(file_of()))
    assert ("p_bin0:2", "p_bin1:2") == Binning.load(tmp_path / "bins.json").feature_names


def test_files_of_another_kind(tmp_path: Path) -> None:
    path = tmp_path / "bins.json"
    path.write_text("no json")
    with pytest.raises(
        DataError, match=rf"^{path}: the JSON does not describe bins \(invalid JSON"
    ):
        Binning.load(path)
    path.write_text(json.dumps({"format": "isogloss bins", "version": 2}))
    message = rf"^{path}: the bins have version 2; expected version 1\. Learn the bins again"
    with pytest.raises(DataError, match=message):
        Binning.load(path)
    with pytest.raises(DataError, match=r"^the JSON does not .* \(the key 'format' is missing\)"):
        Binning.from_json({})
