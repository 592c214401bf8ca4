"""Model 1 kernels against the enumeration of all alignments; its tables are float32."""

from collections.abc import Sequence

import numpy as np
import pytest

from isogloss.align.model.cooccurrence import build_pair_index
from isogloss.align.model.kernels import model1
from isogloss.align.model.kernels.gather import DomainWeights, Lexical
from isogloss.align.model.parameters import paired_text
from isogloss.align.text.bitext import Bitext
from isogloss.align.text.corpus import Corpus
from tests.naive.alignment import (
    enumerated,
    random_bitext,
    random_jumps,
    random_lexical,
    read_sentence,
)
from tests.naive.expectations import Expected, Given, expect, run_model1

LENGTHS = [(1, 1), (4, 3), (2, 4), (3, 0), (0, 2), (3, 1), (1, 4), (0, 0), (4, 4)]
JUMPS = random_jumps(np.random.default_rng(0), 1, 0.1)  # not looked at


class Case:
    """Random text and tables."""

    def __init__(
        self, seed: int, domains: int, *, lengths: list[tuple[int, int]] = LENGTHS
    ) -> None:
        rng = np.random.default_rng(seed)
        self.domains = domains
        self.bitext = random_bitext(rng, lengths)
        self.index, cells = build_pair_index(self.bitext)
        self.text = paired_text(self.bitext, cells)
        self.lexical = random_lexical(rng, self.bitext, self.index, domains, 1e-2)
        self.log_weights = np.log(rng.random((2, len(lengths), domains)) + 0.01)

    def run(self, *, temperature: float = 1.0, edges: Sequence[int] = ()) -> Expected:
        posterior = np.full((len(self.bitext), self.domains), np.nan)
        given = Given(self.bitext, self.index, self.lexical, JUMPS)
        weights = DomainWeights(self.log_weights, temperature, posterior)
        return Expected(posterior, *run_model1(given, self.text, weights, edges))

    def check(self, *, temperature: float = 1.0) -> Expected:
        found = self.run(temperature=temperature)
        given = Given(self.bitext, self.index, self.lexical, JUMPS)
        wanted = expect(given, self.log_weights, temperature=temperature, model1=True)
        np.testing.assert_allclose(found.posterior, wanted.posterior, rtol=1e-6, atol=1e-12)
        np.testing.assert_allclose(found.objective, wanted.objective, rtol=1e-6)
        wanted.counts.links[-1] = 0.0
        for one, other in zip(found.counts.arrays(), wanted.counts.arrays(), strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-6, atol=1e-7)
        return found


@pytest.mark.parametrize("domains", [1, 3])
@pytest.mark.parametrize("seed", range(3))
def test_log_likelihood_is_that_of_all_alignments(seed: int, domains: int) -> None:
    case = Case(seed, domains)
    actual = np.full((2, len(LENGTHS), domains), np.nan)
    model1.log_likelihoods(case.text, case.lexical, 0, len(LENGTHS), actual)
    expected = np.zeros(actual.shape)
    for side, number, domain in np.ndindex(expected.shape):
        if 0 not in LENGTHS[number]:
            own = read_sentence(case.bitext, case.index, side, number, case.lexical, domain)
            expected[side, number, domain] = enumerated(own, None).log_likelihood
    np.testing.assert_allclose(actual, expected, rtol=1e-6)
    part = np.full((2, 3, domains), np.nan)
    model1.log_likelihoods(case.text, case.lexical, 2, 5, part)
    np.testing.assert_array_equal(part, actual[:, 2:5])


@pytest.mark.parametrize("domains", [1, 2, 3])
def test_an_e_step_is_that_of_all_alignments(domains: int) -> None:
    Case(domains, domains).check()


@pytest.mark.parametrize("temperature", [0.5, 3.0])
def test_tempered_domains(temperature: float) -> None:
    Case(3, 3).check(temperature=temperature)


def test_domains_ruled_out() -> None:
    """-inf in both directions: passed over; in one: the other summand is left. All: no count."""
    case = Case(5, 3)
    case.log_weights[:, 1] = np.where(np.arange(3) == 1, 0.0, -np.inf)  # labeled
    case.log_weights[:, 2, 0] = -np.inf
    case.log_weights[0, 5] = -np.inf
    case.log_weights[:, 6] = -np.inf
    found = case.check()
    assert found.posterior[1].tolist() == [0.0, 1.0, 0.0]
    assert found.posterior[2, 0] == 0.0
    assert found.posterior[6].tolist() == [0.0, 0.0, 0.0]


def test_domains_of_hardly_any_weight_are_not_counted() -> None:
    case = Case(6, 2)
    case.log_weights[:] = 0.0
    case.log_weights[:, :, 1] = -40.0
    found = case.check()
    assert 0.0 < found.posterior[0, 1] < 1e-6
    assert not found.counts.links[:, 1].any()
    assert not found.counts.null_target[1].any()


def test_unknown_words_and_pairs_never_seen() -> None:
    """-1 finds the last entry of the NULL tables, a pair never seen the last of the lexical one."""
    case = Case(8, 2)
    bitext = Bitext.unlabeled(
        Corpus.from_sentences([["new", "f0"], ["f1"]], case.bitext.source.vocabulary),
        Corpus.from_sentences([["e0"], ["new", "e2"]], case.bitext.target.vocabulary),
    )
    actual = np.full((2, 2, 2), np.nan)
    model1.log_likelihoods(
        paired_text(bitext, case.index.cells(bitext)), case.lexical, 0, 2, actual
    )
    for side, number, domain in np.ndindex(actual.shape):
        own = read_sentence(bitext, case.index, side, number, case.lexical, domain)
        expected = enumerated(own, None).log_likelihood
        assert actual[side, number, domain] == pytest.approx(expected, rel=1e-6)


def test_pairs_of_words_that_were_pruned_are_not_counted() -> None:
    case = Case(4, 2)
    every = case.run().counts.links
    found = case.index.counted(every, 1.0)
    kept = case.index.selected(found)
    assert 0 < len(kept) < len(case.index)
    rows = np.append(found.mask, True)
    case.lexical = case.lexical._replace(table=case.lexical.table[rows])
    case.index, case.text = kept, paired_text(case.bitext, kept.cells(case.bitext))
    case.check()


def test_ranges_change_nothing() -> None:
    case = Case(7, 3)
    whole, parts = case.run(), case.run(edges=(1, 2, 2, 3))
    np.testing.assert_allclose(parts.objective, whole.objective, rtol=1e-12)
    for one, other in zip(whole.counts.arrays(), parts.counts.arrays(), strict=True):
        assert one.tobytes() == other.tobytes()


def test_every_word_is_linked_or_empty() -> None:
    case = Case(2, 3)
    counts = case.run().counts
    for side, null in enumerate((counts.null_source, counts.null_target)):
        generated = sum(lengths[side] for lengths in LENGTHS if 0 not in lengths)
        assert counts.links[:, :, side].sum() + null.sum() == pytest.approx(generated, rel=1e-6)


def test_repeated_state_words_share_the_posterior() -> None:
    """(a a b / x): position counts, so that `a` gets 2/3 of x (NLTK 3.10.4 gave 1/2)."""
    bitext = Bitext.unlabeled(
        Corpus.from_sentences([["x"]]), Corpus.from_sentences([["a", "a", "b"]])
    )
    index, cells = build_pair_index(bitext)
    lexical = Lexical(
        np.full((len(index) + 1, 1, 2), 0.5, np.float32), np.zeros((1, 3), np.float32),
        np.zeros((1, 4), np.float32), 1e-12,
    )  # fmt: skip
    counts, _ = run_model1(
        Given(bitext, index, lexical, JUMPS), paired_text(bitext, cells),
        DomainWeights(np.zeros((2, 1, 1)), 1.0, np.zeros((1, 1))),
    )  # fmt: skip
    np.testing.assert_allclose(counts.links[:2, 0, 0], [2 / 3, 1 / 3], rtol=1e-6)
    np.testing.assert_allclose(counts.links[:2, 0, 1], [2.0, 1.0], rtol=1e-6)


@pytest.mark.parametrize("floor", [1e-3, 1e-30])
def test_floor_is_the_least_probability(floor: float) -> None:
    case = Case(5, 1, lengths=[(2, 3), (60, 1)])
    case.lexical = case.lexical._replace(floor=floor)
    for array in case.lexical[:3]:
        array[:] = 0.0
    actual = np.zeros((2, 2, 1))
    model1.log_likelihoods(case.text, case.lexical, 0, 2, actual)
    expected = np.array([[2, 60], [3, 1]]) * np.log(floor)
    np.testing.assert_allclose(actual[:, :, 0], expected, rtol=1e-7)
