"""Bitexts in every format, opened: two line-aligned files, or one file of pairs, or shards."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from itertools import chain, zip_longest
from pathlib import Path
from typing import Any

from ...errors import DataError, OptionError, UsageError, pluralize
from ...files.inputs.opening import open_binary, raise_damage
from ...files.inputs.samples import is_regular
from ...files.inputs.shards import files_of, paired_files
from ...files.tables.reading import TABLES, table_format
from ...files.text_io import FIELD_SEPARATOR, ArrivingLines, decode_lines, iter_lines, stream_lines
from ..markup.sgm import Segments, in_step, sentence_lines
from ..recognition.recognition import check_pairs, check_text, looked_at
from .detection import BITEXT_FORMATS, LEAD, detect_format, first_lines, xml_format
from .languages import Languages
from .lines import READERS
from .pair import Asked, Forgive, Pair, PairStream
from .verses import VERSES, joined_verses

__all__ = ["check_line_counts", "iter_pairs", "open_pairs"]

_RANGES = "verse-ranges"  # what the format of verses reads
_ROW = "row"  # what the pairs of tables are counted as
_LOOKED_AT = 8  # files of a bitext in many


@contextmanager
def open_pairs(
    source: str | Path,
    target: str | Path | None = None,
    *,
    format: str | None = None,
    asked: Asked | None = None,
    arriving: bool = False,
    forgive: Forgive | None = None,
    look: bool = True,
) -> Iterator[PairStream]:
    """Open two line-aligned files, or one file of pairs in any of :data:`BITEXT_FORMATS`.

    Either may be several files, see :func:`files_of`; those of two sides belong together in order.

    The format of one file is recognized by its content (Parquet and Arrow by their first bytes,
    TMX, XLIFF and WMT's XML by their first element, JSONL by a ``{``, pairs by `` ||| ``, TSV by a
    tab in the first line that is not blank) unless ``format`` names it. ``asked``: what is read of
    a file that has more. ``arriving``: take lines of one file as soon as they are there.
    ``forgive``: told of each line that can't be read, which is an empty pair then; not of XML and
    tables. ``look``: see what the files are before they are read.

    Warns (DataWarning) of lines that are read as words but mean something else, such as numbers.
    Raises UsageError for a ``format`` that is unknown or given with two files; DataError where the
    format can't be told, and while the pairs are read: for different line counts, and with file and
    line for each line that is not of the format.
    """
    if format is not None and format not in (*BITEXT_FORMATS, VERSES):
        raise OptionError("format", f"one of {', '.join((*BITEXT_FORMATS, VERSES))}", format)
    if target is None and format == VERSES:
        raise UsageError(f"the format {VERSES} is one of two files; pass both translations")
    if target is not None:
        if format not in (None, VERSES):
            raise UsageError("a bitext in two files has no other format; omit `format=...`")
        both = paired_files(source, target)
        for sides in both[: _LOOKED_AT if look else 0]:
            check_text(*sides, known=(_RANGES,) if format == VERSES else ())
        read = (_two_files(*sides) for sides in both)
        pairs = _in_order(map(joined_verses, read) if format else read)
        if look and not all(map(is_regular, both[0])):
            pairs = looked_at(pairs, source)
        yield PairStream("line", pairs, both)
        return
    asked = asked or Asked()
    files = files_of(source)
    open_one = partial(_one_file, format=format, asked=asked, arriving=arriving, forgive=forgive)
    with open_one(files[0], look=look) as first:
        open_other = partial(_all_of, partial(open_one, look=False), first.counted == _ROW)
        parts = chain([first.pairs], map(open_other, files[1:]))
        labeled = asked.labeled(_in_order(parts), source)
        whole = [(file, None) for file in files]
        yield PairStream(first.counted, labeled, whole, first.arriving if len(files) == 1 else None)


def _in_order(files: Iterable[Iterator[Pair]]) -> Iterator[Pair]:
    """The pairs of files, one after the other."""
    for number, pairs in enumerate(files):
        if number == 0:
            yield from pairs
        else:
            for pair in pairs:
                yield pair._replace(file=number)


def _all_of(open_one: Callable[..., Any], is_table: bool, file: str | Path) -> Iterator[Pair]:
    """The pairs of a file that is a table if the first one is. Raises DataError for another."""
    with open_one(file) as stream:
        if (stream.counted == _ROW) != is_table:
            seen, first = ("is no table", "is") if is_table else ("is a table", "is none")
            raise DataError(
                f"the file {seen}, but the first one {first}", "files of one kind", file=file,
                remedy="Write the file again, or remove it",
            )  # fmt: skip
        yield from stream.pairs


@contextmanager
def _one_file(
    path: str | Path,
    format: str | None,
    asked: Asked,
    arriving: bool,
    forgive: Forgive | None,
    look: bool = True,
) -> Iterator[PairStream]:
    """Open one file that holds both sides. look: tell of what they are, if they aren't text"""
    files = [(path, None)]
    seen = partial(looked_at, path=path) if look else iter
    with open_binary(path, until_damage=True) as stream:
        format = format or table_format(stream)
        if format in TABLES:
            from .tables import read_rows  # pyarrow, which nothing else needs

            yield PairStream(_ROW, seen(read_rows(stream, path, format, asked)), files)
            return
        lead = first_lines(stream)
        raise_damage(stream, path, len(lead))
        if format is None:
            format = _detected(lead, path)
            if format == "tmx":
                lead.append(stream.read(LEAD))
                format = xml_format(b"".join(lead))
        if format in ("xliff", "wmt"):
            from .wmt import read_documents  # lxml, which nothing else needs
            from .xliff import read_segments

            read_xml = read_segments if format == "xliff" else read_documents
            segments = read_xml(stream, path, asked.languages, b"".join(lead))
            found = (Pair(left, right, None, number) for number, left, right in segments)
            yield PairStream("segment", seen(found), files)
            return
        if format == "tmx":
            from .tmx import read_units  # lxml, which nothing else needs

            units = read_units(stream, path, asked.languages, b"".join(lead), asked.key)
            found = (Pair(left, right, None, number, name) for number, left, right, name in units)
            yield PairStream("unit", seen(found), files)
            return
        if look:
            check_pairs(path, format)
        arrived = ArrivingLines(stream, path, lead) if arriving else None
        raw = arrived or stream_lines(stream, path, lead)
        read = partial(READERS[format], path=path, asked=asked)
        if forgive is None:
            pairs = read(decode_lines(raw, path))
        else:
            pairs = _forgiven(raw, path, read, forgive)
        if format == "jsonl" or not is_regular(path):
            pairs = seen(pairs)
        yield PairStream("line", pairs, files, arrived)


def _detected(lead: list[bytes], path: str | Path) -> str:
    """The format of a file of pairs. Raises DataError that says what else the file is."""
    try:
        return detect_format(lead, path)
    except DataError:
        if FIELD_SEPARATOR.encode() not in lead[-1]:
            check_text(path)
        raise


def _forgiven(
    raw: Iterable[bytes],
    path: str | Path,
    read: Callable[[Iterator[str]], Iterator[Pair]],
    forgive: Forgive,
) -> Iterator[Pair]:
    """The pair of each line, an empty one where it can't be read."""
    for number, line in enumerate(raw, start=1):
        pair = Pair("", "", None, number)
        try:
            for found in read(decode_lines([line], path, number)):
                pair = found._replace(number=number)
        except DataError as error:
            forgive(number, error)
        yield pair


def iter_pairs(
    source: str | Path,
    target: str | Path | None = None,
    *,
    format: str | None = None,
    languages: Languages | None = None,
    columns: tuple[str, str] | None = None,
) -> Iterator[Pair]:
    """Pairs of a bitext one at a time, in memory that does not grow with the file.

    Arguments are those of :func:`isogloss.align.read_bitext`, errors those of :func:`open_pairs`.
    """
    asked = Asked(languages, columns=columns)
    with open_pairs(source, target, format=format, asked=asked) as stream:
        yield from stream.pairs


def check_line_counts(
    source: str | Path, num_source: int, target: str | Path, num_target: int
) -> None:
    """Raise DataError where two line-aligned files differ in length."""
    if num_source != num_target:
        raise DataError(
            f"the file has {pluralize(num_target)}, but {source} has {num_source}",
            "two files with one line per sentence pair",
            file=target,
            line=min(num_source, num_target) + 1,
            remedy="Look for a missing or duplicated line break in one of them",
        )


def _two_files(source: str | Path, target: str | Path) -> Iterator[Pair]:
    left_side, right_side = (sentence_lines(iter_lines(path), path) for path in (source, target))
    if isinstance(left_side, Segments) and isinstance(right_side, Segments):
        right_side = in_step(left_side, right_side)
    sides = iter(left_side), iter(right_side)
    for number, (left, right) in enumerate(zip_longest(*sides), start=1):
        if left is None:
            check_line_counts(source, number - 1, target, number + sum(1 for _ in sides[1]))
        elif right is None:
            check_line_counts(source, number + sum(1 for _ in sides[0]), target, number - 1)
        yield Pair(left, right, None, number)
