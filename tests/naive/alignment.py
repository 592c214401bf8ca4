"""Slow twins of the aligner: every alignment of a sentence pair is written out.

Sentences too long for that go through a plain forward-backward pass in double precision.
"""

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import NamedTuple

import numpy as np

from isogloss.align.model.cooccurrence import PairIndex
from isogloss.align.model.kernels.gather import Lexical
from isogloss.align.model.kernels.transitions import Jumps
from isogloss.align.text.bitext import Bitext
from isogloss.align.text.corpus import Corpus

START = -1  # stands before position 0, and finds the last row of an array
Alignment = tuple[int | None, ...]  # per generated word its state, None for the empty word


def random_bitext(
    rng: np.random.Generator, lengths: Sequence[tuple[int, int]], num_types: int = 3
) -> Bitext:
    """Pairs of the given (source, target) lengths; few types, so that words repeat."""

    def side(letter: str, sizes: list[int]) -> Corpus:
        return Corpus.from_sentences(
            [[f"{letter}{k}" for k in rng.integers(0, num_types, size)] for size in sizes]
        )

    return Bitext.unlabeled(
        side("f", [pair[0] for pair in lengths]), side("e", [pair[1] for pair in lengths])
    )


def random_lexical(
    rng: np.random.Generator, bitext: Bitext, index: PairIndex, domains: int, floor: float
) -> Lexical:
    """Tables of random numbers, the last entries (unseen pairs, unknown words) among them."""
    return Lexical(
        rng.random((len(index) + 1, domains, 2), np.float32),
        rng.random((domains, len(bitext.source.vocabulary) + 1), np.float32),
        rng.random((domains, len(bitext.target.vocabulary) + 1), np.float32),
        floor,
    )


def random_jumps(
    rng: np.random.Generator,
    window: int,
    smoothing: float,
    *,
    tables: int = 1,
    null_probability: float = 0.23,
    final: bool = False,
    classes: int = 1,
) -> Jumps:
    """Jumps for vocabularies of up to 999 types, each in a random class."""
    jump = rng.random((2, tables, classes, 2 * window + 3)) + 0.01
    start = rng.random((2, tables, 2 * window + 3)) + 0.01
    kinds = rng.integers(0, classes, (2, 1000)).astype(np.int32)
    return Jumps(jump, start, null_probability, smoothing, final, kinds[0], kinds[1])


def one_class(source_types: int, target_types: int) -> tuple[np.ndarray, np.ndarray]:
    """All words in one class, unknown ones too, as ``Parameters.uniform`` takes them."""
    return np.zeros(source_types + 1, np.int32), np.zeros(target_types + 1, np.int32)


@dataclass
class Sentence:
    """One sentence pair in one direction: emissions, and where its counts belong.

    generated: type of each generated word, -1 = unknown; states: type of each state
    pair_id: [j][i], place in the lexical table, the last where the words never met;
    emission: [j][i], t(f_j | e_i); null: [j], t(f_j | NULL).
    """

    generated: list[int]
    states: list[int]
    pair_id: list[list[int]]
    emission: list[list[float]]
    null: list[float]

    @property
    def num_states(self) -> int:
        return len(self.emission[0]) if self.emission else 0


def supervised(sentence: Sentence, links: Sequence[tuple[int, int]], factor: float) -> Sentence:
    """Emissions of each word with (generated, state) links by other states and NULL, reduced."""
    linked = {word for word, _ in links}

    def scale(word: int, state: int | None) -> float:
        return factor if word in linked and (word, state) not in links else 1.0

    return replace(
        sentence,
        emission=[
            [value * scale(j, i) for i, value in enumerate(row)]
            for j, row in enumerate(sentence.emission)
        ],
        null=[value * scale(j, None) for j, value in enumerate(sentence.null)],
    )


def weighed(sentence: Sentence, factors: dict[tuple[int, int], float], of_null: float) -> Sentence:
    """Emissions with (generated, state) factors of external links, and the factor of NULL."""
    return replace(
        sentence,
        emission=[
            [value * factors.get((j, i), 1.0) for i, value in enumerate(row)]
            for j, row in enumerate(sentence.emission)
        ],
        null=[value * of_null for value in sentence.null],
    )


def pair_number(index: PairIndex, f: int, e: int) -> int:
    """Place of a pair of types in the lexical table, the last one where they never met."""
    begin, end = index.row_offsets[f : f + 2] if f >= 0 else (0, 0)
    return next((int(begin + k) for k in np.flatnonzero(index.columns[begin:end] == e)), len(index))


def read_sentence(
    bitext: Bitext, index: PairIndex, side: int, number: int, lexical: Lexical, domain: int = 0
) -> Sentence:
    """Look everything up word by word; side 0 generates source words, side 1 target words."""
    source, target = (c.sentence(number).tolist() for c in (bitext.source, bitext.target))
    generated, states = (source, target) if side == 0 else (target, source)
    pair_id = [
        [pair_number(index, *((f, e) if side == 0 else (e, f))) for e in states] for f in generated
    ]
    null = (lexical.null_source, lexical.null_target)[side][domain]
    return Sentence(
        generated,
        states,
        pair_id,
        [[max(float(lexical.table[k, domain, side]), lexical.floor) for k in row]
         for row in pair_id],
        [max(float(null[f]), lexical.floor) for f in generated],
    )  # fmt: skip


class JumpTable(NamedTuple):
    """Jump weights of one direction and domain; the fields are those of ``Jumps``.

    jump: [class][bucket]; kinds: class of each type of state, the last of unknown words.
    """

    jump: Sequence[Sequence[float]]
    start: Sequence[float]
    null_probability: float
    smoothing: float
    final: bool
    kinds: Sequence[int]


def jump_table(jumps: Jumps, side: int, domain: int) -> JumpTable:
    table = domain if jumps.jump.shape[1] > 1 else 0
    kinds = (jumps.target_class, jumps.source_class)[side]
    return JumpTable(jumps.jump[side, table], jumps.start[side, table], *jumps[2:5], kinds)


def bucket_of(distance: int, window: int) -> int:
    return max(-window - 1, min(window + 1, distance)) + window + 1


def jump_row(
    table: JumpTable, origin: int, num_states: int, states: Sequence[int] = ()
) -> tuple[list[float], float]:
    """p(position | origin) as (what the table explains of each, what smoothing explains of any).

    With final jumps one position more stands for the end. states: their types; not needed where
    there is one class.
    """
    kind = table.kinds[states[origin]] if len(states) and origin != START else 0
    weights = table.start if origin == START else table.jump[kind]
    window, reach = (len(weights) - 3) // 2, num_states + table.final
    buckets = [bucket_of(position - origin, window) for position in range(reach)]
    covered = Counter(buckets)
    total = sum(float(weights[bucket]) for bucket in covered)
    shares = [float(weights[bucket]) / covered[bucket] / total for bucket in buckets]
    return [(1.0 - table.smoothing) * share for share in shares], table.smoothing / reach


def jump_matrix(
    table: JumpTable, num_states: int, states: Sequence[int] = ()
) -> tuple[np.ndarray, np.ndarray]:
    """p(position | origin) and the share of it that the table explains: [I + 1, I + 1] each.

    The last origin is the start, the last position the end, which is certain without final jumps.
    """
    chance = np.zeros((num_states + 1, num_states + 1))
    explained = np.zeros_like(chance)
    chance[:, num_states] = 1.0
    for origin in range(START, num_states):
        row, uniform = jump_row(table, origin, num_states, states)
        for position, value in enumerate(row):
            chance[origin, position] = value + uniform
            explained[origin, position] = value / (value + uniform)
    return chance, explained


@dataclass
class Path:
    """One alignment, its joint probability with the text, and its jumps.

    moves: (origin, position), from START first; the position I is the end.
    """

    alignment: Alignment
    probability: float
    moves: list[tuple[int, int]]


def _path(sentence: Sentence, table: JumpTable, chance: np.ndarray, alignment: Alignment) -> Path:
    memory, probability, moves = START, 1.0, []
    for j, state in enumerate(alignment):
        if state is None:  # the null copy remembers where it came from
            probability *= table.null_probability * sentence.null[j]
            continue
        probability *= (1.0 - table.null_probability) * chance[memory, state]
        probability *= sentence.emission[j][state]
        moves.append((memory, state))
        memory = state
    if table.final:
        probability *= chance[memory, sentence.num_states]
        moves.append((memory, sentence.num_states))
    return Path(alignment, float(probability), moves)


def hmm_paths(sentence: Sentence, table: JumpTable) -> list[Path]:
    chance, _ = jump_matrix(table, sentence.num_states, sentence.states)
    choices = (None, *range(sentence.num_states))
    every = product(choices, repeat=len(sentence.generated))
    return [_path(sentence, table, chance, alignment) for alignment in every]


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
class Posteriors:
    """What is known of the alignment of one sentence pair in one direction.

    links: [J, I]; null: [J]; moves: [I + 1, I + 1], expected jumps from each origin, the start
    last, to each position, the end last.
    """

    log_likelihood: float
    links: np.ndarray
    null: np.ndarray
    moves: np.ndarray


def enumerated(sentence: Sentence, table: JumpTable | None) -> Posteriors:
    """By all alignments; Model 1 has no table of jumps."""
    paths = model1_paths(sentence) if table is None else hmm_paths(sentence, table)
    total = math.fsum(path.probability for path in paths)
    length, size = len(sentence.generated), sentence.num_states
    links, null, moves = np.zeros((length, size)), np.zeros(length), np.zeros((size + 1, size + 1))
    for path in paths:
        share = path.probability / total
        for j, state in enumerate(path.alignment):
            if state is None:
                null[j] += share
            else:
                links[j, state] += share
        for move in path.moves:
            moves[move] += share
    return Posteriors(math.log(total), links, null, moves)


def forward_backward(sentence: Sentence, table: JumpTable | None) -> Posteriors:
    """By the scaled passes of the textbook; memories are the states and, last, the start."""
    assert table is not None
    length, size = len(sentence.generated), sentence.num_states
    stay, (chance, _) = table.null_probability, jump_matrix(table, size, sentence.states)
    move, end = (1.0 - stay) * chance[:, :size], chance[:, size]
    emission = np.array(sentence.emission)
    before, scale = [np.eye(size + 1)[START]], []
    words, nulls = [], []
    for j in range(length):
        word, null = before[-1] @ move * emission[j], before[-1] * stay * sentence.null[j]
        scale.append(1.0 / (word.sum() + null.sum()))
        words.append(word * scale[-1])
        nulls.append(null * scale[-1])
        before.append(nulls[-1] + [*words[-1], 0.0])
    total = before[-1] @ end
    moves = np.zeros((size + 1, size + 1))
    moves[:, size] = before[-1] * end / total
    ahead = end / total
    links, null = np.zeros((length, size)), np.zeros(length)
    for j in reversed(range(length)):
        links[j], null[j] = words[j] * ahead[:size], nulls[j] @ ahead
        arrived = emission[j] * ahead[:size] * scale[j]
        moves[:, :size] += before[j][:, None] * move * arrived
        ahead = move @ arrived + stay * sentence.null[j] * scale[j] * ahead
    return Posteriors(math.log(total) - math.fsum(map(math.log, scale)), links, null, moves)


def average_scores(
    sentences: Sequence[Sentence], tables: Sequence[JumpTable], weights: Sequence[float]
) -> dict[Alignment, float]:
    """sum_D P(D | .) log P(f, a | e, D) of every alignment (eq. 5); one entry per domain."""
    result: dict[Alignment, float] = {}
    for sentence, table, weight in zip(sentences, tables, weights, strict=True):
        for path in hmm_paths(sentence, table):
            value = weight * math.log(path.probability)
            result[path.alignment] = result.get(path.alignment, 0.0) + value
    return result


def mixture_scores(
    sentences: Sequence[Sentence], tables: Sequence[JumpTable], weights: Sequence[float]
) -> dict[Alignment, float]:
    """log sum_D P(D | .) P(f, a | e, D) of every alignment: what eq. 5 approximates."""
    result: dict[Alignment, float] = {}
    for sentence, table, weight in zip(sentences, tables, weights, strict=True):
        for path in hmm_paths(sentence, table):
            value = weight * path.probability
            result[path.alignment] = result.get(path.alignment, 0.0) + value
    return {alignment: math.log(value) for alignment, value in result.items()}


def domain_posterior(
    translation: Sequence[Sequence[float]],
    language: Sequence[Sequence[float]],
    prior: Sequence[float],
    sides: str = "both",
    temperature: float = 1.0,
) -> list[float]:
    """P(D | f, e) of one pair; translation: P(f|e,D), P(e|f,D); language: P(f|D), P(e|D)."""
    values = []
    for domain, chance in enumerate(prior):
        by_target = language[1][domain] * translation[0][domain]
        by_source = language[0][domain] * translation[1][domain]
        chosen = {"both": by_target + by_source, "target": by_target, "source": by_source}
        values.append((chance * chosen[sides]) ** (1.0 / temperature))
    return [value / sum(values) for value in values]


def entropy_bits(rows: Iterator[tuple[str, str, float]], weights: dict[str, float]) -> float:
    """sum_e P(e) H(F | e) over the words that have a row, P(e) renormalized over them."""
    by_word: dict[str, list[float]] = {}
    for word, _, value in rows:
        by_word.setdefault(word, []).append(value)
    total = sum(weights[word] for word in by_word)
    return sum(
        weights[word] / total * -value * math.log2(value)
        for word, values in by_word.items()
        for value in values
    )
