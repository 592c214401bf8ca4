"""Phrase pairs straight from the definition of Koehn, Och & Marcu (2003), with dictionaries."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from math import prod
from typing import NamedTuple

from hypothesis import strategies as st

from isogloss.align.links.links import Links
from isogloss.align.text.bitext import Bitext
from isogloss.align.text.corpus import Corpus

Link = tuple[int, int]
Words = tuple[str, ...]
Pair = tuple[Sequence[str], Sequence[str], Sequence[Link]]  # source, target, links
Table = dict[tuple[str | None, str | None], float]  # w(word | given word)
NULL = None  # what an unlinked word is linked to

# few words, so that phrases repeat; their bytes tell byte order from other orders
SOURCE_WORDS = ["a", "a!", "B", "é", "語", "\u00a0"]
TARGET_WORDS = ["x", "x-", "ж", "\U0001f600"]


@st.composite
def texts(draw: st.DrawFn) -> list[Pair]:
    """Some linked sentence pairs."""
    result: list[Pair] = []
    for _ in range(draw(st.integers(1, 4))):
        source = draw(st.lists(st.sampled_from(SOURCE_WORDS), max_size=9))
        target = draw(st.lists(st.sampled_from(TARGET_WORDS), max_size=9))
        cells = [(j, i) for j in range(len(source)) for i in range(len(target))]
        links = draw(st.sets(st.sampled_from(cells), max_size=10)) if cells else set()
        result.append((source, target, sorted(links)))
    return result


def columns(pairs: Sequence[Pair]) -> tuple[Bitext, Links]:
    """The same as the library takes it."""
    source = Corpus.from_sentences([pair[0] for pair in pairs])
    target = Corpus.from_sentences([pair[1] for pair in pairs])
    return Bitext.unlabeled(source, target), Links.from_pairs(pair[2] for pair in pairs)


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


def word_probabilities(
    pairs: Sequence[Pair],
    weights: Sequence[float] | None = None,
    general: Table | None = None,
    smoothing: float = 0.0,
) -> Table:
    """w(source word | target word): share of the links of the target word; NULL on either side.

    weights: how often each pair counts; smoothing: counts of each target word dealt out by general
    """
    counts: defaultdict[tuple[str | None, str | None], float] = defaultdict(float)
    for (source, target, links), weight in zip(pairs, weights or [1.0] * len(pairs), strict=True):
        linked = [{link[side] for link in links} for side in (0, 1)]
        entries: list[tuple[str | None, str | None]] = [(source[j], target[i]) for j, i in links]
        entries += [(word, NULL) for j, word in enumerate(source) if j not in linked[0]]
        entries += [(NULL, word) for i, word in enumerate(target) if i not in linked[1]]
        for entry in entries:
            counts[entry] += weight
    totals: defaultdict[str | None, float] = defaultdict(float)
    for (_, given), count in counts.items():
        totals[given] += count
    if general is not None:
        return {
            entry: (counts[entry] + smoothing * value) / (totals[entry[1]] + smoothing)
            for entry, value in general.items()
        }
    return {
        (word, given): count / totals[given] if totals[given] else 0.0
        for (word, given), count in counts.items()
    }


def rule_counts(
    pairs: Sequence[Pair], max_length: int, weights: Sequence[float]
) -> dict[tuple[Words, Words], float]:
    """c(f, e): the weights of the pairs that a rule was found in, as often as it was."""
    counts: defaultdict[tuple[Words, Words], float] = defaultdict(float)
    for pair, weight in zip(pairs, weights, strict=True):
        for source, target, _ in phrase_pairs(pair, max_length):
            counts[source, target] += weight
    return dict(counts)


def side_counts(counts: dict[tuple[Words, Words], float], side: int) -> dict[Words, float]:
    """c(f), side 0, or c(e), side 1: sums over the rules."""
    totals: defaultdict[Words, float] = defaultdict(float)
    for rule, count in counts.items():
        totals[rule[side]] += count
    return dict(totals)


def swap(pair: Pair) -> Pair:
    source, target, links = pair
    return target, source, [(i, j) for j, i in links]


def lexical_weight(
    words: Words,
    given: Words,
    links: Sequence[Link],
    table: Table,
) -> float:
    """Product over the words of the mean of w over their links; links are (word, given)."""
    factors = []
    for j, word in enumerate(words):
        values = [table[word, given[i]] for k, i in links if k == j]
        factors.append(sum(values) / len(values) if values else table[word, NULL])
    return prod(factors)


def by_target_word(links: Sequence[Link]) -> list[list[int]]:
    """Source positions of each target word: what Moses compares."""
    last = max(i for _, i in links)
    return [sorted(j for j, i in links if i == k) for k in range(last + 1)]


def most_frequent(links: Counter[tuple[Link, ...]]) -> list[Link]:
    """Of equally frequent ones the greatest, as Moses chooses."""
    best = max(
        links, key=lambda links_of_rule: (links[links_of_rule], by_target_word(links_of_rule))
    )
    return sorted(best, key=lambda link: (link[1], link[0]))


def is_tied(links: Counter[tuple[Link, ...]]) -> bool:
    return list(links.values()).count(max(links.values())) > 1


def phrase_table(pairs: Sequence[Pair], max_length: int) -> list[Rule]:
    """All rules in the byte order of ``source ||| target |||``."""
    links_of_rules: dict[tuple[Words, Words], Counter[tuple[Link, ...]]] = {}
    for pair in pairs:
        for source, target, links in phrase_pairs(pair, max_length):
            links_of_rules.setdefault((source, target), Counter())[links] += 1
    of_source: Counter[Words] = Counter()
    of_target: Counter[Words] = Counter()
    for (source, target), counted in links_of_rules.items():
        of_source[source] += counted.total()
        of_target[target] += counted.total()
    forward = word_probabilities(pairs)
    backward = word_probabilities([swap(pair) for pair in pairs])
    rules = []
    for (source, target), counted in links_of_rules.items():
        best, count = most_frequent(counted), counted.total()
        back = [(i, j) for j, i in best]
        scores = (
            count / of_target[target],
            lexical_weight(source, target, best, forward),
            count / of_source[source],
            lexical_weight(target, source, back, backward),
        )
        counts = (of_target[target], of_source[source], count)
        rules.append(Rule(source, target, scores, best, counts, is_tied(counted)))
    return sorted(
        rules, key=lambda r: f"{' '.join(r.source)} ||| {' '.join(r.target)} |||".encode()
    )
