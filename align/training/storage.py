"""Where a training run keeps its state, and what is too large for memory."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import gettempdir

from ..errors import DataError
from ..execution.groups import Workers
from ..files.parts import scratch_folder
from ..model.cooccurrence import cell_offsets
from ..text.bitext import Bitext
from .checkpoint import Checkpoint

__all__ = ["IN_MEMORY", "TrainingStorage"]


@dataclass(frozen=True)
class TrainingStorage:
    """What a training run may put on disk; nothing of it changes the result.

    checkpoint: where the state is saved after each iteration
    resume: whether training goes on from the checkpoint, where there is one
    max_memory: bytes; where the positions of words would take more than half of them, they are
        kept in a file
    scratch_folder: for that file; None = the system's folder for temporary files
    """

    checkpoint: Checkpoint | None = None
    resume: bool = False
    max_memory: int | None = None
    scratch_folder: str | Path | None = None

    @contextmanager
    def scratch(self, bitext: Bitext, threads: int | Workers) -> Iterator[Path | None]:
        """A file for the cells where memory is short; it is gone afterwards."""
        max_memory, folder = self.max_memory, self.scratch_folder
        if isinstance(threads, Workers):  # they have the cells
            max_memory = None
        needed = 4 * int(cell_offsets(bitext)[-1])
        if max_memory is None or needed <= max_memory // 2:
            yield None
            return
        with ExitStack() as made:
            try:
                scratch = made.enter_context(scratch_folder(folder))
            except OSError as error:
                raise DataError(
                    f"cannot be written to: {error.strerror or error}",
                    file=folder or gettempdir(),
                    remedy="Choose another folder (`scratch_folder=...`)",
                ) from error
            yield scratch / "cells"


IN_MEMORY = TrainingStorage()
