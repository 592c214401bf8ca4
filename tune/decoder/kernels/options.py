"""Score the rules that a sentence can use, keep the best of each span; features of derivations."""

import numpy as np

from align.kernels.lazy import njit
from align.kernels.sorting import nth_smallest, rising_order

from .ngram import PAD, States, score_word

# the weights that every system has stand first, in this order; see `tune.decoder.model`
_LANGUAGE_MODEL, _WORD_PENALTY, _PHRASE_PENALTY = 0, 2, 3


@njit(nogil=True, cache=True)
def estimate_phrases(table, width, words, offsets, result):
    """Natural-log language model of each phrase without left context.

    table: NgramArrays; width: order - 1; words: int32, offsets: int64[n + 1]; result: float32[n].
    """
    states = States(np.empty((2, width), np.int32), np.empty((2, width), np.float32))
    for phrase in range(len(result)):
        states.contexts[0] = PAD
        states.backoffs[0] = 0.0
        total, row = 0.0, 0
        for k in range(offsets[phrase], offsets[phrase + 1]):
            total += score_word(table, states, row, words[k], states, 1 - row)
            row = 1 - row
        result[phrase] = total


@njit(nogil=True, cache=True)
def _rule_score(rule, rules, weights, length):
    """Weighted sum of everything about a rule that needs no context."""
    _, _, scores, sparse_ids, sparse_values, sparse_offsets, first_score = rules
    score = weights[_PHRASE_PENALTY] - weights[_WORD_PENALTY] * length
    for k in range(scores.shape[1]):
        score += weights[first_score + k] * scores[rule, k]
    for k in range(sparse_offsets[rule], sparse_offsets[rule + 1]):
        score += weights[sparse_ids[k]] * sparse_values[k]
    return score


@njit(nogil=True, cache=True)
def best_rules(spans, rule_offsets, rules, estimates, weights, limit):
    """The ``limit`` best rules of each span, by score and language-model estimate.

    spans: int64[num_spans], number of the source phrase at each span
    rule_offsets: int64[num_source_phrases + 1]
    rules: (target phrase int32[num_rules], target offsets int64, log scores
    float32[num_rules, num_scores], sparse ids int32, values float32, offsets int64, id of the
    first score in the weights)
    estimates: float32[num_target_phrases], natural-log language model without context
    weights: float64[num_features], language model, distortion, word, phrase, unknown word first
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
            score[k] = _rule_score(first + k, rules, weights, length)
            rank[k] = -(score[k] + weights[_LANGUAGE_MODEL] * estimates[target])
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
    context: float64[2, n], language model and distortion of each
    reordering: float64[n, num_reordering], features that stand behind the scores
    option_rules: int64[num_options], -1 for a copied unknown word; lengths: int64[num_options]
    Returns ids int32, values float32, offsets int64[n + 1].
    """
    scores, sparse_ids, sparse_values, sparse_offsets = rules[2], rules[3], rules[4], rules[5]
    num_fixed, behind = rules[6], rules[6] + scores.shape[1]
    num_dense = behind + reordering.shape[1]
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
        dense[0] = context[0, row]
        dense[1] = context[1, row]
        for column in range(reordering.shape[1]):
            dense[behind + column] = reordering[row, column]
        sparse = entry + num_dense
        for k in range(offsets[row], offsets[row + 1]):
            rule = option_rules[options[k]]
            dense[2] -= lengths[options[k]]
            dense[3] += 1.0
            if rule < 0:
                dense[4] -= 100.0
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
