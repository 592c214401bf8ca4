"""State of learners with hope and fear between two epochs: all that they need to go on."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isogloss.align.arrays.equality import ComparedByContent
from isogloss.align.files.records import Count, Finite
from isogloss.align.files.stored_folder import StoredKind
from isogloss.features.space import FeatureSpace

from ...online.epochs import Best, Course
from ...online.state_files import StateHeader, read_state, write_state
from .learner import LearnerState

__all__ = ["HingeState", "read_hinge_state", "write_hinge_state"]

HINGE_STATE = StoredKind(
    kind="isogloss learners with hope and fear",
    version=(1, 0),
    remedy="Start the tuning again",
    outdated="Start the tuning again",
)
_BY_LEARNER = ("weights", "squares", "drift")


@dataclass(frozen=True, eq=False)
class HingeState(ComparedByContent):
    """What p learners have after some epochs.

    weights, squares, drift: float64[p, num_features]; documents: float64[p, K]
    steps: of each learner; course: what the epochs have reached
    See :class:`isogloss.tune.optimizers.structured.learner.LearnerState`.
    """

    weights: NDArray[np.float64]
    squares: NDArray[np.float64]
    drift: NDArray[np.float64]
    documents: NDArray[np.float64]
    steps: tuple[int, ...]
    course: Course

    @classmethod
    def of(cls, learners: Sequence[LearnerState], course: Course) -> "HingeState":
        """The state of some learners."""
        return cls(
            np.array([learner.weights for learner in learners]),
            np.array([learner.squares for learner in learners]),
            np.array([learner.drift for learner in learners]),
            np.array([learner.document for learner in learners]),
            tuple(learner.steps for learner in learners),
            course,
        )

    @property
    def learners(self) -> list[LearnerState]:
        """The state of each learner."""
        columns = self.weights, self.squares, self.drift, self.documents, self.steps
        return [LearnerState(*column) for column in zip(*columns, strict=True)]


class _Header(StateHeader):
    """documents, steps: of each learner."""

    documents: list[list[Finite]]
    steps: list[Count]


def write_hinge_state(state: HingeState, space: FeatureSpace, path: str | Path) -> None:
    """Write a state as an .npz file with the names of the features that have a value in it.

    Raises OutputError where it can't be written; an older file stays until the new one is whole.
    """
    best = state.course.best
    assert best is not None
    arrays = {name: getattr(state, name) for name in _BY_LEARNER} | {"best_weights": best.weights}
    header = {
        "key": state.course.key,
        "best_epoch": best.epoch,
        "reached": best.reached,
        "epochs": state.course.epochs,
        "documents": state.documents.tolist(),
        "steps": state.steps,
    }
    write_state(HINGE_STATE, arrays, header, space, path)


def read_hinge_state(path: str | Path, space: FeatureSpace) -> HingeState:
    """Read a state over ``space``; what it doesn't have is left out, new features begin at 0.

    Raises DataError for a file that is none, or is damaged, and ModelError for one of another kind
    or of a version that can't be read.
    """
    layout = dict.fromkeys(_BY_LEARNER, (np.float64, 2)) | {"best_weights": (np.float64, 1)}
    arrays, header = read_state(
        HINGE_STATE, layout, _Header, space, path, never_below_0=("squares",), check=_check
    )
    best = Best(arrays["best_weights"], header.best_epoch, header.reached)
    return HingeState(
        arrays["weights"],
        arrays["squares"],
        arrays["drift"],
        np.array(header.documents),
        tuple(header.steps),
        Course(header.key, tuple(header.epochs), best),
    )


def _check(arrays: Mapping[str, NDArray[Any]], header: _Header) -> None:
    """Raise ValueError for columns that differ in length."""
    sizes = {len(arrays[name]) for name in _BY_LEARNER}
    if {len(header.steps), len(header.documents)} != sizes:
        raise ValueError("columns have different numbers of learners")
    if len({len(document) for document in header.documents}) != 1:
        raise ValueError("oracle documents have different lengths")
