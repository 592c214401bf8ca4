"""A hypergraph on disk: a folder of arrays, words and names of features."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from isogloss.align.arrays.sparse_rows import Ragged
from isogloss.align.files.stored_folder import FolderFormat, NewFolder, StoredFolder
from isogloss.align.text.string_array import Texts
from isogloss.features.space import FeatureSpace

__all__ = ["HYPERGRAPH_FORMAT", "read_columns", "write_columns"]

_ROWS = ("ids", "values", "offsets")
_COLUMNS = (
    "edge_offsets", "tail_offsets", "tails", "item_offsets", "items", "covered", "kept",
)  # fmt: skip
HYPERGRAPH_FORMAT = FolderFormat(
    kind="isogloss hypergraph",
    name="hypergraph folder",
    header="hypergraph.json",
    version=(1, 0),
    remedy="Save the hypergraph again",
    outdated="Save the hypergraph again",
)


def read_columns(stored: StoredFolder) -> dict[str, Any]:
    """Return the columns of a hypergraph by name. Raises ValueError if arrays don't fit."""
    tails, items, covered, ids = (
        stored.typed(name, np.int32, None) for name in ("tails", "items", "covered", "rows.ids")
    )
    return {
        "edge_offsets": stored.offsets("edge_offsets", len(covered)),
        "tail_offsets": stored.offsets("tail_offsets", len(tails), len(covered)),
        "tails": tails,
        "item_offsets": stored.offsets("item_offsets", len(items), len(covered)),
        "items": items,
        "words": _texts_of(stored, "words"),
        "rows": Ragged(
            ids,
            stored.finite("rows.values", np.float32, len(ids)),
            stored.offsets("rows.offsets", len(ids), len(covered)),
        ),
        "space": FeatureSpace(_texts_of(stored, "features")),
        "covered": covered,
        "kept": stored.finite("kept", np.float64, None),
    }


def write_columns(new: NewFolder, columns: Mapping[str, Any]) -> None:
    """Write the columns of a hypergraph."""
    rows = {f"rows.{name}": getattr(columns["rows"], name) for name in _ROWS}
    new.write_arrays(rows | {name: columns[name] for name in _COLUMNS})
    for name, strings in (("words", columns["words"]), ("features", columns["space"])):
        texts = Texts.from_strings(strings)
        new.write_arrays({f"{name}.content": texts.content, f"{name}.offsets": texts.offsets})


def _texts_of(stored: StoredFolder, name: str) -> tuple[str, ...]:
    content = stored.typed(f"{name}.content", np.uint8, None)
    return tuple(Texts(content, stored.offsets(f"{name}.offsets", len(content))))
