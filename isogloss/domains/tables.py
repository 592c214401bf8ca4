"""Domains in numbers: their shares of a text, their typical pairs, the entropy of their tables."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from isogloss.align.domains.contrast import expected_occurrences
from isogloss.align.domains.summary import DomainSummary, typical_pairs
from isogloss.align.errors import pluralize
from isogloss.align.lexicon.tables import conditional_entropy, coverage
from isogloss.align.model.model import AlignmentModel

from ..report import format_table
from .domain_text import DomainText

__all__ = [
    "entropy_rows",
    "format_summary",
    "format_typical_pairs",
    "summary_rows",
    "summary_values",
    "typical_pair_rows",
]

Row = dict[str, Any]


def summary_rows(summary: DomainSummary, domains: Sequence[str]) -> list[Row]:
    """The share and the number of pairs of each domain."""
    shares = zip(domains, summary.share.tolist(), summary.count.tolist(), strict=True)
    return [
        {"domain": name, "share": round(share, 6), "pairs": count} for name, share, count in shares
    ]


def summary_values(summary: DomainSummary, domains: Sequence[str]) -> Row:
    """The same, for JSON."""
    return {
        "pairs": summary.num_pairs,
        "empty_pairs": summary.num_unusable,
        "entropy_bits": round(summary.entropy, 4),
        "domains": {
            row["domain"]: {"share": row["share"], "pairs": row["pairs"]}
            for row in summary_rows(summary, domains)
        },
    }


def format_summary(summary: DomainSummary, domains: Sequence[str]) -> str:
    """The same as text."""
    shares = zip(domains, summary.share.tolist(), summary.count.tolist(), strict=True)
    rows = [(name, f"{100 * share:.2f}%", count) for name, share, count in shares]
    return (
        format_table("", ("domain", "expected share", "pairs"), rows)
        + f"{pluralize(summary.num_pairs, 'pair')}, mean entropy {summary.entropy:.4f} bits"
        + (f"; {summary.num_unusable} with an empty side left out" if summary.num_unusable else "")
    )


def typical_pair_rows(text: DomainText, numbers: dict[str, int], limit: int) -> list[Row]:
    """The most typical pairs of each domain. numbers: of the domains to show, by name"""
    rows = []
    for name, number in numbers.items():
        pairs, scores = typical_pairs(text.bitext, text.posterior, number, limit)
        for pair, score in zip(pairs.tolist(), scores.tolist(), strict=True):
            rows.append(
                {
                    "domain": name,
                    "line": pair + 1,
                    "probability": round(float(text.posterior[pair, number]), 6),
                    "log_odds_per_word": round(score, 4),
                    **text.words(pair),
                }
            )
    return rows


def format_typical_pairs(rows: Sequence[Row]) -> Iterator[str]:
    """The same as lines of text, three for each pair."""
    for row in rows:
        yield f"{row['domain']}, line {row['line']}, log-odds per word {row['log_odds_per_word']}"
        yield f"  {row['source']}"
        yield f"  {row['target']}"


def entropy_rows(model: AlignmentModel, text: DomainText | None) -> list[Row]:
    """Conditional entropy of each table in bits per word.

    Under the words of the domain and under those of all domains; without a text each type counts
    once.
    """
    rows: list[Row] = []
    for direction, given_side in (("s2t", "source"), ("t2s", "target")):
        occurrences = None
        if text is not None:
            occurrences = expected_occurrences(getattr(text.encoded, given_side), text.posterior)
        for number, name in enumerate(model.domains):
            table = model.lexicon(direction, name)
            if occurrences is None:
                domain_weights = np.ones(len(table.given_vocabulary))
                domain_weights[0] = 0.0  # NULL
                all_weights = domain_weights
            else:
                domain_weights, all_weights = occurrences[number], occurrences.sum(0)
            rows.append(
                {
                    "domain": name,
                    "direction": direction,
                    "bits": round(conditional_entropy(table, domain_weights), 4),
                    "bits_all_words": round(conditional_entropy(table, all_weights), 4),
                    "covered": round(coverage(table, all_weights), 4),
                    "weights": "types" if text is None else "text",
                }
            )
    return rows
