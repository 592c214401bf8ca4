"""State of an online optimiser between two epochs: all that it needs to go on unchanged."""

import io
import json
import zipfile
import zlib
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Annotated, Any, TypeVar

import numpy as np
from msgspec import Meta, Struct, structs
from numpy.typing import NDArray

from align.errors import DataError
from align.files.records import Count, Finite, Text, conform, parse_json
from align.files.stored_folder import StoredKind
from align.files.writers import atomic_file
from features.space import FeatureSpace

from ..results import Epoch

__all__ = ["OnlineState", "read_online_state", "write_online_state"]

_T = TypeVar("_T", bound=np.generic)
ONLINE_STATE = StoredKind(
    kind="isogloss online optimizer",
    version=(1, 0),
    remedy="Start the tuning again",
    outdated="Start the tuning again",
)
_DAMAGE = (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile, zlib.error, MemoryError,
           NotImplementedError)  # fmt: skip
_ARRAYS = ("weights", "squares", "settled", "sums", "familiar", "best_weights")


@dataclass(frozen=True)
class OnlineState:
    """Weights and memory of an online optimiser after some epochs.

    weights: float64[num_features], of the last step (not averaged)
    squares: float64[num_features], G of AdaGrad: squared gradients so far
    settled: float64[num_features], time up to which shrinkage is paid (see kernels/updates.py)
    sums: float64[num_features], weights times time for the average; empty where there is none
    familiar: bool[num_features], whether enough sentences had the feature
    time, steps: sum of the rates of the steps made, and their number
    key: of all random numbers of the run; epoch: epochs done
    best_weights: float64[num_features], of the best epoch
    reached: the score that it is judged by, higher is better
    epochs: what each epoch reached, from the start on
    """

    weights: NDArray[np.float64]
    squares: NDArray[np.float64]
    settled: NDArray[np.float64]
    sums: NDArray[np.float64]
    familiar: NDArray[np.bool_]
    time: float
    steps: int
    key: int
    epoch: int
    best_weights: NDArray[np.float64]
    best_epoch: int
    reached: float
    epochs: tuple[Epoch, ...]

    @classmethod
    def fresh(cls, weights: NDArray[np.float64], average: bool) -> "OnlineState":
        """The state before the first step and epoch.

        weights: float64[num_features], to start from; average: whether averages are kept
        """
        zeros, num_features = np.zeros_like(weights), len(weights)
        return cls(
            weights=weights,
            squares=zeros,
            settled=zeros,
            sums=zeros if average else np.zeros(0),
            familiar=np.zeros(num_features, np.bool_),
            time=0.0,
            steps=0,
            key=0,
            epoch=0,
            best_weights=weights,
            best_epoch=0,
            reached=-np.inf,
            epochs=(),
        )


class _Header(Struct):
    """What the header of a state's file holds beside its kind and version."""

    names: list[Text]
    time: Finite
    steps: Count
    key: Annotated[int, Meta(ge=0, le=(1 << 63) - 1)]
    epoch: Count
    best_epoch: Count
    reached: Annotated[float, Meta(le=1e308)]  # -inf before the first epoch
    epochs: list[Epoch]


def write_online_state(state: OnlineState, space: FeatureSpace, path: str | Path) -> None:
    """Write a state as an .npz file with the names of the features that have a value in it.

    Raises OutputError where it can't be written; an older file stays until the new one is whole.
    """
    arrays = {name: getattr(state, name) for name in _ARRAYS}
    used = np.logical_or.reduce([array != 0 for array in arrays.values() if len(array)])
    used[:1] = True  # arrays of no feature would be taken for those that aren't kept
    arrays = {name: array[used] if len(array) else array for name, array in arrays.items()}
    numbers = [value.name for value in fields(state) if value.name not in _ARRAYS]
    header = json.dumps(
        ONLINE_STATE.stamp()
        | {"names": [space.names[k] for k in np.flatnonzero(used).tolist()]}
        | {name: getattr(state, name) for name in numbers}
        | {"epochs": [asdict(epoch) for epoch in state.epochs]},
        ensure_ascii=False,
    )
    content = io.BytesIO()
    np.savez(content, header=np.frombuffer(header.encode(), np.uint8), **arrays)
    with atomic_file(path) as stream:
        stream.write(content.getbuffer())


def read_online_state(path: str | Path, space: FeatureSpace) -> OnlineState:
    """Read a state over ``space``; what it doesn't have is left out, new features begin at 0.

    Raises DataError for a file that is none, or is damaged, and ModelError for one of another kind
    or of a version that can't be read.
    """
    try:
        arrays = _read_arrays(path)
        values = {"version": [1, 0], **conform(parse_json(arrays.pop("header").tobytes()), dict)}
        ONLINE_STATE.check(values, path)  # the first version's headers did not tell it
        header: _Header = conform(values, _Header)
        _check_arrays(arrays, len(header.names))
        if header.epochs and header.best_epoch >= len(header.epochs):
            raise ValueError(f"best epoch {header.best_epoch} of {len(header.epochs)}")
    except (*_DAMAGE, DataError) as error:
        raise DataError(
            f"not a state of an online optimizer ({error})",
            "a file that tuning has saved",
            file=path,
        ) from error
    names, numbers = header.names, structs.asdict(header) | {"epochs": tuple(header.epochs)}
    del numbers["names"]
    state = OnlineState(**(arrays | numbers))
    return _over(state, names, space)


def _read_arrays(path: str | Path) -> dict[str, Any]:
    """The arrays of a state's archive, of which none unpacks to more than the file holds."""
    with zipfile.ZipFile(path) as archive:
        size = Path(path).stat().st_size
        if any(entry.file_size > size for entry in archive.infolist()):
            raise ValueError("an archive that holds more than its size")
    with np.load(path) as content:
        try:
            return {name: np.asarray(content[name]) for name in (*_ARRAYS, "header")}
        except Exception as error:  # numpy evaluates what heads an array, whatever stands there
            raise ValueError(str(error) or type(error).__name__) from error


def _check_arrays(arrays: Mapping[str, NDArray[Any]], num_features: int) -> None:
    """Raise ValueError for arrays that kernels can't take."""
    for name, array in arrays.items():
        dtype = np.bool_ if name == "familiar" else np.float64
        sizes = (num_features, 0) if name == "sums" else (num_features,)
        if array.dtype != dtype or array.ndim != 1:
            raise ValueError(f"{name} of type {array.dtype}, {array.ndim} dimensions")
        if len(array) not in sizes:
            raise ValueError("arrays of unequal length")
        if not np.isfinite(array).all():
            raise ValueError(f"{name} with a number that is not finite")
    if (arrays["squares"] < 0.0).any():
        raise ValueError("squares below 0")


def _over(state: OnlineState, names: list[str], space: FeatureSpace) -> OnlineState:
    """The state over another space; what it lacks is left out, what is new begins at 0."""
    new_ids = space.ids(names)
    kept = new_ids >= 0

    def moved(values: NDArray[_T]) -> NDArray[_T]:
        result = np.zeros(len(space) if len(values) else 0, values.dtype)
        if len(values):
            result[new_ids[kept]] = values[kept]
        return result

    return replace(
        state,
        weights=moved(state.weights),
        squares=moved(state.squares),
        settled=moved(state.settled),
        sums=moved(state.sums),
        familiar=moved(state.familiar),
        best_weights=moved(state.best_weights),
    )
