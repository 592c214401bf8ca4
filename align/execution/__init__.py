"""What no number of threads changes: results in the order of tasks, sums in a fixed order."""

from .sums import dot, norm, row_dots
from .threads import MOST_THREADS, Workers, run_tasks

__all__ = ["MOST_THREADS", "Workers", "dot", "norm", "row_dots", "run_tasks"]
