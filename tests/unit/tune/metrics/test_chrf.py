"""chrF and chrF++ against sacrebleu and counting."""

import numpy as np
import pytest
import sacrebleu
from hypothesis import given
from numpy.typing import NDArray

from isogloss.align.errors import UsageError
from isogloss.tune.metrics.chrf import Chrf
from isogloss.tune.references import References
from tests.naive import chrf as naive
from tests.naive.lists import lists_of
from tests.naive.odd_text import corpora

Corpus = list[tuple[list[str], list[str]]]
FORMS = [Chrf(), Chrf(word_order=2), Chrf(word_order=1, character_order=2, beta=3.0)]


def measured(corpus: Corpus, metric: Chrf) -> NDArray[np.float64]:
    references = References.from_texts([others for _, others in corpus])
    return metric.statistics(lists_of([own for own, _ in corpus]), references)


@pytest.mark.parametrize("metric", FORMS[:2])
@given(corpora)
def test_statistics_equal_counting(metric: Chrf, corpus: Corpus) -> None:
    found = measured(corpus, metric)
    rows = [
        naive.statistics(one, others, metric.character_order, metric.word_order)
        for own, others in corpus
        for one in own
    ]
    assert rows == found.tolist()


@pytest.mark.parametrize("metric", FORMS)
@given(corpora)
def test_scores_equal_sacrebleu(metric: Chrf, corpus: Corpus) -> None:
    found = measured(corpus, metric)
    theirs = sacrebleu.CHRF(metric.character_order, metric.word_order, int(metric.beta))
    expected = [theirs.sentence_score(one, others).score for own, others in corpus for one in own]
    np.testing.assert_allclose(expected, metric.score(found), rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(np.array(expected) / 100, metric.gains(found), rtol=1e-12)
    first = np.cumsum([0, *(len(own) for own, _ in corpus[:-1])])
    streams = References.from_texts([others for _, others in corpus]).streams()
    score = theirs.corpus_score([own[0] for own, _ in corpus], streams).score
    assert score == pytest.approx(metric.score(found[first].sum(0)), rel=1e-12)


def test_by_hand() -> None:
    # ab / abc: characters 2 of 2 and 3; pairs 1 of 1 and 2; longer ones only in the reference
    metric = Chrf(character_order=3)
    found = measured([(["a b", "xyz"], ["ab c"])], metric)
    assert [[2, 3, 2, 1, 2, 1, 0, 1, 0], [3, 3, 0, 2, 2, 0, 1, 1, 0]] == found.tolist()
    recall = (2 / 3 + 1 / 2) / 2
    assert [pytest.approx(100 * 5 * recall / (4 + recall)), 0.0] == metric.score(found).tolist()


def test_equally_good_references_the_first_counts() -> None:
    found = measured([(["ab"], ["xxx", "yy"]), (["ab"], ["ab", "ab  "])], Chrf(character_order=1))
    assert [[2, 3, 0], [2, 2, 2]] == found.tolist()


def test_empty_texts() -> None:
    found = measured([(["", "a"], ["", " "]), ([""], ["a"])], Chrf(word_order=2))
    assert [0.0, 0.0, 0.0] == Chrf(word_order=2).score(found).tolist()
    assert 0.0 == Chrf().score(np.zeros(18))
    assert (2, 3) == Chrf().score(np.zeros((2, 3, 18))).shape


@pytest.mark.parametrize(
    ("metric", "name", "columns"),
    [(FORMS[0], "chrf", 18), (FORMS[1], "chrf++", 24), (FORMS[2], "chrf+", 9)],
)
def test_names(metric: Chrf, name: str, columns: int) -> None:
    assert (name, 1, columns) == (metric.name, metric.sign, metric.num_statistics)


def test_gains_do_not_depend_on_the_background() -> None:
    found = measured([(["ab", "b"], ["abc"])], Chrf())
    assert Chrf().gains(found).tolist() == Chrf().gains_in(np.ones(18), found).tolist()


@pytest.mark.parametrize("options", [{"word_order": -1}, {"character_order": 0}, {"beta": 0.0}])
def test_options_out_of_range(options: dict[str, float]) -> None:
    with pytest.raises(UsageError, match="chrf needs a word order of at least 0"):
        Chrf(**options)  # type: ignore[arg-type]
