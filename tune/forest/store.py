"""Forests on disk: a folder of arrays that are mapped into memory, for forests larger than it.

They are written one sentence after the other, and a hypergraph is made when it is asked for.
"""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from msgspec import Struct
from numpy.typing import DTypeLike, NDArray

from isogloss.align.arrays.ragged import offsets_of
from isogloss.align.arrays.sparse_rows import Ragged
from isogloss.align.errors import IsoglossError, ModelError
from isogloss.align.files.growing_arrays import GrowingArrays, growing_arrays, map_array
from isogloss.align.files.records import Count, is_feature_name
from isogloss.align.files.stored_folder import FolderFormat, StoredFolder
from isogloss.align.text.string_array import Texts
from isogloss.features.space import FeatureSpace, is_sparse

from .forests import Forests
from .hypergraph import Hypergraph

__all__ = ["FORESTS_FORMAT", "ForestWriter", "forest_writer", "open_forests"]

# columns of all sentences, one after the other, by what each has an entry of
_COLUMNS: dict[str, dict[str, DTypeLike]] = {
    "nodes": {"node_edges": np.int32},
    "edges": dict.fromkeys(("edge_tails", "edge_items", "edge_features", "covered"), np.int32),
    "tails": {"tails": np.int32},
    "items": {"items": np.int32},
    "features": {"feature_ids": np.int32, "feature_values": np.float32},
    "words": {"word_bytes": np.int32},
    "bytes": {"words": np.uint8},
}
_BLOCK = 1 << 20  # numbers of features that are renewed at a time


class _Content(Struct):
    """What the header holds beside the arrays: how many sentences there are."""

    sentences: Count


FORESTS_FORMAT = FolderFormat(
    kind="isogloss forests",
    name="folder of forests",
    header="forests.json",
    version=(1, 0),
    remedy="Write the forests again",
    outdated="Write the forests again",
    unread=[f"{name}.npy" for columns in _COLUMNS.values() for name in columns],
    content=_Content,
)


class ForestWriter:
    """Writes the forests of sentences in their order; see :func:`forest_writer`."""

    def __init__(self, arrays: GrowingArrays, names: Iterable[str]) -> None:
        self._arrays = arrays
        self._names = {name: number for number, name in enumerate(names)}
        self._space: FeatureSpace | None = None
        self._numbers = np.zeros(0, np.int32)
        self.sentences = 0
        for part, columns in _COLUMNS.items():
            arrays.begin_offsets(f"sentences.{part}")
            for name, dtype in columns.items():
                arrays.begin(name, dtype)

    def add(self, graph: Hypergraph | None) -> None:
        """Write the forest of the next sentence, None for one that has none.

        Raises OutputError where it can't be written.
        """
        written = {} if graph is None else self._columns(graph)
        self.sentences += 1
        for part, columns in _COLUMNS.items():
            size = 0
            for name in columns.keys() & written.keys():
                self._arrays.append(name, written[name])
                size = len(written[name])
            self._arrays.append_offsets(f"sentences.{part}", np.array([0, size]))

    def _columns(self, graph: Hypergraph) -> dict[str, NDArray[Any]]:
        """What is written of a hypergraph, by name."""
        words = Texts.from_strings(graph.words)
        return {
            "node_edges": np.diff(graph.edge_offsets),
            "edge_tails": np.diff(graph.tail_offsets),
            "edge_items": np.diff(graph.item_offsets),
            "edge_features": np.diff(graph.rows.offsets),
            "covered": graph.covered,
            "tails": graph.tails,
            "items": graph.items,
            "feature_ids": self._numbers_of(graph.space)[graph.rows.ids],
            "feature_values": graph.rows.values,
            "word_bytes": np.diff(words.offsets),
            "words": words.content,
        }

    def _numbers_of(self, space: FeatureSpace) -> NDArray[np.int32]:
        """The numbers of a space's features in the order in which features were met."""
        if space is not self._space:
            names = self._names
            self._space = space
            self._numbers = np.array(
                [names.setdefault(name, len(names)) for name in space], np.int32
            )
        return self._numbers

    def names(self) -> list[str]:
        """All features in the order in which they were met."""
        return list(self._names)


@contextmanager
def forest_writer(
    folder: str | Path, names: Iterable[str] = (), *, overwrite: bool = False
) -> Iterator[ForestWriter]:
    """Write forests to a folder for :func:`open_forests`, which appears when the block ends well.

    The features of all of them are one space: ``names``, then what else they have, dense ones
    before sparse ones.

    Raises ModelError where the folder exists, unless ``overwrite``, and OutputError where it can't
    be written, such as on a full disk.
    """
    with FORESTS_FORMAT.write(folder, overwrite=overwrite) as new:
        with growing_arrays(new.path) as arrays:
            writer = ForestWriter(arrays, names)
            yield writer
        met = writer.names()
        ordered = sorted(range(len(met)), key=lambda number: is_sparse(met[number]))
        if ordered != list(range(len(met))):
            _renumber(new.path, np.argsort(ordered).astype(np.int32))
        features = Texts.from_strings(met[number] for number in ordered)
        new.write_arrays({"names.content": features.content, "names.offsets": features.offsets})
        new.values["sentences"] = writer.sentences


def _renumber(folder: Path, numbers: NDArray[np.int32]) -> None:
    """Give the features that were written their final numbers. numbers: int32[num_features]"""
    met = map_array(folder / "feature_ids.npy")
    with growing_arrays(folder) as arrays:
        arrays.begin("feature_ids", np.int32)
        for begin in range(0, len(met), _BLOCK):
            arrays.append("feature_ids", numbers[met[begin : begin + _BLOCK]])


def open_forests(folder: str | Path, *, verify: bool = False) -> Forests:
    """Open a folder of :func:`forest_writer`; its arrays are mapped, not read into memory.

    Sizes, numbers of sentences and names are checked; a hypergraph when it is made, every time:
    one that is damaged raises ModelError with the sentence, edge and node. With ``verify`` all
    bytes are compared with their checksums, too.

    Raises ModelError for a folder that is missing, unfinished, damaged or of another version.
    """
    return FORESTS_FORMAT.read(folder, _build, verify=verify)


def _build(stored: StoredFolder) -> Forests:
    """The forests of a folder. Raises ValueError for arrays that don't fit together."""
    count = stored.header["sentences"]
    columns, offsets = {}, {}
    for part, kinds in _COLUMNS.items():
        size: int | None = None
        for name, dtype in kinds.items():
            columns[name] = stored.typed(name, dtype, size)
            size = len(columns[name])
        assert size is not None
        offsets[part] = stored.offsets(f"sentences.{part}", size, count)
    content = stored.typed("names.content", np.uint8, None)
    names = list(Texts(content, stored.offsets("names.offsets", len(content))))
    strange = next((name for name in names if not is_feature_name(name)), None)
    if strange is not None:
        raise ValueError(f"the feature name {strange!r} is invalid")
    space = FeatureSpace(names)  # else a ValueError
    lacking = np.flatnonzero(sum(np.diff(bounds) for bounds in offsets.values()) == 0)
    graphs = _StoredGraphs(stored.path, columns, offsets, space)
    return Forests(graphs, np.arange(count), lacking, space, stored.path)


@dataclass(frozen=True)
class _StoredGraphs(Sequence[Hypergraph | None]):
    """Hypergraphs that are made of mapped arrays."""

    # columns: by name, of all sentences; offsets: int64[S + 1] each, where those of a sentence
    #   begin

    folder: Path
    columns: dict[str, NDArray[Any]]
    offsets: dict[str, NDArray[np.int64]]
    space: FeatureSpace

    def __len__(self) -> int:
        return len(self.offsets["nodes"]) - 1

    def __getitem__(self, number: Any) -> Any:
        try:
            return self._graph(number)
        except (IsoglossError, ValueError) as error:
            raise ModelError(
                f"{self.folder} is damaged at sentence {number}: {error}. {FORESTS_FORMAT.remedy}"
            ) from error

    def _graph(self, number: int) -> Hypergraph | None:
        """Raises an error of the hypergraph, or ValueError, for what is none."""
        part: dict[str, NDArray[Any]] = {}
        for kind, names in _COLUMNS.items():
            begin, end = self.offsets[kind][number : number + 2].tolist()
            part |= {name: self.columns[name][begin:end] for name in names}
        if not any(map(len, part.values())):
            return None
        words = Texts(part["words"], offsets_of(part["word_bytes"]))
        if (part["word_bytes"] < 0).any():
            raise ValueError("the length of a word is negative")
        return Hypergraph(
            offsets_of(part["node_edges"]),
            offsets_of(part["edge_tails"]),
            part["tails"],
            offsets_of(part["edge_items"]),
            part["items"],
            tuple(words),
            Ragged(part["feature_ids"], part["feature_values"], offsets_of(part["edge_features"])),
            self.space,
            part["covered"],
        )
