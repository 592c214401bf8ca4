"""A reader of the program: the file that is tampered with, and what it must not accept."""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from tests.fuzz.mutations import Mutate, mutated, mutated_array, mutated_json, mutated_npz

__all__ = ["Reader", "plain_lines"]

_MUTATIONS: dict[str, Mutate] = {
    ".json": mutated_json, ".jsonl": mutated_json, ".npy": mutated_array, ".npz": mutated_npz,
}  # fmt: skip


@dataclass(frozen=True)
class Reader:
    """A reader, and the file that is tampered with.

    file: its name among the seeds; of a folder, one of its files is
    call: reads it, given the folder of the seeds; what it gives is looked through for numbers that
        are none
    line: what each line must be that is accepted, apart from blanks around it; None = anything
    repair: called with the folder after it was tampered with
    finite: whether all numbers of the result must be finite
    """

    file: str
    call: Callable[[Path], object]
    line: str | None = None
    repair: Callable[[Path], None] | None = None
    finite: bool = True

    def targets(self, folder: Path) -> list[Path]:
        """The files of which one is tampered with."""
        path = folder / self.file
        if not path.is_dir():
            return [path]
        return sorted(below for below in path.rglob("*") if below.is_file())

    def mutate(self, path: Path) -> Mutate:
        """How a file of this name is tampered with."""
        return _MUTATIONS.get(path.suffix, mutated)

    def unsound(self, value: object, content: bytes) -> str:
        """What is wrong with something that was accepted; "" = nothing that can be seen."""
        if self.line is not None:
            expected = re.compile(self.line)
            for row, line in enumerate(plain_lines(content), start=1):
                stripped = line.strip(), line.strip(" \t")  # odd blanks may be passed over
                if not any(map(expected.fullmatch, stripped)):
                    return f"line {row} was accepted: {line[:80]!r}"
        return _odd_number(value) if self.finite else ""


def plain_lines(content: bytes) -> list[str]:
    """Lines of a file that was read, unless it is compressed."""
    try:
        text = content.removeprefix(b"\xef\xbb\xbf").decode()
    except UnicodeDecodeError:
        return []
    lines = text.replace("\r\n", "\n").split("\n")
    return lines[: -1 if lines[-1] in ("", "\r") else None]


def _odd_number(value: object, depth: int = 0) -> str:
    """A number that is not finite somewhere in a value."""
    if isinstance(value, np.ndarray):
        bad = value.dtype.kind == "f" and not np.isfinite(value).all()
        return f"an array with {value[~np.isfinite(value)][0]}" if bad else ""
    if isinstance(value, float):
        return "" if np.isfinite(value) else f"the number {value}"
    if depth > 4 or isinstance(value, str | bytes | Path):
        return ""
    below: Iterable[object] = ()
    if isinstance(value, dict):
        below = value.values()
    elif isinstance(value, list | tuple):
        below = value
    elif hasattr(value, "__dict__"):
        below = vars(value).values()
    return next(filter(None, (_odd_number(part, depth + 1) for part in below)), "")
