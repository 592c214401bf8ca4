"""Gold alignments in the formats of their makers: Pharaoh, Talp, NAACL, XL-WA, CTFAlign and others.

Each is read to keys, as in ``Links.keys``, and written from columns of links.
"""

import json
import re
from collections.abc import Callable, Iterable, Iterator
from itertools import chain, pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...errors import DataError, OptionError, UsageError, pluralize, shown
from ...files.records import parse_json
from ...files.text_io import on_one_line, split_tokens
from ...files.writers import uncompressed_name
from .burrito import (
    BurritoFrame,
    TokenIds,
    burrito_keys,
    burrito_records,
    read_token_ids,
)
from .kernels.pharaoh import LONGEST, PAIR_SHIFT, SOURCE_SHIFT
from .pharaoh import gold_lines, gold_row, is_gold_link, outside_pair

__all__ = [
    "BURRITO",
    "GOLD_FORMATS",
    "NAACL",
    "SENTENCE_FORMATS",
    "Columns",
    "GoldKeys",
    "IdFiles",
    "check_gold_format",
    "framed",
    "gold_text",
    "own_texts",
    "read_gold_keys",
    "recognized",
]

BURRITO = "burrito"  # names words by token ids, which stand in other files
NAACL = "naacl"  # a line for each link
GOLD_FORMATS = ("pharaoh", "talp", NAACL, "xl-wa", "ctfalign", BURRITO)
SENTENCE_FORMATS = GOLD_FORMATS[3:5]  # whose lines contain both sentences
_TALP = ".talp"
_NAACL = re.compile(
    r"([0-9]{1,9}) ([0-9]{1,9}) ([0-9]{1,9})(?: ([SP]))?"
    r"(?: (?:0(?:\.[0-9]*)?|\.[0-9]+|1(?:\.0*)?))?",  # a confidence, which is passed over
    re.ASCII,
)
_LEAST, _TIMES = 1000, 100  # sentence numbers: up to 1000, and 100 for each line
_KEYS = ("text_a", "text_b", "labels")  # of a CTFAlign record
_UNITS = "units_a"  # ... whose labels are of subwords


IdFiles = tuple[str | Path, str | Path]
"""Files with the token ids of the source and the target, see :class:`TokenIds`."""


class GoldKeys(NamedTuple):
    """Keys of sure and of possible links, the sure ones among these, and the number of pairs."""

    sure: list[int]
    possible: list[int]
    num_pairs: int


class Columns(NamedTuple):
    """Links to write.

    source, target: int32[num_links]; offsets: int64[num_pairs + 1]; is_sure: bool[num_links]
    """

    source: NDArray[np.int32]
    target: NDArray[np.int32]
    offsets: NDArray[np.int64]
    is_sure: NDArray[np.bool_]


def check_gold_format(format: object) -> None:
    """Raise OptionError for what is no format of gold alignments."""
    if format not in GOLD_FORMATS:
        raise OptionError("format", f"one of {', '.join(GOLD_FORMATS)}", format)


def read_gold_keys(
    lines: Iterable[str],
    file: str | Path | None,
    format: str | None = None,
    num_pairs: int | None = None,
    ids: IdFiles | None = None,
) -> GoldKeys:
    """Read gold alignments in a format, or in the one that :func:`recognized` finds.

    num_pairs: of the text, for NAACL; None = up to the last pair that has a link
    ids: files with the token ids of both sides, for burrito

    Raises DataError for malformed lines and missing ids, and OptionError for an unknown format.
    """
    if format is None:
        format, lines = recognized(lines, file)
    check_gold_format(format)
    if format == BURRITO:
        if ids is None:
            raise DataError(
                "the alignments name words by token ids", "files with the ids of both sides",
                file=file, remedy="Pass --source-ids FILE and --target-ids FILE "
                "(ids=(source, target) in Python), or convert it with `isogloss convert`",
            )  # fmt: skip
        sides = read_token_ids(*ids)
        keys = burrito_keys(lines, file, sides)
        return GoldKeys(keys, keys, len(sides[0]))
    if format == NAACL:
        return _naacl_keys(lines, file, num_pairs)
    sure, possible, number = list[int](), list[int](), 0
    for row in _ROWS[format](lines, file):
        sure += row[0]
        possible += row[1]
        number += 1
    return GoldKeys(sure, possible, number)


def recognized(lines: Iterable[str], file: str | Path | None = None) -> tuple[str, Iterable[str]]:
    """The format that the first line that is not blank shows, and all lines.

    file: in .talp, it is that format, whose lines look like Pharaoh

    JSON that isn't of CTFAlign is burrito.
    """
    if file is not None and uncompressed_name(str(file)).lower().endswith(_TALP):
        return "talp", lines
    rest, lead, format = iter(lines), list[str](), GOLD_FORMATS[0]
    for line in rest:
        lead.append(line)
        if line.strip():
            format = _format_of(line)
            break
    return format, chain(lead, rest)


def _format_of(line: str) -> str:
    if line.lstrip().startswith("{"):
        return "ctfalign" if any(f'"{key}"' in line for key in _KEYS) else BURRITO
    tokens = line.split()
    if all(is_gold_link(token.partition(":")[0]) for token in tokens):
        return "pharaoh"
    is_even = len(tokens) > 4 or (len(tokens) == 4 and "0" in tokens[:3])
    if is_even and len(tokens) % 2 == 0 and all(map(str.isdecimal, tokens)):  # pairs of numbers
        return "pharaoh"
    is_naacl = "\t" not in line and len(tokens) > 2 and all(map(str.isdecimal, tokens[:3]))
    if is_naacl or _NAACL.fullmatch(" ".join(tokens)):
        return NAACL
    return "xl-wa" if line.count("\t") > 1 else "pharaoh"


_Rows = Iterator[tuple[list[int], list[int]]]


def _pharaoh_rows(lines: Iterable[str], file: str | Path | None) -> _Rows:
    return (gold_row(line, number, file) for number, line in enumerate(lines))


def _talp_rows(lines: Iterable[str], file: str | Path | None) -> _Rows:
    return (gold_row(line, number, file, 1) for number, line in enumerate(lines))


def _xl_wa_rows(lines: Iterable[str], file: str | Path | None) -> _Rows:
    for number, line in enumerate(lines):
        fields = line.split("\t")
        if len(fields) < 3 and line.strip():
            raise DataError(
                f"the line has {pluralize(len(fields), 'column')}",
                "source sentence, target sentence and links, separated by tabs", file=file,
                line=number + 1,
                remedy="Add the missing column, or choose another format of gold alignments",
            )  # fmt: skip
        keys = gold_row(fields[2] if len(fields) > 2 else "", number, file)
        lengths = len(split_tokens(fields[0])), len(split_tokens(fields[1] if fields[1:] else ""))
        _check_inside(keys[1], lengths, file, number + 1)
        yield keys


def _ctfalign_rows(lines: Iterable[str], file: str | Path | None) -> _Rows:
    for number, line in enumerate(lines):
        if not line.strip():
            yield [], []
            continue
        record = _ctfalign_record(line, file, number + 1)
        labels = record["labels"]
        if isinstance(labels, list):
            labels = " ".join(_label(label, file, number + 1) for label in labels)
        keys = gold_row(labels, number, file)
        lengths = len(record["text_a"].split()), len(record["text_b"].split())
        _check_inside(keys[1], lengths, file, number + 1)
        yield keys


def _ctfalign_record(line: str, file: str | Path | None, number: int) -> dict[str, Any]:
    """The object of a line. Raises DataError for another shape, and for labels of subwords."""
    try:
        record = parse_json(line)
    except DataError as error:
        raise DataError(
            error.seen, "a JSON object per line", file=file, line=number, remedy="Correct the line"
        ) from None
    if not isinstance(record, dict) or not all(
        isinstance(record.get(key), str | list if key == "labels" else str) for key in _KEYS
    ):
        raise DataError(
            f"{shown(line.strip())} is malformed",
            'an object such as {"text_a": "the cat", "text_b": "le chat", "labels": "0-0 1-1"}',
            file=file, line=number, remedy="Write one such object per line",
        )  # fmt: skip
    if _UNITS in record:
        raise DataError(
            f"the labels are positions of subwords, because the record has {_UNITS!r}",
            "labels that are positions of words", file=file, line=number,
            remedy="Run ctfalign with --units words",
        )  # fmt: skip
    return record


def own_texts(lines: Iterable[str], format: str) -> Iterator[tuple[str, str]] | None:
    """The sentences of lines that have been read without an error; None if the format has none."""
    if format == "xl-wa":
        return ((fields[0], fields[1]) for fields in (f"{line}\t".split("\t") for line in lines))
    if format == "ctfalign":
        records = (parse_json(line) if line.strip() else dict.fromkeys(_KEYS, "") for line in lines)
        return ((record[_KEYS[0]], record[_KEYS[1]]) for record in records)
    return None


def _label(label: Any, file: str | Path | None, line: int) -> str:
    """A pair of a list of labels as ``i-j``."""
    good = isinstance(label, list) and len(label) == 2
    if not good or not all(type(position) is int and position >= 0 for position in label):
        raise DataError(
            f"the label {shown(label)} is malformed", "a pair of positions such as [0, 1]",
            file=file, line=line, remedy="Labels are 0-based source-target pairs",
        )  # fmt: skip
    return f"{label[0]}-{label[1]}"


_ROWS: dict[str, Callable[[Iterable[str], str | Path | None], _Rows]] = {
    "pharaoh": _pharaoh_rows,
    "talp": _talp_rows,
    "xl-wa": _xl_wa_rows,
    "ctfalign": _ctfalign_rows,
}


def _check_inside(
    keys: list[int], lengths: tuple[int, int], file: str | Path | None, line: int
) -> None:
    """Raise DataError for a link outside of its sentence pair."""
    for key in keys:
        source, target = key >> SOURCE_SHIFT & (LONGEST - 1), key & (LONGEST - 1)
        if source >= lengths[0] or target >= lengths[1]:
            raise outside_pair((source, target), lengths, file, line)


def _naacl_keys(lines: Iterable[str], file: str | Path | None, num_pairs: int | None) -> GoldKeys:
    sure, possible, last, last_line, count = list[int](), list[int](), 0, 0, 0
    for line, text in enumerate(lines, start=1):
        if not text.strip():
            continue
        number, source, target, is_sure = _naacl_link(text, file, line)
        if num_pairs is not None and number > num_pairs:
            raise _too_many(number, f"at most {num_pairs}, the number of pairs", file, line)
        if number > last:
            last, last_line = number, line
        count += 1
        possible.append((number - 1) << PAIR_SHIFT | (source - 1) << SOURCE_SHIFT | target - 1)
        if is_sure:
            sure.append(possible[-1])
    if num_pairs is None and last > (most := _LEAST + _TIMES * count):
        raise _too_many(last, f"at most {most} for {pluralize(count, 'link')}", file, last_line)
    return GoldKeys(sure, possible, last if num_pairs is None else num_pairs)


def _naacl_link(text: str, file: str | Path | None, line: int) -> tuple[int, int, int, bool]:
    """Numbers from 1 of a sentence, a source and a target word, and whether the link is sure."""
    match = _NAACL.fullmatch(" ".join(text.split()))
    numbers = tuple(int(part) for part in match.groups()[:3]) if match else ()
    if match is None or max(numbers[1:]) > LONGEST:
        raise DataError(
            f"{shown(text.strip())} is malformed",
            "numbers of sentence, source word and target word, and S or P, such as 1 3 4 S",
            file=file, line=line, remedy="Write one link per line",
        )  # fmt: skip
    if 0 in numbers:
        remedy = "Remove links to the empty word: `awk '$2 > 0 && $3 > 0' FILE`"
        if numbers[0] == 0:  # so that words are probably counted from 0, too
            remedy = "Add 1 to all of its numbers: `awk '{ $1++; $2++; $3++; print }' FILE`"
        raise DataError(
            f"{shown(text.strip())} has the number 0", "numbers counted from 1", file=file,
            line=line, remedy=remedy,
        )  # fmt: skip
    return numbers[0], numbers[1], numbers[2], match[4] != "P"


def _too_many(number: int, expected: str, file: str | Path | None, line: int) -> DataError:
    return DataError(
        f"the sentence number is {number}", expected, file=file, line=line,
        remedy="Number the sentences of this text from 1",
    )  # fmt: skip


def gold_text(
    columns: Columns,
    format: str,
    texts: Iterable[tuple[str, str]] | None = None,
    first: int = 0,
    ids: tuple[TokenIds, TokenIds] | None = None,
    origin: str = "isogloss",
) -> Iterator[str]:
    """The lines of a file of gold alignments, without line ends; :func:`framed` makes it whole.

    texts: source and target sentence of each pair, for the formats that contain them
    first: number of the first pair, from 0, for the formats that number pairs
    ids, origin: for burrito, token ids of the whole text, and who or what made the links

    Raises DataError for possible links in a format without these, for sentences of other pairs, and
    UsageError for missing sentences or ids.
    """
    check_gold_format(format)
    source, target, offsets, is_sure = columns
    if format == "pharaoh":
        return gold_lines(source, target, offsets, is_sure)
    if format == "talp":
        return gold_lines(source + 1, target + 1, offsets, is_sure)
    if format == NAACL:
        return _naacl_lines(columns, first + 1)
    if format == BURRITO and ids is None:
        raise UsageError(
            "the format burrito names words by token ids; pass --source-ids FILE and --target-ids "
            "FILE (ids=(source, target) in Python)"
        )
    if format != BURRITO and texts is None:
        raise UsageError(f"the format {format} contains the sentences; pass the text of the links")
    if not is_sure.all():
        raise DataError(
            f"the gold alignments have {pluralize(int((~is_sure).sum()), 'possible link')}",
            f"only sure links, because the format {format} has no others",
            remedy="Drop the possible links, as `isogloss convert --sure-only` does, or choose the "
            "format pharaoh, talp or naacl",
        )
    if ids is not None and format == BURRITO:
        links = list(zip(source.tolist(), target.tolist(), strict=True))
        pairs = (links[begin:end] for begin, end in pairwise(offsets.tolist()))
        return burrito_records(pairs, ids, origin, first)
    assert texts is not None
    return _text_lines(columns, format, texts)


def framed(format: str, lines: Iterable[str]) -> Iterator[str]:
    """All lines of a file in a format, of the lines that :func:`gold_text` makes."""
    if format != BURRITO:
        return iter(lines)
    frame = BurritoFrame()
    return chain(frame.add(lines), frame.end())


def _naacl_lines(columns: Columns, first: int) -> Iterator[str]:
    source, target = (columns.source + 1).tolist(), (columns.target + 1).tolist()
    marks = np.where(columns.is_sure, "S", "P").tolist()
    for number, (begin, end) in enumerate(pairwise(columns.offsets.tolist()), start=first):
        for link in range(begin, end):
            yield f"{number:04d} {source[link]} {target[link]} {marks[link]}"


def _text_lines(columns: Columns, format: str, texts: Iterable[tuple[str, str]]) -> Iterator[str]:
    """Lines with both sentences and their links."""
    rows, num_pairs = enumerate(gold_lines(*columns)), len(columns.offsets) - 1
    for sides in texts:
        number, links = next(rows, (num_pairs, None))
        if links is None:
            raise _other_text(num_pairs, "more")
        lengths = len(split_tokens(sides[0])), len(split_tokens(sides[1]))
        _check_inside(gold_row(links, number, None)[1], lengths, None, number + 1)
        if format == "xl-wa":
            left, right = (" ".join(split_tokens(on_one_line(side))) for side in sides)
            yield f"{left}\t{right}\t{links}"
        else:
            record = zip(_KEYS, (*sides, links), strict=True)
            yield json.dumps(dict(record), ensure_ascii=False)
    if next(rows, None) is not None:
        raise _other_text(num_pairs, "fewer")


def _other_text(num_pairs: int, than: str) -> DataError:
    return DataError(
        f"the text has {than} sentence pairs than the gold alignments",
        f"{num_pairs}, one per line of gold alignments", remedy="Pass the text of the links",
    )  # fmt: skip
