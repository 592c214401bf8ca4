"""score and compare of lists and of tuning runs, in place of text."""

import json
import os
import shutil
import threading
import warnings
from pathlib import Path

import numpy as np
import pytest

from isogloss.align.errors import DataWarning
from tests.cli.translations.test_compare import noisy, run, write


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "ref", noisy(0, 0))
    return tmp_path


def nbest(path: Path, best: float, *, references: bool = True, empty: int = -1) -> str:
    """A list of two hypotheses each, the first with a column of about ``best``."""
    rng = np.random.default_rng(7)
    records = []
    for number, (right, wrong) in enumerate(zip(noisy(0, 0), noisy(0.5, 3), strict=True)):
        hyps = [
            {"text": text, "features": {"lm": rng.normal()}, "metrics": {"comet": best + k / 64}}
            for k, text in enumerate((wrong, right))
        ]
        record = {"id": number, "hyps": [] if number == empty else hyps}
        records.append(record | ({"refs": [right]} if references else {}))
    return write(path, [json.dumps(record) for record in records])


def test_lists_by_column(folder, capsys):
    nbest(folder / "a.jsonl", 0.25)
    nbest(folder / "b.jsonl", 0.5)
    rows = run(capsys, "score", "a.jsonl", "--metric", "column:comet,bleu,column:lm").splitlines()
    assert rows[0] == "column:comet\t0.2500\tmetric:column:comet|by:isogloss"
    write(folder / "wrong.txt", noisy(0.5, 3))
    text = run(capsys, "score", "wrong.txt", "--refs", "ref")
    assert rows[1] == text.splitlines()[0]  # its own references, the first hypotheses
    command = ["compare", "a.jsonl", "b.jsonl", "--trials", "99", "--to", "json"]
    result = json.loads(run(capsys, *command, "--metric", "column:comet"))
    base, system = result["metrics"][0]["systems"]
    means = base["score"]["mean"], system["score"]["mean"]
    assert (means, result["references"]) == ((0.25, 0.5), [])
    shown = run(capsys, *command[:5], "--metric", "column:comet", "--test", "bootstrap")
    row = next(line for line in shown.splitlines() if line.startswith("b "))
    assert row.split()[1:6] == ["0.5000", "0.0000", "[0.5000,", "0.5000]", "+0.2500"]
    assert "b is significantly better than a: +0.2500, p 0.0100" in shown
    mixed = json.loads(run(capsys, "compare", "a.jsonl", "wrong.txt", *command[3:]))
    first, second = mixed["metrics"][0]["systems"]
    assert first["score"]["mean"] == pytest.approx(second["score"]["mean"])
    lower = run(capsys, "score", "a.jsonl", "--lowercase")
    assert "case:lc" in lower


def test_lists_that_cannot_be_scored(folder, capsys):
    nbest(folder / "none.jsonl", 0.5, references=False)
    nbest(folder / "hole.jsonl", 0.5, empty=3)
    nbest(folder / "a.jsonl", 0.5)
    text = (folder / "a.jsonl").read_text().replace('"refs": ["', '"refs": ["other ')
    (folder / "other.jsonl").write_text(text)
    for arguments, status, message in (
        (["score", "none.jsonl"], 2, "bleu needs references; pass --refs REF"),
        (["score", "a.jsonl", "--metric", "column:no"], 1, "the list has no column or feature"),
        (["score", "hole.jsonl", "--metric", "column:comet"], 1,
         "hole.jsonl: sentence 3 has no hypothesis; expected at least one per sentence, for colu"),
        (["compare", "a.jsonl", "other.jsonl"], 1,
         "other.jsonl: the references differ from those in a.jsonl; expected the same references "
         "in both"),
    ):  # fmt: skip
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DataWarning)
            assert message in run(capsys, *arguments, status=status)


def test_runs_of_tune(folder, capsys):
    """What the folds chose of sentences that they hadn't learned from; by weights, of others."""
    nbest(folder / "lists.jsonl", 0.5)
    tune = ["tune", "lists.jsonl", "--metric", "column:comet", "--optimizer", "mert", "-q",
            "--random-restarts", "0", "--random-walks", "0"]  # fmt: skip
    for out, more in (
        ("one", ["--folds", "4"]), ("two", ["--folds", "4", "--runs", "2", "--seed", "3"]),
        ("held", ["--folds", "0", "--held-out", "lists.jsonl"]), ("all", ["--folds", "0"]),
    ):  # fmt: skip
        run(capsys, *tune, "--out", out, *more)
    command = ["compare", "one", "two", "held", "--metric", "column:comet", "--to", "json"]
    result = json.loads(run(capsys, *command, "--trials", "99", "--test", "bootstrap"))
    systems = result["metrics"][0]["systems"]
    assert [system["files"] for system in systems] == [
        ["one, run 1"], ["two, run 1", "two, run 2"], ["held, run 1"]
    ]  # fmt: skip
    report = json.loads(Path("one", "report.json").read_text())
    assert systems[0]["score"]["runs"] == pytest.approx(report["held_out"])
    for arguments, message in (
        (["one", "all"], "all: the run has no held-out sentences; expected a run with --folds or"),
        (
            ["one", "half"],
            "half: the training run1.fold2 is missing; expected all trainings of the run. Finish "
            "the run",
        ),
    ):
        if "half" in arguments:
            shutil.copytree("one", "half")
            Path("half/tasks/run1.fold2.json").unlink()
        assert message in run(capsys, "compare", *arguments, status=1)
    manifest = Path("half", "manifest.json")
    manifest.write_text(manifest.read_text().replace('"runs": 1', '"runs": 10001'))
    told = run(capsys, "compare", "one", "half", status=1)
    assert "half/manifest.json: runs is 10001; expected an integer" in told
    Path("lists.jsonl").write_text(Path("lists.jsonl").read_text().replace("0.5", "0.25"))
    assert "changed since the run" in run(capsys, "compare", "one", "two", status=1)


def test_a_list_of_moses_comes_through_a_pipe(folder, capsys):
    """It is known by its lines, which can be read only once."""
    text = "".join(f"{n} ||| {line} ||| LM= 1 ||| 1\n" for n, line in enumerate(noisy(0, 0)))
    write(folder / "list", text.splitlines())
    expected = run(capsys, "score", "list", "--refs", "ref")
    reading, writing = os.pipe()
    with os.fdopen(writing, "w") as stream:
        threading.Thread(target=lambda: (stream.write(text), stream.close())).start()
        assert run(capsys, "score", f"/dev/fd/{reading}", "--refs", "ref") == expected
    os.close(reading)
    assert expected.startswith("bleu\t100.00")
