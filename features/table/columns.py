"""Lines of a table as columns: fields, numbers, links, sparse features; and rows as text.

Lines are taken by the thousand: split once, numbers converted together, and gone through one by one
only where something is wrong, to say which line it is.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from isogloss.align.arrays.sparse_rows import Ragged
from isogloss.align.errors import pluralize
from isogloss.align.files.numerals import LARGEST_SINGLE, parse_number
from isogloss.align.files.text_io import split_fields, split_tokens

from ..space import is_sparse

__all__ = [
    "BAR",
    "RuleFault",
    "as_written",
    "check_phrases",
    "count_rows",
    "entry_texts",
    "format_numbers",
    "line_columns",
    "link_rows",
    "number_rows",
    "sparse_rows",
    "split_lines",
    "to_columns",
    "with_blank",
]

BAR = " ||| "

_POWERS = 22  # of ten that a float64 holds exactly
_WIDEST = 256  # positions of a link in a rule: id = source * 256 + target

_LINKS = re.compile(r"(?:\d{1,7}-\d{1,7}(?: (?!$)|$))*", re.ASCII)


class RuleFault(Exception):
    """A rule that can't be read; the caller, who knows file and lines, raises DataError for it.

    row: of the lines that were given; seen, expected, remedy: as in DataError
    """

    def __init__(self, row: int, seen: str, expected: str, remedy: str = "") -> None:
        super().__init__(seen)
        self.row, self.seen, self.expected, self.remedy = row, seen, expected, remedy


def line_columns(
    lines: Sequence[str], least: int, most: int, line_format: str, verbatim: int = 99
) -> list[Sequence[str]]:
    """Fields of lines as columns, ``most`` of them, one blank between words.

    Fields that a line lacks at its end are empty. ``verbatim`` is the first field whose blanks are
    kept.

    Raises RuleFault for a line with fewer than ``least`` fields, or more that are not empty.
    """
    flat = _flat_fields(lines)
    if flat is not None:
        size = flat.index("\n")
        ends = flat[size :: size + 1]
        if least <= size <= most and len(ends) == len(lines) == ends.count("\n"):
            empty = [""] * len(lines)
            return [flat[k :: size + 1] if k < size else empty for k in range(most)]
    return list(to_columns(split_lines(lines, verbatim), least, most, line_format))


def _flat_fields(lines: Sequence[str]) -> list[str] | None:
    """The fields of all lines, a line feed as a field behind each line's; split at once."""
    # Empty fields at the end of a line may be left out. None where blanks are not single, or bars
    # stand at words.
    text = "\n".join(["", *lines, ""])
    if "  " in text or "\t" in text or "\n " in text or " \n" in text:
        return None
    text = text.replace(" ||| |||\n", "\n").replace(" |||\n", "\n")
    while "||| |||" in text:  # an empty field: both of its bars get blanks of their own
        text = text.replace("||| |||", "|||  |||")
    flat = text[1:].replace("\n", f"{BAR}\n{BAR}").split(BAR)[:-1]
    return flat if text.count("|||") == len(flat) - 2 * len(lines) else None


def split_lines(lines: Sequence[str], verbatim: int = 99) -> list[list[str]]:
    """Fields of each line, one blank between words; a last empty field may be missing.

    ``verbatim`` is the first field whose blanks are kept.
    """
    flat = _flat_fields(lines)
    if flat is not None:
        ends = [-1, *(position for position, field in enumerate(flat) if field == "\n")]
        return [flat[begin + 1 : end] for begin, end in pairwise(ends)]
    return [
        [
            field if number >= verbatim else " ".join(split_tokens(field))
            for number, field in enumerate(split_fields(line.replace("\t", " ")))
        ]
        for line in lines
    ]


def to_columns(
    fields: list[list[str]], least: int, most: int, line_format: str
) -> list[tuple[str, ...]]:
    """One column per field, as :func:`line_columns` gives them.

    Raises RuleFault as :func:`line_columns` does.
    """
    for row, line in enumerate(fields):
        while len(line) > most and not line[-1]:
            line.pop()
        if not least <= len(line) <= most:
            raise RuleFault(
                row,
                f"the line {BAR.join(line)[:120]!r} has {pluralize(len(line), 'field')}",
                line_format,
                "If a phrase contains |||, write &#124; for each bar" if len(line) > most else "",
            )
    return list(zip(*(line + [""] * (most - len(line)) for line in fields), strict=True))


def check_phrases(sides: Sequence[Sequence[str]], line_format: str) -> None:
    """Raise RuleFault where a side holds an empty phrase."""
    for side in sides:
        if "" in side:
            raise RuleFault(side.index(""), "a phrase is empty", line_format)


def _numbers(text: str) -> list[float]:
    """Numbers of a field. Raises ValueError with the one that is wrong."""
    values = []
    for token in text.split(" ") if text else []:
        try:
            values.append(parse_number(token))
        except ValueError:
            raise ValueError(token) from None
    return values


def _even_numbers(texts: Sequence[str]) -> NDArray[np.float64] | None:
    """The numbers of texts that all hold the same number of finite ones: float64[n, k]."""
    width = texts[0].count(" ") + 1
    joined = " \n ".join(texts)
    if not joined.isascii() or "_" in joined:
        return None
    tokens = joined.split(" ")
    ends = tokens[width :: width + 1]
    if len(tokens) != (width + 1) * len(texts) - 1 or ends.count("\n") != len(ends):
        return None
    del tokens[width :: width + 1]
    try:
        values = np.fromiter(map(float, tokens), np.float64, len(tokens))
    except ValueError:
        return None
    return values.reshape(len(texts), width) if np.isfinite(values).all() else None


def number_rows(texts: Sequence[str], line_format: str) -> NDArray[np.float64]:
    """The numbers of each text: float64[n, k], the same k for all.

    Raises RuleFault for a text without numbers or with more or fewer than the first, and for what
    is not a finite number.
    """
    values = _even_numbers(texts)
    if values is not None:
        return values
    width = texts[0].count(" ") + 1
    for row, text in enumerate(texts):
        try:
            number = len(_numbers(text))
        except ValueError as error:
            raise RuleFault(
                row,
                f"the scores {text[:120]!r} contain {str(error)!r}",
                f"finite numbers: {line_format}",
                "If a phrase contains |||, write &#124; for each bar",
            ) from None
        if not text or number != width:
            raise RuleFault(
                row,
                f"the line has {pluralize(number, 'score')}",
                f"{width}, as in previous lines" if row else f"scores: {line_format}",
            )
    raise AssertionError("a fault that no row has")


def _distinct(texts: Sequence[str]) -> tuple[list[str], NDArray[np.int64]]:
    """The distinct texts, and the number of each text among them: int64[n]."""
    distinct = list(dict.fromkeys(texts))
    number = {text: k for k, text in enumerate(distinct)}
    return distinct, np.fromiter(map(number.__getitem__, texts), np.int64, len(texts))


def _by_text(
    texts: Sequence[str],
    read: Callable[[str], Iterable[tuple[int, float]]],
    seen: str,
    expected: str,
) -> Ragged:
    """Rows that ``read`` makes of texts, of equal ones once."""
    # Raises RuleFault where ``read`` raises ValueError.
    distinct, numbers = _distinct(texts)
    rows = []
    for number, text in enumerate(distinct):
        try:
            rows.append(read(text))
        except ValueError as error:
            raise RuleFault(
                int(np.argmax(numbers == number)),
                f"invalid {seen}: {str(error) or repr(text[:120])}",
                expected,
            ) from None
    if len(distinct) == len(texts):
        return Ragged.from_rows(rows)
    return Ragged.from_rows(rows).select(numbers)


def _links_of(text: str) -> list[tuple[int, float]]:
    if not _LINKS.fullmatch(text):
        raise ValueError
    places = list(map(int, text.replace("-", " ").split()))
    if max(places, default=0) >= _WIDEST:
        raise ValueError
    pairs = zip(places[::2], places[1::2], strict=True)
    return [(left * _WIDEST + right, 1.0) for left, right in pairs]


def link_rows(texts: Sequence[str]) -> Ragged:
    """Links of fields ``i-j ...``. Raises RuleFault for anything else."""
    return _by_text(
        texts,
        _links_of,
        "links",
        f"i-j ..., positions in source and target, between 0 and {_WIDEST - 1}",
    )


def sparse_rows(
    texts: Sequence[str], entries: Callable[[str], Iterable[tuple[str, str]]], expected: str
) -> tuple[Ragged, tuple[str, ...]]:
    """Sparse features of fields, and their names; ``entries`` gives name and value.

    Raises RuleFault for what is not a finite number in single precision, and for a name without an
    underscore.
    """
    numbers: dict[str, int] = {}

    def read(text: str) -> list[tuple[int, float]]:
        row = []
        for name, value in entries(text) if text else ():
            if not is_sparse(name):
                raise ValueError(f"{name!r} has no underscore")
            number = _numbers(value)[0]
            if abs(number) > LARGEST_SINGLE:
                raise ValueError(f"{value} of {name!r} is too large for single precision")
            row.append((numbers.setdefault(name, len(numbers)), number))
        return row

    return _by_text(texts, read, "sparse feature", expected), tuple(numbers)


def count_rows(texts: Sequence[str]) -> NDArray[np.float64]:
    """Up to three counts per field: float64[n, 3], 0 where there are fewer.

    Raises RuleFault for what is not a finite number, or below 0.
    """
    even = _even_numbers(texts)
    if even is not None and even.shape[1] == 3 and (even >= 0.0).all():
        return even
    distinct, numbers = _distinct(texts)
    table = np.zeros((len(distinct), 3))
    for number, text in enumerate(distinct):
        try:
            values = _numbers(text)[:3]
            if min(values, default=0.0) < 0.0:
                raise ValueError(text)
        except ValueError:
            raise RuleFault(
                int(np.argmax(numbers == number)),
                f"the counts are {text[:120]!r}",
                "finite numbers, 0 or more",
            ) from None
        table[number, : len(values)] = values
    return np.asarray(table[numbers])


def format_numbers(values: NDArray[np.float64]) -> list[str]:
    """Numbers with six significant digits each, as Moses prints them.

    values: float64[n]
    """
    return list(map("{:.6g}".format, values.tolist()))


def as_written(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """What a table's file holds of numbers: those nearest to their six digits, float64[n].

    values: float64[n], finite
    """
    sizes = np.log10(np.abs(values), where=values != 0.0, out=np.zeros(len(values)))
    digits = np.clip(5.0 - np.floor(sizes), 0.0, _POWERS)  # behind the point
    kept = np.rint(values * 10.0**digits) / 10.0**digits == values
    kept &= np.abs(values) < 1e6
    distinct, numbers = np.unique(values[~kept], return_inverse=True)
    result = values.copy()
    result[~kept] = np.array(list(map(float, format_numbers(distinct))), np.float64)[numbers]
    return result


def with_blank(texts: Sequence[str]) -> list[str]:
    """A blank before each text that is not empty, so that empty fields take one blank only."""
    return [f" {text}" if text else "" for text in texts]


def entry_texts(rows: Ragged, show: Callable[[int, float], str]) -> list[str]:
    """The entries of each row as text, a blank between them."""
    if not len(rows.ids):
        return [""] * len(rows)
    shown = list(map(show, rows.ids.tolist(), rows.values.tolist()))
    bounds = rows.offsets.tolist()
    return [" ".join(shown[begin:end]) for begin, end in pairwise(bounds)]
