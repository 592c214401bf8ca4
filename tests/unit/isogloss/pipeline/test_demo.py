"""The bundled sample, where the library is installed and in a clone."""

from pathlib import Path

import pytest

from isogloss import program
from isogloss.pipeline import demo


def test_bundled_folder_is_found(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    assert (demo.bundled_folder() / "train.en.gz").is_file()
    monkeypatch.setattr(demo, "__file__", str(tmp_path / "isogloss/pipeline/demo.py"))
    with pytest.raises(FileNotFoundError, match=r"python -m data\.generate"):
        demo.bundled_folder()


def test_the_bundled_data_is_copied(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = ["demo", "--copy-data", str(tmp_path / "data")]
    assert program.main(command) == 0
    for name in ("train.en.gz", "test.es.ref1", "README.md"):
        copied = (tmp_path / "data" / name).read_bytes()
        assert copied == (demo.bundled_folder() / name).read_bytes()
    assert capsys.readouterr().err == f"copied 14 files to {tmp_path / 'data'}\n"
    assert program.main(command) == 2
    assert "exists; choose another folder for the bundled data" in capsys.readouterr().err
