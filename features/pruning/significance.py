"""Significance of phrase pairs by Fisher's exact test (Johnson, Martin, Foster & Kuhn 2007)."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from isogloss.align.errors import DataError, OptionError, UsageError
from isogloss.align.files.numerals import parse_number
from isogloss.align.text.bitext import Bitext
from isogloss.align.text.corpus import Corpus

from ..table.phrase_table import PhraseTable
from .kernels.significance import count_cooccurrences, significances
from .kernels.suffix_array import count_sentences
from .suffix_array import SuffixArray

__all__ = ["SignificanceTest", "negative_log_p", "parse_threshold"]

EPSILON = 1e-3  # Moses's filter-pt has the same; no other table of counts comes as close to alpha
_ALPHA = {
    "a+e": EPSILON,
    "alpha+epsilon": EPSILON,
    "a-e": -EPSILON,
    "alpha-epsilon": -EPSILON,
}


def parse_threshold(text: str, num_pairs: int) -> float:
    """The least -log p (natural log) that a rule is to have.

    ``text`` is a number, or alpha+epsilon (a+e) or alpha-epsilon (a-e): alpha = log N is the
    -log p of a rule whose phrases occur in one sentence pair each, the same; such rules are often
    chance. With a+e they are dropped, with a-e they are the least significant ones that are kept.

    Raises UsageError for anything else, a number below 0, or alpha of a text without pairs.
    """
    if text in _ALPHA:
        if num_pairs < 1:
            raise UsageError(f"significance {text} requires a text with at least one sentence pair")
        return math.log(num_pairs) + _ALPHA[text]
    try:
        value = parse_number(text)
    except ValueError:
        value = math.nan
    if not 0.0 <= value < math.inf:
        raise OptionError("significance", "a+e, a-e or a number (the minimum -log p)", text)
    return value


def negative_log_p(counts: NDArray[np.int64], num_pairs: int) -> NDArray[np.float64]:
    """-log p, natural log, of a one-sided Fisher test: float64[n]; see :class:`SignificanceTest`.

    counts: int64[n, 3], sentence pairs that hold f, e and both; num_pairs: all pairs

    Raises ValueError for counts that no text has.
    """
    f, e, both = counts.T
    good = (both >= np.maximum(0, f + e - num_pairs)) & (both <= np.minimum(f, e))
    if not (good & (np.maximum(f, e) <= num_pairs)).all():
        raise ValueError("counts must be consistent counts of sentence pairs")
    result = np.empty(len(counts))
    significances(counts, num_pairs, result)
    return result


@dataclass(frozen=True)
class _Phrases:
    """The phrases that the rules of a block use, and their places in the text."""

    # low, high, lengths: int64[num_phrases]; rules: int64[num_rules], phrase of each rule

    low: NDArray[np.int64]
    high: NDArray[np.int64]
    lengths: NDArray[np.int64]
    rules: NDArray[np.int64]

    @classmethod
    def find(cls, phrases: Corpus, rules: NDArray[np.int32], text: SuffixArray) -> "_Phrases":
        """Look them up; phrases that no rule uses are left out."""
        used, inverse = np.unique(rules.astype(np.int64), return_inverse=True)
        phrases = phrases.select(used)
        return cls(*text.find(phrases), phrases.lengths, inverse)

    def counts(self, text: SuffixArray) -> NDArray[np.int64]:
        """Sentences that hold the phrase of each rule: int64[num_rules]."""
        result = np.empty(len(self.low), np.int64)
        count_sentences(self.low, self.high, self.lengths, text.suffixes, result)
        return result[self.rules]


class SignificanceTest:
    """How likely the phrases of a rule stand in so many common sentence pairs by chance.

    With N sentence pairs, C(f) and C(e) that hold a phrase (anywhere, linked or not, each pair
    counted once) and C(f, e) that hold both, p is the upper tail of the hypergeometric
    distribution (Johnson et al. 2007, section 3):

        p = sum_{k >= C(f, e)} C(C(f), k) C(N - C(f), C(e) - k) / C(N, C(e))

    bitext: the text that the tables were extracted from. All its pairs count for N, as in Moses's
        filter-pt, those with an empty side, too. The index takes 32 bytes per word pair.
    """

    def __init__(self, bitext: Bitext) -> None:
        self.num_pairs = len(bitext)
        self._source, self._target = SuffixArray(bitext.source), SuffixArray(bitext.target)

    def counts(self, table: PhraseTable) -> NDArray[np.int64]:
        """C(f), C(e) and C(f, e) of each rule: int64[num_rules, 3]; 0 = not in the text."""
        source = _Phrases.find(table.source, table.rule_source, self._source)
        target = _Phrases.find(table.target, table.rule_target, self._target)
        both = np.empty(len(table), np.int64)
        count_cooccurrences(
            source.rules,
            target.rules,
            (source.low, source.high, source.lengths),
            (target.low, target.high, target.lengths),
            (self._source.suffixes, self._target.suffixes),
            both,
        )
        return np.stack([source.counts(self._source), target.counts(self._target), both], 1)

    def scores(self, table: PhraseTable) -> NDArray[np.float64]:
        """-log p of each rule: float64[num_rules], natural log.

        0 = as expected by chance or less, also for rules whose phrases are never together.
        """
        return negative_log_p(self.counts(table), self.num_pairs)


def check_occurrences(table: PhraseTable, counts: NDArray[np.int64]) -> None:
    """Raise DataError for a rule that no sentence pair of the text holds.

    counts: int64[num_rules, 3], see :meth:`SignificanceTest.counts`
    """
    missing = np.flatnonzero(counts[:, 2] == 0)
    if not len(missing):
        return
    number = int(missing[0])
    f, e = table[number].source, table[number].target
    sides = [phrase for phrase, count in zip((f, e), counts[number, :2], strict=True) if not count]
    seen = " or ".join(map(repr, sides)) or "a sentence pair with both phrases"
    raise DataError(
        f"the text does not contain {seen} of the rule {f!r} ||| {e!r}",
        "rules extracted from this text",
        remedy="Pass the text used for extraction (same sides, case and tokens), or select what to "
        "do with such rules (`unseen=...`)",
    )
