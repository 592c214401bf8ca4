"""Examples: selected, measured and scored block by block, in memory or in files."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from isogloss.align.arrays.sparse_rows import Ragged
from isogloss.align.errors import DataError, UsageError
from isogloss.align.files import scratch
from isogloss.align.files.scratch import Empty, ScratchArrays
from isogloss.features.space import FeatureSpace
from isogloss.tune import examples as module
from isogloss.tune.examples import Examples
from isogloss.tune.metrics.names import metric_named
from isogloss.tune.nbest.types import NBest
from isogloss.tune.optimizers import feature_differences as linear
from isogloss.tune.optimizers.feature_differences import FeatureDifferences
from isogloss.tune.references import References
from isogloss.tune.weights.weights import Weights
from tests.naive.examples import random_examples
from tests.naive.lists import build_nbest


@pytest.fixture(params=["memory", "files"])
def empty(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Empty:
    if request.param == "memory":
        return np.empty
    monkeypatch.setattr(scratch, "_LEAST", 1)
    return ScratchArrays(tmp_path)


def made(empty: Empty) -> Examples:
    return replace(random_examples(np.random.default_rng(1), 12, 4, 3), empty=empty)


def lists() -> tuple[NBest, References]:
    """Sentences with 0 to 4 hypotheses."""
    rng = np.random.default_rng(2)
    hypotheses = [
        [(" ".join(rng.choice(list("abc"), 4)), [("f", float(h))]) for h in range(k % 5)]
        for k in range(11)
    ]
    return build_nbest(hypotheses), References.from_texts([["a b c", "b c a a"]] * 11)


def test_selected_sentences(empty: Empty) -> None:
    examples = made(empty)
    selected = examples.select(np.array([7, 2, 3]))
    assert examples.sentences[[2, 3, 7]].tolist() == selected.sentences.tolist()
    rows = np.concatenate([np.array(examples.hypotheses(k)) for k in (2, 3, 7)])
    assert selected.rows == examples.rows.select(rows)
    np.testing.assert_array_equal(examples.statistics[rows], selected.statistics)
    np.testing.assert_array_equal(examples.gains[rows], selected.gains)
    if empty is not np.empty:
        for array in (
            selected.statistics,
            selected.gains,
            selected.rows.ids,
            selected.rows.values,
            selected.rows.offsets,
        ):
            assert isinstance(array.base, np.memmap)


def test_no_sentence_selected(empty: Empty) -> None:
    selected = made(empty).select(np.zeros(0, np.int64))
    assert 0 == len(selected)
    assert (0, 0) == (len(selected.rows), len(selected.statistics))


def test_another_space(empty: Empty) -> None:
    examples = made(empty)
    kept = examples.space.names[2]
    other = examples.to_space(FeatureSpace(["new", kept]))
    np.testing.assert_array_equal(
        examples.dense(np.array([2]))[:, 0], other.dense(np.array([0, 1]))[:, 1]
    )
    assert {1} == set(other.rows.ids.tolist())
    assert not other.dense(np.array([0])).any()


def test_features_that_keep_their_weights(empty: Empty) -> None:
    """Scores are those over a space that holds them all, also of some sentences, and renumbered."""
    examples, rng = made(empty), np.random.default_rng(4)
    names = ["F0", "F1", "F2", "A_1", "A_2", "A_3"]
    rows = Ragged.from_rows(
        [(k, float(rng.normal())) for k in rng.choice(6, 4, replace=False)] for _ in examples.gains
    )
    everything = replace(examples, rows=rows, space=FeatureSpace(names))
    start = Weights.from_dict({"F2": 9.0, "A_1": 0.5, "A_2": 0.0, "A_3": -2.0, "far_off": 1.0})
    learned = Weights.from_dict({"F2": 0.3, "F0": -1.0, "A_2": 0.7})
    whole = Weights.from_dict({**dict(learned.items()), "A_1": 0.5, "A_3": -2.0})
    part = everything.to_space(FeatureSpace(["F2", "F0", "A_2"]), start)
    assert sorted(part.kept.tolist()) == [-2.0, 0.5]
    values = learned.to_space(part.space).values
    np.testing.assert_allclose(part.scores(values), everything.scores(whole), rtol=1e-12)
    scaled = part.scores(0.1 * values, 0.1)
    np.testing.assert_allclose(scaled, 0.1 * everything.scores(whole), rtol=1e-12)
    assert part.best_score(0.1 * values, 0.1) == everything.best_score(whole)
    np.testing.assert_array_equal(part.dense(np.array([1])), everything.dense(np.array([0])))
    chosen = np.array([1, 4, 5])
    assert part.best_score(learned) == everything.best_score(whole)
    assert part.select(chosen).best_score(learned) == everything.select(chosen).best_score(whole)
    again = part.to_space(FeatureSpace(["new", "F0", "F2", "A_2"]))
    np.testing.assert_allclose(again.scores(learned), part.scores(learned), rtol=1e-12)
    assert part.to_space(part.space, start) is part


@pytest.mark.parametrize("block", [1, 5, 1000])
def test_blocks_change_nothing(block: int, empty: Empty, monkeypatch: pytest.MonkeyPatch) -> None:
    examples = made(np.empty)
    weights = np.array([1.0, -1.0, 0.5])
    scores = examples.scores(weights)
    best = [max(examples.hypotheses(k), key=lambda h: scores[h]) for k in range(len(examples))]
    dense, gains = examples.dense(np.array([2, 0])), examples.metric.gains(examples.statistics)
    monkeypatch.setattr(module, "_BLOCK", block)
    again = made(empty)
    assert best == again.best(weights).tolist()
    np.testing.assert_array_equal(gains, again.gains)
    np.testing.assert_array_equal(dense, again.dense(np.array([2, 0])))


@pytest.mark.parametrize("metric", ["bleu", "chrf++", "column:f"])
def test_lists_measured_in_blocks(
    metric: str, empty: Empty, monkeypatch: pytest.MonkeyPatch
) -> None:
    given, references = lists()
    expected = metric_named(metric).statistics(given, references)
    monkeypatch.setattr(module, "_BLOCK", 6)
    inside = replace(given, references=references)
    for examples in (
        Examples.from_nbest(given, references, metric_named(metric), threads=2, empty=empty),
        Examples.from_nbest(inside, None, metric_named(metric), empty=empty),
    ):
        np.testing.assert_array_equal(expected, examples.statistics)
        assert [1, 2, 3, 4, 6, 7, 8, 9] == examples.sentences.tolist()


def test_references_of_other_sentences() -> None:
    given, references = lists()
    fewer = references.select(np.arange(10))
    for nbest, references in ((given, fewer), (replace(given, references=fewer), None)):
        with pytest.raises(DataError, match="references for 10 sentences; expected 11, as in the"):
            Examples.from_nbest(nbest, references, metric_named("bleu"))


def test_a_part_of_lists() -> None:
    given, references = lists()
    sources = references.texts.select(np.arange(11))
    given = replace(given, references=references, sources=sources, columns={"c": np.arange(20.0)})
    part = given.part(3, 8)
    assert ["3", "4", "5", "6", "7"] == list(part.names or ())
    assert [0, 3, 7, 7, 8, 10] == part.sentence_offsets.tolist()
    assert list(given.texts)[3:13] == list(part.texts)
    assert np.shares_memory(part.texts.content, given.texts.content)
    assert part.rows == given.rows.part(3, 13)
    assert list(range(3, 13)) == part.columns["c"].tolist()
    assert part.references is not None
    assert references.of(7) == part.references.of(4)
    assert list(sources)[3:8] == list(part.sources or ())
    named = replace(given, names=tuple("abcdefghijk")).part(9, 11)
    assert ("j", "k") == named.names


def test_differences_taken_in_blocks(empty: Empty, monkeypatch: pytest.MonkeyPatch) -> None:
    examples = made(empty)
    rng = np.random.default_rng(3)
    pairs = rng.integers(0, len(examples.rows), (30, 2))
    pairs[:4, 1] = pairs[:4, 0]
    whole = FeatureDifferences.of_pairs(examples.rows, pairs, 3)
    monkeypatch.setattr(linear, "_BLOCK", 3)
    again = FeatureDifferences.of_pairs(examples.rows, pairs, 3, empty)
    for name, value in vars(whole).items():
        np.testing.assert_array_equal(value, getattr(again, name))
    dense = examples.dense(whole.ids.astype(np.int64))
    assert whole.matrix is not None
    np.testing.assert_array_equal(
        (dense[pairs[:, 0]] - dense[pairs[:, 1]]).astype(np.float32), whole.matrix
    )


def test_weights_of_another_number_are_told(empty: Empty) -> None:
    examples = made(empty)
    message = f"a vector of {len(examples.space)} values, one per feature, or Weights, got 2 values"
    for ask in (examples.scores, examples.best, examples.best_score):
        with pytest.raises(UsageError, match=message):
            ask(np.zeros(2))
        with pytest.raises(UsageError, match=r"or Weights, got an array of shape \(1, \d+\)"):
            ask(np.zeros((1, len(examples.space))))
