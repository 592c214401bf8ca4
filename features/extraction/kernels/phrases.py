"""Phrases as numbers: keys that tell them apart, words packed so that they sort in byte order."""

import numpy as np

from isogloss.align.kernels.lazy import njit

KEY_BITS = 30  # of either half of a key; the length takes three bits more


@njit(nogil=True, cache=True)
def phrase_keys(words, bigrams, fourgrams, positions, lengths, result):
    """Write a number per phrase, equal for equal phrases of 1 to 8 words, to int64[n].

    words, bigrams, fourgrams: int32[num_tokens], number of the word, of the bigram and of the
    4-gram that begin at a token
    positions: int32[n], corpus positions of the first words; lengths: int8[n]
    """
    for k in range(len(positions)):
        at, length = positions[k], lengths[k]
        low = 0
        if length == 1:
            high = words[at]
        elif length < 4:
            high = bigrams[at]
            low = words[at + 2] if length == 3 else 0
        else:
            high = fourgrams[at]
            if length == 5:
                low = words[at + 4]
            elif length == 6:
                low = bigrams[at + 4]
            elif length > 6:
                low = fourgrams[at + length - 4]
        result[k] = (np.int64(high) << KEY_BITS | low) << 3 | (length - 1)


@njit(nogil=True, cache=True)
def packed_words(words, end, bits, positions, lengths, result):
    """Write the words of each phrase and the number ``end`` behind them to int64[columns, n].

    words: int32[num_tokens], above 0; each takes ``bits`` bits, 63 // bits of them a column.
    """
    columns, number = result.shape
    per_column = 63 // bits
    for k in range(number):
        offset = 0
        for column in range(columns):
            packed = np.int64(0)
            for _ in range(per_column):
                word = np.int64(0)
                if offset < lengths[k]:
                    word = np.int64(words[positions[k] + offset])
                elif offset == lengths[k]:
                    word = np.int64(end)
                packed = packed << bits | word
                offset += 1
            result[column, k] = packed
