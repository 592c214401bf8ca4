"""What no number of threads and no processor changes: the order of tasks and sums, logarithms."""

from .logarithms import exp, log
from .sums import dot, exact_sums, norm, row_dots
from .threads import (
    MAX_THREADS,
    USUAL_THREADS,
    ThreadPool,
    processors,
    run_all,
    run_tasks,
    usual_threads,
)

__all__ = [
    "MAX_THREADS",
    "USUAL_THREADS",
    "ThreadPool",
    "dot",
    "exact_sums",
    "exp",
    "log",
    "norm",
    "processors",
    "row_dots",
    "run_all",
    "run_tasks",
    "usual_threads",
]
