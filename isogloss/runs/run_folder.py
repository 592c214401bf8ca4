"""The folder of a run of the pipeline or of tuning: its manifest, and the digests of its inputs."""

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from align.errors import DataError
from align.files.stored_folder import StoredKind
from align.files.writers import check_output, naming_output

__all__ = [
    "AGAIN",
    "MANIFEST",
    "Types",
    "digest_of_file",
    "is_in_use",
    "read_manifest",
    "read_object",
]

MANIFEST = "manifest.json"
Types = Mapping[str, type | tuple[type, ...]]
AGAIN = "Start again with --overwrite, or choose another folder"


def digest_of_file(path: str | Path) -> str:
    """SHA-256 of a file; of a folder, that of the names and digests of its files.

    Raises DataError for a file that can't be read.
    """
    path = Path(path)
    try:
        if path.is_dir():
            parts = [f"{file.name} {digest_of_file(file)}" for file in sorted(path.iterdir())]
            return hashlib.sha256("\n".join(parts).encode()).hexdigest()
        with path.open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError as error:
        raise DataError(error.strerror or str(error), "a readable file", file=path) from error


def is_in_use(folder: Path, *, resume: bool, overwrite: bool) -> bool:
    """Whether the folder of a run that begins or goes on has anything in it.

    Raises DataError where it has but may be neither resumed nor overwritten, or where it is a file;
    and OutputError where the folder, or a file in it, can't be made.
    """
    with naming_output(folder):
        is_folder = folder.is_dir()
        if folder.exists() and not is_folder:
            raise DataError(f"{folder} is a file", "a new folder", remedy="Choose another name")
        in_use = is_folder and any(folder.iterdir())
    if in_use and not (resume or overwrite):
        raise DataError(
            f"{folder} exists and is not empty",
            "a new folder",
            remedy="Go on with --resume, start again with --overwrite, or choose another folder",
        )
    check_output(folder / MANIFEST if is_folder else folder)
    return in_use


def read_object(path: Path, types: Types, remedy: str) -> dict[str, Any]:
    """Read a JSON object that a run has written.

    types: of the values that the object must have, by name

    Raises DataError for a file that can't be read or is damaged, and a value that is missing or of
    another type.
    """
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        reason = (error.strerror if isinstance(error, OSError) else None) or str(error)
        raise _damaged(f"a file that can't be read ({reason})", path, remedy) from error
    if not isinstance(value, dict):
        raise _damaged(f"a {type(value).__name__}", path, remedy)
    _check_types(value, types, path, remedy)
    return value


def _check_types(value: Mapping[str, Any], types: Types, path: Path, remedy: str) -> None:
    lacking = [name for name in types if name not in value]
    if lacking:
        raise _damaged(f"no {', '.join(lacking)}", path, remedy)
    for name, kind in types.items():
        if not isinstance(value[name], kind):
            raise _damaged(f"{name} that is a {type(value[name]).__name__}", path, remedy)


def read_manifest(path: Path, kind: StoredKind, types: Types, remedy: str) -> dict[str, Any]:
    """Read the manifest of a run.

    types: of the values that it must have, by name, beside kind, version and program

    Raises DataError as :func:`read_object` does, and ModelError where it is that of another kind of
    run, or of a version that this program can't read.
    """
    value = read_object(path, {"kind": str}, remedy)
    if value["kind"] == kind.kind:
        _check_types(value, {"version": list, "program": str, **types}, path, remedy)
    kind.check(value, path)
    return value


def _damaged(seen: str, path: Path, remedy: str) -> DataError:
    return DataError(seen, "a file as a run writes it", file=path, remedy=remedy)
