"""Lexical tables and lexical weights of rules against counting with dictionaries."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from isogloss.features.extraction.extract import extract
from isogloss.features.extraction.extraction_options import ExtractionOptions
from isogloss.features.extraction.word_table import (
    WordTable,
    format_word_table,
    lexical_scores,
    word_table,
)
from tests.naive import phrase_pairs as naive


def as_dictionary(
    table: WordTable, generated: tuple[str, ...], given_words: tuple[str, ...]
) -> naive.Table:
    """What isn't 0."""
    own: naive.Table = {}
    entries = table.given.tolist(), table.words.tolist(), table.values.tolist()
    for right, left, value in zip(*entries, strict=True):
        own[generated[left], given_words[right]] = value
    own |= {(generated[k], None): v for k, v in enumerate(table.null.tolist())}
    own |= {(None, given_words[k]): v for k, v in enumerate(table.null_given.tolist())}
    return {entry: value for entry, value in own.items() if value}


@settings(max_examples=40, deadline=None)
@given(
    naive.texts(),
    st.lists(st.sampled_from([0.0, 0.25, 1.0, 1 / 3]), min_size=4, max_size=4),
    st.sampled_from([0.25, 1.0, 10.0]),
)
def test_weighted_and_smoothed(
    pairs: list[naive.Pair], weights: list[float], smoothing: float
) -> None:
    bitext, links = naive.columns(pairs)
    own = weights[: len(pairs)]
    words = bitext.source.vocabulary.words, bitext.target.vocabulary.words
    general = word_table(bitext.source, bitext.target, links)
    expected = naive.word_probabilities(pairs)
    assert as_dictionary(general, *words) == pytest.approx(expected, rel=1e-12)
    table = word_table(bitext.source, bitext.target, links, np.array(own))
    alone = {entry: v for entry, v in naive.word_probabilities(pairs, own).items() if v}
    assert as_dictionary(table, *words) == pytest.approx(alone, rel=1e-12)
    table = word_table(bitext.source, bitext.target, links, np.array(own), general, smoothing)
    smooth = naive.word_probabilities(pairs, own, expected, smoothing)
    assert as_dictionary(table, *words) == pytest.approx(smooth, rel=1e-12)


@settings(max_examples=30, deadline=None)
@given(naive.texts(), st.floats(0.01, 100.0))
def test_probabilities_of_a_given_word_sum_to_one(
    pairs: list[naive.Pair], smoothing: float
) -> None:
    bitext, links = naive.columns(pairs)
    general = word_table(bitext.source, bitext.target, links)
    none = np.zeros(len(pairs))
    for table in (
        general,
        word_table(bitext.source, bitext.target, links, none, general, smoothing),
    ):
        sums = np.bincount(table.given, table.values, len(table.null_given)) + table.null_given
        np.testing.assert_allclose(sums[1:], 1.0, rtol=1e-12)
        np.testing.assert_allclose(table.null.sum(), float(table.null.any()), rtol=1e-12)


def test_no_weight_leaves_the_general_table() -> None:
    pairs: list[naive.Pair] = [(["a", "b", "a"], ["x", "y"], [(0, 0), (1, 0)])]
    bitext, links = naive.columns(pairs)
    general = word_table(bitext.source, bitext.target, links)
    table = word_table(bitext.source, bitext.target, links, np.zeros(1), general, 2.0)
    for name in ("values", "null", "null_given"):
        np.testing.assert_allclose(getattr(table, name), getattr(general, name), rtol=1e-15)


def test_lines() -> None:
    pairs: list[naive.Pair] = [
        (["a", "b", "c"], ["x", "y"], [(0, 0), (1, 0)]),
        (["a"], ["x"], [(0, 0)]),
    ]
    bitext, links = naive.columns(pairs)
    table = word_table(bitext.source, bitext.target, links)
    words = bitext.source.vocabulary, bitext.target.vocabulary
    assert list(format_word_table(table, *words)) == [
        "a x 0.6666667", "b x 0.3333333", "c NULL 1.0000000", "NULL y 1.0000000",
    ]  # fmt: skip
    table = word_table(bitext.target, bitext.source, links.reversed())
    assert list(format_word_table(table, *words[::-1])) == [
        "x a 1.0000000", "x b 1.0000000", "y NULL 1.0000000", "NULL c 1.0000000",
    ]  # fmt: skip


def test_a_word_spelled_null_is_a_word() -> None:
    bitext, links = naive.columns([(["NULL", "a"], ["NULL"], [(0, 0)])])
    table = word_table(bitext.source, bitext.target, links)
    assert list(format_word_table(table, bitext.source.vocabulary, bitext.target.vocabulary)) == [
        "NULL NULL 1.0000000",
        "a NULL 1.0000000",
    ]


@settings(max_examples=30, deadline=None)
@given(naive.texts(), st.lists(st.sampled_from([0.25, 1.0, 1 / 3]), min_size=4, max_size=4))
def test_lexical_weights_of_rules(pairs: list[naive.Pair], weights: list[float]) -> None:
    """Also with tables of other weights than the rules were counted with."""
    bitext, links = naive.columns(pairs)
    own = weights[: len(pairs)]
    table = extract(bitext, links, ExtractionOptions(4, moses_precision=False))
    words = (
        word_table(bitext.source, bitext.target, links, np.array(own)),
        word_table(bitext.target, bitext.source, links.reversed(), np.array(own)),
    )
    found = lexical_scores(
        (table.source, table.rule_source), (table.target, table.rule_target), table.links, words
    )
    forward = naive.word_probabilities(pairs, own)
    backward = naive.word_probabilities([naive.swap(pair) for pair in pairs], own)
    rules = naive.phrase_table(pairs, 4)
    expected = [
        (
            naive.lexical_weight(rule.source, rule.target, rule.links, forward),
            naive.lexical_weight(
                rule.target, rule.source, [(i, j) for j, i in rule.links], backward
            ),
        )
        for rule in rules
    ]
    np.testing.assert_allclose(np.stack(found, 1), np.array(expected).reshape(-1, 2), rtol=1e-12)
