"""Files that options name: what a command reads, and what it writes."""

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

from isogloss.align.errors import IsoglossError

from ..options import Argument, argument_of, output_file, output_folder

__all__ = ["inputs", "outputs", "written_since"]

_CLOCK = 0.05  # seconds by which the clock of a file system may be late
# what is shown in place of the value of an option that names a file to read; INI, a moses.ini that
# is brought up to date, may be the file that is written, too
_READ = frozenset({
    "ARPA", "CONFIG.toml", "FILE", "FILE.py|NAME", "FORESTS", "FROM,TO", "MODEL", "MODEL=FILE",
    "MOSES.INI",
    "NAME=SRC,TGT", "NBEST", "REF", "REF,...", "SRC", "SRC,TGT", "TABLE", "TSV", "WEIGHTS",
    "rules|tokens|FILE",
})  # fmt: skip


def _values(options: Any) -> Iterator[tuple[Argument, Any]]:
    """Every option with its value, those of groups, too."""
    for option_field in fields(options):
        value = getattr(options, option_field.name)
        if is_dataclass(option_field.type):
            yield from _values(value)
        else:
            yield argument_of(option_field), value


def outputs(options: Any) -> Iterator[tuple[str, bool]]:
    """Files and folders that options name to be written, and whether it is a folder.

    What they name in other words, or in a file, attributes ``named_outputs`` and ``named_folders``
    list; so they do with files that are written beside others.
    """
    for argument, value in _values(options):
        if argument.parse in (output_file, output_folder) and value not in (None, "-"):
            yield value, argument.parse is output_folder
    for name in getattr(options, "named_outputs", ()):
        yield str(name), False
    for name in getattr(options, "named_folders", ()):
        yield str(name), True


def inputs(options: Any) -> Iterator[str]:
    """Files and folders that options name to be read, and what may be the name of one.

    What a file names that is read, an attribute ``named_inputs`` lists.
    """
    for argument, value in _values(options):
        is_read = argument.positional or argument.metavar in _READ
        if is_read and argument.parse not in (output_file, output_folder):
            for part in value if isinstance(value, tuple) else (value,):
                if isinstance(part, str) and part != "-":
                    yield part
                    for name in part.rpartition("=")[2].split(","):  # NAME=FILE,FILE
                        yield from filter(None, (name, name.partition(":")[2]))  # STYLE:FILE
    with suppress(IsoglossError):  # the command will say what is wrong with that file
        yield from map(str, getattr(options, "named_inputs", ()))


def written_since(options: Any, moment: float) -> list[str]:
    """Files and folders that options name and that were written after a moment, by `time.time`."""
    found = dict.fromkeys(name for name, _ in outputs(options))
    return [name for name in found if _is_younger(Path(name), moment - _CLOCK)]


def _is_younger(path: Path, moment: float) -> bool:
    """Whether a file was written after a moment, or one in a folder, whatever its depth."""
    with suppress(OSError, ValueError):
        files = path.rglob("*") if path.is_dir() else [path]
        return any(file.is_file() and file.stat().st_mtime >= moment for file in files)
    return False
