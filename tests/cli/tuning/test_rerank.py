"""rerank from outside: which sentence a line belongs to, and what is written back."""

import json
from pathlib import Path
from typing import Any

import pytest

from isogloss import program
from isogloss.tune.nbest.store import store_nbest

TEXT = """\
0 ||| a ||| x= 1 ||| 0
0 ||| b ||| x= 2 ||| 0
2 ||| c ||| x= 1 ||| 0
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("weights").write_text("x 1\n")
    Path("text").write_text(TEXT)
    write("records", [
        {"id": 2, "hyps": [hypothesis("c", 1)]},
        {"id": 0, "hyps": [hypothesis("a", 1), hypothesis("b", 2)]},
    ])  # fmt: skip
    return tmp_path


def hypothesis(text: str, value: float) -> dict[str, Any]:
    return {"text": text, "features": {"x": value}}


def write(name: str, records: list[Any]) -> None:
    Path(name).write_text("".join(json.dumps(record) + "\n" for record in records))


def rerank(*arguments: str, status: int = 0) -> None:
    assert program.main(["rerank", *arguments, "-w", "weights"]) == status


@pytest.mark.parametrize("name", ["text", "records"])
@pytest.mark.parametrize("more", [(), ("--max-memory", "200M")], ids=["memory", "disk"])
def test_a_line_for_each_line_of_the_source(
    folder: Path, name: str, more: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    rerank(name, *more)
    assert capsys.readouterr().out == "b\n\nc\n"
    rerank(name, "--sentences", "5", *more)
    told = capsys.readouterr()
    assert told.out == "b\n\nc\n\n\n"
    assert told.err.count("3 sentences have no hypothesis (first: 1)") == 1


@pytest.mark.parametrize("name", ["text", "records"])
def test_a_line_for_each_line_from_a_folder(
    folder: Path, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.warns(UserWarning, match="sentence"):
        store_nbest([name], "stored")
    rerank("stored", "--sentences", "4")
    told = capsys.readouterr()
    assert told.out == "b\n\nc\n\n"
    assert "2 sentences have no hypothesis (first: 1)" in told.err


def test_ids_beyond_the_source(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rerank("text", "--sentences", "2", status=1)
    assert "text, line 3: sentence id 2, while there are 2 sentences" in capsys.readouterr().err
    rerank("text", "--sentences", "0", status=2)
    assert "--sentences" in capsys.readouterr().err


def test_sorted_records_keep_their_ids(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rerank("records", "--sorted", "--sentences", "4")
    written = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [0, 1, 2, 3] == [record["id"] for record in written]
    assert [["b", "a"], [], ["c"], []] == [
        [hyp["text"] for hyp in record["hyps"]] for record in written
    ]


def test_ids_that_are_names_keep_their_order(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    names = ["n", 7, "5", 0.5]
    write("named", [{"id": name, "hyps": [hypothesis("c", 1)]} for name in names])
    rerank("named", "--sorted")
    written = [json.loads(line)["id"] for line in capsys.readouterr().out.splitlines()]
    assert names == written
    assert list(map(type, names)) == list(map(type, written))


def test_half_a_character_is_bad_input(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write("half", [{"id": 0, "hyps": [hypothesis("\ud800", 1)]}])
    rerank("half", status=1)
    assert r'half, line 1: hypothesis 1: "text" holds \ud800, half' in capsys.readouterr().err


@pytest.mark.parametrize("stored", [False, True])
def test_references_in_files_have_the_order_of_the_ids(
    folder: Path, stored: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    """Tuning from a list that runs backwards, with a reference more than the list has."""
    good = [f"right words of number {k}" for k in range(6)]
    write("backwards", [
        {"id": k, "hyps": [hypothesis("wrong", 0), hypothesis(good[k], 1)]}
        for k in range(5, -1, -1)
    ])  # fmt: skip
    Path("references").write_text("".join(f"{reference}\n" for reference in [*good, "none"]))
    if stored:
        with pytest.warns(UserWarning, match="backwards: sentence ids are not sorted"):
            store_nbest(["backwards"], "stored")
    name = "stored" if stored else "backwards"
    assert program.main(["tune", name, "--refs", "references", "--folds", "0", "-o", "out"]) == 0
    told = capsys.readouterr().err
    assert "oracle 100.00" in told
    assert "1 sentences have no hypothesis (first: 6)" in told
    Path("references").write_text("".join(f"{reference}\n" for reference in good[1:]))
    assert program.main(["tune", name, "--refs", "references", "-o", "out2"]) == 1
    assert "while there are 5" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["text", "records"])
def test_weights_that_fit_nothing(
    folder: Path, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("weights").write_text("xs_y 1\n")
    rerank(name, status=1)
    assert "weights: weights of xs_y; expected weights of x" in capsys.readouterr().err
    Path("weights").write_text("")
    rerank(name, status=1)
    assert "weights: no weight; expected weights of x" in capsys.readouterr().err
    Path("weights").write_text("x 1\nlm_score 2\n")
    rerank(name)
    assert "weights: the lists have no feature lm_score" in capsys.readouterr().err
