"""The rules that enter the search, and the features of derivations, against plain Python."""

from itertools import pairwise
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from isogloss.tune.decoder.kernels.options import best_rules, derivation_features, estimate_phrases
from isogloss.tune.decoder.language_model import NgramTable
from tests.naive.search import DictionaryModel
from tests.tiers import examples
from tests.unit.tune.decoder.test_language_model import random_model

NUM_MODELS = 2
NUM_FIXED = NUM_MODELS + 4  # language models, distortion, word, phrase, unknown word


class Rules(NamedTuple):
    """What best_rules takes, by the order of its arguments."""

    rule_offsets: NDArray[np.int64]
    columns: tuple[NDArray[np.int32] | NDArray[np.float32] | NDArray[np.int64] | int, ...]
    estimates: NDArray[np.float32]
    weights: NDArray[np.float64]


def random_rules(seed: int) -> Rules:
    rng = np.random.default_rng(seed)
    num_sources, num_targets, num_scores, num_sparse = 4, 6, 2, 3
    offsets = np.concatenate([[0], np.cumsum(rng.integers(0, 5, num_sources))])
    num_rules = int(offsets[-1])
    sparse = np.concatenate([[0], np.cumsum(rng.integers(0, 3, num_rules))])
    first = NUM_FIXED + num_scores
    columns = (
        rng.integers(0, num_targets, num_rules).astype(np.int32),
        np.concatenate([[0], np.cumsum(rng.integers(1, 4, num_targets))]),
        # small whole numbers make ties
        rng.integers(-3, 1, (num_rules, num_scores)).astype(np.float32),
        (first + rng.integers(0, num_sparse, sparse[-1])).astype(np.int32),
        rng.integers(1, 3, sparse[-1]).astype(np.float32),
        sparse,
        NUM_FIXED,
    )
    estimates = -rng.integers(0, 4, (num_targets, NUM_MODELS)).astype(np.float32)
    weights = rng.integers(-2, 3, first + num_sparse).astype(np.float64)
    return Rules(offsets, columns, estimates, weights)


def score_of(rule: int, own: Rules) -> float:
    """Everything but language models and distortion."""
    target, target_offsets, scores, ids, values, bounds, first = own.columns
    length = target_offsets[target[rule] + 1] - target_offsets[target[rule]]
    features = {NUM_MODELS + 1: -length, NUM_MODELS + 2: 1.0}
    features |= {first + k: value for k, value in enumerate(scores[rule].tolist())}
    total = sum(own.weights[k] * value for k, value in features.items())
    return float(
        total + sum(own.weights[ids[k]] * values[k] for k in range(bounds[rule], bounds[rule + 1]))
    )


@examples(100)
@given(
    st.integers(0, 10**6),
    st.lists(st.integers(0, 3), max_size=5),
    st.sampled_from([1, 2, 3, 20]),
)
def test_best_rules_of_each_span(seed: int, spans: list[int], limit: int) -> None:
    own = random_rules(seed)
    expected = []
    for phrase in spans:
        rules = range(own.rule_offsets[phrase], own.rule_offsets[phrase + 1])
        rank = {
            rule: score_of(rule, own)
            + float(own.weights[:NUM_MODELS] @ own.estimates[own.columns[0][rule]])
            for rule in rules
        }
        expected.append(sorted(rules, key=lambda rule: -rank[rule])[:limit])  # ties: the first
    rules, score, bounds = best_rules(np.array(spans, np.int64), *own, limit)
    assert expected == [rules[begin:end].tolist() for begin, end in pairwise(bounds)]
    np.testing.assert_allclose(
        [score_of(rule, own) for one in expected for rule in one], score, rtol=1e-6, atol=1e-9
    )


@pytest.mark.parametrize("order", [2, 3])
def test_estimates_have_no_left_context(order: int) -> None:
    model = random_model(5, order)
    table, naive = NgramTable.from_model(model), DictionaryModel(model)
    rng = np.random.default_rng(2)
    phrases = [rng.integers(3, len(model.words), n).tolist() for n in (1, 2, 3, 5)]
    expected = [sum(naive.sentence(phrase, begin=())) for phrase in phrases]
    words = np.array([word for phrase in phrases for word in phrase], np.int32)
    offsets = np.cumsum([0, *map(len, phrases)])
    result = np.empty((len(phrases), 1), np.float32)
    estimate_phrases(table.arrays, words[None], offsets, result)
    np.testing.assert_allclose(expected, result[:, 0], rtol=1e-5)


@pytest.mark.parametrize("num_reordering", [0, 3])
def test_features_of_derivations_are_sums_over_their_rules(num_reordering: int) -> None:
    own = next(rules for rules in map(random_rules, range(99)) if len(rules.columns[0]) > 5)
    target, target_offsets, scores, ids, values, bounds, first = own.columns
    ids = ids + np.int32(num_reordering)  # behind the scores stand those of reordering models
    reordering = np.arange(3.0 * num_reordering).reshape(3, num_reordering)
    option_rules = np.array([4, -1, 0, 2], np.int64)  # -1: a copied word
    lengths = np.diff(target_offsets)[target[option_rules]]
    lengths[1] = 1
    options, offsets = np.array([0, 2, 0, 1, 3], np.int32), np.array([0, 2, 2, 5])
    context = np.array([[-1.5, -2.5, -3.5], [-4.0, 0.0, -6.0], [-3.0, -1.0, 0.0]])
    behind = first + scores.shape[1]
    expected = np.zeros((3, len(own.weights) + num_reordering))
    expected[:, : NUM_MODELS + 1] = context.T
    expected[:, behind : behind + num_reordering] = reordering
    for row in range(3):
        for option in options[offsets[row] : offsets[row + 1]]:
            rule = option_rules[option]
            expected[row, NUM_MODELS + 1] -= lengths[option]
            expected[row, NUM_MODELS + 2] += 1
            if rule < 0:
                expected[row, NUM_MODELS + 3] -= 100
                continue
            expected[row, first:behind] += scores[rule]
            for k in range(bounds[rule], bounds[rule + 1]):
                expected[row, ids[k]] += values[k]
    found_ids, found_values, found_offsets = derivation_features(
        options,
        offsets,
        context,
        reordering,
        option_rules,
        lengths,
        (target, target_offsets, scores, ids, values, bounds, first),
    )
    found = np.zeros_like(expected)
    rows = np.repeat(np.arange(3), np.diff(found_offsets))
    np.add.at(found, (rows, found_ids), found_values)
    np.testing.assert_allclose(expected, found, rtol=1e-6)
