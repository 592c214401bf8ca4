"""Lazy online updates equal eager ones at every read of the weights."""

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from isogloss.align.errors import UsageError
from isogloss.features.space import FeatureSpace, bin_feature_name
from isogloss.tune.online.learner import OnlineLearner
from isogloss.tune.online.losses import Gradient
from isogloss.tune.online.options import ONLINE_OPTIMIZERS, OnlineOptions
from isogloss.tune.weights.weights import Weights
from tests.naive.adagrad import EagerUpdates
from tests.naive.regularizers import linear_penalty, monotone_penalty
from tests.tiers import examples

SPACE = FeatureSpace(["a", "b", "c", "s_1", "s_2"])
SIZE = len(SPACE)
slopes = st.floats(-3, 3, allow_subnormal=False).map(lambda x: round(x, 3))
gradients = st.dictionaries(st.integers(0, SIZE - 1), slopes.filter(bool), max_size=3)
close = {"rtol": 1e-9, "atol": 1e-9}


def gradient_of(values: dict[int, float], counts: dict[int, int] | None = None) -> Gradient:
    ids = np.array(sorted(values), np.int32)
    return Gradient(
        ids,
        np.array([values[j] for j in ids.tolist()], np.float64),
        np.array([(counts or {}).get(j, 1) for j in ids.tolist()], np.int64),
        0.0,
    )


def eager_twin(start: list[float], options: OnlineOptions) -> EagerUpdates:
    return EagerUpdates(
        start, options.rate, options.lambdas(SPACE).tolist(), rule=options.update,
        decay=options.decay, precision=options.initial_precision, l2=options.l2,
        factors=options.rates(SPACE).tolist(),
    )  # fmt: skip


@examples(150)
@given(
    st.lists(slopes, min_size=SIZE, max_size=SIZE),
    st.lists(st.tuples(gradients, st.sets(st.integers(0, SIZE - 1))), max_size=30),
    st.builds(
        OnlineOptions,
        update=st.sampled_from(["adagrad", "sgd", "arow"]),
        rate=st.sampled_from([0.02, 0.5]),
        decay=st.sampled_from([0.0, 0.1]),
        initial_precision=st.sampled_from([0.0, 1.0]),
        l1=st.sampled_from([0.0, 0.01, 0.1, 1.0]),
        l2=st.sampled_from([0.0, 0.1, 2.0]),
        fixed=st.sampled_from([(), ("b",)]),
        group_l1=st.sampled_from([(), ("s_=0.3",)]),
        group_rate=st.sampled_from([(), ("s_=0.2", "s_1=0.7")]),
    ),
)
def test_lazy_weights_equal_eager_ones_at_every_read(
    start: list[float],
    steps: list[tuple[dict[int, float], set[int]]],
    options: OnlineOptions,
) -> None:
    eager, lazy = (
        eager_twin(start, options),
        OnlineLearner(SPACE, Weights(SPACE, np.array(start)), options),
    )
    for gradient, read in steps:
        eager.step(gradient)
        lazy.update(gradient_of(gradient))
        ids = np.array(sorted(read), np.int32)
        np.testing.assert_allclose(lazy.read(ids), np.array(eager.weights)[ids], **close)
    np.testing.assert_allclose(lazy.settled(), eager.weights, **close)
    assert lazy.settled()[1] == start[1] or not options.fixed


@settings(max_examples=60, deadline=None)
@given(
    st.lists(slopes, min_size=SIZE, max_size=SIZE),
    st.lists(st.tuples(gradients, st.sets(st.integers(0, SIZE - 1))), max_size=8),
    st.sampled_from([(0.0, 0.0), (0.4, 0.0), (0.0, 0.5), (0.4, 0.5)]),
    st.sampled_from(["adagrad", "sgd"]),
    st.sampled_from([0.0, 0.3]),
)
def test_lazy_averages_equal_eager_ones(
    start: list[float],
    steps: list[tuple[dict[int, float], set[int]]],
    shrinkage: tuple[float, float],
    update: str,
    decay: float,
) -> None:
    options = OnlineOptions(
        rate=0.5, l1=shrinkage[0], l2=shrinkage[1], update=update, decay=decay, average=True
    )
    eager, lazy = (
        eager_twin(start, options),
        OnlineLearner(SPACE, Weights(SPACE, np.array(start)), options),
    )
    assert start == lazy.result().tolist()
    for gradient, read in steps:
        eager.step(gradient)
        lazy.update(gradient_of(gradient))
        lazy.read(np.array(sorted(read), np.int32))
        np.testing.assert_allclose(lazy.result(), eager.averages(), rtol=1e-4, atol=1e-4)
    np.testing.assert_allclose(lazy.settled(), eager.weights, **close)


def pull_of_neighbors(
    weights: list[float], chain: Sequence[int], penalty: Callable[[list[float]], float]
) -> dict[int, float]:
    """The gradient of a penalty of some weights, by differences."""
    values, width, slopes = [weights[j] for j in chain], 1e-5, {}
    for place, feature in enumerate(chain):
        sides = []
        for step in (width, -width):
            moved = values.copy()
            moved[place] += step
            sides.append(penalty(moved))
        slopes[feature] = (sides[0] - sides[1]) / (2 * width)
    return slopes


@pytest.mark.parametrize("update", ["sgd", "adagrad", "arow"])
@pytest.mark.parametrize("kind", ["linear", "monotone"])
def test_each_step_has_the_gradient_of_the_neighbors(kind: str, update: str) -> None:
    """Clark et al. (2014) in online learning: of all bins, those without a gradient, too.

    A bin shrinks from its first gradient on, not before.
    """
    space = FeatureSpace(["a", *(bin_feature_name("p", number, 5) for number in range(5)), "s_1"])
    options = OnlineOptions(
        rate=0.1,
        l1=0.05,
        update=update,
        initial_precision=1.0,
        bin_regularizer=kind,
        bin_strength=0.7,
        bin_sharpness=1.5,
    )  # with precision, in which rounding does not grow
    rng = np.random.default_rng(5)
    start = rng.normal(size=len(space))
    lazy = OnlineLearner(space, Weights(space, start.copy()), options)
    shrinks = [0.05, *[0.0] * 5, 0.05]
    eager = EagerUpdates(start.tolist(), 0.1, shrinks, rule=update, precision=1.0)

    def penalty(values: list[float]) -> float:
        if kind == "linear":
            return linear_penalty(values, 0.7)
        return monotone_penalty(values, 0.7, 1.5)

    for _ in range(12):
        met = rng.choice([0, 1, 2, 5, 6], 3, replace=False).tolist()  # bins 2 and 3 have none
        gradient = dict(zip(met, rng.normal(size=3).tolist(), strict=True))
        whole = pull_of_neighbors(eager.weights, range(1, 6), penalty)
        for feature, slope in gradient.items():
            whole[feature] = whole.get(feature, 0.0) + slope
            shrinks[feature] = 0.05
        eager.step(whole)
        lazy.update(gradient_of({**gradient, 3: 0.0, 4: 0.0}))  # met, but equal on both sides
    np.testing.assert_allclose(lazy.settled(), eager.weights, rtol=1e-6, atol=1e-6)
    assert np.abs(lazy.settled()[3:5] - start[3:5]).min() > 1e-3


def test_average_of_unshrunk_weights_is_the_mean_over_steps() -> None:
    lazy = OnlineLearner(
        SPACE, Weights.zeros(SPACE), OnlineOptions(update="sgd", l1=0.0, average=True)
    )
    seen = []
    for slope in (1.0, -2.0, 0.5):
        lazy.update(gradient_of({0: slope}))
        seen.append(lazy.settled()[0])
    assert np.mean(seen) == pytest.approx(lazy.result()[0], rel=1e-12)


def test_steps_by_hand() -> None:
    learner = OnlineLearner(SPACE, Weights.zeros(SPACE), OnlineOptions(rate=0.5, l1=0.2))
    learner.update(gradient_of({0: -2.0}))  # G = 4, speed 0.25: 0.5 - 0.05
    assert learner.settled()[0] == pytest.approx(0.45)
    for _ in range(4):
        learner.update(gradient_of({}))  # four shares of 0.05
    assert learner.settled()[0] == pytest.approx(0.25)
    for _ in range(9):
        learner.update(gradient_of({}))
    assert [0.0] * SIZE == learner.settled().tolist()  # at zero it stays


def test_linearised_arow_by_hand() -> None:
    options = OnlineOptions(update="arow", rate=0.5, l1=0.0, initial_precision=1.0)
    learner = OnlineLearner(SPACE, Weights.zeros(SPACE), options)
    learner.update(gradient_of({0: -2.0}))
    learner.update(gradient_of({0: 1.0}))
    assert 0.5 * 2 / 5 - 0.5 / 6 == pytest.approx(learner.settled()[0], rel=1e-12)


def test_phrasals_decay_by_hand() -> None:
    options = OnlineOptions(update="sgd", rate=0.5, l1=0.0, decay=0.1)
    learner = OnlineLearner(SPACE, Weights.zeros(SPACE), options)
    for _ in range(3):
        learner.update(gradient_of({0: -2.0}))
    assert 1 + 1 / 1.1 + 1 / 1.2 == pytest.approx(learner.settled()[0], rel=1e-12)


def test_a_feature_is_learned_when_enough_sentences_of_an_epoch_had_it() -> None:
    learner = OnlineLearner(SPACE, Weights.zeros(SPACE), OnlineOptions(min_feature_count=3))

    def moved() -> list[int]:
        return np.flatnonzero(learner.settled()).tolist()

    learner.begin_epoch()
    learner.update(gradient_of({0: 1.0, 1: 1.0}, {0: 3, 1: 2}))
    assert [0] == moved()
    learner.begin_epoch()  # the same sentences again
    learner.update(gradient_of({0: 1.0, 1: 1.0}, {0: 3, 1: 2}))
    assert [0] == moved()
    learner.update(gradient_of({1: 1.0}, {1: 1}))
    assert [0, 1] == moved()


def test_the_longest_prefix_counts() -> None:
    options = OnlineOptions(
        rate=0.1, group_rate=("s_1=0.4", "s_=0.2"), group_l1=("s_=0",), fixed=("c",)
    )
    np.testing.assert_allclose(options.rates(SPACE), [1, 1, 0, 4, 2])
    np.testing.assert_allclose(options.lambdas(SPACE), [0.1, 0.1, 0.1, 0, 0])


def test_fixed_features_keep_their_weight() -> None:
    start = np.full(SIZE, 0.3)
    learner = OnlineLearner(
        SPACE, Weights(SPACE, start), OnlineOptions(l1=1.0, l2=1.0, average=True, fixed=("s_", "a"))
    )
    for slope in (1.0, -2.0, 0.0, 5.0):
        learner.update(gradient_of(dict.fromkeys(range(SIZE), slope)))
    for weights in (learner.settled(), learner.result()):
        assert [True, False, False, True, True] == (weights == 0.3).tolist()
    assert [0.3] * SIZE == start.tolist()  # the start is copied


def test_untouched_features_keep_their_weight() -> None:
    start = np.array([0.3, 0.2, -0.1, 0.5, 0.0])
    learner = OnlineLearner(
        SPACE, Weights(SPACE, start), OnlineOptions(l1=1.0, l2=1.0, update="sgd")
    )
    learner.update(gradient_of({1: 1.0, 2: 0.0}))
    kept = [0, 2, 3, 4]
    assert start[kept].tolist() == learner.settled()[kept].tolist()


def test_the_start_is_carried_over_by_name() -> None:
    start = Weights.from_dict({"s_1": 0.5, "new": 1.0, "b": -1.0})
    learner = OnlineLearner(SPACE, start, OnlineOptions())
    assert [0.0, -1.0, 0.0, 0.5, 0.0] == learner.settled().tolist()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"epochs": 0}, r"epochs must be between 1 and"),
        ({"rate": 0.0}, r"rate must be above 0"),
        ({"l1": -0.1}, r"l1 must be at least 0"),
        ({"l2": -0.1}, r"l2 must be at least 0"),
        ({"decay": -0.1}, r"decay must be at least 0"),
        (
            {"initial_precision": float("inf")},
            r"precision must be a finite number, got inf",
        ),
        ({"batch_size": 0}, r"batch_size must be at least 1"),
        ({"gamma": 0}, r"gamma must be between 1 and"),
        ({"pairs": 0}, r"pairs must be between 1 and"),
        ({"threshold": -1.0}, r"threshold must be at least 0"),
        ({"loss": "squared"}, r"loss must be one of logistic, hinge, "),
        ({"update": "adam"}, r"update must be one of sgd, adagrad, arow"),
        ({"rate": float("nan")}, r"rate must be a finite number, got nan"),
        ({"l1": float("nan")}, r"l1 must be a finite number, got nan"),
        ({"gain_scale": 0.0}, r"gain_scale must be above 0"),
        ({"score_scale": -1.0}, r"score_scale must be above 0"),
        ({"min_feature_count": 0}, r"min_feature_count must be at least 1"),
        ({"staleness": -1}, r"staleness must be between 0 and"),
        ({"patience": -1}, r"patience must be at least 0"),
        ({"bin_strength": -0.1}, r"bin_strength must be at least 0"),
        ({"bin_sharpness": 0.0}, r"bin_sharpness must be above 0"),
        ({"bin_regularizer": "both"}, r"bin_regularizer must be one of none, linear, mono"),
        ({"deterministic": False}, r"staleness must be above 0 without `deterministic=True`"),
        ({"fixed": ("",)}, r"fixed must be prefixes of feature names"),
        (
            {"group_rate": ("PT_",)},
            r"group_rate must be PREFIX=VALUE with a value of at least 0, got 'PT_'",
        ),
        (
            {"group_rate": ("=1",)},
            r"group_rate must be PREFIX=VALUE with a value of at least 0, got '=1'",
        ),
        (
            {"group_l1": ("PT_=much",)},
            r"group_l1 must be PREFIX=VALUE with a value of at least 0, got 'PT_=much'",
        ),
        (
            {"group_l1": ("PT_=-1",)},
            r"group_l1 must be PREFIX=VALUE with a value of at least 0, got 'PT_=-1'",
        ),
    ],
)
def test_options_out_of_range(change: dict[str, object], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        replace(OnlineOptions(), **change)


def test_options_at_the_ends_of_their_ranges() -> None:
    least = OnlineOptions(
        epochs=1, patience=0, batch_size=1, decay=0.0, initial_precision=0.0, l1=0.0, l2=0.0,
        bin_strength=0.0, gamma=1, pairs=1, threshold=0.0, min_feature_count=1, staleness=0,
    )  # fmt: skip
    assert not replace(least, staleness=1, deterministic=False).deterministic


def test_defaults_are_those_of_the_paper() -> None:
    """AdaGrad-PRO of Green et al. (2013); on lists that do not change the rate is higher."""
    told = {
        "loss": "logistic", "update": "adagrad", "epochs": 20, "batch_size": 20, "rate": 0.02,
        "l1": 0.1, "gamma": 5000, "pairs": 15, "threshold": 0.05,
    }  # fmt: skip
    off = {
        "patience": 0, "decay": 0.0, "initial_precision": 0.0, "l2": 0.0, "bin_regularizer": "none",
        "average": False, "min_feature_count": 1, "staleness": 0, "deterministic": True,
        "fixed": (), "group_rate": (), "group_l1": (),
    }  # fmt: skip
    options = vars(OnlineOptions())
    assert {name: options[name] for name in told | off} == told | off
    assert ONLINE_OPTIMIZERS["adagrad-pro"] == replace(OnlineOptions(), rate=0.1)
