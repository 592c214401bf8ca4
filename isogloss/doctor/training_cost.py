"""What training will cost: memory and time, from the size of the text alone."""

from dataclasses import dataclass

__all__ = ["TrainingCost", "training_cost"]

# Least squares of relative errors over two times the 14 runs of `python benchmarks/cost.py A C`:
# `isogloss align --lowercase` on a quarter, half and all of the mixtures A (en-fr, 81,366 pairs, 9
# domains) and C (en-es, 39,416 pairs, 5 domains), flat and labeled, and on three copies of each.
# Peak resident memory and CPU time are what the system counts; 2 cores that others used, too,
# x86-64, NumPy 2.4, Numba 0.68. Memory comes within 5 % of all 28, time within 9 %.
_BASE_MEGABYTES = 207.0  # the program and its compiled kernels
_BYTES_PER_CELL = 5.7  # 4 for the pair id; the text, and what the passes need for a while
_BYTES_PER_TYPE_PAIR = 5.3  # index and tables, beyond what texts of more cells have of them anyway
_BYTES_PER_TYPE_PAIR_AND_DOMAIN = 6.3  # for each further domain, which one iteration has
_START_SECONDS = 0.94
_SECONDS_PER_MILLION_CELLS = 0.36
_SECONDS_PER_MILLION_TYPE_PAIRS = 0.49
_SECONDS_PER_MILLION_TYPE_PAIRS_AND_DOMAIN = 0.11  # for each further domain


@dataclass(frozen=True)
class TrainingCost:
    """Cost of `isogloss align` with default options.

    cells: pairs of positions, the sum of J * I; type_pairs: different pairs of word types, of a
    sample by hash (0.6 %); domains: labeled ones and the out-domain, or 1.
    megabytes: peak memory; cpu_seconds: of one core of the machine that the constants come from.
    """

    cells: int
    type_pairs: int
    domains: int
    megabytes: float
    cpu_seconds: float


def training_cost(cells: int, type_pairs: int, domains: int = 1) -> TrainingCost:
    """Memory and time of training; ``domains`` counts the out-domain, 1 = no labels."""
    further = domains - 1
    megabytes = (
        _BASE_MEGABYTES
        + cells * _BYTES_PER_CELL / 1e6
        + type_pairs * (_BYTES_PER_TYPE_PAIR + further * _BYTES_PER_TYPE_PAIR_AND_DOMAIN) / 1e6
    )
    seconds = (
        _START_SECONDS
        + cells * _SECONDS_PER_MILLION_CELLS / 1e6
        + type_pairs
        * (_SECONDS_PER_MILLION_TYPE_PAIRS + further * _SECONDS_PER_MILLION_TYPE_PAIRS_AND_DOMAIN)
        / 1e6
    )
    return TrainingCost(cells, type_pairs, domains, round(megabytes), round(seconds))
