"""The decoder's search and k best against the enumeration of every derivation."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from isogloss.tune.decoder.kernels.coverage import WINDOW
from isogloss.tune.decoder.kernels.future_cost import future_costs
from isogloss.tune.decoder.kernels.kbest import best_derivations
from isogloss.tune.decoder.kernels.search import search_lattice
from isogloss.tune.decoder.language_model import LanguageModels, NgramTable
from isogloss.tune.decoder.search import (
    KBest,
    SearchGraph,
    SearchSettings,
    TranslationOptions,
    kbest,
    search,
)
from tests.naive import search as naive
from tests.unit.tune.decoder.test_language_model import random_model

ALL = 10**6
LIMITS = [-1, 0, 1, 2, 6]
MODELS = {(s, n): random_model(s, n, drop=0.3) for s in range(3) for n in (2, 3, 4)}
TABLES = {key: NgramTable.from_model(model) for key, model in MODELS.items()}
NAIVE = {key: naive.DictionaryModel(model) for key, model in MODELS.items()}
Weighted = tuple[tuple[float, ...], float]


class System(NamedTuple):
    """Language models, their weights, and that of the distortion."""

    keys: tuple[tuple[int, int], ...]
    weights: Weighted

    @property
    def models(self) -> LanguageModels:
        return LanguageModels.join([TABLES[key] for key in self.keys])

    @property
    def naive(self) -> list[naive.DictionaryModel]:
        return [NAIVE[key] for key in self.keys]


def one_model(key: tuple[int, int], language_model: float, distortion: float) -> System:
    return System((key,), ((language_model,), distortion))


@st.composite
def systems(draw: st.DrawFn) -> System:
    keys = draw(st.lists(st.sampled_from(sorted(MODELS)), min_size=1, max_size=3))
    weight = st.sampled_from([0.0, 0.3, 1.0, 2.5, -0.7])
    of_models = draw(st.lists(weight, min_size=len(keys), max_size=len(keys)))
    return System(tuple(keys), (tuple(of_models), draw(weight)))


def random_options(
    rng: np.random.Generator,
    num_source_words: int,
    longest: int = 3,
    most: int = 2,
    num_words: int = 9,
    fewest_words: int = 0,
    num_models: int = 1,
) -> TranslationOptions:
    begin, end, words, lengths = [], [], [], []
    for i in range(num_source_words):
        for length in range(1, min(longest, num_source_words - i) + 1):
            for _ in range(rng.integers(1 if length == 1 else 0, most + 1)):
                phrase = rng.integers(3, num_words, rng.integers(fewest_words, 4)).tolist()
                begin.append(i)
                end.append(i + length)
                words += phrase
                lengths.append(len(phrase))
    target = np.array(words, np.int32)
    return TranslationOptions(
        num_source_words,
        np.array(begin, np.int32),
        np.array(end, np.int32),
        rng.normal(0.0, 2.0, len(begin)),
        np.stack(
            [(target - 3 + k) % (num_words - 3) + 3 for k in range(num_models)], dtype=np.int32
        ),
        np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)]).astype(np.int64),
        target % 7 + 10,
    )


def derivations_of(best: KBest) -> list[tuple[int, ...]]:
    bounds = zip(best.offsets[:-1], best.offsets[1:], strict=True)
    return [tuple(best.option[a:b].tolist()) for a, b in bounds]


def enumerate_all(
    options: TranslationOptions, system: System, limit: int
) -> dict[tuple[int, ...], naive.Derivation]:
    return {
        chosen: naive.score_derivation(options, chosen, system.naive, system.weights)
        for chosen in naive.derivations(options, limit)
    }


def check_derivations(best: KBest, options: TranslationOptions, system: System) -> None:
    for place, chosen in enumerate(derivations_of(best)):
        covered = sorted(p for k in chosen for p in range(options.begin[k], options.end[k]))
        assert covered == list(range(options.num_source_words))
        again = naive.score_derivation(options, chosen, system.naive, system.weights)
        assert best.score[place] == pytest.approx(again.score, rel=1e-9, abs=1e-9)
        assert best.language_model[place] == pytest.approx(np.array(again.language_model), rel=1e-9)
        assert best.distortion[place] == again.distortion
    assert (np.diff(best.score) <= 0).all()


def check_graph(graph: SearchGraph) -> None:
    assert (graph.previous_node < graph.node).all()
    assert (np.diff(graph.node) >= 0).all()
    assert (
        np.bincount(graph.node, minlength=graph.goal + 1).tolist()
        == np.diff(graph.arc_offsets).tolist()
    )
    assert set(graph.previous_node.tolist()) == set(range(graph.goal))  # all reach the goal
    for node in range(1, graph.goal + 1):
        arcs = slice(graph.arc_offsets[node], graph.arc_offsets[node + 1])
        through = graph.node_score[graph.previous_node[arcs]] + graph.score[arcs]
        assert graph.node_score[node] == through.max()


@settings(deadline=None, max_examples=60)
@given(
    st.integers(0, 10**6), st.integers(1, 4), systems(),
    st.sampled_from(LIMITS),
)  # fmt: skip
def test_an_open_beam_finds_every_derivation(
    seed: int, length: int, system: System, limit: int
) -> None:
    options = random_options(np.random.default_rng(seed), length, num_models=len(system.keys))
    expected = enumerate_all(options, system, limit)
    graph = search(options, system.models, system.weights, SearchSettings(ALL, limit))
    check_graph(graph)
    best = kbest(graph, options, ALL, distinct=False)
    found = derivations_of(best)
    assert len(found) == len(expected)
    assert set(found) == set(expected)
    scores = sorted((d.score for d in expected.values()), reverse=True)
    np.testing.assert_allclose(best.score, scores, rtol=1e-9, atol=1e-9)
    assert graph.node_score[graph.goal] == pytest.approx(scores[0], rel=1e-9, abs=1e-9)
    check_derivations(best, options, system)
    few = kbest(graph, options, 5, distinct=False)
    assert derivations_of(few) == found[:5]


@settings(deadline=None, max_examples=40)
@given(
    st.integers(0, 10**6), st.integers(1, 4), systems(),
    st.sampled_from(LIMITS),
)  # fmt: skip
def test_distinct_keeps_the_best_of_each_string(
    seed: int, length: int, system: System, limit: int
) -> None:
    options = random_options(np.random.default_rng(seed), length, num_models=len(system.keys))
    strings: dict[tuple[int, ...], float] = {}
    for chosen, derivation in enumerate_all(options, system, limit).items():
        string = naive.surface(options, chosen)
        strings[string] = max(strings.get(string, -np.inf), derivation.score)
    graph = search(options, system.models, system.weights, SearchSettings(ALL, limit))
    best = kbest(graph, options, ALL)
    found = [naive.surface(options, chosen) for chosen in derivations_of(best)]
    assert len(set(found)) == len(found)
    assert set(found) == set(strings)
    for string, score in zip(found, best.score, strict=True):
        assert score == pytest.approx(strings[string], rel=1e-9, abs=1e-9)
    check_derivations(best, options, system)


@pytest.mark.parametrize("limit", LIMITS)
def test_five_words_without_beam(limit: int) -> None:
    options = random_options(np.random.default_rng(5), 5, longest=3, most=1)
    system = one_model((1, 3), 0.8, 0.4)
    expected = enumerate_all(options, system, limit)
    best = kbest(
        search(options, system.models, system.weights, SearchSettings(ALL, limit)),
        options,
        ALL,
        False,
    )
    assert set(derivations_of(best)) == set(expected)
    assert best.score[0] == pytest.approx(max(d.score for d in expected.values()), rel=1e-9)


@settings(deadline=None, max_examples=60)
@given(
    st.integers(0, 10**6), st.integers(1, 4), systems(),
    st.sampled_from(LIMITS), st.integers(1, 4), st.sampled_from([0.0, -1.0]),
)  # fmt: skip
def test_a_narrow_beam_gives_valid_output(
    seed: int,
    length: int,
    system: System,
    limit: int,
    stack_size: int,
    beam: float,
) -> None:
    options = random_options(np.random.default_rng(seed), length, num_models=len(system.keys))
    expected = enumerate_all(options, system, limit)
    graph = search(options, system.models, system.weights, SearchSettings(stack_size, limit, beam))
    check_graph(graph)
    best = kbest(graph, options, 50, distinct=False)
    assert len(best) >= 1
    assert set(derivations_of(best)) <= set(expected)
    assert best.score[0] <= max(d.score for d in expected.values()) + 1e-9
    check_derivations(best, options, system)


@settings(deadline=None, max_examples=40)
@given(st.integers(0, 10**6), st.integers(2, 5), systems(), st.integers(1, 12))
def test_a_pop_limit(seed: int, length: int, system: System, limit: int) -> None:
    options = random_options(np.random.default_rng(seed), length, num_models=len(system.keys))
    whole, all_popped, few = (
        search(options, system.models, system.weights, SearchSettings(ALL, 2, pop_limit=pops))
        for pops in (0, ALL, limit)
    )
    assert all_popped.node_score[-1] == pytest.approx(whole.node_score[-1])
    assert len(all_popped.score) == len(whole.score)
    check_graph(few)
    check_derivations(kbest(few, options, 20, distinct=False), options, system)
    covered = np.zeros(few.goal + 1, np.int64)
    for previous, option, node in zip(few.previous_node, few.option, few.node, strict=True):
        covered[node] = covered[previous] + options.end[option] - options.begin[option]
    assert np.bincount(covered[few.node]).max() <= limit


@settings(deadline=None, max_examples=40)
@given(st.integers(0, 10**6), st.integers(1, 9), st.integers(1, 9))
def test_future_costs_are_those_of_the_full_table(seed: int, length: int, longest: int) -> None:
    rng = np.random.default_rng(seed)
    options = random_options(rng, length, longest)
    value = rng.normal(0.0, 1.0, len(options.begin))
    inner, rest = future_costs(options.begin, options.end, value, length)
    for (i, j), expected in naive.future(options, value.tolist()).items():
        assert inner[i, j - i] == pytest.approx(expected, rel=1e-12)
        if j == length:
            assert rest[i] == pytest.approx(expected, rel=1e-12)


def test_future_costs_of_a_sentence_wider_than_the_window() -> None:
    rng = np.random.default_rng(0)
    length = WINDOW + 20
    options = random_options(rng, length, 4)
    value = rng.normal(0.0, 1.0, len(options.begin))
    inner, rest = future_costs(options.begin, options.end, value, length)
    for (i, j), expected in naive.future(options, value.tolist()).items():
        if j - i <= WINDOW:
            assert inner[i, j - i] == pytest.approx(expected, rel=1e-12)
        if j == length:
            assert rest[i] == pytest.approx(expected, rel=1e-12)


def same(one: SearchGraph | KBest, other: SearchGraph | KBest) -> bool:
    columns = zip(vars(one).values(), vars(other).values(), strict=True)
    return all(a.dtype == b.dtype and np.array_equal(a, b) for a, b in columns)


def test_the_same_input_gives_the_same_output_also_in_threads() -> None:
    rng = np.random.default_rng(7)
    sentences = [random_options(rng, 12, 4, 6) for _ in range(8)]
    system = one_model((0, 3), 0.7, 0.2)

    def decode(options: TranslationOptions) -> tuple[SearchGraph, KBest]:
        graph = search(options, system.models, system.weights, SearchSettings(20))
        return graph, kbest(graph, options, 100)

    first = [decode(options) for options in sentences]
    with ThreadPoolExecutor(4) as pool:
        second = list(pool.map(decode, sentences * 3))
    for place, (graph, best) in enumerate(second):
        assert same(graph, first[place % 8][0])
        assert same(best, first[place % 8][1])


def test_read_only_options_do_not_compile_the_kernels_again() -> None:
    options = random_options(np.random.default_rng(9), 5)
    system = one_model((0, 3), 0.7, 0.2)
    expected = search(options, system.models, system.weights, SearchSettings(20))
    kbest(expected, options, 5)
    compiled = len(search_lattice.signatures), len(best_derivations.signatures)
    for column in vars(options).values():
        if isinstance(column, np.ndarray):
            column.flags.writeable = False
    graph = search(options, system.models, system.weights, SearchSettings(20))
    kbest(graph, options, 5)
    assert same(graph, expected)
    assert (len(search_lattice.signatures), len(best_derivations.signatures)) == compiled


def test_ties_stand_in_a_fixed_order() -> None:
    options = random_options(np.random.default_rng(1), 4)
    options = replace(options, score=np.zeros(len(options.score)))
    graph = search(
        options, one_model((0, 2), 0.0, 0.0).models, ((0.0,), 0.0), SearchSettings(ALL, -1)
    )
    best = kbest(graph, options, ALL, distinct=False)
    assert len(best) == len(list(naive.derivations(options, -1)))
    assert (best.score == 0.0).all()
    assert same(best, kbest(graph, options, ALL, distinct=False))


@pytest.mark.parametrize(("length", "stack_size"), [(600, 100), (3000, 20)])
def test_long_sentences(length: int, stack_size: int) -> None:
    options = random_options(np.random.default_rng(length), length, 4, 5, fewest_words=1)
    graph = search(
        options, one_model((1, 3), 0.5, 0.3).models, ((0.5,), 0.3), SearchSettings(stack_size)
    )
    best = kbest(graph, options, 10)
    assert len(best) == 10
    check_derivations(best, options, one_model((1, 3), 0.5, 0.3))


@pytest.mark.parametrize("limit", [-1, 48, WINDOW])
def test_the_whole_window_may_be_jumped(limit: int) -> None:
    options = random_options(np.random.default_rng(3), WINDOW, WINDOW, 1, fewest_words=1)
    graph = search(
        options, one_model((1, 2), 0.5, -0.5).models, ((0.5,), -0.5), SearchSettings(5, limit)
    )  # far jumps pay
    best = kbest(graph, options, 3)
    check_derivations(best, options, one_model((1, 2), 0.5, -0.5))
    assert best.distortion[0] < -WINDOW


def test_options_longer_than_the_window() -> None:
    rng = np.random.default_rng(4)
    options = random_options(rng, WINDOW + 40, WINDOW + 40, 1, fewest_words=1)
    scores = (options.end - options.begin).astype(np.float64) ** 2
    graph = search(
        replace(options, score=scores),
        one_model((1, 2), 0.5, 0.5).models,
        ((0.5,), 0.5),
        SearchSettings(5),
    )
    options = replace(options, score=scores)
    best = kbest(graph, options, 3)
    check_derivations(best, options, one_model((1, 2), 0.5, 0.5))


def test_unigram_model() -> None:
    model = random_model(2, 2)
    model = type(model)(
        1, model.words, model.ngrams[:1], model.log_probability[:1],
        (np.zeros(len(model.words), np.float32),),
    )  # fmt: skip
    table, slow = NgramTable.from_model(model), naive.DictionaryModel(model)
    options = random_options(np.random.default_rng(2), 4)
    best = kbest(
        search(options, LanguageModels.join([table]), ((1.0,), 0.5), SearchSettings(ALL)),
        options,
        ALL,
        False,
    )
    expected = [
        naive.score_derivation(options, chosen, [slow], ((1.0,), 0.5)).score
        for chosen in naive.derivations(options, 6)
    ]
    np.testing.assert_allclose(best.score, sorted(expected, reverse=True), rtol=1e-9)


def test_no_words_give_the_empty_derivation() -> None:
    nothing = np.zeros(0, np.int32)
    options = TranslationOptions(
        0, nothing, nothing, np.zeros(0), nothing[None], np.zeros(1, np.int64), nothing
    )
    graph = search(options, one_model((0, 3), 1.0, 1.0).models, ((1.0,), 1.0), SearchSettings())
    assert graph.goal == 0
    assert len(graph.score) == 0
    best = kbest(graph, options, 10)
    assert derivations_of(best) == [()]
    assert best.score.tolist() == [0.0]


def test_kbest_gives_up_on_endless_repetition() -> None:
    # 2 options of the same string for each of 14 words: 16,384 derivations of a single string
    n = 14
    begin = np.repeat(np.arange(n, dtype=np.int32), 2)
    words = np.full(2 * n, 3, np.int32)
    options = TranslationOptions(
        n, begin, begin + 1, np.arange(2.0 * n), words[None], np.arange(2 * n + 1), words
    )
    graph = search(
        options, one_model((0, 3), 1.0, 1.0).models, ((1.0,), 1.0), SearchSettings(ALL, 0)
    )
    assert len(kbest(graph, options, 4)) == 1
    assert len(kbest(graph, options, 4, distinct=False)) == 4
