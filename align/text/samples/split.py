"""Tuning and test sets drawn from a bitext before it is aligned, none of which shares a sentence.

Green, Wang, Cer & Manning (2013), section 4.4. The bitext is read twice and never held: a first
pass keeps a few bytes of each pair, what is drawn is a column of numbers, and the second pass deals
the pairs out.
"""

import hashlib
from array import array
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ...errors import DataError, OptionError, UsageError, pluralize
from ...files.text_io import split_tokens
from ..formats.pair import Pair
from .streamed_bitext import labeled_pairs

__all__ = ["REST", "DomainCount", "PairSurvey", "SetOptions", "draw_sets", "survey_pairs"]

REST = "rest"
_UNLABELED = "-"


@dataclass(frozen=True)
class SetOptions:
    """What is drawn.

    sizes: pairs of each set by its name; where pairs are labeled, of each domain
    min_length, max_length: words that both sides of a drawn pair have
    seed: of the random numbers
    """

    sizes: Mapping[str, int]
    min_length: int = 1
    max_length: int = 80
    seed: int = 1

    def __post_init__(self) -> None:
        if not self.sizes or any(size < 1 for size in self.sizes.values()):
            raise UsageError("there must be at least one set, each with at least one pair")
        if REST in self.sizes:
            raise UsageError(
                f"the set name {REST!r} is reserved for the remaining pairs; choose another name"
            )
        if not 1 <= self.min_length <= self.max_length:
            expected = f"at least 1 and at most the maximum (`max_length={self.max_length}`)"
            raise OptionError("min_length", expected, self.min_length)


@dataclass(frozen=True)
class PairSurvey:
    """What a first pass keeps of the pairs.

    source, target: uint64[num_pairs], hash of the words of a side, in lower case
    fits: bool[num_pairs], whether both sides have a length that is asked for
    domain: int32[num_pairs], number in ``domains``, -1 = not labeled
    domains: in the order of the alphabet; one without name where there are no labels
    """

    source: NDArray[np.uint64]
    target: NDArray[np.uint64]
    fits: NDArray[np.bool_]
    domain: NDArray[np.int32]
    domains: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.fits)

    def alone(self) -> NDArray[np.bool_]:
        """Whether no other pair has the source of a pair, and none its target: bool[num_pairs].

        Two sentences of one hash count as the same, so that at worst a pair is not drawn.
        """
        return _occurs_once(self.source) & _occurs_once(self.target)


@dataclass(frozen=True)
class DomainCount:
    """Pairs of a domain: all, those of a length that fits, and those of them that can be drawn."""

    domain: str
    pairs: int
    fitting: int
    drawable: int


def survey_pairs(
    pairs: Iterable[Pair], options: SetOptions, labels: str | Path | None = None
) -> PairSurvey:
    """Read all pairs once; some 24 bytes of each are kept.

    labels: a file with a domain, or ``-``, for each pair

    Raises DataError for a label that is no name, and another number of them than there are pairs.
    """
    columns = array("Q"), array("Q"), array("b"), array("i")
    numbers: dict[str, int] = {} if labels else {"": 0}
    for pair in pairs if labels is None else labeled_pairs(iter(pairs), labels):
        domain = "" if labels is None else pair.label or ""
        lengths = []
        for side, column in ((pair.source, columns[0]), (pair.target, columns[1])):
            words = split_tokens(side.lower())
            lengths.append(len(words))
            digest = hashlib.blake2b(" ".join(words).encode(errors="replace"), digest_size=8)
            column.append(int.from_bytes(digest.digest(), "little"))
        columns[2].append(options.min_length <= min(lengths) <= max(lengths) <= options.max_length)
        columns[3].append(-1 if domain == _UNLABELED else numbers.setdefault(domain, len(numbers)))
    domains = tuple(sorted(numbers))
    rank_of = {name: rank for rank, name in enumerate(domains)}
    ranks = np.array([*(rank_of[name] for name in numbers), -1], np.int32)
    return PairSurvey(
        np.frombuffer(columns[0], np.uint64) if columns[0] else np.empty(0, np.uint64),
        np.frombuffer(columns[1], np.uint64) if columns[1] else np.empty(0, np.uint64),
        np.array(columns[2], np.bool_),
        ranks[np.array(columns[3], np.int32)],
        domains,
    )


def draw_sets(
    survey: PairSurvey, options: SetOptions
) -> tuple[NDArray[np.int16], list[DomainCount]]:
    """Draw the sets of each domain from its pairs that share no sentence with any other pair.

    Returns the number of each pair's set in the order of ``options.sizes``, int16[num_pairs], -1
    for the rest, and what could be drawn from. What is drawn of a domain depends on the pairs that
    can be drawn from it, its name and the seed only.

    Raises DataError where a domain has too few such pairs.
    """
    result = np.full(len(survey), -1, np.int16)
    num_domains = len(survey.domains)
    drawable = np.flatnonzero(survey.fits & survey.alone())
    drawable = drawable[np.argsort(survey.domain[drawable], kind="stable")]  # by domain
    ends = np.searchsorted(survey.domain[drawable], np.arange(num_domains + 1)).tolist()
    pairs, fitting = (
        np.bincount(column[column >= 0], minlength=num_domains).tolist()
        for column in (survey.domain, survey.domain[survey.fits])
    )
    bounds = np.cumsum([0, *options.sizes.values()])
    counts = []
    for number, name in enumerate(survey.domains):
        candidates = drawable[ends[number] : ends[number + 1]]
        count = DomainCount(name, pairs[number], fitting[number], len(candidates))
        if len(candidates) < bounds[-1]:
            raise _too_few(count, int(bounds[-1]), options)
        rng = np.random.default_rng([options.seed, *name.encode()])
        drawn = rng.choice(candidates, int(bounds[-1]), replace=False)
        for index in range(len(options.sizes)):
            result[drawn[bounds[index] : bounds[index + 1]]] = index
        counts.append(count)
    return result, counts


def _too_few(count: DomainCount, wanted: int, options: SetOptions) -> DataError:
    where = f" of domain {count.domain!r}" if count.domain else ""
    return DataError(
        f"only {pluralize(count.drawable, 'pair')}{where} can be drawn: the length "
        f"limits ({options.min_length} to {options.max_length} words per side) leave "
        f"{count.fitting} of {pluralize(count.pairs, 'pair')}, and pairs with a repeated sentence "
        "are excluded",
        f"{wanted}, the total size of the sets",
        remedy="Choose smaller sets or wider length limits",
    )


def _occurs_once(hashes: NDArray[np.uint64]) -> NDArray[np.bool_]:
    """Whether each value occurs once: bool[n]. hashes: uint64[n]"""
    order = np.argsort(hashes, kind="stable")
    same = hashes[order[1:]] == hashes[order[:-1]]
    result = np.ones(len(hashes), np.bool_)
    result[order[1:][same]] = False
    result[order[:-1][same]] = False
    return result
