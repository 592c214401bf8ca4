"""Scores and tests of translations in memory."""

import re

import numpy as np
import pytest

import isogloss as ig
from isogloss.align.errors import DataError, UsageError, WrongTypeError
from isogloss.tune import Score, score
from isogloss.tune.metrics.reports import reported_score
from isogloss.tune.nbest.types import parse_nbest

TEXTS = ["the cat sat on the mat", "it rained all day long", "No !"]
OTHERS = ["a cat sat on the mat", "it rains all day long", "no !"]
LISTS = [["the cat sat on a mat", "a cat sat"], ["it rained all day"], ["no !", "none"]]
REFERENCES = ig.References.from_texts(LISTS)


@pytest.mark.parametrize("name", ["bleu", "ter", "chrf", "wer", "cer"])
def test_scores_are_those_that_the_program_reports(name: str) -> None:
    metric = ig.metric(name)
    for lowercase in (False, True):
        found = score(TEXTS, REFERENCES, name, lowercase=lowercase)
        expected = reported_score(metric, TEXTS, REFERENCES, lowercase=lowercase)
        assert (found.value, found.signature) == expected
        assert found == Score(name, float(found), found.signature)
    assert ig.score is score
    words = (text.split() for text in TEXTS)
    assert score(words, LISTS, metric) == score(TEXTS, REFERENCES, name)
    assert repr(score(TEXTS, TEXTS, "wer")).startswith("Score(wer 0.00; metric:wer|nrefs:1|")


@pytest.mark.parametrize("name", ["bleu", "ter", "chrf"])
def test_a_test_of_texts_is_one_of_their_statistics(name: str) -> None:
    found = ig.paired_bootstrap(TEXTS, iter(OTHERS), name, references=LISTS, trials=100)
    scores = [score(texts, REFERENCES, name).value for texts in (TEXTS, OTHERS)]
    assert found.difference == pytest.approx(scores[1] - scores[0], abs=1e-9)


@pytest.mark.parametrize(
    ("call", "kind", "message"),
    [
        (
            lambda: ig.paired_bootstrap(TEXTS, OTHERS, "bleu"),
            WrongTypeError,
            "a system must be an array of statistics, not ['the cat",
        ),
        (
            lambda: ig.paired_bootstrap(np.ones(3), np.ones(3), "bleu"),
            WrongTypeError,
            "for translations pass `references=...`",
        ),
        (
            lambda: ig.paired_bootstrap(TEXTS, OTHERS, REFERENCES),  # type: ignore[arg-type]
            WrongTypeError,
            'not References; use paired_bootstrap(baseline, system, "bleu", references=references)',
        ),
        (
            lambda: ig.paired_bootstrap(TEXTS, OTHERS[:1], "bleu", references=REFERENCES),
            DataError,
            "system has 1 translation; expected 3, one per sentence",
        ),
        (
            lambda: score(TEXTS, LISTS[:2]),
            DataError,
            "the system has 3 hypotheses; expected 2, one",
        ),
        (
            lambda: score(REFERENCES, TEXTS),  # type: ignore[arg-type]
            WrongTypeError,
            "translations must be a list of texts, not References; pass translations first, then",
        ),
        (
            lambda: score(parse_nbest("0 ||| a ||| ||| 0", "lists"), ["a"]),  # type: ignore[arg-type]
            WrongTypeError,
            "not n-best lists; use [hypotheses[0].text for hypotheses in nbest]",
        ),
        (lambda: score("a b", LISTS), WrongTypeError, "translations must be a list, not the st"),
        (lambda: score([["a", 1]], ["a"]), WrongTypeError, "translations[0] must be a string"),
        (
            lambda: ig.metric("bleu").statistics(TEXTS, REFERENCES),  # type: ignore[arg-type]
            WrongTypeError,
            "lists must be an NBest, not ['the cat sat on",
        ),
        (lambda: score(TEXTS, LISTS, "blue"), UsageError, "got 'blue'; did you mean bleu?"),
    ],
)
def test_what_cannot_be_scored(call, kind: type[Exception], message: str) -> None:
    with pytest.raises(kind, match=re.escape(message)):
        call()
