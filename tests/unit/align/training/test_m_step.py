"""M-steps against formulas and a numerical optimum."""

import math

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import psi

from isogloss.align.execution import exact_sums
from isogloss.align.model.cooccurrence import PairIndex
from isogloss.align.model.kernels.estimation import Smoothing, digamma, normalize_jumps
from isogloss.align.model.parameters import AlignerOptions, Parameters
from isogloss.align.training.counts import Counts, empty_jump_counts, units_of
from isogloss.align.training.em import Trainer
from isogloss.align.training.m_step import estimate_jumps, estimate_lexical
from isogloss.align.training.stems import unstemmed_words
from isogloss.align.training.train import train
from tests.naive.alignment import one_class, random_bitext
from tests.naive.expectations import Expectations, Given, expect, normalized

WORDS = unstemmed_words(3, 4)


def test_digamma_is_that_of_scipy() -> None:
    values = np.array([1e-6, 1e-3, 0.01, 0.5, 1.0, 3.3, 5.999, 6.0, 25.0, 1e6])
    found = [digamma(value) for value in values]
    np.testing.assert_allclose(found, psi(values), rtol=1e-9)


@pytest.mark.parametrize("domains", [1, 3])
def test_lexical_tables_with_a_sparse_prior(domains: int) -> None:
    """Of the smoothed counts; the general table that domains lean towards is not made sparse."""
    rng = np.random.default_rng(0)
    index = PairIndex(np.array([0, 0, 2, 5]), np.array([1, 2, 1, 2, 3], np.int32))
    parameters = Parameters.uniform(len(index), one_class(3, 4), 1).split(domains, True)
    counts = Expectations.zeros(parameters)
    counts.links[:-1] = rng.random((5, domains, 2)) * 4
    estimate_lexical(parameters, counts.counts(), index, WORDS, Smoothing(0.0, 2.5, 0.3))
    for side, states in enumerate((index.columns, index.rows)):
        links = counts.links[:-1, :, side]
        together = np.bincount(states, links.sum(1))[states]
        for domain in range(domains):
            count, total = links[:, 0], together
            if domains > 1:
                count = links[:, domain] + 2.5 * links.sum(1) / together
                total = np.bincount(states, links[:, domain])[states] + 2.5
            expected = np.exp(psi(count + 0.3) - psi(total + 0.3 * np.bincount(states)[states]))
            np.testing.assert_allclose(
                parameters.lexical[:-1, domain, side], expected, rtol=1e-4, atol=1e-30
            )


@pytest.mark.parametrize("columns", [1, 2])
@pytest.mark.parametrize("smoothing", [0.0, 2.5])
def test_lexical_tables_lean_towards_all_domains(smoothing: float, columns: int) -> None:
    rng = np.random.default_rng(0)
    index = PairIndex(np.array([0, 0, 2, 5]), np.array([1, 2, 1, 2, 3], np.int32))
    parameters = Parameters.uniform(len(index), one_class(3, 4), 1).split(3, True)
    counts = Expectations.zeros(parameters, agreement=columns == 1)
    counts.links[:-1] = rng.random((5, 3, columns))
    counts.links[2:, 2] = 0.0  # the last domain never saw source word 2
    counts.links[-1] = 9.0  # pairs that never met
    counts.null_source[:], counts.null_target[:] = rng.random((3, 4)), rng.random((3, 5))
    estimate_lexical(parameters, counts.counts(), index, WORDS, Smoothing(domains=smoothing))
    for side, states in enumerate((index.columns, index.rows)):
        links = counts.links[:-1, :, min(side, columns - 1)]
        for state in set(states.tolist()):
            own = np.flatnonzero(states == state)
            together = links[own].sum(1) / links[own].sum()
            for domain in range(3):
                count = links[own, domain]
                total = count.sum() + smoothing
                expected = (count + smoothing * together) / total if total else 0.0 * count
                np.testing.assert_allclose(
                    parameters.lexical[own, domain, side], expected, rtol=1e-6
                )
    for table, count in (
        (parameters.null_source, counts.null_source), (parameters.null_target, counts.null_target)
    ):  # fmt: skip
        null = count + smoothing * count.sum(0) / count.sum()
        null /= null.sum(1, keepdims=True)
        np.testing.assert_allclose(table[:, :-1], null[:, :-1], rtol=1e-6)
        np.testing.assert_array_equal(table[:, -1], 0.0)  # of unknown words
    np.testing.assert_array_equal(parameters.lexical[-1], 0.0)


def test_jumps_add_up() -> None:
    parameters = Parameters.uniform(3, one_class(4, 5), 2).split(2, False)
    counts, other = Counts.zeros(parameters, 8.0), empty_jump_counts(parameters)
    for number, array in enumerate(other):
        array += number + 0.3  # 2.4 eighths are 2
    counts.add_jumps(other)
    counts.add_jumps(other)
    for number, array in enumerate(counts.expected_jumps()):
        np.testing.assert_array_equal(array, 2.0 * (number + 0.25))
    assert (4, 2, 1) == Counts.zeros(parameters, 1.0, agreement=True).lexical.links.shape


@pytest.mark.parametrize("most", [1.0, 3.0, 4.0, 1e6, 2.0**40 - 1, 2.0**60])
def test_units_leave_room_for_all_links(most: float) -> None:
    """And are the smallest that do: four times as many links need the bits but the sign's."""
    units = units_of(most)
    assert 2**59 <= most * units <= 2**60
    assert units == 2.0 ** round(math.log2(units))


def jump_bound(jump: np.ndarray, counts: np.ndarray, occupancy: np.ndarray) -> float:
    """sum_b N_b log c_b - sum_o occupancy_o log Z_o."""
    center, value = len(jump) // 2, float(counts @ np.log(jump))
    for before, after in np.argwhere(occupancy > 0):
        open_to = jump[center - before : center + after + 1]
        value -= occupancy[before, after] * np.log(open_to.sum())
    return value


def random_jump_counts(seed: int, window: int) -> tuple[np.ndarray, np.ndarray]:
    """Counts of jumps and of what was on offer, as sentences of random length give them."""
    rng = np.random.default_rng(seed)
    counts, center = np.zeros(2 * window + 3), window + 1
    occupancy = rng.random((window + 2, window + 2)) * 20
    for before, after in np.ndindex(occupancy.shape):
        share = rng.dirichlet(np.ones(before + after + 1)) * occupancy[before, after]
        counts[center - before : center + after + 1] += share
    return counts, occupancy


@pytest.mark.parametrize("window", [1, 2, 5])
def test_jump_rounds_rise_to_the_numerical_optimum(window: int) -> None:
    counts, occupancy = random_jump_counts(window, window)
    jump = np.random.default_rng(window).random(len(counts))
    values = [jump_bound(jump, counts, occupancy)]
    for _ in range(400):
        normalize_jumps(jump, counts, occupancy, 1)
        values.append(jump_bound(jump, counts, occupancy))
    assert (np.diff(values) >= -1e-9 * abs(values[0])).all()
    best = minimize(
        lambda logs: -jump_bound(np.exp(logs), counts, occupancy),
        np.zeros(len(counts)),
        method="L-BFGS-B",
        options={"maxiter": 5000, "maxfun": 10**6},
    )
    assert values[-1] == pytest.approx(-best.fun, rel=1e-7)
    np.testing.assert_allclose(
        jump / jump.sum(), np.exp(best.x) / np.exp(best.x).sum(), rtol=1e-2, atol=1e-4
    )


def test_a_jump_never_used_stays_possible() -> None:
    counts, occupancy = random_jump_counts(0, 2)
    counts[0] = 0.0
    jump = np.ones(len(counts))
    normalize_jumps(jump, counts, occupancy, 5)
    assert jump[0] == 1e-9
    assert jump.sum() == pytest.approx(1.0, rel=1e-8)


LENGTHS = [(3, 4), (4, 2), (1, 1), (2, 4), (3, 3), (3, 0)]


def random_trainer(options: AlignerOptions, domains: int) -> Trainer:
    """Random tables of several domains on a small random text."""
    rng = np.random.default_rng(7)
    trainer = Trainer(random_bitext(rng, LENGTHS), options)
    trainer.split(domains)
    own = trainer.parameters
    for array in (own.lexical[:-1], own.null_source[:, :-1], own.null_target[:, :-1]):
        array[:] = rng.uniform(0.01, 1.0, array.shape)
    own.jump[:] = rng.random(own.jump.shape) + 0.01
    return trainer


@pytest.mark.parametrize("agreement", [False, True])
@pytest.mark.parametrize("shared", [False, True])
@pytest.mark.parametrize("final", [False, True])
def test_an_hmm_iteration_is_the_one_worked_by_hand(
    shared: bool, final: bool, agreement: bool
) -> None:
    options = AlignerOptions(
        jump_window=1, jump_smoothing=0.2, lexical_floor=1e-6, domain_smoothing=0.0, stem_length=0,
        shared_jumps=shared, final_jumps=final, agreement=agreement, null_probability=0.2,
        jump_classes=2, jump_class_smoothing=0.7,
    )  # fmt: skip
    trainer = random_trainer(options, 3)
    own, index = trainer.parameters, trainer.index
    log_weights = np.log(np.random.default_rng(8).random((2, len(LENGTHS), 3)) + 0.01)
    given = Given(trainer.bitext, index, own.lexical_tables(1e-6), own.jumps(options))
    wanted = expect(given, log_weights, agreement=agreement)
    counts, before = wanted.counts, (own.jump.copy(), own.start.copy())
    assert counts.jumps.jump.shape[1] == (1 if shared else 3)
    posterior = trainer.iterate("hmm", 1, log_weights)
    np.testing.assert_allclose(posterior, wanted.posterior, rtol=1e-5)
    assert trainer.trace[-1].log_likelihood == pytest.approx(wanted.objective, rel=1e-5)
    for side, states in enumerate((index.columns, index.rows)):
        null = (counts.null_source, counts.null_target)[side]
        table = (own.null_source, own.null_target)[side]
        np.testing.assert_allclose(table, null / null.sum(1, keepdims=True), rtol=1e-4)
        for domain in range(3):
            links = counts.links[:-1, domain, min(side, counts.links.shape[2] - 1)]
            expected = normalized(links, states)
            np.testing.assert_allclose(own.lexical[:-1, domain, side], expected, rtol=1e-4)
    for place in np.ndindex(own.jump.shape[:2]):
        jumps, occupancies = counts.jumps.jump[place], counts.jumps.occupancy[place]
        assert len(jumps) == 3  # two classes, and one of words that are in none
        for kind, (jump, occupancy) in enumerate(zip(jumps, occupancies, strict=True)):
            share = 0.7 / jumps.sum()
            jump, occupancy = jump + share * jumps.sum(0), occupancy + share * occupancies.sum(0)
            found, expected = own.jump[place][kind], before[0][place][kind].copy()
            assert jump_bound(found, jump, occupancy) > jump_bound(expected, jump, occupancy)
            normalize_jumps(expected, jump, occupancy, 5)
            np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-7)
        start_occupancy = np.zeros_like(occupancies[0])
        start_occupancy[0] = counts.jumps.start_occupancy[place]
        expected = before[1][place].copy()
        normalize_jumps(expected, counts.jumps.start[place], start_occupancy, 5)
        np.testing.assert_allclose(own.start[place], expected, rtol=1e-4, atol=1e-7)


@pytest.mark.parametrize("stage", ["model1", "hmm"])
@pytest.mark.parametrize("threads", [1, 3])
def test_blocks_change_nothing(stage: str, threads: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """But the order in which jumps are summed; P(D | f, e) of a pair depends on no other pair."""
    options = AlignerOptions(agreement=False)
    trainer, another = (random_trainer(options, 3) for _ in range(2))
    another.threads = threads
    log_weights = np.log(np.random.default_rng(8).random((2, len(LENGTHS), 3)) + 0.01)
    log_weights[:, 1, :2] = -np.inf
    whole = trainer.expect(stage, log_weights)
    monkeypatch.setattr("isogloss.align.training.e_step.BLOCK", 1)
    monkeypatch.setattr("isogloss.align.model.likelihoods.PAIRS", 1)
    parts = another.expect(stage, log_weights)
    assert len(parts.objectives) == len(LENGTHS) > len(whole.objectives)
    np.testing.assert_array_equal(whole.posterior, parts.posterior)
    objectives = (exact_sums(found.objectives) for found in (whole, parts))
    np.testing.assert_allclose(*objectives, rtol=1e-12)
    for mine, its in zip(whole.counts.lexical[:3], parts.counts.lexical[:3], strict=True):
        np.testing.assert_array_equal(mine, its)
    expected = whole.counts.expected_jumps(), parts.counts.expected_jumps()
    for mine, its in zip(*expected, strict=True):
        np.testing.assert_allclose(mine, its, rtol=1e-5, atol=1e-7)


def test_start_jumps_go_to_the_right_only() -> None:
    parameters = Parameters.uniform(3, one_class(4, 5), 2)
    counts = empty_jump_counts(parameters)
    counts.start[:, 0, 4:] = [3.0, 2.0, 1.0]  # distances +1, +2 and the tail
    counts.start_occupancy[:, 0, 3] = 6.0  # sentences long enough for all of them
    for _ in range(20):
        estimate_jumps(parameters, counts)
    for side in (0, 1):
        share = parameters.start[side, 0] / parameters.start[side, 0].sum()
        np.testing.assert_allclose(share[4:], [1 / 2, 1 / 3, 1 / 6], rtol=1e-5)
        np.testing.assert_allclose(share[:4], 0.0, atol=1e-8)


def two_classes() -> Parameters:
    """Of a window of two words; unknown words are in the first class."""
    classes = np.array([0, 1, 1, 0], np.int32)
    return Parameters.uniform(3, (classes, classes), 2)


@pytest.mark.parametrize("classes", [1, 2])
def test_jumps_that_were_never_seen_stay(classes: int) -> None:
    """Of a domain without links: nothing is divided by their sum of 0."""
    parameters = two_classes() if classes == 2 else Parameters.uniform(3, one_class(4, 5), 2)
    jump, start = parameters.jump.copy(), parameters.start.copy()
    assert jump.shape[2] == classes
    estimate_jumps(parameters, empty_jump_counts(parameters), 0.7)
    np.testing.assert_allclose(parameters.jump, jump, rtol=1e-7)
    np.testing.assert_allclose(parameters.start, start, rtol=1e-7, atol=1e-9)


@pytest.mark.parametrize("smoothing", [0.0, 0.7])
def test_a_class_without_jumps_makes_those_of_all(smoothing: float) -> None:
    parameters = two_classes()
    counts, before = empty_jump_counts(parameters), parameters.jump.copy()
    counts.jump[:, 0, 0, 4:] = [3.0, 2.0, 1.0]  # distances +1, +2 and the tail
    counts.occupancy[:, 0, 0, 0, 3] = 6.0  # nothing is open to the left, all to the right
    estimate_jumps(parameters, counts, smoothing)
    for side in (0, 1):
        own, other = parameters.jump[side, 0]
        np.testing.assert_allclose(own[4:] / own[3:].sum(), [1 / 2, 1 / 3, 1 / 6], rtol=1e-6)
        np.testing.assert_allclose(other, own if smoothing else before[side, 0, 1], rtol=1e-7)


def test_model_rows_sum_to_one() -> None:
    rng = np.random.default_rng(1)
    bitext = random_bitext(rng, rng.integers(1, 8, (30, 2)).tolist(), num_types=8)
    model = train(bitext, options=AlignerOptions(stem_length=0))
    own, index = model.parameters, model.index
    for side, given in enumerate((index.columns, index.rows)):
        totals = np.bincount(given, own.lexical[:-1, 0, side])
        np.testing.assert_allclose(totals[np.unique(given)], 1.0, rtol=1e-5)
        null = (own.null_source, own.null_target)[side]
        assert null[0].sum() == pytest.approx(1.0, rel=1e-5)


def test_a_pair_never_seen_has_probability_zero() -> None:
    rng = np.random.default_rng(1)
    bitext = random_bitext(rng, rng.integers(1, 8, (30, 2)).tolist(), num_types=8)
    own = train(bitext).parameters
    np.testing.assert_array_equal(own.lexical[-1], 0.0)
    np.testing.assert_array_equal(own.null_source[:, -1], 0.0)
    np.testing.assert_array_equal(own.null_target[:, -1], 0.0)
