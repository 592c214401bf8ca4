"""Domain-conditioned lexical features against the formula in plain Python."""

from math import prod

import numpy as np
import pytest

from isogloss.align import AlignerOptions, AlignmentModel, Bitext, DataWarning, Links, UsageError
from isogloss.align import train as train_model
from isogloss.align.errors import WrongTypeError
from isogloss.align.text.corpus import Corpus
from isogloss.features.extraction.domain_lexical import add_domain_features, domain_feature_name
from isogloss.features.extraction.extract import extract
from isogloss.features.extraction.extraction_options import ExtractionOptions
from isogloss.features.table.phrase_table import PhraseTable
from isogloss.features.table.phrases import phrase_texts

# "banco" is a bank in one domain and a bench in the other
PAIRS = [
    ("el banco paga", "the bank pays", 0),
    ("un banco cobra", "a bank charges", 0),
    ("el banco cobra", "the bank charges", 0),
    ("el banco verde", "the green bench", 1),
    ("un banco viejo", "an old bench", 1),
    ("un banco verde", "a green bench", 1),
] * 4


def corpus(column: int, pairs: list[tuple[str, str, int]]) -> Corpus:
    return Corpus.from_sentences([str(pair[column]).split() for pair in pairs])


@pytest.fixture(scope="module")
def model() -> AlignmentModel:
    labels = np.array([-1 if k % 4 == 3 else pair[2] for k, pair in enumerate(PAIRS)])
    bitext = Bitext(
        corpus(0, PAIRS), corpus(1, PAIRS), labels.astype(np.int16), ("finance", "park_law")
    )
    with pytest.warns(DataWarning):  # few seeds
        return train_model(bitext, options=AlignerOptions(model1_iterations=3, hmm_iterations=1))


def make_table(pairs: list[tuple[str, str, int]]) -> PhraseTable:
    """Rules of word-by-word translations, over vocabularies of their own."""
    source, target = corpus(0, pairs), corpus(1, pairs)
    links = Links.from_pairs([[(k, k) for k in range(n)] for n in source.lengths])
    return extract(
        Bitext.unlabeled(source, target), links, ExtractionOptions(3, moses_precision=False)
    )


@pytest.fixture(scope="module")
def table() -> PhraseTable:
    return make_table(PAIRS[5::-1])


def naive_scores(table: PhraseTable, model: AlignmentModel, domain: str) -> list[float]:
    """l^-m prod_j sum_i t(f_j | e_i, D), where t is at least the floor of the model."""
    lexicon = model.lexicon("t2s", domain)
    source, target = lexicon.generated_vocabulary.words, lexicon.given_vocabulary.words
    t = {
        (source[f], target[e]): float(p)
        for f, e, p in zip(lexicon.generated, lexicon.given, lexicon.probability, strict=True)
    }
    floor = model.options.lexical_floor
    sources, targets = phrase_texts(table.source), phrase_texts(table.target)
    result = []
    for left, right in zip(table.rule_source, table.rule_target, strict=True):
        there = targets[right].split()
        sums = [sum(max(t.get((f, e), 0.0), floor) for e in there) for f in sources[left].split()]
        result.append(prod(one / len(there) for one in sums))
    return result


def test_scores_equal_the_formula(table: PhraseTable, model: AlignmentModel) -> None:
    more = add_domain_features(table, model)
    assert ("finance", "park_law", "out") == model.domains
    names = ("DomainLex.finance", "DomainLex.park%5Flaw", "DomainLex.out")
    assert (*table.score_names, *names) == more.score_names
    np.testing.assert_array_equal(table.scores, more.scores[:, :4])
    for column, domain in enumerate(model.domains, start=4):
        expected = naive_scores(table, model, domain)
        np.testing.assert_allclose(expected, more.scores[:, column], rtol=1e-5)


@pytest.mark.parametrize("words", ["perro dog", "perro the", "el dog", "viejo charges"])
def test_pairs_that_the_model_lacks_have_the_floor(words: str, model: AlignmentModel) -> None:
    source, target = words.split()
    more = add_domain_features(make_table([(source, target, 0)]), model)
    floor = model.options.lexical_floor
    np.testing.assert_allclose([[floor] * 3], more.scores[:, 4:], rtol=1e-6)


def test_domains_may_be_chosen(table: PhraseTable, model: AlignmentModel) -> None:
    both = add_domain_features(table, model, ("out", "finance"))
    assert ("DomainLex.out", "DomainLex.finance") == both.score_names[4:]
    every = add_domain_features(table, model)
    np.testing.assert_array_equal(every.scores[:, [6, 4]], both.scores[:, 4:])


def test_a_restricted_model_gives_the_same_scores(
    table: PhraseTable, model: AlignmentModel
) -> None:
    part = add_domain_features(table, model.restricted(["finance", "out"]))
    assert ("DomainLex.finance", "DomainLex.out") == part.score_names[4:]
    every = add_domain_features(table, model)
    np.testing.assert_array_equal(every.scores[:, [4, 6]], part.scores[:, 4:])


def test_meaning_depends_on_the_domain(model: AlignmentModel) -> None:
    more = add_domain_features(make_table([("banco", "bank", 0), ("banco", "bench", 0)]), model)
    bank, bench = more.scores[:, 4:6]
    assert bank[0] > bank[1]
    assert bench[1] > bench[0]


def test_words_are_lowercased_as_those_of_the_model(model: AlignmentModel) -> None:
    tables = [make_table([pair]) for pair in (("Banco", "BANK", 0), ("banco", "bank", 0))]
    capital, lower = (add_domain_features(table, model).scores for table in tables)
    np.testing.assert_array_equal(capital, lower)
    with pytest.raises(
        WrongTypeError, match="domains must be a list of names, not the string 'fin"
    ):
        model.restricted("finance")


def test_unknown_domain(table: PhraseTable, model: AlignmentModel) -> None:
    with pytest.raises(UsageError, match="unknown domain 'law'; the model has finance, park_law"):
        add_domain_features(table, model, ("law",))


def test_names_are_dense() -> None:
    assert domain_feature_name("a_b_c") == "DomainLex.a%5Fb%5Fc"
