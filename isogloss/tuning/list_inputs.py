"""N-best lists as the commands take them: files of any form, in memory or mapped from disk."""

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

from isogloss.align.errors import UsageError
from isogloss.align.files.parts import scratch_folder
from isogloss.tune.nbest.records.fields import RecordFields
from isogloss.tune.nbest.records.originals import Keeping
from isogloss.tune.nbest.store import is_stored_nbest, open_nbest, store_nbest
from isogloss.tune.nbest.types import NBest, read_nbest

__all__ = ["list_scratch", "read_lists"]

_NOTHING = Keeping()
_PROGRAM = 150 << 20  # bytes that the program takes beside the hypotheses


@contextmanager
def list_scratch(max_memory: int | None, folder: str | None = None) -> Iterator[Path | None]:
    """A folder for lists that are not to be held in memory, gone afterwards; None for others.

    max_memory: bytes, None where lists are held in memory; folder: where the new one is made

    Raises UsageError where it can't be made.
    """
    if max_memory is None:
        yield None
        return
    with ExitStack() as made:
        try:
            scratch = made.enter_context(scratch_folder(folder))
        except OSError as error:
            raise UsageError(
                f"--tmpdir {folder or tempfile.gettempdir()} cannot be written to: "
                f"{error.strerror or error}. Create the folder, or choose another one"
            ) from error
        yield scratch


def read_lists(
    paths: Sequence[str],
    num_sentences: int = 0,
    *,
    scratch: Path | None = None,
    max_memory: int | None = None,
    fields: RecordFields | None = None,
    keeping: Keeping = _NOTHING,
) -> NBest:
    """Read and merge lists; with ``scratch`` they are brought in order there and mapped.

    A folder that :func:`isogloss.tune.nbest.store.store_nbest` made is mapped as it is.

    num_sentences: ids lie below it, 0 = as many as the lists have
    max_memory: bytes to bring them in order with
    fields: which keys hold what in JSONL that is not ours
    keeping: what is kept of records of JSON

    Raises UsageError for such a folder among other lists.
    """
    stored = [path for path in paths if is_stored_nbest(path)]
    if stored and len(paths) > 1:
        raise UsageError(
            f"{stored[0]} is a stored list, which cannot be merged with others; pass it alone"
        )
    if stored:
        return open_nbest(stored[0], num_sentences)
    if scratch is None or max_memory is None:
        return read_nbest(paths, num_sentences, fields, keep_records=keeping)
    folder = Path(tempfile.mkdtemp(dir=scratch)) / "lists"
    room = max(max_memory - _PROGRAM, max_memory // 8)
    store_nbest(
        paths, folder, num_sentences=num_sentences, max_memory=room, fields=fields,
        keep_records=keeping,
    )  # fmt: skip
    return open_nbest(folder)
