"""Concordances against counts by hand and SciPy's test of independence."""

import re
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.stats import chi2_contingency

from isogloss.align.errors import UsageError
from isogloss.align.links.links import Links
from isogloss.align.text.bitext import Bitext
from isogloss.domains.concordance import NO_LINK, Concordance, concordance, independence_p_value
from isogloss.domains.concordance_page import concordance_page
from isogloss.domains.domain_text import DomainText

DOMAINS = ("law", "home")
PAIRS = [
    ("the charge", "el cargo", [(0, 0), (1, 1)], 0.9),
    ("charge charge", "cargo de carga", [(0, 0), (1, 1), (1, 2)], 0.5),
    ("a charge", "una carga", [(0, 0), (1, 1)], 0.1),
    ("charge", "cobra", [], 0.2),
    ("no word", "nada", [(0, 0)], 0.5),
]


@pytest.fixture
def text() -> DomainText:
    bitext = Bitext.from_pairs([pair[:2] for pair in PAIRS])
    law = np.array([pair[3] for pair in PAIRS])
    return DomainText(bitext, bitext, np.stack([law, 1 - law], axis=1))


@pytest.fixture
def links() -> Links:
    return Links.from_pairs([pair[2] for pair in PAIRS])


def counts(found: Concordance) -> dict[str, tuple[int, list[float]]]:
    return {one.text: (one.count, np.round(one.expected, 6).tolist()) for one in found.translations}


def test_occurrences_are_counted_by_translation_and_domain(text: DomainText, links: Links) -> None:
    found = concordance(text, links, DOMAINS, "charge")
    assert counts(found) == {
        "cargo": (2, [1.4, 0.6]),
        NO_LINK: (1, [0.2, 0.8]),
        "carga": (1, [0.1, 0.9]),
        "de carga": (1, [0.5, 0.5]),
    }
    assert found.count == 5
    (first, second), *_ = (one.lines for one in found.translations)
    assert (first.pair, first.domain, first.posterior, first.places, first.partners) == (
        0, "law", 0.9, (1,), (1,)
    )  # fmt: skip
    assert (second.pair, second.places, second.partners) == (1, (0,), (0,))


def test_target_words(text: DomainText, links: Links) -> None:
    found = concordance(text, links, DOMAINS, "carga", "t2s")
    assert counts(found) == {"charge": (2, [0.6, 1.4])}
    assert [row["target"] for row in found.rows()] == ["cargo de [carga]", "una [carga]"]
    assert [row["source"] for row in found.rows()] == ["charge [charge]", "a [charge]"]


PHRASES = [
    ("a credit card , a card", "una tarjeta de crédito , una tarjeta",
     [(0, 0), (1, 3), (2, 1), (1, 1), (5, 6)]),
    ("credit the card", "abonar la tarjeta", [(0, 0), (1, 1), (2, 2)]),
    ("his credit", "su crédito", [(0, 0), (1, 1)]),
    ("card credit card", "tarjeta de crédito", [(0, 0)]),
    ("b b b b b", "x y", [(1, 1), (2, 0)]),
]  # fmt: skip


@pytest.fixture
def phrases() -> tuple[DomainText, Links]:
    bitext = Bitext.from_pairs([pair[:2] for pair in PHRASES])
    text = DomainText(bitext, bitext, np.full((len(PHRASES), 2), 0.5))
    return text, Links.from_pairs([pair[2] for pair in PHRASES])


def test_a_phrase_is_contiguous_and_has_one_translation(phrases: tuple[DomainText, Links]) -> None:
    """Not across the ends of sentences, and not with other words between."""
    found = concordance(*phrases, DOMAINS, " credit  card ")
    assert found.word == "credit card"
    assert {name: count for name, (count, _) in counts(found).items()} == {
        "tarjeta crédito": 1, NO_LINK: 1,
    }  # fmt: skip
    assert [(row["source"], row["target"]) for row in found.rows()] == [
        ("card [credit] [card]", "tarjeta de crédito"),
        ("a [credit] [card] , a card", "una [tarjeta] de [crédito] , una tarjeta"),
    ]
    html = concordance_page([found]).html()
    assert "a <mark>credit</mark> <mark>card</mark> , a card" in html
    assert "una <mark>tarjeta</mark> de <mark>crédito</mark> , una tarjeta" in html
    found = concordance(*phrases, DOMAINS, "tarjeta de crédito", "t2s")
    assert {one.text: one.count for one in found.translations} == {"credit card": 1, "card": 1}


def test_occurrences_of_a_phrase_do_not_overlap(phrases: tuple[DomainText, Links]) -> None:
    found = concordance(*phrases, DOMAINS, "b b")
    assert {one.text: one.count for one in found.translations} == {"x": 1, "y": 1}


@pytest.mark.parametrize(
    ("phrase", "told"),
    [
        ("credit card the", "does not contain the phrase 'credit card the'; its words occur only"),
        ("card credit the", "does not contain the phrase 'card credit the'; its words occur only"),
        ("credit carp", r"does not contain 'carp' \(did you mean card"),
        (" ", "a word of a concordance is empty; pass a word, or a phrase in quotes"),
    ],
)
def test_a_phrase_that_the_text_lacks(
    phrases: tuple[DomainText, Links], phrase: str, told: str
) -> None:
    with pytest.raises(UsageError, match=told):
        concordance(*phrases, DOMAINS, phrase)


def test_lines_are_spread_over_the_domains(text: DomainText) -> None:
    law = np.array([0.9, 0.8, 0.95, 0.3, 0.2])
    bitext = Bitext.from_pairs([("w", "v")] * 5)
    many = DomainText(bitext, bitext, np.stack([law, 1 - law], axis=1))
    for limit, shown in ((1, [2]), (2, [2, 4]), (3, [0, 2, 4]), (9, [0, 1, 2, 3, 4])):
        found = concordance(many, Links.from_pairs([[(0, 0)]] * 5), DOMAINS, "w", limit=limit)
        assert [line.pair for line in found.translations[0].lines] == shown
        assert found.translations[0].count == 5


@pytest.mark.parametrize(
    ("law", "translations", "why"),
    [
        ([1.0, 0.999, 1.0], "a b a", "the word occurs in law only"),
        ([0.0, 0.0, 0.0], "a b a", "the word occurs in home only"),
        ([1.0, 0.0, 0.5], "a a a", "the word has a single translation"),
        ([1.0, 0.0, 0.5], "a b a", ""),
    ],
)
def test_a_word_without_a_test_has_no_p_value(
    law: list[float], translations: str, why: str
) -> None:
    bitext = Bitext.from_pairs([("w", word) for word in translations.split()])
    posterior = np.stack([law, 1 - np.array(law)], axis=1)
    text = DomainText(bitext, bitext, posterior)
    found = concordance(text, Links.from_pairs([[(0, 0)]] * len(law)), DOMAINS, "w")
    assert found.untested == why
    values = [found.p_value, *(one.p_value for one in found.translations)]
    assert [value is None for value in values] == [bool(why)] * len(values)
    assert [row["p"] == "" for row in found.count_rows()] == [bool(why)] * (len(values) - 1)
    assert found.values()["p"] == found.p_value
    assert next(found.text()).endswith(f"p - ({why})" if why else f"p {found.p_value:.3g}")
    html = concordance_page([found]).html()
    assert (f"No test of the translations, because {why}." in html) == bool(why)
    assert html.count("<td>–</td>") == (len(values) - 1) * bool(why)


def test_counts_of_the_translations(text: DomainText, links: Links) -> None:
    rows = list(concordance(text, links, DOMAINS, "charge").count_rows())
    assert [list(row.values())[:7] for row in rows] == [
        ["charge", 1, "cargo", 2, "0.4000", "1.40", "0.60"],
        ["charge", 2, NO_LINK, 1, "0.2000", "0.20", "0.80"],
        ["charge", 3, "carga", 1, "0.2000", "0.10", "0.90"],
        ["charge", 4, "de carga", 1, "0.2000", "0.50", "0.50"],
    ]
    names = "word rank translation count share occurrences.law occurrences.home p word_p"
    names += " probability probability.law probability.home"
    assert list(rows[0]) == names.split()
    table = np.array([[1.4, 0.6], [0.2, 0.8], [0.1, 0.9], [0.5, 0.5]])
    against = [np.stack([row, table.sum(axis=0) - row]) for row in table]
    assert [row["p"] for row in rows] == [f"{independence_p_value(one):.3g}" for one in against]
    assert {row["word_p"] for row in rows} == {f"{independence_p_value(table):.3g}"}


def test_the_page_marks_the_best_translations_of_each_domain() -> None:
    """A translation that is the best of two domains is marked in both."""
    bitext = Bitext.from_pairs([("w", "a"), ("w", "a"), ("w", "b"), ("w", "c")])
    posterior = np.eye(2)[[0, 1, 1, 1]]
    found = concordance(
        DomainText(bitext, bitext, posterior), Links.from_pairs([[(0, 0)]] * 4), DOMAINS, "w"
    )
    html = concordance_page([found]).html()
    cells = re.findall(r'<td( class="most")?>(\d\.\d)</td>', html)
    assert [(bool(most), value) for most, value in cells] == [
        (True, "1.0"), (True, "1.0"), (False, "0.0"), (True, "1.0"), (False, "0.0"), (True, "1.0"),
    ]  # fmt: skip


def test_a_word_that_the_text_lacks(text: DomainText, links: Links) -> None:
    with pytest.raises(UsageError, match=r"does not contain 'charges' \(did you mean charge\?\)"):
        concordance(text, links, DOMAINS, "charges")


@given(
    arrays(
        np.int64,
        st.tuples(st.integers(2, 4), st.integers(2, 4)),
        elements=st.integers(1, 50),
    )
)
def test_the_test_is_that_of_scipy(table: np.ndarray) -> None:
    expected = chi2_contingency(table, correction=False, lambda_="log-likelihood").pvalue
    found = independence_p_value(table.astype(np.float64))
    assert found == pytest.approx(expected, rel=1e-9, abs=1e-300)
    wider = np.pad(table.astype(np.float64), 1)  # what is empty changes nothing
    assert independence_p_value(wider) == pytest.approx(expected, rel=1e-9, abs=1e-300)


@pytest.mark.parametrize("table", [[[3.0, 2.0]], [[3.0], [2.0]], [[0.0, 0.0], [1.0, 2.0]]])
def test_one_row_or_column_says_nothing(table: list[list[float]]) -> None:
    assert independence_p_value(np.array(table)) == 1.0


def test_the_page_marks_the_words_and_runs_none() -> None:
    hostile = "<script>alert(1)</script>"
    bitext = Bitext.from_pairs([(f"charge {hostile}", f"\u202ecargo {hostile}")])
    text = DomainText(bitext, bitext, np.array([[0.75, 0.25]]))
    found = concordance(text, Links.from_pairs([[(0, 0)]]), ("law", hostile), "charge")
    html = concordance_page([found]).html()
    assert "<mark>charge</mark> &lt;script&gt;alert(1)&lt;/script&gt;" in html
    assert "<mark>&lt;202E&gt;cargo</mark>" in html
    assert hostile not in html
    assert "script-src &#39;none&#39;" in html
    assert Counter(re.findall(r"<(script|style)\b", html)) == {"style": 2}
