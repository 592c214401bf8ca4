"""Folders of runs: in use or not, their manifests, the digests of their inputs."""

import hashlib
import json
import re
from pathlib import Path

import pytest

from align.errors import DataError, ModelError, OutputError
from align.files.stored_folder import StoredKind
from isogloss.runs.run_folder import digest_of_file, is_in_use, read_manifest, read_object

KIND = StoredKind(kind="isogloss test run", version=(1, 2), remedy="R", outdated="Run it anew")
TYPES = {"number": (int, float), "inputs": dict}
MANIFEST = KIND.stamp() | {"number": 3, "inputs": {}}


def test_digests(tmp_path: Path) -> None:
    (tmp_path / "inner").mkdir()
    (tmp_path / "inner/b").write_text("2")
    (tmp_path / "a").write_text("1")
    assert hashlib.sha256(b"1").hexdigest() == digest_of_file(tmp_path / "a")
    names = [f"{name} {digest_of_file(tmp_path / name)}" for name in ("a", "inner")]
    assert hashlib.sha256("\n".join(names).encode()).hexdigest() == digest_of_file(tmp_path)
    with pytest.raises(DataError, match="none: No such file or directory; expected a readable"):
        digest_of_file(tmp_path / "none")


@pytest.mark.parametrize("resume", [False, True])
@pytest.mark.parametrize("overwrite", [False, True])
def test_a_folder_in_use(tmp_path: Path, resume: bool, overwrite: bool) -> None:
    assert not is_in_use(tmp_path / "new", resume=resume, overwrite=overwrite)
    assert not is_in_use(tmp_path, resume=resume, overwrite=overwrite)
    (tmp_path / "file").write_text("")
    with pytest.raises(DataError, match=r"file is a file; expected a new folder\. Choose another"):
        is_in_use(tmp_path / "file", resume=resume, overwrite=overwrite)
    with pytest.raises(OutputError, match=r"file/run can't be written: .*Choose another name or"):
        is_in_use(tmp_path / "file/run", resume=resume, overwrite=overwrite)
    if resume or overwrite:
        assert is_in_use(tmp_path, resume=resume, overwrite=overwrite)
        return
    with pytest.raises(DataError, match=r"exists and is not empty; expected a new folder\. Go on"):
        is_in_use(tmp_path, resume=resume, overwrite=overwrite)


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("{", "a file that can't be read (Expecting property name"),
        ("\udcff", "a file that can't be read ('utf-8' codec"),
        ("[" * 9**5, "a file that can't be read (maximum recursion"),
        ("[]", "a list; expected"),
        ('{"number": 1}', "no inputs; expected"),
        ("{}", "no number, inputs; expected"),
        ('{"number": "1", "inputs": {}}', "number that is a str; expected"),
    ],
    ids=range(7),
)
def test_a_damaged_object(tmp_path: Path, text: str, seen: str) -> None:
    path = tmp_path / "object.json"
    path.write_text(text, errors="surrogateescape")
    with pytest.raises(DataError, match=rf"object.json: {re.escape(seen)}.*\. Mend it"):
        read_object(path, TYPES, "Mend it")
    with pytest.raises(
        DataError, match=r"none: a file that can't be read \(No such file or direct"
    ):
        read_object(tmp_path / "none", TYPES, "Mend it")


def test_an_object_comes_back(tmp_path: Path) -> None:
    path = tmp_path / "object.json"
    for number in (1, 1.5):
        path.write_text(json.dumps({"number": number, "inputs": {}, "more": 1}))
        assert {"number": number, "inputs": {}, "more": 1} == read_object(path, TYPES, "")


def test_a_manifest_comes_back(tmp_path: Path) -> None:
    path = tmp_path / "manifest.json"
    for version in ([1, 2], [1, 9]):
        path.write_text(json.dumps(MANIFEST | {"version": version}))
        assert MANIFEST | {"version": version} == read_manifest(path, KIND, TYPES, "")


@pytest.mark.parametrize(
    ("values", "error", "seen"),
    [
        ({"kind": None}, DataError, "kind that is a NoneType; expected a file as a run writes"),
        ({"kind": "thesis", "version": 0}, ModelError, "is of kind 'thesis'; expected 'isogloss"),
        ({"version": "1"}, DataError, "version that is a str; expected a file as a run writes"),
        ({"version": []}, ModelError, "is damaged"),
        ({"inputs": []}, DataError, r"inputs that is a list; .*\. Mend it"),
        ({"version": [0, 1]}, ModelError, r"format version 0; this program reads 1\. Run it anew"),
        ({"version": [2, 0], "program": "7"}, ModelError, r"reads 1\. Update isogloss to 7 or lat"),
    ],
)
def test_a_manifest_of_something_else(
    tmp_path: Path, values: dict, error: type[Exception], seen: str
) -> None:
    path = tmp_path / "manifest.json"
    path.write_text(json.dumps(MANIFEST | values))
    with pytest.raises(error, match=seen):
        read_manifest(path, KIND, TYPES, "Mend it")
