"""What commands say at the end, where somebody looks on, and when they are stopped."""

import io
import re
import sys
from dataclasses import replace
from types import SimpleNamespace

import pytest

from isogloss import program
from isogloss.commands.line_outputs import shown_beside
from isogloss.commands.pipeline import demo
from isogloss.commands.pipeline import run as pipeline_run
from isogloss.commands.tables import features
from isogloss.commands.tuning import tune
from isogloss.console import Console

RULE = "casa ||| house ||| 0.5 0.25 0.5 0.125 ||| 0-0 ||| 4 4 2 ||| |||\n"


class Terminal(io.StringIO):
    """What is written to a terminal."""

    def isatty(self):
        return True


@pytest.fixture
def work(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "table").write_text(RULE)
    return tmp_path


def told(monkeypatch, *arguments, status=0):
    """Lines on a terminal."""
    monkeypatch.setattr(sys, "stderr", terminal := Terminal())
    assert program.main([*arguments]) == status
    return terminal.getvalue().splitlines()


def test_what_was_written_and_what_comes_next(work, monkeypatch):
    (work / "forward").write_text("0-0 1-1\n")
    command = ["symmetrize", "forward", "forward", "-o"]
    assert re.fullmatch(r"wrote 'my links' in \d+ s", told(monkeypatch, *command, "my links")[-1])
    assert told(monkeypatch, *command, "links", "-q") == []
    assert not any("wrote" in line for line in told(monkeypatch, *command, "-"))
    export = ("--export", "start")
    lines = told(monkeypatch, "features", "table", "-o", "out", "--add", "pt", *export)
    assert lines[-1] == "next: isogloss lm TEXT -o lm.arpa.gz"
    (work / "lm").write_text("\\data\\\nngram 1=2\n\n\\1-grams:\n-1\t<s>\n-1\t</s>\n\n\\end\\\n")
    export = (*export, "--lm", "lm")
    lines = told(monkeypatch, "features", "table", "-o", "out", "--add", "pt", *export)
    assert lines[-2].startswith("wrote out, out.columns.json, start/features.tsv, start/weights.tx")
    assert lines[-1] == (
        "next: isogloss tune --decoder start/moses.ini --dev TEXT --refs REF -o weights.json"
    )
    assert told(monkeypatch, "prune", "table", "-o", "out", "--table-limit", "1")[-1] == (
        "next: isogloss decode TEXT --phrase-table out --lm ARPA"
    )


def test_a_log_has_no_closing_line(work, capsys):
    (work / "forward").write_text("0-0 1-1\n")
    assert program.main(["symmetrize", "forward", "forward", "-o", "links"]) == 0
    assert "wrote" not in capsys.readouterr().err


@pytest.mark.parametrize(
    ("command", "arguments"),
    [
        ("tune", ["list", "-w", "w", "-o", "w2"]),
        ("tune", ["--decoder", "start/moses.ini", "--dev", "d", "--refs", "r", "--out", "run"]),
        ("tune", ["--decoder", "d.toml", "--dev", "d", "--refs", "r", "-o", "w2"]),
        ("extract", ["a", "b", "links", "-o", "t"]),
        ("extract", ["a", "b", "links", "-o", "t", "--export", "start", "--lm", "lm"]),
        ("features", ["t", "-o", "t2"]),
        ("align", ["a", "b", "-o", "links"]),
        ("align", ["a.tmx", "--langs", "en-es", "--lowercase", "-o", "links"]),
        ("align", ["a", "b", "--model", "m"]),
        ("rerank", ["list", "-w", "w", "-o", "best"]),
        ("rerank", ["list", "-w", "w", "--sorted", "-o", "sorted"]),
        ("decode", ["a", "--phrase-table", "t", "--lm", "l", "--forests", "forests"]),
        ("decode", ["a", "--phrase-table", "t", "--lm", "l", "--n-best", "list:10"]),
        ("decode", ["a", "--phrase-table", "t", "--lm", "l", "-o", "out"]),
    ],
)
def test_the_next_command_is_one(command, arguments):
    """What it names is what was written, and its arguments can be read."""
    chosen, options = program.parse(command, arguments)
    name, *following = chosen.next_step(options)
    program.parse(name, following)
    written = {"run", "w2", "t", "t2", "links", "m", "best", "sorted", "forests", "list", "out"}
    words = {word.split("/")[0] for word in following}
    assert words & (written | {"start"})


def stopped(monkeypatch, module, write=None):
    def stop(options, console):
        if write is not None:
            write.write_text("whole\n")
        raise KeyboardInterrupt

    monkeypatch.setattr(module, "COMMAND", replace(module.COMMAND, run=stop))


def test_what_ctrl_c_leaves(work, monkeypatch, capsys):
    (work / "old").write_text("old\n")
    stopped(monkeypatch, features)
    assert program.main(["features", "table", "-o", "out"]) == 130
    assert capsys.readouterr().err == "isogloss features: interrupted; nothing was written\n"
    assert program.main(["features", "table", "-o", "-"]) == 130
    assert capsys.readouterr().err == "isogloss features: interrupted\n"
    stopped(monkeypatch, features, work / "out")
    assert program.main(["features", "table", "-o", "out"]) == 130
    assert capsys.readouterr().err == "isogloss features: interrupted; out is complete\n"


def test_what_can_be_gone_on_with(work, monkeypatch, capsys):
    (work / "run").mkdir()
    command = ["tune", "list", "--refs", "ref", "--out", "run"]
    stopped(monkeypatch, tune)
    assert program.main(command) == 130
    assert capsys.readouterr().err == "isogloss tune: interrupted; nothing was written\n"
    stopped(monkeypatch, tune, work / "run" / "tasks")
    assert program.main(command) == 130
    assert capsys.readouterr().err == (
        "isogloss tune: interrupted; the state is saved in run; run the same command with --resume "
        "to continue\n"
    )


def test_after_the_pipeline(tmp_path):
    options = SimpleNamespace(
        settings=SimpleNamespace(out=tmp_path), out=str(tmp_path), copy_data=None
    )
    assert demo.COMMAND.next_step(options) == ("run", "CONFIG.toml")
    assert demo.COMMAND.next_step(SimpleNamespace(copy_data="data")) == ()
    for name in ("flat", "latent"):
        (tmp_path / f"{name}.model").mkdir()
        expected = ["apply", str(tmp_path / f"{name}.model"), "SRC", "TGT"]
        assert pipeline_run.COMMAND.next_step(options) == expected


@pytest.mark.parametrize(
    ("output", "on_terminal", "is_hidden"),
    [(None, True, True), ("-", True, True), ("links", True, False), (None, False, False)],
)
def test_no_bar_between_the_lines_of_a_terminal(
    output: str | None, on_terminal: bool, is_hidden: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdout.isatty", lambda: on_terminal)
    console = Console()
    assert (shown_beside(output, console) is not console) == is_hidden
    assert shown_beside(output, console).verbosity == (-1 if is_hidden else 0)
