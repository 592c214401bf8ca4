"""How much of an n-best list is read at a time, however much an archive holds."""

import gzip
import tracemalloc
from pathlib import Path

import pytest

from isogloss.align.errors import DataError
from isogloss.tune.nbest.types import read_nbest


@pytest.mark.parametrize(
    ("begin", "most"), [("0 ||| ", 1 << 24), ('\ufeff{"id": 0, "hyps": [{"text": "', 1 << 25)]
)
def test_a_line_of_a_small_archive_that_is_too_long(tmp_path: Path, begin: str, most: int) -> None:
    """200 KB of gz took 990 MB: no more of a line is read than a hypothesis, or a record, has."""
    with gzip.open(tmp_path / "list.gz", "wb", compresslevel=1) as stream:
        stream.write(begin.encode())
        for _ in range(200):
            stream.write(b"a " * (1 << 19))
    tracemalloc.start()
    with pytest.raises(DataError, match=rf"list.gz, line 1: a line of more than {most} bytes; exp"):
        read_nbest([tmp_path / "list.gz"])
    assert tracemalloc.get_traced_memory()[1] < 2 * most
    tracemalloc.stop()
