"""HMM kernels against the enumeration of all alignments, and long sentences in double precision.

The passes are float32: what they give is compared with a relative tolerance of 1e-4.
"""

import numpy as np
import pytest

from isogloss.align.model.cooccurrence import build_pair_index
from isogloss.align.model.kernels import hmm
from isogloss.align.model.kernels.gather import DomainWeights, Lexical
from isogloss.align.model.kernels.transitions import Jumps
from isogloss.align.model.parameters import paired_text
from isogloss.align.text.bitext import Bitext
from isogloss.align.text.corpus import Corpus
from tests.naive.alignment import (
    enumerated,
    forward_backward,
    jump_table,
    random_bitext,
    random_jumps,
    random_lexical,
    read_sentence,
)
from tests.naive.expectations import Expected, Given, expect, run_hmm
from tests.tiers import sampled

# long after short and short after long: the kernels use one set of buffers for all
LENGTHS = [(1, 1), (3, 4), (2, 3), (3, 0), (5, 3), (0, 2), (3, 1), (1, 4), (2, 2), (0, 0), (3, 3)]


class Case:
    """Random text, tables and jumps. options: tables, classes and final of ``random_jumps``."""

    def __init__(
        self, seed: int, domains: int, window: int, smoothing: float, *,
        lengths: list[tuple[int, int]] = LENGTHS, floor: float = 0.05, num_types: int = 3,
        **options: int,
    ) -> None:  # fmt: skip
        rng = np.random.default_rng(seed)
        self.rng, self.domains, self.lengths = rng, domains, lengths
        self.bitext = random_bitext(rng, lengths, num_types)
        self.index, cells = build_pair_index(self.bitext)
        self.text = paired_text(self.bitext, cells)
        self.lexical = random_lexical(rng, self.bitext, self.index, domains, floor)
        self.jumps = random_jumps(rng, window, smoothing, **options)
        self.log_weights = np.log(rng.random((2, len(lengths), domains)) + 0.01)

    def run(
        self, *, agreement: bool = False, temperature: float = 1.0, first: int = 0,
        last: int | None = None,
    ) -> Expected:  # fmt: skip
        """What the kernel gives."""
        posterior = np.full((len(self.bitext), self.domains), np.nan)
        pairs = first, len(self.bitext) if last is None else last
        weights = DomainWeights(self.log_weights, temperature, posterior)
        return Expected(
            posterior, *run_hmm(self.text, self.lexical, self.jumps, pairs, weights, agreement)
        )

    def twin(self, **options: object) -> Expected:
        given = Given(self.bitext, self.index, self.lexical, self.jumps)
        return expect(given, self.log_weights, **options)

    def log_likelihoods(self, first: int = 0, last: int | None = None) -> np.ndarray:
        last = len(self.bitext) if last is None else last
        result = np.full((2, last - first, self.domains), np.nan)
        hmm.log_likelihoods(self.text, self.lexical, self.jumps, first, last, result)
        return result

    def link_posteriors(self, weights: np.ndarray) -> np.ndarray:
        result = np.full((2, self.text.cell_offsets[-1]), np.nan, np.float32)
        hmm.link_posteriors(self.text, self.lexical, self.jumps, weights, result)
        return result


def check(found: Expected, wanted: Expected, *, rtol: float = 1e-4, atol: float = 1e-5) -> None:
    np.testing.assert_allclose(found.posterior, wanted.posterior, rtol=rtol, atol=1e-7)
    np.testing.assert_allclose(found.objective, wanted.objective, rtol=1e-5)
    for one, other in zip(found.counts.arrays(), wanted.counts.arrays(), strict=True):
        np.testing.assert_allclose(one, other, rtol=rtol, atol=atol)


@pytest.fixture(params=[False, True], ids=["free end", "final jump"])
def final(request: pytest.FixtureRequest) -> bool:
    return request.param


SHAPES = [(1, 0.0), (1, 0.3), (2, 0.0), (2, 0.1), (5, 0.2)]  # window, smoothing


@pytest.mark.parametrize(("window", "smoothing"), SHAPES)
def test_log_likelihood_is_that_of_all_alignments(
    window: int, smoothing: float, final: bool
) -> None:
    case = Case(11, 2, window, smoothing, final=final)
    expected = np.zeros((2, len(LENGTHS), 2))
    for side, number, domain in np.ndindex(expected.shape):
        if 0 not in LENGTHS[number]:
            sentence = read_sentence(case.bitext, case.index, side, number, case.lexical, domain)
            table = jump_table(case.jumps, side, domain)
            expected[side, number, domain] = enumerated(sentence, table).log_likelihood
    np.testing.assert_allclose(case.log_likelihoods(), expected, rtol=1e-5, atol=1e-6)
    np.testing.assert_array_equal(case.log_likelihoods(2, 5), case.log_likelihoods()[:, 2:5])


@pytest.mark.parametrize(("domains", "tables"), [(1, 1), (2, 1), (2, 2), (3, 3)])
@pytest.mark.parametrize("agreement", [False, True])
def test_an_e_step_is_that_of_all_alignments(
    domains: int, tables: int, agreement: bool, final: bool
) -> None:
    case = Case(7 + domains, domains, 2, 0.1, tables=tables, final=final)
    check(case.run(agreement=agreement), case.twin(agreement=agreement))


@pytest.mark.parametrize(("window", "smoothing"), SHAPES)
def test_an_e_step_under_other_jumps(window: int, smoothing: float, final: bool) -> None:
    case = Case(window, 2, window, smoothing, tables=2, final=final)
    check(case.run(), case.twin())


@pytest.mark.parametrize(("domains", "tables"), [(1, 1), (2, 2)])
def test_jumps_depend_on_the_class_of_the_word(domains: int, tables: int, final: bool) -> None:
    case = Case(13, domains, 2, 0.1, tables=tables, final=final, classes=3)
    check(case.run(agreement=True), case.twin(agreement=True))


@pytest.mark.parametrize("classes", [1, 3])
def test_labeled_pairs_with_jumps_of_their_own(classes: int, final: bool) -> None:
    """Sizes come again under other domains, whose bands were not needed before."""
    case = Case(14, 3, 2, 0.1, tables=3, final=final, classes=classes, lengths=LENGTHS * 2)
    own = np.arange(len(case.lengths)) % 3
    case.log_weights[:, own[:, None] != np.arange(3)] = -np.inf
    check(case.run(agreement=True), case.twin(agreement=True))


@pytest.mark.parametrize("temperature", [0.5, 3.0])
def test_tempered_domains(temperature: float) -> None:
    case = Case(3, 3, 2, 0.1)
    found = case.run(temperature=temperature)
    check(found, case.twin(temperature=temperature))
    assert not np.allclose(found.posterior, case.run().posterior, rtol=1e-2)


def test_domains_ruled_out() -> None:
    """-inf in both directions: passed over; in one: the other summand is left. All: no count."""
    case = Case(5, 3, 2, 0.1, tables=3)
    case.log_weights[:, 1] = np.where(np.arange(3) == 1, 0.0, -np.inf)  # labeled
    case.log_weights[:, 2, 0] = -np.inf
    case.log_weights[0, 4] = -np.inf
    case.log_weights[:, 6] = -np.inf
    found = case.run(agreement=True)
    check(found, case.twin(agreement=True))
    assert found.posterior[1].tolist() == [0.0, 1.0, 0.0]
    assert found.posterior[2, 0] == 0.0
    assert found.posterior[6].tolist() == [0.0, 0.0, 0.0]


def test_domains_of_hardly_any_weight_are_not_counted() -> None:
    case = Case(6, 2, 1, 0.1, lengths=[(2, 2), (3, 3)], tables=2)
    case.log_weights[:] = 0.0
    case.log_weights[:, :, 1] = -40.0
    found = case.run()
    check(found, case.twin())
    assert (found.posterior[:, 1] > 0.0).all()
    assert (found.posterior[:, 1] < 1e-6).all()
    for array in (found.counts.links[:, 1], found.counts.null_source[1]):
        assert not array.any()
    for array in found.counts.jumps:
        assert not array[:, 1].any()


def test_unknown_words_and_pairs_never_seen() -> None:
    """-1 finds the last entry of the NULL tables, a pair never seen the last of the lexical one."""
    case = Case(8, 2, 2, 0.1)
    words = [[case.bitext.source.words(n), case.bitext.target.words(n)] for n in range(3)]
    words += [[["new", "f0", "f1"], ["e0", "new"]], [["new"], ["new"]], [["f2"], ["e2", "e0"]]]
    sides = (case.bitext.source, case.bitext.target)
    case.bitext = Bitext.unlabeled(
        *(
            Corpus.from_sentences([pair[k] for pair in words], side.vocabulary)
            for k, side in enumerate(sides)
        )
    )
    case.text = paired_text(case.bitext, case.index.cells(case.bitext))
    case.log_weights = case.log_weights[:, : len(words)].copy()
    assert (case.text.source_tokens == -1).sum() == 2
    found = case.run()
    check(found, case.twin())
    assert found.counts.null_source[:, -1].all()
    assert found.counts.links[-1].all()


def test_pairs_with_an_empty_side_count_nothing() -> None:
    case = Case(9, 2, 2, 0.1, lengths=[(0, 3), (2, 0), (0, 0)])
    found = case.run()
    assert found.posterior.tolist() == [[0.0, 0.0]] * 3
    assert found.objective.tolist() == [0.0, 0.0]
    assert not any(array.any() for array in found.counts.arrays())
    assert case.log_likelihoods().tolist() == [[[0.0, 0.0]] * 3] * 2


def test_a_range_of_pairs_is_a_part_of_all() -> None:
    case = Case(10, 2, 2, 0.1)
    whole, parts = case.run(), [case.run(first=0, last=4), case.run(first=4)]
    assert np.isnan(parts[0].posterior[4:]).all()
    np.testing.assert_array_equal(whole.posterior[:4], parts[0].posterior[:4])
    np.testing.assert_array_equal(whole.posterior[4:], parts[1].posterior[4:])
    arrays = (part.counts.arrays() for part in (*parts, whole))
    for one, other, both in zip(*arrays, strict=True):
        np.testing.assert_allclose(one + other, both, rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize("window", [1, 2])
def test_every_word_is_linked_or_empty(window: int) -> None:
    case = Case(3, 1, window, 0.1)
    counts = case.run().counts
    for side, null in enumerate((counts.null_source, counts.null_target)):
        generated = sum(lengths[side] for lengths in LENGTHS if 0 not in lengths)
        total = counts.links[:, :, side].sum() + null.sum()
        assert total == pytest.approx(generated, rel=1e-6)
    jumps = counts.jumps
    assert jumps.jump.sum() == pytest.approx(jumps.occupancy.sum(), rel=1e-6)
    assert jumps.start.sum() == pytest.approx(jumps.start_occupancy.sum(), rel=1e-6)


@pytest.mark.parametrize("tables", [1, 3])
def test_link_posteriors_are_averaged_over_domains(tables: int, final: bool) -> None:
    case = Case(12, 3, 2, 0.1, tables=tables, final=final)
    weights = case.rng.dirichlet(np.ones(3), len(LENGTHS))
    weights[1] = [0.0, 1.0, 0.0]
    weights[2] = [0.0, 0.5, 0.5]
    found = case.link_posteriors(weights)
    for number, lengths in enumerate(LENGTHS):
        if 0 in lengths:
            continue
        own = found[:, slice(*case.text.cell_offsets[number : number + 2])]
        for side, table in enumerate(own.reshape(2, *lengths)):
            expected = sum(
                weights[number, domain]
                * enumerated(
                    read_sentence(case.bitext, case.index, side, number, case.lexical, domain),
                    jump_table(case.jumps, side, domain),
                ).links
                for domain in range(3)
            )
            expected = expected if side == 0 else expected.T
            np.testing.assert_allclose(table, expected, rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("number", [1, 2, 4, 7])
@pytest.mark.parametrize("side", [0, 1])
def test_the_textbook_passes_are_the_enumeration(number: int, side: int, final: bool) -> None:
    """The twin of long sentences against that of short ones."""
    case = Case(1, 1, 1, 0.2, final=final)
    sentence = read_sentence(case.bitext, case.index, side, number, case.lexical)
    table = jump_table(case.jumps, side, 0)
    one, other = forward_backward(sentence, table), enumerated(sentence, table)
    assert one.log_likelihood == pytest.approx(other.log_likelihood, rel=1e-10)
    inner = (slice(None), slice(None) if final else slice(-1))
    for part, place in (("links", ...), ("null", ...), ("moves", inner)):
        np.testing.assert_allclose(
            getattr(one, part)[place], getattr(other, part)[place], rtol=1e-9, atol=1e-12
        )


# with full rows and with one state more; a short pair between two long ones
LONG = [(70, 20), (3, 4), (64, 65), (65, 15), (66, 70), (16, 17), (5, 80), (7, 8), (33, 6)]


@pytest.mark.parametrize("agreement", [False, True])
@pytest.mark.parametrize("tables", sampled([2, 1], 2))
def test_long_sentences(tables: int, agreement: bool, final: bool) -> None:
    case = Case(2, 2, 5, 0.1, tables=tables, final=final, lengths=LONG, num_types=60)
    found = case.run(agreement=agreement)
    check(found, case.twin(agreement=agreement, method=forward_backward), rtol=3e-4, atol=1e-4)
    np.testing.assert_allclose(
        case.log_likelihoods()[:, :, 1],
        [
            [
                forward_backward(
                    read_sentence(case.bitext, case.index, side, number, case.lexical, 1),
                    jump_table(case.jumps, side, 1),
                ).log_likelihood
                for number in range(len(LONG))
            ]
            for side in (0, 1)
        ],
        rtol=1e-5,
    )


def test_a_very_long_pair_has_proper_posteriors() -> None:
    """200 x 150 words, with tables as peaked as training makes them."""
    case = Case(4, 2, 5, 0.1, lengths=[(2, 1), (200, 150)], floor=1e-7, num_types=400)
    case.lexical.table[:] = case.lexical.table**30
    case.lexical.null_source[:] *= 1e-3
    found = case.link_posteriors(np.full((2, 2), 0.5))[:, 2:].reshape(2, 200, 150)
    assert np.isfinite(found).all()
    assert (found >= 0.0).all()
    assert (found <= 1.0).all()
    assert (found[0].sum(1, dtype=float) <= 1.0 + 1e-5).all()
    assert (found[1].sum(0, dtype=float) <= 1.0 + 1e-5).all()
    for side, table in enumerate(found):
        expected = sum(
            forward_backward(
                read_sentence(case.bitext, case.index, side, 1, case.lexical, domain),
                jump_table(case.jumps, side, domain),
            ).links
            for domain in (0, 1)
        )
        expected = expected / 2 if side == 0 else expected.T / 2
        np.testing.assert_allclose(table, expected, rtol=1e-3, atol=1e-4)


@pytest.mark.parametrize("floor", [1e-3, 1e-7, 1e-12, 1e-30])
def test_a_long_sentence_does_not_underflow(floor: float) -> None:
    """Emissions are all the floor, so that any alignment is as good as another."""
    length = 400
    rng = np.random.default_rng(0)
    bitext = random_bitext(rng, [(length, length)], num_types=50)
    index, cells = build_pair_index(bitext)
    lexical = random_lexical(rng, bitext, index, 1, floor)
    for array in lexical[:3]:
        array[:] = 0.0
    jumps = random_jumps(rng, 5, 0.1)
    actual = np.zeros((2, 1, 1))
    text = paired_text(bitext, cells)
    hmm.log_likelihoods(text, lexical, jumps, 0, 1, actual)
    np.testing.assert_allclose(actual, length * np.log(floor), rtol=1e-6)


@pytest.mark.parametrize("floor", [1e-7, 1e-12, 1e-20, 1e-30])
def test_posteriors_do_not_depend_on_the_unit_of_the_tables(floor: float) -> None:
    """All emissions at the floor: the posteriors are those of emissions of 1."""
    case = Case(0, 1, 2, 0.1, floor=floor, lengths=[(3, 4), (4, 3), (5, 2)])
    for array in case.lexical[:3]:
        array[:] = 0.0
    found = case.run()
    case.lexical = case.lexical._replace(floor=1.0)
    wanted = case.run()
    for one, other in zip(found.counts.arrays(), wanted.counts.arrays(), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("peak", [1.0, 1e-3])
def test_jumps_of_certain_alignments(peak: float) -> None:
    """Each word has one partner, on the diagonal: all jumps are +1."""
    size = 20
    words = [[f"{side}{k}" for k in range(size)] for side in "fe"]
    bitext = Bitext.unlabeled(*(Corpus.from_sentences([own]) for own in words))
    index, cells = build_pair_index(bitext)
    lexical = Lexical(
        np.zeros((len(index) + 1, 1, 2), np.float32), np.zeros((1, size + 2), np.float32),
        np.zeros((1, size + 2), np.float32), 1e-12,
    )  # fmt: skip
    lexical.table[cells.pair_ids.reshape(size, size).diagonal()] = peak
    jumps: Jumps = random_jumps(np.random.default_rng(1), 3, 0.0, null_probability=1e-6)
    weights = DomainWeights(np.zeros((2, 1, 1)), 1.0, np.zeros((1, 1)))
    counts, _ = run_hmm(paired_text(bitext, cells), lexical, jumps, (0, 1), weights)
    expected = np.zeros(9)
    expected[5] = size - 1
    for side in (0, 1):
        np.testing.assert_allclose(counts.jumps.jump[side, 0, 0], expected, rtol=1e-5, atol=1e-5)
        np.testing.assert_allclose(counts.jumps.start[side, 0], np.eye(9)[5], rtol=1e-5, atol=1e-5)
