"""Options that several commands have."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from isogloss.align.errors import UsageError
from isogloss.align.execution import MAX_THREADS, processors, usual_threads
from isogloss.align.execution.cluster import check_answers
from isogloss.align.execution.groups import Workers
from isogloss.align.files.outputs import is_stream
from isogloss.align.links.formats.gold_formats import GOLD_FORMATS
from isogloss.align.text.bitext import Bitext
from isogloss.align.text.formats.detection import BITEXT_FORMATS
from isogloss.align.text.formats.languages import Languages, parse_columns, parse_languages
from isogloss.align.text.formats.opening import iter_pairs
from isogloss.align.text.formats.pair import Pair
from isogloss.align.text.formats.verses import VERSES
from isogloss.align.text.length_limit import MAX_LENGTH
from isogloss.align.text.readers import read_bitext

from ..options import (
    Bounds,
    group,
    natural,
    option,
    output_file,
    positional,
    positive,
    seed,
    size,
)

if TYPE_CHECKING:
    from isogloss.tune.nbest.records.fields import RecordFields

__all__ = [
    "DEFAULT_THREADS",
    "GENERAL",
    "BitextFormat",
    "BitextOptions",
    "ClusterOptions",
    "CommonOptions",
    "ConfiguredOptions",
    "LengthLimitOptions",
    "ListFields",
    "MappedLists",
    "MessageOptions",
    "NoOptions",
    "OptionalBitextOptions",
    "QuietOptions",
    "SeededMessageOptions",
    "SeededOptions",
    "check_regular",
    "common_options",
    "configured_options",
    "gold_format_option",
    "message_options",
    "output_option",
    "quiet_options",
    "seeded_message_options",
    "seeded_options",
    "thread_count",
]

DEFAULT_THREADS = usual_threads()
GENERAL = "general options"


class _ThreadCount(Bounds):
    """Reads a number of threads; 0 is as many as there are processors."""

    def __call__(self, text: str) -> int:
        return int(super().__call__(text)) or min(processors(), MAX_THREADS)


thread_count = _ThreadCount(0, MAX_THREADS)


@dataclass(frozen=True)
class QuietOptions:
    """How much a command prints that has nothing to add.

    quiet: print only warnings and errors
    """

    quiet: bool = option("-q", default=False)

    @property
    def verbosity(self) -> int:
        """-1 = warnings and errors only, 0 = a line per stage."""
        return -1 if self.quiet else 0


@dataclass(frozen=True)
class MessageOptions(QuietOptions):
    """How much a command prints.

    verbose: print more messages
    """

    verbose: bool = option("-v", default=False)

    @property
    def verbosity(self) -> int:
        """-1 = warnings and errors only, 0 = a line per stage, 1 = more lines, as by iteration."""
        return -1 if self.quiet else 1 if self.verbose else 0


@dataclass(frozen=True)
class CommonOptions(MessageOptions):
    """Options of a command that works with several threads.

    threads: number of threads; 0 = all processors (default: all, at most 8)
    """

    threads: int = option(default=DEFAULT_THREADS, parse=thread_count, metavar="N")


@dataclass(frozen=True)
class SeededOptions(CommonOptions):
    """Options of a command that draws random numbers.

    seed: random seed
    """

    seed: int = option(default=1, parse=seed, metavar="N")


@dataclass(frozen=True)
class SeededMessageOptions(MessageOptions):
    """Options of a command that draws random numbers in one thread.

    seed: random seed
    """

    seed: int = option(default=1, parse=seed, metavar="N")


@dataclass(frozen=True)
class ConfiguredOptions(MessageOptions):
    """Options of a command whose configuration may set the number of threads.

    threads: number of threads; 0 = all processors (default: from --config, else all, at most 8)
    """

    threads: int | None = option(
        "-th", "-threads", default=None, parse=thread_count, metavar="N"
    )  # fmt: skip


@dataclass(frozen=True)
class NoOptions:
    """What a command takes that only stands above others, such as `isogloss weights`."""

    common: MessageOptions = group(MessageOptions, title=GENERAL)


def check_regular(*files: str | None) -> None:
    """Raise UsageError for a pipe or standard input, of which a command can't read all twice."""
    for file in filter(None, files):
        if is_stream(file):
            raise UsageError(f"{file} cannot be read twice; pass a regular file")


def common_options() -> Any:
    """The field ``common`` of a command that works with several threads."""
    return group(CommonOptions, title=GENERAL)


def message_options() -> Any:
    """The field ``common`` of a command that works in one thread."""
    return group(MessageOptions, title=GENERAL)


def quiet_options() -> Any:
    """The field ``common`` of a command that starts no threads and has one stage."""
    return group(QuietOptions, title=GENERAL)


def seeded_options() -> Any:
    """The field ``common`` of a command that draws random numbers."""
    return group(SeededOptions, title=GENERAL)


def seeded_message_options() -> Any:
    """The field ``common`` of a command that draws random numbers in one thread."""
    return group(SeededMessageOptions, title=GENERAL)


def configured_options() -> Any:
    """The field ``common`` of a command whose configuration may say how many threads to use."""
    return group(ConfiguredOptions, title=GENERAL)


def output_option(*, metavar: str = "FILE", required: bool = False) -> Any:
    """The field ``output`` of a command's options: a file, by default stdout."""
    if required:
        return option("-o", metavar=metavar, parse=output_file)
    return option("-o", default=None, metavar=metavar, parse=output_file)


def gold_format_option() -> Any:
    """The field ``gold_format`` of a command's options: None = recognized, talp by its suffix."""
    return option(default=None, choices=GOLD_FORMATS)


_ONE_FILE = "single-file bitext"


@dataclass(frozen=True)
class BitextFormat:
    """How a bitext is read.

    lowercase: lowercase both sides
    format: format of a single-file bitext: `source ||| target` lines, TSV with 2 or 3 columns, JSON
        Lines, TMX, XLIFF, XML of WMT, Parquet or Arrow (default: detected); vref: two files of the
        eBible corpus, in which a line `<range>` is part of the verse before
    langs: source and target language of a TMX, XLIFF, JSON Lines, Parquet or Arrow bitext
    columns: columns of the source and the target in Parquet, Arrow or JSON Lines, such as en,fr or
        translation.en,translation.fr (default: source,target or as --langs says)
    """

    lowercase: bool = False
    format: str | None = option(default=None, choices=(*BITEXT_FORMATS, VERSES), title=_ONE_FILE)
    langs: str | None = option(default=None, metavar="en-es", title=_ONE_FILE)
    columns: str | None = option(default=None, metavar="en,fr", title=_ONE_FILE)

    @property
    def given(self) -> list[str]:
        """The options as they are given to another command."""
        return [
            *["--lowercase"] * self.lowercase,
            *(["--format", self.format] if self.format else []),
            *(["--langs", self.langs] if self.langs else []),
            *(["--columns", self.columns] if self.columns else []),
        ]

    @property
    def languages(self) -> Languages | None:
        """Source and target language. Raises UsageError for anything but two of them."""
        return parse_languages(self.langs) if self.langs else None

    @property
    def named_columns(self) -> tuple[str, str] | None:
        """Columns of the source and the target. Raises UsageError for anything but two of them."""
        return parse_columns(self.columns) if self.columns else None

    @property
    def arguments(self) -> dict[str, Any]:
        """The same, as arguments of :func:`isogloss.align.read_bitext`."""
        return {
            "format": self.format,
            "languages": self.languages,
            "columns": self.named_columns,
            "lowercase": self.lowercase,
        }


@dataclass(frozen=True)
class BitextOptions:
    """A bitext in two files, or in one that holds both sides.

    source: source text or single-file bitext; - = standard input
    target: target text, line-aligned with SRC
    """

    source: str = positional("SRC")
    target: str | None = positional("TGT", default=None)
    form: BitextFormat = group(BitextFormat)

    def read(self, **more: Any) -> Bitext:
        """The sentence pairs. more: further arguments of :func:`isogloss.align.read_bitext`"""
        return read_bitext(self.source, self.target, **self.form.arguments, **more)

    def pairs(self) -> Iterator[Pair]:
        """The lines of both sides, as they stand."""
        form = self.form
        return iter_pairs(
            self.source, self.target, format=form.format, languages=form.languages,
            columns=form.named_columns,
        )  # fmt: skip


@dataclass(frozen=True)
class OptionalBitextOptions:
    """A bitext, for a command that can do without one.

    source: source text or single-file bitext; - = standard input
    target: target text, line-aligned with SRC
    """

    source: str | None = positional("SRC", default=None)
    target: str | None = positional("TGT", default=None)
    form: BitextFormat = group(BitextFormat)

    @property
    def given(self) -> BitextOptions | None:
        """The bitext, where there is one."""
        if self.source is None:
            return None
        return BitextOptions(self.source, self.target, self.form)


@dataclass(frozen=True)
class LengthLimitOptions:
    """The longest sentences that are aligned.

    max_length: treat sentence pairs with more than N words on a side as empty; 0 = no limit below
        65,536 words
    """

    max_length: int = option(default=MAX_LENGTH, parse=natural, metavar="N")


@dataclass(frozen=True)
class ListFields:
    """How n-best lists are read that are not ours.

    fields: JSON keys of the n-best list, such as id=segment text=translation features=score,lm
        metrics=comet refs=reference hyps=candidates; for fairseq output: text=D
    per_item: each N lines or JSON records are the hypotheses of a sentence, for lists without ids;
        a line is a hypothesis and its scores, separated by tabs
    """

    fields: tuple[str, ...] = option(default=(), metavar="KEY=NAME")
    per_item: int | None = option(default=None, parse=positive, metavar="N")

    @property
    def mapping(self) -> "RecordFields | None":
        """The same, parsed; None for records of ours. Raises UsageError as RecordFields.parse."""
        from isogloss.tune.nbest.records.fields import RecordFields

        return RecordFields.parse(self.fields, self.per_item)

    @property
    def mapping_of_new(self) -> "RecordFields | None":
        """The same for lists that may not be measured yet."""
        mapping = self.mapping
        return mapping and replace(mapping, metrics_may_lack=True)


@dataclass(frozen=True)
class MappedLists:
    """What becomes of n-best lists that are larger than memory.

    max_memory: sort the n-best lists on disk, using SIZE of memory, such as 12G, and memory-map
        them
    tmpdir: folder for temporary files (default: the system's)
    """

    max_memory: int | None = option(default=None, parse=size, metavar="SIZE")
    tmpdir: str | None = option(default=None, metavar="DIR")


@dataclass(frozen=True)
class ClusterOptions:
    """Where a command works.

    cluster: work on a Ray cluster: HOST:PORT, auto, or local (processes of this machine); every
        node needs isogloss[distributed]; the result is the same
    nodes: number of nodes to use, each with --threads threads (default: all; 2 with --cluster
        local)
    """

    cluster: str | None = option(default=None, metavar="ADDRESS|local")
    nodes: int | None = option(default=None, parse=Bounds(1, 100_000), metavar="N")

    def workers(self, threads: int) -> Workers | None:
        """The workers, each with so many threads; None = this process works.

        Raises UsageError for a number of nodes without a cluster, and where no cluster answers.
        """
        if self.cluster is not None:
            check_answers(self.cluster)  # before a long text is read
            return Workers(self.cluster, self.nodes, threads)
        if self.nodes is not None:
            raise UsageError("--nodes has no effect without --cluster; add --cluster ADDRESS")
        return None
