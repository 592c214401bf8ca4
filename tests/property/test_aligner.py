"""Any small bitext, any options: tables are distributions, posteriors and links make sense."""

import warnings

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from isogloss.align.errors import DataWarning
from isogloss.align.links.symmetrize import HEURISTICS
from isogloss.align.model.model import AlignmentModel
from isogloss.align.model.parameters import AlignerOptions
from isogloss.align.text.bitext import Bitext
from isogloss.align.text.corpus import Corpus
from isogloss.align.training.train import train
from tests.tiers import examples

NAMES = ("law", "med")


@st.composite
def bitexts(draw: st.DrawFn, seeds: int = 0, longest: int = 6) -> Bitext:
    """Words repeat within and between sentences; at least one pair of each seed can be used."""
    types = draw(st.integers(1, 5))
    words = st.integers(0, types - 1).map("abcde".__getitem__)
    sentence = st.lists(words, max_size=longest)
    pairs = draw(st.lists(st.tuples(sentence, sentence), max_size=6))
    if draw(st.booleans()):
        pairs += [(source, list(source)) for source, _ in pairs]  # identical sides
    pairs += [(["a"], ["a"] * draw(st.integers(1, 3)))] * (seeds + 1)
    source, target = (Corpus.from_sentences([pair[k] for pair in pairs]) for k in (0, 1))
    seed_domains = st.integers(-1, seeds - 1)
    labels = draw(st.lists(seed_domains, min_size=len(pairs), max_size=len(pairs)))
    labels[len(pairs) - seeds - 1 :] = range(-1, seeds)
    return Bitext(source, target, np.array(labels, np.int16), NAMES[:seeds])


def bitext_of(pairs: list[tuple[list[str], list[str]]]) -> Bitext:
    """A bitext without labels."""
    source, target = (Corpus.from_sentences([pair[k] for pair in pairs]) for k in (0, 1))
    return Bitext(source, target, np.full(len(pairs), -1, np.int16), ())


OPTIONS = st.builds(
    AlignerOptions,
    model1_iterations=st.integers(1, 3),
    hmm_iterations=st.integers(0, 3),
    shared_iterations=st.integers(0, 6),
    jump_window=st.integers(1, 5),
    final_jumps=st.booleans(),
    null_probability=st.sampled_from([1e-6, 0.1, 0.9]),
    jump_smoothing=st.sampled_from([0.0, 0.1, 1.0]),
    lexical_floor=st.sampled_from([1e-30, 1e-12, 1e-7, 9e-4]),
    agreement=st.booleans(),
    stem_length=st.sampled_from([0, 1, 4]),
    stem_smoothing=st.sampled_from([0.5, 100.0]),
    prune=st.sampled_from([0.0, 0.01, 0.4]),
    domain_smoothing=st.sampled_from([0.0, 10.0]),
    domain_temperature=st.sampled_from([0.5, 1.0, 5.0]),
    min_domain_posterior=st.sampled_from([0.0, 1e-3, 0.5]),
    seed_confidence=st.sampled_from([0.5, 1.0]),
    shared_jumps=st.booleans(),
    language_model_order=st.sampled_from([0, 0, 1, 2]),
    language_model_sides=st.sampled_from(["both", "source", "target"]),
    language_model_refits=st.integers(0, 2),
    out_domain_size=st.sampled_from([0, 1, 3]),
    out_domain_selection=st.sampled_from(["burn-in", "dissimilar"]),
    heldout_every=st.sampled_from([0, 0, 2]),
    domain_weighting=st.sampled_from(["joint", "source", "argmax"]),
    heuristic=st.sampled_from(["posterior", *HEURISTICS]),
)


def trained(bitext: Bitext, options: AlignerOptions) -> AlignmentModel:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)  # few seeds
        return train(bitext, options=options)


def check_tables(model: AlignmentModel) -> None:
    parameters, index = model.parameters, model.index
    assert (np.exp(model.log_prior) >= 0.0).all()
    assert np.exp(model.log_prior).sum() == pytest.approx(1.0, rel=1e-9)
    for table in (parameters.lexical, parameters.null_source, parameters.null_target):
        assert np.isfinite(table).all()
        assert (table >= 0.0).all()
    for jump in (parameters.jump, parameters.start):
        assert np.isfinite(jump).all()
        assert (jump > 0.0).all()
    # without stems and pruning a row sums to 1, or the domain never saw its word
    whole = model.options.stem_length == 0 and model.options.prune == 0.0
    for side, states in enumerate((index.columns, index.rows)):
        for domain in range(len(model.domains)):
            sums = np.bincount(states, parameters.lexical[:-1, domain, side], minlength=1)
            assert (sums <= 1.0 + 1e-5).all()
            if whole:
                off = np.minimum(sums, np.abs(sums - 1.0))
                np.testing.assert_allclose(off, 0.0, atol=1e-5)
    for null in (parameters.null_source, parameters.null_target):
        sums = null.sum(1)
        np.testing.assert_allclose(np.minimum(sums, np.abs(sums - 1.0)), 0.0, atol=1e-5)
    assert all(np.isfinite(iteration.log_likelihood).all() for iteration in model.trace)


def check_answers(model: AlignmentModel, bitext: Bitext) -> None:
    posterior = model.domain_posteriors(bitext)
    assert ((posterior >= 0.0) & (posterior <= 1.0 + 1e-9)).all()
    np.testing.assert_allclose(posterior.sum(1), 1.0, rtol=1e-9)
    lengths = bitext.source.lengths, bitext.target.lengths
    for combination in (None, "union", "grow-diag-final-and"):
        links = model.align(bitext, heuristic=combination)
        links.check_range(*lengths)
    scores = model.scores(bitext)
    assert ((scores == -np.inf) == ~bitext.usable).all()
    if model.options.hmm_iterations == 0:
        return
    cells, values = model.link_posteriors(bitext)
    assert np.isfinite(values).all()
    assert (values >= 0.0).all()
    assert (values <= 1.0).all()
    for number, (begin, end) in enumerate(zip(cells.offsets[:-1], cells.offsets[1:], strict=True)):
        cells_of_pair = values[:, begin:end].reshape(2, lengths[0][number], lengths[1][number])
        assert (cells_of_pair[0].sum(1, dtype=float) <= 1.0 + 1e-4).all()
        assert (cells_of_pair[1].sum(0, dtype=float) <= 1.0 + 1e-4).all()
    scored = model.with_confidence(bitext, model.align(bitext, heuristic="union"))
    assert scored.probability is not None
    assert ((scored.probability >= 0.0) & (scored.probability <= 1.0)).all()


def elsewhere(model: AlignmentModel) -> Bitext:
    """Words that the model has not, pairs of words that never met, a long sentence."""
    sentences = [["a", "new", "b"], ["new"], [], ["e", "d"] * 40, ["a"]]
    return Bitext.unlabeled(
        Corpus.from_sentences(sentences, model.source_vocabulary),
        Corpus.from_sentences([["e"], ["new"], ["a"], ["c", "new"] * 3, []],
                              model.target_vocabulary),
    )  # fmt: skip


@examples(120)
@given(bitexts(), OPTIONS)
def test_flat_models(bitext: Bitext, options: AlignerOptions) -> None:
    model = trained(bitext, options)
    check_tables(model)
    for text in (bitext, elsewhere(model)):
        check_answers(model, text)


@settings(max_examples=40)
@given(st.integers(1, 2).flatmap(bitexts), OPTIONS)
def test_latent_domains(bitext: Bitext, options: AlignerOptions) -> None:
    model = trained(bitext, options)
    check_tables(model)
    for text in (bitext, elsewhere(model)):
        check_answers(model, text)
    for name in model.domains:
        check_answers(model.restricted([name]), bitext)


@settings(max_examples=60)
@given(
    bitexts(longest=9), st.integers(1, 5), st.booleans(), st.sampled_from([0.0, 0.1, 0.5]),
    st.sampled_from([0.02, 0.2, 0.9]),
)  # fmt: skip
@example(bitext_of([(["b"], ["a"] * 5), (["a"], ["a"])]), 1, True, 0.1, 0.02)
def test_em_never_lowers_the_likelihood(
    bitext: Bitext, window: int, final: bool, smoothing: float, null: float
) -> None:
    """Where jumps aren't smoothed over classes of words, a prior that moves with the counts."""
    options = AlignerOptions(
        model1_iterations=6, hmm_iterations=8, jump_window=window, final_jumps=final,
        jump_smoothing=smoothing, null_probability=null, agreement=False, stem_length=0,
        jump_class_smoothing=0.0, prune=0.0, lexical_floor=1e-12,
    )  # fmt: skip
    trace = train(bitext, options=options).trace
    for stage in ("model1", "hmm"):
        values = np.array(
            [iteration.log_likelihood for iteration in trace if iteration.stage == stage]
        )
        least = -1e-5 * (np.abs(values[:-1]) + 1.0)  # passes are in float32, word by word
        assert (np.diff(values, axis=0) >= least).all(), values


@settings(max_examples=25)
@given(bitexts(1), OPTIONS)
def test_threads_change_no_byte(bitext: Bitext, options: AlignerOptions) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        alone, other = (train(bitext, options=options, threads=threads) for threads in (1, 3))
    for part in ("lexical", "null_source", "null_target", "jump", "start"):
        mine, its = (getattr(model.parameters, part) for model in (alone, other))
        assert mine.tobytes() == its.tobytes()
    assert alone.log_prior.tobytes() == other.log_prior.tobytes()
    assert alone.trace == other.trace
