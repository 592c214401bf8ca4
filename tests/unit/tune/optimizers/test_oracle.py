"""How much there is to gain: against the definitions, and against trying every choice."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from isogloss.align.text.string_array import Texts
from isogloss.tune.examples import Examples
from isogloss.tune.metrics.bleu import Bleu
from isogloss.tune.optimizers.oracle import measure_oracle, oracle_choice
from isogloss.tune.references import References
from isogloss.tune.weights.weights import Weights
from tests.naive.examples import mean_examples, random_examples
from tests.naive.lists import build_nbest

EXAMPLES = mean_examples(
    [[0.1, 0.5, 0.3], [0.4], [0.2, 0.0]], [[[1.0], [0.0], [3.0]], [[0.0]], [[0.0], [2.0]]]
)


def test_scores_of_choices() -> None:
    scores = measure_oracle(EXAMPLES, Weights(EXAMPLES.space, np.array([1.0])))
    assert scores.start == pytest.approx(100 * (0.3 + 0.4 + 0.0) / 3)
    assert scores.first == pytest.approx(100 * (0.1 + 0.4 + 0.2) / 3)
    assert scores.random == pytest.approx(100 * (0.3 + 0.4 + 0.1) / 3)
    assert scores.oracle == pytest.approx(100 * (0.5 + 0.4 + 0.2) / 3)


def test_the_best_single_feature() -> None:
    means = [[0.1, 0.5, 0.3], [0.4], [0.2, 0.0]]
    rows = [[[1.0, 2.0], [0.0, 1.0], [3.0, 3.0]], [[0.0, 0.0]], [[0.0, 1.0], [2.0, 2.0]]]
    examples = mean_examples(means, rows)
    names = examples.space.names
    scores = measure_oracle(examples, Weights.zeros(examples.space))
    assert scores.feature == f"-{names[0]}"  # 0.5, 0.4, 0.2; of the other one the same, later
    assert scores.single == pytest.approx(100 * (0.5 + 0.4 + 0.2) / 3)
    errors = replace(examples, metric=replace(examples.metric, sign=-1))  # type: ignore[type-var]
    scores = measure_oracle(errors, Weights.zeros(examples.space))
    assert scores.feature == names[0]
    assert scores.single == pytest.approx(100 * (0.3 + 0.4 + 0.0) / 3)


def test_the_oracle_of_an_error_rate_is_low() -> None:
    examples = replace(EXAMPLES, metric=replace(EXAMPLES.metric, sign=-1))  # type: ignore[type-var]
    assert measure_oracle(examples, Weights.zeros(examples.space)).oracle == pytest.approx(
        100 * 0.5 / 3
    )


@settings(deadline=None, max_examples=30)
@given(st.integers(0, 1000))
def test_the_oracle_of_a_mean_is_exact(seed: int) -> None:
    examples = random_examples(np.random.default_rng(seed), 5, 4, 2)
    numbers = examples.statistics[:, 0]
    best = [max(numbers[k] for k in examples.hypotheses(s)) for s in range(len(examples))]
    assert best == numbers[oracle_choice(examples)].tolist()


WORDS = st.lists(st.lists(st.sampled_from("abc"), max_size=6), min_size=1, max_size=3)


@settings(deadline=None, max_examples=40)
@given(st.lists(WORDS, min_size=1, max_size=3))
def test_the_oracle_of_bleu_lies_between_sentence_choice_and_the_true_one(
    sentences: list[list[list[str]]],
) -> None:
    lists = build_nbest([[(" ".join(words), []) for words in own] for own in sentences])
    references = References.from_texts([["a b c a b c"] for _ in sentences])
    examples = Examples.from_nbest(lists, references, Bleu())
    spans = [examples.hypotheses(k) for k in range(len(examples))]
    true = max(examples.score(np.array(choice)) for choice in product(*spans))
    greedy = [own.start + int(np.argmax(examples.gains[own.start : own.stop])) for own in spans]
    reached = examples.score(oracle_choice(examples))
    assert examples.score(np.array(greedy)) <= reached <= true + 1e-9


def test_texts_are_where_the_choices_point() -> None:
    lists = build_nbest([[("a b", []), ("a b c d", [])], [("x", []), ("e f g h", [])]])
    references = References.from_texts([["a b c d"], ["e f g h"]])
    chosen = oracle_choice(Examples.from_nbest(lists, references, Bleu()))
    assert Texts.from_strings(["a b c d", "e f g h"]) == lists.texts.select(chosen)
