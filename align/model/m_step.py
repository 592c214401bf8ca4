"""M-step of all domains and both directions (Cuong & Sima'an 2015, Figure 2)."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .cooccurrence import PairIndex
from .kernels.estimation import (
    back_off,
    normalize_domain,
    normalize_jumps,
    sparsen,
    sum_by_group,
    sum_domains,
)
from .kernels.transitions import JumpCounts
from .parameters import Parameters
from .stems import StemPairs

__all__ = ["Counts", "estimate_jumps", "estimate_lexical"]

JUMP_ROUNDS = 5  # rounds of the jump update per M-step; more change the fifth digit


@dataclass
class Counts:
    """Expected counts of all domains and both directions.

    links: float64[num_type_pairs + 1, D, K]; K = 2: one column per direction, K = 1: one for both
    null_source, null_target: float64[D, num_types + 1]
    jumps: see ``JumpCounts``
    """

    links: NDArray[np.float64]
    null_source: NDArray[np.float64]
    null_target: NDArray[np.float64]
    jumps: JumpCounts

    def arrays(self) -> tuple[NDArray[np.float64], ...]:
        """All count arrays, in a fixed order: float64[...] each."""
        return (self.links, self.null_source, self.null_target, *self.jumps)

    def add(self, other: "Counts") -> None:
        """Add other counts to these."""
        for array, addend in zip(self.arrays(), other.arrays(), strict=True):
            array += addend

    @classmethod
    def zeros(cls, like: Parameters, agreement: bool = False) -> "Counts":
        """Zeros to add counts to, shaped as the given parameters."""
        _, tables, classes, buckets = like.jump.shape
        side = (buckets - 3) // 2 + 2
        return cls(
            np.zeros((*like.lexical.shape[:2], 1 if agreement else 2)),
            np.zeros(like.null_source.shape),
            np.zeros(like.null_target.shape),
            JumpCounts(
                np.zeros(like.jump.shape),
                np.zeros(like.start.shape),
                np.zeros((2, tables, classes, side, side)),
                np.zeros((2, tables, side)),
            ),
        )


def estimate_lexical(
    parameters: Parameters,
    counts: Counts,
    index: PairIndex,
    stems: StemPairs | None,
    stem_smoothing: float,
    domain_smoothing: float,
    sparse_prior: float = 0.0,
) -> None:
    """Replace the lexical tables by the normalized counts, c(f | e; D) over their sum.

    With ``domain_smoothing`` m each row becomes (c + m * t) / (sum + m), where t is the general
    table, that of all domains together: a pair unseen in a small sample stays possible. With stems
    the rows of t in turn lean by ``stem_smoothing`` pseudo-counts towards
    P(stem of f | stem of e) * P(f | stem of f). Both depart from the paper. A single domain has the
    general table itself. With ``sparse_prior`` a the rows, smoothed counts and all, have a
    Dirichlet prior of concentration a and are estimated by variational Bayes (Riley & Gildea 2012,
    eq. 3): exp(psi(c + a)) / exp(psi(sum + a n)), n being the words that the state meets.
    """
    types = (index.rows, index.columns)
    nulls = ((parameters.null_source, counts.null_source),
             (parameters.null_target, counts.null_target))  # fmt: skip
    num_types = [table.shape[1] for table, _ in nulls]
    single = parameters.num_domains == 1
    for side in (0, 1):
        states, num_states = types[1 - side], num_types[1 - side]
        column = min(side, counts.links.shape[2] - 1)
        general = np.zeros(len(index))
        if single or domain_smoothing > 0.0:
            sum_domains(counts.links, column, general)
            totals = np.zeros(num_states)
            sum_by_group(general, states, totals)
            strength, parts = _stem_parts(general, types[side], side, stems, stem_smoothing)
            back_off(general, states, totals, parts, strength)
        if single:
            parameters.lexical[:-1, 0, side] = general
            if sparse_prior > 0.0:
                sparsen(parameters.lexical, 0, side, states, totals + strength, sparse_prior)
        else:
            for domain in range(parameters.num_domains):
                totals = np.zeros(num_states)
                links = counts.links[:-1, domain, column]
                table = parameters.lexical[:-1, domain, side]
                sum_by_group(links, states, totals)
                normalize_domain(links, states, totals, general, domain_smoothing, table)
                if sparse_prior > 0.0:
                    sparsen(
                        parameters.lexical, domain, side, states, totals + domain_smoothing,
                        sparse_prior,
                    )  # fmt: skip
        _estimate_null(*nulls[side], 0.0 if single else domain_smoothing)


def _stem_parts(
    counts: NDArray[np.float64],
    generated: NDArray[np.int32],
    side: int,
    stems: StemPairs | None,
    smoothing: float,
) -> tuple[float, tuple[NDArray[np.int32] | NDArray[np.float64], ...]]:
    if stems is None or smoothing == 0.0:
        return 0.0, (generated, counts, generated, counts)  # not read
    probability = stems.probabilities(counts, side)
    return smoothing, (stems.pair, probability, generated, stems.shares[side])


def _estimate_null(
    table: NDArray[np.float32], counts: NDArray[np.float64], smoothing: float
) -> None:
    together = counts.sum(0)
    together /= max(together.sum(), 1e-300)
    totals = np.maximum(counts.sum(1, keepdims=True) + smoothing, 1e-300)
    table[:] = (counts + smoothing * together) / totals
    table[:, -1] = 0.0  # unknown words


def estimate_jumps(
    parameters: Parameters, counts: JumpCounts, class_smoothing: float = 0.0
) -> None:
    """Replace the jump tables.

    Distances are normalized over the positions that exist, so the counts are divided by how often
    each distance was on offer instead of being normalized as they stand. To those of a class
    ``class_smoothing`` jumps are added as all classes make them, so that a class of few words
    jumps as others do. Classes depart from the paper; see Och & Ney 2003, section 3.
    """
    start_occupancy = np.zeros((*counts.start.shape[:2], *counts.occupancy.shape[3:]))
    # the start stands before position 0: nothing is open to its left; distance 0 counts as open,
    # but its weight is and stays the smallest there is
    start_occupancy[:, :, 0, :] = counts.start_occupancy
    several = counts.jump.shape[2] > 1
    for side, domain in np.ndindex(counts.start.shape[:2]):
        jumps, occupancy = counts.jump[side, domain], counts.occupancy[side, domain]
        total = jumps.sum()
        if several and total > 0.0:
            share = class_smoothing / total
            jumps = jumps + share * jumps.sum(0)
            occupancy = occupancy + share * occupancy.sum(0)
        for number, table in enumerate(parameters.jump[side, domain]):
            normalize_jumps(table, jumps[number], occupancy[number], JUMP_ROUNDS)
        normalize_jumps(
            parameters.start[side, domain],
            counts.start[side, domain],
            start_occupancy[side, domain],
            JUMP_ROUNDS,
        )
