"""Stems and the lexical tables that lean towards them, against dictionaries."""

from collections import Counter, defaultdict

import numpy as np
import pytest

from isogloss.align.model.cooccurrence import PairIndex, build_pair_index
from isogloss.align.model.kernels.estimation import Smoothing
from isogloss.align.model.parameters import AlignerOptions, Parameters
from isogloss.align.text.bitext import Bitext
from isogloss.align.text.corpus import Corpus
from isogloss.align.text.vocabulary import Vocabulary
from isogloss.align.training.em import Trainer
from isogloss.align.training.m_step import estimate_lexical, stem_ranges
from isogloss.align.training.stems import stemmed_words, stems_of
from tests.naive.alignment import one_class
from tests.naive.expectations import Expectations

WORDS = ["haus", "hauser", "häuser", "hausen", "ha", "baum", "baume", "bäume", "b", "der", "des"]


def random_text(seed: int, sentences: int = 25) -> Bitext:
    """Both sides draw from words that share beginnings; some sentences are empty."""
    rng = np.random.default_rng(seed)

    def side(words: list[str]) -> Corpus:
        return Corpus.from_sentences(
            [words[k] for k in rng.integers(0, len(words), n)]
            for n in rng.integers(0, 6, sentences)
        )

    return Bitext.unlabeled(side(WORDS), side([word[::-1] for word in WORDS]))


def word_pairs(bitext: Bitext, index: PairIndex) -> list[tuple[str, str]]:
    source, target = bitext.source.vocabulary, bitext.target.vocabulary
    ids = zip(index.rows.tolist(), index.columns.tolist(), strict=True)
    return [(source[f], target[e]) for f, e in ids]


def test_words_with_the_same_beginning_share_a_stem() -> None:
    vocabulary = Vocabulary(["haus", "hauser", "ha", "häuser", "hausen", "NULL"])
    assert stems_of(vocabulary, 4).tolist() == [0, 1, 1, 2, 3, 1, 4]
    assert stems_of(vocabulary, 2).tolist() == [0, 1, 1, 1, 2, 1, 3]
    assert stems_of(vocabulary, 100).tolist() == [0, 1, 2, 3, 4, 5, 6]
    assert stems_of(Vocabulary([]), 4).tolist() == [0]


@pytest.mark.parametrize("length", [1, 2, 4, 50])
def test_ranges_hold_whole_stems(length: int, monkeypatch: pytest.MonkeyPatch) -> None:
    bitext = random_text(1)
    index, _ = build_pair_index(bitext)
    words = stemmed_words(bitext, length)
    assert sorted(words.order.tolist()) == list(range(len(bitext.source.vocabulary)))
    for ranges in (1, 3, 64):
        found = stem_ranges(np.diff(index.row_offsets), words, ranges)
        assert [k for part in found for k in range(*part)] == list(range(len(words.order)))
        stems = [set(words.source[words.order[slice(*part)]].tolist()) for part in found]
        assert sum(map(len, stems)) == len(set.union(*stems))


@pytest.mark.parametrize("length", [1, 4])
def test_shares_are_those_of_the_running_words(length: int) -> None:
    bitext = random_text(5)
    words = stemmed_words(bitext, length)
    for side, corpus in enumerate((bitext.source, bitext.target)):
        running = Counter(word for n in range(len(corpus)) for word in corpus.words(n))
        together = Counter()
        for word, count in running.items():
            together[word[:length]] += count
        expected = [running[word] / together[word[:length]] for word in corpus.vocabulary.words[1:]]
        found = (words.source_share, words.target_share)[side]
        np.testing.assert_allclose(found[1:], expected, rtol=1e-12)


def naive_back_off(
    bitext: Bitext, index: PairIndex, counts: np.ndarray, side: int, length: int
) -> np.ndarray:
    """P(stem of the generated word | stem of the state) * P(generated word | its stem)."""
    corpus = (bitext.source, bitext.target)[side]
    running = Counter(word for n in range(len(corpus)) for word in corpus.words(n))
    of_stem: dict[str, int] = defaultdict(int)
    for word, count in running.items():
        of_stem[word[:length]] += count
    joint: dict[tuple[str, str], float] = defaultdict(float)
    given: dict[str, float] = defaultdict(float)
    pairs = [(pair[side], pair[1 - side]) for pair in word_pairs(bitext, index)]
    for (generated, state), count in zip(pairs, counts.tolist(), strict=True):
        joint[generated[:length], state[:length]] += count
        given[state[:length]] += count
    result = []
    for generated, state in pairs:
        stem, total = generated[:length], given[state[:length]]
        own = joint[stem, state[:length]] / total if total else 0.0
        result.append(own * running[generated] / of_stem[stem])
    return np.array(result)


def random_counts(bitext: Bitext, index: PairIndex, domains: int, columns: int) -> Expectations:
    rng = np.random.default_rng(len(index))
    like = Parameters.uniform(
        len(index), one_class(len(bitext.source.vocabulary), len(bitext.target.vocabulary)), 2
    ).split(domains, True)
    counts = Expectations.zeros(like, agreement=columns == 1)
    counts.links[:-1] = rng.random(counts.links[:-1].shape) ** 3 * 5
    counts.links[:-1][rng.random(len(index)) < 0.2] = 0.0  # never linked
    return counts


@pytest.mark.parametrize("columns", [1, 2])
@pytest.mark.parametrize("domains", [1, 3])
def test_lexical_tables_lean_towards_stems_and_all_domains(domains: int, columns: int) -> None:
    """(c + m b) / (sum + m) for the general table t, (c_d + n t) / (sum_d + n) for a domain's."""
    length, stem_smoothing, domain_smoothing = 2, 4.0, 1.5
    bitext = random_text(11)
    index, _ = build_pair_index(bitext)
    words, smoothing = stemmed_words(bitext, length), Smoothing(stem_smoothing, domain_smoothing)
    counts = random_counts(bitext, index, domains, columns)
    parameters = Parameters.uniform(
        len(index), one_class(len(bitext.source.vocabulary), len(bitext.target.vocabulary)), 2
    ).split(domains, True)
    estimate_lexical(parameters, counts.counts(), index, words, smoothing, threads=2)
    for side, states in enumerate((index.columns, index.rows)):
        every = counts.links[:-1, :, min(side, columns - 1)]
        together = every.sum(1)
        back_off = naive_back_off(bitext, index, together, side, length)
        totals = np.bincount(states, together)[states]
        general = (together + stem_smoothing * back_off) / (totals + stem_smoothing)
        for domain in range(domains):
            expected = general
            if domains > 1:
                own = np.bincount(states, every[:, domain])[states] + domain_smoothing
                expected = (every[:, domain] + domain_smoothing * general) / own
            np.testing.assert_allclose(
                parameters.lexical[:-1, domain, side], expected, rtol=1e-5, atol=1e-9
            )
    assert not parameters.lexical[-1].any()


def trained(bitext: Bitext, options: AlignerOptions) -> Trainer:
    trainer = Trainer(bitext, options)
    for number in (1, 2, 3):
        trainer.iterate("model1", number, np.zeros((2, len(bitext), 1)))
    return trainer


def test_no_smoothing_is_no_stems() -> None:
    bitext, options = random_text(3), AlignerOptions(prune=0.0)
    without = trained(bitext, options.replace(stem_length=0)).parameters.lexical
    same = trained(bitext, options.replace(stem_smoothing=0.0)).parameters.lexical
    assert without.tobytes() == same.tobytes()
    # where each word is a stem to itself, a row leans towards itself
    alone = trained(bitext, options.replace(stem_length=50)).parameters.lexical
    np.testing.assert_allclose(alone, without, rtol=1e-4, atol=1e-7)
    leaning = trained(bitext, options).parameters.lexical
    assert not np.allclose(leaning, without, rtol=1e-2, atol=1e-4)


def test_a_rare_word_learns_from_its_stem() -> None:
    """`hausbau neu` is seen once; what is known of `haus` tells which of the two is `house`."""
    pairs = [("haus", "house")] * 9 + [("rot", "red")] * 9 + [("hausbau neu", "house new")]
    bitext = Bitext.unlabeled(
        *(Corpus.from_sentences([pair[k].split() for pair in pairs]) for k in (0, 1))
    )

    def probability(options: AlignerOptions) -> float:
        trainer = trained(bitext, options)
        found = word_pairs(bitext, trainer.index).index(("hausbau", "house"))
        return float(trainer.parameters.lexical[found, 0, 1])

    options = AlignerOptions(prune=0.0, stem_length=4, stem_smoothing=5.0)
    assert probability(options) > 0.8
    assert probability(options.replace(stem_length=0)) < 0.5
