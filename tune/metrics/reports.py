"""Scores to be reported: by sacrebleu on text as it stands, with its signature."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from isogloss.align.arrays.sparse_rows import Ragged
from isogloss.align.errors import DataError, pluralize
from isogloss.align.text.string_array import Texts
from isogloss.features.space import FeatureSpace

from ..nbest.types import NBest
from ..references import References
from .bleu import Bleu
from .chrf import Chrf
from .column import COLUMN, Column
from .error_rates import Ter
from .protocol import Metric

__all__ = ["decimals", "reported_choice", "reported_score", "sentence_scores", "show"]


def reported_score(
    metric: Metric, hypotheses: Sequence[str], references: References, *, lowercase: bool = False
) -> tuple[float, str]:
    """Score of one hypothesis per sentence, and a signature that says how it was counted.

    BLEU, chrF and TER come from sacrebleu, without tokenization, everything else by its defaults.
    What sacrebleu doesn't have (wer, cer, other reference lengths) is our own, with ``by:isogloss``
    in the signature. lowercase: whether both sides are put in lower case first (``case:lc``).

    Raises DataError for no sentence, where references are those of another number of sentences, and
    for a column, which text doesn't have.
    """
    if len(hypotheses) != len(references) or not len(hypotheses):
        raise DataError(
            f"the system has {pluralize(len(hypotheses), 'hypothesis')}",
            f"{len(references)}, one per sentence",
        )
    theirs = _theirs(metric, lowercase)
    if theirs is not None:
        outputs = [str(text) for text in hypotheses]
        streams = cast(Sequence[Sequence[str]], references.streams())
        score = float(theirs.corpus_score(outputs, streams).score)
        return score, str(theirs.get_signature())
    count, texts = len(hypotheses), Texts.from_strings(hypotheses)
    if lowercase:
        texts, references = texts.lowercased(), references.lowercased()
    lists = _single(texts, Ragged.empty(count), FeatureSpace([]))
    statistics = metric.statistics(lists, references)
    return float(metric.score(statistics.sum(0))), _signature(metric, references, lowercase)


def reported_choice(
    metric: Metric,
    lists: NBest,
    references: References | None,
    chosen: NDArray[np.int64],
    *,
    lowercase: bool = False,
) -> tuple[float, str]:
    """The same for hypotheses of n-best lists: score and signature.

    references: those of the lists where None; chosen: int64[len(lists)], number of a hypothesis of
    each sentence, -1 where it has none, which counts as an empty one.

    Raises what :func:`reported_score` raises, and DataError for a column that the lists lack.
    """
    if isinstance(metric, Column):
        kept = chosen[chosen >= 0]
        chosen_lists = _single(lists.texts.select(kept), lists.rows.select(kept), lists.space)
        columns = {name: values[kept] for name, values in lists.columns.items()}
        values = metric.statistics(replace(chosen_lists, columns=columns))
        return float(metric.score(values.sum(0))), _signature(metric, None)
    references = lists.references if references is None else references
    if references is None:
        raise DataError(f"{metric.name} needs references; pass `references=...`")
    hypotheses = [lists.texts[row] if row >= 0 else "" for row in chosen.tolist()]
    return reported_score(metric, hypotheses, references, lowercase=lowercase)


def sentence_scores(
    metric: Metric, lists: NBest, references: References | None
) -> NDArray[np.float64]:
    """Score of each sentence: float64[num_sentences].

    BLEU is sacrebleu's for sentences: smoothed, over the orders that the sentence has. With other
    reference lengths it is unsmoothed, as all others are the corpus score of one sentence.

    lists: one hypothesis per sentence; references: those of the lists where None
    """
    references = lists.references if references is None else references
    if isinstance(metric, Bleu) and metric.reference_length == "closest" and references is not None:
        theirs = _theirs(metric, lowercase=False)
        theirs.effective_order = True
        offsets, texts = references.offsets.tolist(), references.texts
        scores = [
            theirs.sentence_score(lists.texts[k], [texts[row] for row in range(begin, end)]).score
            for k, (begin, end) in enumerate(pairwise(offsets))
        ]
        return np.array(scores, np.float64)
    return np.asarray(metric.score(metric.statistics(lists, references)), np.float64)


def show(metric: Metric, score: float, sign: str = "-") -> str:
    """A score with as many decimals as its metric has.

    sign: ``+`` for differences
    """
    digits = decimals(metric.name)
    shown = f"{score:{sign}.{digits}f}"
    return shown if float(shown) else f"{0.0:.{digits}f}"


def decimals(name: str) -> int:
    """Decimals that scores of a metric are shown with: 2 on a scale of 100, 4 for a column."""
    return 4 if name.startswith(COLUMN) else 2


def _single(texts: Texts, rows: Ragged, space: FeatureSpace) -> NBest:
    """Lists of one hypothesis each."""
    return NBest(np.arange(len(texts) + 1), texts, rows, space)


def _theirs(metric: Metric, lowercase: bool) -> Any:
    """sacrebleu's form of a metric; None where it has none."""
    from sacrebleu.metrics.bleu import BLEU  # not before something is scored
    from sacrebleu.metrics.chrf import CHRF
    from sacrebleu.metrics.ter import TER

    if isinstance(metric, Bleu) and metric.reference_length == "closest":
        return BLEU(tokenize="none", force=True, lowercase=lowercase)
    if isinstance(metric, Chrf) and float(metric.beta).is_integer():
        return CHRF(
            char_order=metric.character_order,
            word_order=metric.word_order,
            beta=int(metric.beta),
            lowercase=lowercase,
        )
    if isinstance(metric, Ter):
        return TER(case_sensitive=metric.case_sensitive and not lowercase)
    return None


def _signature(metric: Metric, references: References | None, lowercase: bool = False) -> str:
    """As sacrebleu writes them: name:value, joined by a bar."""
    parts = [f"metric:{metric.name}"]
    if references is not None:
        counts = set(np.diff(references.offsets).tolist())
        parts.append(f"nrefs:{counts.pop() if len(counts) == 1 else 'var'}")
        parts += ["case:lc" if lowercase else "case:mixed", "tok:none"]
    if isinstance(metric, Bleu):
        parts += [f"length:{metric.reference_length}", "smooth:exp"]
    if isinstance(metric, Chrf):
        orders = f"nc:{metric.character_order}", f"nw:{metric.word_order}"
        parts += ["eff:yes", *orders, f"beta:{metric.beta:g}", "space:no"]
    return "|".join([*parts, "by:isogloss"])
