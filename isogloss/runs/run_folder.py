"""The folder of a run of the pipeline or of tuning: its manifest, and the digests of its inputs."""

import hashlib
from itertools import islice
from pathlib import Path
from typing import Any

from msgspec import Struct

from isogloss.align.errors import DataError
from isogloss.align.files.outputs import check_output, entries, naming_output
from isogloss.align.files.records import Text, Whole, conform, read_json
from isogloss.align.files.stored_folder import StoredKind

__all__ = [
    "AGAIN",
    "MANIFEST",
    "REPORT",
    "REPORT_PAGE",
    "digest_of_file",
    "is_in_use",
    "read_manifest",
]

MANIFEST, REPORT = "manifest.json", "report.json"
REPORT_PAGE = "report.html"  # of `isogloss report`
AGAIN = "Start again with --overwrite, or choose another folder"


MAX_FILES, DEEPEST = 10_000, 8  # of a folder that is an input, such as a model


def digest_of_file(path: str | Path, depth: int = 0) -> str:
    """SHA-256 of a file; of a folder, that of the names and digests of its files.

    depth: folders around it that are part of the input

    Raises DataError for a file that can't be read, and for a folder of more files, or deeper ones,
    than an input has.
    """
    path = Path(path)
    try:
        if path.is_dir():
            files = sorted(islice(path.iterdir(), MAX_FILES + 1))
            if len(files) > MAX_FILES or depth > DEEPEST:
                raise DataError(
                    "the folder has too many or too deep subfolders",
                    "a file, or a model folder",
                    file=path,
                )
            parts = [f"{file.name} {digest_of_file(file, depth + 1)}" for file in files]
            text = "\n".join(parts).encode(errors="surrogateescape")
            return hashlib.sha256(text).hexdigest()
        if path.exists() and not path.is_file():
            raise DataError(
                "the file is not a regular file", "a file that can be read twice", file=path
            )
        with path.open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError as error:
        raise DataError(
            f"{path} cannot be read: {error.strerror or error}", remedy="Check the path"
        ) from error


def is_in_use(folder: Path, *, resume: bool, overwrite: bool) -> bool:
    """Whether the folder of a run that begins or goes on has anything in it.

    Raises DataError where it has but may be neither resumed nor overwritten, or where it is a file;
    and OutputError where the folder, or a file in it, can't be made.
    """
    with naming_output(folder):
        is_folder = folder.is_dir()
        if folder.exists() and not is_folder:
            raise DataError(f"{folder} is a file", remedy="Choose another name")
        in_use = is_folder and bool(entries(folder))
    if in_use and not (resume or overwrite):
        raise DataError(
            f"{folder} exists and is not empty",
            remedy="Resume the run with --resume, replace it with --overwrite, or choose another "
            "folder",
        )
    check_output(folder / MANIFEST if is_folder else folder)
    return in_use


class _Kind(Struct):
    """What tells what a manifest is of."""

    kind: Text


class _Stamp(Struct):
    """What every manifest of a kind begins with."""

    version: list[Whole]
    program: Text


def read_manifest(path: Path, kind: StoredKind, content: Any, remedy: str) -> dict[str, Any]:
    """Read the manifest of a run.

    content: type of what it holds beside kind, version and program

    Raises DataError for a file that can't be read or is damaged, and a value that is missing or of
    another type; and ModelError where it is that of another kind of run, or of a version that this
    program can't read.
    """
    value: dict[str, Any] = read_json(path, dict[str, Any], remedy)
    try:
        conform(value, _Kind)
        if value["kind"] == kind.kind:
            conform(value, _Stamp)
        kind.check(value, path)
        conform(value, content)
    except DataError as error:
        raise error.placed(path, remedy=remedy) from error
    return value
