"""The file that says what a decoder is: a TOML file of ours, or a moses.ini."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from isogloss.align.errors import DataError
from isogloss.align.files.outputs import is_stream
from isogloss.align.files.text_io import MAX_LINES, read_lines
from isogloss.tune.weights.moses_ini import is_moses_ini

from .decoder_config import DecoderConfig, read_decoder_config, state_templates
from .moses_decoder import read_moses_decoder

__all__ = ["read_decoder_file"]


def read_decoder_file(
    path: str | Path, templates: Sequence[str] = (), plugin: str | None = None
) -> DecoderConfig:
    """Read a decoder's files and limits.

    templates: specifications of state templates, in place of those that a TOML file names
    plugin: where the user's own are

    Of a moses.ini, what it says of outputs and threads is left aside. Raises DataError as
    read_decoder_config and read_moses_decoder do, and for a pipe, which can't be read twice;
    UsageError as state_templates does.
    """
    if is_stream(path):
        raise DataError(
            "the file is a pipe or device", "a regular file, which can be read twice", file=path
        )
    lines = read_lines(path, most=MAX_LINES)
    is_toml = any(line.partition("#")[0].strip() == "[decoder]" for line in lines)
    if is_toml or not is_moses_ini(lines):
        return read_decoder_config(path, templates, plugin)
    config = read_moses_decoder(path).config
    return replace(config, templates=state_templates(templates, plugin))
