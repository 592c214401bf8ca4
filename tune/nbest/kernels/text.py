"""N-best lists as text: fields, names and numbers of their lines; hypotheses that come twice.

What reads lines allocates nothing and does without Numba's counting of references (``_nrt``): to
count those of twenty arrays at every call took three quarters of the time.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from align.kernels.lazy import njit as _njit

njit: Any = _njit  # its types lack _nrt

DONE, BAD, FULL, GROUP = 0, 1, 2, 3  # how parsing ended, see parse_lines
MOST_FIELDS = 6  # id, hypothesis, features, score, and two kinds of alignment
LARGEST = float(np.finfo(np.float32).max)

_TAB, _FEED, _RETURN, _BLANK, _PLUS, _DASH, _DOT = 9, 10, 13, 32, 43, 45, 46
_ZERO, _EQUALS, _CAPITAL_E, _UNDERSCORE, _SMALL_E, _BAR = 48, 61, 69, 95, 101, 124
_POWERS = np.array([10.0**k for k in range(23)])  # exact
_EXACT = 1 << 53  # whole numbers up to here are doubles
_MOST_DIGITS = 10**17  # a mantissa below takes another digit
_FURTHEST = 66  # powers of ten in three exact steps; singles need no more
_DOUBT = 2.0**-50  # more than what rounding of the digits and of four products can lose
_SEED, _PRIME = np.uint64(14695981039346656037), np.uint64(1099511628211)  # FNV-1a
_MIX, _STIR = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xBF58476D1CE4E5B9)
# typed, as each function is compiled once more for a number that is written out
_NONE, _ONE, _NO_NAME = np.int64(0), np.int64(1), np.int64(-1)
_MINUS_ZERO = np.uint32(1 << 31)


class Names(NamedTuple):
    """Names of features by number, in the order in which they were met; heads of groups, too.

    slots: int32[2^k], hash table of numbers + 1, 0 = free; hashes: uint64[room]
    content: uint8[bytes], bounds: int64[room + 1]: the names, UTF-8
    sizes: int32[room], values that follow the name where it is given: 1, or more for the head of
        a group such as ``TM0= -1 -2``; 0 = not given as such yet
    first: int64[room], the row in which that was seen first
    elements: int32[room], where in ``parts`` the numbers of NAME.0, NAME.1, .. of a group begin
    parts: int32[part room]
    dense: bool[room], whether the name has no underscore
    counts: int64[room], values given to the feature; whole: int64[room], the rows before this one
        all have it; last: int64[room], the last row that has it, -1 = none; the latter two of
        dense features only
    used: int64[3], names, bytes and parts that there are
    """

    slots: NDArray[np.int32]
    hashes: NDArray[np.uint64]
    content: NDArray[np.uint8]
    bounds: NDArray[np.int64]
    sizes: NDArray[np.int32]
    first: NDArray[np.int64]
    elements: NDArray[np.int32]
    parts: NDArray[np.int32]
    dense: NDArray[np.bool_]
    counts: NDArray[np.int64]
    whole: NDArray[np.int64]
    last: NDArray[np.int64]
    used: NDArray[np.int64]


class Room(NamedTuple):
    """What the lines of a block are written to.

    sentences: int64[lines]; content: uint8[bytes], text_ends: int64[lines]: the hypotheses
    ids: int32[entries], numbers of names; values: float32[entries]; row_ends: int64[lines]
    unread: int32[entries, 2], entries whose number is left to others, and where its text begins
    """

    sentences: NDArray[np.int64]
    content: NDArray[np.uint8]
    text_ends: NDArray[np.int64]
    ids: NDArray[np.int32]
    values: NDArray[np.float32]
    row_ends: NDArray[np.int64]
    unread: NDArray[np.int64]


@njit(nogil=True, cache=True, _nrt=False)
def _slot(slots, hashes, content, bounds, text, begin, end, key):
    """Where in the table a name is, or would be."""
    mask = len(slots) - 1
    slot = np.int64(key ^ (key >> np.uint64(32))) & mask
    while True:
        number = slots[slot] - 1
        if number < 0:
            return slot
        if hashes[number] == key:
            start = bounds[number]
            size = end - begin
            if bounds[number + 1] - start == size:
                same = 0
                while same < size and content[start + same] == text[begin + same]:
                    same += 1
                if same == size:
                    return slot
        slot = (slot + 1) & mask


@njit(nogil=True, cache=True, _nrt=False)
def _number(names, text, begin, end, key):
    """Number of a name, a new one where it is new; -1 where the table is full."""
    slot = _slot(names.slots, names.hashes, names.content, names.bounds, text, begin, end, key)
    number = names.slots[slot] - 1
    if number >= 0:
        return number
    number, start = names.used[0], names.used[1]
    full = number == len(names.hashes) or 2 * number >= len(names.slots)
    if full or start + end - begin > len(names.content):
        return -1
    dense = True
    for place in range(end - begin):
        byte = text[begin + place]
        names.content[start + place] = byte
        if byte == _UNDERSCORE:
            dense = False
    names.slots[slot] = number + 1
    names.hashes[number] = key
    names.bounds[number + 1] = start + end - begin
    names.dense[number] = dense
    names.last[number] = -1
    names.used[0] = number + 1
    names.used[1] = start + end - begin
    return number


@njit(nogil=True, cache=True, _nrt=False)
def _hash(text, begin, end):
    key = _SEED
    for place in range(begin, end):
        key = (key ^ np.uint64(text[place])) * _PRIME
    return key


@njit(nogil=True, cache=True, _nrt=False)
def name_number(names, text):
    """Number of the name ``text``, a new one where it is new; -1 where the table is full."""
    return _number(names, text, 0, len(text), _hash(text, 0, len(text)))


@njit(nogil=True, cache=True, _nrt=False)
def fill_slots(names):
    """Enter all names into an empty hash table."""
    for number in range(names.used[0]):
        begin, end = names.bounds[number], names.bounds[number + 1]
        slot = _slot(
            names.slots, names.hashes, names.content, names.bounds, names.content, begin, end,
            names.hashes[number],
        )  # fmt: skip
        names.slots[slot] = number + 1


@njit(nogil=True, cache=True, _nrt=False)
def _add_elements(names, head, size):
    """Number NAME.0, NAME.1, ..; False where the table is full."""
    first = names.used[2]
    if first + size > len(names.parts):
        return False
    for element in range(size):
        digits, rest = 1, element
        while rest >= 10:
            rest //= 10
            digits += 1
        begin = names.used[1]  # written where a new name comes to stand
        at, length = begin, names.bounds[head + 1] - names.bounds[head]
        if at + length + 1 + digits > len(names.content):
            return False
        for place in range(length):
            names.content[at + place] = names.content[names.bounds[head] + place]
        at += length
        names.content[at] = _DOT
        rest = element
        for place in range(at + digits, at, -1):
            names.content[place] = _ZERO + rest % 10
            rest //= 10
        at += 1 + digits
        number = _number(names, names.content, begin, at, _hash(names.content, begin, at))
        if number < 0:
            return False
        names.parts[first + element] = number
    names.elements[head] = first
    names.used[2] = first + size
    return True


@njit(nogil=True, cache=True, _nrt=False)
def _give(names, number, size, row):
    """Note that ``size`` values follow a name: DONE, FULL, or GROUP where other numbers did."""
    if names.sizes[number] == size:
        return DONE
    if names.sizes[number] != 0:
        return GROUP
    if size > 1 and not _add_elements(names, number, size):
        return FULL
    names.sizes[number] = size
    names.first[number] = row
    return DONE


@njit(nogil=True, cache=True, _nrt=False)
def give_single(names, number, row):
    """Note that one value follows a name; False where more did before."""
    return _give(names, number, _ONE, row) == DONE


@njit(nogil=True, cache=True, _nrt=False)
def count_features(names, ids, begin, end, row):
    """Count the features of a row; returns the dense one that comes twice, -1 where none does."""
    for entry in range(begin, end):
        number = ids[entry]
        if names.dense[number]:
            if names.last[number] == row:
                return number
            names.last[number] = row
            if names.whole[number] == row:
                names.whole[number] = row + 1
        names.counts[number] += 1
    return -1


@njit(nogil=True, cache=True, _nrt=False)
def count_rows(names, ids, offsets, row):
    """Count the features of rows, the first of which is number ``row``; none comes twice."""
    for k in range(len(offsets) - 1):
        count_features(names, ids, offsets[k], offsets[k + 1], row + k)


@njit(nogil=True, cache=True, _nrt=False)
def _ends_token(text, at):
    return at == len(text) or text[at] == _BLANK or text[at] == _FEED or text[at] == _TAB


@njit(nogil=True, cache=True, _nrt=False)
def _read_number(text, at):
    """A decimal number as the nearest single of its nearest double, and the place behind it.

    Whole digits up to 2^53 times or over a power of ten up to 22 are one correctly rounded
    operation. Others are a few roundings off, which is enough where all doubles that near give the
    same single. Otherwise, and where there is no number, the place is -1.
    """
    negative = at < len(text) and text[at] == _DASH
    if negative or (at < len(text) and text[at] == _PLUS):
        at += 1
    mantissa, shift, digits, dropped, point = 0, 0, 0, False, False
    while at < len(text):
        byte = text[at]
        if _ZERO <= byte < _ZERO + 10:
            digits += 1
            if mantissa < _MOST_DIGITS:
                mantissa = 10 * mantissa + (byte - _ZERO)
                shift -= point
            else:
                dropped = True
                shift += not point
        elif byte == _DOT and not point:
            point = True
        else:
            break
        at += 1
    if digits == 0:
        return np.float32(0.0), -1
    if at < len(text) and (text[at] == _SMALL_E or text[at] == _CAPITAL_E):
        at += 1
        below = at < len(text) and text[at] == _DASH
        if below or (at < len(text) and text[at] == _PLUS):
            at += 1
        begin, exponent = at, 0
        while at < len(text) and _ZERO <= text[at] < _ZERO + 10 and at - begin < 6:
            exponent = 10 * exponent + (text[at] - _ZERO)
            at += 1
        if at == begin:
            return np.float32(0.0), -1
        shift += -exponent if below else exponent
    if not _ends_token(text, at):
        return np.float32(0.0), -1
    value = np.float64(mantissa)
    if mantissa != 0:
        if abs(shift) > _FURTHEST:
            return np.float32(0.0), -1
        exact = mantissa < _EXACT and not dropped and abs(shift) <= 22
        while shift > 0:
            step = min(shift, 22)
            value *= _POWERS[step]
            shift -= step
        while shift < 0:
            step = min(-shift, 22)
            value /= _POWERS[step]
            shift += step
        if value > LARGEST:
            return np.float32(0.0), -1
        if not exact:
            low, high = np.float32(value * (1.0 - _DOUBT)), np.float32(value * (1.0 + _DOUBT))
            if low != high:
                return np.float32(0.0), -1
    return np.float32(-value if negative else value), at


@njit(nogil=True, cache=True, _nrt=False)
def _is_separator(text, at):
    """Whether ``|||`` stands here, between blanks or at an end of the line."""
    if at + 3 > len(text) or text[at] != _BAR or text[at + 1] != _BAR or text[at + 2] != _BAR:
        return False
    if at > 0 and text[at - 1] != _BLANK and text[at - 1] != _FEED:
        return False
    return at + 3 == len(text) or text[at + 3] == _BLANK or text[at + 3] == _FEED


@njit(nogil=True, cache=True, _nrt=False)
def _is_space(byte):
    return byte in (_BLANK, _TAB, _RETURN)


@njit(nogil=True, cache=True, _nrt=False)
def _read_sentence(text, at, most):
    """The id and the place of the separator behind it; -1 where there is none below ``most``."""
    while at < len(text) and _is_space(text[at]):
        at += 1
    begin, sentence = at, 0
    while at < len(text) and _ZERO <= text[at] < _ZERO + 10 and at - begin < 18:
        sentence = 10 * sentence + (text[at] - _ZERO)
        at += 1
    if at == begin or sentence >= most:
        return sentence, -1
    while at < len(text) and _is_space(text[at]):
        at += 1
    return sentence, at if _is_separator(text, at) else -1


@njit(nogil=True, cache=True, _nrt=False)
def _read_hypothesis(text, at, content, size):
    """Copy the hypothesis up to the next separator, without blanks around it.

    Returns the place of the separator, -1 where there is none, and the new size of the content.
    """
    while at < len(text) and _is_space(text[at]):
        at += 1
    begin = at
    while at < len(text) and text[at] != _FEED:
        if text[at] == _BAR and _is_separator(text, at):
            break
        at += 1
    else:
        return -1, size
    end = at
    while end > begin and _is_space(text[end - 1]):
        end -= 1
    for place in range(begin, end):
        content[size] = text[place]
        size += 1
    return at, size


@njit(nogil=True, cache=True, _nrt=False)
def _new_group(names, head, size, row):
    """Note that a name is given with ``size`` values, which is new.

    Returns status, and what GROUP is about, see :func:`parse_lines`.
    """
    if size == 0:
        return BAD, head, 0
    status = _give(names, head, size, row)
    if status == DONE and size > 1:
        first = names.elements[head]
        for number in names.parts[first : first + size]:
            if _give(names, np.int64(number), _ONE, row) != DONE:
                return GROUP, np.int64(number), 1
    return status, head, size


@njit(nogil=True, cache=True, _nrt=False)
def _name_values(sizes, elements, parts, head, begin, end, ids):
    """Number the values of a name, entries ``begin`` to ``end``; False where that takes more.

    A single value has the name itself, of several each has its own.
    """
    if head < 0:
        return True
    size = end - begin
    if size == 0 or sizes[head] != size:  # a name that never had a value has the size 0, too
        return False
    ids[begin] = head
    if size > 1:
        first = elements[head]
        for place in range(size):
            ids[begin + place] = parts[first + place]
    return True


@njit(nogil=True, cache=True, _nrt=False)
def _read_features(text, at, row, names, room, entry, unread):
    """Read ``LM0= -1.2 TM0= a b c`` or ``LM0=-1.2`` up to the next separator or the line's end.

    Returns status, place, entries, unread entries, and the name that GROUP is about with its number
    of values. In the loop single arrays are handed on: named tuples cost more than all the rest.
    """
    ids, values = room.ids, room.values
    slots, hashes, content, bounds = names.slots, names.hashes, names.content, names.bounds
    sizes, elements, parts = names.sizes, names.elements, names.parts
    head, first = _NO_NAME, entry
    while True:
        while at < len(text) and (text[at] == _BLANK or text[at] == _TAB):
            at += 1
        begin, equals, key, name_key = at, -1, _SEED, _SEED
        ended = at == len(text) or text[at] == _FEED or _is_separator(text, at)
        if not ended:
            if head >= 0 and text[at] < _ZERO + 10:  # a number, as a rule
                value, end = _read_number(text, at)
                if end >= 0:
                    values[entry] = value
                    entry += 1
                    at = end
                    continue
            while not _ends_token(text, at):
                if text[at] == _EQUALS:
                    equals, name_key = at, key
                key = (key ^ np.uint64(text[at])) * _PRIME
                at += 1
            if equals <= begin:  # a number
                if head < 0:
                    return BAD, at, entry, unread, head, 0
                values[entry] = np.float32(0.0)
                room.unread[unread, 0], room.unread[unread, 1] = entry, begin
                entry += 1
                unread += 1
                continue
        if not _name_values(sizes, elements, parts, head, first, entry, ids):
            status, name, given = _new_group(names, head, entry - first, row)
            if status != DONE:
                return status, at, entry, unread, name, given
            _name_values(sizes, elements, parts, head, first, entry, ids)
        if ended:
            return DONE, at, entry, unread, head, 0
        number = slots[_slot(slots, hashes, content, bounds, text, begin, equals, name_key)] - 1
        if number < 0:
            number = _number(names, text, begin, equals, name_key)
            if number < 0:
                return FULL, at, entry, unread, head, 0
        head, first = number, entry
        if equals < at - 1:  # NAME=value
            value, end = _read_number(text, equals + 1)
            values[entry] = value
            if end < 0:
                room.unread[unread, 0], room.unread[unread, 1] = entry, equals + 1
                unread += 1
            entry += 1
            if not _name_values(sizes, elements, parts, head, first, entry, ids):
                status, name, given = _new_group(names, head, _ONE, row)
                if status != DONE:
                    return status, at, entry, unread, name, given
                ids[first] = head
            head = _NO_NAME


@njit(nogil=True, cache=True, _nrt=False)
def parse_lines(text, at, row, most, names, room):
    """Read lines ``id ||| hypothesis ||| features [||| more]`` of a block.

    text: uint8, whole lines; at: where to begin; row: number of the first hypothesis
    most: ids are below this
    Returns status, place, rows and entries written, unread entries, and two numbers: the name that
    GROUP is about and the number of values it has here. Other than DONE, the place is where a line
    begins that is wrong (BAD, or GROUP: a name with another number of values than before), or that
    should be read again when there is room for more names (FULL).
    """
    rows, entry, size, unread = _NONE, _NONE, _NONE, _NONE
    while True:
        begin = at
        sentence, at = _read_sentence(text, at, most)
        if at < 0:
            return BAD, begin, rows, entry, unread, -1, 0
        at, new_size = _read_hypothesis(text, at + 3, room.content, size)
        if at < 0:
            return BAD, begin, rows, entry, unread, -1, 0
        status, at, new_entry, new_unread, name, given = _read_features(
            text, at + 3, row + rows, names, room, entry, unread
        )
        if status != DONE:
            return status, begin, rows, entry, unread, name, given
        fields = 3
        while at < len(text) and text[at] != _FEED:
            if text[at] == _BAR and _is_separator(text, at):
                fields += 1
            at += 1
        if fields > MOST_FIELDS:
            return BAD, begin, rows, entry, unread, -1, 0
        if count_features(names, room.ids, entry, new_entry, row + rows) >= 0:
            return BAD, begin, rows, entry, unread, -1, 0
        entry, size, unread = new_entry, new_size, new_unread
        room.sentences[rows] = sentence
        room.text_ends[rows] = size
        room.row_ends[rows] = entry
        rows += 1
        if at == len(text):
            return DONE, at, rows, entry, unread, -1, 0
        at += 1


@njit(nogil=True, cache=True)
def _bits(bits, entry):
    """Bits of a value, of minus zero those of zero."""
    return np.uint32(0) if bits[entry] == _MINUS_ZERO else bits[entry]


@njit(nogil=True, cache=True)
def hash_rows(content, text_offsets, ids, bits, offsets, result):
    """A hash of text and features of each hypothesis, whatever the order of the features.

    content: uint8, text_offsets: int64[n + 1]; ids: int32, bits: uint32, those of the values,
    offsets: int64[n + 1]; result: uint64[n], written
    """
    for row in range(len(result)):
        key = _hash(content, text_offsets[row], text_offsets[row + 1])
        for entry in range(offsets[row], offsets[row + 1]):
            one = np.uint64(ids[entry]) << np.uint64(32) | np.uint64(_bits(bits, entry))
            one *= _MIX
            one = (one ^ (one >> np.uint64(31))) * _STIR
            key += one ^ (one >> np.uint64(29))
        result[row] = key


@njit(nogil=True, cache=True)
def _sorted_entries(ids, bits, begin, end):
    result = np.empty(end - begin, np.uint64)
    for entry in range(begin, end):
        number = np.uint64(ids[entry]) << np.uint64(32)
        result[entry - begin] = number | np.uint64(_bits(bits, entry))
    result.sort()
    return result


@njit(nogil=True, cache=True)
def _same(content, text_offsets, ids, bits, offsets, one, other):
    """Whether two hypotheses have the same text and the same features in any order."""
    begin, end, shift = offsets[one], offsets[one + 1], offsets[other] - offsets[one]
    if offsets[other + 1] - offsets[other] != end - begin:
        return False
    size = text_offsets[one + 1] - text_offsets[one]
    if text_offsets[other + 1] - text_offsets[other] != size:
        return False
    for place in range(size):
        if content[text_offsets[one] + place] != content[text_offsets[other] + place]:
            return False
    for entry in range(begin, end):
        twin = entry + shift
        if ids[entry] != ids[twin] or _bits(bits, entry) != _bits(bits, twin):
            mine = _sorted_entries(ids, bits, begin, end)
            yours = _sorted_entries(ids, bits, begin + shift, end + shift)
            return np.all(mine == yours)
    return True


@njit(nogil=True, cache=True)
def first_of_equals(rows, sentences, hashes, content, text_offsets, ids, bits, offsets, keep):
    """Tell which hypotheses are the first of their sentence with their text and features.

    rows: int64[m], hypotheses, those of a sentence side by side; sentences: int64[n]
    hashes: uint64[n], of :func:`hash_rows`; content, text_offsets, ids, bits, offsets: as there
    keep: bool[m], written
    """
    longest, run = 1, 0
    for k in range(len(rows)):
        run = run + 1 if k > 0 and sentences[rows[k]] == sentences[rows[k - 1]] else 1
        longest = max(longest, run)
    mask = 1
    while mask < 2 * longest:
        mask *= 2
    slots, owner = np.zeros(mask, np.int64), np.full(mask, -1, np.int64)
    mask -= 1
    begin = 0
    for k in range(len(rows)):
        row = rows[k]
        if k > 0 and sentences[row] != sentences[rows[k - 1]]:
            begin = k  # slots of other owners are free
        slot = np.int64(hashes[row] ^ (hashes[row] >> np.uint64(32))) & mask
        keep[k] = True
        while owner[slot] == begin:
            other = slots[slot]
            if hashes[other] == hashes[row] and _same(
                content, text_offsets, ids, bits, offsets, other, row
            ):
                keep[k] = False
                break
            slot = (slot + 1) & mask
        if keep[k]:
            owner[slot] = begin
            slots[slot] = row
