"""One input after the other is tampered with, read, and put back."""

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random

from isogloss.align.errors import DataWarning, IsoglossError
from tests.fuzz.reader import Reader

__all__ = ["Trial", "trials"]


@dataclass(frozen=True)
class Trial:
    """What became of an input.

    number: of the trial, which gives the same input again
    outcome: "accepted", "refused", or a fault: "foreign" for an exception that is none of ours,
        "nonsense" for something accepted that should not be
    detail: of a fault
    """

    number: int
    outcome: str
    detail: str = ""

    @property
    def is_fault(self) -> bool:
        """Whether the reader should have done otherwise."""
        return self.outcome not in ("accepted", "refused")


def _attempt(reader: Reader, folder: Path, content: bytes) -> tuple[str, str]:
    """Outcome and detail of reading what stands in the folder."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", DataWarning)
        try:
            value = reader.call(folder)
        except IsoglossError:
            return "refused", ""
        except Exception as error:  # whatever it is: that is what is looked for
            place = error.__traceback__
            while place is not None and place.tb_next is not None:
                place = place.tb_next
            where = place.tb_frame.f_code if place else None
            at = f"{Path(where.co_filename).name}:{place.tb_lineno}" if where and place else ""
            return "foreign", f"{type(error).__name__} at {at}: {str(error)[:200]}"
        complaint = reader.unsound(value, content)
    return ("nonsense", complaint) if complaint else ("accepted", "")


def trials(
    name: str, reader: Reader, folder: Path, numbers: range, seed: int = 1
) -> Iterator[Trial]:
    """Tamper with the files of a reader, each time otherwise; afterwards they are as they were.

    folder: with the seeds; it is written to

    Raises AssertionError where the files are not accepted as they are.
    """
    whole = _attempt(reader, folder, b"")
    assert whole == ("accepted", ""), (name, whole)
    targets = reader.targets(folder)
    before = {path: path.read_bytes() for path in targets}
    for number in numbers:
        dice = Random(f"{seed}:{name}:{number}")
        path = dice.choice(targets)
        content = reader.mutate(path)(before[path], dice)
        path.write_bytes(content)
        try:
            if reader.repair is not None:
                reader.repair(folder)
            outcome, detail = _attempt(reader, folder, content)
        finally:
            _put_back(reader, folder, before)
        detail = f"{path.relative_to(folder)}: {detail}" if detail else ""
        yield Trial(number, outcome, detail)


def _put_back(reader: Reader, folder: Path, before: dict[Path, bytes]) -> None:
    """Write what has changed as it was, and remove what is new."""
    for path in reader.targets(folder):
        if path not in before:
            path.unlink()
    for path, content in before.items():
        if not path.is_file() or path.read_bytes() != content:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
