"""M-steps against formulas, a numerical optimum and the rise of the likelihood."""

import numpy as np
import pytest
from scipy.optimize import minimize

from align.cooccurrence import build_pair_index
from align.em import Trainer
from align.estimation import Counts, estimate_lexical
from align.kernels.estimation import normalize_jumps, normalize_rows, sum_by_state
from align.kernels.text import JumpColumns
from align.model import train
from align.parameters import AlignerOptions, Direction
from tests.naive.alignment import Expected, filled, hmm_paths, random_bitext, read_sentence


def test_rows_are_counts_over_the_total_of_their_state() -> None:
    counts = np.array([1.0, 3.0, 5.0, 0.0, 9.0], np.float32)  # the last one is no pair
    states = np.array([1, 1, 2, 3], np.int32)
    totals, result = np.zeros(4), np.full(5, 7.0, np.float32)
    sum_by_state(counts, states, totals)
    normalize_rows(counts, states, totals, counts, 0.0, result)
    assert totals.tolist() == [0.0, 4.0, 5.0, 0.0]
    assert result.tolist() == [0.25, 0.75, 1.0, 0.0, 7.0]


def test_a_prior_adds_its_strength_to_each_row() -> None:
    counts = np.array([1.0, 3.0, 0.0], np.float32)
    states = np.array([1, 1, 2], np.int32)
    prior = np.array([0.5, 0.5, 1.0], np.float32)
    result = np.zeros(4, np.float32)
    normalize_rows(counts, states, np.array([0.0, 4.0, 0.0]), prior, 4.0, result)
    assert result.tolist() == [3 / 8, 5 / 8, 1.0, 0.0]


@pytest.mark.parametrize("smoothing", [0.0, 2.5])
def test_lexical_tables_lean_towards_all_domains(smoothing: float) -> None:
    rng = np.random.default_rng(0)
    states = np.array([1, 1, 2, 2, 2], np.int32)
    direction = Direction.uniform(3, len(states), 4, 1)
    counts = Counts.zeros(direction)
    counts.lexical[:, :-1] = rng.random((3, len(states)))
    counts.lexical[2, 2:] = 0.0  # the last domain never saw state 2
    counts.null[:] = rng.random((3, 4))
    estimate_lexical(direction, counts, states, 3, smoothing)
    for state in (1, 2):
        own = np.flatnonzero(states == state)
        together = counts.lexical[:, own].sum(0) / counts.lexical[:, own].sum()
        for domain in range(3):
            count = counts.lexical[domain, own]
            total = count.sum() + smoothing
            expected = (count + smoothing * together) / total if total else 0.0 * count
            np.testing.assert_allclose(direction.lexical[domain, own], expected, rtol=1e-6)
    null = counts.null + smoothing * counts.null.sum(0) / counts.null.sum()
    np.testing.assert_allclose(direction.null, null / null.sum(1, keepdims=True), rtol=1e-6)


def jump_bound(jump: np.ndarray, counts: np.ndarray, occupancy: np.ndarray) -> float:
    """sum_b N_b log c_b - sum_o occupancy_o log Z_o."""
    centre, value = len(jump) // 2, float(counts @ np.log(jump))
    for before, after in np.argwhere(occupancy > 0):
        open_to = jump[centre - before : centre + after + 1]
        value -= occupancy[before, after] * np.log(open_to.sum())
    return value


def random_jump_counts(seed: int, window: int) -> tuple[np.ndarray, np.ndarray]:
    """Counts of jumps and of what was on offer, as sentences of random length give them."""
    rng = np.random.default_rng(seed)
    counts, centre = np.zeros(2 * window + 3), window + 1
    occupancy = rng.random((window + 2, window + 2)) * 20
    for before, after in np.ndindex(occupancy.shape):
        share = rng.dirichlet(np.ones(before + after + 1)) * occupancy[before, after]
        counts[centre - before : centre + after + 1] += share
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


LENGTHS = [(3, 4), (4, 2), (1, 1), (2, 5), (4, 4), (3, 0)]


@pytest.mark.parametrize("shared", [False, True])
def test_an_hmm_iteration_is_the_one_worked_by_hand(shared: bool) -> None:
    rng = np.random.default_rng(7)
    bitext = random_bitext(rng, LENGTHS)
    options = AlignerOptions(
        window=1,
        jump_smoothing=0.2,
        lexical_floor=1e-6,
        domain_smoothing=0.0,
        shared_jumps=shared,
    )
    trainer = Trainer(bitext, options, 3)
    posterior = rng.dirichlet(np.ones(3), len(bitext))
    posterior[~bitext.usable] = 0.0
    everyone = []
    for side, direction in enumerate(trainer.directions):
        direction.lexical[:] = rng.random(direction.lexical.shape)
        direction.null[:] = rng.random(direction.null.shape)
        everyone.append([])
        for domain in range(3):
            expected = Expected()
            jumps = JumpColumns(direction.jump[domain], direction.start[domain], 0.2, 0.2)
            lexical = direction.lexical_columns(domain, 1e-6)
            for number in np.flatnonzero(bitext.usable):
                sentence = read_sentence(bitext, trainer.index, side, number, lexical)
                paths = hmm_paths(sentence, jumps)
                expected.add(sentence, paths, posterior[number, domain], 1)
            everyone[side].append(expected)
    before = [direction.jump.copy() for direction in trainer.directions]
    trainer.iterate("hmm", 1, posterior)
    states = (trainer.index.columns, trainer.index.rows)
    for side, direction in enumerate(trainer.directions):
        for domain, expected in enumerate(everyone[side]):
            counts = filled(expected.lexical, len(states[side]))
            totals = np.bincount(states[side], counts)
            np.testing.assert_allclose(
                direction.lexical[domain, :-1], counts / totals[states[side]], rtol=1e-5
            )
            null = filled(expected.null, direction.null.shape[1])
            np.testing.assert_allclose(direction.null[domain], null / null.sum(), rtol=1e-5)
            pooled = everyone[side] if shared else [expected]
            jump, occupancy = (
                sum(filled(one.jump, 5) for one in pooled),
                sum(filled(one.occupancy, (3, 3)) for one in pooled),
            )
            old = jump_bound(before[side][domain], jump, occupancy)
            new = jump_bound(direction.jump[domain], jump, occupancy)
            wanted = before[side][domain].copy()
            normalize_jumps(wanted, jump, occupancy, 5)
            assert new > old
            np.testing.assert_allclose(direction.jump[domain], wanted, rtol=1e-7, atol=1e-12)


@pytest.mark.parametrize("smoothing", [0.0, 0.1, 0.5])
@pytest.mark.parametrize("window", [1, 5])
def test_em_never_lowers_the_likelihood(window: int, smoothing: float) -> None:
    """Within each stage; 1e-6 leaves room for float32 tables and for the lexical floor."""
    rng = np.random.default_rng(window)
    lengths = rng.integers(1, 12, (60, 2)).tolist()
    bitext = random_bitext(rng, lengths, num_types=15)
    options = AlignerOptions(
        model1_iterations=12, hmm_iterations=25, window=window, jump_smoothing=smoothing
    )
    trace = train(bitext, options).trace
    for stage in ("model1", "hmm"):
        values = np.array([one.log_likelihood for one in trace if one.stage == stage])
        assert (np.diff(values, axis=0) >= -1e-6 * np.abs(values[:-1])).all(), np.diff(values)


def test_model_rows_sum_to_one() -> None:
    rng = np.random.default_rng(1)
    bitext = random_bitext(rng, rng.integers(1, 8, (30, 2)).tolist(), num_types=8)
    model = train(bitext)
    index, _ = build_pair_index(bitext)
    for side, given in enumerate((index.columns, index.rows)):
        own = model.directions[side]
        totals = np.bincount(given, own.lexical[0, :-1])
        np.testing.assert_allclose(totals[np.unique(given)], 1.0, rtol=1e-5)
        assert own.null[0].sum() == pytest.approx(1.0, rel=1e-5)


def test_a_pair_never_seen_has_probability_zero() -> None:
    rng = np.random.default_rng(1)
    bitext = random_bitext(rng, rng.integers(1, 8, (30, 2)).tolist(), num_types=8)
    for direction in train(bitext).directions:
        np.testing.assert_array_equal(direction.lexical[:, -1], 0.0)
