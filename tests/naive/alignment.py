"""Slow twins of the aligner: every alignment of a sentence pair is written out."""

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import product

import numpy as np

from align.cooccurrence import PairIndex
from align.corpus import Bitext, Corpus
from align.kernels.text import JumpColumns, LexicalColumns

START = -1  # stands before position 0
Alignment = tuple[int | None, ...]  # per generated word its state, None for the empty word


def random_bitext(
    rng: np.random.Generator, lengths: Sequence[tuple[int, int]], num_types: int = 3
) -> Bitext:
    """Pairs of the given (source, target) lengths; few types, so that words repeat."""

    def side(letter: str, sizes: list[int]) -> Corpus:
        return Corpus.from_sentences(
            [[f"{letter}{k}" for k in rng.integers(0, num_types, size)] for size in sizes]
        )

    return Bitext.unlabelled(
        side("f", [pair[0] for pair in lengths]), side("e", [pair[1] for pair in lengths])
    )


@dataclass
class Sentence:
    """One sentence pair in one direction: emissions, and where its counts belong.

    generated: type of each generated word; pair_id: [j][i], place in the lexical table;
    emission: [j][i], t(f_j | e_i); null: [j], t(f_j | NULL).
    """

    generated: list[int]
    pair_id: list[list[int]]
    emission: list[list[float]]
    null: list[float]

    @property
    def num_states(self) -> int:
        return len(self.emission[0]) if self.emission else 0


def read_sentence(
    bitext: Bitext, index: PairIndex, side: int, number: int, lexical: LexicalColumns
) -> Sentence:
    """Look everything up word by word; side 0 generates source words, side 1 target words."""
    rows = zip(index.rows.tolist(), index.columns.tolist(), strict=True)
    ids = {pair: k for k, pair in enumerate(rows)}
    source, target = (c.sentence(number).tolist() for c in (bitext.source, bitext.target))
    generated, states = (source, target) if side == 0 else (target, source)
    pair_id = [[ids[(f, e) if side == 0 else (e, f)] for e in states] for f in generated]
    return Sentence(
        generated,
        pair_id,
        [[max(float(lexical.table[k]), lexical.floor) for k in row] for row in pair_id],
        [max(float(lexical.null[f]), lexical.floor) for f in generated],
    )


def bucket_of(distance: int, window: int) -> int:
    return max(-window - 1, min(window + 1, distance)) + window + 1


def jump_parts(
    weights: Sequence[float], origin: int, position: int, num_states: int, smoothing: float
) -> tuple[float, float]:
    """p(position | origin) as (what the table explains, what smoothing explains)."""
    window = (len(weights) - 3) // 2
    buckets = [bucket_of(other - origin, window) for other in range(num_states)]
    covered = Counter(buckets)
    total = sum(float(weights[bucket]) for bucket in covered)
    own = buckets[position]
    share = float(weights[own]) / covered[own] / total
    return (1.0 - smoothing) * share, smoothing / num_states


@dataclass
class Path:
    """One alignment, its joint probability with the text, and its jumps.

    jumps: (origin, position, share that the table explains), origin START for the first.
    """

    alignment: Alignment
    probability: float
    jumps: list[tuple[int, int, float]]


def _path(sentence: Sentence, jumps: JumpColumns, alignment: Alignment) -> Path:
    memory, probability, steps = START, 1.0, []
    for j, state in enumerate(alignment):
        if state is None:  # the null copy remembers where it came from
            probability *= jumps.null_probability * sentence.null[j]
            continue
        weights = jumps.start if memory == START else jumps.jump
        table, uniform = jump_parts(weights, memory, state, sentence.num_states, jumps.smoothing)
        probability *= (1.0 - jumps.null_probability) * (table + uniform)
        probability *= sentence.emission[j][state]
        steps.append((memory, state, table / (table + uniform)))
        memory = state
    return Path(alignment, probability, steps)


def hmm_paths(sentence: Sentence, jumps: JumpColumns) -> list[Path]:
    choices = (None, *range(sentence.num_states))
    every = product(choices, repeat=len(sentence.generated))
    return [_path(sentence, jumps, alignment) for alignment in every]


def model1_paths(sentence: Sentence) -> list[Path]:
    """Each state, the empty word among them, with chance 1 / (I + 1)."""
    result = []
    choices = (None, *range(sentence.num_states))
    for alignment in product(choices, repeat=len(sentence.generated)):
        probability = 1.0
        for j, state in enumerate(alignment):
            emission = sentence.null[j] if state is None else sentence.emission[j][state]
            probability *= emission / len(choices)
        result.append(Path(alignment, probability, []))
    return result


def log_likelihood(paths: list[Path]) -> float:
    return math.log(math.fsum(path.probability for path in paths))


@dataclass
class Expected:
    """Expected counts under the posterior of the paths."""

    lexical: Counter = field(default_factory=Counter)  # by pair id
    null: Counter = field(default_factory=Counter)  # by generated type
    jump: Counter = field(default_factory=Counter)  # by bucket
    start: Counter = field(default_factory=Counter)
    occupancy: Counter = field(default_factory=Counter)  # by (open to the left, to the right)
    start_occupancy: Counter = field(default_factory=Counter)  # by open to the right

    def add(self, sentence: Sentence, paths: list[Path], weight: float, window: int) -> None:
        total = math.fsum(path.probability for path in paths)
        last, wide = sentence.num_states - 1, window + 1
        for path in paths:
            part = weight * path.probability / total
            for j, state in enumerate(path.alignment):
                if state is None:
                    self.null[sentence.generated[j]] += part
                else:
                    self.lexical[sentence.pair_id[j][state]] += part
            for origin, position, explained in path.jumps:
                bucket = bucket_of(position - origin, window)
                if origin == START:
                    self.start[bucket] += part * explained
                    self.start_occupancy[min(last + 1, wide)] += part * explained
                else:
                    self.jump[bucket] += part * explained
                    opened = min(origin, wide), min(last - origin, wide)
                    self.occupancy[opened] += part * explained


def filled(counter: Counter, shape: int | tuple[int, ...]) -> np.ndarray:
    result = np.zeros(shape)
    for place, value in counter.items():
        result[place] = value
    return result


def average_scores(
    sentences: Sequence[Sentence], jumps: Sequence[JumpColumns], weights: Sequence[float]
) -> dict[Alignment, float]:
    """sum_D P(D | .) log P(f, a | e, D) of every alignment (eq. 5); one entry per domain."""
    result: dict[Alignment, float] = {}
    for sentence, own, weight in zip(sentences, jumps, weights, strict=True):
        for path in hmm_paths(sentence, own):
            value = weight * math.log(path.probability)
            result[path.alignment] = result.get(path.alignment, 0.0) + value
    return result


def domain_posterior(
    translation: Sequence[Sequence[float]],
    language: Sequence[Sequence[float]],
    prior: Sequence[float],
    sides: str = "both",
) -> list[float]:
    """P(D | f, e) of one pair; translation: P(f|e,D), P(e|f,D); language: P(f|D), P(e|D)."""
    values = []
    for domain, chance in enumerate(prior):
        by_target = language[1][domain] * translation[0][domain]
        by_source = language[0][domain] * translation[1][domain]
        chosen = {"both": by_target + by_source, "target": by_target, "source": by_source}
        values.append(chance * chosen[sides])
    return [value / sum(values) for value in values]


def symmetrize(
    forward: set[tuple[int, int]], reverse: set[tuple[int, int]], heuristic: str
) -> set[tuple[int, int]]:
    """Moses's symal on sets of (source, target), as Koehn's pseudocode tells it."""
    chosen, union = forward & reverse, forward | reverse
    if heuristic == "intersection":
        return chosen
    if heuristic == "union":
        return union

    def free(link: tuple[int, int]) -> tuple[bool, bool]:
        return all(link[0] != j for j, _ in chosen), all(link[1] != i for _, i in chosen)

    steps = [(0, -1), (-1, 0), (0, 1), (1, 0)]
    if "diag" in heuristic:
        steps += [(-1, -1), (1, -1), (-1, 1), (1, 1)]
    grown = True
    while grown:
        grown = False
        for i, j in sorted({(i, j) for j, i in union}):
            if (j, i) not in chosen:
                continue
            for step_j, step_i in steps:
                link = (j + step_j, i + step_i)
                if link in union and link not in chosen and any(free(link)):
                    chosen.add(link)
                    grown = True
    if "final" in heuristic:
        enough = all if heuristic.endswith("and") else any
        for links in (forward, reverse):
            for link in sorted(links):
                if enough(free(link)):
                    chosen.add(link)
    return chosen


def entropy_bits(rows: Iterator[tuple[str, str, float]], weights: dict[str, float]) -> float:
    """sum_e P(e) H(F | e) over the words that have a row, P(e) renormalised over them."""
    by_word: dict[str, list[float]] = {}
    for word, _, value in rows:
        by_word.setdefault(word, []).append(value)
    total = sum(weights[word] for word in by_word)
    return sum(
        weights[word] / total * -value * math.log2(value)
        for word, values in by_word.items()
        for value in values
    )
