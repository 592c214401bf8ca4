"""Slow twin of the decoder's bounded search: sorted lists for its heap, a dictionary for its nodes.

Moves are taken best bound first, of equal ones the one that was found first: shorter spans before
longer ones, better nodes before worse ones, from left to right.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from isogloss.tune.decoder.search import SearchSettings, TranslationOptions
from tests.naive.search import BEGIN, END, DictionaryModel, future

Context = tuple[int, ...]


class Place(NamedTuple):
    """What must be equal for hypotheses to be one node; a complete one has no contexts."""

    covered: frozenset[int]
    end: int
    contexts: tuple[Context, ...]


@dataclass
class Node:
    place: Place
    future: float
    score: float
    arcs: list[tuple["Node", int, float]] = field(default_factory=list)  # before, option, gain

    @property
    def value(self) -> float:
        return self.score + self.future


class Move(NamedTuple):
    """A span behind a node: its options and their bounds, best first."""

    node: Node
    options: list[int]
    bounds: list[float]
    base: float
    future: float


@dataclass
class Stack:
    """The nodes of as many covered words, and the value below which none can stay."""

    settings: SearchSettings
    nodes: dict[Place, Node] = field(default_factory=dict)
    threshold: float = -float("inf")
    renewal: int = 0

    def __post_init__(self) -> None:
        self.renewal = max(1, self.settings.stack_size // 8)

    def lowest(self) -> float:
        values = sorted((node.value for node in self.nodes.values()), reverse=True)
        least = -float("inf")
        if self.settings.beam_threshold < 0.0:
            least = values[0] + self.settings.beam_threshold
        if len(values) > self.settings.stack_size:
            least = max(least, values[self.settings.stack_size - 1])
        return least

    def add(self, place: Place, future: float, score: float, arc: tuple[Node, int, float]) -> None:
        node = self.nodes.setdefault(place, Node(place, future, score))
        node.score = max(node.score, score)
        node.arcs.append(arc)
        if len(self.nodes) >= self.renewal:
            self.renewal = len(self.nodes) + max(1, self.settings.stack_size // 8)
            self.threshold = self.lowest()

    def best(self) -> list[Node]:
        least = self.lowest()
        kept = [node for node in self.nodes.values() if node.value >= least]
        return sorted(kept, key=lambda node: -node.value)[: self.settings.stack_size]


class BeamSearch:
    """Search with a stack size, a beam, and a limit of pops, of which a pop places one option.

    most: the most that the words of each option can be worth, weighted, in any context
    """

    def __init__(
        self,
        options: TranslationOptions,
        models: Sequence[DictionaryModel],
        weights: tuple[Sequence[float], float],
        settings: SearchSettings,
        most: Sequence[float],
    ) -> None:
        self.options, self.models, self.settings = options, models, settings
        self.of_models, self.of_distortion = weights
        self.bound = [score + value for score, value in zip(options.score, most, strict=True)]
        self.spans: dict[tuple[int, int], list[int]] = {}
        for option, span in enumerate(zip(options.begin, options.end, strict=True)):
            self.spans.setdefault((int(span[0]), int(span[1])), []).append(option)
        for ranked in self.spans.values():
            ranked.sort(key=lambda option: -self.bound[option])
        alone = ((),) * len(models)
        value = [
            float(options.score[option]) + self.words(option, alone)[0]
            for option in range(len(options.score))
        ]
        self.table = future(options, value)

    def words(self, option: int, contexts: Sequence[Context], *, complete: bool = False) -> tuple[
        float, tuple[Context, ...]
    ]:  # fmt: skip
        """What an option's words are worth, weighted, and the contexts after them."""
        first, stop = self.options.word_offsets[option : option + 2]
        worth, after = 0.0, []
        for model, weight, context, row in zip(
            self.models, self.of_models, contexts, self.options.words, strict=True
        ):
            words = [*row[first:stop].tolist(), *([END] if complete else [])]
            worth += weight * sum(model.sentence(words, context))
            history = (*context, *words)[-(model.order - 1) :]
            while history and not model.matters(history):
                history = history[1:]
            after.append(() if complete else history)
        return worth, tuple(after)

    def open_cost(self, covered: frozenset[int]) -> float:
        """The estimate of all that is not covered."""
        cost, begin = 0.0, 0
        for position in range(self.options.num_source_words + 1):
            if position in covered or position == self.options.num_source_words:
                cost += self.table[begin, position]
                begin = position + 1
        return cost

    def moves(self, stacks: list[list[Node]]) -> Iterator[Move]:
        """All moves into the next stack."""
        limit, num = self.settings.distortion_limit, self.options.num_source_words
        for length in sorted({end - begin for begin, end in self.spans}):
            for node in stacks[len(stacks) - length] if length <= len(stacks) else []:
                covered, last, _ = node.place
                first = min(set(range(num)) - covered)
                for begin in range(num - length + 1):
                    end, span = begin + length, frozenset(range(begin, begin + length))
                    if (begin, end) not in self.spans or span & covered:
                        continue
                    far = begin != first and end - first > limit
                    if limit >= 0 and (abs(last - begin) > limit or far):
                        continue
                    base = node.score - self.of_distortion * abs(last - begin)
                    rest = self.open_cost(covered | span)
                    ranked = self.spans[begin, end]
                    bounds = [base + rest + self.bound[option] for option in ranked]
                    yield Move(node, ranked, bounds, base, rest)

    def place(self, stack: Stack, move: Move, option: int) -> None:
        span = range(self.options.begin[option], self.options.end[option])
        covered = move.node.place.covered | frozenset(span)
        complete = len(covered) == self.options.num_source_words
        worth, contexts = self.words(option, move.node.place.contexts, complete=complete)
        score = move.base + float(self.options.score[option]) + worth
        if score + move.future >= stack.threshold:
            place = Place(covered, len(covered) if complete else span.stop, contexts)
            stack.add(place, move.future, score, (move.node, option, score - move.node.score))

    def fill(self, moves: list[Move]) -> Stack:
        stack, limit = Stack(self.settings), self.settings.pop_limit
        if limit == 0:
            for move in sorted(moves, key=lambda move: -move.bounds[0]):
                for option, bound in zip(move.options, move.bounds, strict=True):
                    if bound >= stack.threshold:
                        self.place(stack, move, option)
            return stack
        pops = [
            (-bound, number, rank)
            for number, move in enumerate(moves)
            for rank, bound in enumerate(move.bounds)
        ]
        for bound, number, rank in sorted(pops)[:limit]:
            if -bound >= stack.threshold:
                self.place(stack, moves[number], moves[number].options[rank])
        return stack

    def run(self) -> list[Node]:
        """The nodes from which the goal can be reached, by stack, best first; the goal last."""
        nothing = Place(frozenset(), 0, ((BEGIN,),) * len(self.models))
        stacks = [[Node(nothing, self.open_cost(frozenset()), 0.0)]]
        for _ in range(self.options.num_source_words):
            stacks.append(self.fill(list(self.moves(stacks))).best())
        needed, waiting = {id(stacks[-1][0])}, [stacks[-1][0]]
        while waiting:
            for before, _, _ in waiting.pop().arcs:
                if id(before) not in needed:
                    needed.add(id(before))
                    waiting.append(before)
        return [node for stack in stacks for node in stack if id(node) in needed]
