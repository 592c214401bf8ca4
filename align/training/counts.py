"""Expected counts of an E-step."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..model.kernels.gather import LinkCounts
from ..model.kernels.transitions import JumpCounts
from ..model.parameters import Parameters

__all__ = ["Counts", "empty_jump_counts", "units_of"]

_BITS = 60  # of int64 that counts take at most; jumps may be a few times as many as words


@dataclass
class Counts:
    """Expected counts of all domains and both directions, in whole numbers of units.

    So the sum is the same in whatever order, by how many threads or machines, it is taken.

    lexical: links, and links to NULL; jumps: int64[...], see ``JumpCounts``
    """

    lexical: LinkCounts
    jumps: JumpCounts

    def add_jumps(self, more: JumpCounts) -> None:
        """Add expected jumps, float64[...], to these."""
        for array, addend in zip(self.jumps, more, strict=True):
            array += np.rint(addend * self.lexical.units).astype(np.int64)

    def expected_jumps(self) -> JumpCounts:
        """The jumps, float64[...]."""
        return JumpCounts(*(array / self.lexical.units for array in self.jumps))

    @classmethod
    def zeros(cls, like: Parameters, units: float, agreement: bool = False) -> "Counts":
        """Zeros to add counts to, shaped as the given parameters."""
        shape = *like.lexical.shape[:2], 1 if agreement else 2
        return cls.with_links(like, units, np.zeros(shape, np.int64))

    @classmethod
    def with_links(
        cls, like: Parameters, units: float, links: NDArray[np.int64] | NDArray[np.float32]
    ) -> "Counts":
        """Counts of links int64[num_type_pairs + 1, D, K] or float32, and zeros of all else."""
        source, target = (np.zeros(x.shape, np.int64) for x in (like.null_source, like.null_target))
        return cls(LinkCounts(links, source, target, units), empty_jump_counts(like, np.int64))


def units_of(most: float) -> float:
    """Units of counts that sum up to so many links: the smallest that int64 has room for."""
    return 2.0 ** (_BITS - math.frexp(most)[1])


def empty_jump_counts(
    like: Parameters, kind: type[np.float64] | type[np.int64] = np.float64
) -> JumpCounts:
    """Zeros to add jumps to, shaped as the given parameters."""
    _, tables, classes, buckets = like.jump.shape
    side = (buckets - 3) // 2 + 2
    return JumpCounts(
        np.zeros(like.jump.shape, kind),
        np.zeros(like.start.shape, kind),
        np.zeros((2, tables, classes, side, side), kind),
        np.zeros((2, tables, side), kind),
    )
