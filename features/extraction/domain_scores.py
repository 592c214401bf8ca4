"""Scores conditioned on domains: from fractional counts by P(D | f, e), and from labels.

Columns hold what decoders take the logarithm of; dense names hold no underscore.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from isogloss.align.arrays.sparse_rows import Ragged

from ..space import escape
from ..table.phrase_table import PhraseTable
from .word_table import WordTable, lexical_scores

__all__ = [
    "DomainCounts",
    "LabelFeature",
    "add_domain_scores",
    "add_label_features",
    "domain_score_names",
]

SHARE_FLOOR = 1e-6  # of P(D | rule): a logarithm is taken of it


@dataclass(frozen=True)
class DomainCounts:
    """Counts of the rules of a table by domain.

    rule, source, target: float64[num_rules, D], c(f, e, D), c(f, D), c(e, D)
    """

    rule: NDArray[np.float64]
    source: NDArray[np.float64]
    target: NDArray[np.float64]


class LabelFeature(StrEnum):
    """Features of the domains whose labeled sentences a rule was seen in (Moses' names).

    INDICATOR: ``Domain.D``, value 1 where it was seen in D; RATIO: ``DomainRatio.D``, share of the
    labeled occurrences; the SPARSE ones ``dom_D 1`` and ``domr_D share``; SUBSET: ``doms_A_B 1``
    for the set of domains.
    """

    INDICATOR = "indicator"
    RATIO = "ratio"
    SUBSET = "subset"
    SPARSE_INDICATOR = "sparse-indicator"
    SPARSE_RATIO = "sparse-ratio"


def domain_score_names(domain: str) -> tuple[str, ...]:
    """Names of the five scores of a domain, in their order."""
    kinds = ("p(f|e)", "lex(f|e)", "p(e|f)", "lex(e|f)", "share")
    return tuple(f"{kind}.{escape(domain)}" for kind in kinds)


def add_domain_scores(
    table: PhraseTable,
    domains: Sequence[str],
    counts: DomainCounts,
    words: Sequence[tuple[WordTable, WordTable]],
    smoothing: float,
) -> PhraseTable:
    """The table with p(f|e,D), lex(f|e,D), p(e|f,D), lex(e|f,D), P(D|f,e) for each domain.

    p(f|e,D) = (c(f,e,D) + m p(f|e)) / (c(e,D) + m), m = ``smoothing``: the general probability
    where the domain has not seen e. words: w(source | target, D) and w(target | source, D).
    P(D | rule) = c(f,e,D) / c(f,e), at least 1e-6.
    """
    general = {name: table.scores[:, k] for k, name in enumerate(table.score_names)}
    total = np.maximum(counts.rule.sum(axis=1), np.finfo(np.float64).tiny)
    columns = []
    source, target = (table.source, table.rule_source), (table.target, table.rule_target)
    for number in range(len(domains)):
        joint = counts.rule[:, number]
        inverse, direct = (
            (joint + smoothing * general[name]) / (given[:, number] + smoothing)
            for name, given in (("p(f|e)", counts.target), ("p(e|f)", counts.source))
        )
        lex_fe, lex_ef = lexical_scores(source, target, table.links, words[number])
        share = np.maximum(joint / total, SHARE_FLOOR)
        columns += [np.minimum(inverse, 1.0), lex_fe, np.minimum(direct, 1.0), lex_ef, share]
    names = [name for domain in domains for name in domain_score_names(domain)]
    return table.with_scores(names, np.stack(columns, 1)) if names else table


def _sparse(table: PhraseTable, names: Sequence[str], values: NDArray[np.float64]) -> PhraseTable:
    """The table with one sparse feature per column of ``values`` where it isn't 0."""
    rules, ids = np.nonzero(values)
    offsets = np.searchsorted(rules, np.arange(len(table) + 1))
    rows = Ragged(ids.astype(np.int32), values[rules, ids].astype(np.float32), offsets)
    return table.with_sparse(names, rows)


def add_label_features(
    table: PhraseTable,
    domains: Sequence[str],
    counts: NDArray[np.float64],
    features: Sequence[LabelFeature],
) -> PhraseTable:
    """The table with features of labels; counts: float64[num_rules, D], labeled occurrences."""
    labels = [escape(domain) for domain in domains]
    seen = counts > 0.0
    total = counts.sum(axis=1, keepdims=True)
    share = counts / np.where(total > 0.0, total, 1.0)
    for feature in features:
        if feature is LabelFeature.INDICATOR:
            ones = seen.astype(np.float64)
            table = table.with_scores([f"Domain.{x}" for x in labels], np.exp(ones))
        elif feature is LabelFeature.RATIO:
            table = table.with_scores([f"DomainRatio.{x}" for x in labels], np.exp(share))
        elif feature is LabelFeature.SPARSE_INDICATOR:
            table = _sparse(table, [f"dom_{x}" for x in labels], seen.astype(np.float64))
        elif feature is LabelFeature.SPARSE_RATIO:
            table = _sparse(table, [f"domr_{x}" for x in labels], share)
        else:
            sets, which = np.unique(seen, axis=0, return_inverse=True)
            names = ["_".join(np.array(labels)[row]) for row in sets]
            values = np.zeros((len(table), len(sets)))
            values[np.arange(len(table)), which.ravel()] = 1.0
            known = [k for k, name in enumerate(names) if name]
            table = _sparse(table, [f"doms_{names[k]}" for k in known], values[:, known])
    return table
