"""Slow twins of the decoder: dictionary back-off and enumeration of every derivation."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from isogloss.align.language_model.ngrams import NgramModel
from isogloss.tune.decoder.kernels.reordering import Reordering
from isogloss.tune.decoder.search import TranslationOptions

BEGIN, END = 1, 2


@dataclass(frozen=True)
class Derivation:
    option: tuple[int, ...]
    score: float
    language_model: tuple[float, ...]
    distortion: float


class DictionaryModel:
    """Back-off by the book: p(w | c) if the n-gram is listed, else backoff(c) p(w | shorter c)."""

    def __init__(self, model: NgramModel) -> None:
        self.order = model.order
        self.table: dict[tuple[int, ...], tuple[float, float]] = {}
        for rows, probability, backoff in zip(
            model.ngrams, model.log_probability, model.log_backoff, strict=True
        ):
            for row, p, b in zip(rows, _natural(probability), _natural(backoff), strict=True):
                self.table[tuple(row.tolist())] = float(p), float(b)

    def word(self, context: tuple[int, ...], word: int) -> float:
        context = context[max(0, len(context) - self.order + 1) :]
        if (*context, word) in self.table:
            return self.table[(*context, word)][0]
        return self.table.get(context, (0.0, 0.0))[1] + self.word(context[1:], word)

    def sentence(self, words: list[int], begin: tuple[int, ...] = (BEGIN,)) -> list[float]:
        history = (*begin, *words)
        return [self.word(history[: len(begin) + i], word) for i, word in enumerate(words)]

    def matters(self, context: tuple[int, ...]) -> bool:
        """Can this context change the probability of some word?"""
        extended = any(key[:-1] == context for key in self.table if len(key) == len(context) + 1)
        return extended or self.table.get(context, (0.0, 0.0))[1] != 0.0


def _natural(log10: np.ndarray) -> np.ndarray:
    return (log10.astype(np.float64) * np.log(10.0)).astype(np.float32)


def orientation(before: tuple[int, int] | None, span: tuple[int, int]) -> int:
    """0 monotone, 1 swap, 2 to the left, 3 to the right of the span before, as Moses has it."""
    if before is None:
        return 0 if span[0] == 0 else 3
    (before_begin, before_end), (begin, end) = before, span
    if begin == before_end:
        return 0
    if end == before_begin:
        return 1
    return 3 if begin > before_end else 2


class Orientations(NamedTuple):
    """Of a phrase to the phrase before and the block before; of the next block to the phrase."""

    phrase: int
    block: int
    next_block: int


def orientations(options: TranslationOptions, chosen: tuple[int, ...]) -> list[Orientations]:
    """The orientations of each phrase of a derivation with regard to what is before it."""
    found: list[Orientations] = []
    stack: list[tuple[int, int]] = []
    covered: set[int] = set()
    before: tuple[int, int] | None = None
    for k in chosen:
        span = int(options.begin[k]), int(options.end[k])
        by_block = orientation(stack[-1] if stack else None, span)
        found.append(
            Orientations(orientation(before, span), by_block, _next_block(before, covered, span))
        )
        stack.append(span)
        while len(stack) > 1 and (stack[-1][0] == stack[-2][1] or stack[-1][1] == stack[-2][0]):
            (a, b), (c, d) = stack.pop(), stack.pop()
            stack.append((min(a, c), max(b, d)))
        covered |= set(range(*span))
        before = span
    return found


def _next_block(before: tuple[int, int] | None, covered: set[int], span: tuple[int, int]) -> int:
    """Monotone or swap where no word between is covered."""
    if before is None:
        return orientation(before, span)
    if span[0] >= before[1]:
        return 3 if covered & set(range(before[1], span[0])) else 0
    return 2 if covered & set(range(span[1], before[0])) else 1


def reordering_score(
    options: TranslationOptions, chosen: tuple[int, ...], reordering: Reordering | None
) -> float:
    """The weighted scores of all orientations of a derivation."""
    if reordering is None:
        return 0.0
    kinds = orientations(options, chosen)
    groups = [0, *reordering.group[list(chosen)].tolist()]
    total = 0.0
    for k, group, kind in zip(chosen, groups, kinds, strict=False):
        previous = following = 0
        if reordering.phrases:
            previous = following = kind.phrase
        if reordering.blocks:
            previous, following = 4 * previous + kind.block, 4 * following + kind.next_block
        total += float(reordering.previous[k, previous] + reordering.next[group, following])
    return total


def score_derivation(
    options: TranslationOptions,
    chosen: tuple[int, ...],
    models: Sequence[DictionaryModel],
    weights: tuple[Sequence[float], float],
    reordering: Reordering | None = None,
) -> Derivation:
    """``weights``: of the language models, and of the distortion."""
    offsets = options.word_offsets
    language_models = []
    for model, row in zip(models, options.words, strict=True):
        words = [w for k in chosen for w in row[offsets[k] : offsets[k + 1]].tolist()]
        language_models.append(sum(model.sentence([*words, END])))
    distortion, last = 0.0, 0
    for k in chosen:
        distortion -= abs(last - int(options.begin[k]))
        last = int(options.end[k])
    score = sum(float(options.score[k]) for k in chosen)
    score += reordering_score(options, chosen, reordering)
    score += sum(w * value for w, value in zip(weights[0], language_models, strict=True))
    score += weights[1] * distortion
    return Derivation(chosen, score, tuple(language_models), distortion)


def derivations(options: TranslationOptions, limit: int) -> Iterator[tuple[int, ...]]:
    """Every sequence of options that covers the sentence under Moses's distortion rules."""
    n = options.num_source_words

    def extend(
        chosen: tuple[int, ...], covered: frozenset[int], last: int
    ) -> Iterator[tuple[int, ...]]:
        if len(covered) == n:
            yield chosen
            return
        first = min(set(range(n)) - covered)
        for k in range(len(options.begin)):
            begin, end = int(options.begin[k]), int(options.end[k])
            span = frozenset(range(begin, end))
            if span & covered:
                continue
            if limit >= 0 and abs(last - begin) > limit:
                continue
            if limit >= 0 and begin != first and abs(end - first) > limit:
                continue
            yield from extend((*chosen, k), covered | span, end)

    return extend((), frozenset(), 0)


def future(options: TranslationOptions, value: list[float]) -> dict[tuple[int, int], float]:
    """Best estimate of every span by the textbook's table over all divisions."""
    n = options.num_source_words
    table = {(i, j): -np.inf for i in range(n + 1) for j in range(i, n + 1)}
    for i in range(n + 1):
        table[i, i] = 0.0
    for k, v in enumerate(value):
        span = int(options.begin[k]), int(options.end[k])
        table[span] = max(table[span], v)
    for width in range(2, n + 1):
        for i in range(n - width + 1):
            for middle in range(i + 1, i + width):
                both = table[i, middle] + table[middle, i + width]
                table[i, i + width] = max(table[i, i + width], both)
    return table


def surface(options: TranslationOptions, chosen: tuple[int, ...]) -> tuple[int, ...]:
    offsets = options.word_offsets
    return tuple(w for k in chosen for w in options.surface[offsets[k] : offsets[k + 1]].tolist())
