"""Files of a batch loop: the weights of each iteration, and the lists that they gave.

They stand in the folder of the run, beside the results of its trainings, each written when it is
complete, so that a run that was killed goes on from what is there.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from msgspec import Struct

from isogloss.align.files.records import Count, Finite, Text, read_json
from isogloss.align.files.writers import write_lines
from isogloss.features.space import is_sparse
from isogloss.tune.weights.weights import Weights

__all__ = ["IterationFiles", "Step"]


class _Step(Struct):
    """What the file of a step holds."""

    loss: Finite
    hypotheses: Count
    weights: dict[Text, Finite]
    scale: Finite = 1.0


@dataclass(frozen=True)
class Step:
    """Weights to translate with, and where they come from.

    loss: what the optimizer minimized
    hypotheses: different ones of all lists that they were learned from, 0 for those to start from
    scale: a factor of the sparse weights before that nothing was learned of
    """

    weights: Weights
    loss: float = 0.0
    hypotheses: int = 0
    scale: float = 1.0

    def followed_by(
        self, learned: Weights, loss: float, hypotheses: int, scale: float = 1.0
    ) -> "Step":
        """The next step, learned from these: features that nothing was learned of keep their
        weights, sparse ones times ``scale`` (see :class:`isogloss.tune.results.TuningResult`).
        """
        before = {
            name: scale * value if is_sparse(name) else value
            for name, value in self.weights.items()
        }
        named = before | learned.as_dict(keep_zeros=True)
        return Step(Weights.from_dict(named), loss, hypotheses, scale)

    def change(self, before: "Step") -> float:
        """The largest difference of a weight, as a share of the largest weight before or after."""
        space = self.weights.space
        old, new = before.weights.to_space(space).values, self.weights.values
        largest = max(np.abs(old).max(initial=0.0), np.abs(new).max(initial=0.0))
        return float(np.abs(new - old).max(initial=0.0) / largest) if largest else 0.0


@dataclass(frozen=True)
class IterationFiles:
    """Names of the files of a training's iterations, from 0 on, in a folder.

    name: of the training, such as run1.final
    """

    folder: Path
    name: str

    def _file(self, number: int, what: str) -> Path:
        return self.folder / f"{self.name}.iteration{number}.{what}"

    def nbest(self, number: int) -> Path:
        """The n-best list that the weights of an iteration gave."""
        return self._file(number, "nbest.gz")

    def lists(self, count: int) -> list[str]:
        """The first ``count`` n-best lists."""
        return [str(self.nbest(number)) for number in range(count)]

    def held_out(self, number: int) -> Path:
        """The best translations of the held-out text that they gave, as a list."""
        return self._file(number, "held-out.gz")

    def write_step(self, number: int, step: Step) -> None:
        """Keep the weights of an iteration."""
        weights: Mapping[str, float] = dict(step.weights.items())
        value = {
            "loss": step.loss, "hypotheses": step.hypotheses, "scale": step.scale,
            "weights": weights,
        }  # fmt: skip
        lines = json.dumps(value, indent=1, ensure_ascii=False).split("\n")
        write_lines(lines, self._file(number, "json"))

    def read_step(self, number: int) -> Step | None:
        """The weights of an iteration, None where it has not begun.

        Raises DataError for a file that is damaged.
        """
        path = self._file(number, "json")
        if not path.exists():
            return None
        again = "Delete it and pass --resume, which trains these weights again"
        value: _Step = read_json(path, _Step, again)
        weights = Weights.from_dict(value.weights)
        return Step(weights, value.loss, value.hypotheses, value.scale)
