"""Back-off n-gram language models as a hash table, and the scoring of one word after a context.

Every n-gram longer than one word lives in one open-addressing table under a 64-bit hash of its
words, newest word first, so that one walk from the unigram towards older words finds the longest
n-gram that matches (the reversed look-up and the minimized state of Heafield 2011). The hash is
that of KenLM's probing tables, whose n-grams can so be taken over without their words. Tables of
several models stand one behind the other, and a state holds a row for each of them.

What scores a word only looks at arrays and allocates none (see `isogloss.align.kernels.lazy`).
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from isogloss.align.kernels.hash_tables import key_slot
from isogloss.align.kernels.lazy import borrowing, inlined, njit

__all__ = [
    "BEGIN",
    "CROWDED",
    "END",
    "NO_EXTENSION",
    "PAD",
    "NgramArrays",
    "States",
    "bound_word",
    "copy_state",
    "empty_states",
    "insert_ngrams",
    "longest_run",
    "mark_extensions",
    "ngram_keys",
    "raise_bounds",
    "score_sentence",
    "score_word",
    "start_context",
]

# columns of `NgramArrays.models`
FIRST_WORD, FIRST_SLOT, MASK, BEGIN, END = range(5)
PAD = -1  # fills a context after its last word

# Backoff of an n-gram that no context can need: nothing extends it and its own backoff is 0.
NO_EXTENSION = np.float32(np.inf)

_OF_NEWER = np.uint64(8978948897894561157)  # KenLM's factors
_OF_WORD = np.uint64(17894857484156487943)
_SHIFT = np.uint64(32)
CROWDED = np.uint64(4096)  # full slots in a row; chance makes some hundred at most, half full
_ONE = np.uint64(1)


class NgramArrays(NamedTuple):
    """Language models as the kernels take them, one behind the other.

    unigrams: float32[num_words, 2], natural-log probability and backoff by word id.
    keys: uint64[capacity], hash of the longer n-gram in each slot, 0 = empty.
    values: float32[capacity, 2], natural-log probability and backoff.
    unigram_bound: float32[num_words], no context gives the word more (natural log).
    bound: float32[capacity], no words before those of the n-gram give its last word more.
    models: int64[num_models, 5], of each model FIRST_WORD, its first row of unigrams; FIRST_SLOT;
        MASK, the number of its slots, a power of two, less 1; BEGIN and END, its ids of <s> and
        </s>; that of an unknown word is 0.
    rise: float64[num_models], natural log of what backoffs above 1 can add.
    width: words of a context, the highest order less 1.
    """

    unigrams: NDArray[np.float32]
    keys: NDArray[np.uint64]
    values: NDArray[np.float32]
    unigram_bound: NDArray[np.float32]
    bound: NDArray[np.float32]
    models: NDArray[np.int64]
    rise: NDArray[np.float64]
    width: int


class States(NamedTuple):
    """Language-model states, one per row: what the words so far mean for those to come.

    contexts: int32[num, num_models * width], for each model word ids, newest first, PAD behind the
        last.
    backoffs: float32[num, num_models * width], natural-log backoff of the newest 1, 2, ... words.
    """

    contexts: NDArray[np.int32]
    backoffs: NDArray[np.float32]


@borrowing
def _longer(key, word):
    """Hash of an n-gram with one older word put in front; that of a word alone is its id."""
    return (key * _OF_NEWER) ^ ((np.uint64(word) + _ONE) * _OF_WORD)


@borrowing
def _mixed(key):
    """A hash whose low bits depend on all of the words."""
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
        key = suffix = np.uint64(ngrams[row, order - 1])
        context = np.uint64(ngrams[row, order - 2])
        for back in range(2, order + 1):
            suffix = key
            key = _longer(key, ngrams[row, order - back])
            if back > 2:
                context = _longer(context, ngrams[row, order - back])
        keys[row, 0], keys[row, 1], keys[row, 2] = key, suffix, context
    return keys


@njit(nogil=True, cache=True)
def insert_ngrams(table, keys, values, bounds):
    """Put n-grams into the table (changed in place); returns how many were there already.

    table: NgramArrays of one model, at most half full afterwards.
    keys: uint64[num], from `ngram_keys`.
    values: float32[num, 2], natural-log probability and backoff; bounds: float32[num].
    Returns -1 where a slot is so far from its place that no hashes of words can be the reason.
    """
    repeated, mask = 0, np.uint64(len(table.keys) - 1)
    for row in range(len(keys)):
        slot = key_slot(table.keys, keys[row], _mixed(keys[row]))
        if ((slot - _mixed(keys[row])) & mask) > CROWDED:
            return -1
        repeated += table.keys[slot] == keys[row]
        table.keys[slot] = keys[row]
        table.values[slot, 0] = values[row, 0]
        table.values[slot, 1] = values[row, 1]
        table.bound[slot] = bounds[row]
    return repeated


@njit(nogil=True, cache=True)
def longest_run(keys):
    """Most full slots one behind the other: what a look-up may have to pass. keys: uint64[2^k]"""
    longest = run = 0
    for key in keys:
        run = run + 1 if key != 0 else 0
        longest = max(longest, run)
    return longest


@njit(nogil=True, cache=True)
def mark_extensions(table, ngrams, contexts):
    """Turn NO_EXTENSION of every context that ``ngrams`` extend into 0, in place.

    table: NgramArrays of one model, with NO_EXTENSION where the backoff is 0.
    ngrams: int32[num, n], word ids, oldest first, n >= 2.
    contexts: uint64[num], hashes of the oldest n - 1 words, from `ngram_keys`.
    """
    num, order = ngrams.shape
    for row in range(num):
        if order == 2:
            if table.unigrams[ngrams[row, 0], 1] == NO_EXTENSION:
                table.unigrams[ngrams[row, 0], 1] = 0.0
        else:
            slot = key_slot(table.keys, contexts[row], _mixed(contexts[row]))
            if table.values[slot, 1] == NO_EXTENSION:
                table.values[slot, 1] = 0.0


@njit(nogil=True, cache=True)
def raise_bounds(table, ngrams, log_probability):
    """Raise the bounds of n-grams and all their suffixes to their probabilities, in place.

    table: NgramArrays of one model.
    ngrams: int32[num, n], word ids, oldest first, n >= 2.
    log_probability: float32[num], natural log.
    """
    num, order = ngrams.shape
    for row in range(num):
        value, word = log_probability[row], ngrams[row, order - 1]
        table.unigram_bound[word] = max(table.unigram_bound[word], value)
        key = np.uint64(word)
        for back in range(2, order + 1):
            key = _longer(key, ngrams[row, order - back])
            slot = key_slot(table.keys, key, _mixed(key))
            table.bound[slot] = max(table.bound[slot], value)


@njit(nogil=True, cache=True)
def empty_states(table, num):
    """States of ``num`` rows in which no word is known. table: NgramArrays"""
    shape = num, len(table.models) * table.width
    return States(np.full(shape, PAD, np.int32), np.zeros(shape, np.float32))


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
    for k in range(contexts.shape[1]):
        contexts[row, k] = PAD
        backoffs[row, k] = 0.0
    if table.width > 0:
        for model in range(len(table.models)):
            begin = table.models[model, BEGIN]
            backoff = table.unigrams[table.models[model, FIRST_WORD] + begin, 1]
            if backoff != NO_EXTENSION:
                contexts[row, model * table.width] = begin
                backoffs[row, model * table.width] = backoff


@inlined
def _slot(table, model, key):
    """Slot of an n-gram in the part of the table that is its model's, or a free one there."""
    keys, first = table.keys, np.uint64(table.models[model, FIRST_SLOT])
    mask = np.uint64(table.models[model, MASK])
    place = _mixed(key) & mask
    while keys[first + place] != key and keys[first + place] != 0:
        place = (place + _ONE) & mask
    return first + place


@inlined
def score_word(table, model, states, row, word, new_states, new_row):
    """Natural-log probability of ``word`` in a model's state; writes the state that follows.

    The new context holds only words that can still matter: the longest suffix which is an
    n-gram that has a backoff or is extended by another (Heafield 2011), so two histories with
    equal contexts score all that may follow alike.

    table: NgramArrays; model: its number; states: States; row: the state before the word
    word: word id in the model
    new_states: States, of which ``new_row`` is written, another one than the one that is read.
    """
    unigrams, keys, values = table.unigrams, table.keys, table.values
    contexts, backoffs = states
    new_contexts, new_backoffs = new_states
    width, unigram = table.width, table.models[model, FIRST_WORD] + word
    first = model * width
    log_probability = np.float64(unigrams[unigram, 0])
    backoff = unigrams[unigram, 1]
    older = word
    kept = matched = 0
    key = np.uint64(word)
    while matched < width:
        new_contexts[new_row, first + matched] = older
        new_backoffs[new_row, first + matched] = 0.0
        if backoff != NO_EXTENSION:
            new_backoffs[new_row, first + matched] = backoff
            kept = matched + 1
        older = contexts[row, first + matched]
        if older == PAD:
            break
        key = _longer(key, older)
        slot = _slot(table, model, key)
        if keys[slot] == 0:
            break
        log_probability = np.float64(values[slot, 0])
        backoff = values[slot, 1]
        matched += 1
    for k in range(matched, width):  # backoffs behind the end of the context are 0
        log_probability += backoffs[row, first + k]
    for k in range(kept, width):
        new_contexts[new_row, first + k] = PAD
        new_backoffs[new_row, first + k] = 0.0
    return log_probability


@borrowing
def bound_word(table, model, states, row, word):
    """Upper bound of a word's natural-log probability if more words precede the known context.

    table: NgramArrays; model: its number; states: States; row: the known context; word: word id.
    """
    contexts, backoffs = states
    width, unigram = table.width, table.models[model, FIRST_WORD] + word
    first = model * width
    log_probability = np.float64(table.unigrams[unigram, 0])
    bound = np.float64(table.unigram_bound[unigram])
    key = np.uint64(word)
    for matched in range(width):
        if contexts[row, first + matched] == PAD:
            break
        key = _longer(key, contexts[row, first + matched])
        slot = _slot(table, model, key)
        if table.keys[slot] == 0:  # then no older word can help
            for k in range(matched, width):
                log_probability += backoffs[row, first + k]
            return log_probability + table.rise[model]
        log_probability = np.float64(table.values[slot, 0])
        bound = np.float64(table.bound[slot])
    return bound + table.rise[model]


@njit(nogil=True, cache=True)
def score_sentence(table, words):
    """Natural-log probability of each word of a sentence and of its end.

    table: NgramArrays of one model.
    words: int32[num], word ids.
    Returns float64[num + 1].
    """
    states = empty_states(table, 2)
    scores = np.empty(len(words) + 1)
    start_context(table, states, 0)
    for position in range(len(words) + 1):
        word = words[position] if position < len(words) else np.int32(table.models[0, END])
        row = position % 2
        scores[position] = score_word(table, 0, states, row, word, states, 1 - row)
    return scores
