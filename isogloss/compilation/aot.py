"""Compile what is on the list of kernels, in several processes."""

import logging
import os
import signal
import threading
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import groupby
from multiprocessing import active_children, get_context, parent_process
from multiprocessing.process import BaseProcess
from typing import NamedTuple

from isogloss.align.errors import IsoglossError
from isogloss.align.execution import processors

__all__ = [
    "Compiled",
    "CompiledLines",
    "compile_all",
    "compile_kernel",
    "drop_outdated_of",
    "processors",
    "workers",
]


@dataclass(frozen=True)
class Compiled:
    """How many entries of the list were compiled, and how many were found on disk."""

    compiled: int
    found: int


class CompiledLines(NamedTuple):
    """What came of the lines of a kernel.

    compiled: whether each was; records: what was logged
    """

    compiled: list[bool]
    records: list[logging.LogRecord]


def compile_all(
    lines: Iterable[str],
    jobs: int,
    advance: Callable[[int], None] = lambda count: None,
    environment: Mapping[str, str] | None = None,
) -> Compiled:
    """Compile the kernels of lines of the list that are not on disk yet.

    jobs: processes, each of which takes up to 0.8 GB; advance: is told how many lines
    are done; environment: variables of these processes, such as settings of Numba

    Raises DataError for a line that is not of the list, KernelCacheError where there is no place
    for compiled kernels, IsoglossError where a process was ended from outside.
    """
    from .signatures import kernel_of

    kernels = [list(group) for _, group in groupby(sorted(lines), kernel_of)]
    compiled = total = 0
    with workers(jobs, environment or {}) as pool:
        pool.submit(drop_outdated_of, kernels).result()
        tasks = [pool.submit(compile_kernel, entries) for entries in kernels]
        for task in as_completed(tasks):
            results, records = task.result()
            for record in records:
                logging.getLogger(record.name).handle(record)
            compiled, total = compiled + sum(results), total + len(results)
            advance(len(results))
    return Compiled(compiled, total - compiled)


def drop_outdated_of(kernels: Iterable[Sequence[str]]) -> None:
    """Remove what is outdated, before several processes would.

    kernels: the lines of each
    """
    from pathlib import Path

    from isogloss.align.kernel_cache import drop_outdated

    from .signatures import parse_line

    files = {parse_line(lines[0]).kernel.py_func.__code__.co_filename for lines in kernels}
    for folder in sorted({Path(file).parent for file in files}):
        drop_outdated(folder)


def compile_kernel(lines: Sequence[str]) -> CompiledLines:
    """Compile the lines of a kernel. All of them in one process: they share an index.

    Raises KernelCacheError where what is compiled can't be kept, or kept files can't be used.
    """
    from isogloss.align.kernel_cache import (
        KernelCacheError,
        KernelCacheWarning,
        OtherFolderWarning,
        advice,
    )

    from .signatures import parse_line

    with warnings.catch_warnings(), _logged() as records:
        warnings.simplefilter("error", KernelCacheWarning)
        warnings.simplefilter("ignore", OtherFolderWarning)  # the main process tells it
        try:
            entries = map(parse_line, lines)
            return CompiledLines([e.kernel.compile(e.signature) for e in entries], records)
        except KernelCacheWarning as warning:
            raise KernelCacheError(str(warning)) from warning
        except Exception as error:  # where it came from is not known any more in another process
            if remedy := advice(error):
                raise KernelCacheError(remedy) from error
            raise


class _Records(logging.Handler):
    """Keeps what is logged."""

    def __init__(self) -> None:
        super().__init__()
        self.records: list[logging.LogRecord] = []

    def emit(self, record: logging.LogRecord) -> None:
        """Keep it."""
        self.records.append(record)


@contextmanager
def _logged() -> Iterator[list[logging.LogRecord]]:
    """What is logged of kept files that are passed over, while the block runs."""
    logger, handler = logging.getLogger("isogloss.align.kernels.disk_cache"), _Records()
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
    try:
        yield handler.records
    finally:
        logger.removeHandler(handler)
        logger.setLevel(logging.NOTSET)


@contextmanager
def workers(jobs: int, environment: Mapping[str, str]) -> Iterator[Executor]:
    """Processes; none goes on after Ctrl-C or an error, even in the midst of a kernel."""
    others = set(active_children())
    pool = ProcessPoolExecutor(
        jobs, get_context("spawn"), initializer=_start_worker, initargs=(dict(environment),)
    )
    try:
        yield pool
    except BrokenProcessPool as error:
        processes = list(pool._processes.values())
        pool.shutdown()  # it has the others end, and waits for all
        raise IsoglossError(
            f"one of {jobs} compiling processes {_end_of(processes)}. Compiled kernels are kept"
        ) from error
    finally:
        for worker in set(active_children()) - others:
            worker.terminate()
        pool.shutdown(cancel_futures=True)


def _end_of(processes: Iterable[BaseProcess]) -> str:
    """How the first of some processes ended, and what to do; the pool has ended the others."""
    codes = [process.exitcode or 0 for process in processes]
    code = next((code for code in codes if code not in (0, -signal.SIGTERM)), -signal.SIGTERM)
    if code == -signal.SIGKILL:
        return "was killed, probably for lack of memory; lower --jobs"
    end = f"ended with status {code}" if code > 0 else f"was ended by {signal.Signals(-code).name}"
    return f"{end}; try again, or lower --jobs"


def _start_worker(environment: Mapping[str, str]) -> None:
    """A worker ends without a word: on Ctrl-C, and where its parent was killed."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    if environment:
        import numba  # perhaps it is there already, as the main program's module loads it

        os.environ.update(environment)
        numba.config.reload_config()  # type: ignore[no-untyped-call]
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    if parent := parent_process():
        parent.join()
        os._exit(1)
