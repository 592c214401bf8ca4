"""Stored folders: what is written comes back, what is wrong is told of by name."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from msgspec import Struct

from isogloss.align.errors import DataError, ModelError
from isogloss.align.files.checksums import seal
from isogloss.align.files.records import Count
from isogloss.align.files.stored_folder import FolderFormat, StoredFolder
from isogloss.align.version import __version__

FORMAT = FolderFormat(
    kind="isogloss test",
    name="test folder",
    header="test.json",
    version=(3, 1),
    remedy="Test again",
    outdated="Test anew",
    sealed_since=(3, 1),
    unread=("large.npy",),
)
ARRAYS = {
    "small": np.array([[1.5, 2.5]]),
    "none": np.zeros((0, 2), np.int32),
    "large": np.arange(1 << 18),
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    with FORMAT.write(tmp_path / "stored") as new:
        new.write_arrays(ARRAYS)
        (new.path / "notes").write_text("of its own")
        new.values["number"] = 7
        assert [new.path] == list(tmp_path.iterdir())
    assert ["stored"] == [path.name for path in tmp_path.iterdir()]
    return tmp_path / "stored"


def change_header(folder: Path, **values: object) -> None:
    """Other values under a checksum that fits."""
    header = json.loads((folder / "test.json").read_text())
    del header["checksum"]
    (folder / "test.json").write_bytes(seal(header | values))


@pytest.mark.parametrize("verify", [False, True])
def test_everything_comes_back(folder: Path, verify: bool) -> None:
    assert FORMAT.is_at(folder)
    with FORMAT.open(folder, verify=verify) as stored:
        for name, array in ARRAYS.items():
            for mapped in (True, False):
                actual = stored.array(name, mapped=mapped)
                np.testing.assert_array_equal(actual, array)
                is_mapped = isinstance(actual.base, np.memmap)
                assert (actual.dtype, mapped and name == "large") == (array.dtype, is_mapped)
        assert (7, (3, 1)) == (stored.header["number"], stored.version)
        assert {"notes", "small.npy", "none.npy", "large.npy"} == set(stored.files)
        assert folder == stored.path


def test_what_the_header_says(folder: Path) -> None:
    header = json.loads((folder / "test.json").read_text())
    assert [
        "kind", "version", "program", "number", "arrays", "files", "checksum",
    ] == list(header)  # fmt: skip
    assert ["isogloss test", [3, 1], __version__, 7] == list(header.values())[:4]
    assert ["float64", [1, 2]] == header["arrays"]["small"]


def test_what_is_written_to_a_mapped_array_stays_in_memory(folder: Path) -> None:
    before = (folder / "small.npy").read_bytes()
    with FORMAT.open(folder) as stored:
        stored.array("small")[:] = 9.0
        assert [[1.5, 2.5]] == stored.array("small").tolist()
    assert before == (folder / "small.npy").read_bytes()


def test_an_older_folder_is_kept_until_the_new_one_is_complete(folder: Path) -> None:
    with (
        pytest.raises(RuntimeError, match="half way"),
        FORMAT.write(folder, overwrite=True) as new,
    ):
        new.write_arrays({"small": np.zeros(1)})
        raise RuntimeError("half way")
    with FORMAT.open(folder) as stored:
        assert [[1.5, 2.5]] == stored.array("small").tolist()
    with FORMAT.write(folder, overwrite=True) as new:
        new.write_arrays({"other": np.zeros(1)})
    assert ["other.npy", "test.json"] == sorted(path.name for path in folder.iterdir())
    assert [folder] == list(folder.parent.iterdir())


@pytest.mark.parametrize("name", ["none", "a" * 5000, "a\0"])
def test_names_of_no_folder(folder: Path, name: str) -> None:
    assert FORMAT.is_at(folder)
    assert not FORMAT.is_at(folder / name)


def test_what_is_not_overwritten(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="stored exists; choose another folder or pass `over"):
        FORMAT.check_replaceable(folder, overwrite=False)
    FORMAT.check_replaceable(folder, overwrite=True)
    FORMAT.check_replaceable(tmp_path / "new", overwrite=False)
    (tmp_path / "empty").mkdir()
    FORMAT.check_replaceable(tmp_path / "empty", overwrite=True)
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / "thesis.tex").write_text("x")
    for path in (tmp_path / "work", tmp_path / "work" / "thesis.tex"):
        message = f"{path} is not a test folder, so it is not replaced; choose another name"
        with pytest.raises(ModelError, match=message), FORMAT.write(path, overwrite=True):
            raise AssertionError
    assert ["thesis.tex"] == [path.name for path in (tmp_path / "work").iterdir()]


def test_what_a_folder_holds_of_others_is_not_removed(folder: Path) -> None:
    """Only what its header names is replaced."""
    (folder / "thesis.tex").write_text("mine")
    (folder / "data").mkdir()
    before = sorted(folder.iterdir())
    message = (
        r"stored contains files that test\.json does not list \(data, thesis\.tex\), so it is "
        "not replaced; move them or use another name"
    )
    for _ in range(2):
        with pytest.raises(ModelError, match=message):
            FORMAT.check_replaceable(folder, overwrite=True)
        with pytest.raises(ModelError, match=message), FORMAT.write(folder, overwrite=True):
            raise AssertionError
    assert before == sorted(folder.iterdir())
    (folder / "data").rmdir()
    (folder / "thesis.tex").unlink()
    with FORMAT.write(folder, overwrite=True):
        (folder / "late").write_text("mine")
        with pytest.raises(ModelError, match=r"stored contains files that test.json does not list"):
            FORMAT.check_replaceable(folder, overwrite=True)
        (folder / "late").unlink()


@pytest.mark.parametrize(
    ("header", "foreign"),
    [
        ("{", ["a.npy", "test.json", "thesis.tex"]),
        ('[{"a": 1}]', ["a.npy", "test.json", "thesis.tex"]),
            ("{}", ["a.npy", "test.json", "thesis.tex"]),
        (json.dumps({"kind": FORMAT.kind}), ["thesis.tex"]),
        (json.dumps({"kind": FORMAT.kind, "files": {}}), ["a.npy", "thesis.tex"]),
        (json.dumps({"kind": "another"}), ["a.npy", "test.json", "thesis.tex"]),
    ],
)  # fmt: skip
def test_headers_that_say_little(tmp_path: Path, header: str, foreign: list[str]) -> None:
    for name, text in (("a.npy", ""), ("thesis.tex", ""), ("test.json", header)):
        (tmp_path / name).write_text(text)
    assert foreign == FORMAT.foreign(tmp_path)


def test_a_folder_that_appears_in_the_meantime_is_left_alone(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="new exists"), FORMAT.write(tmp_path / "new") as new:
        new.write_arrays(ARRAYS)
        (tmp_path / "new").mkdir()
    assert [] == list((tmp_path / "new").iterdir())


def test_no_such_folder(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"is not a test folder: it has no test\.json"):
        FORMAT.read_header(tmp_path)
    assert not FORMAT.is_at(tmp_path)


@pytest.mark.parametrize(
    "text",
    ["", "{", "[]", "{}", '{"kind": "isogloss test"}', "\udcff", "[" * 9**5,
     '{"kind": "isogloss test", "version": []}', '{"kind": "isogloss test", "version": "3.1"}',
     '{"kind": "isogloss test", "version": [3, "x"]}'],
    ids=range(10),
)  # fmt: skip
def test_a_damaged_header(folder: Path, text: str) -> None:
    (folder / "test.json").write_text(text, errors="surrogateescape")
    with pytest.raises(ModelError, match=r"test\.json is damaged \(.*\)\. Test again"):
        FORMAT.read_header(folder)


def test_a_version_that_is_none(folder: Path) -> None:
    (folder / "test.json").write_text('{"kind": "isogloss test", "version": [3, "x"]}')
    message = r"test\.json is damaged \(its kind and version cannot be read\)\. Test again"
    with pytest.raises(ModelError, match=message):
        FORMAT.read_header(folder)


def test_another_kind(folder: Path) -> None:
    (folder / "test.json").write_text('{"kind": "thesis"}')
    with pytest.raises(ModelError, match="is of kind 'thesis'; expected 'isogloss test'"):
        FORMAT.read_header(folder)


@pytest.mark.parametrize(
    ("version", "program", "remedy"),
    [
        ([2, 9], "0.0.1", "Test anew"),
        (2, "0.0.1", "Test anew"),
        ([4, 0], "9.9", "Update isogloss to 9.9 or later"),
        ([4, 0], None, "Update isogloss$"),
    ],
)
def test_another_major_version(
    folder: Path, version: object, program: str | None, remedy: str
) -> None:
    """The checksums of a newer version may be others."""
    header = {"kind": FORMAT.kind, "version": version, "program": program}
    (folder / "test.json").write_text(json.dumps(header))
    with pytest.raises(
        ModelError, match=rf"has format version [24]; this program reads 3\. {remedy}"
    ):
        FORMAT.read_header(folder)


def test_a_changed_header(folder: Path) -> None:
    text = (folder / "test.json").read_text()
    (folder / "test.json").write_text(text.replace('"number": 7', '"number": 8'))
    message = r"test\.json has changed since it was written\. Test again"
    with pytest.raises(ModelError, match=message):
        FORMAT.read_header(folder)
    header = json.loads(text)
    del header["checksum"]
    (folder / "test.json").write_text(json.dumps(header))
    with pytest.raises(ModelError, match=message):
        FORMAT.read_header(folder)


def test_versions_without_checksums_are_read(folder: Path) -> None:
    (folder / "test.json").write_text('{"kind": "isogloss test", "version": [3, 0]}')
    np.save(folder / "small.npy", np.zeros(3))
    with FORMAT.open(folder, verify=True) as stored:
        assert ([0.0] * 3, {}) == (stored.array("small").tolist(), stored.files)


def test_damaged_files_are_named(folder: Path) -> None:
    content = (folder / "notes").read_bytes()
    (folder / "notes").write_bytes(b"0" * len(content))
    message = r"stored is damaged: notes has changed since it was written \(CRC-32\)\. Test again"
    with pytest.raises(ModelError, match=message), FORMAT.open(folder):
        raise AssertionError
    (folder / "notes").write_bytes(content[1:])
    (folder / "none.npy").unlink()
    message = r"none\.npy cannot be read \(No such .*\); notes has 9 bytes; it was written with 10"
    with pytest.raises(ModelError, match=message), FORMAT.open(folder):
        raise AssertionError


def test_large_files_are_not_always_read(folder: Path) -> None:
    content = bytearray((folder / "large.npy").read_bytes())
    content[-1] ^= 1
    (folder / "large.npy").write_bytes(content)
    with FORMAT.open(folder):
        pass
    with (
        pytest.raises(ModelError, match=r"large\.npy has changed since it was written"),
        FORMAT.open(folder, verify=True),
    ):
        raise AssertionError


def test_arrays_of_another_form(folder: Path) -> None:
    header = json.loads((folder / "test.json").read_text())
    header["arrays"] |= {"small": ["float32", [2]]}
    change_header(folder, arrays=header["arrays"])
    message = r"small\.npy contains float64\[1, 2\], but the header declares float32\[2\]\. Test"
    with FORMAT.open(folder) as stored, pytest.raises(ModelError, match=message):
        stored.array("small")


def test_an_array_in_another_order_of_memory(tmp_path: Path) -> None:
    with FORMAT.write(tmp_path / "stored") as new:
        np.save(new.path / "table.npy", np.asfortranarray(np.eye(2)))
    with (
        FORMAT.open(tmp_path / "stored") as stored,
        pytest.raises(ModelError, match=r"table\.npy contains float64\[2, 2\]"),
    ):
        stored.array("table")


def test_an_array_that_numpy_can_not_read(folder: Path) -> None:
    (folder / "test.json").write_text('{"kind": "isogloss test", "version": [3, 0]}')
    (folder / "small.npy").write_text("no array")
    message = r"small\.npy is missing or damaged \(.*\)\. Test again"
    with FORMAT.open(folder) as stored, pytest.raises(ModelError, match=message):
        stored.array("small")


def test_a_file_that_the_header_does_not_name(folder: Path) -> None:
    np.save(folder / "strange.npy", np.zeros(1))
    message = r"test\.json does not match the contents .*\(KeyError\('strange\.npy'\)\)\. Test ag"
    with pytest.raises(ModelError, match=message), FORMAT.open(folder) as stored:
        stored.array("strange")


@pytest.mark.parametrize(
    "error", [KeyError("x"), ValueError("x"), TypeError("x"), OSError("x"), DataError("x")]
)
def test_what_goes_wrong_in_reading(folder: Path, error: Exception) -> None:
    with (
        pytest.raises(ModelError, match=r"json does not match the contents .* \(.*x.*\)\. Test"),
        FORMAT.open(folder),
    ):
        raise error


SIZE = {"bytes": 0, "crc32": "00000000"}


@pytest.mark.parametrize(
    ("files", "seen"),
    [
        ([], "files is a list of 0; expected an object"),
        (3, "files is 3; expected an object"),
        ({"notes": {}}, "the key 'bytes' is missing in files"),
        ({"notes": 3}, "a value of files is invalid; expected an object"),
        ({"notes": SIZE | {"bytes": -1}}, "a value of files is invalid; expected an integer of at"),
        ({"notes": SIZE | {"crc32": "x"}}, "a value of files is invalid; expected a string"),
        ({"/dev/zero": SIZE}, "a key of files is invalid; expected the name of a file, without"),
        ({"../notes": SIZE}, "a key of files is invalid; expected the name of a file, without"),
        ({"..": SIZE}, "a key of files is invalid; expected the name of a file, without a folder"),
    ],
    ids=str,
)
def test_checksums_that_are_none(folder: Path, files: object, seen: str) -> None:
    change_header(folder, files=files)
    with pytest.raises(ModelError, match=rf"test\.json is damaged \({seen}.*\)\. Test again"):
        FORMAT.read_header(folder)


def test_arrays_of_other_folders(folder: Path) -> None:
    change_header(folder, arrays={"../small": ["float64", [1, 2]]})
    with pytest.raises(ModelError, match=r"a key of arrays is invalid; expected the name of a fi"):
        FORMAT.read_header(folder)


def test_a_device_in_place_of_a_file(folder: Path) -> None:
    (folder / "notes").unlink()
    (folder / "notes").symlink_to("/dev/zero")
    with (
        pytest.raises(ModelError, match="is damaged: notes is not a regular file"),
        FORMAT.open(folder),
    ):
        raise AssertionError


class Content(Struct):
    number: Count


def test_what_else_a_header_holds(folder: Path) -> None:
    typed = replace(FORMAT, content=Content)
    assert 7 == typed.read_header(folder)["number"]
    change_header(folder, number=-7)
    message = r"is damaged \(number is -7; expected an integer of at least 0\)\. Test again"
    with pytest.raises(ModelError, match=message):
        typed.read_header(folder)


@pytest.mark.parametrize("fails", [False, True])
def test_a_folder_that_is_replaced_while_it_is_read(folder: Path, fails: bool) -> None:
    """It is read once more, so that all is of one folder."""
    seen: list[str] = []

    def build(stored: StoredFolder) -> str:
        seen.append(stored.header["name"])
        if len(seen) == 1:
            with FORMAT.write(folder, overwrite=True) as new:
                new.write_arrays(ARRAYS)
                new.values["name"] = "new"
            if fails:
                raise ValueError("of both folders")
        return seen[-1]

    with FORMAT.write(folder, overwrite=True) as new:
        new.values["name"] = "old"
    assert FORMAT.read(folder, build) == "new"
    assert seen == ["old", "new"]
    with pytest.raises(ModelError, match="has no test"):
        FORMAT.read(folder / "none", build)
