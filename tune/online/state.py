"""State of an online optimizer between two epochs: all that it needs to go on unchanged."""

from dataclasses import dataclass, fields
from pathlib import Path

import numpy as np
from msgspec import field, structs
from numpy.typing import NDArray

from isogloss.align.arrays.equality import ComparedByContent
from isogloss.align.files.records import Count, Finite
from isogloss.align.files.stored_folder import StoredKind
from isogloss.features.space import FeatureSpace

from ..results import Epoch
from .state_files import StateHeader, read_state, write_state

__all__ = ["OnlineState", "read_online_state", "write_online_state"]

ONLINE_STATE = StoredKind(
    kind="isogloss online optimizer",
    version=(1, 1),
    remedy="Start the tuning again",
    outdated="Start the tuning again",
)
_ARRAYS = ("weights", "squares", "settled", "sums", "familiar", "best_weights")


@dataclass(frozen=True, eq=False)
class OnlineState(ComparedByContent):
    """Weights and memory of an online optimizer after some epochs.

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
    document: K statistics of the oracle document, where the learner has one
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
    document: tuple[float, ...] = ()

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


class _Header(StateHeader):
    """What the header of a state's file holds beside its kind and version."""

    time: Finite
    steps: Count
    epoch: Count
    document: list[Finite] = field(default_factory=list)


def write_online_state(state: OnlineState, space: FeatureSpace, path: str | Path) -> None:
    """Write a state as an .npz file with the names of the features that have a value in it.

    Raises OutputError where it can't be written; an older file stays until the new one is whole.
    """
    arrays = {name: getattr(state, name) for name in _ARRAYS}
    numbers = [value.name for value in fields(state) if value.name not in _ARRAYS]
    write_state(ONLINE_STATE, arrays, {name: getattr(state, name) for name in numbers}, space, path)


def read_online_state(path: str | Path, space: FeatureSpace) -> OnlineState:
    """Read a state over ``space``; what it doesn't have is left out, new features begin at 0.

    Raises DataError for a file that is none, or is damaged, and ModelError for one of another kind
    or of a version that can't be read.
    """
    layout = {name: (np.bool_ if name == "familiar" else np.float64, 1) for name in _ARRAYS}
    arrays, header = read_state(
        ONLINE_STATE, layout, _Header, space, path,
        optional=("sums",), never_below_0=("squares",),
    )  # fmt: skip
    numbers = structs.asdict(header)
    numbers |= {name: tuple(numbers[name]) for name in ("epochs", "document")}
    del numbers["names"]
    return OnlineState(**(arrays | numbers))
