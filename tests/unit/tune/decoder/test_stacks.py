"""What stacks keep, and in what order they are filled: small sentences by hand."""

import numpy as np
import pytest

from isogloss.tune.decoder.language_model import LanguageModels, NgramTable
from isogloss.tune.decoder.search import SearchSettings, TranslationOptions, search
from tests.unit.tune.decoder.test_language_model import random_model

MODELS = LanguageModels.join([NgramTable.from_model(random_model(0, 2))])
ALL = 10**6
Arc = tuple[tuple[int, ...], int]


def options_of(options: list[tuple[int, float, list[int]]]) -> TranslationOptions:
    """Source word, score, and target words of each option."""
    begin = np.array([place for place, *_ in options], np.int32)
    words = np.array([word for *_, own in options for word in own], np.int32)
    lengths = [len(own) for *_, own in options]
    return TranslationOptions(
        int(begin.max()) + 1, begin, begin + 1, np.array([score for _, score, _ in options]),
        words[None], np.cumsum([0, *lengths], dtype=np.int64), words,
    )  # fmt: skip


def arcs_found(options: TranslationOptions, settings: SearchSettings) -> list[Arc]:
    """Option of each arc, behind the options that lead to its previous node; scores are theirs."""
    graph = search(options, MODELS, ((0.0,), 0.0), settings)
    before: dict[int, tuple[int, ...]] = {0: ()}
    found = []
    arcs = zip(
        graph.previous_node.tolist(), graph.option.tolist(), graph.node.tolist(), strict=True
    )
    for previous, option, node in arcs:
        found.append((before[previous], option))
        before[node] = (*before.get(node, ()), option)
    return found


TWO_WORDS = [(0, 10.0, []), (0, 1.0, []), (1, 9.0, []), (1, 8.0, [])]
# score + future of the options of the first stack: 19, 10, 19, 18; those of the last one are scores
POPPED = [
    ([((), 0)], [((0,), 2)]),
    ([((), 0), ((), 2)], [((0,), 2), ((2,), 0)]),
    ([((), 0), ((), 2), ((), 3)], [((0,), 2), ((0,), 3), ((2, 3), 0)]),
    ([((), 0), ((), 1), ((), 2), ((), 3)], [((0, 1), 2), ((0, 1), 3), ((2, 3), 0), ((2, 3), 1)]),
]


@pytest.mark.parametrize("pop_limit", [1, 2, 3, 4, 5])
def test_a_limit_of_pops_places_the_best_bounds(pop_limit: int) -> None:
    """The best option of all moves, then the next best: a move's bound falls as it is placed."""
    first, last = POPPED[min(pop_limit, 4) - 1]
    found = arcs_found(options_of(TWO_WORDS), SearchSettings(ALL, 6, pop_limit=pop_limit))
    assert sorted(first + last) == sorted(found)


# a word in three ways, which a bigram model tells apart, then another word
THREE_WAYS = [(0, 4.0, [3]), (0, 5.0, [4]), (0, 3.5, [5]), (1, 1.0, [])]


@pytest.mark.parametrize(
    ("settings", "kept"),
    [
        (SearchSettings(ALL, 0), [1, 0, 2]),
        (SearchSettings(3, 0), [1, 0, 2]),
        (SearchSettings(2, 0), [1, 0]),
        (SearchSettings(1, 0), [1]),
        (SearchSettings(ALL, 0, beam_threshold=-1.5), [1, 0, 2]),  # the last one lies at the limit
        (SearchSettings(ALL, 0, beam_threshold=-1.25), [1, 0]),
        (SearchSettings(ALL, 0, beam_threshold=-1.0), [1, 0]),
        (SearchSettings(ALL, 0, beam_threshold=-0.75), [1]),
        (SearchSettings(2, 0, beam_threshold=-0.75), [1]),  # the narrower one holds
        (SearchSettings(1, 0, beam_threshold=-1.5), [1]),
    ],
)
def test_the_best_nodes_of_a_stack_stay(settings: SearchSettings, kept: list[int]) -> None:
    found = arcs_found(options_of(THREE_WAYS), settings)
    assert [((), option) for option in kept] == found[: len(kept)]
    assert [((option,), 3) for option in kept] == found[len(kept) :]


@pytest.mark.parametrize("size", [1, 2, 3])
def test_of_equal_nodes_the_first_stay(size: int) -> None:
    options = options_of([(place, 4.0, words) for place, _, words in THREE_WAYS])
    found = arcs_found(options, SearchSettings(size, 0))
    assert [((), option) for option in range(size)] == found[:size]
    assert [((option,), 3) for option in range(size)] == found[size:]
