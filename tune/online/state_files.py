"""Files of learners' states: arrays of what features have, kept for those that have something."""

import io
import json
import zipfile
import zlib
from collections.abc import Callable, Collection, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any, TypeVar

import numpy as np
from msgspec import Meta, Struct
from numpy.typing import NDArray

from isogloss.align.errors import DataError
from isogloss.align.files.records import Count, Text, conform, parse_json
from isogloss.align.files.stored_folder import StoredKind
from isogloss.align.files.writers import atomic_file
from isogloss.features.space import FeatureSpace

from ..results import Epoch

__all__ = ["StateHeader", "read_state", "write_state"]

_Scalar = TypeVar("_Scalar", bound=np.generic)
_DAMAGE = (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile, zlib.error, MemoryError,
           NotImplementedError)  # fmt: skip


class StateHeader(Struct):
    """What the header of any state's file holds beside its kind and version.

    names: of the features that have a value in an array
    """

    names: list[Text]
    key: Annotated[int, Meta(ge=0, le=(1 << 63) - 1)]
    best_epoch: Count
    reached: Annotated[float, Meta(le=1e308)]  # -inf before the first epoch
    epochs: list[Epoch]


_Header = TypeVar("_Header", bound=StateHeader)


def write_state(
    kind: StoredKind,
    arrays: Mapping[str, NDArray[Any]],
    header: Mapping[str, Any],
    space: FeatureSpace,
    path: str | Path,
) -> None:
    """Write a state as an .npz file with the names of the features that have a value in it.

    arrays: of the features, by name: float64[..., num_features] or bool; those without any entry
        are not kept
    header: what else there is, without names

    Raises OutputError where it can't be written; an older file stays until the new one is whole.
    """
    rows = [np.atleast_2d(array) for array in arrays.values() if array.size]
    used = np.logical_or.reduce([(array != 0).any(0) for array in rows])
    used[:1] = True  # arrays of no feature would be taken for those that aren't kept
    kept: dict[str, Any] = {
        name: array[..., used] if array.size else array for name, array in arrays.items()
    }
    epochs = [asdict(epoch) for epoch in header["epochs"]]
    names = [space.names[k] for k in np.flatnonzero(used).tolist()]
    text = json.dumps(
        kind.stamp() | {"names": names} | {**header, "epochs": epochs}, ensure_ascii=False
    )
    content = io.BytesIO()
    np.savez(content, header=np.frombuffer(text.encode(), np.uint8), **kept)
    with atomic_file(path) as stream:
        stream.write(content.getbuffer())


def _no_more(arrays: Mapping[str, NDArray[Any]], header: StateHeader) -> None:
    """Check nothing more."""


def read_state(
    kind: StoredKind,
    layout: Mapping[str, tuple[type, int]],
    header_type: type[_Header],
    space: FeatureSpace,
    path: str | Path,
    *,
    optional: Collection[str] = (),
    never_below_0: Collection[str] = (),
    check: Callable[[dict[str, NDArray[Any]], _Header], None] = _no_more,
) -> tuple[dict[str, NDArray[Any]], _Header]:
    """Read a state over ``space``; what it doesn't have is left out, new features begin at 0.

    layout: type and number of dimensions of each array; optional: those that may be without entry
    check: raises ValueError for what else is wrong

    Raises DataError for a file that is none, or is damaged, and ModelError for one of another kind
    or of a version that can't be read.
    """
    try:
        arrays = _read_arrays(path, layout)
        values = {"version": [1, 0], **conform(parse_json(arrays.pop("header").tobytes()), dict)}
        kind.check(values, path)  # the first version's headers did not tell it
        header: _Header = conform(values, header_type)
        for name, array in arrays.items():
            lengths = (len(header.names), 0) if name in optional else (len(header.names),)
            _check_array(name, array, *layout[name], lengths)
            if name in never_below_0 and (array < 0.0).any():
                raise ValueError(f"{name} is below 0")
        if header.epochs and header.best_epoch >= len(header.epochs):
            raise ValueError(
                f"best_epoch is {header.best_epoch}, but the number of epochs is "
                f"{len(header.epochs)}"
            )
        check(arrays, header)
    except (*_DAMAGE, DataError) as error:
        raise DataError(
            f"the file is not a state of kind {kind.kind!r} ({error})",
            "a file saved by tuning",
            file=path,
        ) from error
    new_ids = space.ids(header.names)
    return {name: _over(array, new_ids, len(space)) for name, array in arrays.items()}, header


def _read_arrays(path: str | Path, names: Collection[str]) -> dict[str, Any]:
    """The arrays of a state's archive, of which none unpacks to more than the file holds."""
    with zipfile.ZipFile(path) as archive:
        size = Path(path).stat().st_size
        if any(entry.file_size > size for entry in archive.infolist()):
            raise ValueError("the archive expands to more than its declared size")
    try:
        with np.load(path) as content:
            return {name: np.asarray(content[name]) for name in (*names, "header")}
    except OSError:
        raise
    except Exception as error:  # another form of NumPy's before the archive; what heads an array
        raise ValueError(str(error) or type(error).__name__) from error  # is evaluated, too


def _check_array(
    name: str, array: NDArray[Any], dtype: type, dimensions: int, lengths: Collection[int]
) -> None:
    """Raise ValueError for an array that kernels can't take."""
    if array.dtype != dtype or array.ndim != dimensions:
        raise ValueError(f"{name} has the type {array.dtype} and {array.ndim} dimensions")
    if array.shape[-1] not in lengths:
        raise ValueError("arrays have different lengths")
    if not np.isfinite(array).all():
        raise ValueError(f"{name} contains a number that is not finite")


def _over(
    values: NDArray[_Scalar], new_ids: NDArray[np.int32], num_features: int
) -> NDArray[_Scalar]:
    """What features have, over another space; without entry as it is."""
    if not values.shape[-1]:
        return values
    result = np.zeros((*values.shape[:-1], num_features), values.dtype)
    kept = new_ids >= 0
    result[..., new_ids[kept]] = values[..., kept]
    return result
