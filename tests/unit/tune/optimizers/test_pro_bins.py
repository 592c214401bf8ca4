"""PRO with regularizers of neighboring bins: those that lists show, and those that none does."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import minimize

from isogloss.align.errors import UsageError
from isogloss.features.space import FeatureSpace, bin_feature_name
from isogloss.tune.examples import Examples
from isogloss.tune.optimizers.pro import ProOptions, tune_pro
from isogloss.tune.weights.regularizers import has_neighbors
from isogloss.tune.weights.weights import Weights
from tests.naive.regularizers import linear_curvature, linear_penalty, monotone_penalty
from tests.tiers import sampled

from .test_pro import OPTIONS, Floats, examples_of, run

BINS = FeatureSpace(["dense", *(bin_feature_name("p", k, 5) for k in range(5))])


def binned_examples() -> Examples:
    """Bins 0, 1, 3 and 4 of five are seen, worth 0, 1, 3 and 4; bin 2 never is."""
    rng = np.random.default_rng(1)
    made = []
    for _ in range(40):
        chosen = rng.permutation([0, 1, 3, 4])[:3]
        made.append([({1 + int(k): 1.0}, float(k) + 0.01 * rng.normal()) for k in chosen])
    return examples_of(made, BINS)


@pytest.mark.parametrize("kind", ["linear", "monotone"])
def test_neighbors_say_what_an_unseen_bin_is_worth(kind: str) -> None:
    given_examples = binned_examples()
    without = run(given_examples).weights.values
    assert without[3] == 0.0
    weights = run(
        given_examples, replace(OPTIONS, bin_regularizer=kind, bin_strength=20.0, l2=0.1)
    ).weights.values
    assert weights[1] < weights[2] < weights[4] < weights[5]
    assert weights[2] < weights[3] < weights[4]


def test_unseen_bins_are_part_of_the_problem_though_no_list_names_them() -> None:
    """Where lists show 0, 1 and 3 of bins 0 to 3: the least of Clark's eq. 11, L2 on these."""
    options = replace(
        OPTIONS,
        bin_regularizer="linear",
        bin_strength=300.0,
        l2=0.5,
        importance="equal",
        tolerance=1e-13,
    )

    def whole(weights: Floats) -> float:
        return loss_of_ranked(weights, 0.5) + linear_penalty(weights.tolist(), 300.0)

    expected = minimize(whole, np.zeros(4), options={"gtol": 1e-8}).x
    learned = weights_of_three(options)
    assert expected[1] < expected[2] < expected[3]
    assert learned.tolist() == pytest.approx(expected.tolist(), abs=1e-3)


RANKED = [(1, 0)] * 5 + [(0, 1)] + [(3, 1)] * 6 + [(1, 3)]
"""Better and worse bins; of 0 to 3 none is 2."""


def weights_of_three(options: ProOptions) -> Floats:
    """What is learned from lists that show bins 0, 1 and 3: float64[4]."""
    seen = [0, 1, 3]
    space = FeatureSpace([bin_feature_name("p", k, 4) for k in seen])
    lists = [
        [({seen.index(bad): 1.0}, 0.0), ({seen.index(good): 1.0}, 1.0)] for good, bad in RANKED
    ]
    result = run(examples_of(lists, space), options)
    return np.array([result.weights[bin_feature_name("p", k, 4)] for k in range(4)])


def loss_of_ranked(weights: Floats, l2: float) -> float:
    """Of all pairs, and L2 of the bins that they show. weights: float64[4]"""
    losses = [np.log1p(np.exp(weights[bad] - weights[good])) for good, bad in RANKED]
    return float(OPTIONS.pairs * np.sum(losses) + l2 * (weights[[0, 1, 3]] ** 2).sum())


@pytest.mark.parametrize(("beta", "l2"), [(1.0, 5.0), (300.0, 0.5), (20.0, 0.1)])
def test_an_unseen_bin_stands_where_mnr_is_least(beta: float, l2: float) -> None:
    """Beside the weights of the others, by a search of all places; and all is least as a whole."""
    options = replace(
        OPTIONS, bin_regularizer="monotone", bin_strength=beta, l2=l2, importance="equal"
    )
    learned = weights_of_three(options)

    def penalty(place: float) -> float:
        return monotone_penalty([*learned[:2], place, learned[3]], beta, options.bin_sharpness)

    def whole(weights: Floats) -> float:
        return loss_of_ranked(weights, l2) + monotone_penalty(
            weights.tolist(), beta, options.bin_sharpness
        )

    places = np.linspace(learned[1], learned[3], 10_001)
    least = places[int(np.argmin([penalty(place) for place in places]))]
    assert learned[2] == pytest.approx(least, abs=2e-3)
    begins = [np.zeros(4), learned, np.linspace(-1.0, 1.0, 4)]
    found = min(minimize(whole, begin, options={"gtol": 1e-8}).fun for begin in begins)
    assert whole(learned) == pytest.approx(found, rel=1e-6)


@pytest.mark.parametrize("kind", ["linear", "monotone"])
def test_weights_of_bins_do_not_depend_on_which_are_named(kind: str) -> None:
    """Learned on lists that name bin 2, or don't; held out, too, and with a start."""
    options = replace(OPTIONS, bin_regularizer=kind, bin_strength=20.0, l2=0.1, l2_to_init=0.5)
    named = binned_examples()
    unnamed = named.to_space(FeatureSpace([name for name in BINS if name != "p_bin2:5"]))
    start = Weights.from_dict({"p_bin2:5": 0.7, "p_bin4:5": 1.0})
    expected, found = (
        tune_pro(some, start, options, np.random.default_rng(1), held_out=some).weights
        for some in (named, unnamed)
    )
    assert "p_bin2:5" in found
    for name in BINS:
        assert found[name] == pytest.approx(expected[name], rel=1e-4, abs=1e-6)


@pytest.mark.parametrize("names", [["LM0", "a_b"], ["p_bin0:2", "p_bin1:2"]])
def test_neighbors_of_features_that_are_no_bins_between_bins(names: list[str]) -> None:
    given_examples = examples_of([([({0: 1.0}, 1.0), ({1: 1.0}, 0.0)])], FeatureSpace(names))
    assert not has_neighbors(given_examples.space)
    assert has_neighbors(BINS)
    with pytest.raises(
        UsageError, match="bin_regularizer must be none without bins between two other bins"
    ):
        run(given_examples, replace(OPTIONS, bin_regularizer="linear"))


@pytest.mark.parametrize("penalty", [{}, {"l1": 5.0}, {"l2_to_init": 5.0}])
def test_bins_at_the_end_go_on_where_the_others_lead(penalty: dict[str, float]) -> None:
    """By the default strengths: bins 1, 2, 4 of 8 are seen, and the others on a line with them."""
    every = [bin_feature_name("p", k, 8) for k in range(8)]
    seen = [1, 2, 4]
    lists = [[({seen.index(bad): 1.0}, 0.0), ({seen.index(good): 1.0}, 1.0)]
             for good, bad in [(2, 1)] * 20 + [(4, 2)] * 20]  # fmt: skip
    space = FeatureSpace([every[k] for k in seen])
    result = run(examples_of(lists, space), replace(OPTIONS, bin_regularizer="linear", **penalty))
    weights = np.array([result.weights[name] for name in every])
    steps = np.diff(weights)
    assert steps[0] == pytest.approx(steps[1], rel=0.3)
    assert steps[4:] == pytest.approx(np.full(3, steps[3]), rel=0.1)
    assert steps.min() > 0.1


def test_lnr_straightens() -> None:
    straight = replace(OPTIONS, bin_regularizer="linear", bin_strength=1e6, l2=0.1)
    bends = np.diff(run(binned_examples(), straight).weights.values[1:], 2)
    assert np.abs(bends).max() < 1e-2


def many_bins(num_bins: int, num_pairs: int) -> tuple[Examples, Floats]:
    """Lists of two hypotheses, each a bin, the higher one better four times in five.

    And what the better one has more of: float64[num_pairs, num_bins]
    """
    rng = np.random.default_rng(1)
    low, high = np.sort([rng.choice(num_bins, 2, replace=False) for _ in range(num_pairs)]).T
    right = rng.random(num_pairs) < 0.8
    space = FeatureSpace([bin_feature_name("p", k, num_bins) for k in range(num_bins)])
    lists = [
        [({int(a): 1.0}, float(not is_right)), ({int(b): 1.0}, float(is_right))]
        for a, b, is_right in zip(low, high, right, strict=True)
    ]
    rows = np.zeros((num_pairs, num_bins))
    rows[np.arange(num_pairs), high], rows[np.arange(num_pairs), low] = 1.0, -1.0
    rows[~right] *= -1.0
    return examples_of(lists, space), rows


@pytest.mark.parametrize("beta", sampled([1e6, 1e3], 2))
def test_ties_of_many_bins_are_learned_to_their_end(beta: float) -> None:
    """256 bins, each in a few pairs: the least of Clark's eq. 11 by Newton's method."""
    num_bins, l2 = 256, 0.5
    examples, rows = many_bins(num_bins, 600)
    options = replace(
        OPTIONS, bin_regularizer="linear", bin_strength=beta, l2=l2, importance="equal"
    )
    learned = run(examples, options).weights.values

    drawn = 2.0 * l2 * np.diag(np.abs(rows).any(axis=0))
    regularizer, weights = linear_curvature(num_bins, beta) + drawn, np.zeros(num_bins)
    for _ in range(20):
        wrong = 1.0 / (1.0 + np.exp(rows @ weights))
        slope = regularizer @ weights - OPTIONS.pairs * rows.T @ wrong
        bend = OPTIONS.pairs * (rows * (wrong * (1.0 - wrong))[:, None]).T @ rows
        weights -= np.linalg.solve(bend + regularizer, slope)
    np.testing.assert_allclose(slope, 0.0, atol=1e-5)
    np.testing.assert_allclose(learned, weights, atol=0.01 * np.ptp(weights))


def test_l1_beside_ties_finds_what_another_program_does() -> None:
    """60 bins, weights as differences of two from 0 on, by SciPy."""
    num_bins, beta, l1 = 60, 1e3, 10.0
    examples, rows = many_bins(num_bins, 150)
    options = replace(
        OPTIONS,
        bin_regularizer="linear",
        bin_strength=beta,
        l1=l1,
        l2=0.0,
        importance="equal",
        iterations=1000,
        tolerance=1e-9,
    )
    learned = run(examples, options).weights.values
    curvature = linear_curvature(num_bins, beta)

    def smooth(weights: Floats) -> tuple[float, Floats]:
        margins, pull = rows @ weights, curvature @ weights
        wrong = 1.0 / (1.0 + np.exp(margins))
        loss = OPTIONS.pairs * float(np.logaddexp(0.0, -margins).sum())
        return loss + 0.5 * float(weights @ pull), pull - OPTIONS.pairs * rows.T @ wrong

    def split(halves: Floats) -> tuple[float, Floats]:
        value, gradient = smooth(halves[:num_bins] - halves[num_bins:])
        return value + l1 * float(halves.sum()), np.concatenate([gradient + l1, l1 - gradient])

    limits = {"maxiter": 5000, "maxfun": 50_000, "ftol": 1e-13}
    least = minimize(
        split, np.zeros(2 * num_bins), jac=True, method="L-BFGS-B",
        bounds=[(0.0, None)] * (2 * num_bins), options=limits,
    ).fun  # fmt: skip
    assert smooth(learned)[0] + l1 * np.abs(learned).sum() == pytest.approx(least, rel=1e-5)
