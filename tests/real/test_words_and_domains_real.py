"""What the model says of words and domains, on real text of two domains."""

import numpy as np
import pytest

from isogloss.align import AlignerOptions, Bitext, read_sentences, train
from isogloss.align.domains.contrast import contrast, expected_occurrences
from isogloss.align.domains.summary import summarize
from isogloss.align.lexicon.eflomal_priors import write_priors
from isogloss.align.text.corpus import Corpus

DOMAINS = ("medical", "software")
PAIRS = 1500


@pytest.fixture(scope="module")
def mixture(shared_data):
    """1,500 pairs each of medical and software text, every fifth with its label; the model."""
    sides = ([], [])
    for name in DOMAINS:
        for side, code in zip(sides, ("en", "es"), strict=True):
            file = shared_data / "en-es-multidomain" / f"train.{name}.{code}.gz"
            side += read_sentences(file, lowercase=True)[:PAIRS]
    truth = np.repeat(np.array([0, 1], np.int16), PAIRS)
    labels = np.where(np.arange(2 * PAIRS) % 5 == 0, truth, -1).astype(np.int16)
    bitext = Bitext(*map(Corpus.from_sentences, sides), labels, DOMAINS)
    return bitext, truth, train(bitext, options=AlignerOptions(), threads=2)


def contrasted(model, occurrences):
    tables = (model.lexicon("s2t", name) for name in DOMAINS)
    result = contrast(*tables, occurrences[:2], smoothing=10.0, limit=40)
    return [model.source_vocabulary[word] for word in result.words.tolist()], result


@pytest.mark.thorough
def test_words_with_a_sense_of_their_own_come_first(mixture):
    """`number` is número in manuals and cantidad in COVID-19 text."""
    bitext, _, model = mixture
    posterior = model.domain_posteriors(bitext, 2)
    words, contrast_found = contrasted(model, expected_occurrences(bitext.source, posterior))
    assert "number" in words
    best = [
        translations[words.index("number")][0][0] for translations in contrast_found.translations
    ]
    assert [model.target_vocabulary[word] for word in best] == ["cantidad", "número"]
    assert contrast_found.occurrences.min(0).min() >= 2.0  # no word rests on a single occurrence


def test_shares_are_those_of_the_mixture(mixture):
    bitext, truth, model = mixture
    posterior = model.domain_posteriors(bitext, 2)
    summary = summarize(bitext, posterior)
    assert summary.entropy < 0.3
    assert ((0.2 < summary.share[:2]) & (summary.share[:2] < 0.5)).all()
    sure = posterior.argmax(1) < 2
    assert (posterior.argmax(1)[sure] == truth[sure]).mean() > 0.95


def test_priors_are_those_of_eflomal(mixture, tmp_path):
    """The same bytes as eflomal-makepriors on real text and the links of both directions."""
    eflomal = pytest.importorskip("eflomal")
    bitext, _, model = mixture
    forward, reverse = model.align_directions(bitext, 2)
    texts = [
        [" ".join(side.words(k)) for k in range(len(bitext))]
        for side in (bitext.source, bitext.target)
    ]
    links = [
        [" ".join(f"{i}-{j}" for i, j in own[k]) for k in range(len(bitext))]
        for own in (reverse, forward)
    ]
    with (tmp_path / "theirs").open("w", encoding="utf-8") as stream:
        lexical, hmmf, hmmr, ferf, ferr = eflomal.calculate_priors(*texts, *links)
        eflomal.write_priors(stream, lexical, hmmf, hmmr, ferf, ferr)
    write_priors(bitext, forward, reverse, tmp_path / "ours")
    assert (tmp_path / "ours").read_bytes() == (tmp_path / "theirs").read_bytes()
