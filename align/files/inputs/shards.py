"""Texts in several files, read one after the other: a folder, or a pattern such as ``*.gz``."""

from pathlib import Path

from ...errors import DataError, check_path, pluralize
from .remote import is_url, matching, remote_state

__all__ = ["file_states", "files_of", "paired_files"]

_MARKS = "*?["
_PLAIN_MARKS = "*?"
_HIDDEN = (".", "_")  # such as _SUCCESS, which who wrote the parts left beside them
_COMPRESSED = (".gz", ".bz2", ".xz", ".zst")


def files_of(path: str | Path) -> list[str | Path]:
    """The files that a path names: itself, those of a folder, or those that match a pattern.

    They are in the order of their names, character by character, as the shell lists them. Of a
    folder, files whose names begin with a dot or an underscore are left out.

    Raises DataError for a folder without files or with files of several kinds, for a pattern that
    matches none, and for what is no file in either, such as another folder.
    """
    check_path(path)
    text = str(path)
    is_pattern = any(mark in text for mark in _MARKS)
    if is_url(path):
        return _remote_files(text, is_pattern)
    if Path(path).is_dir():
        files = [file for file in Path(path).iterdir() if not file.name.startswith(_HIDDEN)]
    elif is_pattern and not Path(path).exists():
        root = Path(path).anchor
        files = [*Path(root).glob(text.removeprefix(root))]
        if not files and not any(mark in text for mark in _PLAIN_MARKS):
            return [path]  # brackets are more often part of a name
    else:
        return [path]
    return [*_checked(sorted(files), path)]


def file_states(path: str | Path) -> list[list[str | int]]:
    """What changes when a file that a path names does. Raises DataError as :func:`files_of`."""
    states: list[list[str | int]] = []
    for file in files_of(path):
        if is_url(file):
            states.append([str(file), remote_state(file)])
            continue
        found = Path(file).stat()
        states.append([str(file), found.st_size, found.st_mtime_ns])
    return states


def paired_files(source: str | Path, target: str | Path) -> list[tuple[str | Path, str | Path]]:
    """The files of both sides of a text, pair by pair.

    Raises DataError as :func:`files_of`, and where one side has more files than the other.
    """
    left, right = files_of(source), files_of(target)
    if len(left) != len(right):
        raise DataError(
            f"this side is {pluralize(len(right), 'file')}, but {source} is "
            f"{pluralize(len(left), 'file')}",
            "as many files on both sides, which are read in the order of their names",
            file=target,
            remedy="Name the files so that those that belong together have the same place",
        )
    return list(zip(left, right, strict=True))


def _remote_files(url: str, is_pattern: bool) -> list[str | Path]:
    """The files of an address, asked for where it may name several."""
    if not is_pattern and not url.endswith("/"):
        return [url]
    found = matching(url)
    if not found:
        raise _none(url, "no file is found")
    return [*found]


def _checked(files: list[Path], path: str | Path) -> list[Path]:
    """The same files. Raises DataError where there are none, several kinds, or what is no file."""
    is_folder = Path(path).is_dir()
    if not files:
        raise _none(path, "the folder has no files" if is_folder else "no file matches the pattern")
    other = next((file for file in files if not file.is_file()), None)
    if other is not None:
        what = "a folder" if other.is_dir() else "no file that can be read several times"
        if other.is_symlink() and not other.exists():
            what = "a link to a file that is missing"
        raise DataError(
            f"{other.name} is {what}", "files only", file=path,
            remedy="Remove it, or choose the files by a pattern",
        )  # fmt: skip
    kinds: dict[str, Path] = {}
    for file in files if is_folder else []:
        kinds.setdefault(_kind(file), file)
    if len(kinds) > 1:
        one, other = [*kinds.values()][:2]
        raise DataError(
            f"the folder has files of several kinds, such as {one.name} and {other.name}",
            "parts of one text",
            file=path,
            remedy=f"Choose some of them by a pattern, such as '{Path(path) / ('*' + _kind(one))}'",
        )
    return files


def _none(path: str | Path, seen: str) -> DataError:
    return DataError(seen, "files of text", file=path, remedy="Check the path")


def _kind(file: Path) -> str:
    """The suffix of a file, with that of its compression."""
    suffixes = file.suffixes[-2:] if file.suffix in _COMPRESSED else file.suffixes[-1:]
    return "".join(suffixes)
