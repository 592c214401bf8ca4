"""reproduce from outside, and runs that go on after an interruption."""

from isogloss import program
from isogloss.tuning import list_tuning
from tests.cli.tuning.word_lists import ONLINE, options, run


def test_threads_and_time_change_nothing(lists):
    written = []
    for threads in ("1", "2"):
        out = lists / f"run{threads}"
        run(lists, *options(lists, "--out", out, "--folds", "3", "--threads", threads, "-q"))
        written.append({
            str(path.relative_to(out)): path.read_bytes()
            for path in out.rglob("*") if path.is_file() and path.name != "usage.json"
        })  # fmt: skip
    assert written[0] == written[1]
    assert {"manifest.json", "epochs.jsonl", "report.json", "weights.json"} < set(written[0])


def test_a_run_is_repeated_byte_for_byte(lists, capsys):
    run(lists, *options(lists, "--out", lists / "run", "--folds", "3", "--optimizer", "pro"))
    again = ["reproduce", str(lists / "run"), "--out", str(lists / "again")]
    assert program.main(again) == 0
    assert "every file is the same, byte for byte" in capsys.readouterr().err
    weights = lists / "run/weights.json"
    weights.write_text(weights.read_text().replace("0", "1"))
    assert program.main([*again, "--overwrite"]) == 1
    assert "these files differ from" in capsys.readouterr().err
    (lists / "list").write_text("0 ||| a ||| good= 1 ||| 0\n")
    assert program.main([*again, "--overwrite"]) == 1
    assert "list: the file has changed since the run" in capsys.readouterr().err


def test_a_run_that_depends_on_chance(lists, capsys):
    online = ("--staleness", "1", "--no-deterministic", "--epochs", "1")
    run(lists, *options(lists, "--out", lists / "run", *online))
    weights = lists / "run/weights.json"
    weights.write_text(weights.read_text().replace("0", "1"))
    assert program.main(["reproduce", str(lists / "run"), "--out", str(lists / "again")]) == 1
    told = capsys.readouterr().err
    assert "The run used --no-deterministic, which is not deterministic" in told


def test_an_interrupted_run_goes_on(lists, capsys, monkeypatch):
    """Stopped in the third training; the end is that of an uninterrupted run."""
    command = options(lists, "--folds", "3", "--optimizer", "pro", "--out", lists / "run")
    carry_out, done = list_tuning.carry_out, []

    def stopping(task, *rest, **named):
        if len(done) == 2:
            raise KeyboardInterrupt
        done.append(task.name)
        return carry_out(task, *rest, **named)

    with monkeypatch.context() as patch:
        patch.setattr(list_tuning, "carry_out", stopping)
        run(lists, *command, status=130)
    told = capsys.readouterr().err
    assert "pass --resume to resume the run" in told
    assert "isogloss tune: interrupted" in told
    run(lists, *command, status=1)
    assert "exists and is not empty. Resume" in capsys.readouterr().err
    run(lists, *command, "--resume")
    assert "run1.fold0: already done" in capsys.readouterr().err
    assert program.main(["reproduce", str(lists / "run"), "--out", str(lists / "again")]) == 0
    run(lists, *command, "--resume", "--pairs", "9", status=1)
    told = capsys.readouterr().err
    assert "a run with a different command (--pairs); expected the folder" in told


def test_an_interrupted_training_goes_on_after_its_last_epoch(lists, capsys, monkeypatch):
    command = options(lists, "--folds", "0", "--out", lists / "run", *ONLINE)
    tell = list_tuning.report_epoch

    def stopping(task, metric, console, epoch):
        tell(task, metric, console, epoch)
        if epoch.number == 7:
            raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(list_tuning, "report_epoch", stopping)
        run(lists, *command, status=130)
    assert (lists / "run/tasks/run1.final.state.npz").exists()
    capsys.readouterr()
    run(lists, *command, "--resume")
    assert "run 1, epoch 3:" not in capsys.readouterr().err
    assert program.main(["reproduce", str(lists / "run"), "--out", str(lists / "again")]) == 0
    assert "every file is the same" in capsys.readouterr().err


def test_resuming_needs_a_folder(lists, capsys):
    run(lists, *options(lists, "--resume"), status=2)
    assert "--resume needs --out DIR" in capsys.readouterr().err


def test_standard_input_can_not_be_repeated(lists, capsys):
    assert (
        program.main(["tune", "-", "--refs", str(lists / "ref"), "--out", str(lists / "run")]) == 2
    )
    assert "standard input cannot be read again" in capsys.readouterr().err
