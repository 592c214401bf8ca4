"""Edit distance in words of bits: one step per symbol and 64 symbols of the reference.

Myers (1999), in the form of Hyyrö (2003) for whole texts. A column of the distance matrix is held
as the differences between rows: bits set in ``up`` where the next row is higher by 1, in ``down``
where it is lower by 1.
"""

import numpy as np

from isogloss.align.kernels.lazy import njit

_ONE = np.uint64(1)
_ALL = ~np.uint64(0)
_LAST = np.uint64(63)


@njit(nogil=True, cache=True)
def symbol_masks(reference):
    """Bits of the places of each symbol in a reference: uint64[1 + highest symbol, blocks].

    reference: int32, symbols from 1 on. Symbol 0, which is in no reference, has no bit.
    """
    highest = 0
    for symbol in reference:
        highest = max(highest, symbol)
    masks = np.zeros((highest + 1, (len(reference) + 63) // 64), np.uint64)
    for position in range(len(reference)):
        masks[reference[position], position // 64] |= _ONE << np.uint64(position % 64)
    return masks


@njit(nogil=True, cache=True)
def edit_distance(symbols, masks, length, up, down):
    """Least number of insertions, deletions and substitutions.

    symbols: int32; masks: of a reference of ``length`` symbols; up, down: uint64[blocks], room.
    """
    distance = length
    if not length:
        return np.int64(len(symbols))
    blocks = (length + 63) // 64
    top = np.uint64((length - 1) % 64)
    up[:blocks] = _ALL
    down[:blocks] = 0
    for symbol in symbols:
        rises, falls = _ONE, np.uint64(0)  # the row above the first one rises by 1 per symbol
        for block in range(blocks):
            same = masks[symbol, block] if symbol < len(masks) else np.uint64(0)
            either = same | down[block]
            same |= falls
            across = (((same & up[block]) + up[block]) ^ up[block]) | same
            rise = down[block] | ~(across | up[block])
            fall = up[block] & across
            bit = top if block == blocks - 1 else _LAST
            next_rises, next_falls = (rise >> bit) & _ONE, (fall >> bit) & _ONE
            rise = (rise << _ONE) | rises
            fall = (fall << _ONE) | falls
            up[block] = fall | ~(either | rise)
            down[block] = rise & either
            rises, falls = next_rises, next_falls
        distance += np.int64(rises) - np.int64(falls)
    return np.int64(distance)


@njit(nogil=True, cache=True)
def measure_edits(texts, result):
    """Write edits and reference length of each hypothesis, of the reference with the fewest edits.

    texts: Symbols; result: float64[num_hypotheses, 2]. Of references with equally few edits the
    longest counts.
    """
    for sentence in range(len(texts.sentences) - 1):
        for reference in range(
            texts.reference_sentences[sentence], texts.reference_sentences[sentence + 1]
        ):
            reference_symbols = texts.reference_symbols[
                texts.reference_offsets[reference] : texts.reference_offsets[reference + 1]
            ]
            masks = symbol_masks(reference_symbols)
            up = np.empty(masks.shape[1], np.uint64)
            down = np.empty(masks.shape[1], np.uint64)
            first = reference == texts.reference_sentences[sentence]
            for row in range(texts.sentences[sentence], texts.sentences[sentence + 1]):
                symbols = texts.symbols[texts.offsets[row] : texts.offsets[row + 1]]
                edits = edit_distance(symbols, masks, len(reference_symbols), up, down)
                fewer = first or edits < result[row, 0]
                if fewer or (edits == result[row, 0] and len(reference_symbols) > result[row, 1]):
                    result[row, 0] = edits
                    result[row, 1] = len(reference_symbols)


@njit(nogil=True, cache=True)
def edit_operations(symbols, reference, costs):
    """Fewest edits, and of these the fewest substitutions, times 2^32 and added: int64.

    symbols, reference: int32; costs: int64[len(reference) + 1], room.
    """
    edit = np.int64(1) << 32
    for column in range(len(costs)):
        costs[column] = column * edit
    for row in range(len(symbols)):
        diagonal = costs[0]
        costs[0] += edit
        for column in range(len(reference)):
            above = costs[column + 1]
            if symbols[row] != reference[column]:
                diagonal += edit + 1
            costs[column + 1] = min(diagonal, min(above, costs[column]) + edit)
            diagonal = above
    return costs[len(reference)]


@njit(nogil=True, cache=True)
def measure_operations(texts, result):
    """Write insertions, deletions and substitutions of each hypothesis.

    Of alignments with equally few edits the one with the most matches counts, of references that
    which `measure_edits` takes. texts: Symbols; result: float64[num_hypotheses, 3].
    """
    for sentence in range(len(texts.sentences) - 1):
        first = texts.reference_sentences[sentence]
        last = texts.reference_sentences[sentence + 1]
        for row in range(texts.sentences[sentence], texts.sentences[sentence + 1]):
            symbols = texts.symbols[texts.offsets[row] : texts.offsets[row + 1]]
            fewest, length = np.int64(-1), np.int64(-1)
            for number in range(first, last):
                reference = texts.reference_symbols[
                    texts.reference_offsets[number] : texts.reference_offsets[number + 1]
                ]
                costs = np.empty(len(reference) + 1, np.int64)
                cost = edit_operations(symbols, reference, costs)
                edits = cost >> 32
                fewer = fewest < 0 or edits < fewest
                if fewer or (edits == fewest and len(reference) > length):
                    fewest, length = edits, np.int64(len(reference))
                    substitutions = cost - (edits << 32)
                    longer = len(symbols) - length  # insertions - deletions
                    result[row, 0] = (edits - substitutions + longer) // 2
                    result[row, 1] = (edits - substitutions - longer) // 2
                    result[row, 2] = substitutions
