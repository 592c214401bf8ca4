"""Words that two domains translate differently, with examples."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..arrays.ragged import row_numbers
from ..lexicon.tables import LexicalTable
from ..links.links import Links
from ..text.corpus import Corpus

__all__ = [
    "HALF_OCCURRENCES",
    "LEAST_LINKS",
    "Contrast",
    "Example",
    "LinkedWords",
    "contrast",
    "expected_occurrences",
    "find_example",
]

HALF_OCCURRENCES = 10.0  # expected occurrences in a domain at which a word counts half
TRAINED_LEAN = 10.0  # domain_smoothing from which on tables lean enough by themselves
LEAST_LINKS = 0.5  # expected in a domain, of a translation that is shown as one of the domain's
SURE = 0.5  # P(D | f, e) of a pair from which on it is an example of its domain
READABLE = 12  # words of the given side that an example should have


@dataclass(frozen=True)
class LinkedWords:
    """Words that links connect, and how many links are expected in each domain.

    keys: int64[n], given type times number of generated types, plus generated type; sorted
    counts: float64[D, n], sums of P(D | f, e) over the links; types: of the generated side
    """

    keys: NDArray[np.int64]
    counts: NDArray[np.float64]
    types: int

    @classmethod
    def of(
        cls,
        links: Links,
        given: Corpus,
        generated: Corpus,
        posterior: NDArray[np.float64],
        direction: str,
    ) -> "LinkedWords":
        """Count the links of a text. posterior: float64[num_pairs, D]"""
        pair = row_numbers(links.offsets)
        ends = (links.source, links.target) if direction == "s2t" else (links.target, links.source)
        word, other = (
            side.tokens[side.offsets[pair] + positions].astype(np.int64)
            for side, positions in zip((given, generated), ends, strict=True)
        )
        known = (word > 0) & (other > 0)
        types = len(generated.vocabulary)
        keys, number = np.unique(word[known] * types + other[known], return_inverse=True)
        weights = posterior[pair[known]].T
        counts = [np.bincount(number, row, minlength=len(keys)) for row in weights]
        return cls(keys, np.array(counts, np.float64), types)

    def count(
        self, domain: int, word: NDArray[np.int32], other: NDArray[np.int32]
    ) -> NDArray[np.float64]:
        """Expected links in a domain, float64[k].

        word: int32[k], given types; other: int32[k], generated types
        """
        wanted = word.astype(np.int64) * self.types + other
        if not len(self.keys):
            return np.zeros(len(wanted))
        places = np.minimum(np.searchsorted(self.keys, wanted), len(self.keys) - 1)
        return np.where(self.keys[places] == wanted, self.counts[domain, places], 0.0)


@dataclass(frozen=True)
class Contrast:
    """Given words, sorted by how differently two domains translate them, the most different first.

    words: int32[n], given types
    score: float64[n], divergence shrunk for rare words
    divergence: float64[n], Jensen-Shannon divergence of the two rows in bits, 0 to 1
    occurrences: float64[2, n], of each word in the first and in the second domain
    translations: for each domain and word its most probable generated types, with probability
    """

    words: NDArray[np.int32]
    score: NDArray[np.float64]
    divergence: NDArray[np.float64]
    occurrences: NDArray[np.float64]
    translations: tuple[list[list[tuple[int, float]]], list[list[tuple[int, float]]]]

    def __len__(self) -> int:
        return len(self.words)


@dataclass(frozen=True)
class Example:
    """A sentence pair, by its number in the bitext, and P(D | f, e) of the domain it stands for."""

    pair: int
    probability: float


def expected_occurrences(corpus: Corpus, posterior: NDArray[np.float64]) -> NDArray[np.float64]:
    """How often each word is expected in each domain: float64[D, num_types].

    The sum over its occurrences of P(D | f, e). posterior: float64[num_pairs, D]
    """
    pair = row_numbers(corpus.offsets)
    known = corpus.tokens > 0
    tokens, pair = corpus.tokens[known], pair[known]
    return np.stack(
        [
            np.bincount(tokens, weights[pair], minlength=len(corpus.vocabulary))
            for weights in posterior.T
        ]
    )


def contrast(
    first: LexicalTable,
    second: LexicalTable,
    occurrences: NDArray[np.float64],
    *,
    half: float = HALF_OCCURRENCES,
    smoothing: float = 0.0,
    limit: int = 50,
    best: int = 3,
    linked: LinkedWords | None = None,
) -> Contrast:
    """The given words whose translations differ most between two tables of one model and direction.

    The score is the Jensen-Shannon divergence of the rows times n / (n + half), n the fewer
    occurrences in the two domains; words without occurrences, or without a row, in one of them are
    left out. Rows of tables that were trained with little ``smoothing`` (the pseudo-counts of
    `AlignerOptions.domain_smoothing`) first lean towards the common row of both, by up to ``half``
    pseudo-counts, because few counts make rows differ by chance.

    occurrences: float64[2, num_given_types], in each domain; see :func:`expected_occurrences`.
    half: occurrences at which the divergence counts half.
    linked: links of a text in both domains: translations are then only those that have half a link
        or more in the domain, since smoothed tables have those of all domains

    Raises ValueError for tables over different pairs of words.
    """
    if first.direction != second.direction or len(first.given) != len(second.given):
        raise ValueError("a contrast requires two tables of the same model and direction")
    given, types = first.given, len(first.given_vocabulary)
    rows = [_normalized(table, types) for table in (first, second)]
    has_row = [np.bincount(given, row, minlength=types) > 0.0 for row in rows]
    lean = half * max(0.0, 1.0 - smoothing / TRAINED_LEAN)
    if lean > 0.0:
        rows = _leaning(rows, occurrences, given, lean)
    divergence = np.bincount(given, _divergence(*rows), minlength=types)
    least = occurrences.min(0)
    score = divergence * least / (least + half)
    score[~(has_row[0] & has_row[1])] = 0.0
    words = np.argsort(-score, kind="stable")[:limit]
    words = words[score[words] > 0.0].astype(np.int32)
    return Contrast(
        words,
        score[words],
        divergence[words],
        occurrences[:, words],
        (
            _translations(first, words, best, linked, 0),
            _translations(second, words, best, linked, 1),
        ),
    )


def _normalized(table: LexicalTable, types: int) -> NDArray[np.float64]:
    """Probabilities float64[num_pairs] whose rows sum to 1 in full precision."""
    value = table.probability.astype(np.float64)
    total = np.bincount(table.given, value, minlength=types)
    return value / np.maximum(total, 1e-300)[table.given]


def _leaning(
    rows: list[NDArray[np.float64]],
    occurrences: NDArray[np.float64],
    given: NDArray[np.int32],
    lean: float,
) -> list[NDArray[np.float64]]:
    """Rows smoothed by ``lean`` pseudo-counts of the row of both domains together."""
    share = occurrences / np.maximum(occurrences.sum(0), 1e-300)
    common = share[0][given] * rows[0] + share[1][given] * rows[1]
    weights = occurrences / (occurrences + lean)
    return [
        weight[given] * row + (1.0 - weight[given]) * common
        for weight, row in zip(weights, rows, strict=True)
    ]


def _divergence(first: NDArray[np.float64], second: NDArray[np.float64]) -> NDArray[np.float64]:
    """The summands of the Jensen-Shannon divergence in bits."""
    middle = (first + second) / 2.0
    with np.errstate(divide="ignore", invalid="ignore"):
        terms = [np.where(p > 0.0, p * np.log2(p / middle), 0.0) for p in (first, second)]
    return np.asarray(terms[0] + terms[1]) / 2.0


def _translations(
    table: LexicalTable,
    words: NDArray[np.int32],
    count: int,
    linked: LinkedWords | None,
    domain: int,
) -> list[list[tuple[int, float]]]:
    """The ``count`` most probable generated types of each word, of those with links."""
    wanted = np.zeros(len(table.given_vocabulary), bool)
    wanted[words] = True
    rows = np.flatnonzero(wanted[table.given] & (table.probability > 0.0))
    if linked is not None:
        counts = linked.count(domain, table.given[rows], table.generated[rows])
        rows = rows[counts >= LEAST_LINKS]
    rows = rows[np.lexsort((table.generated[rows], -table.probability[rows], table.given[rows]))]
    bounds = np.searchsorted(table.given[rows], np.stack([words, words + 1]))
    translations = []
    for begin, end in bounds.T.tolist():
        best = rows[begin : min(end, begin + count)]
        generated, probability = table.generated[best], table.probability[best]
        translations.append(list(zip(generated.tolist(), probability.tolist(), strict=True)))
    return translations


def find_example(
    given: Corpus,
    generated: Corpus,
    probability: NDArray[np.float64],
    word: int,
    translations: Sequence[tuple[int, float]],
) -> Example | None:
    """A sentence pair of the domain that shows the word with its best translation, not too long.

    probability: float64[num_pairs], P(D | f, e) of the domain; pairs below one half are no
    examples of it. Returns None where there is none.
    """
    pairs = _pairs_with(given, word)
    pairs = pairs[probability[pairs] >= SURE]
    if len(pairs) == 0:
        return None
    best = _pairs_with(generated, translations[0][0]) if translations else pairs[:0]
    lengths = np.abs(given.lengths[pairs] - READABLE)
    order = np.lexsort((pairs, lengths, ~np.isin(pairs, best)))
    chosen = int(pairs[order[0]])
    return Example(chosen, float(probability[chosen]))


def _pairs_with(corpus: Corpus, word: int) -> NDArray[np.int64]:
    """int64[n]: the sentences that hold a word, each once."""
    positions = np.flatnonzero(corpus.tokens == word)
    return np.unique(np.searchsorted(corpus.offsets, positions, side="right") - 1)
