"""Scores to be reported: by sacrebleu on text as it stands, with its signature."""

from collections.abc import Sequence
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray
from sacrebleu.metrics.bleu import BLEU
from sacrebleu.metrics.chrf import CHRF
from sacrebleu.metrics.ter import TER

from align.errors import DataError
from align.texts import Texts
from features.ragged import Ragged
from features.space import FeatureSpace

from ..nbest import NBest
from ..references import References
from .bleu import Bleu
from .chrf import Chrf
from .column import Column
from .error_rates import Ter
from .protocol import Metric

__all__ = ["reported_choice", "reported_score"]


def reported_score(
    metric: Metric, hypotheses: Sequence[str], references: References
) -> tuple[float, str]:
    """Score of one hypothesis per sentence, and a signature that says how it was counted.

    BLEU, chrF and TER come from sacrebleu, without tokenisation, everything else by its defaults.
    What sacrebleu doesn't have (wer, cer, other reference lengths) is our own, with ``by:isogloss``
    in the signature.

    Raises DataError for no sentence, where references are those of another number of sentences, and
    for a column, which text doesn't have.
    """
    if len(hypotheses) != len(references) or not len(hypotheses):
        raise DataError(
            f"{len(hypotheses)} hypotheses", f"one for each of {len(references)} sentences"
        )
    theirs = _theirs(metric)
    if theirs is not None:
        texts = [str(text) for text in hypotheses]
        streams = cast(Sequence[Sequence[str]], references.streams())
        score = float(theirs.corpus_score(texts, streams).score)
        return score, str(theirs.get_signature())
    count = len(hypotheses)
    lists = NBest(
        np.arange(count + 1),
        Texts.from_strings(hypotheses),
        Ragged.empty(count),
        FeatureSpace([]),
    )
    statistics = metric.statistics(lists, references)
    return float(metric.score(statistics.sum(0))), _signature(metric, references)


def reported_choice(
    metric: Metric, lists: NBest, references: References | None, chosen: NDArray[np.int64]
) -> tuple[float, str]:
    """The same for hypotheses of n-best lists: score and signature.

    references: those of the lists where None; chosen: int64, numbers of hypotheses of different
    sentences.

    Raises what :func:`reported_score` raises, and DataError for a column that the lists lack.
    """
    if isinstance(metric, Column):
        values = metric.statistics(lists, references)[chosen]
        return float(metric.score(values.sum(0))), _signature(metric, None)
    references = lists.references if references is None else references
    if references is None:
        raise DataError("no references", f"references, which {metric.name} is measured against")
    sentences = np.searchsorted(lists.sentence_offsets, chosen, side="right") - 1
    return reported_score(metric, lists.texts.select(chosen), references.select(sentences))


def _theirs(metric: Metric) -> Any:
    """sacrebleu's form of a metric; None where it has none."""
    if isinstance(metric, Bleu) and metric.reference_length == "closest":
        return BLEU(tokenize="none", force=True)
    if isinstance(metric, Chrf) and float(metric.beta).is_integer():
        return CHRF(
            char_order=metric.character_order, word_order=metric.word_order, beta=int(metric.beta)
        )
    if isinstance(metric, Ter):
        return TER(case_sensitive=metric.case_sensitive)
    return None


def _signature(metric: Metric, references: References | None) -> str:
    """As sacrebleu writes them: name:value, joined by a bar."""
    parts = [f"metric:{metric.name}"]
    if references is not None:
        counts = set(np.diff(references.offsets).tolist())
        parts += [f"nrefs:{counts.pop() if len(counts) == 1 else 'var'}", "case:mixed", "tok:none"]
    if isinstance(metric, Bleu):
        parts += [f"length:{metric.reference_length}", "smooth:exp"]
    if isinstance(metric, Chrf):
        orders = f"nc:{metric.character_order}", f"nw:{metric.word_order}"
        parts += ["eff:yes", *orders, f"beta:{metric.beta:g}", "space:no"]
    return "|".join([*parts, "by:isogloss"])
