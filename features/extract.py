"""From word links to a scored phrase table (Koehn, Och & Marcu 2003; the scores of Moses)."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from align.corpus import Bitext, Corpus
from align.errors import UsageError
from align.links import Links

from .kernels.extract import STRIDE, extract, lexical_weights
from .phrase_table import MOSES_SCORES, PhraseTable, phrase_texts
from .ragged import Ragged

__all__ = ["WordTable", "extract_phrase_table", "word_table"]


# rank of each set of source words, given as bits, in the order of their rising lists
_SET_RANK = np.empty(256, np.uint8)
_SET_RANK[sorted(range(256), key=lambda bits: [j for j in range(STRIDE) if bits >> j & 1])] = (
    np.arange(256)
)


@dataclass(frozen=True)
class WordTable:
    """w(generated | given) by relative frequency of links; NULL stands for unlinked words.

    keys: int64[num_pairs], given * num_generated_types + generated, sorted
    values: float64[num_pairs]
    null: float64[num_generated_types], w(generated | NULL)
    null_given: float64[num_given_types], w(NULL | given)
    num_generated_types: the factor in the keys
    """

    keys: NDArray[np.int64]
    values: NDArray[np.float64]
    null: NDArray[np.float64]
    null_given: NDArray[np.float64]
    num_generated_types: int


def word_table(generated: Corpus, given: Corpus, links: Links) -> WordTable:
    """Count links, as Moses does for its lexical tables.

    ``links`` are (generated, given) positions. A word without a link counts as linked to NULL on
    the other side; each pair of NULL counts is normalised with the rest of its given word.
    """
    pair = np.repeat(np.arange(len(links)), np.diff(links.offsets))
    place = generated.offsets[:-1][pair] + links.source
    other = given.offsets[:-1][pair] + links.target
    num_types = len(generated.vocabulary)
    keys, counts = np.unique(
        given.tokens[other].astype(np.int64) * num_types + generated.tokens[place],
        return_counts=True,
    )
    alone = np.ones(len(generated.tokens), np.bool_)
    alone[place] = False
    null = np.bincount(generated.tokens[alone], minlength=num_types).astype(np.float64)
    alone_given = np.ones(len(given.tokens), np.bool_)
    alone_given[other] = False
    null_given = np.bincount(given.tokens[alone_given], minlength=len(given.vocabulary))
    totals = np.bincount(keys // num_types, counts, minlength=len(given.vocabulary)) + null_given
    safe = np.maximum(totals, 1.0)
    return WordTable(
        keys, counts / totals[keys // num_types], null / max(null.sum(), 1.0), null_given / safe,
        num_types,
    )  # fmt: skip


def _phrase_ids(
    corpus: Corpus, positions: NDArray[np.int64], lengths: NDArray[np.int8]
) -> tuple[NDArray[np.int64], Corpus]:
    """Number the phrases (position, length): int64[k], and the distinct phrases as a corpus.

    A phrase of n words is numbered by its first n - 1 words and its last one, length by length.
    """
    numbers = np.zeros(len(positions), np.int64)
    tokens = corpus.tokens.astype(np.int64)
    places, sizes = [], []
    prefix = np.zeros(len(tokens), np.int64)
    total = 0
    for length in range(1, int(lengths.max(initial=0)) + 1):
        ends = np.minimum(np.arange(len(tokens)) + length - 1, len(tokens) - 1)
        _, first, prefix = np.unique(
            prefix * len(corpus.vocabulary) + tokens[ends], return_index=True, return_inverse=True
        )
        own = lengths == length
        used, inverse = np.unique(prefix[positions[own]], return_inverse=True)
        numbers[own] = total + inverse
        total += len(used)
        places.append(first[used])
        sizes.append(np.full(len(used), length))
    begin = np.concatenate(places or [np.zeros(0, np.int64)])
    size = np.concatenate(sizes or [np.zeros(0, np.int64)])
    offsets = np.zeros(len(begin) + 1, np.int64)
    np.cumsum(size, out=offsets[1:])
    where = np.repeat(begin - offsets[:-1], size) + np.arange(offsets[-1])
    return numbers, Corpus(corpus.tokens[where], offsets, corpus.vocabulary)


def _byte_order(phrases: Corpus) -> NDArray[np.int64]:
    """Rank of each phrase in the byte order of its text followed by the field separator."""
    texts = [f"{text} |||".encode() for text in phrase_texts(phrases)]
    rank = np.empty(len(texts), np.int64)
    rank[sorted(range(len(texts)), key=texts.__getitem__)] = np.arange(len(texts))
    return rank


def _collect(
    bitext: Bitext, links: Links, max_length: int
) -> tuple[NDArray[np.int64], NDArray[np.int8], NDArray[np.uint64]]:
    columns = (links.source, links.target, links.offsets)
    arguments = (columns, bitext.source.offsets, bitext.target.offsets, max_length)
    size = extract(
        *arguments, np.empty((0, 2), np.int64), np.empty((0, 2), np.int8), np.empty(0, np.uint64)
    )
    positions, lengths = np.empty((size, 2), np.int64), np.empty((size, 2), np.int8)
    signatures = np.empty(size, np.uint64)
    extract(*arguments, positions, lengths, signatures)
    return positions, lengths, signatures


def _group(
    keys: NDArray[np.int64], signatures: NDArray[np.uint64]
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.uint64]]:
    """Distinct keys, their counts, and the most frequent signature of each.

    Of equally frequent ones Moses takes the greatest list of source-word sets by target word.
    """
    order = np.lexsort((signatures, keys))
    keys, signatures = keys[order], signatures[order]
    new = np.ones(len(keys), np.bool_)
    new[1:] = (keys[1:] != keys[:-1]) | (signatures[1:] != signatures[:-1])
    begin = np.flatnonzero(new)
    counts = np.diff(np.append(begin, len(keys)))
    keys, signatures = keys[begin], signatures[begin]
    sets = signatures.astype("<u8").view(np.uint8).reshape(-1, STRIDE)
    rank = _SET_RANK[sets].view(">u8").ravel().astype(np.uint64)
    best = np.lexsort((~rank, -counts, keys))
    distinct, first = np.unique(keys, return_index=True)
    totals = np.add.reduceat(counts, first) if len(first) else counts
    return distinct, totals, signatures[best][first]


def _links_of(signatures: NDArray[np.uint64]) -> Ragged:
    """Phrase-internal links of each rule, from their bits."""
    bits = np.unpackbits(
        signatures.astype("<u8").view(np.uint8).reshape(-1, 8), axis=1, bitorder="little"
    )
    rule, place = np.nonzero(bits)
    ids = (place % STRIDE) * 256 + place // STRIDE
    offsets = np.searchsorted(rule, np.arange(len(signatures) + 1))
    return Ragged(ids.astype(np.int32), np.ones(len(ids), np.float32), offsets)


def extract_phrase_table(bitext: Bitext, links: Links, max_length: int = 7) -> PhraseTable:
    """All phrase pairs consistent with the links, with Moses' four scores.

    p(f|e) = c(f, e) / c(e), p(e|f) = c(f, e) / c(f); lex(f|e) and lex(e|f) use the most frequent
    phrase-internal links of the rule and the lexical tables counted from ``links``; f is the
    source phrase, e the target phrase.

    Raises DataError for links outside of their pair, UsageError for a length over 8.
    """
    if not 1 <= max_length <= STRIDE:
        raise UsageError(f"phrase length {max_length}; expected 1 to {STRIDE}")
    links.check_range(bitext.source.lengths, bitext.target.lengths)
    positions, lengths, signatures = _collect(bitext, links, max_length)
    source_ids, source = _phrase_ids(bitext.source, positions[:, 0], lengths[:, 0])
    target_ids, target = _phrase_ids(bitext.target, positions[:, 1], lengths[:, 1])
    keys, counts, signatures = _group(source_ids * max(len(target), 1) + target_ids, signatures)
    rule_source, rule_target = np.divmod(keys, max(len(target), 1))
    source_rank, target_rank = _byte_order(source), _byte_order(target)
    order = np.lexsort((target_rank[rule_target], source_rank[rule_source]))
    rule_source = source_rank[rule_source[order]].astype(np.int32)
    rule_target = target_rank[rule_target[order]].astype(np.int32)
    counts, own = counts[order].astype(np.float64), _links_of(signatures[order])
    source = source.select(np.argsort(source_rank))
    target = target.select(np.argsort(target_rank))
    count_source = np.bincount(rule_source, counts, minlength=len(source))[rule_source]
    count_target = np.bincount(rule_target, counts, minlength=len(target))[rule_target]
    lex_fe, lex_ef = _lexical_scores(
        bitext, links, (source, rule_source), (target, rule_target), own
    )
    return PhraseTable(
        source,
        target,
        rule_source,
        rule_target,
        np.stack([counts / count_target, lex_fe, counts / count_source, lex_ef], 1),
        MOSES_SCORES,
        own,
        np.stack([count_target, count_source, counts], 1),
        Ragged.empty(len(counts)),
        (),
    )


def _lexical_scores(
    bitext: Bitext,
    links: Links,
    source: tuple[Corpus, NDArray[np.int32]],
    target: tuple[Corpus, NDArray[np.int32]],
    own: Ragged,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """lex(f|e) and lex(e|f) of each rule: float64[num_rules] each."""
    tables = (
        word_table(bitext.source, bitext.target, links),
        word_table(bitext.target, bitext.source, links.reversed()),
    )
    columns = [(side.tokens, side.offsets, rules) for side, rules in (source, target)]
    positions = ((own.ids >> 8).astype(np.uint8), (own.ids & 255).astype(np.uint8))
    results = []
    for side, table in enumerate(tables):
        result = np.empty(len(own.offsets) - 1)
        lexical_weights(
            columns[side],
            columns[1 - side],
            (positions[side], positions[1 - side], own.offsets),
            (table.keys, table.values, table.num_generated_types),
            table.null,
            result,
        )
        results.append(result)
    return results[0], results[1]
