"""Options that several commands have."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from isogloss.align.execution import MOST_THREADS, processors, usual_threads
from isogloss.align.text.bitext_formats import (
    BITEXT_FORMATS,
    Languages,
    Pair,
    iter_pairs,
    parse_languages,
)
from isogloss.align.text.corpus import Bitext
from isogloss.align.text.length_limit import MAX_LENGTH
from isogloss.align.text.readers import read_bitext

from ..options import Bounds, group, natural, option, output_file, positional, seed, size

if TYPE_CHECKING:
    from isogloss.tune.nbest.records.fields import RecordFields

__all__ = [
    "DEFAULT_THREADS",
    "BitextFormat",
    "BitextOptions",
    "CommonOptions",
    "ConfiguredOptions",
    "LengthLimitOptions",
    "ListFields",
    "MappedLists",
    "MessageOptions",
    "NoOptions",
    "OptionalBitextOptions",
    "common_options",
    "configured_options",
    "output_option",
    "thread_count",
]

DEFAULT_THREADS = usual_threads()


class _ThreadCount(Bounds):
    """Reads a number of threads; 0 is as many as there are processors."""

    def __call__(self, text: str) -> int:
        return int(super().__call__(text)) or min(processors(), MOST_THREADS)


thread_count = _ThreadCount(0, MOST_THREADS)


@dataclass(frozen=True)
class MessageOptions:
    """How much a command tells.

    quiet: only warnings and errors
    verbose: a line per iteration
    """

    quiet: bool = option("-q", default=False)
    verbose: bool = option("-v", default=False)

    @property
    def verbosity(self) -> int:
        """-1 = warnings and errors only, 0 = a line per stage, 1 = a line per iteration."""
        return -1 if self.quiet else 1 if self.verbose else 0


@dataclass(frozen=True)
class CommonOptions(MessageOptions):
    """What every command takes that works on data.

    seed: random seed
    threads: 0 = one for each processor; without it there are as many, but 8 at most; they never
        change a result
    """

    seed: int = option(default=1, parse=seed)
    threads: int = option(default=DEFAULT_THREADS, parse=thread_count)


@dataclass(frozen=True)
class ConfiguredOptions(MessageOptions):
    """The same, of a command that may read from a configuration how many threads to use.

    seed: random seed
    threads: 0 = one for each processor; they never change a result (default: those of --config,
        else one for each processor, but 8 at most)
    """

    seed: int = option(default=1, parse=seed)
    threads: int | None = option("-th", "-threads", default=None, parse=thread_count)


@dataclass(frozen=True)
class NoOptions:
    """What a command takes that only stands above others, such as `isogloss weights`."""

    common: CommonOptions = group(CommonOptions, title="for every command")


def common_options() -> Any:
    """The field ``common`` of a command's options."""
    return group(CommonOptions, title="for every command")


def configured_options() -> Any:
    """The field ``common`` of a command whose configuration may say how many threads to use."""
    return group(ConfiguredOptions, title="for every command")


def output_option(*, metavar: str = "FILE", required: bool = False) -> Any:
    """The field ``output`` of a command's options: a file, by default stdout."""
    if required:
        return option("-o", metavar=metavar, parse=output_file)
    return option("-o", default=None, metavar=metavar, parse=output_file)


_ONE_FILE = "a bitext in one file"


@dataclass(frozen=True)
class BitextFormat:
    """How a bitext is read.

    lowercase: lowercase both sides
    format: lines `source ||| target`, 2 or 3 columns, JSON objects, TMX (default: by content)
    langs: its languages, source first (TMX, JSON)
    """

    lowercase: bool = False
    format: str | None = option(default=None, choices=BITEXT_FORMATS, title=_ONE_FILE)
    langs: str | None = option(default=None, metavar="en-es", title=_ONE_FILE)

    @property
    def given(self) -> list[str]:
        """The options as they are given to another command."""
        return [
            *["--lowercase"] * self.lowercase,
            *(["--format", self.format] if self.format else []),
            *(["--langs", self.langs] if self.langs else []),
        ]

    @property
    def languages(self) -> Languages | None:
        """Source and target language. Raises UsageError for anything but two of them."""
        return parse_languages(self.langs) if self.langs else None

    @property
    def arguments(self) -> dict[str, Any]:
        """The same, as arguments of :func:`isogloss.align.read_bitext`."""
        return {
            "format": self.format,
            "languages": self.languages,
            "lowercase": self.lowercase,
        }


@dataclass(frozen=True)
class BitextOptions:
    """A bitext in two files, or in one that holds both sides.

    source: source text, or a bitext in one file; - is stdin
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
        return iter_pairs(
            self.source, self.target, format=self.form.format, languages=self.form.languages
        )


@dataclass(frozen=True)
class OptionalBitextOptions:
    """A bitext, for a command that can do without one.

    source: source text, or a bitext in one file; - is stdin
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

    max_length: pairs with more than N words on a side are taken as empty: not learned from, no
        links; 0 = no limit but the 65,536 words that links have positions for
    """

    max_length: int = option(default=MAX_LENGTH, parse=natural, metavar="N")


@dataclass(frozen=True)
class ListFields:
    """How n-best lists are read that are not ours.

    fields: which keys of JSONL hold what, such as id=segment text=translation features=score,lm
        metrics=comet refs=reference hyps=candidates; of fairseq's lines text=D
    """

    fields: tuple[str, ...] = option(default=(), metavar="KEY=NAME")

    @property
    def mapping(self) -> "RecordFields | None":
        """The same, parsed; None for records of ours. Raises UsageError as RecordFields.parse."""
        from isogloss.tune.nbest.records.fields import RecordFields

        return RecordFields.parse(self.fields)


@dataclass(frozen=True)
class MappedLists:
    """What becomes of n-best lists that are larger than memory.

    max_memory: sort the lists on disk, with so much memory at a time, and map them from there
    tmpdir: folder for that (default: the system's)
    """

    max_memory: int | None = option(default=None, parse=size, metavar="SIZE")
    tmpdir: str | None = option(default=None, metavar="DIR")
