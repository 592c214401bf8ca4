"""Hand links in the kernels of Model 1 and the HMM against the enumeration of all alignments."""

import numpy as np
import pytest

from isogloss.align.links.known_links import KnownLinks
from isogloss.align.links.links import Links
from isogloss.align.model.cooccurrence import build_pair_index
from isogloss.align.model.kernels import hmm, model1
from isogloss.align.model.kernels.gather import DomainWeights
from isogloss.align.model.parameters import paired_text
from isogloss.align.text.bitext import Bitext
from isogloss.align.text.corpus import Corpus
from tests.naive.alignment import forward_backward, random_bitext, random_jumps, random_lexical
from tests.naive.expectations import Expected, Given, expect, run_hmm, run_model1

# with pairs that have no hand links, or an empty side, between those that have some
LENGTHS = [(3, 4), (1, 1), (2, 3), (3, 0), (4, 3), (3, 1), (1, 4), (3, 3), (0, 0), (2, 2)]
HAND = Links.from_pairs(
    [
        [(0, 1), (0, 3), (2, 1)], [], [(1, 2)], [], [(0, 0), (1, 2), (2, 1), (3, 0)],
        [(0, 0), (1, 0), (2, 0)], [(0, 1), (0, 2)], [], [], [(1, 1)],
    ]
)  # fmt: skip


class Case:
    """Random text, tables and jumps, with hand links."""

    def __init__(
        self, domains: int, known_links: KnownLinks | None, *, floor: float = 0.05,
        lengths: list[tuple[int, int]] = LENGTHS, num_types: int = 3,
    ) -> None:  # fmt: skip
        rng = np.random.default_rng(domains)
        self.domains, self.known_links = domains, known_links
        self.bitext = random_bitext(rng, lengths, num_types)
        self.index, cells = build_pair_index(self.bitext)
        self.text = paired_text(self.bitext, cells, known_links)
        self.lexical = random_lexical(rng, self.bitext, self.index, domains, floor)
        self.jumps = random_jumps(rng, 2, 0.1)
        self.log_weights = np.log(rng.random((2, len(lengths), domains)) + 0.01)

    def run(self, stage: str, *, agreement: bool = False) -> Expected:
        posterior = np.full((len(self.bitext), self.domains), np.nan)
        weights = DomainWeights(self.log_weights, 1.0, posterior)
        if stage == "model1":
            everything = Given(self.bitext, self.index, self.lexical, self.jumps)
            return Expected(posterior, *run_model1(everything, self.text, weights))
        pairs = 0, len(self.bitext)
        found = run_hmm(self.text, self.lexical, self.jumps, pairs, weights, agreement)
        return Expected(posterior, *found)

    def check(self, stage: str, *, agreement: bool = False, **options: object) -> None:
        found = self.run(stage, agreement=agreement)
        wanted = expect(
            Given(self.bitext, self.index, self.lexical, self.jumps), self.log_weights,
            agreement=agreement, model1=stage == "model1", known_links=self.known_links, **options,
        )  # fmt: skip
        np.testing.assert_allclose(found.posterior, wanted.posterior, rtol=1e-4, atol=1e-7)
        np.testing.assert_allclose(found.objective, wanted.objective, rtol=1e-5)
        for one, other in zip(found.counts.arrays(), wanted.counts.arrays(), strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-5)

    def log_likelihoods(self, stage: str) -> np.ndarray:
        result = np.full((2, len(self.bitext), self.domains), np.nan)
        if stage == "model1":
            model1.log_likelihoods(self.text, self.lexical, 0, len(self.bitext), result)
        else:
            hmm.log_likelihoods(self.text, self.lexical, self.jumps, 0, len(self.bitext), result)
        return result

    def link_posteriors(self) -> np.ndarray:
        """Of all cells, in both directions, domains being equally likely."""
        result = np.full((2, self.text.cell_offsets[-1]), np.nan, np.float32)
        weights = np.full((len(self.bitext), self.domains), 1.0 / self.domains)
        hmm.link_posteriors(self.text, self.lexical, self.jumps, weights, result)
        return result


STAGES = [("model1", False), ("hmm", False), ("hmm", True)]


@pytest.mark.parametrize("confidence", [0.3, 0.99, 1.0])
@pytest.mark.parametrize(("stage", "agreement"), STAGES)
def test_an_e_step_is_that_of_all_alignments(stage: str, agreement: bool, confidence: float):
    for domains in (1, 3):
        Case(domains, KnownLinks(HAND, confidence)).check(stage, agreement=agreement)


@pytest.mark.parametrize(("stage", "agreement"), STAGES)
def test_without_confidence_every_byte_is_that_without_hand_links(stage: str, agreement: bool):
    plain, supervised = Case(2, None), Case(2, KnownLinks(HAND, 0.0))
    one, other = (case.run(stage, agreement=agreement) for case in (plain, supervised))
    for mine, its in zip(
        (one.posterior, one.objective, *one.counts.arrays()),
        (other.posterior, other.objective, *other.counts.arrays()),
        strict=True,
    ):
        assert mine.tobytes() == its.tobytes()
    assert plain.log_likelihoods(stage).tobytes() == supervised.log_likelihoods(stage).tobytes()


@pytest.mark.parametrize("stage", ["model1", "hmm"])
def test_pairs_without_hand_links_are_not_touched(stage: str):
    plain, supervised = (
        Case(2, given).log_likelihoods(stage) for given in (None, KnownLinks(HAND))
    )
    linked = np.diff(HAND.offsets) > 0
    np.testing.assert_array_equal(plain[:, ~linked], supervised[:, ~linked])
    choices = linked & (np.array(LENGTHS).prod(1) > 1)
    assert (supervised[:, choices] < plain[:, choices]).all()


def test_link_posteriors_are_those_of_hand_links_where_they_are_certain():
    case = Case(2, KnownLinks(HAND, 1.0))
    found = case.link_posteriors()
    for number, (num_source, num_target) in enumerate(LENGTHS):
        own = found[:, slice(*case.text.cell_offsets[number : number + 2])]
        own = own.reshape(2, num_source, num_target)
        hand = np.zeros((num_source, num_target), bool)
        for link in HAND[number]:
            hand[link] = True
        for side, words in enumerate((hand.any(1), hand.any(0))):
            sums = np.where(hand, own[side], 0.0).sum(1 - side)
            np.testing.assert_allclose(sums[words], 1.0, rtol=1e-5)
            others = own[side][words] if side == 0 else own[side][:, words].T
            others = np.where(hand[words] if side == 0 else hand[:, words].T, 0.0, others)
            assert (others < 1e-6).all()


LONG = [(70, 20), (64, 65), (16, 80)]


@pytest.mark.parametrize("confidence", [0.99, 1.0])
def test_long_sentences(confidence: float):
    rng = np.random.default_rng(1)
    hand = Links.from_pairs(
        map(tuple, rng.integers(0, size, (size[1] // 2, 2)).tolist()) for size in LONG
    )
    case = Case(1, KnownLinks(hand, confidence), lengths=LONG, num_types=60)
    case.check("hmm", method=forward_backward)


@pytest.mark.parametrize("floor", [1e-7, 1e-30])
@pytest.mark.parametrize("stage", ["model1", "hmm"])
def test_hand_links_against_all_that_tables_say(stage: str, floor: float):
    """200 words linked from the last to the first, where only the diagonal has any probability."""
    size = 200
    hand = KnownLinks(Links.from_pairs([[(k, size - 1 - k) for k in range(size)]]), 1.0)
    case = Case(1, hand, floor=floor, lengths=[(size, size)])
    words = Corpus.from_sentences([[f"w{k:03}" for k in range(size)]])
    case.bitext = Bitext.unlabeled(words, words)
    case.index, cells = build_pair_index(case.bitext)
    case.text = paired_text(case.bitext, cells, hand)
    case.lexical = random_lexical(np.random.default_rng(0), case.bitext, case.index, 1, floor)
    for table in case.lexical[:3]:
        table[:] = 0.0
    case.lexical.table[:-1, 0].reshape(size, size, 2)[np.diag_indices(size)] = 1.0
    assert np.isfinite(case.log_likelihoods(stage)).all()
    found = case.run(stage)
    assert all(np.isfinite(array).all() for array in found.counts.arrays())
    if floor == 1e-7:  # else the tables' certainty is as great as a float32 can show
        links = found.counts.links[:-1, 0].reshape(size, size, 2)
        for side in (0, 1):
            np.testing.assert_allclose(links[..., side], np.eye(size)[::-1], atol=1e-4)


@pytest.mark.parametrize("confidence", [0.99, 1.0])
def test_hand_links_that_hardly_a_jump_leads_to(confidence: float):
    """Words linked from the last to the first, where jumps go on by one word."""
    size = 60
    hand = Links.from_pairs([[(k, size - 1 - k) for k in range(size)]])
    case = Case(1, KnownLinks(hand, confidence), floor=1e-7, lengths=[(size, size)])
    case.jumps = case.jumps._replace(smoothing=0.0)
    for table in (case.jumps.jump, case.jumps.start):
        table[:] = 1e-9  # no estimate is smaller
        table[..., 4] = 1.0
    case.check("hmm", method=forward_backward)
