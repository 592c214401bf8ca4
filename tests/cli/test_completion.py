"""`isogloss completion`: scripts that shells take."""

import shutil
import subprocess
from pathlib import Path

import pytest

from isogloss import program
from isogloss.command_line.parsers import COMMANDS
from isogloss.commands.completion import SHELLS


def script(shell: str, capsys: pytest.CaptureFixture[str]) -> str:
    assert program.main(["completion", shell]) == 0
    return capsys.readouterr().out


@pytest.mark.parametrize("shell", SHELLS)
def test_commands_and_options_are_in_it(shell: str, capsys: pytest.CaptureFixture[str]) -> None:
    text = script(shell, capsys)
    for word in (*COMMANDS, "l1-path", "posterior-threshold", "grow-diag-final-and"):
        assert word in text


@pytest.mark.parametrize("shell", SHELLS)
def test_the_shell_accepts_it(
    shell: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    if shutil.which(shell) is None:
        pytest.skip(f"no {shell} here")
    file = tmp_path / "script"
    file.write_text(script(shell, capsys), encoding="utf-8")
    done = subprocess.run([shell, "-n", str(file)], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


COMPLETE = """
source {script}
COMP_WORDS=({words}); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1))
{function} isogloss "${{COMP_WORDS[COMP_CWORD]}}" ""
printf '%s\\n' "${{COMPREPLY[@]}}"
"""


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("isogloss retok", ["retokenize"]),
        ("isogloss weights sh", ["show"]),
        ("isogloss symmetrize --heuristic inter", ["intersection"]),
        ("isogloss align --seed-s", ["--seed-sample"]),
        ("isogloss evaluate li", ["links.gz"]),
        ("isogloss check li", ["links.gz"]),
        ("isogloss apply fold", ["folder"]),
        ("isogloss align a b --labels li", ["links.gz"]),
    ],
)
def test_bash_completes(
    words: str, expected: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    if shutil.which("bash") is None:
        pytest.skip("no bash here")
    file = tmp_path / "script"
    file.write_text(script("bash", capsys), encoding="utf-8")
    (tmp_path / "here" / "folder").mkdir(parents=True)
    (tmp_path / "here" / "links.gz").write_text("")
    code = COMPLETE.format(script=file, words=words, function="_shtab_isogloss")
    done = subprocess.run(
        ["bash", "-c", code], capture_output=True, text=True, check=True, cwd=tmp_path / "here"
    )
    assert sorted(done.stdout.split()) == sorted(expected)


def test_a_shell_that_is_not_known(capsys: pytest.CaptureFixture[str]) -> None:
    assert program.main(["completion", "tcsh"]) == 2
    assert "invalid choice: 'tcsh'" in capsys.readouterr().err
