"""Working sets of derivations, and the quadratic program that keeps their margins."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from isogloss.align.arrays.ragged import distinct_sums, joined_offsets, offsets_of, per_entry

from ...kernels.rows import Rows
from .kernels.working_sets import Sets, optimize_sets
from .protocol import Hypotheses

__all__ = ["Change", "QuadraticProgram", "WorkingSet"]


@dataclass(frozen=True)
class WorkingSet:
    """Translations of a sentence whose margins are to be kept.

    members: the one that weights move to, then those that violated their margins the most
    losses: float64[n], gain of the first minus that of each
    """

    members: Hypotheses
    losses: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.losses)

    @classmethod
    def of(cls, target: Hypotheses) -> "WorkingSet":
        """Of the one alone that weights move to."""
        return cls(target, np.zeros(1))

    def and_also(self, found: Hypotheses, loss: float) -> "WorkingSet":
        """With one more."""
        return WorkingSet(self.members.and_then(found), np.append(self.losses, loss))

    def violations(self, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        """v of each, 0 for the first: float64[n]. weights: float64[num_features]"""
        scores = self.members.scores(weights)
        violations: NDArray[np.float64] = self.losses + scores - scores[0]
        return violations


class Change(NamedTuple):
    """A sum of feature vectors.

    ids: int32[k], features, rising; values: float64[k]
    """

    ids: NDArray[np.int32]
    values: NDArray[np.float64]

    @classmethod
    def between(cls, members: Hypotheses, shares: NDArray[np.float64]) -> "Change":
        """The sum of share (h(first) - h(d)). shares: float64[n], 1 in sum"""
        parts = -shares
        parts[0] += 1.0
        ids, values, offsets = members.rows
        ids_found, sums = distinct_sums(ids.astype(np.int64), per_entry(parts, offsets) * values)
        return cls(ids_found.astype(np.int32), sums)


class QuadraticProgram:
    """Least |w' - w|^2 / (2 rate) + greatest violation of each working set (Chiang 2012, eq. 6).

    Shares, the dual variables, belong to the weights that were moved by them: a set may grow, and
    the program goes on from where it is. In print (Algorithm 2, line 13) they begin anew, from
    weights that have moved; what is solved then is no longer eq. 6.
    """

    def __init__(self, sets: Sequence[WorkingSet]) -> None:
        self.sets = list(sets)
        self.shares = [np.append(1.0, np.zeros(len(members) - 1)) for members in sets]

    def widen(self, number: int, wider: WorkingSet) -> None:
        """Give a set more members."""
        added = len(wider) - len(self.sets[number])
        self.sets[number] = wider
        self.shares[number] = np.append(self.shares[number], np.zeros(added))

    def optimize(
        self, weights: NDArray[np.float64], rates: NDArray[np.float64], epsilon: float
    ) -> None:
        """Move the weights to the optimum. weights: float64[num_features], changed

        rates: float64[num_features]; epsilon: of the optimality conditions
        """
        rows = [members.members.rows for members in self.sets]
        joined = Sets(
            offsets_of([len(members) for members in self.sets]),
            Rows(
                np.concatenate([part.ids for part in rows]),
                np.concatenate([part.values for part in rows]),
                joined_offsets([part.offsets for part in rows]),
            ),
            np.concatenate([members.losses for members in self.sets]),
        )
        shares = np.concatenate(self.shares)
        optimize_sets(joined, shares, rates, weights, float(epsilon))
        self.shares = np.split(shares, joined.offsets[1:-1])

    def changes(self) -> list[Change]:
        """x of each set: the sum of share (h(first) - h(d)); the weights moved by rate times x."""
        pairs = zip(self.sets, self.shares, strict=True)
        return [Change.between(members.members, shares) for members, shares in pairs]
