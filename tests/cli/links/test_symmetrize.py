"""isogloss symmetrize from outside."""

import pytest

from isogloss import program

TOLD = (
    "warning: {} and {} look swapped: T2S must have at most one link per source word, and S2T must "
    "have at most one link per target word. Pass the files in reverse order\n"
)


@pytest.mark.parametrize(
    ("forward", "reverse", "exchanged"),
    [
        ("0-0 1-1 2-1", "0-0 1-1 1-2", False),  # as they should be
        ("0-0 1-1 1-2", "0-0 1-1 2-1", True),
        ("0-0 1-1", "0-0 1-1 2-1", True),
        ("0-0 1-1", "0-0 1-1", False),  # fit either way
        ("0-0 1-1 1-2 2-1", "0-0 1-1 2-1", False),  # fit neither way
    ],
)
def test_files_in_the_other_order(tmp_path, monkeypatch, capsys, forward, reverse, exchanged):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "f").write_text(f"\n{forward}\n")
    (tmp_path / "r").write_text(f"\n{reverse}\n")
    assert program.main(["symmetrize", "f", "r", "--heuristic", "union"]) == 0
    captured = capsys.readouterr()
    assert captured.out == "\n" + " ".join(sorted({*forward.split(), *reverse.split()})) + "\n"
    assert captured.err == (TOLD.format("f", "r") if exchanged else "")
