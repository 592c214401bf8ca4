"""Options of work that a Ray cluster does."""

from dataclasses import dataclass

from isogloss.align.errors import UsageError
from isogloss.align.execution.groups import Workers

from ..options import Bounds, option

__all__ = ["ClusterOptions"]


@dataclass(frozen=True)
class ClusterOptions:
    """Where a command works.

    cluster: work on a Ray cluster: HOST:PORT, auto, or local (processes of this machine); every
        node needs isogloss[distributed]; the result is the same
    nodes: number of nodes to use, each with --threads threads (default: all; 2 with --cluster
        local)
    """

    cluster: str | None = option(default=None, metavar="ADDRESS|local")
    nodes: int | None = option(default=None, parse=Bounds(1, 100_000), metavar="N")

    def workers(self, threads: int) -> Workers | None:
        """The workers, each with so many threads; None = this process works.

        Raises UsageError for a number of nodes without a cluster.
        """
        if self.cluster is not None:
            return Workers(self.cluster, self.nodes, threads)
        if self.nodes is not None:
            raise UsageError("--nodes has no effect without --cluster; add --cluster ADDRESS")
        return None
