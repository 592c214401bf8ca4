"""What training on a cluster will cost, by the constants that benchmarks/cluster.py measured.

    python benchmarks/cluster_estimate.py [--pairs N ...] [--nodes K ...] [--cores C]

The constants are of set-up A, 81,366 pairs of 20.6 and 23.1 words. The number P of pairs of words
that meet grows as n^0.74 there (10,000 to 81,366 pairs of sentences, `isogloss doctor`).
"""

import argparse
from collections.abc import Iterator

PAIRS = 81_366
MET = 8.15e6  # pairs of words that meet in them
GROWTH = 0.74  # exponent of the pairs of words that meet
CPU = 20.6 / PAIRS  # seconds per pair on one machine
OVERHEAD = 1.41  # of CPU, on four nodes
CELLS = 2_700  # bytes per pair, 4 for a pair of positions
ALONE, OTHERS = 36, (70, 35)  # bytes per pair of words that meets: on one machine; in the shard
# and among those that a node owns, with what is on the way
BASE = (0.16e9, 0.47e9)  # bytes of the program: on one machine, of a worker with Ray
SENT = 27  # bytes per pair of words in each shard, in an iteration of Model 1
READ = 1 / 60_000  # seconds per pair, by the node that asks, on one core
SERIAL = 0.10  # of the time of a node


def met(pairs: float) -> float:
    """Pairs of words that meet in so many pairs of sentences."""
    return MET * (pairs / PAIRS) ** GROWTH


def estimate(pairs: float, nodes: int, cores: int) -> tuple[float, float, float, float]:
    """GB per node, GB sent by a node in an iteration, minutes of training, minutes of reading."""
    speed = 1 / (SERIAL + (1 - SERIAL) / cores)
    if nodes == 1:
        memory = BASE[0] + CELLS * pairs + ALONE * met(pairs)
        return memory / 1e9, 0.0, CPU * pairs / speed / 60, READ * pairs / 60
    shard = met(pairs / nodes)
    memory = BASE[1] + CELLS * pairs / nodes + OTHERS[0] * shard + OTHERS[1] * met(pairs) / nodes
    sent = SENT * shard * (nodes - 1) / nodes
    minutes = OVERHEAD * CPU * pairs / nodes / speed / 60
    return memory / 1e9, sent / 1e9, minutes, READ * pairs / 60


def rows(pairs: list[float], nodes: list[int], cores: int) -> Iterator[str]:
    """Lines of the table."""
    yield f"{'pairs':>15}{'nodes':>7}{'GB a node':>11}{'GB sent':>9}{'training':>10}{'reading':>9}"
    for number in pairs:
        for size in nodes:
            memory, sent, training, reading = estimate(number, size, cores)
            yield (
                f"{number:15,.0f}{size:7}{memory:11.1f}{sent:9.1f}{training:8.0f} m{reading:7.0f} m"
            )


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pairs", type=float, nargs="+", default=[1e7, 1e8, 1e9])
    parser.add_argument("--nodes", type=int, nargs="+", default=[1, 8, 64])
    parser.add_argument("--cores", type=int, default=32, help="cores of each node")
    options = parser.parse_args()
    for line in rows(options.pairs, options.nodes, options.cores):
        print(line)


if __name__ == "__main__":
    main()
