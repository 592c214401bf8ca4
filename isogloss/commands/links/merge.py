"""isogloss merge: the outputs for the parts of a text, joined to that of the whole text."""

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from isogloss.align.errors import DataError, UsageError, counted, warn
from isogloss.align.files.inputs.opening import open_binary
from isogloss.align.files.inputs.shards import files_of
from isogloss.align.files.outputs import is_stream
from isogloss.align.files.tables.reading import StoredTable, table_format
from isogloss.align.files.tables.tabular import library
from isogloss.align.files.writers import atomic_file, uncompressed_name
from isogloss.align.links.formats.gold_formats import BURRITO, NAACL, recognized
from isogloss.align.links.formats.tables import lines_of_links

from ...console import Console
from ...options import Command, option, positional, positive
from ..line_outputs import Write, open_outputs
from ..link_tables import ROWS, is_table, table_writer
from ..shared import QuietOptions, output_option, quiet_options

__all__ = ["COMMAND", "MergeOptions", "in_order", "run"]

File = str | Path
_NUMBER = re.compile("[0-9]+")


@dataclass(frozen=True)
class MergeOptions:
    """Options of `isogloss merge`.

    parts: outputs of `apply --part`, joined by the numbers in their names; in the given order if
        the names differ in more than numbers
    num_pairs: number of sentence pairs of the whole text, to check that no part is missing
    output: the joined parts (default: stdout)
    """

    parts: tuple[str, ...] = positional("PART")
    num_pairs: int | None = option(default=None, parse=positive, metavar="N")
    output: str | None = output_option()
    common: QuietOptions = quiet_options()

    @property
    def output_suffixes(self) -> tuple[str, ...]:
        """The suffix of the parts, which is that of the output."""
        return (Path(uncompressed_name(self.parts[0])).suffix.lower().removeprefix("."),)


def run(options: MergeOptions, console: Console) -> None:
    """Join parts, and count their lines."""
    for part in filter(is_stream, options.parts):
        raise UsageError(f"{part} cannot be a part; pass files")
    given = [file for part in options.parts for file in files_of(part)]
    as_table = is_table(options.output)
    _check_kinds(given, as_table)
    files = in_order(given)
    is_naacl = not as_table and _check_text(files[0], options.num_pairs) == NAACL
    counts: list[int] = []
    with console.progress("joining", len(files), "parts") as advance, ExitStack() as opened:
        if as_table:
            assert options.output is not None
            stream = opened.enter_context(atomic_file(options.output))
            parts = _joined_tables(files, stream, options.output)
        else:
            (write,) = opened.enter_context(open_outputs(options.output or "-"))
            parts = (_copied(file, write) for file in files)
        for count in parts:
            counts.append(count)
            advance(1)
        if not is_naacl:
            _check_counts(files, counts, options.num_pairs)
    console.info(f"{counted(sum(counts), 'line')} of {counted(len(files), 'part')}")


def in_order(files: Sequence[File]) -> list[File]:
    """Files by the numbers in their names, or as they are where more than numbers differ.

    Raises DataError for two files of one number, and for a number that is missing before the last.
    """
    names = [str(file) for file in files]
    numbers = [tuple(map(int, _NUMBER.findall(name))) for name in names]
    is_numbered = len({_NUMBER.sub("0", name) for name in names}) == 1
    by_number: dict[object, File] = {}
    for file, number in zip(files, numbers if is_numbered else names, strict=True):
        if number in by_number:
            raise DataError(f"{by_number[number]} is the same part", "each part once", file=file)
        by_number[number] = file
    if not is_numbered:
        return list(files)
    ordered = sorted(numbers)
    _check_gaps(ordered, by_number)
    return [by_number[number] for number in ordered]


def _check_gaps(ordered: Sequence[tuple[int, ...]], by_number: Mapping[object, File]) -> None:
    """Raise DataError where parts are counted, from 0 or 1, and one is missing."""
    columns = [column for column in zip(*ordered, strict=True) if len(set(column)) > 1]
    if len(columns) != 1 or columns[0][0] > len(ordered):  # not counted: years
        return
    expected = min(columns[0][0], 1)
    for number, whole in zip(columns[0], ordered, strict=True):
        if number != expected:
            raise DataError(
                f"part {expected} is missing before this part", "all parts of the text",
                file=by_number[whole], remedy="Run its job again",
            )  # fmt: skip
        expected += 1


def _check_kinds(files: Sequence[File], as_table: bool) -> None:
    """Raise UsageError for tables that would become text, and for text that would become tables."""
    for file in files:
        with open_binary(file, until_damage=True) as stream:
            format = table_format(stream)
        if as_table and format is None:
            raise UsageError(f"{file} is text; pass -o with the suffix of the parts")
        if not as_table and format is not None:
            raise UsageError(f"{file} is a table; pass -o FILE.{format}")


def _check_text(file: File, pairs: int | None) -> str:
    """The format of text. Raises UsageError for one that isn't made of a line for each pair."""
    format, _ = recognized(lines_of_links(file), file)
    if format == BURRITO:
        raise UsageError(f"{file} is a JSON object, which cannot be joined; merge links in text")
    if format == NAACL and pairs is not None:
        raise UsageError(
            f"{file} has a line for each link, by which sentence pairs cannot be counted; omit "
            "--num-pairs"
        )
    return format


def _copied(file: File, write: Write) -> int:
    """Write the lines of a part; returns how many there are."""
    count = 0

    def counted() -> Iterator[str]:
        nonlocal count
        for count, line in enumerate(lines_of_links(file), start=1):  # noqa: B007
            yield line

    write(counted())
    return count


def _joined_tables(files: Sequence[File], stream: BinaryIO, name: str) -> Iterator[int]:
    """Write tables with the same columns one after the other; yield how many rows each has."""
    arrow, schema = library("pyarrow", "a table"), None
    with ExitStack() as opened:
        for file in files:
            count = 0
            with open_binary(file, until_damage=True) as source:
                table = StoredTable(source, file, table_format(source) or "")
                if schema is None:
                    schema = table.schema
                    writer = opened.enter_context(table_writer(stream, name, schema))
                    waiting = schema.empty_table()
                _check_columns(table.schema, schema, file)
                for batch in table.batches():
                    count += len(batch)
                    waiting = arrow.concat_tables([waiting, arrow.Table.from_batches([batch])])
                    if len(waiting) >= ROWS:
                        writer.write_table(waiting.slice(0, ROWS).combine_chunks())
                        waiting = waiting.slice(ROWS)
            yield count
        if len(waiting):
            writer.write_table(waiting.combine_chunks())


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


def _check_counts(files: Sequence[File], counts: Sequence[int], pairs: int | None) -> None:
    """Raise DataError for parts that aren't those of so many pairs; unless given, warn."""
    # parts of a text differ by one line at most
    total, usual = sum(counts), sorted(counts)[len(counts) // 2]
    parts = zip(files, counts, strict=True)
    odd = next(((file, count) for file, count in parts if abs(count - usual) > 1), None)
    if pairs is None:
        if odd is not None:
            warn(
                f"{odd[0]} has {counted(odd[1], 'line')}, but other parts have {usual:,}; pass "
                "--num-pairs N, the number of sentence pairs, to check the parts"
            )
    elif total != pairs and odd is not None:
        raise DataError(
            f"this part has {counted(odd[1], 'line')}",
            f"about {usual:,}, as other parts have, and {pairs:,} in all parts",
            file=odd[0],
            remedy="Run its job again",
        )
    elif total != pairs:
        raise DataError(
            f"{counted(len(files), 'part')} have {counted(total, 'line')}",
            f"{pairs:,}, one for each sentence pair",
            file=files[-1],
            remedy="Check that no part is missing, and that all are parts of this text",
        )


COMMAND = Command(
    MergeOptions,
    run,
    (
        "isogloss merge part.*.zst -o links.zst",
        "isogloss merge part.*.parquet --num-pairs 6000000 -o links.parquet",
    ),
    first={"output": ("output", "num_pairs"), "running": ("quiet",)},
)
