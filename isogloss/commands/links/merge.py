"""isogloss merge: the outputs for the parts of a text, joined to that of the whole text."""

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO

from isogloss.align.errors import DataError, UsageError, counted, warn
from isogloss.align.files.inputs.opening import content, open_binary, open_raw
from isogloss.align.files.inputs.remote import is_url
from isogloss.align.files.inputs.shards import files_of
from isogloss.align.files.outputs import is_stream, real_path
from isogloss.align.files.tables.reading import StoredTable, table_format
from isogloss.align.files.tables.tabular import library
from isogloss.align.files.writers import atomic_file, uncompressed_name
from isogloss.align.links.formats.gold_formats import BURRITO, NAACL, recognized
from isogloss.align.links.formats.pharaoh import is_gold_link
from isogloss.align.links.formats.tables import lines_of_links

from ...console import Console
from ...options import Command, natural, option, positional
from ..line_outputs import Write, open_outputs
from ..link_formats import link_format
from ..link_tables import ROWS, is_table, table_writer
from ..shared import QuietOptions, output_option, quiet_options

__all__ = ["COMMAND", "MergeOptions", "in_order", "run"]

File = str | Path
_NUMBER = re.compile("[0-9]+")
_BY_SUFFIX = (NAACL, "talp")  # formats that a suffix promises to who reads the output
_BLOCK = 4096  # lines
_AGAIN = "Run its job again"


@dataclass(frozen=True)
class MergeOptions:
    """Options of `isogloss merge`.

    parts: outputs of `apply --part`, joined by the numbers in their names; in the given order if
        the names differ in more than numbers
    num_pairs: number of sentence pairs of the whole text, to check that no part is missing; not for
        NAACL
    output: the joined parts (default: stdout)
    """

    parts: tuple[str, ...] = positional("PART")
    num_pairs: int | None = option(default=None, parse=natural, metavar="N")
    output: str | None = output_option()
    common: QuietOptions = quiet_options()

    @property
    def output_suffixes(self) -> tuple[str, ...]:
        """The suffix of the parts, which is that of the output."""
        return (Path(uncompressed_name(self.parts[0])).suffix.lower().removeprefix("."),)

    @property
    def named_inputs(self) -> list[File]:
        """The files of all parts, those that match a pattern, too."""
        return [file for part in self.parts for file in files_of(part)]


def run(options: MergeOptions, console: Console) -> None:
    """Join parts, and count their lines."""
    for part in options.parts:
        if is_stream(part):
            raise UsageError(f"{part} is a stream, and parts are read twice; pass files")
        if Path(part).is_dir():
            raise UsageError(f"{part or '.'} is a folder; pass its files")
    given, counts = options.named_inputs, list[int]()
    as_table = is_table(options.output)
    format = None if as_table else _text_format(given, options)
    files = in_order(given)
    with console.progress("joining", len(files), "parts") as advance, ExitStack() as opened:
        if as_table:
            assert options.output is not None
            stream = opened.enter_context(atomic_file(options.output))
            parts = _joined_tables(files, stream, options.output)
        else:
            (write,) = opened.enter_context(open_outputs(options.output or "-"))
            parts = _copied(files, write, format == NAACL)
        for count in parts:
            counts.append(count)
            advance(1)
        if format != NAACL:
            _check_counts(files, counts, options.num_pairs)
    console.info(f"{counted(sum(counts), 'line')} of {counted(len(files), 'part')}")


def in_order(files: Sequence[File]) -> list[File]:
    """Files by the numbers in their names, or as they are where more than numbers differ.

    Raises DataError for a file that is given twice, for two files of one number, and for a number
    that is missing before the last one.
    """
    known = set[File]()
    for file in files:
        real = file if is_url(file) else real_path(file)
        if real in known:
            raise DataError("this part was passed twice", "each part once", file=file)
        known.add(real)
    names = [str(file) for file in files]
    if len({_NUMBER.sub("0", name) for name in names}) > 1:
        return list(files)
    by_number: dict[tuple[int, ...], File] = {}
    for file, name in zip(files, names, strict=True):
        number = tuple(map(int, _NUMBER.findall(name)))
        if number in by_number:
            raise DataError(f"{by_number[number]} has the same number", "each part once", file=file)
        by_number[number] = file
    ordered = dict(sorted(by_number.items()))
    _check_gaps(ordered)
    return list(ordered.values())


def _check_gaps(ordered: Mapping[tuple[int, ...], File]) -> None:
    """Raise DataError where the names differ in one number, and a part is missing."""
    columns = [column for column in zip(*ordered, strict=True) if len(set(column)) > 1]
    if len(columns) != 1:
        return
    expected = min(columns[0][0], 1)
    for number, file in zip(columns[0], ordered.values(), strict=True):
        if number != expected:
            raise DataError(
                f"part {expected} is missing before this one", "all parts of the text",
                file=file,
                remedy=f"Run the job of part {expected} again, or number the files from 1",
            )  # fmt: skip
        expected += 1


def _text_format(files: Sequence[File], options: MergeOptions) -> str | None:
    """The format of parts in text, None where all are blank; raises errors for mixed ones."""
    # Scored links are a format of their own here. DataError, and UsageError where the output
    # promises another format.
    first: tuple[File, str] | None = None
    for file in files:
        _check_end(file)
        format = _format_of(file)
        if format is None:
            continue
        if first is not None and format != first[1]:
            raise DataError(f"this part is {format}", f"{first[1]}, as {first[0]} is", file=file)
        first = first or (file, format)
    if first is None:
        return None
    file, format = first
    if format == BURRITO:
        raise UsageError(f"{file} is a JSON object, which cannot be joined; merge links in text")
    if format == NAACL and options.num_pairs is not None:
        raise UsageError(
            f"{file} is NAACL, with a line per link, so sentence pairs cannot be counted; omit "
            "--num-pairs"
        )
    promised = link_format(None, options.output)
    if promised in _BY_SUFFIX and promised != format:
        raise UsageError(f"{options.output} has the suffix of {promised}, but {file} is {format}")
    return format


def _check_end(file: File) -> None:
    """Raise an error for a table, and for text that was cut off."""
    with open_raw(file) as raw:
        if format := table_format(raw):
            raise UsageError(f"{file} is a table; pass -o FILE.{format}")
        if content(raw, until_damage=True) is raw and raw.seekable():
            end = raw.seek(0, 2)
            raw.seek(max(end - 1, 0))
            if raw.read(1) not in (b"\n", b""):
                raise DataError(
                    "the last line has no line feed", "a complete part", file=file, remedy=_AGAIN
                )


def _format_of(file: File) -> str | None:
    """The format of a part by its first line that isn't blank."""
    format, lines = recognized(lines_of_links(file), file)
    line = next(filter(str.strip, lines), None)
    if line is None:
        return None
    links = [token.partition(":")[0] for token in line.split()]
    if format == "pharaoh" and not all(map(is_gold_link, links)):
        return "other text"
    return f"{format} with scores" if format == "pharaoh" and ":" in line else format


def _copied(files: Sequence[File], write: Write, is_naacl: bool) -> Iterator[int]:
    """Write the lines of parts; yield how many each of them has."""
    last = (0, "")  # number and part of the last sentence, where lines have one
    for file in files:
        count = 0
        for lines in _blocks(lines_of_links(file)):
            if is_naacl:
                last = _check_sentences(lines, last, file, count)
            count += len(lines)
            write(lines)
        yield count


def _blocks(lines: Iterator[str]) -> Iterator[list[str]]:
    """Some thousand lines at a time."""
    while block := list(islice(lines, _BLOCK)):
        yield block


def _check_sentences(
    lines: Sequence[str], last: tuple[int, str], file: File, count: int
) -> tuple[int, str]:
    """Raise DataError where the sentences of NAACL aren't in order; returns the last one."""
    # count: lines of the part before these
    for line, text in enumerate(lines, start=count + 1):
        words = text.split()
        if not words:
            continue
        number = words[0]
        if len(words) < 3 or not number.isdecimal():
            raise DataError(
                f"the line is {text!r:.40}", "a link in NAACL", file=file, line=line, remedy=_AGAIN
            )
        if int(number) < last[0]:
            raise DataError(
                f"sentence {number} follows sentence {last[0]} of {last[1]}",
                "parts in the order of their sentences", file=file, line=line,
            )  # fmt: skip
        last = int(number), str(file)
    return last


def _joined_tables(files: Sequence[File], stream: BinaryIO, name: str) -> Iterator[int]:
    """Write tables with the same columns one after the other; yield how many rows each has."""
    arrow, schema = library("pyarrow", "a table"), None
    with ExitStack() as opened:
        for file in files:
            count = 0
            with open_binary(file, until_damage=True) as source:
                format = table_format(source)
                if format is None:
                    raise DataError(
                        "this is not a table", "a Parquet or Arrow file", file=file, remedy=_AGAIN
                    )
                table = StoredTable(source, file, format)
                if schema is None:
                    schema = _written_schema(table.schema)
                    writer = opened.enter_context(table_writer(stream, name, schema))
                    waiting = schema.empty_table()
                _check_columns(_written_schema(table.schema), schema, file)
                for batch in table.batches():
                    count += len(batch)
                    rows = arrow.Table.from_batches([batch]).cast(schema)
                    waiting = arrow.concat_tables([waiting, rows])
                    if len(waiting) >= ROWS:
                        writer.write_table(waiting.slice(0, ROWS).combine_chunks())
                        waiting = waiting.slice(ROWS)
            yield count
        if len(waiting):
            writer.write_table(waiting.combine_chunks())


def _written_schema(schema: Any) -> Any:
    """The columns of a table as they were written: Parquet calls what is in lists otherwise."""
    arrow = library("pyarrow", "a table")
    return arrow.schema(
        (field.name, arrow.list_(field.type.value_type))
        if arrow.types.is_list(field.type)
        else field
        for field in schema
    )


def _check_columns(schema: Any, first: Any, file: File) -> None:
    """Raise DataError for a table with other columns than the first one."""
    if not schema.equals(first):
        raise DataError(
            f"the table has the columns {_shown(schema)}",
            f"{_shown(first)}, as in the first part",
            file=file,
        )


def _shown(schema: Any) -> str:
    """Columns with their types."""
    return ", ".join(f"{field.name} ({field.type})" for field in schema)


def _check_counts(files: Sequence[File], counts: Sequence[int], num_pairs: int | None) -> None:
    """Raise DataError for parts that aren't those of so many pairs; unless given, warn."""
    # parts of a text differ by one line at most
    total, usual = sum(counts), sorted(counts)[len(counts) // 2]
    parts = zip(files, counts, strict=True)
    odd = next(((file, count) for file, count in parts if abs(count - usual) > 1), None)
    if num_pairs is None:
        if odd is not None:
            warn(
                f"{odd[0]} has {counted(odd[1], 'line')}, but other parts have {usual:,}; run its "
                "job again, or pass --num-pairs N if this is intended"
            )
    elif total != num_pairs and odd is not None:
        raise DataError(
            f"this part has {counted(odd[1], 'line')}",
            f"about {usual:,}, as other parts have, and {num_pairs:,} in all parts",
            file=odd[0],
            remedy=_AGAIN,
        )
    elif total != num_pairs:
        raise DataError(
            f"all parts have {counted(total, 'line')}",
            f"{num_pairs:,}, one for each sentence pair",
            remedy="Check that no part is missing, and that all are parts of this text",
        )


COMMAND = Command(
    MergeOptions,
    run,
    (
        "isogloss merge part.*.zst -o links.zst",
        "isogloss merge part.*.parquet --num-pairs 6000000 -o links.parquet",
    ),
    first={"input": ("num_pairs",), "output": ("output",), "running": ("quiet",)},
)
