"""A sample of the pairs of word types that meet, drawn by their hash."""

from ...kernels.lazy import njit


@njit(nogil=True, cache=True)
def sample_cells(source, source_offsets, target, target_offsets, first, mask, found):
    """Hashes of cells, ``source[j] ^ target[i]``, whose bits under ``mask`` are 0.

    source, target: uint64[num_tokens], a hash of each token's type; offsets: int64[num_pairs + 1]
    found: uint64[capacity], filled from the sentence pair ``first`` on
    Returns (next pair, number found): a pair whose hashes have no room is left for another call.
    """
    size = 0
    for pair in range(first, len(source_offsets) - 1):
        begin = size
        for j in range(source_offsets[pair], source_offsets[pair + 1]):
            own = source[j]
            for i in range(target_offsets[pair], target_offsets[pair + 1]):
                value = own ^ target[i]
                if value & mask == 0:
                    if size == len(found):
                        return pair, begin
                    found[size] = value
                    size += 1
    return len(source_offsets) - 1, size
