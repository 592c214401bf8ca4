"""The bundled sample, where the library is installed and in a clone."""

from pathlib import Path

import pytest

from isogloss.pipeline import demo


def test_bundled_folder_is_found(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    assert (demo.bundled_folder() / "train.en.gz").is_file()
    monkeypatch.setattr(demo, "__file__", str(tmp_path / "isogloss/pipeline/demo.py"))
    with pytest.raises(FileNotFoundError, match=r"python -m data\.generate"):
        demo.bundled_folder()
