"""Lexical tables by relative frequency of links, and the lexical weights of rules."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from isogloss.align.arrays.equality import ComparedByContent
from isogloss.align.arrays.ragged import (
    distinct_sums,
    per_entry,
    row_numbers,
    run_lengths,
    run_starts,
)
from isogloss.align.arrays.sparse_rows import Ragged
from isogloss.align.links.links import Links
from isogloss.align.text.corpus import Corpus
from isogloss.align.text.vocabulary import Vocabulary

from .kernels.lexical import LONGEST, REMEMBERED, SeenPairs, lexical_weights, link_keys

__all__ = ["WordTable", "format_word_table", "lexical_scores", "word_table"]

_DECIMALS = 7  # of Moses' lexical tables


@dataclass(frozen=True, eq=False)
class WordTable(ComparedByContent):
    """w(generated | given) by relative frequency of links; NULL stands for unlinked words.

    row_offsets: int64[num_given_types + 1], the entries of a given word
    words: int32[num_entries], generated words, sorted within a row
    values: float64[num_entries]
    null: float64[num_generated_types], w(generated | NULL)
    null_given: float64[num_given_types], w(NULL | given)
    """

    row_offsets: NDArray[np.int64]
    words: NDArray[np.int32]
    values: NDArray[np.float64]
    null: NDArray[np.float64]
    null_given: NDArray[np.float64]

    @property
    def given(self) -> NDArray[np.int64]:
        """int64[num_entries], the given word of each entry."""
        return row_numbers(self.row_offsets)

    def rounded(self) -> "WordTable":
        """The table as Moses reads it from its file: seven decimals, but nothing becomes 0."""
        smallest = 10.0**-_DECIMALS
        values, null, null_given = (
            np.where(
                probabilities > 0.0, np.maximum(np.round(probabilities, _DECIMALS), smallest), 0.0
            )
            for probabilities in (self.values, self.null, self.null_given)
        )
        return replace(self, values=values, null=null, null_given=null_given)


def word_table(
    generated: Corpus,
    given: Corpus,
    links: Links,
    weights: NDArray[np.float64] | None = None,
    general: WordTable | None = None,
    smoothing: float = 0.0,
) -> WordTable:
    """Count links, as Moses does for its lexical tables.

    ``links`` are (generated, given) positions; ``weights`` float64[num_pairs], how often a sentence
    pair counts (default: once). A word without a link counts as linked to NULL on the other side;
    each pair of NULL counts is normalized with the rest of its given word.

    With ``general``, a table of the same links, ``smoothing`` counts of each given word are dealt
    out by it, so that what has no weight here has a probability, too.
    """
    num_types, num_given = len(generated.vocabulary), len(given.vocabulary)
    keys = np.empty(len(links.source), np.int64)
    linked = np.zeros(len(generated.tokens), np.bool_), np.zeros(len(given.tokens), np.bool_)
    link_keys(
        (generated.tokens, generated.offsets), (given.tokens, given.offsets),
        (links.source, links.target, links.offsets), num_types, keys, linked,
    )  # fmt: skip
    share = None if weights is None else per_entry(weights, links.offsets)
    keys, counts = _sums(keys, share)
    null = _unlinked(generated, linked[0], weights)
    null_given = _unlinked(given, linked[1], weights)
    rows, words = np.divmod(keys, num_types)
    totals = np.bincount(rows, counts, num_given) + null_given
    null_total = null.sum()
    if general is not None:
        counts += smoothing * general.values
        null += smoothing * general.null
        null_given += smoothing * general.null_given
        totals += smoothing
        null_total += smoothing
    safe = np.where(totals > 0.0, totals, 1.0)
    return WordTable(
        np.searchsorted(rows, np.arange(num_given + 1)), words.astype(np.int32),
        counts / safe[rows], null / (null_total or 1.0), null_given / safe,
    )  # fmt: skip


def _sums(
    keys: NDArray[np.int64], weights: NDArray[np.float64] | None
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """The distinct keys, rising, and the sums of their weights; the keys may be sorted in place."""
    if weights is not None:
        return distinct_sums(keys, weights)
    keys.sort()
    starts = run_starts(keys)
    return keys[starts], run_lengths(starts, len(keys)).astype(np.float64)


def _unlinked(
    corpus: Corpus, linked: NDArray[np.bool_], weights: NDArray[np.float64] | None
) -> NDArray[np.float64]:
    """How often each word has no link: float64[num_types]."""
    share = None if weights is None else per_entry(weights, corpus.offsets)[~linked]
    counts = np.bincount(corpus.tokens[~linked], share, len(corpus.vocabulary))
    return counts.astype(np.float64)


def format_word_table(table: WordTable, generated: Vocabulary, given: Vocabulary) -> Iterator[str]:
    """Lines ``generated given w(generated | given)`` of Moses' lexical tables, seven decimals."""
    words, others = generated.words, given.words
    for row, word, value in zip(
        table.given.tolist(), table.words.tolist(), table.values.tolist(), strict=True
    ):
        yield f"{words[word]} {others[row]} {value:.7f}"
    for k in np.flatnonzero(table.null).tolist():
        yield f"{words[k]} NULL {table.null[k]:.7f}"
    for k in np.flatnonzero(table.null_given).tolist():
        yield f"NULL {others[k]} {table.null_given[k]:.7f}"


def lexical_scores(
    source: tuple[Corpus, NDArray[np.int32]],
    target: tuple[Corpus, NDArray[np.int32]],
    links: Ragged,
    tables: tuple[WordTable, WordTable],
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """lex(f|e) and lex(e|f) of each rule: float64[num_rules] each (Koehn, Och & Marcu 2003).

    source, target: phrases, and the phrase of each rule, int32[num_rules]
    links: their inner links, as in PhraseTable; tables: w(source | target) and w(target | source)
    """
    columns = [(phrases.tokens, phrases.offsets, rules) for phrases, rules in (source, target)]
    positions = ((links.ids >> 8).astype(np.uint8), (links.ids & 255).astype(np.uint8))
    results = []
    for side, table in enumerate(tables):
        result = np.empty(len(links))
        room = SeenPairs(
            np.zeros(REMEMBERED, np.uint64), np.empty(REMEMBERED), np.empty(LONGEST),
            np.empty(LONGEST, np.int64),
        )  # fmt: skip
        lexical_weights(
            columns[side],
            columns[1 - side],
            (positions[side], positions[1 - side], links.offsets),
            (table.row_offsets, table.words, table.values),
            table.null,
            room,
            result,
        )
        results.append(result)
    return results[0], results[1]
