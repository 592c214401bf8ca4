"""Back-off n-gram language model as a hash table, and the scoring of one word after a context.

Every n-gram longer than one word lives in one open-addressing table under a 64-bit hash of its
words, newest word first, so that one walk from the unigram towards older words finds the longest
n-gram that matches (the reversed look-up and the minimised state of Heafield 2011).

What scores a word only looks at arrays and allocates none (see `align.kernels.lazy`).
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from align.kernels.hash_tables import key_slot
from align.kernels.lazy import borrowing, inlined, njit

__all__ = [
    "BEGIN",
    "END",
    "NO_EXTENSION",
    "PAD",
    "UNKNOWN",
    "NgramArrays",
    "States",
    "bound_word",
    "copy_state",
    "insert_ngrams",
    "mark_extensions",
    "ngram_keys",
    "raise_bounds",
    "score_sentence",
    "score_word",
    "start_context",
]

UNKNOWN, BEGIN, END = 0, 1, 2  # word ids of <unk>, <s> and </s>
PAD = -1  # fills a context after its last word

# Backoff of an n-gram that no context can need: nothing extends it and its own backoff is 0.
NO_EXTENSION = np.float32(np.inf)

_SEED = np.uint64(0x8F14E45FCEEA167A)
_FIRST = np.uint64(0x9E3779B97F4A7C15)
_SECOND = np.uint64(0xD6E8FEB86659FD93)
_SHIFT = np.uint64(32)
_ONE = np.uint64(1)


class NgramArrays(NamedTuple):
    """The language model as the kernels take it.

    unigrams: float32[num_words, 2], natural-log probability and backoff by word id.
    keys: uint64[capacity], hash of the longer n-gram in each slot, 0 = empty; the capacity is a
        power of two.
    values: float32[capacity, 2], natural-log probability and backoff.
    unigram_bound: float32[num_words], no context gives the word more (natural log).
    bound: float32[capacity], no words before those of the n-gram give its last word more.
    rise: natural log of what backoffs above 1 can add.
    """

    unigrams: NDArray[np.float32]
    keys: NDArray[np.uint64]
    values: NDArray[np.float32]
    unigram_bound: NDArray[np.float32]
    bound: NDArray[np.float32]
    rise: float


class States(NamedTuple):
    """Language-model states, one per row: what the words so far mean for those to come.

    contexts: int32[num, order - 1], word ids, newest first, PAD behind the last.
    backoffs: float32[num, order - 1], natural-log backoff of the newest 1, 2, ... words.
    """

    contexts: NDArray[np.int32]
    backoffs: NDArray[np.float32]


@borrowing
def _longer(key, word):
    """Hash of an n-gram with one older word put in front."""
    key = (key ^ (np.uint64(word) + _ONE)) * _FIRST
    key = (key ^ (key >> _SHIFT)) * _SECOND
    return key ^ (key >> _SHIFT)


@njit(nogil=True, cache=True)
def ngram_keys(ngrams):
    """Hashes of n-grams, of their newest n - 1 words and of their oldest n - 1 words.

    ngrams: int32[num, n], word ids, oldest first, n >= 2.
    Returns uint64[num, 3]: n-gram, suffix, context.
    """
    num, order = ngrams.shape
    keys = np.empty((num, 3), np.uint64)
    for row in range(num):
        key = suffix = context = _SEED
        for back in range(1, order + 1):
            suffix = key
            key = _longer(key, ngrams[row, order - back])
            if back > 1:
                context = _longer(context, ngrams[row, order - back])
        keys[row, 0], keys[row, 1], keys[row, 2] = key, suffix, context
    return keys


@njit(nogil=True, cache=True)
def insert_ngrams(table_keys, table_values, keys, values):
    """Put n-grams into the table (changed in place); returns how many were there already.

    table_keys, table_values: as in `NgramArrays`, at most half full afterwards.
    keys: uint64[num], from `ngram_keys`.
    values: float32[num, 2], natural-log probability and backoff.
    """
    repeated = 0
    for row in range(len(keys)):
        slot = key_slot(table_keys, keys[row], keys[row])
        repeated += table_keys[slot] == keys[row]
        table_keys[slot] = keys[row]
        table_values[slot, 0] = values[row, 0]
        table_values[slot, 1] = values[row, 1]
    return repeated


@njit(nogil=True, cache=True)
def mark_extensions(table, ngrams, contexts):
    """Turn NO_EXTENSION of every context that ``ngrams`` extend into 0, in place.

    table: NgramArrays with NO_EXTENSION where the backoff is 0.
    ngrams: int32[num, n], word ids, oldest first, n >= 2.
    contexts: uint64[num], hashes of the oldest n - 1 words, from `ngram_keys`.
    """
    num, order = ngrams.shape
    for row in range(num):
        if order == 2:
            if table.unigrams[ngrams[row, 0], 1] == NO_EXTENSION:
                table.unigrams[ngrams[row, 0], 1] = 0.0
        else:
            slot = key_slot(table.keys, contexts[row], contexts[row])
            if table.values[slot, 1] == NO_EXTENSION:
                table.values[slot, 1] = 0.0


@njit(nogil=True, cache=True)
def raise_bounds(table, ngrams, log_probability):
    """Raise the bounds of n-grams and all their suffixes to their probabilities, in place.

    table: NgramArrays.
    ngrams: int32[num, n], word ids, oldest first, n >= 2.
    log_probability: float32[num], natural log.
    """
    num, order = ngrams.shape
    for row in range(num):
        value, word = log_probability[row], ngrams[row, order - 1]
        table.unigram_bound[word] = max(table.unigram_bound[word], value)
        key = _longer(_SEED, word)
        for back in range(2, order + 1):
            key = _longer(key, ngrams[row, order - back])
            slot = key_slot(table.keys, key, key)
            table.bound[slot] = max(table.bound[slot], value)


@inlined
def copy_state(states, row, copies, copy_row):
    """Copy one state (element by element: slices of this size cost Numba more).

    states, copies: States; row: the state; copy_row: where to write it.
    """
    contexts, backoffs = states
    new_contexts, new_backoffs = copies
    for k in range(contexts.shape[1]):
        new_contexts[copy_row, k] = contexts[row, k]
        new_backoffs[copy_row, k] = backoffs[row, k]


@borrowing
def start_context(table, states, row):
    """Write the state before a sentence's first word, whose context is <s>.

    table: NgramArrays; states: States, of which ``row`` is written.
    """
    contexts, backoffs = states
    width = contexts.shape[1]
    for k in range(width):
        contexts[row, k] = PAD
        backoffs[row, k] = 0.0
    if width > 0 and table.unigrams[BEGIN, 1] != NO_EXTENSION:
        contexts[row, 0] = BEGIN
        backoffs[row, 0] = table.unigrams[BEGIN, 1]


@inlined
def score_word(table, states, row, word, new_states, new_row):
    """Natural-log probability of ``word`` in a state; writes the state that follows.

    The new context holds only words that can still matter: the longest suffix which is an
    n-gram that has a backoff or is extended by another (Heafield 2011), so two histories with
    equal contexts score all that may follow alike.

    table: NgramArrays; states: States; row: the state before the word; word: word id.
    new_states: States, of which ``new_row`` is written, another one than the one that is read.
    """
    unigrams, keys, values = table.unigrams, table.keys, table.values
    contexts, backoffs = states
    new_contexts, new_backoffs = new_states
    width = contexts.shape[1]
    log_probability = np.float64(unigrams[word, 0])
    backoff = unigrams[word, 1]
    older = word
    kept = matched = 0
    key = _longer(_SEED, word)
    while matched < width:
        new_contexts[new_row, matched] = older
        new_backoffs[new_row, matched] = 0.0
        if backoff != NO_EXTENSION:
            new_backoffs[new_row, matched] = backoff
            kept = matched + 1
        older = contexts[row, matched]
        if older == PAD:
            break
        key = _longer(key, older)
        slot = key_slot(keys, key, key)
        if keys[slot] == 0:
            break
        log_probability = np.float64(values[slot, 0])
        backoff = values[slot, 1]
        matched += 1
    for k in range(matched, width):  # backoffs behind the end of the context are 0
        log_probability += backoffs[row, k]
    for k in range(kept, width):
        new_contexts[new_row, k] = PAD
        new_backoffs[new_row, k] = 0.0
    return log_probability


@borrowing
def bound_word(table, states, row, word):
    """Upper bound of a word's natural-log probability if more words precede the known context.

    table: NgramArrays; states: States; row: the known context; word: word id.
    """
    contexts, backoffs = states
    width = contexts.shape[1]
    log_probability = np.float64(table.unigrams[word, 0])
    bound = np.float64(table.unigram_bound[word])
    key = _longer(_SEED, word)
    for matched in range(width):
        if contexts[row, matched] == PAD:
            break
        key = _longer(key, contexts[row, matched])
        slot = key_slot(table.keys, key, key)
        if table.keys[slot] == 0:  # then no older word can help
            for k in range(matched, width):
                log_probability += backoffs[row, k]
            return log_probability + table.rise
        log_probability = np.float64(table.values[slot, 0])
        bound = np.float64(table.bound[slot])
    return bound + table.rise


@njit(nogil=True, cache=True)
def score_sentence(table, width, words):
    """Natural-log probability of each word of a sentence and of its end.

    table: NgramArrays.
    width: order - 1.
    words: int32[num], word ids.
    Returns float64[num + 1].
    """
    states = States(np.empty((2, width), np.int32), np.empty((2, width), np.float32))
    scores = np.empty(len(words) + 1)
    start_context(table, states, 0)
    for position in range(len(words) + 1):
        word = words[position] if position < len(words) else np.int32(END)
        row = position % 2
        scores[position] = score_word(table, states, row, word, states, 1 - row)
    return scores
