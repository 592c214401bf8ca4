"""A bitext of any size out of nothing: Zipf vocabulary, domains, links that are mostly monotone.

Words are types 1..VOCABULARY by rank. A domain moves the ranks of the rarer words, so that each has
frequent words of its own, and translates a third of them in its own way. The target is the source
word by word, positions disturbed a little, with words dropped and common ones put in.
"""

import numpy as np
from numpy.typing import NDArray

from isogloss.align import Bitext, Vocabulary
from isogloss.align.arrays.ragged import offsets_of, row_numbers
from isogloss.align.text.corpus import Corpus

__all__ = ["synthetic_bitext"]

VOCABULARY = 60_000
# with it as many pairs of types meet in 10,000 and 50,000 pairs as in set-up A's first ones
EXPONENT = 1.25
COMMON = 300  # ranks that all domains share
SHORTEST, LONGEST = 15, 35  # words of a source sentence, 25 on average
SEEDS = 0.1  # share of the pairs that are labeled
SEED = 1


def synthetic_bitext(num_pairs: int, domains: int, seed: int = SEED) -> Bitext:
    """Sentence pairs of about 25 words; a tenth of them carry the label of their domain."""
    generator = np.random.default_rng(seed)
    lengths = generator.integers(SHORTEST, LONGEST + 1, num_pairs)
    domain = generator.integers(domains, size=num_pairs)
    pair = row_numbers(offsets_of(lengths))
    source = _types(_ranks(generator, len(pair)), domain[pair])
    target, target_pair = _translate(generator, source, pair, domain)
    labels = np.where(generator.random(num_pairs) < SEEDS, domain, -1).astype(np.int16)
    return Bitext(
        _corpus(source, pair, num_pairs, "s"),
        _corpus(target, target_pair, num_pairs, "t"),
        labels,
        tuple(f"domain{number}" for number in range(domains)),
    )


def _ranks(generator: np.random.Generator, size: int) -> NDArray[np.int64]:
    """Zipf-Mandelbrot: P(rank) ~ 1 / (rank + 2.7) ** EXPONENT, ranks from 0."""
    cumulative = np.cumsum((np.arange(VOCABULARY) + 2.7) ** -EXPONENT)
    return np.searchsorted(cumulative, generator.random(size) * cumulative[-1])


def _types(ranks: NDArray[np.int64], domain: NDArray[np.int64]) -> NDArray[np.int64]:
    """Ranks beyond the common ones are turned round by a step per domain."""
    rare = VOCABULARY - COMMON
    turned = COMMON + (ranks - COMMON + domain * (rare // 7)) % rare
    return np.where(ranks < COMMON, ranks, turned) + 1


def _translate(
    generator: np.random.Generator,
    source: NDArray[np.int64],
    pair: NDArray[np.int64],
    domain: NDArray[np.int64],
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    own_way = source % 3 == 0
    target = np.where(own_way, (source + 7919 * domain[pair]) % VOCABULARY, source - 1) + 1
    size = len(source)
    kept = generator.random(size) < 0.95
    added = generator.random(size) < 0.08
    place = np.arange(size) + generator.normal(0.0, 0.8, size)
    words = np.concatenate([target[kept], _ranks(generator, int(added.sum())) % COMMON + 1])
    pairs = np.concatenate([pair[kept], pair[added]])
    order = np.lexsort((np.concatenate([place[kept], place[added]]), pairs))
    return words[order], pairs[order]


def _corpus(
    words: NDArray[np.int64], pair: NDArray[np.int64], num_pairs: int, prefix: str
) -> Corpus:
    offsets = offsets_of(np.bincount(pair, minlength=num_pairs))
    vocabulary = Vocabulary(f"{prefix}{number}" for number in range(1, VOCABULARY + 1))
    return Corpus(words.astype(np.int32), offsets, vocabulary)
