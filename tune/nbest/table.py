"""The columns of a table of hypotheses."""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from isogloss.align.files.tables.columns import Column, NamedNumbers, StringBlock, ValueLists
from isogloss.align.ragged import offsets_of, positions_within, row_numbers
from isogloss.align.sparse_rows import Ragged
from isogloss.align.text.string_array import Texts
from isogloss.features.space import FeatureSpace

__all__ = ["hypothesis_columns"]


def hypothesis_columns(
    sentence_offsets: NDArray[np.int64],
    names: Sequence[str] | None,
    texts: Texts,
    rows: Ragged,
    space: FeatureSpace,
    further: Mapping[str, NDArray[np.float64]],
) -> dict[str, Column]:
    """Columns of n-best lists: sentence, rank, text, each dense feature, each further number,
    and ``sparse``, lists of the names and values of sparse features, where there are any.

    A name that is taken becomes ``feature:NAME`` or ``column:NAME``.

    sentence_offsets: int64[num_sentences + 1]; further: float64[num_hypotheses] each
    names: of the sentences; texts, rows: of the hypotheses
    """
    sentence = row_numbers(sentence_offsets)
    columns: dict[str, Column] = {
        "sentence": sentence,
        "rank": positions_within(sentence_offsets),
        "text": StringBlock(texts.content, texts.offsets),
    }
    if names is not None:
        columns["sentence"] = NamedNumbers(sentence.astype(np.int32), names)
    taken = {*columns, "sparse"}
    for number, values in enumerate(_dense_values(rows, space.num_dense)):
        name = space.names[number]
        columns[f"feature:{name}" if name in taken else name] = values
    for name, column in further.items():
        columns[f"column:{name}" if name in columns or name in taken else name] = column
    if len(space) > space.num_dense:
        columns["sparse"] = _sparse_lists(rows, space)
    return columns


def _dense_values(rows: Ragged, num_dense: int) -> NDArray[np.float64]:
    """Values of the dense features, a row each: float64[num_dense, num_hypotheses]."""
    row = row_numbers(rows.offsets)
    is_dense = rows.ids < num_dense
    place = rows.ids[is_dense].astype(np.int64) * len(rows) + row[is_dense]
    total = np.bincount(place, rows.values[is_dense], minlength=num_dense * len(rows))
    return total.astype(np.float64).reshape(num_dense, len(rows))


def _sparse_lists(rows: Ragged, space: FeatureSpace) -> ValueLists:
    """The sparse features of each hypothesis, in the order of the list."""
    num_dense = space.num_dense
    is_sparse = rows.ids >= num_dense
    sizes = np.bincount(row_numbers(rows.offsets)[is_sparse], minlength=len(rows))
    names = [space.names[number] for number in range(num_dense, len(space))]
    numbers = NamedNumbers(rows.ids[is_sparse] - np.int32(num_dense), names)
    return ValueLists(numbers, rows.values[is_sparse], offsets_of(sizes))
