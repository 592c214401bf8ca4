"""`isogloss report` of a tuning run."""

import json
import re
from pathlib import Path

import pytest

from isogloss import program
from tests.cli.pipeline.report_pages import sections_of, text_of

LISTS = "".join(
    f"{n} ||| {text} {n} ||| LM0= {lm} TM0= {tm} ||| 0\n"
    for n in range(12)
    for text, lm, tm in (
        ("a cat sat there by", -2, -1), ("the cat sat on mat", -1, -3), ("cat on mat a the", -3, -2)
    )
)  # fmt: skip
REFERENCES = "".join(f"the cat sat on mat {n}\n" for n in range(12))


@pytest.fixture
def tuned(tmp_path: Path) -> Path:
    (tmp_path / "lists").write_text(LISTS, encoding="utf-8")
    (tmp_path / "refs").write_text(REFERENCES, encoding="utf-8")
    lists, refs = (str(tmp_path / name) for name in ("lists", "refs"))
    out = tmp_path / "run"
    command = ["tune", lists, "--refs", refs, "--out", str(out), "--folds", "3", "--epochs", "4"]
    assert program.main([*command, "-q"]) == 0
    return out


def test_a_tuning_run(tuned: Path) -> None:
    assert program.main(["report", str(tuned), "-q"]) == 0
    page = tuned / "report.html"
    assert sections_of(page) == [
        "Input", "Time and memory", "Learning curves", "Gain", "Weights", "Sentences"
    ]  # fmt: skip
    shown = re.sub(r"\n+", "\n", text_of(page))
    report = json.loads((tuned / "report.json").read_text(encoding="utf-8"))
    assert f"initial weights\n{report['potential']['start']:.2f}" in shown
    assert f"tuned, held out\n{report['held_out'][0]:.2f}" in shown
    assert "epochs\n4\n" in shown
    assert "trials" not in shown  # as usual
    assert "Each sentence is translated with the weights of the folds without it." in shown
    assert f"tuned\n{report['held_out'][0]:.2f} [" in shown
    assert "tuned\nthe cat sat on mat" in shown
    # the page is the run's: it is replaced with it
    command = ["tune", str(tuned.parent / "lists"), "--refs", str(tuned.parent / "refs")]
    assert program.main([*command, "--out", str(tuned), "--overwrite", "-q"]) == 0
    assert not page.exists()


def test_a_tuning_run_whose_lists_are_gone(tuned: Path) -> None:
    (tuned.parent / "lists").unlink()
    assert program.main(["report", str(tuned), "-q"]) == 0
    assert "Sentences" not in sections_of(tuned / "report.html")
    assert "missing" in text_of(tuned / "report.html")


def test_a_run_has_its_own_texts(tuned: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert program.main(["report", str(tuned), "a", "b"]) == 2
    told = "SRC, TGT, --links and --gold need a model folder; a run has its own texts"
    assert told in capsys.readouterr().err


def test_a_tuning_run_with_files_that_are_missing_or_damaged(tuned: Path) -> None:
    (tuned / "weights.json").unlink()
    (tuned / "epochs.jsonl").write_text("{}\n", encoding="utf-8")
    assert program.main(["report", str(tuned), "-q"]) == 0
    page = tuned / "report.html"
    shown = re.sub(r"\n+", "\n", text_of(page))
    for title, name in (
        ("Learning curves", "epochs.jsonl, line 1: "), ("Weights", "weights.json cannot be read: "),
        ("Sentences", "epochs.jsonl, line 1: "),
    ):  # fmt: skip
        section = shown[shown.rindex(f"\n{title}\n") :]
        assert f"This is left out: {tuned}/{name}" in section
    assert "Scores, bleu\n" in shown
    (tuned / "report.json").write_text("{", encoding="utf-8")
    assert program.main(["report", str(tuned), "-q"]) == 0
    assert f"This is left out: {tuned}/report.json" in text_of(page)


@pytest.mark.parametrize(
    ("usage", "told"),
    [
        (None, "cannot be read: No such file or directory"),
        ("{}", ": the key 'seconds' is missing"),
        (
            '{"seconds": 1, "cpu_seconds": "x", "megabytes": 2}',
            ": cpu_seconds is 'x'; expected a number.",
        ),
    ],
)
def test_a_tuning_run_without_its_usage(tuned: Path, usage: str | None, told: str) -> None:
    (tuned / "usage.json").unlink()
    if usage is not None:
        (tuned / "usage.json").write_text(usage, encoding="utf-8")
    assert program.main(["report", str(tuned), "-q"]) == 0
    shown = text_of(tuned / "report.html")
    section = shown[shown.rindex("\nTime and memory\n") : shown.rindex("\nLearning curves\n")]
    assert f"This is left out: {tuned}/usage.json" in section
    assert told in section
