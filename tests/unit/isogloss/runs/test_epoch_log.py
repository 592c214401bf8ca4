"""epochs.jsonl: good lines and bad ones."""

import json
from pathlib import Path
from typing import Any

import pytest

from isogloss.align.errors import DataError
from isogloss.runs.epoch_log import TrainingCurve, TuningLog, read_curves, read_tuning_log
from isogloss.tune.results import Epoch

LINE = {"run": 1, "fold": None, "number": 0, "loss": 2.5, "score": 20.5, "active": 3,
        "held_out": None}  # fmt: skip


def write(path: Path, *lines: dict[str, Any] | str) -> Path:
    texts = [line if isinstance(line, str) else json.dumps(line) for line in lines]
    path.write_text("".join(f"{text}\n" for text in texts), encoding="utf-8")
    return path


def test_trainings_of_a_run(tmp_path: Path) -> None:
    """In the order of the file; epochs by number."""
    write(
        tmp_path / "epochs.jsonl",
        LINE | {"fold": 0, "held_out": 19},
        LINE | {"number": 1, "score": 21, "active": 4},
        "",
        LINE,
        {"run": 2, "number": 0, "score": -1.5, "active": 0},
    )
    expected = [
        TrainingCurve(1, 0, (Epoch(0, 2.5, 20.5, 3, 19.0),)),
        TrainingCurve(1, None, (Epoch(0, 2.5, 20.5, 3), Epoch(1, 2.5, 21.0, 4))),
        TrainingCurve(2, None, (Epoch(0, 0.0, -1.5, 0),)),
    ]
    assert expected == read_curves(tmp_path) == read_curves(tmp_path / "epochs.jsonl")
    assert ["run 1 fold 0", "run 1", "run 2"] == [curve.name for curve in expected]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (
            '{"run": 1,',
            r"line 2: the epoch is malformed \(invalid JSON \(.*; expec",
        ),
        (
            "[1]",
            r"line 2: the epoch is malformed \(the value is a list of 1; expected",
        ),
        ('{"run": 1, "score": 2}', r"line 2: .* \(the key 'number' is missing\)"),
        (LINE | {"score": float("nan")}, r"line 2: .* \(score is nan; expected a finite number\)"),
        (LINE | {"score": True}, r"line 2: .* \(score is True; expected a number\)"),
        (LINE | {"loss": "x"}, r"line 2: .* \(loss is 'x'; expected a number or null\)"),
        (
            LINE | {"held_out": float("inf")},
            r"line 2: .* \(held_out is inf; expected a fin",
        ),
        (LINE | {"run": 1.5}, r"line 2: .* \(run is 1.5; expected an integer\)"),
        (LINE | {"fold": "a"}, r"line 2: .* \(fold is 'a'; expected an integer or null\)"),
        (LINE | {"active": False}, r"line 2: .* \(active is False; expected an integer\)"),
        (LINE, "line 2: epoch 0 of run 1 occurs twice; expected each epoch once"),
    ],
)
def test_bad_epochs(tmp_path: Path, line: dict[str, Any] | str, message: str) -> None:
    with pytest.raises(DataError, match=message):
        read_curves(write(tmp_path / "epochs.jsonl", LINE, line))


def test_no_epochs(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"epochs\.jsonl cannot be read: No such file"):
        read_curves(tmp_path)
    with pytest.raises(DataError, match="the file is empty; expected lines"):
        read_curves(write(tmp_path / "epochs.jsonl"))


def test_log_of_a_run(tmp_path):
    write(tmp_path / "epochs.jsonl", LINE)
    curves = tuple(read_curves(tmp_path))
    assert read_tuning_log(tmp_path / "epochs.jsonl") == TuningLog(curves)
    assert read_tuning_log(tmp_path) == TuningLog(curves)
    write(tmp_path / "manifest.json", {"command": {"metric": "ter"}})
    write(tmp_path / "report.json", {"run": 2})
    assert read_tuning_log(tmp_path) == TuningLog(curves, "ter")
    write(tmp_path / "report.json", {"run": 2, "epoch": 7})
    assert read_tuning_log(tmp_path) == TuningLog(curves, "ter", (2, 7))
    write(tmp_path / "report.json", {"run": "x"})
    with pytest.raises(DataError, match=r"report.json: .*run"):
        read_tuning_log(tmp_path)
