"""Whatever the locale, results are UTF-8; whenever it is stopped, a line says so."""

import gc
import os
import subprocess
import sys
from importlib.machinery import ModuleSpec
from pathlib import Path

import pytest

from isogloss import __main__ as entry
from isogloss import program

TEXT = "Ω ça 語"


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    (tmp_path / "li:smile:st").write_text(f"0 ||| {TEXT} ||| x= 1 ||| 0\n", encoding="utf-8")
    (tmp_path / "w").write_text("x 1\n")
    return [str(tmp_path / "li:smile:st"), str(tmp_path / "w")]


@pytest.mark.parametrize(
    "locale",
    [
        {"PYTHONIOENCODING": "latin-1"},
        {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
    ],
)
def test_results_are_utf8(files: list[str], locale: dict[str, str]) -> None:
    lists, weights = files
    command = [sys.executable, "-m", "isogloss", "rerank", lists, "-w", weights, "-q"]
    done = subprocess.run(command, capture_output=True, check=True, env=os.environ | locale)
    assert done.stdout == f"{TEXT}\n".encode()
    assert done.stderr == b""


def test_names_are_not_emoji(files: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    missing = files[0] + "[red]"
    assert program.main(["rerank", missing, "-w", files[1]]) == 1
    assert f"isogloss rerank: {missing} cannot be read: No such file" in capsys.readouterr().err
    assert program.main(["tune", files[0], "--metric", "column:comet:x", "--folds", "0"]) != 0
    assert "comet:x" in capsys.readouterr().err


class _Stop:
    """An import system in which the user presses Ctrl-C."""

    def find_spec(self, name: str, *rest: object) -> ModuleSpec | None:
        if name == "isogloss.program":
            raise KeyboardInterrupt
        return None


def test_interrupted_while_it_starts(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delitem(sys.modules, "isogloss.program")
    monkeypatch.setattr(sys, "meta_path", [_Stop(), *sys.meta_path])
    with pytest.raises(SystemExit) as stop:
        entry.run()
    assert stop.value.code == 130
    assert capsys.readouterr().err == "isogloss: interrupted\n"


def test_nothing_is_taken_apart_at_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """Types of msgspec that were collected then ended one service of three in a segfault."""
    done: list[str] = []
    monkeypatch.setattr(program, "main", lambda **options: done.append("main") or 0)
    monkeypatch.setattr(gc, "freeze", lambda: done.append("freeze"))
    with pytest.raises(SystemExit) as stop:
        entry.run()
    assert (stop.value.code, done) == (0, ["main", "freeze"])


def test_interrupted_before_the_command(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def stop() -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(program, "program_parser", stop)
    with pytest.raises(SystemExit) as stopped:
        entry.run()
    assert stopped.value.code == 130
    assert capsys.readouterr().err == "isogloss: interrupted\n"
