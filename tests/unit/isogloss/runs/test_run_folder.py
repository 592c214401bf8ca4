"""Folders of runs: in use or not, their manifests, the digests of their inputs."""

import hashlib
import json
import re
from pathlib import Path

import pytest
from msgspec import Struct

from isogloss.align.errors import DataError, ModelError, OutputError
from isogloss.align.files.records import Finite
from isogloss.align.files.stored_folder import StoredKind
from isogloss.runs.run_folder import digest_of_file, is_in_use, read_manifest

KIND = StoredKind(kind="isogloss test run", version=(1, 2), remedy="R", outdated="Run it anew")


class Content(Struct):
    number: Finite
    inputs: dict[str, str]


MANIFEST = KIND.stamp() | {"number": 3, "inputs": {}}


def test_digests(tmp_path: Path) -> None:
    (tmp_path / "inner").mkdir()
    (tmp_path / "inner/b").write_text("2")
    (tmp_path / "a").write_text("1")
    assert hashlib.sha256(b"1").hexdigest() == digest_of_file(tmp_path / "a")
    names = [f"{name} {digest_of_file(tmp_path / name)}" for name in ("a", "inner")]
    assert hashlib.sha256("\n".join(names).encode()).hexdigest() == digest_of_file(tmp_path)
    with pytest.raises(DataError, match=r"none cannot be read: .* Check the path"):
        digest_of_file(tmp_path / "none")


@pytest.mark.parametrize("resume", [False, True])
@pytest.mark.parametrize("overwrite", [False, True])
def test_a_folder_in_use(tmp_path: Path, resume: bool, overwrite: bool) -> None:
    assert not is_in_use(tmp_path / "new", resume=resume, overwrite=overwrite)
    assert not is_in_use(tmp_path, resume=resume, overwrite=overwrite)
    (tmp_path / "file").write_text("")
    with pytest.raises(DataError, match=r"file is a file\. Choose another"):
        is_in_use(tmp_path / "file", resume=resume, overwrite=overwrite)
    with pytest.raises(OutputError, match=r"file/run cannot be written: .*Choose another name or"):
        is_in_use(tmp_path / "file/run", resume=resume, overwrite=overwrite)
    if resume or overwrite:
        assert is_in_use(tmp_path, resume=resume, overwrite=overwrite)
        return
    with pytest.raises(DataError, match=r"exists and is not empty\. Resume"):
        is_in_use(tmp_path, resume=resume, overwrite=overwrite)


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("{", "invalid JSON (Expecting property name"),
        ("\udcff", "invalid JSON (byte 1 is not UTF-8)"),
        ("[" * 9**5, "lists or objects are nested too deeply in the JSON"),
        ("[]", "the value is a list of 0; expected an object"),
        ("{}", "the key 'kind' is missing"),
    ],
    ids=range(5),
)
def test_a_damaged_manifest(tmp_path: Path, text: str, seen: str) -> None:
    path = tmp_path / "manifest.json"
    path.write_text(text, errors="surrogateescape")
    with pytest.raises(DataError, match=rf"manifest.json: {re.escape(seen)}.*\. Mend it"):
        read_manifest(path, KIND, Content, "Mend it")
    with pytest.raises(DataError, match=r"none cannot be read: No such file or directory"):
        read_manifest(tmp_path / "none", KIND, Content, "Mend it")


def test_a_manifest_comes_back(tmp_path: Path) -> None:
    path = tmp_path / "manifest.json"
    for version in ([1, 2], [1, 9]):
        path.write_text(json.dumps(MANIFEST | {"version": version}))
        assert MANIFEST | {"version": version} == read_manifest(path, KIND, Content, "")


@pytest.mark.parametrize(
    ("values", "error", "seen"),
    [
        ({"kind": None}, DataError, r"kind is None; expected a string\. Mend it"),
        ({"kind": "thesis", "version": 0}, ModelError, "is of kind 'thesis'; expected 'isogloss"),
        ({"version": "1"}, DataError, r"version is '1'; expected a list\. Mend it"),
        ({"version": []}, ModelError, "is damaged"),
        ({"inputs": []}, DataError, r"inputs is a list of 0; expected an object\. Mend it"),
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
        read_manifest(path, KIND, Content, "Mend it")
