"""isogloss train: the model that align saves, without links."""

from pathlib import Path

import pytest

from isogloss import program
from tests.cli.first_pairs import PAIRS, write_first_pairs

TEXT = ["train.en.gz", "train.es.gz", "--labels", "train.labels.gz"]
FEW = ["--model1-iterations", "1", "--hmm-iterations", "1", "-q"]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    write_first_pairs(tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def made() -> set[str]:
    return {path.name for path in Path().iterdir() if not path.name.startswith("train.")}


def contents(folder: str) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in Path(folder).iterdir()}


def test_the_model_is_that_of_align(capsys: pytest.CaptureFixture[str]) -> None:
    more = ["--heuristic", "union", *FEW]
    assert program.main(["train", *TEXT, "--model", "one", *more]) == 0
    assert capsys.readouterr().out == ""
    assert program.main(["align", *TEXT, "--model", "other", "-o", "links", *more]) == 0
    assert contents("one") == contents("other")
    assert made() == {"links", "one", "other"}
    assert program.main(["apply", "one", *TEXT[:2], "-o", "applied", "-q"]) == 0
    assert len(Path("applied").read_text().splitlines()) == PAIRS


def test_an_older_model_is_kept(capsys: pytest.CaptureFixture[str]) -> None:
    assert program.main(["train", *TEXT[:2], "--model", "m", *FEW]) == 0
    before = contents("m")
    assert program.main(["train", *TEXT, "--model", "m", *FEW]) == 1
    assert "m exists; choose another folder or pass --overwrite" in capsys.readouterr().err
    assert contents("m") == before
    assert program.main(["train", *TEXT, "--model", "m", "--overwrite", *FEW]) == 0
    assert contents("m") != before


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "--model DIR is missing; it names the folder of the new model"),
        (["--model", "m", "--external-links", TEXT[0]], "--external-links has no effect with"),
        (["--model", "m", "--hmm-iterations", "0", "--posterior-threshold", "0.4"],
         "--posterior-threshold needs link probabilities; set --hmm-iterations above 0"),
        (["--model", "m", "-o", "links"], "unrecognized arguments: -o links"),
    ],
)  # fmt: skip
def test_what_it_does_not_take(
    words: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert program.main(["train", *TEXT, *words]) == 2
    assert said in capsys.readouterr().err
    assert not made()
