"""The file that says what a decoder is."""

import os
from pathlib import Path

import pytest

from isogloss.align.errors import DataError
from isogloss.runs.decoder_file import read_decoder_file


def test_a_pipe_is_refused_before_it_is_read(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")  # nobody writes to it: reading would wait for ever
    with pytest.raises(
        DataError, match="pipe: the file is a pipe or device; expected a regular file"
    ):
        read_decoder_file(tmp_path / "pipe")
