"""isogloss split: training, tuning and test sets of a bitext."""

import argparse
import resource
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from typing import BinaryIO

import msgspec
import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from isogloss.align.errors import DataError, UsageError, pluralize, some_names
from isogloss.align.files.numerals import parse_whole
from isogloss.align.files.outputs import check_output, entries, file_name
from isogloss.align.files.records import Text, is_name, read_json
from isogloss.align.files.writers import COMPRESSED, atomic_files, atomic_folder, encode_line
from isogloss.align.text.samples.split import REST, SetOptions, draw_sets, survey_pairs

from ...console import Console
from ...options import Bounds, Command, group, not_allowed, option, output_folder, positive
from ..shared import (
    BitextOptions,
    SeededMessageOptions,
    check_regular,
    seeded_message_options,
)

__all__ = ["COMMAND", "SplitOptions", "run"]

_DRAWN = "drawn.tsv"
_FILES = "files.json"  # names what the folder holds, and nothing else of it is ever removed
_MOST_SETS = 100
_HANDLES = 2  # that a file which is written takes
_OTHERS = 40  # files that a program has open besides
_BLOCK = 1000  # pairs between two steps of the progress bar


class _Written(Struct):
    """What is said of the files of a folder."""

    files: list[Text]


def _set_size(text: str) -> str:
    name, _, size = text.rpartition("=")
    if not is_name(name) or name != file_name(name) or name.startswith("."):
        raise not_allowed("NAME=SIZE, such as tune=1000", text)
    try:
        positive(size)
    except argparse.ArgumentTypeError:
        raise not_allowed("NAME=SIZE with a size of at least 1", text) from None
    return text


@dataclass(frozen=True)
class SplitOptions:
    """Options of `isogloss split`.

    sets: name and number of sentence pairs of each set, per domain with --labels
    out: new folder for the sets, the remaining pairs and drawn.tsv
    overwrite: replace the output of an earlier `isogloss split`
    labels: domain labels, one name or - per line; sets are drawn from each domain, never from
        unlabeled pairs
    min_length: minimum number of words on each side of a drawn pair
    max_length: maximum number of words on each side of a drawn pair
    """

    bitext: BitextOptions = group(BitextOptions)
    sets: tuple[str, ...] = option(metavar="NAME=SIZE", parse=_set_size)
    out: str = option(metavar="DIR", parse=output_folder)
    overwrite: bool = False
    labels: str | None = option(default=None, metavar="FILE")
    min_length: int = option(default=SetOptions.min_length, parse=positive, metavar="N")
    max_length: int = option(default=SetOptions.max_length, parse=Bounds(1, 65536), metavar="N")
    common: SeededMessageOptions = seeded_message_options()


def run(options: SplitOptions, console: Console) -> None:
    """Read the bitext, draw, and read it again to write the sets and the rest."""
    settings, folder, bitext = _settings(options), Path(options.out), options.bitext
    _check_folder(folder, overwrite=options.overwrite)
    check_regular(bitext.source, bitext.target, options.labels)
    console.info("reading the bitext")
    survey = survey_pairs(bitext.pairs(), settings, options.labels)
    _check_handles(2 * len(settings.sizes) * len(survey.domains), options.labels)
    drawn, counts = draw_sets(survey, settings)
    for count in counts:
        where = f"{count.domain}: " if count.domain else ""
        console.info(
            f"{where}{pluralize(count.pairs, 'pair')}, {count.fitting} within the length limits, "
            f"{count.drawable} of these without repeated sentences"
        )
    domains = survey.domains if options.labels else ()
    with console.progress("writing", len(survey)) as advance, atomic_folder(folder) as part:
        writer = _Writer(part, options, list(settings.sizes), domains)
        writer.write(drawn, survey.domain, advance)
        _check_folder(folder, overwrite=options.overwrite)  # others may have come in between
    sizes = ", ".join(f"{size} in {name}" for name, size in settings.sizes.items())
    each = " of each domain" if options.labels else ""
    console.info(f"{sizes}{each}; {np.count_nonzero(drawn < 0)} stay in {folder / REST}")


def _check_folder(folder: Path, *, overwrite: bool) -> None:
    """Raise DataError for a folder in use, OutputError where it can't be made."""
    found = {entry.name: entry for entry in entries(folder)} if folder.is_dir() else {}
    ours: set[str] = set()
    if found and overwrite and (folder / _FILES).is_file():
        ours = {_FILES, *read_json(folder / _FILES, _Written).files}
    if others := sorted(name for name in found if name not in ours or found[name].is_dir()):
        contents = f"contains {some_names(others)}" if ours else "is not empty"
        raise DataError(
            f"{folder} exists and {contents}",
            remedy="Choose another folder, or remove this one first"
            + ("" if overwrite else "; --overwrite replaces the output of an earlier run"),
        )
    check_output(folder / _DRAWN)


def _check_handles(files: int, labels: str | None) -> None:
    """Raise DataError for more files at a time than the system lets a program have open."""
    limit = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    most = (limit - _OTHERS) // _HANDLES
    if limit != resource.RLIM_INFINITY and files > most:
        raise DataError(
            f"the sets would need {files} files, two per set and domain",
            f"at most {most}, because of the limit of open files",
            file=labels,
            remedy="Use fewer sets or domains, or raise the limit: ulimit -n",
        )


def _settings(options: SplitOptions) -> SetOptions:
    sizes: dict[str, int] = {}
    for text in options.sets:
        name, _, size = text.rpartition("=")
        if name in sizes:
            raise UsageError(f"--sets has two sets named {name}; give each set its own name")
        sizes[name] = parse_whole(size)
    if len(sizes) > _MOST_SETS:
        raise UsageError(f"--sets has {len(sizes)} sets; at most {_MOST_SETS} are allowed")
    return SetOptions(sizes, options.min_length, options.max_length, options.common.seed)


def _side_names(options: SplitOptions) -> list[str]:
    """What the files of both sides end in: as the inputs do, with their compression."""
    bitext = options.bitext
    compression = Path(bitext.source).suffix if bitext.source.endswith(COMPRESSED) else ""
    names = ["source", "target"]
    if bitext.target is not None:
        suffixes = [
            Path(file.removesuffix(Path(file).suffix) if file.endswith(COMPRESSED) else file)
            for file in (bitext.source, bitext.target)
        ]
        ends = [path.suffix.removeprefix(".") for path in suffixes]
        names = ends if all(ends) and ends[0] != ends[1] else names
    elif bitext.form.languages:
        names = list(bitext.form.languages)
    return [name + compression for name in (*names, "labels")]


class _Writer:
    """Deals the pairs out to the files of the sets and of the rest."""

    # folder: to write to; sets: their names; domains: none where pairs are not labeled

    def __init__(
        self, folder: Path, options: SplitOptions, sets: list[str], domains: Sequence[str]
    ) -> None:
        self._folder, self._options, self._sets, self._domains = folder, options, sets, domains
        self._sides = _side_names(options)

    def _paths(self) -> list[Path]:
        """Both sides of each set of each domain, of the rest, its labels, and what was drawn."""
        middles = [f"{file_name(domain)}." for domain in self._domains] or [""]
        stems = [f"{name}.{middle}" for name in self._sets for middle in middles]
        names = [f"{stem}{side}" for stem in (*stems, f"{REST}.") for side in self._sides[:2]]
        if self._domains:
            names.append(f"{REST}.{self._sides[2]}")
        return [self._folder / name for name in (*names, _DRAWN)]

    def write(
        self,
        drawn: NDArray[np.int16],
        domain: NDArray[np.int32],
        advance: Callable[[int], None],
    ) -> None:
        """Write all files.

        drawn: int16[num_pairs], number of the set, -1 = the rest; domain: int32[num_pairs]
        advance: is called with the number of pairs that were written since the last call
        """
        lower = self._options.bitext.form.lowercase
        paths = self._paths()
        with atomic_files(*paths, self._folder / _FILES) as (*streams, names):
            names.write(msgspec.json.encode({"files": [path.name for path in paths]}))
            record = streams[-1]
            record.write(encode_line("set\tdomain\tnumber"))
            for number, (source, target) in enumerate(self._pairs(len(drawn))):
                chosen, kind = int(drawn[number]), int(domain[number])
                name = self._domains[kind] if self._domains and kind >= 0 else "-"
                place = chosen * max(len(self._domains), 1) + kind if chosen >= 0 else -1
                self._write_pair(streams, place, (source, target), lower)
                if chosen >= 0:
                    record.write(encode_line(f"{self._sets[chosen]}\t{name}\t{number + 1}"))
                elif self._domains:
                    streams[-2].write(encode_line(name))
                if (number + 1) % _BLOCK == 0:
                    advance(_BLOCK)

    def _write_pair(
        self, streams: list[BinaryIO], place: int, sides: tuple[str, str], lower: bool
    ) -> None:
        """Write a pair to the files of its place, counted as in :meth:`_paths`; -1 = the rest."""
        if place < 0:
            place = len(self._sets) * max(len(self._domains), 1)
        for stream, text in zip(streams[2 * place : 2 * place + 2], sides, strict=True):
            stream.write(encode_line(text.lower() if lower else text))

    def _pairs(self, count: int) -> Iterator[tuple[str, str]]:
        """The pairs, of which there must be as many as before."""
        pairs, source = self._options.bitext.pairs(), self._options.bitext.source
        for number, pair in zip_longest(range(count), pairs):
            if number is None or pair is None:
                raise DataError(
                    "the number of sentence pairs changed while reading",
                    f"{count}",
                    file=source,
                    remedy="Make sure that no program writes the bitext, and try again",
                )
            if pair.links is not None:
                raise DataError(
                    "the line has links in a third column",
                    "a bitext without links",
                    file=source,
                    line=pair.number,
                    remedy="Remove them: cut -f1,2",
                )
            yield pair.source, pair.target


COMMAND = Command(
    SplitOptions,
    run,
    (
        "isogloss split train.en.gz train.es.gz --sets tune=5000 test=5000 --out parts",
        "isogloss split memories.tmx --langs en-es --labels domains --sets dev=500 --out parts",
    ),
    first={
        "input": ("labels", "lowercase", "format", "langs"),
        "sets": ("sets", "min_length", "max_length"),
        "output": ("out", "overwrite"),
        "running": ("seed", "quiet"),
    },
)
