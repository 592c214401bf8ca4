"""Agreement of the two directions, links by posterior, and how sure a link is."""

from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
import pytest

from isogloss.align import (
    AlignerOptions,
    AlignmentModel,
    Bitext,
    DataError,
    Links,
    UsageError,
    train,
)
from isogloss.align.links.calibration import AGREED, APART
from isogloss.align.links.links import format_links
from isogloss.align.links.symmetrize import HEURISTICS, symmetrize
from isogloss.align.model.kernels import hmm
from isogloss.align.text.corpus import Corpus
from isogloss.align.training.em import Trainer
from tests.naive.alignment import enumerated, jump_table, random_bitext, read_sentence
from tests.naive.expectations import Expectations, Given, expect

LENGTHS = [(3, 2), (1, 4), (0, 2), (4, 4), (2, 1)]


def distinct_bitext() -> Bitext:
    """Every token is a type of its own, so that each cell has its own pair of types."""
    sides = []
    for side in (0, 1):
        numbers = iter(range(100))
        sides.append([[f"{side}-{next(numbers)}" for _ in range(n[side])] for n in LENGTHS])
    return Bitext.unlabeled(Corpus.from_sentences(sides[0]), Corpus.from_sentences(sides[1]))


def trained(bitext: Bitext, *, agreement: bool = True, domains: int = 1) -> Trainer:
    """Tables of random numbers."""
    trainer = Trainer(bitext, AlignerOptions(jump_window=2, agreement=agreement))
    trainer.split(domains)
    rng, own = np.random.default_rng(3), trainer.parameters
    for array in (own.lexical[:-1], own.null_source[:, :-1], own.null_target[:, :-1]):
        array[:] = rng.uniform(0.01, 1.0, array.shape)
    return trainer


def counted(trainer: Trainer, log_weights: np.ndarray) -> tuple[Expectations, np.ndarray]:
    found = trainer.expect("hmm", log_weights)
    return Expectations.of(found.counts), found.posterior


def test_links_are_counted_by_the_product_of_the_posteriors() -> None:
    trainer = trained(distinct_bitext(), domains=2)
    options, own = trainer.options, trainer.parameters
    log_weights = np.log(np.random.default_rng(0).random((2, len(LENGTHS), 2)))
    counts, weights = counted(trainer, log_weights)
    jumps = own.jumps(options)
    expected = np.zeros((len(trainer.index) + 1, 2, 1))
    for domain in (0, 1):
        one, other = np.zeros((2, len(trainer.cells.pair_ids)), np.float32)
        certain = np.tile(np.eye(2)[domain], (len(LENGTHS), 1))
        result = np.stack([one, other])
        hmm.link_posteriors(
            trainer.text, own.lexical_tables(options.lexical_floor), jumps, certain, result,
        )  # fmt: skip
        each = np.repeat(weights[:, domain], np.diff(trainer.cells.offsets))
        values = result[0].astype(float) * result[1] * each
        expected[trainer.cells.pair_ids, domain, 0] = values
    np.testing.assert_allclose(counts.links, expected, rtol=1e-5, atol=1e-7)


def test_jumps_and_null_are_counted_by_each_direction_alone() -> None:
    bitext = distinct_bitext()
    log_weights = np.log(np.random.default_rng(0).random((2, len(LENGTHS), 2)))
    (agreed, one), (plain, other) = (
        counted(trained(bitext, agreement=agreement, domains=2), log_weights)
        for agreement in (True, False)
    )
    np.testing.assert_array_equal(one, other)
    np.testing.assert_array_equal(agreed.null_source, plain.null_source)
    np.testing.assert_array_equal(agreed.null_target, plain.null_target)
    for mine, its in zip(agreed.jumps, plain.jumps, strict=True):
        np.testing.assert_array_equal(mine, its)
    assert (agreed.links[:-1, :, 0] < plain.links[:-1].min(2) + 1e-9).all()


def test_an_agreed_e_step_of_repeated_words_is_that_of_all_alignments() -> None:
    bitext = random_bitext(np.random.default_rng(5), LENGTHS, num_types=2)
    trainer = trained(bitext, domains=2)
    own, options = trainer.parameters, trainer.options
    log_weights = np.log(np.random.default_rng(0).random((2, len(LENGTHS), 2)))
    found, _ = counted(trainer, log_weights)
    tables = own.lexical_tables(options.lexical_floor), own.jumps(options)
    wanted = expect(Given(bitext, trainer.index, *tables), log_weights, agreement=True).counts
    for one, other in zip(found.arrays(), wanted.arrays(), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-6)


def link_tables(model: AlignmentModel, bitext: Bitext, number: int) -> np.ndarray:
    """Posteriors of one pair in both directions, domains averaged: [2, J, I], by enumeration."""
    weights = model.domain_posteriors(bitext)[number]
    lexical = model.parameters.lexical_tables(model.options.lexical_floor)
    jumps = model.parameters.jumps(model.options)
    tables = []
    for side in (0, 1):
        table = sum(
            weights[domain]
            * enumerated(
                read_sentence(bitext, model.index, side, number, lexical, domain),
                jump_table(jumps, side, domain),
            ).links
            for domain in range(len(model.domains))
        )
        tables.append(table if side == 0 else table.T)
    return np.array(tables)


def labeled(bitext: Bitext) -> Bitext:
    labels = np.arange(len(bitext)) % 3 - 1
    return bitext.with_numbered_labels(labels.astype(np.int16), ("law", "med"))


@pytest.fixture(scope="module", params=["flat", "domains"])
def case(request: pytest.FixtureRequest) -> tuple[AlignmentModel, Bitext]:
    bitext = random_bitext(
        np.random.default_rng(1), [(3, 4), (0, 1), (3, 3), (1, 5), (2, 0)] * 4, num_types=4
    )
    options = AlignerOptions(hmm_iterations=2, final_jumps=True, language_model_order=0)
    if request.param == "flat":
        return train(bitext, options=options), bitext
    with pytest.warns(UserWarning, match="too few"):
        return train(labeled(bitext), options=options.replace(shared_jumps=False)), bitext


def test_posterior_links_are_those_above_the_threshold(
    case: tuple[AlignmentModel, Bitext],
) -> None:
    model, bitext = case
    links = model.align_posterior(bitext, 0.3)
    assert links.probability is not None
    assert links.probability.dtype == np.float32
    for number in range(len(bitext)):
        if not bitext.usable[number]:
            assert links[number] == []
            continue
        tables = link_tables(model, bitext, number)
        table = tables.mean(0)
        assert (np.abs(table - 0.3) > 1e-5).all()  # no link is on the edge
        assert [tuple(one) for one in np.argwhere(table >= 0.3).tolist()] == links[number]
        own = links.part(number, 1)
        np.testing.assert_allclose(
            own.probability, AGREED.confidence(*tables[:, own.source, own.target]), rtol=1e-3
        )
    fewer = model.align_posterior(bitext, 0.9)
    assert all(set(fewer[pair]) <= set(links[pair]) for pair in range(len(bitext)))


def test_confidence_is_how_often_such_links_are_right(case: tuple[AlignmentModel, Bitext]) -> None:
    """Of any links, also of links that the model would never choose."""
    model, bitext = case
    every = Links.from_pairs(
        product(range(j), range(i))
        for j, i in zip(bitext.source.lengths, bitext.target.lengths, strict=True)
    )
    scored = model.with_confidence(bitext, every, threads=2)
    assert scored.probability is not None
    assert [every[number] for number in range(len(every))] == [
        scored[number] for number in range(len(scored))
    ]
    cells, posterior = model.link_posteriors(bitext)
    assert cells.offsets.tolist() == every.offsets.tolist()  # all cells are linked
    np.testing.assert_array_equal(scored.probability, AGREED.confidence(*posterior))
    for number in np.flatnonzero(bitext.usable):
        own = scored.part(number, 1)
        np.testing.assert_allclose(
            own.probability,
            AGREED.confidence(*link_tables(model, bitext, number).reshape(2, -1)),
            rtol=1e-3,
        )
    chosen = model.align(bitext, heuristic="union")
    some = model.with_confidence(bitext, chosen).probability
    places = [
        cells.offsets[n] + j * bitext.target.lengths[n] + i
        for n in range(len(bitext)) for j, i in chosen[n]
    ]  # fmt: skip
    np.testing.assert_array_equal(some, AGREED.confidence(*posterior[:, places]))
    apart = replace(model, options=model.options.replace(agreement=False))
    some = apart.with_confidence(bitext, chosen).probability
    np.testing.assert_array_equal(some, APART.confidence(*posterior[:, places]))
    sure = model.align_posterior(bitext)
    again = model.with_confidence(bitext, sure.unscored())
    np.testing.assert_array_equal(again.probability, sure.probability)


def test_confidence_of_links_out_of_range(case: tuple[AlignmentModel, Bitext]) -> None:
    model, bitext = case
    links = Links.from_pairs([[(3, 0)]] + [[]] * (len(bitext) - 1))
    with pytest.raises(
        DataError,
        match=r"link 3-0 is out of range: the sentence pair has 3 source words and 4 target words",
    ):
        model.with_confidence(bitext, links)
    with pytest.raises(DataError, match="the links have 1 line; expected 20, one per"):
        model.with_confidence(bitext, links.part(0, 1))


def test_blocks_change_nothing(
    case: tuple[AlignmentModel, Bitext], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A bitext longer than a block is worked through in parts."""
    model, bitext = case
    links = model.align_posterior(bitext)
    scored = model.with_confidence(bitext, links)
    cells, posterior = model.link_posteriors(bitext)
    forward, reverse = model.align_directions(bitext)
    likelihoods = model.log_likelihoods(bitext)
    monkeypatch.setattr("isogloss.align.model.posteriors.PAIRS", 3)
    monkeypatch.setattr("isogloss.align.model.likelihoods.PAIRS", 3)
    for threads in (1, 3):
        np.testing.assert_array_equal(model.log_likelihoods(bitext, threads), likelihoods)
        again, values = model.link_posteriors(bitext, threads)
        np.testing.assert_array_equal(again.pair_ids, cells.pair_ids)
        np.testing.assert_array_equal(values, posterior)
        pairs = [
            (model.align_posterior(bitext, threads=threads), links),
            (model.with_confidence(bitext, links, threads), scored),
            *zip(model.align_directions(bitext, threads), (forward, reverse), strict=True),
        ]
        for one, other in pairs:
            for part in ("source", "target", "offsets", "probability"):
                np.testing.assert_array_equal(getattr(one, part), getattr(other, part))


def test_known_posteriors_are_used_as_they_are() -> None:
    bitext = random_bitext(np.random.default_rng(1), [(3, 4), (3, 3)] * 6, num_types=4)
    options = AlignerOptions(language_model_order=0, shared_jumps=False)
    with pytest.warns(UserWarning, match="too few"):
        model = train(labeled(bitext), options=options)
    given = np.tile([0.25, 0.0, 0.75], (len(bitext), 1))
    parts = [model.restricted([name]).link_posteriors(bitext)[1] for name in ("law", "out")]
    found = model.link_posteriors(bitext, posterior=given)[1]
    np.testing.assert_allclose(found, 0.25 * parts[0] + 0.75 * parts[1], rtol=1e-5, atol=1e-7)
    links = model.align_posterior(bitext, 1e-3, posterior=given)
    assert links.probability is not None
    again = model.with_confidence(bitext, links, posterior=given)
    np.testing.assert_array_equal(again.probability, links.probability)


def test_combinations(case: tuple[AlignmentModel, Bitext]) -> None:
    model, bitext = case
    directions = model.align_directions(bitext)
    for name in HEURISTICS:
        links, expected = model.align(bitext, heuristic=name), symmetrize(*directions, name)
        assert links.probability is None
        assert [expected[n] for n in range(len(bitext))] == [links[n] for n in range(len(bitext))]
    by_posterior = model.align_posterior(bitext, model.options.posterior_threshold)
    for links in (model.align(bitext), model.align(bitext, heuristic="posterior")):
        np.testing.assert_array_equal(links.source, by_posterior.source)
        np.testing.assert_array_equal(links.probability, by_posterior.probability)
    with pytest.raises(UsageError, match=r"heuristic must be one of posterior, .*got 'best'"):
        model.align(bitext, heuristic="best")


def test_model_1_alone_is_combined_by_growing() -> None:
    bitext = random_bitext(np.random.default_rng(1), [(4, 5), (3, 3), (1, 6)] * 5, num_types=6)
    model = train(bitext, options=AlignerOptions(hmm_iterations=0))
    links = model.align(bitext)
    expected = model.align(bitext, heuristic="grow-diag-final-and")
    assert links.probability is None
    assert [expected[n] for n in range(len(bitext))] == [links[n] for n in range(len(bitext))]


def test_posteriors_of_each_word_sum_to_one_at_most() -> None:
    bitext = random_bitext(np.random.default_rng(2), [(4, 3), (2, 5)] * 4)
    cells, posterior = train(bitext).link_posteriors(bitext)
    for pair in range(len(bitext)):
        shape = (bitext.source.lengths[pair], bitext.target.lengths[pair])
        own = posterior[:, cells.offsets[pair] : cells.offsets[pair + 1]]
        assert (own[0].reshape(shape).sum(1) <= 1 + 1e-5).all()
        assert (own[1].reshape(shape).sum(0) <= 1 + 1e-5).all()


@pytest.mark.parametrize("agreement", [False, True])
def test_threads_change_nothing(agreement: bool) -> None:
    bitext = random_bitext(np.random.default_rng(4), [(4, 3), (2, 5), (6, 6)] * 40, num_types=6)
    models = [
        train(bitext, options=AlignerOptions(agreement=agreement), threads=n) for n in (1, 2, 3)
    ]
    for model in models[1:]:
        assert models[0].trace == model.trace
        for part in ("lexical", "null_source", "null_target", "jump", "start"):
            one, other = (getattr(own.parameters, part) for own in (models[0], model))
            assert one.tobytes() == other.tobytes()


@pytest.mark.parametrize("threshold", [0.0, 1.5, float("nan")])
def test_threshold_out_of_range(threshold: float) -> None:
    bitext = random_bitext(np.random.default_rng(0), [(2, 2)] * 2)
    with pytest.raises(UsageError, match="threshold must be above 0 and at most 1,"):
        train(bitext).align_posterior(bitext, threshold)


def test_posteriors_need_the_hmm() -> None:
    bitext = random_bitext(np.random.default_rng(0), [(2, 2)] * 2)
    model = train(bitext, options=AlignerOptions(hmm_iterations=0))
    links = model.align(bitext)
    for ask in (
        lambda: model.link_posteriors(bitext),
        lambda: model.align_posterior(bitext),
        lambda: model.with_confidence(bitext, links),
    ):
        with pytest.raises(UsageError, match="link posteriors need a model with HMM iterations"):
            ask()


FEW_SEEDS = pytest.mark.filterwarnings("ignore:the domain '.*' has only 1 seed pair")


def over_other_vocabularies(bitext: Bitext) -> Bitext:
    """The same words with other numbers, and one that is new in front."""
    sides = [
        Corpus.from_sentences([["new"], *(side.words(k) for k in range(len(side)))])
        for side in (bitext.target, bitext.source)  # numbers of the wrong side
    ]
    return Bitext.unlabeled(sides[1], sides[0])


@FEW_SEEDS
def test_text_over_other_vocabularies() -> None:
    """Words are found by what they are, whatever their numbers."""
    bitext = random_bitext(np.random.default_rng(0), [(4, 3)] * 5)
    labels = np.array([0, 1, -1, -1, -1], np.int16)
    model = train(bitext.with_numbered_labels(labels, ("x", "y")))
    other = over_other_vocabularies(bitext)
    known = model.encode(other)
    links = Links.from_pairs([[]] + [[(0, 0)]] * 5)
    for ask in (
        lambda text: model.link_posteriors(text)[1],
        lambda text: model.align_posterior(text).keys(),
        lambda text: model.with_confidence(text, links).probability,
        lambda text: model.align_directions(text)[0].keys(),
        lambda text: model.align(text, heuristic="union").keys(),
        lambda text: model.scores(text)[1:],
        model.log_likelihoods,
        model.domain_posteriors,
    ):
        np.testing.assert_array_equal(ask(other), ask(known))
    np.testing.assert_array_equal(model.scores(other)[1:], model.scores(bitext))


@FEW_SEEDS
def test_one_pair() -> None:
    bitext = random_bitext(np.random.default_rng(0), [(4, 3)] * 5)
    labels = np.array([0, 1, -1, -1, -1], np.int16)
    model = train(bitext.with_numbered_labels(labels, ("x", "y")))
    source, target, _ = bitext[1]
    part = bitext[1:2]
    for combination in (None, "union"):
        found = model.align_pair(" ".join(source), target, combination)
        links = model.align(part, heuristic=combination)
        links = links if links.probability is not None else model.with_confidence(part, links)
        assert (found.source, found.target) == (tuple(source), tuple(target))
        assert str(found) == next(format_links(links.unscored())).strip()
        assert [link[:2] for link in found] == links[0]
        assert [link.source for link in found] == [source[i] for i, _ in links[0]]
        assert [link.target for link in found] == [target[j] for _, j in links[0]]
        assert [link.probability for link in found] == links.probability.tolist()
        assert len(found) == len(links[0])
        assert list(found.domains) == list(model.domains)
        assert list(found.domains.values()) == model.domain_posteriors(part)[0].tolist()
        assert found.domains[found.domain] == max(found.domains.values())
    nothing = model.align_pair("", ["x"])
    assert (str(nothing), nothing.links, nothing.target) == ("", (), ("x",))
    wrong: Any
    wrong = "the file"
    for ask in (model.scores, model.domain_posteriors, model.link_posteriors):
        with pytest.raises(TypeError, match=r"bitext must be a Bitext, not 'the file'; use Bit"):
            ask(wrong)


def test_a_text_without_pairs() -> None:
    bitext = random_bitext(np.random.default_rng(0), [(2, 2)] * 2)
    model, none = train(bitext), bitext.select(np.zeros(0, np.int64))
    assert len(model.align(none)) == len(model.align(none, heuristic="union")) == 0
    cells, values = model.link_posteriors(none)
    assert cells.offsets.tolist() == [0]
    assert values.shape == (2, 0)
    assert len(model.with_confidence(none, Links.from_pairs([]))) == 0
    assert model.scores(none).shape == (0,)
