"""What no number of threads changes: results in the order of tasks, sums in a fixed order."""

from .sums import dot, norm, row_dots
from .threads import (
    MOST_THREADS,
    USUAL_THREADS,
    Workers,
    processors,
    run_tasks,
    usual_threads,
)

__all__ = [
    "MOST_THREADS",
    "USUAL_THREADS",
    "Workers",
    "dot",
    "norm",
    "processors",
    "row_dots",
    "run_tasks",
    "usual_threads",
]
