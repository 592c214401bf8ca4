"""Sentences under a back-off n-gram model, word ids in and log probabilities out.

The n-grams are a tree: those that go on from an n-gram by one more word stand side by side, sorted
by that word. What is added, and in which order, is what KenLM adds in single precision.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...kernels.lazy import borrowing, njit

BEGIN, END = 1, 2  # numbers of <s> and </s>
NOT_FOUND = -1


class NgramRows(NamedTuple):
    """All n-grams of a model in one order: by length, those of equal length sorted by their words.

    numbers: int32[num_types + 1], the model's number of each word of a corpus; the last is of
        words that the corpus doesn't know
    last_word: int32[num_ngrams], the model's number of the last word; the row of a single word is
        its number
    first: int64[num_shorter + 1], where the n-grams that are a word longer begin, of all but the
        longest n-grams
    values: float32[num_ngrams, 2], log10 of probability and back-off weight
    """

    numbers: NDArray[np.int32]
    last_word: NDArray[np.int32]
    first: NDArray[np.int64]
    values: NDArray[np.float32]


@borrowing
def _extended(ngrams, row, word):
    """Row of an n-gram with one more word behind it, or NOT_FOUND."""
    low, high = ngrams.first[row], ngrams.first[row + 1]
    end = high
    while low < high:
        middle = (low + high) >> 1
        if ngrams.last_word[middle] < word:
            low = middle + 1
        else:
            high = middle
    if low < end and ngrams.last_word[low] == word:
        return low
    return NOT_FOUND


@borrowing
def _score_word(ngrams, word, context, depth, following):
    """Log10 probability of a word, and the length of the longest n-gram that ends in it."""
    # context: int64[order], rows of the n-grams that end before the word, 1 to ``depth`` words long
    # following: int64[order], written: the same of those that end in the word
    following[0] = word
    matched = 0
    while matched < depth:
        row = _extended(ngrams, context[matched], word)
        if row == NOT_FOUND:  # then no longer one is there either
            break
        matched += 1
        following[matched] = row
    log_probability = ngrams.values[following[matched], 0]
    for length in range(matched, depth):
        log_probability += ngrams.values[context[length], 1]
    return log_probability, matched + 1


@borrowing
def _score_sentence(ngrams, order, tokens, rows):
    """Log10 probability of a sentence with its end; rows: int64[2, order], written."""
    rows[0, 0] = BEGIN
    depth = min(1, order - 1)
    total = np.float32(0.0)
    for position in range(len(tokens) + 1):
        word = np.int32(END)
        if position < len(tokens):
            word = ngrams.numbers[tokens[position]]
        now = position % 2
        log_probability, length = _score_word(ngrams, word, rows[now], depth, rows[1 - now])
        total += log_probability
        depth = min(length, order - 1)
    return total


@njit(nogil=True, cache=True)
def score_sentences(ngrams, order, tokens, offsets, result):
    """Write log10 probabilities of sentences with their ends, 0 for those without tokens.

    tokens: int32[num_tokens], words of the corpus, -1 = unknown; offsets: int64[num_sentences + 1]
    result: float64[num_sentences], written
    """
    rows = np.zeros((2, order), np.int64)
    for sentence in range(len(result)):
        begin, end = offsets[sentence], offsets[sentence + 1]
        result[sentence] = 0.0
        if begin < end:
            result[sentence] = _score_sentence(ngrams, order, tokens[begin:end], rows)
