"""Archives that a full disk cuts off say nothing more as they are collected."""

import gc
import os
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from isogloss.align.errors import OutputError
from isogloss.align.files.writers import atomic_file
from tests.naive.disk import no_file_above


@pytest.fixture
def few_to_collect() -> None:
    """What is alive before the test is not looked at as its garbage is collected, then or later."""
    gc.collect()
    gc.freeze()


@pytest.mark.usefixtures("few_to_collect")
@pytest.mark.parametrize("suffix", ["gz", "bz2", "xz", "zst"])
def test_what_could_not_be_written_is_not_tried_again(
    tmp_path: Path, suffix: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """From Python 3.13 on a stream that fails as it is collected would tell it on stderr."""
    told: list[object] = []
    monkeypatch.setattr(sys, "unraisablehook", told.append)
    for size in range(1000, 40_000, 1500):
        with (
            no_file_above(4096),
            suppress(OutputError),
            atomic_file(tmp_path / f"x.{suffix}") as stream,
        ):
            stream.write(os.urandom(size))
        gc.collect()
    assert told == []
    assert [path.name for path in tmp_path.iterdir()] == [f"x.{suffix}"]
