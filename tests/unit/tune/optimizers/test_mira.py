"""K-best MIRA against its slow twin, the compiled gains of BLEU, and hard inputs."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from isogloss.align.arrays.sparse_rows import Ragged
from isogloss.align.errors import DataError, UsageError
from isogloss.features.space import FeatureSpace
from isogloss.tune import TuningResult
from isogloss.tune.examples import Examples
from isogloss.tune.metrics.bleu import Bleu
from isogloss.tune.metrics.protocol import Metric
from isogloss.tune.nbest.types import NBest
from isogloss.tune.optimizers.kernels.mira import bleu_gains_in
from isogloss.tune.optimizers.mira import MiraOptions, tune_mira
from isogloss.tune.references import References
from isogloss.tune.results import Epoch
from isogloss.tune.weights.weights import Weights
from tests.naive.examples import bleu_rows, random_bleu_examples
from tests.naive.mira import Gain, Mira, cherry_foster_gain, chiang_gain, error_rate_gain
from tests.tiers import examples

Floats = NDArray[np.float64]
NAMES = FeatureSpace(["a", "b", "c", "d", "never"])


class AnyMetric:
    """BLEU, but by the way that is open to every metric."""

    name = "any"
    sign = 1
    num_statistics = 9

    def statistics(self, lists: NBest, references: References | None, *,
                   threads: int = 1) -> Floats:  # fmt: skip
        raise NotImplementedError

    def gains(self, statistics: Floats) -> Floats:
        raise NotImplementedError

    def score(self, sums: Floats) -> Floats:
        return Bleu().score(sums)

    def gains_in(self, background: Floats, statistics: Floats) -> Floats:
        return Bleu().gains_in(background, statistics)


class Errors(AnyMetric):
    """Errors per word, an error rate; statistics: errors, words."""

    sign = -1
    num_statistics = 2

    def score(self, sums: Floats) -> Floats:
        return np.asarray(100.0 * sums[..., 0] / sums[..., 1])

    def gains_in(self, background: Floats, statistics: Floats) -> Floats:
        sums = background + statistics
        return np.asarray(-sums[:, 0] / sums[:, 1] * background[1])


METRICS = [
    (Bleu(), cherry_foster_gain),
    (Bleu(document="chiang"), chiang_gain),
    (AnyMetric(), cherry_foster_gain),
    (Errors(), error_rate_gain),
]


def some_examples(seed: int, metric: Metric | None = None) -> Examples:
    """Thirty sentences, one to nine hypotheses each; a feature may stand twice in a row."""
    examples = random_bleu_examples(seed, metric or Bleu(), NAMES)
    if isinstance(metric, Errors):
        rng = np.random.default_rng(seed)
        num = len(examples.rows)
        statistics = np.stack([rng.integers(0, 5, num), rng.integers(5, 9, num)], 1)
        return replace(examples, statistics=statistics.astype(float))
    return examples


def tuned(examples: Examples, options: MiraOptions, seed: int = 3,
          start: Floats | None = None) -> TuningResult:  # fmt: skip
    if start is None:
        start = np.array([0.5, -0.2, 0.0, 0.1, 0.7])
    return tune_mira(examples, Weights(examples.space, start), options, np.random.default_rng(seed))


def rows_as_dicts(examples: Examples) -> list[dict[int, float]]:
    dense = examples.dense(np.arange(len(NAMES)))
    return [dict(enumerate(row)) for row in dense.tolist()]


def chance(examples: Examples) -> float:
    """The score of a choice at random, higher = better."""
    bounds = examples.sentence_offsets.tolist()
    means = [examples.statistics[a:b].mean(axis=0) for a, b in pairwise(bounds)]
    return examples.metric.sign * float(examples.metric.score(np.sum(means, axis=0)))


OPTIONS = [
    MiraOptions(epochs=4),
    MiraOptions(epochs=3, document_decay=0.999, background="hope"),
    MiraOptions(epochs=4, average=True),
    MiraOptions(epochs=3, average=True, c=10.0),
    MiraOptions(epochs=3, safe_hope=True, c=5.0, document_decay=0.5),
    MiraOptions(epochs=3, background="model", document_decay=0.9),
    MiraOptions(epochs=3, document_decay=0.0, average=True, background="model", safe_hope=True),
]


@pytest.mark.parametrize("options", OPTIONS, ids=str)
@pytest.mark.parametrize(("metric", "gain"), METRICS, ids=["bleu", "chiang", "any", "errors"])
def test_equals_the_slow_twin(metric: Metric, gain: Gain, options: MiraOptions) -> None:
    examples = some_examples(1, metric)
    rows, statistics = rows_as_dicts(examples), examples.statistics.tolist()
    chiang = gain is chiang_gain
    start = (0.01 if chiang else 1.0) * np.array([3.0, -2.0, 0.0, 1.0, 0.7])  # its gains are small
    decay = (
        options.document_decay if options.document_decay is not None else 0.9 if chiang else 0.999
    )
    model = chiang if options.background is None else options.background == "model"
    rng = np.random.default_rng(3)
    losses, visited = [0.0], [start]
    for c in (options.c, 0.1 * options.c, 0.01 * options.c, 0.001 * options.c):
        slow = Mira(start.tolist(), [1.0] * metric.num_statistics, gain, c, decay,
                    options.safe_hope, model, chiang)  # fmt: skip
        for _ in range(options.epochs):
            losses.append(0.0)
            for k in rng.permutation(len(examples)).tolist():
                part = slice(*examples.sentence_offsets[k : k + 2].tolist())
                losses[-1] += slow.sentence(rows[part], statistics[part])
            visited.append(np.array(slow.average() if options.average else slow.weights))
        scores = [examples.best_score(weights) for weights in visited]
        gained = max(metric.sign * np.array(scores)) > metric.sign * scores[0]
        reached = metric.sign * examples.best_score(np.array(slow.weights))
        if gained or not slow.visited or reached >= chance(examples):
            break
    result = tuned(examples, options, start=start)
    assert losses == pytest.approx([epoch.loss for epoch in result.epochs], rel=1e-9)
    assert sum(losses) > 0 or (chiang and decay == 0)  # whose document stays empty
    assert scores == pytest.approx([epoch.score for epoch in result.epochs], rel=1e-9)
    best = int(np.argmax(metric.sign * np.array(scores)))
    assert best == result.best_epoch
    np.testing.assert_allclose(visited[best], result.weights.values, rtol=1e-9, atol=1e-12)


def test_chiangs_document_takes_in_sentences_without_anything_to_learn() -> None:
    """b <- 0.9 (b + b(e^)) after each example, hope = fear or not; the first one gives b alone."""
    learned = two(np.array([[1.0, 0.0], [0.0, 2.0]]), good=1)
    alone = np.array([[9, 12, 7, 11, 4, 10, 2, 9, 14.0]])
    rows = Ragged.from_rows([[(0, 1.0)], [(0, 1.0)], [(1, 2.0)]])
    examples = Examples(
        np.arange(2), np.array([0, 1, 3]), rows, learned.space,
        np.concatenate([alone, learned.statistics]), Bleu(document="chiang"),
    )  # fmt: skip
    in_order = next(s for s in range(9) if not np.random.default_rng(s).permutation(2)[0])
    result = tuned(examples, MiraOptions(epochs=1, c=1e9), in_order, start=np.zeros(2))
    document = [0.9 * (1.0 + number) for number in alone[0].tolist()]
    worse, better = (chiang_gain(document, row) for row in learned.statistics.tolist())
    assert result.epochs[1].loss == pytest.approx(better - worse, rel=1e-9)


def test_background_matters() -> None:
    """Else the twin would prove nothing."""
    plain = MiraOptions(epochs=2, c=5.0)
    results = [tuned(some_examples(1), replace(plain, background=b)) for b in ("hope", "model")]
    assert results[0].epochs != results[1].epochs


@pytest.mark.parametrize("safe", [True, False])
def test_safe_hope_by_hand(safe: bool) -> None:
    """A model score of 100 hides a gain of 30 but where it is scaled down to 5 times its gain."""
    examples = two(np.array([[1.0, 0.0], [0.0, 2.0]]), good=1)
    totals = [30.0, 29.0, 28.0, 27.0]
    statistics = np.array([[0.0] * 9, [30.0] * 9])
    statistics[:, 1::2] = totals
    statistics[1, 0:8:2] = totals
    statistics[:, 8] = 30.0
    examples = replace(examples, statistics=statistics)
    options = MiraOptions(epochs=1, c=1e9, safe_hope=safe)
    result = tuned(examples, options, start=np.array([100.0, 0.0]))
    gains = examples.metric.gains_in(np.ones(9), statistics)
    loss = float(gains[1] - gains[0]) + 100.0
    assert result.epochs[1].loss == (pytest.approx(loss) if safe else 0.0)
    after = [100 - loss / 5, 2 * loss / 5]
    assert result.weights.values.tolist() == (pytest.approx(after) if safe else [100.0, 0.0])


@examples(100)
@given(st.integers(0, 10**6), st.sampled_from([0.0, 1e-3, 1.0, 50.0]))
def test_compiled_gains_are_those_of_the_metric(seed: int, size: float) -> None:
    rng = np.random.default_rng(seed)
    statistics = bleu_rows(rng, 20)
    statistics[0] = 0.0
    background = size * (bleu_rows(rng, 1)[0] + 1)
    gains = np.empty(20)
    bleu_gains_in(background, statistics, gains)
    np.testing.assert_allclose(
        Bleu().gains_in(background, statistics), gains, rtol=1e-12, atol=1e-12
    )


def two(features: Floats, good: int) -> Examples:
    """One sentence with two hypotheses; ``good`` is the better one."""
    statistics = np.array([[4, 5, 3, 4, 2, 3, 1, 2, 5]] * 2, float)
    statistics[good, ::2] = [5, 4, 3, 2, 5]
    rows = Ragged.from_rows(list(enumerate(row)) for row in features.tolist())
    space = FeatureSpace([f"f{k}" for k in range(features.shape[1])])
    return Examples(np.zeros(1, np.int64), np.array([0, 2]), rows, space, statistics, Bleu())


def test_a_step_by_hand() -> None:
    """C bounds the first; the second reaches the margin and there is none after it."""
    examples = two(np.array([[1.0, 0.0], [0.0, 2.0]]), good=1)
    gains = examples.metric.gains_in(np.ones(9), examples.statistics)
    margin = float(gains[1] - gains[0])
    assert margin > 0
    bounded = tuned(examples, MiraOptions(epochs=1, c=1e-3), start=np.zeros(2))
    assert bounded.weights.values.tolist() == pytest.approx([-1e-3, 2e-3])
    assert (bounded.best_epoch, bounded.epochs[0].score < bounded.epochs[1].score) == (1, True)
    reached = tuned(examples, MiraOptions(epochs=1, c=1.0), start=np.zeros(2))
    assert reached.weights.values.tolist() == pytest.approx([-margin / 5, 2 * margin / 5])
    assert reached.epochs[1].loss == pytest.approx(margin)


def test_the_start_is_kept_where_nothing_is_better() -> None:
    examples = two(np.array([[1.0, 0.0], [0.0, 2.0]]), good=1)
    start = np.array([-5.0, 5.0])
    result = tuned(examples, MiraOptions(), start=start)
    assert (result.best_epoch, result.weights.values.tolist()) == (0, [-5.0, 5.0])
    assert [0.0, 0.0] == [epoch.loss for epoch in result.epochs[:2]]
    assert 1 == len({epoch.score for epoch in result.epochs})
    assert 61 == len(result.epochs)


def test_where_no_step_is_made_less_c_is_not_tried() -> None:
    examples = two(np.array([[1.0, 0.0], [0.0, 0.0]]), good=1)
    result = tuned(examples, MiraOptions(epochs=3), start=np.array([1e9, 1.0]))
    assert [epoch.loss for epoch in result.epochs] == [0.0] * 4


def test_scores_far_apart_shrink_until_there_is_a_step() -> None:
    """The worse one leads by 500 times its loss, by 50, 5, 0.5 times: here the gain decides."""
    examples = two(np.array([[1.0, 0.0], [0.0, 0.0]]), good=1)
    gains = examples.metric.gains_in(np.ones(9), examples.statistics)
    gain = float(gains[1] - gains[0])
    result = tuned(examples, MiraOptions(epochs=4, c=1e9), start=np.array([500.0 * gain, 1.0]))
    losses = [epoch.loss for epoch in result.epochs]
    assert losses == [0.0, 0.0, 0.0, 0.0, pytest.approx(1.5 * gain)]
    assert result.best_epoch == 4
    assert result.weights.values.tolist() == [pytest.approx(-gain), pytest.approx(0.001)]


def test_where_nothing_is_gained_and_weights_are_worse_than_chance_c_is_a_tenth() -> None:
    """Three epochs are worse than the start, and the last than chance; the next three gain."""
    examples = some_examples(0)
    result = tuned(examples, MiraOptions(epochs=3, c=10.0), start=np.array([3.0, -2.0, 0, 1, 0.7]))
    start, *first = (epoch.score for epoch in result.epochs[:4])
    assert max(first) < start
    assert first[-1] < chance(examples)
    assert [epoch.number for epoch in result.epochs] == [*range(7)]
    assert result.best_epoch > 3
    assert examples.best_score(result.weights) > start + 5


@pytest.mark.parametrize(
    "features",
    [np.ones((2, 2)), np.zeros((2, 2))],
    ids=["constant features", "no feature"],
)
def test_equal_features_make_no_step(features: Floats) -> None:
    result = tuned(two(features, good=1), MiraOptions(epochs=3, average=True), start=np.ones(2))
    assert [1.0, 1.0] == result.weights.values.tolist()
    assert 1 == len({epoch.score for epoch in result.epochs})


def test_equal_hypotheses_and_single_ones_make_no_step() -> None:
    examples = some_examples(4)
    equal = replace(examples, statistics=np.repeat(examples.statistics[:1], len(examples.rows), 0))
    assert {0.0} == {epoch.loss for epoch in tuned(equal, MiraOptions(epochs=3)).epochs}
    single = two(np.eye(2), good=0)
    single = Examples(
        np.arange(2), np.arange(3), single.rows, single.space, single.statistics, Bleu()
    )
    result = tuned(single, MiraOptions(epochs=3), start=np.ones(2))
    assert [1.0, 1.0] == result.weights.values.tolist()


def test_features_that_never_occur_keep_their_weight() -> None:
    result = tuned(some_examples(1), MiraOptions(epochs=5))
    assert result.best_epoch > 0
    assert 0.7 == result.weights.values[4]


@pytest.mark.parametrize("average", [True, False])
def test_same_seed_same_bytes_and_nothing_modified(average: bool) -> None:
    examples, start = some_examples(2), np.array([0.5, -0.2, 0.0, 0.1, 0.7])
    kept = examples.statistics.copy(), examples.rows.values.copy(), start.copy()
    options = MiraOptions(epochs=6, average=average)
    results = [
        tune_mira(
            examples,
            Weights(examples.space, start),
            options,
            np.random.default_rng(seed),
            threads=threads,
        )
        for seed, threads in ((1, 1), (1, 3), (2, 1))
    ]
    assert results[0].weights.values.tobytes() == results[1].weights.values.tobytes()
    assert results[0].epochs == results[1].epochs
    assert results[0].epochs != results[2].epochs
    for before, after in zip(kept, (examples.statistics, examples.rows.values, start), strict=True):
        np.testing.assert_array_equal(before, after)


def test_held_out_sentences_choose_the_epoch() -> None:
    examples, other = some_examples(3), some_examples(11)
    told: list[Epoch] = []
    result = tune_mira(
        examples, Weights.zeros(examples.space), MiraOptions(epochs=20), np.random.default_rng(1),
        held_out=other, report=told.append,
    )  # fmt: skip
    assert tuple(told) == result.epochs
    held_out = [epoch.held_out for epoch in told]
    assert list(range(21)) == [epoch.number for epoch in told]
    ranks = [epoch.rank(1) for epoch in told]
    assert ranks.index(max(ranks)) == result.best_epoch > held_out.index(max(held_out))
    assert other.best_score(result.weights.values) == max(held_out)
    assert examples.best_score(result.weights.values) == told[result.best_epoch].score
    assert told[result.best_epoch].score < max(epoch.score for epoch in told)
    assert [epoch.active for epoch in told[:2]] == [0, 4]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"values": np.inf}, "features are not finite$"),
        ({"statistics": np.nan}, "statistics of bleu are not finite"),
    ],
)
def test_numbers_that_are_not_finite(change: dict[str, Floats], message: str) -> None:
    examples = some_examples(1)
    if "values" in change:
        rows = examples.rows
        examples = replace(examples, rows=replace(rows, values=rows.values * change["values"]))
    if "statistics" in change:
        examples = replace(examples, statistics=examples.statistics * change["statistics"])
    with pytest.raises(DataError, match=message), np.errstate(invalid="ignore"):
        tuned(examples, MiraOptions())


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"c": 0.0}, r"c must be above 0"),
        ({"c": 1e31}, r"c must be above 0 and at most 1e30"),
        ({"c": float("nan")}, r"c must be a finite number"),
        ({"c": float("inf")}, r"c must be a finite number"),
        ({"document_decay": -0.1}, r"document_decay must be between 0 and 1"),
        ({"document_decay": 1.1}, r"document_decay must be between 0 and 1"),
        ({"epochs": 0}, r"epochs must be between 1 and"),
        ({"background": "fear"}, r"background must be hope or model"),
    ],
)
def test_options_out_of_range(change: dict[str, object], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        replace(MiraOptions(), **change)
