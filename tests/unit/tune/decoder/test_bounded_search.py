"""What a bounded search keeps: its nodes and arcs are those of the slow twin, one by one."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from isogloss.tune.decoder.kernels.future_cost import prepare_sentence
from isogloss.tune.decoder.kernels.reordering import Reordering
from isogloss.tune.decoder.search import SearchSettings, TranslationOptions, _columns, search
from tests.naive.beam_search import BeamSearch
from tests.unit.tune.decoder.test_search import MODELS, System, one_model, random_options

KEYS = sorted(MODELS)


def exact_options(seed: int, length: int, most: int = 3, num_models: int = 1) -> TranslationOptions:
    """Scores of few binary digits, such that sums are exact in any order, and ties are ties."""
    options = random_options(np.random.default_rng(seed), length, 3, most, num_models=num_models)
    return replace(options, score=np.round(options.score * 4.0) / 4.0)


def most_of_words(options: TranslationOptions, system: System, *, bounded: bool) -> np.ndarray:
    num = len(options.begin)
    none = Reordering(
        np.zeros((num, 1)), np.zeros((1, 1)), np.zeros(num, np.int32), False, False
    )  # fmt: skip
    weights = np.array(system.weights[0])
    sentence = prepare_sentence(
        _columns(options), none, options.num_source_words, system.models.arrays, weights, bounded
    )
    return sentence.estimates.ahead[:, 0]


def check_search(options: TranslationOptions, system: System, bounds: SearchSettings) -> int:
    """Compare the graph with the slow twin's; the number of its arcs."""
    graph = search(options, system.models, system.weights, bounds)
    most = most_of_words(options, system, bounded=bounds.pop_limit == 0)
    nodes = BeamSearch(options, system.naive, system.weights, bounds, most.tolist()).run()
    number = {id(node): place for place, node in enumerate(nodes)}
    arcs = [
        (number[id(before)], option, place, gain)
        for place, node in enumerate(nodes)
        for before, option, gain in node.arcs
    ]
    assert graph.node_score.tolist() == [node.score for node in nodes]
    found = graph.previous_node, graph.option, graph.node, graph.score
    assert list(zip(*(column.tolist() for column in found), strict=True)) == arcs
    return len(arcs)


@st.composite
def exact_systems(draw: st.DrawFn, weights: tuple[float, ...]) -> System:
    keys = draw(st.lists(st.sampled_from(KEYS), min_size=1, max_size=2))
    of_models = draw(
        st.lists(st.sampled_from(weights), min_size=len(keys), max_size=len(keys))
    )  # fmt: skip
    return System(tuple(keys), (tuple(of_models), draw(st.sampled_from([0.0, 0.25, 1.0, -0.5]))))


@settings(deadline=None, max_examples=100)
@given(
    st.integers(0, 10**6), st.integers(1, 6), exact_systems((0.0, 0.5, 1.0, 2.0, -0.5)),
    st.sampled_from([-1, 0, 1, 2, 6]), st.sampled_from([1, 2, 3, 8, 17, 40]),
    st.sampled_from([0.0, -0.5, -2.0, -8.0]),
)  # fmt: skip
def test_stacks_and_beams(
    seed: int, length: int, system: System, limit: int, stack_size: int, beam: float
) -> None:
    options = exact_options(seed, length, num_models=len(system.keys))
    check_search(options, system, SearchSettings(stack_size, limit, beam))


@settings(deadline=None, max_examples=100)
@given(
    st.integers(0, 10**6), st.integers(1, 6), exact_systems((0.0, 0.5, 1.0, 2.0)),
    st.sampled_from([-1, 0, 1, 2, 6]), st.sampled_from([2, 5, 20, 100]),
    st.sampled_from([0.0, -2.0]), st.integers(1, 25),
)  # fmt: skip
def test_pops(
    seed: int, length: int, system: System, limit: int, stack_size: int, beam: float, pops: int
) -> None:
    options = exact_options(seed, length, num_models=len(system.keys))
    check_search(options, system, SearchSettings(stack_size, limit, beam, pops))


@pytest.mark.parametrize(
    "bounds",
    [SearchSettings(20), SearchSettings(20, 6, -4.0), SearchSettings(20, pop_limit=60)],
    ids=["stack", "beam", "pops"],
)
def test_a_sentence_of_ten_words(bounds: SearchSettings) -> None:
    options = exact_options(11, 10, most=4)
    assert check_search(options, one_model((0, 3), 1.0, 0.25), bounds) > 100


def test_equal_scores_are_kept_as_they_were_found() -> None:
    options = exact_options(3, 5)
    options = replace(options, score=np.zeros(len(options.score)))
    system = one_model((1, 2), 0.0, 0.0)
    for stack_size in (1, 3, 10):
        check_search(options, system, SearchSettings(stack_size))
        check_search(options, system, SearchSettings(stack_size, pop_limit=7))
