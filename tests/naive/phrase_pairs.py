"""Phrase pairs straight from the definition of Koehn, Och & Marcu (2003), with dictionaries."""

from collections import Counter
from collections.abc import Iterator, Sequence
from math import prod
from typing import NamedTuple

Link = tuple[int, int]
Words = tuple[str, ...]
Pair = tuple[Sequence[str], Sequence[str], Sequence[Link]]  # source, target, links
NULL = None  # what an unlinked word is linked to


class Rule(NamedTuple):
    source: Words
    target: Words
    scores: tuple[float, float, float, float]  # p(f|e), lex(f|e), p(e|f), lex(e|f)
    links: list[Link]
    counts: tuple[int, int, int]  # c(e), c(f), c(f, e)
    tied: bool  # other links are as frequent


def spans(length: int, longest: int) -> Iterator[range]:
    for begin in range(length):
        for end in range(begin + 1, min(begin + longest, length) + 1):
            yield range(begin, end)


def phrase_pairs(pair: Pair, max_length: int) -> Iterator[tuple[Words, Words, tuple[Link, ...]]]:
    """Each occurrence: words of both sides and the links inside, numbered within the phrase."""
    source, target, links = pair
    for here in spans(len(source), max_length):
        for there in spans(len(target), max_length):
            inside = [(j, i) for j, i in links if j in here and i in there]
            if inside and all((j in here) == (i in there) for j, i in links):
                yield (
                    tuple(source[j] for j in here),
                    tuple(target[i] for i in there),
                    tuple((j - here[0], i - there[0]) for j, i in sorted(inside)),
                )


def word_probabilities(pairs: Sequence[Pair]) -> dict[tuple[str | None, str | None], float]:
    """w(source word | target word): share of the links of the target word; NULL on either side."""
    counts: Counter[tuple[str | None, str | None]] = Counter()
    for source, target, links in pairs:
        counts.update((source[j], target[i]) for j, i in links)
        counts.update((word, NULL) for j, word in enumerate(source) if j not in dict(links))
        linked = {i for _, i in links}
        counts.update((NULL, word) for i, word in enumerate(target) if i not in linked)
    totals: Counter[str | None] = Counter()
    for (_, given), count in counts.items():
        totals[given] += count
    return {(word, given): count / totals[given] for (word, given), count in counts.items()}


def swap(pair: Pair) -> Pair:
    source, target, links = pair
    return target, source, [(i, j) for j, i in links]


def lexical_weight(
    words: Words,
    given: Words,
    links: Sequence[Link],
    table: dict[tuple[str | None, str | None], float],
) -> float:
    """Product over the words of the mean of w over their links; links are (word, given)."""
    factors = []
    for j, word in enumerate(words):
        found = [table[word, given[i]] for k, i in links if k == j]
        factors.append(sum(found) / len(found) if found else table[word, NULL])
    return prod(factors)


def by_target_word(links: Sequence[Link]) -> list[list[int]]:
    """Source positions of each target word: what Moses compares."""
    last = max(i for _, i in links)
    return [sorted(j for j, i in links if i == k) for k in range(last + 1)]


def most_frequent(links: Counter[tuple[Link, ...]]) -> list[Link]:
    """Of equally frequent ones the greatest, as Moses chooses."""
    best = max(links, key=lambda own: (links[own], by_target_word(own)))
    return sorted(best, key=lambda link: (link[1], link[0]))


def is_tied(links: Counter[tuple[Link, ...]]) -> bool:
    return list(links.values()).count(max(links.values())) > 1


def phrase_table(pairs: Sequence[Pair], max_length: int) -> list[Rule]:
    """All rules in the byte order of ``source ||| target |||``."""
    found: dict[tuple[Words, Words], Counter[tuple[Link, ...]]] = {}
    for pair in pairs:
        for source, target, links in phrase_pairs(pair, max_length):
            found.setdefault((source, target), Counter())[links] += 1
    of_source: Counter[Words] = Counter()
    of_target: Counter[Words] = Counter()
    for (source, target), links in found.items():
        of_source[source] += links.total()
        of_target[target] += links.total()
    forward = word_probabilities(pairs)
    backward = word_probabilities([swap(pair) for pair in pairs])
    rules = []
    for (source, target), counted in found.items():
        links, count = most_frequent(counted), counted.total()
        back = [(i, j) for j, i in links]
        scores = (
            count / of_target[target],
            lexical_weight(source, target, links, forward),
            count / of_source[source],
            lexical_weight(target, source, back, backward),
        )
        counts = (of_target[target], of_source[source], count)
        rules.append(Rule(source, target, scores, links, counts, is_tied(counted)))
    return sorted(
        rules, key=lambda r: f"{' '.join(r.source)} ||| {' '.join(r.target)} |||".encode()
    )
