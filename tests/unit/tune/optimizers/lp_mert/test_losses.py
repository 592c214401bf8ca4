"""What LP-MERT minimizes: edits by error rates, with all features or few; the mean gain else."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from isogloss.tune.examples import Examples
from isogloss.tune.metrics.error_rates import Cer, Ter, Wer
from isogloss.tune.optimizers.lp_mert.losses import by_sentence
from isogloss.tune.optimizers.lp_mert.tune import LpMertOptions, LpMertResult, tune_lp_mert
from isogloss.tune.weights.weights import Weights
from tests.naive.error_rates import least_error_rate
from tests.naive.lp_mert import edit_examples, examples_of

RNG = np.random.default_rng(0)


def tune(examples: Examples, start: list[float], **options: object) -> LpMertResult:
    return tune_lp_mert(
        examples, Weights(examples.space, np.array(start)), LpMertOptions(**options), RNG
    )


@pytest.mark.parametrize("search", ["exact", "lazy", "beam"])
@pytest.mark.parametrize("metric", [Ter(), Wer(), Cer()], ids=lambda metric: metric.name)
def test_edits_count_and_not_rates_of_sentences(metric: Ter | Wer | Cer, search: str) -> None:
    """3 edits of 22 words (13.6) or 6 (27.3), whose rates by sentence are 0.1 + 0.5 and 0.3 + 0."""
    lists = [[[0.0], [1.0]], [[0.0], [1.0]]]
    examples = edit_examples(lists, [[6, 2], [0, 1]], [20, 2], metric)
    objective = {"objective": "sentence"} if search == "beam" else {}
    result = tune(examples, [-1.0], search=search, **objective)
    assert examples.best_score(result.weights) == pytest.approx(100.0 * 3 / 22, rel=1e-12)
    assert result.loss == 3.0


@settings(max_examples=40)
@given(st.integers(0, 10**6), st.sampled_from(["exact", "lazy"]))
def test_no_weights_have_a_lower_error_rate(seed: int, search: str) -> None:
    """Sentences of any length, some with more edits than words."""
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, 7, size=int(rng.integers(2, 5))).tolist()
    lists = [rng.integers(-4, 5, size=(size, 2)).astype(float).tolist() for size in sizes]
    lists = [[list(point) for point in dict.fromkeys(map(tuple, own))] for own in lists]
    words = rng.integers(1, 25, size=len(lists)).tolist()
    edits = [
        rng.integers(0, 2 * length, size=len(own)).tolist()
        for length, own in zip(words, lists, strict=True)
    ]
    examples = edit_examples(lists, edits, words, Ter())
    result = tune(examples, rng.normal(size=2).tolist(), search=search)
    points = [[(x, y) for x, y in own] for own in lists]
    least = least_error_rate(points, edits, words)
    assert result.exact
    assert examples.best_score(result.weights) == pytest.approx(least, rel=1e-12)


@settings(max_examples=30)
@given(st.integers(0, 10**6), st.sampled_from(["exact", "lazy"]))
def test_fixed_features_are_one(seed: int, search: str) -> None:
    """f0, and the score of all others: two features, in which every order is looked at."""
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, 7, size=3).tolist()
    lists = [rng.normal(size=(size, 4)).astype(np.float32).tolist() for size in sizes]
    edits = [rng.integers(0, 20, size=size).tolist() for size in sizes]
    examples = edit_examples(lists, edits, [9, 3, 14], Ter())
    start = rng.normal(size=4)
    start[3] = 0.0
    options = {"search": search, "tied": ("f1", "f2", "f3")}
    result = tune(examples, start.tolist(), **options)
    planar = [[(own[0], float(np.dot(own[1:], start[1:]))) for own in rows] for rows in lists]
    least = least_error_rate(planar, edits, [9, 3, 14])
    assert result.exact
    assert examples.best_score(result.weights) == pytest.approx(least, rel=1e-12)
    factors = result.weights.values[1:3] / start[1:3]
    assert factors[0] == pytest.approx(factors[1], rel=1e-9)
    assert result.weights.values[3] == 0.0
    turned = tune(examples, start.tolist(), **options, cosine=0.8)
    found = turned.weights.values
    reached = found @ start / np.linalg.norm(found) / np.linalg.norm(start)
    assert reached >= 0.8 - 1e-9
    assert turned.exact


@pytest.mark.parametrize("search", ["exact", "lazy"])
@pytest.mark.parametrize("cosine_method", ["exact", "heuristic"])
def test_where_no_feature_differs_there_is_no_angle(search: str, cosine_method: str) -> None:
    examples = examples_of([[[1.0, 2.0]], [[3.0, 4.0]]], [[1.0], [0.5]])
    result = tune(examples, [1.0, -1.0], search=search, cosine=0.8, cosine_method=cosine_method)
    assert result.weights.values.tolist() == [1.0, -1.0]
    assert result.exact


def test_fixed_features_without_weights_are_none() -> None:
    """And where all are fixed, only the factor's sign is left."""
    examples = examples_of([[[0.0, 1.0], [1.0, 0.0]]], [[0.0, 1.0]])
    result = tune(examples, [-1.0, 0.0], search="exact", tied=("f1",))
    assert result.weights.values.tolist() == [1.0, 0.0]
    result = tune(examples, [-1.0, 1.0], search="exact", tied=("f",))
    assert result.weights.values == pytest.approx([1.0, -1.0], rel=1e-12)


def test_what_is_said_of_fixed_features() -> None:
    """The second list wants f1 above 0, where f0 is; both are fixed with opposite signs."""
    lists = [[[0.0, 1.0], [0.0, 0.0]], [[1.0, 0.0], [0.0, 0.0]]]
    examples = examples_of(lists, [[1.0, 0.0], [1.0, 0.0]])
    options = {"search": "exact", "tied": ("f",)}
    result = tune(examples, [1.0, -1.0], **options)
    assert result.loss == 1.0
    said = "no weights with the weights of f in proportion have a smaller loss (1 - gain), except"
    assert result.note.startswith(said)
    near = tune(examples, [1.0, -1.0], **options, cosine=0.5)
    said = "no weights within a cosine of 0.5 of the initial weights and with the weights of f in"
    assert near.note.startswith(said)


def test_sentence_metric_is_the_mean_gain() -> None:
    gains = [0.1, 0.5, 0.2, 1.0], [0.1, 0.2, 0.6, 1.0]
    examples = by_sentence(examples_of([[[0.0], [2.0], [1.0], [0.5]]] * 2, [*map(list, gains)]))
    assert examples.score(np.array([1, 6])) == pytest.approx((0.5 + 0.6) / 2, rel=1e-12)
    assert examples.gains.tolist() == [*gains[0], *gains[1]]
