"""isogloss evaluate from outside."""

import json
from pathlib import Path

import pytest

from tests.cli.tokenized_text import run


@pytest.fixture
def gold(text: Path) -> Path:
    """Gold links of the text: 5 sure ones and 3 possible ones."""
    (text / "gold").write_text("0-0 1-1 2-2 3p3\n\n0-0 1p0 2-1 3p3\n")
    return text


def test_scores(gold: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Of 8 links 7 are in the gold standard, 5 of them sure."""
    assert run(gold, "evaluate", "/links", "/gold") == 0
    captured = capsys.readouterr()
    assert captured.out == "AER\t7.69\nprecision\t87.50\nrecall\t100.00\nF1\t93.33\n"
    assert captured.err == ""
    assert run(gold, "evaluate", "/links", "/gold", "--json") == 0
    assert json.loads(capsys.readouterr().out) == {
        "AER": 7.69, "precision": 87.5, "recall": 100.0, "F1": 93.33,
        "links": 8, "sure": 5, "sentence_pairs": 3,
    }  # fmt: skip


def test_skip(gold: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (gold / "gold").write_text("0-0 1-0 2-1 3-2\n")
    assert run(gold, "evaluate", "/links", "/gold", "--skip", "2") == 0
    assert capsys.readouterr().out.startswith("AER\t0.00\n")
    assert run(gold, "evaluate", "/links", "/gold") == 1
    assert "Skip the lines before the evaluated text with --skip N" in capsys.readouterr().err
    assert run(gold, "evaluate", "/links", "/gold", "--skip", "4") == 2
    assert "--skip must be at most 3, " in capsys.readouterr().err


def test_gold_links_that_do_not_fit(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "links").write_text("0-2 1-0 2-1 3-5 4-3 5-4 6-7\n" * 10)
    (tmp_path / "gold").write_text("2-0 0-1 1-2 5-3 3-4 4-5 7-6\n" * 10)
    assert run(tmp_path, "evaluate", "/links", "/gold") == 0
    captured = capsys.readouterr()
    assert captured.out.startswith("AER\t100.00\n")
    assert captured.err == (
        f"warning: {tmp_path / 'gold'}: 0 % of the sure gold links are among the links, but 100 % "
        "would be with source and target swapped. Correct one of the files\n"
    )
