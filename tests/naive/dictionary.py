"""Dictionary entries straight from their definition, with counters."""

import math
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from tests.naive.phrase_pairs import Pair, Words, spans

Key = tuple[Words, Words]


class Found(NamedTuple):
    """A linked occurrence: sentence pair, ranges of positions, words of both sides."""

    sentence: int
    here: range
    there: range
    key: Key


class Kept(NamedTuple):
    """Which pairs are kept: those of numbers alone, without stopwords at an edge, not short."""

    numbers: bool
    stopwords: Sequence[str]
    min_characters: int


class Counted(NamedTuple):
    count: int
    certainty: float
    by_domain: list[float]
    source: list[float]  # occurrences in all and in each domain
    target: list[float]


def is_word(token: str) -> bool:
    return any(character.isalnum() for character in token)


def is_inner(token: str) -> bool:
    return is_word(token) or all(character in "-'\u2019\u2010\u2013\u2014" for character in token)


def width(term: Words) -> int:
    """Characters, those of Chinese and the like twice."""
    return sum(2 if "\u3040" <= letter <= "\u9fff" else 1 for token in term for letter in token)


def occurrences(pairs: Sequence[Pair], max_length: int, kept: Kept) -> list[Found]:
    result = []
    for sentence, (source, target, links) in enumerate(pairs):
        for here in spans(len(source), max_length):
            for there in spans(len(target), max_length):
                inside = [(j, i) for j, i in links if j in here and i in there]
                consistent = inside and all((j in here) == (i in there) for j, i in links)
                edges = {here[0], here[-1]} <= {j for j, _ in inside} and {
                    there[0], there[-1]
                } <= {i for _, i in inside}  # fmt: skip
                words = [source[j] for j in here], [target[i] for i in there]
                good = all(is_word(side[0]) and is_word(side[-1]) for side in words)
                edge_words = {side[edge].lower() for side in words for edge in (0, -1)}
                good = good and not edge_words & set(kept.stopwords)
                good = good and all(is_inner(token) for side in words for token in side)
                letters = any(any(map(str.isalpha, token)) for side in words for token in side)
                if consistent and edges and good and (letters or kept.numbers):
                    key = tuple(words[0]), tuple(words[1])
                    result.append(Found(sentence, here, there, key))
    return result


def phrase_count(
    sentences: Sequence[Sequence[str]], phrase: Words, weights: Sequence[float]
) -> float:
    size = len(phrase)
    return sum(
        weights[k]
        for k, words in enumerate(sentences)
        for begin in range(len(words) - size + 1)
        if tuple(words[begin : begin + size]) == phrase
    )


def bits(sentences: Sequence[Sequence[str]], phrase: Words) -> float:
    """Pointwise mutual information at the weakest split."""
    total, ones = sum(map(len, sentences)), [1.0] * len(sentences)
    whole = phrase_count(sentences, phrase, ones)
    return min(
        (
            math.log2(
                whole * total
                / phrase_count(sentences, phrase[:k], ones)
                / phrase_count(sentences, phrase[k:], ones)
            )
            for k in range(1, len(phrase))
        ),
        default=math.inf,
    )  # fmt: skip


def nested(found: Sequence[Found], counts: Counter[Key], nested_from: float) -> set[Key]:
    """Pairs inside a longer one that has so large a share of their occurrences."""
    first: dict[Key, Found] = {}
    for one in found:
        if one.key in counts:
            first.setdefault(one.key, one)
    result = set()
    for longer in first.values():
        for one in found:
            is_part = (
                one.key in counts
                and one.key != longer.key
                and one.sentence == longer.sentence
                and set(one.here) <= set(longer.here)
                and set(one.there) <= set(longer.there)
            )
            if is_part and counts[longer.key] >= nested_from * counts[one.key] - 1e-9:
                result.add(one.key)
    return result


def dictionary(
    pairs: Sequence[Pair],
    *,
    probability: Sequence[dict[tuple[int, int], float]],
    posteriors: Sequence[Sequence[float]],
    max_length: int,
    min_count: int,
    min_pmi: float,
    nested_from: float | None,
    kept: Kept,
) -> dict[Key, Counted]:
    found = occurrences(pairs, max_length, kept)
    counts = Counter(one.key for one in found)
    sides = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
    counts = Counter({
        key: count
        for key, count in counts.items()
        if count >= min_count
        and min(map(width, key)) >= kept.min_characters
        and all(bits(side, part) >= min_pmi for side, part in zip(sides, key, strict=True))
    })  # fmt: skip
    if nested_from is not None:
        for key in nested(found, counts, nested_from):
            del counts[key]
    columns = [[1.0] * len(pairs), *(list(column) for column in zip(*posteriors, strict=True))]
    result = {}
    for key, count in counts.items():
        own = [one for one in found if one.key == key]
        sure = [
            min(p for (j, i), p in probability[one.sentence].items() if j in one.here)
            for one in own
        ]
        result[key] = Counted(
            count,
            sum(sure) / count,
            [sum(column[one.sentence] for one in own) for column in columns[1:]],
            [phrase_count(sides[0], key[0], column) for column in columns],
            [phrase_count(sides[1], key[1], column) for column in columns],
        )
    return result


def log_likelihood_ratio(a: float, b: float, size_a: float, size_b: float) -> float:
    """Signed G2 of Rayson & Garside (2000)."""
    rate = (a + b) / (size_a + size_b)
    terms = [n * math.log(n / (size * rate)) for n, size in ((a, size_a), (b, size_b)) if n > 1e-9]
    return math.copysign(2.0 * sum(terms), a / size_a - b / size_b)


def commonest(texts: Sequence[str]) -> str:
    """The text that comes most often, of several the one that comes first."""
    counts = Counter(texts)
    return max(counts, key=lambda text: (counts[text], -texts.index(text)))
