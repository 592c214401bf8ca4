"""Folders of forests that `isogloss decode` writes: our own, and files of Moses's text."""

import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from isogloss.align.errors import DataError, ModelError, UsageError, some_names
from isogloss.align.files.outputs import entries
from isogloss.align.files.writers import atomic_folder, write_lines
from isogloss.tune.forest.hypergraph import Hypergraph
from isogloss.tune.forest.moses_text import moses_lines
from isogloss.tune.forest.store import FORESTS_FORMAT, forest_writer

from ...runs.output_files import SUFFIXES, HypergraphFiles

__all__ = ["ForestOutputs"]

_FILE = re.compile(rf"[0-9]+\.(?:{'|'.join(SUFFIXES)})")
Take = Callable[[Hypergraph | None], None]


@dataclass(frozen=True)
class ForestOutputs:
    """Where forests are written to.

    stored: our own folder; texts: that of Moses's text; overwrite: whether older ones are replaced
    source: the file of the sentences
    """

    stored: str | None
    overwrite: bool
    texts: HypergraphFiles | None
    source: str

    @property
    def wanted(self) -> bool:
        """Whether there are to be any."""
        return self.stored is not None or self.texts is not None

    def check(self) -> None:
        """Raise ModelError for folders that can't be written, before long work."""
        if self.stored is not None:
            FORESTS_FORMAT.check_replaceable(self.stored, self.overwrite)
        if self.texts is not None:
            _check_replaceable(Path(self.texts.folder), self.overwrite)

    @contextmanager
    def open(self, names: Iterable[str]) -> Iterator[Take]:
        """What takes the forest of each sentence, None for none, in their order.

        The folders appear when the block ends well. names: of their features
        Raises OutputError where they can't be written.
        """
        with ExitStack() as opened:
            takers: list[Take] = []
            if self.stored is not None:
                writer = forest_writer(self.stored, names, overwrite=self.overwrite)
                takers.append(opened.enter_context(writer).add)
            if self.texts is not None:
                part = opened.enter_context(atomic_folder(self.texts.folder))
                takers.append(_FileWriter(part, self.texts.suffix, self.source).add)

            def take(forest: Hypergraph | None) -> None:
                for taker in takers:
                    taker(forest)

            yield take


def _check_replaceable(folder: Path, overwrite: bool) -> None:
    """Raise ModelError for no folder, and one with anything but files as this command writes."""
    if not folder.exists():
        return
    if not folder.is_dir():
        raise ModelError(f"{folder} is not a folder and is not replaced; choose another name")
    held = entries(folder)
    foreign = [path.name for path in held if not (_FILE.fullmatch(path.name) and path.is_file())]
    if foreign:
        raise ModelError(
            f"{folder} contains {some_names(foreign)}, which is not a hypergraph, and is not "
            "replaced; choose another folder"
        )
    if held and not overwrite:
        raise ModelError(f"{folder} exists; choose another folder or pass --overwrite")


@dataclass
class _FileWriter:
    """Writes a file for each sentence that has a forest."""

    # source: the file of the sentences; number: of the next one

    folder: Path
    suffix: str
    source: str
    number: int = 0

    def add(self, forest: Hypergraph | None) -> None:
        """Raises DataError, with the sentence's line, for words that the form can't hold."""
        number = self.number
        self.number += 1
        if forest is not None:
            try:
                write_lines(moses_lines(forest), self.folder / f"{number}.{self.suffix}")
            except UsageError as error:
                raise DataError(str(error), file=self.source, line=number + 1) from error
