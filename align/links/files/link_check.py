"""Links against the text that they belong to: malformed, out of range, repeated, and why."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ...arrays.ragged import offsets_of
from ...errors import pluralize
from ..links import LONGEST

__all__ = ["LinkCheck", "LinkProblem", "check_links"]

_LINK = re.compile(r"([0-9]{1,7})([-p?])([0-9]{1,7})(?::[-+.0-9eE]+)*")
_LARGE = re.compile(r"[0-9]+[-p?][0-9]+(?::[-+.0-9eE]+)*")  # what is a link, or too large for one
# a reading of the positions explains the errors if it leaves at most this share of them
_EXPLAINED = 0.1
_SHOWN = 200  # characters of a problem that a representation shows


@dataclass(frozen=True)
class LinkProblem:
    """An error in a file of links.

    line: 1-based; kind: "malformed", "too large", "out of range" or "repeated"; link: as it stands
    in the file; detail: what it was compared with.
    """

    line: int
    kind: str
    link: str
    detail: str

    def __str__(self) -> str:
        return f"line {self.line}: {self.link!r} is {self.kind}; {self.detail}"


@dataclass(frozen=True, repr=False)
class LinkCheck:
    """What a file of links holds and what is wrong with it.

    lines, pairs: lines of links, sentence pairs of the text; links: well-formed ones.
    linked_source, linked_target: words with a link; source_words, target_words: all words.
    possible: links of these that are written as possible, such as 3p4.
    without_links: pairs with words on both sides and no link.
    problems: the first ones by line; malformed, out_of_range, repeated: how many there are.
    hint: what would explain the problems, or nothing.
    """

    lines: int
    pairs: int
    links: int
    source_words: int
    target_words: int
    linked_source: int
    linked_target: int
    without_links: int
    first_without_links: tuple[int, ...]
    malformed: int
    out_of_range: int
    repeated: int
    problems: tuple[LinkProblem, ...]
    hint: str = ""
    possible: int = 0

    def __repr__(self) -> str:
        first = f"; first: {self.problems[0]}" if self.problems else ""
        return f"LinkCheck({self.links:,} links, {self.num_problems:,} problems{first[:_SHOWN]})"

    def shortened(self, limit: int) -> "LinkCheck":
        """The same with fewer of the first problems and pairs."""
        return replace(
            self,
            problems=self.problems[:limit],
            first_without_links=self.first_without_links[:limit],
        )

    @property
    def num_problems(self) -> int:
        """All of them, a wrong number of lines counted as one."""
        return self.malformed + self.out_of_range + self.repeated + (self.lines != self.pairs)


@dataclass(frozen=True)
class _Rows:
    """Well-formed links in the order of the file: int64[num_links] each, pairs 0-based."""

    pair: NDArray[np.int64]
    source: NDArray[np.int64]
    target: NDArray[np.int64]

    def outside(
        self, source_lengths: NDArray[np.int64], target_lengths: NDArray[np.int64], base: int = 0
    ) -> NDArray[np.bool_]:
        """bool[num_links]: positions counted from ``base`` that the pair does not have."""
        return (
            (self.source < base)
            | (self.target < base)
            | (self.source - base >= source_lengths[self.pair])
            | (self.target - base >= target_lengths[self.pair])
        )


def check_links(
    lines: Iterable[str],
    source_lengths: NDArray[np.int64],
    target_lengths: NDArray[np.int64],
    limit: int = 10,
) -> LinkCheck:
    """Hold Pharaoh links, with scores or without, against the lengths of their sentence pairs.

    source_lengths, target_lengths: int64[num_pairs], words per sentence.
    limit: problems to describe; all are counted. Lines beyond the text are counted as lines
        only.

    Whatever a file holds, this raises no error.
    """
    pairs = len(source_lengths)
    rows, num_lines, broken, possible = _parse(lines, pairs)
    outside = rows.outside(source_lengths, target_lengths)
    repeated = _repeated(rows)
    problems = [
        LinkProblem(line, "too large", link, f"expected positions below {LONGEST:,}")
        if _LARGE.fullmatch(link)
        else LinkProblem(line, "malformed", link, "expected links such as 0-0, 3-4:0.87 or 5p6")
        for line, link in broken[:limit]
    ]
    for kind, mask in (("out of range", outside), ("repeated", repeated & ~outside)):
        for row in np.flatnonzero(mask)[:limit].tolist():
            pair = int(rows.pair[row])
            detail = (
                f"the pair has {pluralize(source_lengths[pair], 'source word')} and "
                f"{pluralize(target_lengths[pair], 'target word')}"
            )
            link = f"{rows.source[row]}-{rows.target[row]}"
            problems.append(LinkProblem(pair + 1, kind, link, detail))
    full = (source_lengths > 0) & (target_lengths > 0)
    full &= np.bincount(rows.pair, minlength=pairs) == 0
    without = np.flatnonzero(full[:num_lines])
    return LinkCheck(
        lines=num_lines,
        pairs=pairs,
        links=len(rows.pair),
        source_words=int(source_lengths.sum()),
        target_words=int(target_lengths.sum()),
        linked_source=_linked(rows.pair, rows.source, source_lengths),
        linked_target=_linked(rows.pair, rows.target, target_lengths),
        without_links=len(without),
        first_without_links=tuple((without[:limit] + 1).tolist()),
        malformed=len(broken),
        out_of_range=int(outside.sum()),
        repeated=int((repeated & ~outside).sum()),
        problems=tuple(sorted(problems, key=lambda problem: problem.line)[:limit]),
        hint=_hint(rows, source_lengths, target_lengths, int(outside.sum())),
        possible=possible,
    )


def _parse(lines: Iterable[str], pairs: int) -> tuple[_Rows, int, list[tuple[int, str]], int]:
    """Links of the first ``pairs`` lines, and what else is in the lines."""
    # Returns the links, how many lines there are, (line, token) of what is no link, and how many
    # links are possible ones.
    flat: list[int] = []
    broken = []
    number = possible = 0
    for number, line in enumerate(lines, start=1):
        if number > pairs:
            continue
        for token in line.split():
            link = _LINK.fullmatch(token)
            left, right = (int(link[1]), int(link[3])) if link else (LONGEST, LONGEST)
            if left < LONGEST and right < LONGEST:
                flat += (number - 1, left, right)
                possible += link is not None and link[2] != "-"
            else:
                broken.append((number, token))
    columns = np.array(flat, np.int64).reshape(-1, 3).T
    return _Rows(*columns), number, broken, possible


def _repeated(rows: _Rows) -> NDArray[np.bool_]:
    """bool[num_links]: links that their line gave before."""
    width = [int(column.max(initial=0)) + 1 for column in (rows.source, rows.target)]
    key = (rows.pair * width[0] + rows.source) * width[1] + rows.target
    again = np.ones(len(key), bool)
    again[np.unique(key, return_index=True)[1]] = False
    return again


def _linked(
    pair: NDArray[np.int64], position: NDArray[np.int64], lengths: NDArray[np.int64]
) -> int:
    """How many words have a link."""
    inside = position < lengths[pair]
    begin = offsets_of(lengths)
    return len(np.unique(begin[pair[inside]] + position[inside]))


def _hint(
    rows: _Rows,
    source_lengths: NDArray[np.int64],
    target_lengths: NDArray[np.int64],
    errors: int,
) -> str:
    """Why links are out of range: another base, other sides, or both."""
    if not errors:
        return ""
    given, reverse = (source_lengths, target_lengths), (target_lengths, source_lengths)
    readings: Sequence[tuple[str, tuple[NDArray[np.int64], NDArray[np.int64]], int]] = (
        ("the positions look 1-based: subtract 1 from each", given, 1),
        ("the sides look swapped: pass the text files in reverse order", reverse, 0),
        ("the sides look swapped and the positions look 1-based", reverse, 1),
    )
    for hint, lengths, base in readings:
        if int(rows.outside(*lengths, base).sum()) <= _EXPLAINED * errors:
            return hint
    return ""
