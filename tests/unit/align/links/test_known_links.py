"""Hand links steer training, and are kept in its result."""

from typing import Any

import numpy as np
import pytest

from isogloss.align import AlignerOptions, Bitext, DataError, Links, UsageError, train
from isogloss.align.links.known_links import KnownLinks
from isogloss.align.model.kernels import hmm
from isogloss.align.model.parameters import paired_text
from isogloss.align.text.corpus import Corpus
from isogloss.align.training.checkpoint import fingerprint
from isogloss.align.training.em import Trainer
from tests.naive.expectations import Expectations

OPTIONS = AlignerOptions(model1_iterations=3, hmm_iterations=2, stem_length=0, prune=0.0)


def every(links: dict[int, list[tuple[int, int]]], size: int) -> Links:
    """Links of some of so many sentence pairs."""
    return Links.from_pairs(links.get(number, []) for number in range(size))


def monotone() -> Bitext:
    """Words whose translations the text leaves no doubt about; the last pair is `a b`, `x y`."""
    sentences = [(["a", "c"], ["x", "z"]), (["b", "c"], ["y", "z"]), (["a", "b"], ["x", "y"])]
    return Bitext.unlabeled(
        Corpus.from_sentences([source for source, _ in sentences * 5]),
        Corpus.from_sentences([target for _, target in sentences * 5]),
    )


def test_confident_links_are_learned_against_what_the_text_says():
    bitext, crossed = monotone(), [(0, 1), (1, 0)]
    assert train(bitext, options=OPTIONS).align(bitext)[14] == [(0, 0), (1, 1)]
    for agreement in (True, False):
        trainer = Trainer(
            bitext, OPTIONS.replace(agreement=agreement),
            known_links=KnownLinks(every({14: crossed}, 15), 0.9999),
        )  # fmt: skip
        weights = np.zeros((2, 15, 1))
        for stage, number in trainer.options.schedule:
            trainer.iterate(stage, number, weights)
        only = np.where(np.arange(15)[:, None] == 14, 0.0, -np.inf) + weights
        counts = Expectations.of(trainer.expect("hmm", only).counts)
        words = [bitext.source.vocabulary.encode(["a", "b"])]
        words += [bitext.target.vocabulary.encode([word, word])[0] for word in ("y", "x")]
        places = trainer.index.find(words[0], np.array(words[1:], np.int32))
        np.testing.assert_allclose(counts.links[places, 0], 1.0, rtol=0.01)
        assert counts.links.sum() == pytest.approx(2 * counts.links.shape[2], rel=0.01)


def test_a_word_is_held_to_its_hand_links_and_others_are_free():
    bitext = monotone()
    model = train(bitext, options=OPTIONS)
    cells, plain = model.link_posteriors(bitext)
    result = np.zeros_like(plain)
    text = paired_text(bitext, cells, KnownLinks(every({14: [(0, 1)]}, 15), 1.0))
    hmm.link_posteriors(
        text, model.parameters.lexical_tables(OPTIONS.lexical_floor),
        model.parameters.jumps(OPTIONS), np.ones((15, 1)), result,
    )  # fmt: skip
    np.testing.assert_array_equal(result[:, :-4], plain[:, :-4])
    np.testing.assert_allclose(result[0, -4:-2], [0.0, 1.0], atol=1e-2)  # a: y alone
    np.testing.assert_allclose(result[1, [-3, -1]], [1.0, 0.0], atol=1e-2)  # y: a alone
    assert result[0, -1] > 0.9  # b: still y
    assert result[1, -4] > 0.9  # x: still a


def test_without_confidence_every_byte_is_that_without_hand_links():
    bitext = monotone()
    links = every({3: [(0, 1)], 14: [(0, 1), (1, 0)]}, 15)
    expected = train(bitext, options=OPTIONS)
    actual = train(bitext, options=OPTIONS, known_links=KnownLinks(links, 0.0))
    for name in vars(expected.parameters):
        mine, its = getattr(actual.parameters, name), getattr(expected.parameters, name)
        assert mine.tobytes() == its.tobytes()
    assert actual.trace == expected.trace
    other = train(bitext, options=OPTIONS, known_links=KnownLinks(links, 0.5))
    assert other.trace != expected.trace
    usual = train(bitext, options=OPTIONS, known_links=links)  # confident ones, by default
    assert usual.trace == train(bitext, options=OPTIONS, known_links=KnownLinks(links)).trace


def two_word_terms(size: int) -> tuple[Bitext, list[list[tuple[int, int]]]]:
    """A language of terms of two words in any order: no count tells which word means which.

    Returns the text and its true links.
    """
    rng = np.random.default_rng(1)
    sides: tuple[list[list[str]], list[list[str]]] = ([], [])
    truth = []
    for _ in range(size):
        words = [f"{term}{part}" for term in rng.permutation(8)[:3] for part in "ab"]
        orders = [
            [2 * place + part for place in range(3) for part in rng.permutation(2).tolist()]
            for _ in sides
        ]
        for side, order in zip(sides, orders, strict=True):
            side.append([words[place] for place in order])
        truth.append([(orders[0].index(place), orders[1].index(place)) for place in range(6)])
    return Bitext.unlabeled(*map(Corpus.from_sentences, sides)), truth


def share_found(links: Links, truth: list[list[tuple[int, int]]], first: int) -> float:
    """Of the true links of the pairs from ``first`` on."""
    found = (len(set(links[number]) & set(truth[number])) for number in range(first, len(truth)))
    return sum(found) / sum(map(len, truth[first:]))


@pytest.mark.parametrize(("agreement", "hmm_iterations"), [(True, 5), (False, 5), (True, 0)])
def test_links_of_some_pairs_help_the_others(agreement: bool, hmm_iterations: int):
    bitext, truth = two_word_terms(150)
    options = OPTIONS.replace(
        model1_iterations=5, hmm_iterations=hmm_iterations, agreement=agreement
    )
    given = KnownLinks(every(dict(enumerate(truth[:30])), 150))
    shares = [
        share_found(train(bitext, options=options, known_links=known).align(bitext), truth, 30)
        for known in (None, given)
    ]
    assert shares[0] < 0.8
    assert shares[1] > 0.98


def test_domains_learn_from_hand_links_as_well():
    bitext, truth = two_word_terms(200)
    labels = np.full(200, -1, np.int16)
    labels[:100] = np.arange(100) % 2
    bitext = bitext.with_numbered_labels(labels, ("even", "odd"))
    given = KnownLinks(every(dict(enumerate(truth[:50])), 200))
    for shared_iterations in (0, 4):
        options = OPTIONS.replace(
            hmm_iterations=5, shared_iterations=shared_iterations, language_model_order=0
        )
        links = train(bitext, options=options, known_links=given).align(bitext)
        assert share_found(links, truth, 50) > 0.98


def test_hand_links_are_kept_in_the_result():
    found = Links.from_pairs([[(0, 0), (1, 1), (2, 2)], [(0, 1)], [(0, 0), (1, 2), (3, 1)]])
    hand = KnownLinks(Links.from_pairs([[], [(2, 2)], [(0, 2), (1, 0)], [(5, 5)]]))
    kept = hand.kept_in(found)
    assert [kept[k] for k in range(len(kept))] == [
        [(0, 0), (1, 1), (2, 2)], [(0, 1), (2, 2)], [(0, 2), (1, 0), (3, 1)],
    ]  # fmt: skip
    assert kept.probability is None


def test_kept_hand_links_are_certain():
    sure = np.array([0.25, 0.5, 0.75], np.float32)
    found = Links(*np.array([[0, 1, 3], [2, 2, 1]], np.int32), np.array([0, 1, 3]), sure)
    kept = KnownLinks(Links.from_pairs([[(1, 0)], [(1, 3), (2, 2)]])).kept_in(found)
    assert [kept[0], kept[1]] == [[(0, 2), (1, 0)], [(1, 3), (2, 2), (3, 1)]]
    assert kept.probability is not None
    assert kept.probability.tolist() == [0.25, 1.0, 1.0, 1.0, 0.75]


def test_cells():
    hand = KnownLinks(Links.from_pairs([[(0, 1), (2, 0)], [], [(1, 3)]]))
    assert hand.cells(np.array([2, 7, 4])).tolist() == [1, 4, 7]


@pytest.mark.parametrize("confidence", [-0.1, 1.01, float("nan")])
def test_confidence_is_a_probability(confidence: float):
    with pytest.raises(UsageError, match=rf"confidence must be .* got {confidence}"):
        KnownLinks(Links.from_pairs([]), confidence)


@pytest.mark.parametrize(
    ("links", "message"),
    [
        ([[]] * 14, "the links have 14 lines; expected 15, one per sentence pair"),
        (
            [[]] * 14 + [[(2, 0)]],
            "line 15: link 2-0 is out of range: the sentence pair has 2 source words and 2 target",
        ),
        (
            [[]] * 14 + [[(0, 2)]],
            "line 15: link 0-2 is out of range: the sentence pair has 2 source words and 2 target",
        ),
    ],
)
def test_links_of_another_text(links: list[list[tuple[int, int]]], message: str):
    with pytest.raises(DataError) as raised:
        train(monotone(), options=OPTIONS, known_links=KnownLinks(Links.from_pairs(links)))
    assert message.removeprefix("line 15: ") in str(raised.value)
    assert raised.value.line == (15 if message.startswith("line") else None)


def test_a_checkpoint_is_of_its_hand_links():
    bitext = monotone()
    links = [every({}, 15), every({3: [(0, 1)]}, 15)]
    prints = {fingerprint(bitext, OPTIONS)}
    prints |= {
        fingerprint(bitext, OPTIONS, None, KnownLinks(given, confidence))
        for given in links
        for confidence in (0.9, 0.99)
    }
    assert len(prints) == 5


def test_known_links_are_links():
    wrong: Any = [[(0, 0)]]
    with pytest.raises(TypeError, match=r"known links must be Links, not .*; use Links.from_pairs"):
        KnownLinks(wrong)
