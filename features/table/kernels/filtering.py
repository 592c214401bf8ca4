"""Lines of a table whose source phrase is wanted."""

from isogloss.align.kernels.hash_tables import text_hash, text_slot
from isogloss.align.kernels.lazy import borrowing

_FEED, _BLANK, _BAR = 10, 32, 124


@borrowing
def enter_texts(texts):
    """Enter all texts of a TextTable into its slots, zeros so far, and write their hashes."""
    for number in range(len(texts.begins)):
        begin, end = texts.begins[number], texts.ends[number]
        value = text_hash(texts.content, begin, end)
        texts.hashes[number] = value
        texts.slots[text_slot(texts, texts.content, begin, end, value)] = number + 1


@borrowing
def _bar_at(text, place):
    """Whether `` ||| `` stands there."""
    return (
        place + 4 < len(text)
        and text[place] == text[place + 4] == _BLANK
        and text[place + 1] == text[place + 2] == text[place + 3] == _BAR
    )


@borrowing
def _field(text, place, number):
    """Where a field begins and ends, -1 where no bar follows it in its line, and what is odd."""
    # Odd is a blank at its beginning, or two in a row.
    begin = place
    odd = place < len(text) and text[place] == _BLANK
    while place < len(text) and text[place] != _FEED:
        if _bar_at(text, place):
            if number == 0:
                return begin, place, odd
            number -= 1
            place += 5
            begin = place
            odd = place < len(text) and text[place] == _BLANK
            continue
        odd |= text[place] == _BLANK and place > begin and text[place - 1] == _BLANK
        place += 1
    return begin, -1, True


@borrowing
def choose_lines(text, field, wanted, lines):
    """Write which lines have a wanted source phrase, or one that takes a closer look.

    text: uint8[bytes], lines, UTF-8, without the feed of the last one
    field: number of the field of source phrases; wanted: TextTable of them
    lines: int64[num_lines, 4], number from 0 on, where the line begins and ends, 1 for a closer
        look; written. Returns how many were written.
    """
    chosen = number = begin = 0
    while begin <= len(text):
        first, last, odd = _field(text, begin, field)
        end = max(first, last)
        while end < len(text) and text[end] != _FEED:
            end += 1
        is_wanted = odd
        if not odd:
            slot = text_slot(wanted, text, first, last, text_hash(text, first, last))
            is_wanted = wanted.slots[slot] != 0
        if is_wanted:
            lines[chosen, 0] = number
            lines[chosen, 1] = begin
            lines[chosen, 2] = end
            lines[chosen, 3] = odd
            chosen += 1
        number += 1
        begin = end + 1
    return chosen
