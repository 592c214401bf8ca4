"""What one side of a bitext is made of, counted block by block: characters, tokens, odd lines."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import count

import numpy as np
from numpy.typing import NDArray

from isogloss.align.files.encodings import is_utf8
from isogloss.align.text.known_words.text_form import ENTITY, script_shares
from isogloss.align.text.recognition.words import CONTINUED, ESCAPES, MOJIBAKE, has_escape

__all__ = ["MOST_LINES", "ODDITIES", "Lexicon", "SideSurvey", "Tally", "TokenBlock"]

_BOM = b"\xef\xbb\xbf"
MOST_LINES = 100_000  # line numbers that a tally keeps, so that memory stays bounded
_FOR_ENCODING = 1000  # lines that are kept to tell the encoding
_BLANK, _LINE_END, _BARS = 0, 1, 2  # reserved ids of a Lexicon
_TAB, _LINE_FEED, _SPACE = 9, 10, 32

# kinds of characters that seldom stand in a text on purpose
ODDITIES = {
    "no-break spaces": "\u00a0\u2007\u202f",
    "other Unicode spaces": "\u0085\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2008\u2009"
    "\u200a\u2028\u2029\u205f\u3000",
    "zero-width spaces": "\u180e\u200b\u2060\ufeff",
    "soft hyphens or direction marks": "\u00ad\u200e\u200f\u061c\u202a\u202b\u202c\u202d\u202e"
    "\u2066\u2067\u2068\u2069",
    "carriage returns inside the line": "\r",
    "control characters": "".join(
        map(chr, (*range(9), 11, 12, *range(14, 32), *range(127, 133), *range(134, 160)))
    ),
    "replacement characters (U+FFFD)": "\ufffd",
}
_ODD_CODES = {kind: np.array([ord(mark) for mark in marks]) for kind, marks in ODDITIES.items()}

# UTF-8 taken for Windows-1252: the letters that first bytes become, then what 0x80 to 0xBF become
_LEADS = "ÂÃÎÏÐÑàáâãäåæçèéêëìíîïð"
_LEAD_CODES, _CONTINUED_CODES = (np.array([*map(ord, marks)]) for marks in (_LEADS, CONTINUED))

# by ASCII code; 127 stands for every character beyond
_MARK = np.array([chr(code) in ",;:!?" for code in range(128)])
_ENDS_WORD = np.array([chr(code).isalnum() or chr(code) in "\"')\x7f" for code in range(128)])


@dataclass
class Tally:
    """Lines that something was seen in: how many, and the numbers of the first."""

    lines: int = 0
    first: list[int] = field(default_factory=list)

    @classmethod
    def of(cls, rows: NDArray[np.int64]) -> "Tally":
        """A tally of some lines.

        rows: int64[n], their numbers from 0, rising
        """
        tally = cls()
        tally.add(rows + 1)
        return tally

    def add(self, numbers: NDArray[np.int64] | Sequence[int]) -> None:
        """Count lines.

        numbers: int64[n], those of the lines, from 1 on, rising, each given once
        """
        self.lines += len(numbers)
        self.first += [int(number) for number in numbers[: MOST_LINES - len(self.first)]]


class Lexicon:
    """Ids of the tokens of both sides, in order of first appearance, with their counts.

    counts: int64[2, capacity], occurrences by side and id.
    """

    def __init__(self) -> None:
        self._ids: defaultdict[str, int] = defaultdict(count().__next__)
        for reserved in ("", "\n", "|||"):
            self._ids[reserved]
        self.counts = np.zeros((2, 1 << 12), np.int64)

    def __len__(self) -> int:
        return len(self._ids)

    def encode(self, tokens: Sequence[str]) -> NDArray[np.int32]:
        """int32[len(tokens)]; new types get the next ids."""
        ids = np.fromiter(map(self._ids.__getitem__, tokens), np.int32, len(tokens))
        if len(self) > self.counts.shape[1]:
            grown = np.zeros((2, 2 * len(self)), np.int64)
            grown[:, : self.counts.shape[1]] = self.counts
            self.counts = grown
        return ids

    def types(self, side: int) -> NDArray[np.int64]:
        """int64[types of the side], their counts."""
        counts: NDArray[np.int64] = self.counts[side]
        return counts[counts > 0]

    def caseless_types(self, side: int) -> int:
        """How many types the side would have in lowercase."""
        counts = self.counts[side]
        return len({word.lower() for word, number in self._ids.items() if counts[number]})


@dataclass(frozen=True)
class TokenBlock:
    """Tokens of some lines: ids int32[num_tokens] of a Lexicon, lengths int32[num_lines]."""

    ids: NDArray[np.int32]
    lengths: NDArray[np.int32]


class SideSurvey:
    """Running figures of one side.

    lines, tokens, characters: counts; histogram: occurrences by code point.
    odd: a Tally by kind of :data:`ODDITIES`; escapes: by kind of :data:`ESCAPES`; the other tallies
        say by name what they count.
    beyond_ascii: some lines with letters beyond ASCII, from where some aren't UTF-8
    marked, glued: lines with punctuation, and those of them where it sticks to a word.
    """

    def __init__(self, side: int, lexicon: Lexicon, lowercase: bool = False) -> None:
        self.side, self.lexicon, self.lowercase = side, lexicon, lowercase
        self.lines = self.tokens = self.characters = 0
        self.marked = self.glued = 0
        self.byte_order_mark = False
        self.histogram: Counter[int] = Counter()
        self.beyond_ascii: list[bytes] = []
        self.odd = {kind: Tally() for kind in ODDITIES}
        self.escapes = {kind: Tally() for kind in ESCAPES}
        self.blank, self.windows_ends, self.not_utf8 = Tally(), Tally(), Tally()
        self.tabs, self.spare_blanks, self.bars, self.mojibake = Tally(), Tally(), Tally(), Tally()

    def add(self, raw: Sequence[bytes]) -> TokenBlock:
        """Count the next lines (bytes without line feeds) and split them into tokens."""
        if not raw:
            return TokenBlock(np.empty(0, np.int32), np.empty(0, np.int32))
        first = self.lines + 1
        text = self._decode(raw, first)
        block = self._split(text.lower() if self.lowercase else text, first)
        codes = np.frombuffer(text.encode("utf-32-le"), np.int32)
        ends = np.flatnonzero(codes == _LINE_FEED)
        self.lines += len(raw)
        self.tokens += len(block.ids)
        self.characters += len(codes) - len(ends)
        histogram = np.bincount(codes, minlength=256)
        present = np.flatnonzero(histogram)
        self.histogram.update(dict(zip(present.tolist(), histogram[present].tolist(), strict=True)))
        self._look_for_odd_characters(codes, ends, present, first)
        self._look_for_blanks(codes, ends, first)
        self._look_for_glued_marks(text, codes, ends)
        self._look_for_escapes(text, first)
        if np.isin(_LEAD_CODES, present).any() and np.isin(_CONTINUED_CODES, present).any():
            self._look_for_mojibake(text, codes, ends, first)
        return block

    def _decode(self, raw: Sequence[bytes], first: int) -> str:
        """Text of the lines, each with its line feed; what is not UTF-8 becomes U+FFFD."""
        if first == 1 and raw[0].startswith(_BOM):
            self.byte_order_mark = True
            raw = [raw[0].removeprefix(_BOM), *raw[1:]]
        whole = b"\n".join(raw)
        if b"\r\n" in whole or whole.endswith(b"\r"):
            self.windows_ends.add([n for n, line in enumerate(raw, first) if line.endswith(b"\r")])
            raw = [line.removesuffix(b"\r") for line in raw]
            whole = b"\n".join(raw)
        try:
            return whole.decode() + "\n"
        except UnicodeDecodeError:
            self.not_utf8.add([n for n, line in enumerate(raw, first) if not is_utf8(line)])
            if len(self.beyond_ascii) < _FOR_ENCODING:
                self.beyond_ascii += (line for line in raw if not line.isascii())
            # an odd character of its own would be counted twice
            return whole.decode(errors="ignore") + "\n"

    def _split(self, text: str, first: int) -> TokenBlock:
        blanks = text.replace("\t", " ").replace("\r", " ")
        tokens = blanks.replace("\n", " \n ").split(" ")
        ids = self.lexicon.encode(tokens)
        ids = ids[ids != _BLANK]
        ends = np.flatnonzero(ids == _LINE_END)
        lengths = np.diff(ends, prepend=-1) - 1
        bars = np.flatnonzero(ids == _BARS)
        if len(bars):
            self.bars.add(np.unique(np.searchsorted(ends, bars)) + first)
        self.blank.add(np.flatnonzero(lengths == 0) + first)
        ids = ids[ids != _LINE_END]
        np.add.at(self.lexicon.counts[self.side], ids, 1)
        return TokenBlock(ids, lengths.astype(np.int32))

    def _look_for_odd_characters(
        self,
        codes: NDArray[np.int32],
        ends: NDArray[np.int64],
        present: NDArray[np.int64],
        first: int,
    ) -> None:
        for kind, odd in _ODD_CODES.items():
            seen = odd[np.isin(odd, present)]
            if len(seen):
                self.odd[kind].add(_lines(np.isin(codes, seen), ends) + first)

    def _look_for_blanks(
        self, codes: NDArray[np.int32], ends: NDArray[np.int64], first: int
    ) -> None:
        """Tabs; blanks that are doubled, or stand at the beginning or the end of a line."""
        self.tabs.add(_lines(codes == _TAB, ends) + first)
        blank, edge = codes == _SPACE, codes == _LINE_FEED
        spare = blank.copy()
        spare[1:] &= blank[:-1] | edge[:-1]
        spare[:-1] |= blank[:-1] & edge[1:]
        self.spare_blanks.add(_lines(spare, ends) + first)

    def _look_for_glued_marks(
        self, text: str, codes: NDArray[np.int32], ends: NDArray[np.int64]
    ) -> None:
        """Lines with , ; : ! ? or a final full stop, and those where one ends a word."""
        folded = np.minimum(codes, 127)
        edge = codes == _LINE_FEED
        mark = _MARK[folded]
        mark[:-1] |= (codes[:-1] == ord(".")) & edge[1:]
        if "&" in text:
            mark[[found.end() - 1 for found in ENTITY.finditer(text)]] = False
        glued = mark.copy()
        glued[0] = False
        glued[1:] &= _ENDS_WORD[folded[:-1]]
        glued[:-1] &= edge[1:] | (codes[1:] == _SPACE)
        self.marked += len(_lines(mark, ends))
        self.glued += len(_lines(glued, ends))

    def _look_for_mojibake(
        self, text: str, codes: NDArray[np.int32], ends: NDArray[np.int64], first: int
    ) -> None:
        leads = np.flatnonzero(np.isin(codes[:-1], _LEAD_CODES))
        leads = leads[np.isin(codes[leads + 1], _CONTINUED_CODES)]
        if len(leads):
            lines = text.split("\n")
            numbers = np.unique(np.searchsorted(ends, leads)).tolist()
            self.mojibake.add([n + first for n in numbers if MOJIBAKE.search(lines[n])])

    def _look_for_escapes(self, text: str, first: int) -> None:
        kinds = [kind for kind, (mark, _) in ESCAPES.items() if mark in text]
        if kinds:
            lines = text.split("\n")
            for kind in kinds:
                found = [n for n, line in enumerate(lines, first) if has_escape(kind, line)]
                self.escapes[kind].add(found)

    def scripts(self) -> dict[str, float]:
        """Share of each script among the letters, the largest first."""
        return script_shares({chr(code): number for code, number in self.histogram.items()})

    def uppercase(self) -> float:
        """Share of uppercase letters among those that have case."""
        upper = sum(n for code, n in self.histogram.items() if chr(code).isupper())
        lower = sum(n for code, n in self.histogram.items() if chr(code).islower())
        return upper / max(upper + lower, 1)


def _lines(places: NDArray[np.bool_], ends: NDArray[np.int64]) -> NDArray[np.int64]:
    """Numbers from 0 of the lines that hold one of the marked characters."""
    # places: bool[num_characters]; ends: int64[num_lines], where the line feeds stand.
    marked = np.flatnonzero(places)
    return np.unique(np.searchsorted(ends, marked)) if len(marked) else marked
