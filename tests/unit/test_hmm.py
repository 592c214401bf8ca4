"""HMM kernels against the enumeration of all alignments."""

import numpy as np
import pytest

from align.cooccurrence import build_pair_index
from align.kernels import hmm
from align.kernels.text import JumpColumns, LexicalColumns
from align.parameters import directed_texts
from tests.naive.alignment import (
    START,
    Expected,
    filled,
    hmm_paths,
    jump_parts,
    log_likelihood,
    random_bitext,
    read_sentence,
)

# long after short and short after long: the kernels use one set of buffers for all
LENGTHS = [(1, 1), (3, 5), (2, 3), (3, 0), (5, 3), (0, 2), (3, 1), (1, 4), (2, 2), (3, 4)]
USABLE = [number for number, lengths in enumerate(LENGTHS) if 0 not in lengths]


def random_jumps(rng: np.random.Generator, window: int, smoothing: float) -> JumpColumns:
    return JumpColumns(
        rng.random(2 * window + 3) + 0.01, rng.random(2 * window + 3) + 0.01, 0.23, smoothing
    )


class Case:
    """Random text, tables and jumps of one direction."""

    def __init__(self, seed: int, side: int, window: int, smoothing: float) -> None:
        rng = np.random.default_rng(seed)
        self.bitext = random_bitext(rng, LENGTHS)
        self.index, cells = build_pair_index(self.bitext)
        self.side, self.text = side, directed_texts(self.bitext, cells)[side]
        types = len((self.bitext.source, self.bitext.target)[side].vocabulary)
        self.lexical = LexicalColumns(
            rng.random(len(self.index) + 1, np.float32), rng.random(types, np.float32), 0.05
        )
        self.jumps = random_jumps(rng, window, smoothing)
        self.rng, self.window = rng, window

    def sentence(self, number: int):
        return read_sentence(self.bitext, self.index, self.side, number, self.lexical)


@pytest.fixture(params=[0, 1], ids=["source", "target"])
def side(request: pytest.FixtureRequest) -> int:
    return request.param


@pytest.fixture(params=[(1, 0.0), (1, 0.3), (2, 0.0), (2, 0.1), (5, 0.2)], ids=str)
def case(request: pytest.FixtureRequest, side: int) -> Case:
    return Case(11, side, *request.param)


def test_log_likelihood_is_that_of_all_alignments(case: Case) -> None:
    expected = np.zeros(len(LENGTHS))
    for number in USABLE:
        expected[number] = log_likelihood(hmm_paths(case.sentence(number), case.jumps))
    actual = np.full(len(LENGTHS), np.nan)
    hmm.log_likelihoods(case.text, case.lexical, case.jumps, actual)
    np.testing.assert_allclose(actual, expected, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("domains", [1, 3])
def test_counts_are_posteriors_weighted_by_domain(case: Case, domains: int) -> None:
    posterior = case.rng.dirichlet(np.ones(domains), len(LENGTHS))
    posterior[1] = np.eye(domains)[0]  # all other domains pass the longest pair over
    for domain in range(domains):
        weights = posterior[:, domain].copy()
        case.jumps = random_jumps(case.rng, case.window, case.jumps.smoothing)
        expected, total = Expected(), 0.0
        for number in USABLE:
            sentence = case.sentence(number)
            paths = hmm_paths(sentence, case.jumps)
            expected.add(sentence, paths, weights[number], case.window)
            total += weights[number] * log_likelihood(paths)
        size, buckets = case.window + 2, 2 * case.window + 3
        wanted = (
            filled(expected.lexical, len(case.index) + 1),
            filled(expected.null, len(case.lexical.null)),
            filled(expected.jump, buckets),
            filled(expected.start, buckets),
            filled(expected.occupancy, (size, size)),
            filled(expected.start_occupancy, size),
        )
        actual = tuple(np.zeros_like(array) for array in wanted)
        objective = hmm.expectations(
            case.text, case.lexical, case.jumps, weights, actual[0], actual[1], actual[2:]
        )
        assert objective == pytest.approx(total, rel=1e-9)
        for found, array in zip(actual, wanted, strict=True):
            np.testing.assert_allclose(found, array, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("window", [1, 2])
def test_every_word_is_linked_or_empty(window: int, side: int) -> None:
    case = Case(3, side, window, 0.1)
    counts, null_counts = np.zeros(len(case.index) + 1), np.zeros(len(case.lexical.null))
    jump_counts = (
        np.zeros(2 * window + 3),
        np.zeros(2 * window + 3),
        np.zeros((window + 2, window + 2)),
        np.zeros(window + 2),
    )
    hmm.expectations(
        case.text,
        case.lexical,
        case.jumps,
        np.ones(len(LENGTHS)),
        counts,
        null_counts,
        jump_counts,
    )
    generated = sum(LENGTHS[number][side] for number in USABLE)
    assert counts.sum() + null_counts.sum() == pytest.approx(generated, rel=1e-12)
    assert jump_counts[0].sum() == pytest.approx(jump_counts[2].sum(), rel=1e-12)
    assert jump_counts[1].sum() == pytest.approx(jump_counts[3].sum(), rel=1e-12)


@pytest.mark.parametrize("window", [1, 2])
@pytest.mark.parametrize("num_states", range(1, 7))
def test_jumps_and_starts_are_distributions(num_states: int, window: int) -> None:
    rng = np.random.default_rng(num_states)
    jump, start = rng.random((2, 2 * window + 3)) + 0.01
    inverse_total, right, left = np.empty((3, num_states))
    hmm.bucket_totals(jump, window, num_states, inverse_total, right, left)
    first = np.empty(num_states)
    hmm.start_probabilities(start, window, num_states, 0.25, first)
    for position in range(num_states):
        expected = sum(jump_parts(start, START, position, num_states, 0.25))
        assert expected == pytest.approx(first[position], rel=1e-12)
        for origin in range(num_states):
            distance = position - origin
            part = (
                right[origin]
                if distance > window
                else left[origin]
                if distance < -window
                else jump[distance + window + 1]
            )
            expected = jump_parts(jump, origin, position, num_states, 0.0)[0]
            assert expected == pytest.approx(part * inverse_total[origin], rel=1e-12)
    assert first.sum() == pytest.approx(1.0, rel=1e-12)


def test_a_long_sentence_does_not_underflow() -> None:
    length = 400
    rng = np.random.default_rng(0)
    bitext = random_bitext(rng, [(length, length)], num_types=50)
    index, cells = build_pair_index(bitext)
    lexical = LexicalColumns(
        np.zeros(len(index) + 1, np.float32),
        np.zeros(len(bitext.source.vocabulary), np.float32),
        1e-7,
    )
    jumps = random_jumps(rng, 5, 0.1)
    actual = np.zeros(1)
    hmm.log_likelihoods(directed_texts(bitext, cells)[0], lexical, jumps, actual)
    assert actual[0] == pytest.approx(length * np.log(1e-7), rel=1e-9)  # emissions are all equal
