"""Forests of many sentences read from files: our own folder, Moses's files, cdec's JSON."""

import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import chain, islice
from pathlib import Path

import numpy as np

from isogloss.align.arrays.sparse_rows import Ragged
from isogloss.align.errors import DataError, check_path, pluralize, warn
from isogloss.align.execution.calls import public
from isogloss.align.files.outputs import entries, is_stream
from isogloss.align.files.records import LARGEST_FILE
from isogloss.align.files.text_io import text_blocks
from isogloss.features.space import FeatureSpace, is_sparse

from .cdec_json import parse_cdec, read_cdec
from .forests import Forests
from .hypergraph import Hypergraph
from .moses_text import read_moses
from .store import FORESTS_FORMAT, forest_writer, open_forests

__all__ = ["begins_as_forest", "holds_texts", "read_forests", "store_forests"]

_FILE_OF = re.compile(r"(0|[1-9][0-9]{0,8})(?:\.[A-Za-z][A-Za-z0-9]*)*")
_FORM = "files named by the number of their sentence, such as 0.gz or 12.json"
_PASSED_OVER = re.compile(r"\..*|weights.*")  # what Moses writes beside them


@public
def read_forests(path: str | Path) -> Forests:
    """Read the forests of sentences, over one feature space.

    Parameters
    ----------
    path : str or Path
        One of: a folder that :func:`isogloss.tune.forest.store.forest_writer` has written, which is
        memory-mapped; a folder with a file per sentence, named by its number from 0 (``0.gz``), of
        Moses' text or cdec's JSON; a file of JSON with a forest per line (an empty line: no
        forest), or with one forest. Files may be compressed.

    Returns
    -------
    Forests
        A sequence of :class:`Hypergraph`. Sentences without a file or line have none, which is a
        warning (DataWarning).

    Raises
    ------
    ModelError
        If a stored folder is damaged or of another version.
    DataError
        If there is no file, two of a sentence, or one that can't be read.
    WrongTypeError
        If ``path`` is not a path.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import mkdtemp
    >>> from isogloss.tune.forest.hypergraph import Edge
    >>> from isogloss.tune.forest.moses_text import moses_lines
    >>> graph = Hypergraph.from_edges([[Edge([], [0], [(0, 0.5)], 1)]], ("house",), ["LM0"])
    >>> folder = mkdtemp()
    >>> _ = Path(folder, "0").write_text("\\n".join(moses_lines(graph)) + "\\n")
    >>> forests = read_forests(folder)
    >>> len(forests), forests[0] == graph
    (1, True)
    """
    check_path(path)
    if FORESTS_FORMAT.is_at(path):
        return open_forests(path)
    graphs: list[Hypergraph | None] = []
    names: dict[str, None] = {}
    for number, graph in _text_forests(path):
        graphs += [*[None] * (number - len(graphs)), graph]
        names.update(dict.fromkeys(graph.space))
    space = FeatureSpace(sorted(names, key=is_sparse))
    lacking = np.array([number for number, graph in enumerate(graphs) if graph is None], np.int64)
    _warn_of_gaps(len(lacking), int(lacking[:1].sum()))
    return Forests([graph and _over(graph, space) for graph in graphs], np.arange(len(graphs)),
                   lacking, space, path, whole=False)  # fmt: skip


def holds_texts(folder: str | Path) -> bool:
    """Whether a folder has a file that is called as a sentence's forest is, by its number."""
    return any(_FILE_OF.fullmatch(file.name) for file in entries(Path(folder)))


def begins_as_forest(file: str | Path) -> bool:
    """Whether a file begins as JSON or as Moses's text of a hypergraph does."""
    return next(_lines(Path(file)), "").lstrip().startswith(("{", "#"))


def store_forests(path: str | Path, folder: str | Path, *, overwrite: bool = False) -> None:
    """Write the forests that :func:`read_forests` reads to a folder, one at a time.

    Only one sentence is in memory. Warnings and errors are those of :func:`read_forests`.

    Parameters
    ----------
    path : str or Path
        As for :func:`read_forests`.
    folder : str or Path
    overwrite : bool, default False
        Replace a folder that exists.

    Raises
    ------
    ModelError
        If the folder exists and ``overwrite`` is False.
    OutputError
        If it can't be written.
    """
    lacking: list[int] = []
    with forest_writer(folder, overwrite=overwrite) as writer:
        for number, graph in _text_forests(path):
            while writer.sentences < number:
                lacking.append(writer.sentences)
                writer.add(None)
            writer.add(graph)
    _warn_of_gaps(len(lacking), sum(lacking[:1]))


def _over(graph: Hypergraph, space: FeatureSpace) -> Hypergraph:
    """A hypergraph over a larger space."""
    rows = graph.rows
    ids = space.ids(graph.space)[rows.ids]
    return replace(graph, rows=Ragged(ids, rows.values, rows.offsets), space=space)


def _warn_of_gaps(number: int, first: int) -> None:
    if number:
        message = f"{pluralize(number, 'sentence', 'has')} no forest (first: {first})"
        warn(message)


def _text_forests(path: str | Path) -> Iterator[tuple[int, Hypergraph]]:
    """Forests with the numbers of their sentences, rising."""
    path = Path(path)
    if is_stream(path):
        raise DataError(
            "the file is a pipe or device", "a regular file, which can be read twice", file=path
        )
    if path.is_dir():
        for number, file in _files(path):
            yield number, _read_file(file)
    elif _is_by_line(path):
        for number, line in enumerate(_lines(path)):
            if not line.strip():
                continue
            try:
                yield number, parse_cdec(line)
            except DataError as error:
                raise error.placed(path, number + 1) from None
    else:
        yield 0, _read_file(path)


def _files(folder: Path) -> list[tuple[int, Path]]:
    """The files of a folder by the sentences whose numbers they have."""
    files: dict[int, Path] = {}
    for file in entries(folder):
        if _PASSED_OVER.fullmatch(file.name):
            continue
        match = _FILE_OF.fullmatch(file.name)
        if not match or not file.is_file():
            raise DataError(f"the folder contains {file.name!r}", _FORM, file=folder)
        other = files.setdefault(int(match[1]), file)
        if other != file:
            raise DataError(
                f"{other.name} and {file.name} belong to the same sentence",
                "one file per sentence",
                file=folder,
            )
    most = 1000 + 100 * len(files)  # as with ids in n-best lists
    if not files or max(files) > most:
        seen = (
            f"the folder has a file for sentence {max(files)}, but only "
            f"{pluralize(len(files), 'file')}"
            if files
            else "the folder is empty"
        )
        raise DataError(seen, _FORM, file=folder)
    return sorted(files.items())


def _read_file(path: Path) -> Hypergraph:
    """The forest of a file that holds one: JSON begins with ``{``."""
    first = next(_lines(path), "")
    return read_cdec(path) if first.lstrip().startswith("{") else read_moses(path)


def _is_by_line(path: Path) -> bool:
    """Whether a file has a forest of JSON per line: its second line is a whole one or none."""
    first, second = islice(chain(_lines(path), ["", ""]), 2)
    return _is_object(first) and (_is_object(second) or not second)


def _is_object(line: str) -> bool:
    line = line.strip()
    return line.startswith("{") and line.endswith("}")


def _lines(path: Path) -> Iterator[str]:
    """The lines of a file, which may be as long as JSON of a forest is."""
    for block in text_blocks(path, longest=LARGEST_FILE):
        yield from block.decode().split("\n")
