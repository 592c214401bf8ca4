"""Whole commands: the files that they read are tampered with, and what they write is looked at."""

import gzip
import io
import json
import re
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from functools import partial
from itertools import chain
from pathlib import Path
from shutil import rmtree

from isogloss import program
from isogloss.align.errors import DataError
from tests.fuzz.commands import COMMANDS, OUTPUT, carry_out, undeclared, working_in, written
from tests.fuzz.mutations import Mutate
from tests.fuzz.numeric_options import numeric_options, other_values
from tests.fuzz.reader import Reader, plain_lines
from tests.fuzz.seeds import MORE_OPTIONS

__all__ = ["OPTIONS", "WHOLE_COMMANDS"]

_TEXTS = ("en", "es", "labels", "gold")
_NAMED = {
    "decoder.toml": ("table", "lm.arpa"),
    "moses.ini": ("sparse",),
    "moses.decoder.ini": ("table", "reordering", "lm.arpa"),
    "run.toml": _TEXTS,
}
_AS_MANY_LINES = {  # files with a line for each line of an input: what stands before these, too
    "align": ("en", {"links": 0, "fwd": 0, "rev": 0, "posteriors": 1, "scores.gz": 0}),
    "align, from known words": ("tsv", {"links": 0}),
    "align, JSONL": ("jsonl", {"links": 0}),
    "apply": ("few.en", {"links": 0, "scores": 0}),
    "symmetrize": ("fwd", {"links": 0}),
    "merge": ("few.links", {"links": 0}),
    "retokenize": ("few.links", {"links": 0}),
    "convert": ("few.links", {"links": 0}),
    "domains predict": ("few.en", {"domains": 1}),
    "domains predict, instance weights": ("few.en", {"w": 0}),
    "decode": ("few.en", {"best": 0}),
    "decode, saved models": ("few.en", {"best": 0}),
    "decode, moses.ini": ("few.en", {"best": 0, "links": 0}),
}
_GOES_ON = ("run/", "m.checkpoint/")  # what a command that is refused may leave: its state
_REPORTS = ("check", "doctor")  # what is wrong is their result
_ODD = re.compile(r"(?<![\w.|])[-+]?(?:nan|inf|infinity)(?![\w.])", re.IGNORECASE)
_CAUTIOUS = re.compile(rb"nan|inf", re.IGNORECASE)
_FOREIGN = re.compile(r"Traceback|encountered in |\w+Error\b|\[Errno|DeprecationWarning|numpy\.")
_LONGEST = 1500  # characters of a line on stderr
_TEMPORARY = "tmp"


@dataclass(frozen=True)
class Outcome:
    """What a command has written: contents by name, archives unpacked, and its standard output.

    expected: how many lines files must have that have one for each line of an input
    """

    files: dict[str, bytes]
    expected: dict[str, int]


class WholeCommand(Reader):
    """A command as a reader; ``file`` is its name among the commands."""

    def targets(self, folder: Path) -> list[Path]:
        """The files of which one is tampered with."""
        below = chain.from_iterable(
            path.rglob("*") if path.is_dir() else [path]
            for path in (folder / name for name in _inputs(COMMANDS[self.file], folder))
        )
        return sorted(path for path in below if path.is_file())

    def unsound(self, value: object, content: bytes) -> str:
        """What is wrong with what was written; "" = nothing that can be seen."""
        assert isinstance(value, Outcome)
        for name, number in value.expected.items():
            lines = value.files[name].count(b"\n")
            if lines != number:
                return f"{name} has {lines} lines, not {number}"
        text_is_odd = _CAUTIOUS.search(content) is not None
        for name, written_bytes in value.files.items():
            if complaint := _odd(name, written_bytes, text_is_odd):
                return complaint
        return ""


@dataclass(frozen=True)
class OptionValues(WholeCommand):
    """A command as a reader of its numeric options."""

    def targets(self, folder: Path) -> list[Path]:
        """The file with options."""
        return [folder / MORE_OPTIONS]

    def mutate(self, path: Path) -> Mutate:
        """One or two numeric options, with values at the ends of what numbers can be."""
        known = numeric_options(COMMANDS[self.file].split())
        return lambda _, dice: other_values(known, dice).encode()

    def unsound(self, value: object, content: bytes) -> str:
        """What is wrong with what was written, and with which options."""
        assert isinstance(value, Outcome)
        if b"--top=" in content:  # so many pairs, in place of a line for each
            value.expected.clear()
        complaint = super().unsound(value, content)
        return f"{content.decode()}: {complaint}" if complaint else ""


def _odd(name: str, content: bytes, text_is_odd: bool) -> str:
    """A number in an output that is none, unless such a word is in the input, too."""
    if name.endswith((".npy", ".npz", ".svg")):
        return f"{name} has NaN" if name.endswith(".svg") and b"nan" in content else ""
    text = content.decode()
    if name.endswith(".json"):
        try:
            json.loads(text, parse_constant=_refuse)
        except ValueError as error:
            return f"{name}: {error}"
    elif name.startswith("scores"):
        return f"{name} has NaN" if "nan" in text else ""  # -inf: of a pair with an empty side
    elif not text_is_odd and (found := _ODD.search(text)):
        return f"{name}: {text[max(0, found.start() - 40) : found.end() + 20]!r}"
    return ""


def _refuse(constant: str) -> None:
    raise ValueError(f"{constant} in JSON")


@contextmanager
def _temporary_folder(folder: Path) -> Iterator[Path]:
    """Files of no name are made below a folder."""
    before, tempfile.tempdir = tempfile.tempdir, str(folder)
    folder.mkdir(exist_ok=True)
    try:
        yield folder
    finally:
        tempfile.tempdir = before


def _check_said(said: str) -> None:
    """Raise AssertionError for messages that are not ours, or that nobody can read."""
    assert not _FOREIGN.search(said), f"said: {said[-400:]}"
    longest = max(said.splitlines(), key=len, default="")
    assert len(longest) <= _LONGEST, f"a message of {len(longest)} characters: {longest[:200]}"
    assert said.isprintable() or not re.search(r"[\x00-\x08\x0b-\x1f\x7f]", said), f"said: {said!r}"


def _number_of_lines(path: Path) -> int | None:
    """Lines of a file, where it is plain text."""
    lines = plain_lines(path.read_bytes())
    return len(lines) or None


def _call(name: str, folder: Path) -> Outcome:
    """Carry out a command, with the options that stand in a file beside its input.

    Raises DataError where it is refused, AssertionError where it leaves what it should not.
    """
    rmtree(folder / OUTPUT, ignore_errors=True)
    printed, said = io.StringIO(), io.StringIO()
    with _temporary_folder(folder / _TEMPORARY) as temporary:
        with redirect_stdout(printed), redirect_stderr(said):
            more = (folder / MORE_OPTIONS).read_text().split()
            status = carry_out(name, folder, 1, *more)
            if status == 0 and (folder / OUTPUT / "m").exists():
                with working_in(folder):
                    assert program.main(["check", f"{OUTPUT}/m", "-q"]) == 0, printed.getvalue()
        scratch = [path.name for path in temporary.iterdir()]
        assert not scratch, f"left: {scratch}"
    _check_said(said.getvalue())
    left = written(folder)
    parts = [file for file in left if "/." in f"/{file}"]
    assert not parts, f"left: {parts}"
    if status:
        assert status in (1, 2), f"status {status}"
        assert said.getvalue().strip(), "refused without a word"
        halves = [file for file in left if not file.startswith(_GOES_ON)]
        assert not halves, f"refused, but left: {halves}"
        if name.split(",")[0] not in _REPORTS:
            assert not printed.getvalue(), f"refused, but printed: {printed.getvalue()[:200]!r}"
        raise DataError(said.getvalue())
    files = {
        file: gzip.decompress(content) if file.endswith(".gz") else content
        for file, content in left.items()
    }
    assert not (unnamed := undeclared(name, folder)), f"written, but not declared: {unnamed}"
    source, more = _AS_MANY_LINES.get(name, ("", {}))
    number = _number_of_lines(folder / source) if source else None
    expected = {} if number is None else {file: number + head for file, head in more.items()}
    return Outcome(files | {"stdout": printed.getvalue().encode()}, expected)


def _inputs(line: str, folder: Path) -> list[str]:
    """Names in a command line that are files among the seeds, and what those name in their turn."""
    words = re.split(r"[\s,=:]+", line)[1:]
    found = [word for word in words if word[:3] != OUTPUT and (folder / word).exists()]
    found += [name for word in found for name in _NAMED.get(word, ())]
    tables = [f"{word}.columns.json" for word in found if word.startswith(("table", "rich"))]
    found += [name for name in tables if (folder / name).exists()]
    return list(dict.fromkeys(found))


WHOLE_COMMANDS: dict[str, Reader] = {
    f"isogloss {name}": WholeCommand(name, partial(_call, name)) for name in COMMANDS
}
OPTIONS: dict[str, Reader] = {
    f"isogloss {name}, options": OptionValues(name, partial(_call, name))
    for name, line in COMMANDS.items()
    if numeric_options(line.split())
}
