"""Score the rules that a sentence can use, keep the best of each span; features of derivations."""

import numpy as np

from isogloss.align.kernels.lazy import njit
from isogloss.align.kernels.sorting import nth_smallest, rising_order

from .ngram import copy_state, empty_states, score_word

# The weights that every system has stand first, see `isogloss.tune.decoder.model`: those of the
# language models, then these.
_DISTORTION, _WORD_PENALTY, _PHRASE_PENALTY, _UNKNOWN_WORD_PENALTY = range(4)


@njit(nogil=True, cache=True)
def estimate_phrases(table, words, offsets, result):
    """Natural log of each phrase by each language model, without left context.

    table: NgramArrays; words: int32[num_models, num_words], offsets: int64[n + 1]; result:
    float32[n, num_models].
    """
    num_models = len(table.models)
    states, start = empty_states(table, 2), empty_states(table, 1)
    for phrase in range(len(result)):
        copy_state(start, 0, states, 0)
        row = 0
        for model in range(num_models):
            result[phrase, model] = 0.0
        for k in range(offsets[phrase], offsets[phrase + 1]):
            for model in range(num_models):
                word = words[model, k]
                result[phrase, model] += score_word(
                    table, model, states, row, word, states, 1 - row
                )
            row = 1 - row


@njit(nogil=True, cache=True)
def _rule_score(rule, rules, weights, length, first):
    """Weighted sum of everything about a rule that needs no context."""
    # first: the number of language models
    _, _, scores, sparse_ids, sparse_values, sparse_offsets, first_score = rules
    score = weights[first + _PHRASE_PENALTY] - weights[first + _WORD_PENALTY] * length
    for k in range(scores.shape[1]):
        score += weights[first_score + k] * scores[rule, k]
    for k in range(sparse_offsets[rule], sparse_offsets[rule + 1]):
        score += weights[sparse_ids[k]] * sparse_values[k]
    return score


@njit(nogil=True, cache=True)
def best_rules(spans, rule_offsets, rules, estimates, weights, limit):
    """The ``limit`` best rules of each span, by score and estimate of the language models.

    spans: int64[num_spans], number of the source phrase at each span
    rule_offsets: int64[num_source_phrases + 1]
    rules: (target phrase int32[num_rules], target offsets int64, log scores
    float32[num_rules, num_scores], sparse ids int32, values float32, offsets int64, id of the
    first score in the weights)
    estimates: float32[num_target_phrases, num_models], natural logs without context
    weights: float64[num_features], language models, distortion, word, phrase, unknown word first
    Returns rule int64[k], score float64[k], and int64[num_spans + 1] offsets by span.
    """
    most = 0
    total = 0
    for phrase in spans:
        size = rule_offsets[phrase + 1] - rule_offsets[phrase]
        most = max(most, size)
        total += min(size, limit)
    chosen = np.empty(total, np.int64)
    result = np.empty(total)
    offsets = np.zeros(len(spans) + 1, np.int64)
    score, rank = np.empty(most), np.empty(most)
    size = 0
    for span in range(len(spans)):
        first = rule_offsets[spans[span]]
        count = rule_offsets[spans[span] + 1] - first
        for k in range(count):
            target = rules[0][first + k]
            length = rules[1][target + 1] - rules[1][target]
            score[k] = _rule_score(first + k, rules, weights, length, estimates.shape[1])
            rank[k] = -score[k]
            for model in range(estimates.shape[1]):
                rank[k] -= weights[model] * estimates[target, model]
        for k in _lowest(rank[:count], limit):
            chosen[size] = first + k
            result[size] = score[k]
            size += 1
        offsets[span + 1] = size
    return chosen, result, offsets


@njit(nogil=True, cache=True)
def _lowest(rank, limit):
    """Places of the ``limit`` lowest values, rising; of equal ones the first. rank: float64[n]"""
    if len(rank) <= limit:
        return rising_order(rank)
    highest = nth_smallest(rank.copy(), limit - 1)  # which puts it in another order
    places, below, equal = np.empty(limit, np.int64), 0, 0
    for place in range(len(rank)):
        below += rank[place] < highest
    room = limit - below
    size = 0
    for place in range(len(rank)):
        if rank[place] < highest or (rank[place] == highest and equal < room):
            equal += rank[place] == highest
            places[size] = place
            size += 1
    return places[rising_order(rank[places])]


@njit(nogil=True, cache=True)
def derivation_features(options, offsets, context, reordering, option_rules, lengths, rules):
    """Feature rows of derivations: the dense features, then the sparse ones of their rules.

    options: int32, offsets: int64[n + 1]: options of each derivation
    context: float64[num_models + 1, n], language models and distortion of each
    reordering: float64[n, num_reordering], features that stand behind the scores
    option_rules: int64[num_options], -1 for a copied unknown word, -2 for a fixed translation
    lengths: int64[num_options]
    Returns ids int32, values float32, offsets int64[n + 1].
    """
    scores, sparse_ids, sparse_values, sparse_offsets = rules[2], rules[3], rules[4], rules[5]
    num_fixed, behind = rules[6], rules[6] + scores.shape[1]
    num_dense = behind + reordering.shape[1]
    first = len(context) - 1  # the number of language models
    size = (len(offsets) - 1) * num_dense
    for k in range(len(options)):
        rule = option_rules[options[k]]
        if rule >= 0:
            size += sparse_offsets[rule + 1] - sparse_offsets[rule]
    ids = np.empty(size, np.int32)
    values = np.empty(size, np.float32)
    bounds = np.zeros(len(offsets), np.int64)
    dense = np.empty(num_dense)
    entry = 0
    for row in range(len(offsets) - 1):
        dense[:] = 0.0
        for column in range(len(context)):
            dense[column] = context[column, row]
        for column in range(reordering.shape[1]):
            dense[behind + column] = reordering[row, column]
        sparse = entry + num_dense
        for k in range(offsets[row], offsets[row + 1]):
            rule = option_rules[options[k]]
            dense[first + _WORD_PENALTY] -= lengths[options[k]]
            dense[first + _PHRASE_PENALTY] += 1.0
            if rule < 0:
                dense[first + _UNKNOWN_WORD_PENALTY] -= 100.0 * (rule == -1)
                continue
            for column in range(scores.shape[1]):
                dense[num_fixed + column] += scores[rule, column]
            for rule_entry in range(sparse_offsets[rule], sparse_offsets[rule + 1]):
                ids[sparse] = sparse_ids[rule_entry]
                values[sparse] = sparse_values[rule_entry]
                sparse += 1
        for column in range(num_dense):
            ids[entry + column] = column
            values[entry + column] = dense[column]
        entry = sparse
        bounds[row + 1] = entry
    return ids, values, bounds
