"""What every optimizer reports while it works, and what it returns."""

import json
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path

import numpy as np
from msgspec import Struct

from isogloss.align.arrays.equality import ComparedByContent
from isogloss.align.errors import DataError
from isogloss.align.execution.calls import ExplainedClass, public
from isogloss.align.files.outputs import check_unused
from isogloss.align.files.records import Count, Finite, Text, conform, parse_json
from isogloss.align.files.tables.columns import Column
from isogloss.align.files.tables.html import html_table
from isogloss.align.files.tables.tabular import Tabular
from isogloss.align.files.text_io import LONGEST_DOCUMENT, MAX_LINES, read_lines
from isogloss.align.files.writers import write_lines

from .weights.lines import parse_json_weights
from .weights.weights import Weights, check_weight_names, weights_as_json

__all__ = ["Advance", "Epoch", "Report", "TuningResult", "ignore", "pass_over"]

_SHOWN = 5  # weights in a repr


@dataclass(frozen=True)
class Epoch:
    """One pass over the examples, or one iteration of a batch optimizer.

    Attributes
    ----------
    number : int
        0 is the start.
    loss : float
        Training objective, summed while learning.
    score : float
        Metric of the 1-best hypotheses under the weights after the epoch, in the reported unit.
    active : int
        Number of nonzero weights.
    held_out : float or None
        Metric on held-out examples, if any.
    """

    number: Count
    loss: Finite
    score: Finite
    active: Count
    held_out: Finite | None = None

    @property
    def chosen_by(self) -> float:
        """Score that epochs are compared by: the held-out score if there is one."""
        return self.score if self.held_out is None else self.held_out

    def rank(self, sign: int) -> tuple[float, float]:
        """What the best epoch has the highest of; of equal held-out scores training decides.

        sign: -1 of a metric that is an error rate
        """
        return sign * self.chosen_by, sign * self.score


Report = Callable[[Epoch], None]
Advance = Callable[[int], None]  # with the number of sentences done since the last call


def ignore(epoch: Epoch) -> None:
    """Report nothing."""


def pass_over(count: int) -> None:
    """Report no progress."""


@public
@dataclass(frozen=True, eq=False)
class TuningResult(Tabular, ComparedByContent, metaclass=ExplainedClass):
    """Weights of the best epoch, and the scores of all epochs.

    As a table (``result.to_pandas()``) it has a row per epoch; ``isogloss.plot.tuning(result)``
    draws them.

    Parameters
    ----------
    weights : Weights
        Weights of the best epoch.
    best_epoch : int
        Number of the best epoch; 0 = initial weights.
    epochs : tuple of Epoch
        The start and all epochs.
    scale : float, default 1.0
        Factor by which the optimizer scaled all weights, as MERT does to normalize. Multiply
        weights of features that it didn't tune by it.
    metric : str, default ""
        Name of the metric of the scores; empty if unknown.

    Examples
    --------
    >>> epochs = (Epoch(0, 0.0, 18.3, 1), Epoch(1, 7.5, 23.4, 1))
    >>> result = TuningResult(Weights.from_dict({"LM0": 0.5}), 1, epochs, metric="bleu")
    >>> result
    TuningResult(bleu 18.3 -> 23.4 (+5.1) at epoch 1 of 1; 1 weight, 1 other than 0: LM0 0.5)
    >>> round(result.gain, 1)
    5.1
    """

    weights: Weights
    best_epoch: int
    epochs: tuple[Epoch, ...]
    scale: float = field(default=1.0, kw_only=True)
    metric: str = field(default="", kw_only=True)

    @property
    def note(self) -> str:
        """Remark on the search; empty if there is none."""
        return ""

    @property
    def score(self) -> float:
        """Score of the best epoch: the held-out score if there is one."""
        return self.epochs[self.best_epoch].chosen_by

    @property
    def gain(self) -> float:
        """Score of the best epoch minus the score of the start."""
        return self.score - self.epochs[0].chosen_by

    def _repr_html_(self) -> str:
        rows = [
            (f"{one.number} *" if one.number == self.best_epoch else str(one.number), one.loss,
             one.score, one.held_out, one.active)
            for one in self.epochs
        ]  # fmt: skip
        header = ("epoch (* = best)", "loss", self.metric or "score", "held-out", "active")
        return html_table(f"TuningResult: {repr(self).partition('(')[2].rstrip(')')}", header, rows)

    def __repr__(self) -> str:
        best = self.epochs[self.best_epoch]
        name = ("held-out " if best.held_out is not None else "") + (self.metric or "score")
        largest = ", ".join(f"{key} {value:.4g}" for key, value in self.weights.top(_SHOWN).items())
        return (
            f"{type(self).__name__}({name} {self.epochs[0].chosen_by:.4g} -> {self.score:.4g} "
            f"({self.gain:+.2g}) at epoch {self.best_epoch} of {len(self.epochs) - 1}; "
            f"{len(self.weights):,} weight{'s' * (len(self.weights) != 1)}, "
            f"{self.weights.num_active:,} other than 0{': ' * bool(largest)}{largest})"
        )

    def table_columns(self) -> dict[str, Column]:
        """Return columns epoch, loss, score, held_out (NaN if there is none) and active."""
        epochs = self.epochs
        held_out = [np.nan if one.held_out is None else one.held_out for one in epochs]
        return {
            "epoch": np.array([one.number for one in epochs], np.int64),
            "loss": np.array([one.loss for one in epochs], np.float64),
            "score": np.array([one.score for one in epochs], np.float64),
            "held_out": np.array(held_out, np.float64),
            "active": np.array([one.active for one in epochs], np.int64),
        }

    def save(self, path: str | Path | None, *, overwrite: bool | None = None) -> None:
        """Write weights and epochs as JSON; :meth:`Weights.load` reads the weights.

        Parameters
        ----------
        path : str, Path or None
            Such as ``result.json``; ``-`` and None are standard output.
        overwrite : bool, optional
            Whether an existing file or folder is replaced, or else an error. Default: a file is
            replaced, a folder is an error.

        Raises
        ------
        ModelError
            If the path exists and may not be replaced.
        DataError
            If the name of a feature can't be printed.
        OutputError
            If the file can't be written.
        """
        check_unused(path, overwrite)
        named = self.weights.as_dict(keep_zeros=True)
        check_weight_names(named, None)
        lines = weights_as_json(named)
        rest = {
            "result": {
                "metric": self.metric,
                "scale": self.scale,
                "best_epoch": self.best_epoch,
                "epochs": [asdict(epoch) for epoch in self.epochs],
            }
        }
        write_lines([*lines[:-2], f"{lines[-2]},", f" {json.dumps(rest)[1:-1]}", lines[-1]], path)

    @classmethod
    def load(cls, path: str | Path) -> "TuningResult":
        """Read a result that :meth:`save` has written.

        Parameters
        ----------
        path : str or Path
            A file of JSON.

        Returns
        -------
        TuningResult
            A TuningResult with the common fields only.

        Raises
        ------
        DataError
            If the file holds anything else, such as weights alone.

        Examples
        --------
        >>> from tempfile import mkdtemp
        >>> path = f"{mkdtemp()}/result.json"
        >>> weights = Weights.from_dict({"LM0": 0.5})
        >>> TuningResult(weights, 0, (Epoch(0, 0.0, 18.3, 1),)).save(path)
        >>> TuningResult.load(path).score
        18.3
        """
        text = "\n".join(read_lines(path, longest=LONGEST_DOCUMENT, most=MAX_LINES))
        try:
            stored: _Stored = conform(parse_json(text), _StoredResult).result
            if not stored.best_epoch < len(stored.epochs):
                raise DataError(
                    f"best_epoch is {stored.best_epoch}, but the number of epochs is "
                    f"{len(stored.epochs)}"
                )
        except DataError as error:
            raise DataError(
                f"the file is not a tuning result ({error.fault})",
                "a file of TuningResult.save; use Weights.load for a file of weights",
                file=path,
            ) from error
        weights = Weights.from_dict(parse_json_weights(text, path))
        return TuningResult(
            weights, stored.best_epoch, tuple(stored.epochs), scale=stored.scale,
            metric=stored.metric,
        )  # fmt: skip


class _Stored(Struct):
    """What a file of a result holds beside its weights."""

    metric: Text
    scale: Finite
    best_epoch: Count
    epochs: list[Epoch]


class _StoredResult(Struct):
    result: _Stored
