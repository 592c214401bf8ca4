"""Stored folders: arrays and other files, and a header that says what they are.

A folder appears under its name only when complete; an older one is kept until then. The header, a
JSON file that is written last, holds the kind of folder, the version of its format and of the
program, type and shape of each array, and a checksum of each file and of itself.
"""

from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from operator import index
from pathlib import Path
from typing import Annotated, Any, TypeVar

import numpy as np
from msgspec import Meta, Struct
from msgspec import field as struct_field
from numpy.typing import DTypeLike, NDArray

from ..errors import DataError, IsoglossError, ModelError, check_path, some_names
from ..version import __version__
from .checksums import file_sums, find_damage, is_intact, seal
from .exchange import bring_back
from .growing_arrays import map_array
from .outputs import PathExistsError, check_output, naming_output, output_path
from .parts import new_part
from .records import Count, FileName, Text, conform, parse_json, read_bounded
from .writers import atomic_file, atomic_folder, write_array

__all__ = ["FolderFormat", "NewFolder", "StoredFolder", "StoredKind"]

Built = TypeVar("Built")
LARGE = 1 << 20  # bytes from which on it makes a difference whether opening reads a file
_BLOCK = 1 << 18  # numbers that are looked at at a time
_ENDS = (".npy", ".arpa")  # of names of files
_MISFITS = (KeyError, TypeError, ValueError, AttributeError, OSError, EOFError, IsoglossError)


class _File(Struct):
    """What a header says of a file: its size, and its CRC-32 as :func:`checksum` writes it."""

    bytes: Count
    crc32: Annotated[str, Meta(pattern=r"^[0-9a-f]{8}\Z")]


class _Header(Struct):
    """What the header of any stored folder holds, besides its kind and version."""

    # arrays: type and shape of each, by name; files: by name

    program: Text = ""
    arrays: dict[FileName, tuple[Text, list[Count]]] = struct_field(default_factory=dict)
    files: dict[FileName, _File] = struct_field(default_factory=dict)


@dataclass(frozen=True)
class StoredKind:
    """A kind of thing that the program stores under a header: a folder, a file, the state of a run.

    kind: what the header calls it
    version: major and minor version; a new major version can't be read by older programs
    remedy: what to do where it is damaged
    outdated: what to do where it is of an older major version
    """

    kind: str
    version: tuple[int, int]
    remedy: str
    outdated: str

    def stamp(self) -> dict[str, Any]:
        """What each header begins with."""
        return {"kind": self.kind, "version": list(self.version), "program": __version__}

    def check(self, header: Mapping[str, Any], path: str | Path) -> tuple[int, int]:
        """The major and minor version that a header states.

        path: the file that it is read from, for messages

        Raises ModelError where it is damaged, of another kind, or of a version that can't be read.
        """
        try:
            if header["kind"] != self.kind:
                raise ModelError(f"{path} is of kind {header['kind']!r}; expected {self.kind!r}")
            version = header["version"]
            major, minor = map(index, (version, 0) if isinstance(version, int) else version)
        except (KeyError, TypeError, ValueError) as error:
            seen = "its kind and version cannot be read"
            raise ModelError(f"{path} is damaged ({seen}). {self.remedy}") from error
        if major != self.version[0]:
            remedy, program = self.outdated, header.get("program")
            if major > self.version[0]:
                remedy = f"Update isogloss to {program} or later" if program else "Update isogloss"
            raise ModelError(
                f"{path} has format version {major}; this program reads {self.version[0]}. {remedy}"
            )
        return major, minor


@dataclass(frozen=True)
class FolderFormat(StoredKind):
    """A kind of stored folder.

    name: what messages call it, such as "model folder"; header: name of the header's file
    sealed_since: first version whose headers hold checksums
    unread: files that, where they are large, are checked by size only when the folder is opened
    content: type of what else the header holds
    """

    name: str
    header: str
    sealed_since: tuple[int, int] = (0, 0)
    unread: Collection[str] = ()
    content: Any = dict[str, Any]

    def is_at(self, folder: str | Path) -> bool:
        """Whether such a folder is there, as far as the name of its header tells."""
        with suppress(OSError):  # too long for a name
            return (Path(folder) / self.header).is_file()
        return False

    def check_replaceable(self, folder: str | Path, overwrite: bool | None) -> None:
        """Raise an error where such a folder can't be written.

        ModelError where there is a folder already and it may not be replaced, is something else,
        or holds something else, too; OutputError where the system refuses to make one.
        """
        check_path(folder)
        folder = Path(folder)
        with naming_output(folder):
            bring_back(output_path(folder))
        if not folder.exists():
            check_output(folder)
            return
        if not overwrite:
            raise PathExistsError(folder)
        if not folder.is_dir() or (any(folder.iterdir()) and not self.is_at(folder)):
            raise ModelError(
                f"{folder} is not a {self.name}, so it is not replaced; choose another name"
            )
        foreign = self.foreign(folder)
        if foreign:
            raise ModelError(
                f"{folder} contains files that {self.header} does not list "
                f"({some_names(foreign)}), so it is not replaced; move them or use another name"
            )
        with naming_output(folder), new_part(output_path(folder)):
            pass

    def foreign(self, folder: Path) -> list[str]:
        """Names of what stands in such a folder, but is not named in its header.

        Where a header is older than checksums, arrays and language models count as named; where it
        is damaged, or that of another kind, nothing is, nor is the header.
        """
        own = set()
        with suppress(DataError):
            header = parse_json(read_bounded(folder / self.header))
            conform(header, _Header)
            if header.get("kind") == self.kind:
                ends = (path.name for end in _ENDS for path in folder.glob(f"*{end}"))
                own = {self.header, *header.get("files", ends)}
        return sorted(path.name for path in folder.iterdir() if path.name not in own)

    @contextmanager
    def write(self, folder: str | Path, *, overwrite: bool | None = None) -> Iterator["NewFolder"]:
        """A new folder to be filled; it is put in place when the block ends well.

        Raises ModelError as :meth:`check_replaceable` does, and OutputError where the folder can't
        be written, such as on a full disk.
        """
        self.check_replaceable(folder, overwrite)
        with atomic_folder(folder) as part:
            new = NewFolder(part)
            yield new
            header = {
                **self.stamp(),
                **new.values,
                "arrays": _array_forms(part),
                "files": file_sums(part),
            }
            with atomic_file(part / self.header) as stream:
                stream.write(seal(header))
            self.check_replaceable(folder, overwrite)

    @contextmanager
    def open(self, folder: str | Path, *, verify: bool = False) -> Iterator["StoredFolder"]:
        """A folder to be read; what goes wrong in the block means that its header doesn't fit it.

        All files are checked against their checksums but those that the format names as unread,
        which are checked by size only; with ``verify`` they are read, too.

        Raises ModelError for a folder that is missing, unfinished, damaged, of another kind or of
        a version that can't be read.
        """
        folder = Path(folder)
        stored = StoredFolder(self, folder, self.read_header(folder))
        try:
            stored.check_files(verify)
            yield stored
        except ModelError:
            raise
        except _MISFITS as error:
            raise ModelError(
                f"{folder / self.header} does not match the contents of the folder ({error!r}). "
                f"{self.remedy}"
            ) from error

    def read(
        self,
        folder: str | Path,
        build: Callable[["StoredFolder"], Built],
        *,
        verify: bool = False,
    ) -> Built:
        """What ``build`` makes of a folder, all of it of one folder if that is replaced meanwhile.

        Raises ModelError as :meth:`open` does.
        """
        check_path(folder)
        while True:
            before = _identity(folder)
            try:
                with self.open(folder, verify=verify) as stored:
                    built = build(stored)
            except ModelError:
                if _identity(folder) == before:
                    raise
            else:
                if _identity(folder) == before:
                    return built

    def read_header(self, folder: str | Path) -> dict[str, Any]:
        """The header of a folder, with its version as a major and a minor number.

        Raises ModelError where it is missing, damaged, of another kind or of a version that can't
        be read.
        """
        path = Path(folder) / self.header
        if not path.is_file():  # a pipe would be waited for
            raise ModelError(f"{folder} is not a {self.name}: it has no {self.header}")
        try:
            text = read_bounded(path)
            header: dict[str, Any] = parse_json(text)
            version = self.check(header, path)
            for kind in (_Header, self.content):
                conform(header, kind)
        except DataError as error:
            raise ModelError(f"{path} is damaged ({error.fault}). {self.remedy}") from error
        sealed = "checksum" in header or version >= self.sealed_since
        if sealed and not is_intact(text):
            raise ModelError(f"{path} has changed since it was written. {self.remedy}")
        return header | {"version": version}


def _identity(folder: str | Path) -> tuple[int, int] | None:
    """What tells a folder from another one of its name, None where there is none."""
    try:
        stat = Path(folder).stat()
    except OSError:
        return None
    return stat.st_dev, stat.st_ino


def _array_forms(folder: Path) -> dict[str, tuple[str, list[int]]]:
    """Type and shape of each array of a folder."""
    arrays = {path.stem: np.load(path, mmap_mode="r") for path in sorted(folder.glob("*.npy"))}
    return {name: (str(array.dtype), list(array.shape)) for name, array in arrays.items()}


@dataclass(frozen=True)
class NewFolder:
    """A folder that is being filled.

    path: where files are written to until it is put in its place
    values: what else its header will hold
    """

    path: Path
    values: dict[str, Any] = field(default_factory=dict)

    def write_arrays(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Write arrays, a file NAME.npy each. Raises OutputError where they can't be written."""
        for name, array in arrays.items():
            write_array(array, self.path / f"{name}.npy")


@dataclass(frozen=True)
class StoredFolder:
    """A folder that is being read.

    path: the folder
    header: what its header holds
    """

    format: FolderFormat
    path: Path
    header: Mapping[str, Any]

    @property
    def version(self) -> tuple[int, int]:
        """Major and minor version of its format."""
        major, minor = self.header["version"]
        return major, minor

    @property
    def files(self) -> Mapping[str, Mapping[str, Any]]:
        """Size and checksum of each file; empty where its version had none."""
        if self.version < self.format.sealed_since:
            return {}
        files: Mapping[str, Mapping[str, Any]] = self.header["files"]
        return files

    def check_files(self, verify: bool) -> None:
        """Raise ModelError for files that are missing or damaged, as :meth:`FolderFormat.open`."""
        large = {
            name
            for name, expected in self.files.items()
            if name in self.format.unread and expected["bytes"] > LARGE
        }
        damage = list(find_damage(self.path, self.files, size_only=() if verify else large))
        if damage:
            raise ModelError(f"{self.path} is damaged: {'; '.join(damage)}. {self.format.remedy}")

    def typed(
        self, name: str, dtype: DTypeLike, *sizes: int | None, mapped: bool = True
    ) -> NDArray[Any]:
        """An array of a type and shape, such as float64[n], as :meth:`array` gives it.

        sizes: of its dimensions; None = any

        Raises ValueError for another type or shape.
        """
        array = self.array(name, mapped=mapped)
        fits = len(sizes) == array.ndim and all(
            wanted in (None, size) for wanted, size in zip(sizes, array.shape, strict=True)
        )
        if array.dtype != dtype or not fits:
            shape = [size if size is not None else "n" for size in sizes]
            raise ValueError(
                f"{name} is {array.dtype}{list(array.shape)}; expected {np.dtype(dtype)}{shape}"
            )
        return array

    def offsets(
        self, name: str, size: int, rows: int | None = None, *, mapped: bool = True
    ) -> NDArray[np.int64]:
        """Where rows of ``size`` entries begin and end: int64[rows + 1].

        rows: their number; None = any

        Raises ValueError for rows that overlap, or don't fill the entries.
        """
        offsets = self.typed(name, np.int64, None if rows is None else rows + 1, mapped=mapped)
        if not len(offsets) or offsets[0] != 0 or offsets[-1] != size:
            raise ValueError(f"{name} must start at 0 and end at {size}")
        if (offsets[1:] < offsets[:-1]).any():
            raise ValueError(f"{name} must not decrease")
        return offsets

    def finite(
        self, name: str, dtype: DTypeLike, *sizes: int | None, mapped: bool = True
    ) -> NDArray[Any]:
        """Finite numbers, such as float64[n], as :meth:`typed` gives them; looked at by blocks.

        Raises ValueError for others.
        """
        array = self.typed(name, dtype, *sizes, mapped=mapped)
        flat = array.reshape(-1)
        blocks = range(0, len(flat), _BLOCK)
        if not all(np.isfinite(flat[begin : begin + _BLOCK]).all() for begin in blocks):
            raise ValueError(f"{name} contains a number that is not finite")
        return array

    def array(self, name: str, *, mapped: bool = True) -> NDArray[Any]:
        """An array, such as float64[n], mapped from its file where it is large, or read.

        What is written to a mapped array stays in memory. Raises KeyError for an array that the
        header does not name, and ModelError for one of another type or shape than it says.
        """
        path = self.path / f"{name}.npy"
        if self.version >= self.format.sealed_since and path.name not in self.files:
            raise KeyError(path.name)
        try:
            is_large = path.stat().st_size > LARGE  # small ones need no file that stays as it is
            array = map_array(path)
            array = array if mapped and is_large else np.array(array)
        except Exception as error:  # numpy evaluates the header of the file, whatever stands there
            raise ModelError(
                f"{path} is missing or damaged ({error}). {self.format.remedy}"
            ) from error
        actual = [str(array.dtype), list(array.shape)]
        expected = list(self.header.get("arrays", {}).get(name, actual))
        if actual != expected or not array.flags.c_contiguous:
            raise ModelError(
                f"{path} contains {actual[0]}{actual[1]}, but the header declares "
                f"{expected[0]}{expected[1]}. {self.format.remedy}"
            )
        return array
