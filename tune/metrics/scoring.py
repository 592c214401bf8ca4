"""Translations in memory against references: scores, and statistics of their sentences."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from isogloss.align.arrays.sparse_rows import Ragged
from isogloss.align.errors import DataError, WrongTypeError, pluralize
from isogloss.align.execution.calls import ExplainedClass, public
from isogloss.align.text.sentences import Sentences, sentence_words, values_of
from isogloss.align.text.string_array import Texts
from isogloss.features.space import FeatureSpace

from ..nbest.types import NBest
from ..references import References
from .names import given_metric
from .protocol import Metric
from .reports import reported_score, show

__all__ = ["Score", "score", "text_statistics"]


@public
@dataclass(frozen=True, repr=False)
class Score(metaclass=ExplainedClass):
    """Score of translations, as ``isogloss score`` prints it.

    Attributes
    ----------
    metric : str
        Name.
    value : float
        In the metric's unit, such as BLEU from 0 to 100; also ``float(score)``.
    signature : str
        How it was counted, in sacrebleu's form.

    Examples
    --------
    >>> wer = score(["the cat sat"], ["the cat sat"], "wer")
    >>> wer.metric, float(wer)
    ('wer', 0.0)
    """

    metric: str
    value: float
    signature: str

    def __float__(self) -> float:
        return self.value

    def __repr__(self) -> str:
        return (
            f"Score({self.metric} {show(given_metric(self.metric), self.value)}; {self.signature})"
        )


@public
def score(
    translations: Sentences,
    references: References | Iterable[object],
    metric: Metric | str = "bleu",
    *,
    lowercase: bool = False,
) -> Score:
    """Score translations against references.

    Parameters
    ----------
    translations : iterable of str or of iterables of str
        Text or words of each translation; texts are scored as they are.
    references : References or iterable
        References of the same sentences, or what :meth:`References.from_sentences` takes.
    metric : Metric or str, default "bleu"
        See :func:`isogloss.tune.metric`.
    lowercase : bool, default False
        Lowercase both sides.

    Returns
    -------
    Score

    Raises
    ------
    DataError
        If the numbers of sentences differ, or there is none.
    UsageError
        If the metric or the form of the references is unknown.
    WrongTypeError
        If an argument has another type.

    Examples
    --------
    >>> score(["the cat sat", "it rained"], ["the cat sat", "it was raining"], "wer")
    Score(wer 33.33; metric:wer|nrefs:1|case:mixed|tok:none|by:isogloss)
    """
    metric = given_metric(metric)
    texts, references = _texts(translations, "translations"), _references(references)
    value, signature = reported_score(metric, texts, references, lowercase=lowercase)
    return Score(metric.name, value, signature)


def text_statistics(
    translations: Sentences, references: References | Iterable[object], metric: Metric, role: str
) -> NDArray[np.float64]:
    """Return the metric's statistics of each translation, float64[sentences, num_statistics].

    role: what messages call the translations

    Raises what :func:`score` raises.
    """
    texts, references = Texts.from_strings(_texts(translations, role)), _references(references)
    if len(texts) != len(references):
        raise DataError(
            f"{role} has {pluralize(len(texts), 'translation')}",
            f"{len(references)}, one per sentence",
        )
    offsets = np.arange(len(texts) + 1)
    lists = NBest(offsets, texts, Ragged.empty(len(texts)), FeatureSpace([]))
    return metric.statistics(lists, references)


def _texts(translations: object, role: str) -> list[str]:
    if isinstance(translations, NBest):
        raise WrongTypeError(
            f"{role} must be one translation per sentence, not n-best lists; use "
            "[hypotheses[0].text for hypotheses in nbest]"
        )
    if isinstance(translations, References):
        raise WrongTypeError(
            f"{role} must be a list of texts, not References; pass translations first, then "
            "their references"
        )
    return [
        text if isinstance(text, str) else " ".join(sentence_words(text, f"{role}[{number}]"))
        for number, text in enumerate(values_of(translations, role))
    ]


def _references(given: References | Iterable[object]) -> References:
    return given if isinstance(given, References) else References.from_sentences(given)
