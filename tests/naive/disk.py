"""A disk without room, as far as the process can tell."""

import resource
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def no_file_above(size: int) -> Iterator[None]:
    """Within the block no file may become larger than so many bytes; the system refuses to write.

    Nothing else should be written there: what the tests print may go to a file, too.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
