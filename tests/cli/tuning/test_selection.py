"""The last line of `isogloss tune`: whether anything was gained, and which weights are kept."""

import json
import random
import re

import numpy as np
import pytest

from isogloss import program
from isogloss.tune import Weights
from isogloss.tune.experiment import Outcome, Task
from isogloss.tune.results import Epoch
from isogloss.tuning.selection import last_line
from tests.cli.tuning.word_lists import options, run

NOTHING = "tuning did not improve the metric"
KEPT = "such as the decoder's, with -w"


def records(features, seed):
    """Hypotheses whose features say nothing of how good they are."""
    draw = random.Random(seed)
    for number in range(60):
        reference = [draw.choice("abcdefgh") for _ in range(8)]
        hyps = []
        for _ in range(6):
            words = list(reference)
            for _ in range(draw.randrange(5)):
                words[draw.randrange(8)] = "z"
            values = {name: draw.random() for name in features}
            hyps.append({"text": " ".join(words), "features": values})
        yield {"id": number, "refs": [" ".join(reference)], "hyps": hyps}


def write(path, features, seed=1):
    text = "".join(f"{json.dumps(record)}\n" for record in records(features, seed))
    path.write_text(text, encoding="utf-8")
    return str(path)


def tuned(path, capsys, *more):
    """The lines on stderr, and the weights."""
    out = path.with_name("weights.json")
    quick = ("--epochs", "5", "--trials", "99", "-o", str(out))
    assert program.main(["tune", str(path), *quick, *more]) == 0
    return capsys.readouterr().err.splitlines(), json.loads(out.read_text())["weights"]


def test_a_best_epoch_that_is_the_last(lists, capsys):
    hint = ", the last one; a higher --epochs may improve the metric further"
    for count, end in (("1", hint), ("60", "")):
        more = ("--optimizer", "mira", "--epochs", count, "--folds", "0")
        run(lists, *options(lists, *more, "-o", lists / "w"))
        chosen = re.search("weights of run 1, epoch .*", capsys.readouterr().err)
        assert re.fullmatch(rf"weights of run 1, epoch \d+: training bleu \S+\d{end}", chosen[0])


def test_lists_without_a_feature(tmp_path, capsys):
    path = write(tmp_path / "lists.jsonl", "")
    assert program.main(["tune", path, "-o", str(tmp_path / "w")]) == 1
    assert capsys.readouterr().err.endswith(
        "lists.jsonl: the hypotheses have no features. "
        'Add features, such as "features": {"lm": -1.2} in JSONL\n'
    )
    assert not (tmp_path / "w").exists()


def test_no_weights_worse_than_the_start_on_the_lists(tmp_path, capsys):
    """A fold finds some seed's weights best that are worse than the start's on all lists."""
    path, choices = tmp_path / "lists.jsonl", set()
    write(path, "abc", 5)
    for seed in (1, 2, 3):
        told, weights = tuned(path, capsys, "--seed", str(seed))
        start, reached = map(float, next(
            line for line in told if line.startswith("training bleu: ")
        ).split(": ")[1].split(" -> "))  # fmt: skip
        choice = told[-3]
        if choice.startswith("the learned weights"):
            assert choice == (
                f"the learned weights reach bleu {reached:.2f} on all lists, the initial weights "
                f"{start:.2f}: the initial weights are kept"
            )
            assert reached < start
        kept = told[-1].endswith(KEPT)
        assert kept == (not any(weights.values()))
        if not kept:
            assert reached >= start
            assert told[-1].startswith("the gain on held-out data is not significant")
        choices.add(choice.split()[0])
        assert f"-> training {max(start, reached):.2f}, held-out" in told[-2]
    assert choices == {"the", "weights"}


def test_weights_that_nothing_else_judged(tmp_path, capsys):
    write(tmp_path / "lists.jsonl", "abc")
    told, _ = tuned(tmp_path / "lists.jsonl", capsys, "--folds", "0")
    epoch = told[-3].split("epoch ")[1].split(":")[0]
    assert told[-1] == (
        f"the weights of epoch {epoch} are kept; their gain on "
        "held-out data was not measured (pass --folds to measure it)"
    )


def test_a_gain(lists, capsys):
    run(lists, *options(lists, "--folds", "3", "--trials", "99", "--out", lists / "run"))
    said = capsys.readouterr().err.splitlines()[-1]
    assert said.startswith("the gain on held-out data is significant: the weights of epo")
    assert json.loads((lists / "run/report.json").read_text())["verdict"] == "better"


@pytest.mark.parametrize(
    ("verdict", "said"),
    [
        ("better", "the gain on held-out data is significant: {} are kept"),
        ("worse", "the loss on held-out data is significant: {} "
         "are kept, but the initial weights are better"),
        ("unclear", "the tests disagree on whether the gain on held-out data is "
         "significant: {} are kept"),
        ("not significant", "the gain on held-out data is not significant: {} are kept, "
         "but may not improve other data. Use more data to detect smaller gains"),
    ],
)  # fmt: skip
def test_verdicts(verdict, said):
    start, learned = (Weights.from_dict({"a": value}) for value in (1.0, 2.0))
    none = np.zeros(0, np.int64)
    outcome = Outcome(Task(2, None), learned, 3, (), 0.0, none, none)

    def line(runs, start=start):
        return last_line(outcome, {"verdict": verdict}, start, runs=runs, remedy="--folds")

    assert line(1) == said.format("the weights of epoch 3")
    assert line(2) == said.format("the weights of run 2, epoch 3")
    lost = last_line(outcome, {"verdict": verdict, "gain": -0.5}, start, runs=1, remedy="--folds")
    worse = "the metric is worse on held-out data, "
    assert lost.startswith(worse) == (verdict in ("unclear", "not significant"))
    assert "the weights of epoch 3 are kept" in lost
    assert line(2, learned) == "tuning did not improve the metric: the initial weights are kept"


@pytest.mark.parametrize(
    ("scores", "sign", "said"),
    [
        ([(10.0, 20.0), (11.0, 19.0)], 1, "training improved the metric on the data that it "
         "learned from, but in no epoch on the held-out data that selects the epoch: the initial "
         "weights are kept"),
        ([(10.0, 20.0), (9.0, 21.0)], -1, "training improved the metric on the data"),
        ([(10.0, 20.0), (10.0, 19.0)], 1, f"{NOTHING}: the initial weights are kept"),
        ([(10.0, None), (9.0, None)], 1, f"{NOTHING}: the initial weights are kept"),
    ],
)  # fmt: skip
def test_initial_weights_that_held_out_sentences_select(scores, sign, said):
    epochs = tuple(Epoch(k, 0.0, score, 1, other) for k, (score, other) in enumerate(scores))
    start, none = Weights.from_dict({"a": 1.0}), np.zeros(0, np.int64)
    outcome = Outcome(Task(1, None), start, 0, epochs, 0.0, none, none)
    assert last_line(outcome, {}, start, runs=1, remedy="--folds", sign=sign).startswith(said)


def test_what_is_said_before_decoding(lists, capsys):
    """Of one list with references in files: no decoder has made it with these weights."""
    run(lists, *options(lists, "--folds", "3", "--trials", "99"))
    *_, told, last = capsys.readouterr().err.splitlines()
    assert told.startswith("these weights are for reranking such lists. A decoder may find")
    assert "weights of epoch" in last
