"""Where `isogloss decode` writes to: standard output, files that a moses.ini names, a full disk."""

import shutil
from pathlib import Path

import pytest

from isogloss import program
from isogloss.align.errors import UsageError
from isogloss.align.files.outputs import sole_writer
from isogloss.commands.line_outputs import output_beside
from tests.cli.translations.test_decode import INI, MODELS, decoded, write_system


@pytest.fixture
def system(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working folder, with models and a moses.ini."""
    return write_system(tmp_path, monkeypatch)


def test_one_output_on_stdout(system: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """As in Moses, a list on stdout stands there alone; translations go to a file, or nowhere."""
    told = {
        ("-n-best-list", "file", "2"): ("-n-best-list", "-", "2"),
        ("--n-best=file:2",): ("--n-best=-:2",),
        ("-osg", "file"): ("-osg", "-"),
        ("--alignment", "file"): ("--alignment", "-"),
    }
    text = "a b\nodd\n"
    for to_file, to_stdout in told.items():
        status, best = decoded(text, *MODELS, "-q", *to_file)
        assert status == 0
        expected = Path("file").read_text()
        Path("out").unlink()
        capsys.readouterr()
        assert program.main(["decode", "in", *MODELS, "-q", *to_stdout]) == 0
        assert capsys.readouterr().out == expected
        assert not Path("out").exists()
        assert decoded(text, *MODELS, "-q", *to_stdout) == (0, best)
        assert capsys.readouterr().out == expected
        for other in (["-o", "-"], ["-o", "/dev/stdout"], ["--alignment", "-", "-osg", "-"]):
            assert program.main(["decode", "in", *MODELS, *to_stdout, *other]) == 2
            assert " outputs are written to standard output; pass files" in capsys.readouterr().err
    Path("moses.ini").write_text(f"{INI}\n[n-best-list]\n-\n1\n")
    assert program.main(["decode", "in", "-f", "moses.ini", "-q"]) == 0
    assert [line[:4] for line in capsys.readouterr().out.splitlines()] == ["0 ||", "1 ||"]


@pytest.mark.parametrize("name", ["-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"])
def test_names_of_stdout(name: str) -> None:
    assert output_beside(None, (None, name)) is None
    assert output_beside("file", (name, None)) == "file"
    assert output_beside(None, (None, "/dev/null")) == "-"
    message = "2 outputs are written to standard output; pass files"
    with pytest.raises(UsageError, match=message):
        output_beside("-", (name,))


def test_models_are_saved_whatever_would_be_on_stdout(
    system: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Nothing is translated there, so that nothing is written twice; with an input it would be."""
    Path("two.ini").write_text(f"{INI}\n[n-best-list]\n-\n2\n[output-search-graph]\n-\n")
    for told in (["-f", "two.ini"], [*MODELS, "--n-best=-:2", "-osg", "-"]):
        save = ["decode", *told, "--save", "saved", "--overwrite", "-q"]
        assert program.main(save) == 0
        assert capsys.readouterr().out == ""
        assert decoded("a b\n", "--phrase-table", "saved") == (0, decoded("a b\n", *MODELS)[1])
        Path("in").write_text("a b\n")
        shutil.rmtree("saved")
        assert program.main([*save, "-i", "in"]) == 2
        assert "2 outputs are written to standard output; pass files" in capsys.readouterr().err
        assert not Path("saved").exists()


@pytest.mark.parametrize("section", ["alignment-output-file", "output-search-graph", "n-best-list"])
def test_outputs_that_a_moses_ini_names(
    system: Path, capsys: pytest.CaptureFixture[str], section: str
) -> None:
    ini = Path("moses.ini").read_text()
    size = " 2" if section == "n-best-list" else ""
    Path("precious").write_text("mine\n")
    Path("link").symlink_to("elsewhere")
    for file in ("precious", "link", "../outside", "/tmp/absolute"):
        Path("moses.ini").write_text(f"{ini}\n[{section}]\n{file}{size}\n")
        assert decoded("a\n", "-f", "moses.ini")[0] == 2
        message = f"moses.ini names the output {file}, which is not a new file"
        assert message in capsys.readouterr().err
    Path("moses.ini").write_text(f"{ini}\n[{section}]\nnew{size}\n")
    with sole_writer("new"):
        assert decoded("a\n", "-f", "moses.ini", "-q")[0] == 1
    assert "new cannot be written: another process is writing it" in capsys.readouterr().err
    assert decoded("a\n", "-f", "moses.ini", "-q")[0] == 0
    assert Path("new").exists()


def test_a_full_disk(system: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert decoded("a b\n", *MODELS, "--n-best", "/dev/full:3")[0] == 1
    assert "/dev/full cannot be written: No space left on device. Free d" in capsys.readouterr().err
    assert not Path("out").exists()
