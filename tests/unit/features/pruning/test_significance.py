"""Significance of phrase pairs against exact fractions, scipy and a search through the text."""

import math
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import fisher_exact, hypergeom

from isogloss.align import Bitext, DataError, UsageError, read_bitext
from isogloss.align.arrays.sparse_rows import Ragged
from isogloss.align.text.corpus import Corpus
from isogloss.features.pruning.significance import (
    SignificanceTest,
    check_occurrences,
    negative_log_p,
    parse_threshold,
)
from isogloss.features.table.phrase_table import PhraseTable
from isogloss.features.table.phrases import phrase_texts
from isogloss.features.table.rules import select_rules
from tests.naive import significance as naive


def make_bitext(pairs: Sequence[tuple[Sequence[str], Sequence[str]]]) -> Bitext:
    return Bitext.unlabeled(
        Corpus.from_sentences([f for f, _ in pairs]), Corpus.from_sentences([e for _, e in pairs])
    )


def make_table(rules: Sequence[tuple[str, str]]) -> PhraseTable:
    """Rules without scores, of the vocabularies of their own phrases."""
    rules = sorted(rules, key=lambda rule: f"{rule[0]} ||| {rule[1]} |||".encode())
    sources, targets = (list(dict.fromkeys(rule[k] for rule in rules)) for k in (0, 1))
    return PhraseTable(
        Corpus.from_sentences([text.split() for text in sources]),
        Corpus.from_sentences([text.split() for text in targets]),
        np.array([sources.index(f) for f, _ in rules], np.int32),
        np.array([targets.index(e) for _, e in rules], np.int32),
        np.zeros((len(rules), 0)),
        (),
        Ragged.empty(len(rules)),
        np.zeros((len(rules), 3)),
        Ragged.empty(len(rules)),
        (),
    )


def texts_of(table: PhraseTable) -> list[tuple[str, str]]:
    f, e = phrase_texts(table.source), phrase_texts(table.target)
    return [(f[a], e[b]) for a, b in zip(table.rule_source, table.rule_target, strict=True)]


# --- the test of the counts


def exact(f: int, e: int, both: int, pairs: int) -> float:
    return naive.negative_log(naive.tail(both, f, e, pairs))


def of(f: int, e: int, both: int, pairs: int) -> float:
    return float(negative_log_p(np.array([[f, e, both]]), pairs)[0])


@pytest.mark.parametrize("pairs", [1, 2, 3, 10, 33])
def test_every_table_of_a_small_text(pairs: int) -> None:
    counts = [
        (f, e, both)
        for f in range(pairs + 1)
        for e in range(pairs + 1)
        for both in range(max(0, f + e - pairs), min(f, e) + 1)
    ]
    found = negative_log_p(np.array(counts), pairs)
    np.testing.assert_allclose(found, [exact(*c, pairs) for c in counts], rtol=1e-13, atol=1e-15)


@st.composite
def tables(draw: st.DrawFn) -> tuple[int, int, int, int]:
    """f, e, both, pairs: all sizes, with counts that are as expected and far from it."""
    pairs = draw(st.integers(1, 3000) | st.integers(1, 10**8))
    f, e = (draw(st.integers(0, min(pairs, 150)) | st.integers(0, min(pairs, 9))) for _ in "fe")
    if draw(st.booleans()):
        f = pairs - f  # nearly everywhere
    both = draw(st.integers(max(0, f + e - pairs), min(f, e)))
    return f, e, both, pairs


@given(tables())
def test_equals_the_sum_of_exact_fractions(table: tuple[int, int, int, int]) -> None:
    assert of(*table) == pytest.approx(exact(*table), rel=1e-11, abs=1e-15)


@pytest.mark.parametrize(
    "table",
    [
        (900, 700, 60, 10_000),  # above, at, below and far from what is expected
        (900, 700, 63, 10_000),
        (900, 700, 40, 10_000),
        (900, 700, 700, 10_000),
        (3000, 2900, 2800, 3877),
        (3000, 2900, 2240, 3877),
        (600, 700, 12, 1_000_000),
        (300, 400, 2, 100_000_000),
        (9000, 9000, 8990, 10_000_000),
    ],
)
def test_frequent_phrases(table: tuple[int, int, int, int]) -> None:
    """-log p is up to 70,000 here: the probability itself is 0 as a float."""
    assert of(*table) == pytest.approx(exact(*table), rel=1e-12)


def test_symmetric_in_both_phrases() -> None:
    rng = np.random.default_rng(1)
    f, e = rng.integers(1, 40_000, (2, 200))
    both = rng.integers(np.maximum(0, f + e - 50_000), np.minimum(f, e) + 1)
    left = negative_log_p(np.stack([f, e, both], 1), 50_000)
    right = negative_log_p(np.stack([e, f, both], 1), 50_000)
    np.testing.assert_allclose(left, right, rtol=1e-9, atol=1e-14)
    assert (left >= 0.0).all()


def test_equals_scipy() -> None:
    rng = np.random.default_rng(2)
    for pairs in (50, 3000, 38_766, 10_000_000):
        for _ in range(20):
            f, e = (int(10 ** rng.uniform(0, math.log10(pairs / 4))) for _ in "fe")
            both = min(f, e, int(f * e / pairs) + int(rng.integers(1, 30)))
            found = of(f, e, both, pairs)
            assert found == pytest.approx(-hypergeom.logsf(both - 1, pairs, f, e), rel=1e-6)
            table = [[both, f - both], [e - both, pairs - f - e + both]]
            p = fisher_exact(table, alternative="greater").pvalue
            assert math.exp(-found) == pytest.approx(p, rel=1e-6, abs=1e-300)


@pytest.mark.parametrize("pairs", [1, 2, 3000, 38_766, 10**8])
def test_once_each_and_together_is_alpha(pairs: int) -> None:
    """The case that both thresholds of the paper are about."""
    assert of(1, 1, 1, pairs) == pytest.approx(math.log(pairs), rel=1e-12, abs=1e-15)


def test_as_expected_by_chance_is_zero() -> None:
    for counts in ((0, 0, 0), (0, 7, 0), (5, 7, 2), (10, 7, 7), (10, 10, 10)):
        assert 0.0 == of(*counts, 10)


@pytest.mark.parametrize("counts", [(3, 3, 4), (11, 1, 1), (6, 6, 1), (2, 2, -1)])
def test_counts_of_no_text(counts: tuple[int, int, int]) -> None:
    with pytest.raises(ValueError, match="counts must be consistent counts of sentence pairs"):
        of(*counts, 10)


# --- thresholds


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a+e", math.log(500) + 0.001),
        ("alpha+epsilon", math.log(500) + 0.001),
        ("a-e", math.log(500) - 0.001),
        ("alpha-epsilon", math.log(500) - 0.001),
        ("12.5", 12.5),
        ("0", 0.0),
    ],
)
def test_thresholds(text: str, expected: float) -> None:
    assert parse_threshold(text, 500) == pytest.approx(expected, rel=1e-15)


@pytest.mark.parametrize("text", ["alpha", "-1", "nan", "inf", ""])
def test_wrong_thresholds(text: str) -> None:
    with pytest.raises(
        UsageError, match=rf"significance must be a\+e, a-e or a number .*, got '{text}'"
    ):
        parse_threshold(text, 500)


def test_alpha_of_no_text() -> None:
    with pytest.raises(UsageError, match=r"significance a\+e requires a text with at least one"):
        parse_threshold("a+e", 0)


# --- the counts of a text

sides = st.lists(st.sampled_from("abc"), max_size=7)
bitexts = st.lists(st.tuples(sides, sides), max_size=12)
phrases = st.lists(st.sampled_from("abcx"), min_size=1, max_size=3).map(" ".join)
rule_sets = st.sets(st.tuples(phrases, phrases), max_size=30).map(list)


@given(bitexts, rule_sets, st.integers(1, 40))
def test_counts_equal_a_search_through_the_text(
    pairs: list[tuple[list[str], list[str]]], rules: list[tuple[str, str]], times: int
) -> None:
    """Repeated pairs make phrases more frequent than sentences are long, or less."""
    pairs = pairs + pairs[:2] * times
    test, table = SignificanceTest(make_bitext(pairs)), make_table(rules)
    source, target = [f for f, _ in pairs], [e for _, e in pairs]
    expected = [naive.counts(f.split(), e.split(), source, target) for f, e in texts_of(table)]
    found = test.counts(table)
    assert expected == found.tolist()
    scores = [exact(*counts, len(pairs)) if pairs else 0.0 for counts in expected]
    np.testing.assert_allclose(test.scores(table), scores, rtol=1e-12, atol=1e-15)


def test_an_example_by_hand() -> None:
    """4 pairs, `la` in 3, `the` in 2 of these: C(3, 2) / C(4, 2) = 1/2 by chance."""
    pairs = [("la la casa", "the house"), ("la", "the the"), ("la", "a"), ("un", "one")]
    test = SignificanceTest(make_bitext([(f.split(), e.split()) for f, e in pairs]))
    table = make_table([("la", "the"), ("casa", "house")])
    assert [[1, 1, 1], [3, 2, 2]] == test.counts(table).tolist()
    assert [math.log(4), math.log(2)] == pytest.approx(test.scores(table).tolist(), rel=1e-14)


def test_phrases_that_no_rule_uses_and_blocks_change_nothing() -> None:
    rng = np.random.default_rng(3)
    pairs = [(rng.choice(list("abcdef"), 9), rng.choice(list("uvwxyz"), 7)) for _ in range(300)]
    test = SignificanceTest(make_bitext([(f.tolist(), e.tolist()) for f, e in pairs]))
    f, e = ([" ".join(rng.choice(list(own), 2)) for _ in range(200)] for own in ("abc", "uvw"))
    table = make_table(sorted(set(zip(f, e, strict=True))))
    whole = test.scores(table)
    parts = [
        test.scores(select_rules(table, np.flatnonzero(table.rule_source == source)))
        for source in range(len(table.source))
    ]
    assert whole.tolist() == np.concatenate(parts).tolist()
    assert 0 == len(test.scores(select_rules(table, np.zeros(0, np.int64))))


PAIRS = [(["la", "casa"], ["the", "house"]), (["un"], ["one"])]


@pytest.mark.parametrize(
    ("rule", "seen"),
    [
        (("La", "the"), "does not contain 'La' of the rule 'La' ||| 'the'"),
        (("la", "house the"), "does not contain 'house the' of the rule 'la' ||| 'house the'"),
        (("the", "la"), "does not contain 'the' or 'la' of the rule 'the' ||| 'la'"),
        (("un", "the"), "contain a sentence pair with both phrases of the rule 'un' ||| 'the'"),
    ],
)
def test_a_rule_of_another_text(rule: tuple[str, str], seen: str) -> None:
    test, table = SignificanceTest(make_bitext(PAIRS)), make_table([("casa", "house"), rule])
    counts = test.counts(table)
    assert 0.0 == test.scores(table)[texts_of(table).index(rule)]
    message = rf"{seen.replace('|', '[|]')}.*; expected rules extracted from this text\. Pass the"
    with pytest.raises(DataError, match=message):
        check_occurrences(table, counts)


def test_rules_of_the_text_are_no_error() -> None:
    test, table = SignificanceTest(make_bitext(PAIRS)), make_table([("casa", "house")])
    counts = test.counts(table)
    assert [[1, 1, 1]] == counts.tolist()
    check_occurrences(table, counts)  # raises nothing; see the test before for what it would
    check_occurrences(make_table([]), np.zeros((0, 3), np.int64))
    with pytest.raises(DataError, match="the text does not contain 'casa' or 'house' of the rule"):
        check_occurrences(table, counts * 0)


# --- a table of Moses


def test_a_table_of_moses(shared_data: Path) -> None:
    """Each rule extracted occurs; a sample of its significances is exact."""
    folder = shared_data / "moses-golden"
    bitext = read_bitext(folder / "text.es.gz", folder / "text.en.gz")
    table = PhraseTable.load(folder / "phrase-table.gz")
    test = SignificanceTest(bitext)
    counts, scores = test.counts(table), test.scores(table)
    # a rule may be extracted several times from one pair, but then from one pair at least
    assert (counts[:, 2] >= 1).all()
    kept = [int((scores >= parse_threshold(text, 3000)).sum()) for text in ("a+e", "a-e", "0")]
    assert [3788, 50_594, 74_551] == kept
    source, target = ([own.words(k) for k in range(3000)] for own in (bitext.source, bitext.target))
    rules = np.random.default_rng(4).choice(len(table), 40, replace=False)
    for rule in [*rules.tolist(), int(counts.min(axis=1).argmax())]:
        f = table.source.words(int(table.rule_source[rule]))
        e = table.target.words(int(table.rule_target[rule]))
        expected = naive.counts(f, e, source, target)
        assert expected == counts[rule].tolist()
        assert exact(*expected, 3000) == pytest.approx(scores[rule], rel=1e-12)
