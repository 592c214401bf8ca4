"""M-step of all domains of one direction (Cuong & Sima'an 2015, Figure 2)."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .kernels.estimation import normalize_jumps, normalize_rows, sum_by_state
from .parameters import Direction

__all__ = ["Counts", "estimate_jumps", "estimate_lexical"]

JUMP_ROUNDS = 5  # rounds of the jump update per M-step; more change the fifth digit


@dataclass
class Counts:
    """Expected counts of one direction, for each domain.

    lexical: float32[D, num_type_pairs + 1]; null: float64[D, num_generated_types]
    jump, start: float64[D, 2 * window + 3]
    occupancy: float64[D, window + 2, window + 2]; start_occupancy: float64[D, window + 2]
    """

    lexical: NDArray[np.float32]
    null: NDArray[np.float64]
    jump: NDArray[np.float64]
    start: NDArray[np.float64]
    occupancy: NDArray[np.float64]
    start_occupancy: NDArray[np.float64]

    def of_jumps(self, domain: int) -> tuple[NDArray[np.float64], ...]:
        """The jump columns of one domain, as the kernels take them."""
        return (
            self.jump[domain],
            self.start[domain],
            self.occupancy[domain],
            self.start_occupancy[domain],
        )

    @classmethod
    def zeros(cls, like: Direction) -> "Counts":
        """Room for the counts behind the given parameters."""
        domains, buckets = like.jump.shape
        side = (buckets - 3) // 2 + 2
        return cls(
            np.zeros_like(like.lexical),
            np.zeros(like.null.shape),
            np.zeros_like(like.jump),
            np.zeros_like(like.start),
            np.zeros((domains, side, side)),
            np.zeros((domains, side)),
        )


def estimate_lexical(
    direction: Direction,
    counts: Counts,
    states: NDArray[np.int32],
    num_states: int,
    smoothing: float,
) -> None:
    """Replace the lexical tables by the normalised counts, c(f | e; D) over their sum.

    states: int32[num_type_pairs], state type of each pair. With ``smoothing`` m each row becomes
    (c + m * t) / (sum + m), where t is the table of all domains together: a departure from the
    paper that keeps a pair unseen in a small sample possible.
    """
    shared = np.zeros(0, np.float32)
    shared_null = np.zeros(counts.null.shape[1])
    if smoothing > 0.0:
        together = counts.lexical.sum(0)
        totals = np.zeros(num_states)
        sum_by_state(together, states, totals)
        shared = np.zeros_like(together)
        normalize_rows(together, states, totals, shared, 0.0, shared)
        null = counts.null.sum(0)
        shared_null = null / max(null.sum(), 1e-300)
    for domain, row in enumerate(counts.lexical):
        totals = np.zeros(num_states)
        sum_by_state(row, states, totals)
        normalize_rows(row, states, totals, shared, smoothing, direction.lexical[domain])
        null = counts.null[domain]
        direction.null[domain] = (null + smoothing * shared_null) / max(
            null.sum() + smoothing, 1e-300
        )


def estimate_jumps(direction: Direction, counts: Counts, shared: bool) -> None:
    """Replace the jump tables; ``shared`` pools the counts of all domains into one table.

    Distances are normalised over the positions that exist, so the counts are divided by how often
    each distance was on offer instead of being normalised as they stand.
    """
    start_occupancy = np.zeros_like(counts.occupancy)
    # the start stands before position 0: nothing is open to its left; distance 0 counts as open,
    # but its weight is and stays the smallest there is
    start_occupancy[:, 0, :] = counts.start_occupancy
    for jump, count, occupancy in (
        (direction.jump, counts.jump, counts.occupancy),
        (direction.start, counts.start, start_occupancy),
    ):
        for domain in range(len(jump)):
            own = slice(None) if shared else slice(domain, domain + 1)
            normalize_jumps(
                jump[domain], count[own].sum(0), occupancy[own].sum(0), JUMP_ROUNDS
            )
