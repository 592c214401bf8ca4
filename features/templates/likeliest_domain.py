"""The most likely domain of each rule, read from its scores per domain."""

import re

import numpy as np
from numpy.typing import NDArray

from isogloss.align.errors import UsageError

from ..feature_names import unescape_word
from ..table.phrase_table import PhraseTable

__all__ = ["DOMAIN_SCORES", "likeliest_domains"]

DOMAIN_SCORES = "DomainLex.*"  # what isogloss.features.extraction.domain_lexical calls its columns


def likeliest_domains(
    table: PhraseTable, columns: str = DOMAIN_SCORES
) -> tuple[tuple[str, ...], NDArray[np.int64]]:
    """Domains, and the number of each rule's likeliest one: int64[num_rules].

    ``columns`` names the scores; ``*`` stands for the domain. -1 is none: where two domains have
    the largest score, as all do where nothing is known of the rule's words.

    Raises UsageError where the table has fewer than two such columns.
    """
    before, _, after = columns.partition("*")
    pattern = re.compile(f"{re.escape(before)}(.+){re.escape(after)}", re.DOTALL)
    domains = {
        number: unescape_word(match[1])
        for number, name in enumerate(table.score_names)
        if (match := pattern.fullmatch(name))
    }
    if len(domains) < 2:
        raise UsageError(
            f"domain-crossed features need at least two scores that match {columns!r}, where * is "
            f"a domain, but {len(domains)} match; the table has {', '.join(table.score_names)}"
        )
    scores = table.scores[:, list(domains)]
    ties = (scores == scores.max(axis=1, initial=-np.inf, keepdims=True)).sum(axis=1) > 1
    return tuple(domains.values()), np.where(ties, -1, scores.argmax(axis=1))
