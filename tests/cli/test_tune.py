"""tune, rerank and rerun from outside, with good and with bad input."""

import gzip
import importlib.util
import json
import re
from dataclasses import fields
from pathlib import Path

import numpy as np
import pytest
from sacrebleu.metrics.bleu import BLEU

from isogloss import program
from isogloss.options import field_lines
from isogloss.tuning import list_tuning
from isogloss.tuning.optimizer_options import optimizer_options
from tune.methods import OPTIMIZERS
from tune.nbest.store import store_nbest
from tune.online.options import ONLINE_OPTIMIZERS
from tune.weights.weights import Weights

WORDS = ["a", "b", "c", "d", "e", "f", "g", "h"]
SENTENCES = 12


def hypotheses(seed=1):
    """Sentences of (words, features): the feature ``good`` tells how many words are right."""
    rng = np.random.default_rng(seed)
    for _ in range(SENTENCES):
        truth = [str(word) for word in rng.permutation(WORDS)]
        own = []
        for errors in rng.permutation(6).tolist():
            words = ["x"] * errors + truth[errors:]
            own.append((words, {"good": 8.0 - errors + rng.normal(0, 0.3), "bad": float(errors)}))
        yield truth, own


@pytest.fixture
def lists(tmp_path):
    """A Moses list, its reference, and weights by which the worst hypotheses win."""
    rows, references = [], []
    for number, (truth, own) in enumerate(hypotheses()):
        references.append(" ".join(truth))
        for words, values in own:
            shown = " ".join(f"{name}= {value:.4f}" for name, value in values.items())
            rows.append(f"{number} ||| {' '.join(words)} ||| {shown} F_{number}= 1 ||| 0")
    (tmp_path / "list").write_text("\n".join(rows) + "\n")
    (tmp_path / "ref").write_text("\n".join(references) + "\n")
    (tmp_path / "start").write_text("bad 1\n")
    return tmp_path


def run(folder, *options, status=0, lists=("list",)):
    arguments = ["tune", *(str(folder / one) for one in lists), *map(str, options)]
    assert program.main(arguments) == status


def options(folder, *more):
    return ("--refs", folder / "ref", "-w", folder / "start", *more)


ONLINE = ("--rate", "0.2", "--batch-size", "2")
FAST = {
    "mert": ("--random-walks", "2", "--random-restarts", "1"),
    "lp-mert": (),
    "mira": ("--epochs", "3"),
    "arow": (*ONLINE, "--rate", "90", "--l1", "0"),
    "ramp": (*ONLINE, "--gain-scale", "20"),  # hope and fear are the model's best without
}


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_every_optimizer_finds_what_is_good(lists, name, capsys):
    out = lists / "weights.json"
    run(
        lists,
        *options(
            lists,
            "--optimizer",
            name,
            "--folds",
            "0",
            "-o",
            out,
            *FAST.get(name, ONLINE if name in ONLINE_OPTIMIZERS else ()),
        ),
    )
    weights = Weights.read(out)
    assert weights["good"] - weights["bad"] > 0
    told = capsys.readouterr().err
    assert "12 sentences, 72 hypotheses, 14 features (2 dense)" in told
    assert re.search(r"start weights \d+\.\d\d, random \d+\.\d\d, oracle 100.00; at most", told)
    assert re.search(r"training bleu: \d+\.\d\d -> \d+\.\d\d\n", told)


def test_gain_on_folds_with_its_significance(lists, capsys):
    more = ("--runs", "2", "--folds", "3", "--trials", "99", "--optimizer", "pro")
    run(lists, *options(lists, *more, "-o", lists / "w"))
    told = capsys.readouterr().err
    assert re.search(
        r"held-out bleu, 3 folds: \d+\.\d\d -> \d+\.\d\d \+- \d+\.\d\d \(2 runs\); gain "
        r"\+\d+\.\d\d \[\+\d+\.\d\d, \+\d+\.\d\d\], p = 0\.0100 \(paired bootstrap\), 0\.0100 "
        r"\(approximate randomisation, runs as further sentences\), 99 trials",
        told,
    )
    assert "these are 12 sentences: too few to take the p-values at their word" in told
    assert re.search(r"weights of run [12], epoch \d+: held-out bleu \d+", told)


def test_a_gain_in_errors_is_a_gain(lists, capsys):
    more = ("--folds", "3", "--trials", "99", "--optimizer", "pro", "--metric", "wer")
    run(lists, *options(lists, *more, "--out", lists / "run"))
    told = capsys.readouterr().err
    found = re.search(
        r"held-out wer, 3 folds: (\S+) -> (\S+); gain \+(\S+) \[\+(\S+), \+(\S+)\], p", told
    )
    before, after, gain, low, high = map(float, found.groups())
    assert before - after == pytest.approx(gain, abs=0.011)
    assert low <= gain <= high
    report = json.loads((lists / "run/report.json").read_text())
    assert report["gain"] == pytest.approx(gain, abs=0.01)


def test_scores_of_columns_have_more_decimals(lists, capsys):
    records = []
    for number, (_, own) in enumerate(hypotheses()):
        hyps = [
            {"text": " ".join(words), "features": found, "metrics": {"comet": found["good"] / 90}}
            for words, found in own
        ]
        records.append({"id": number, "hyps": hyps})
    (lists / "list.jsonl").write_text("".join(f"{json.dumps(one)}\n" for one in records))
    more = ("--folds", "3", "--trials", "9", "--metric", "column:comet", "--epochs", "1")
    run(lists, "-w", lists / "start", *more, lists=("list.jsonl",))
    told = capsys.readouterr().err
    assert re.search(r"column:comet: first of each list 0\.\d{4}, start weights 0\.\d{4}, ", told)
    assert re.search(r"gain \+0\.\d{4} \[\+0\.\d{4}, \+0\.\d{4}\], p", told)
    assert re.search(r"run1.final 1: loss \S+, column:comet 0\.\d{4}, held-out 0\.\d{4},", told)
    assert re.search(r"column:comet 0\.\d{4} -> training 0\.\d{4}, held-out 0\.\d{4}; m", told)


def test_scores_to_report_come_from_sacrebleu(lists, capsys):
    more = ("--runs", "2", "--folds", "3", "--trials", "9", "--optimizer", "pro")
    run(lists, *options(lists, *more, "--out", lists / "run"))
    told = capsys.readouterr().err
    report = json.loads((lists / "run/report.json").read_text())
    found = report["reported"]
    judge = BLEU(tokenize="none", force=True)
    references = [(lists / "ref").read_text().splitlines()]
    for name, weights in (("start", "start"), ("training", "run/weights.json")):
        best = lists / "best"
        command = ["rerank", str(lists / "list"), "-w", str(lists / weights), "-o", str(best)]
        assert program.main(command) == 0
        score = judge.corpus_score(best.read_text().splitlines(), references).score
        assert found[name] == score
    assert found["signature"] == str(judge.get_signature())
    assert found["held_out"] == pytest.approx(report["held_out"][report["run"] - 1], abs=1e-6)
    shown = (found["start"], found["training"], found["held_out"])
    line = "to report: bleu {:.2f} -> training {:.2f}, held-out {:.2f}; nrefs:1|case:mixed|eff:no"
    assert line.format(*shown) in told


def test_what_is_reported_of_gaps_is_what_rerank_and_score_tell(lists, capsys):
    """A sentence without hypotheses counts as an empty one."""
    rows = (lists / "list").read_text().splitlines()
    (lists / "list").write_text("".join(f"{row}\n" for row in rows if row[:2] not in ("3 ", "7 ")))
    run(lists, *options(lists, "--folds", "0", "--out", lists / "run", "--optimizer", "pro"))
    report = json.loads((lists / "run/report.json").read_text())
    best, weights = str(lists / "best"), str(lists / "run/weights.json")
    assert program.main(["rerank", str(lists / "list"), "-w", weights, "-o", best]) == 0
    capsys.readouterr()
    assert program.main(["score", best, "--refs", str(lists / "ref"), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)["metrics"]["bleu"]
    assert report["reported"]["training"] == told["score"] < report["training"][0]
    assert report["reported"]["signature"] == told["signature"]


def test_lower_case(lists, capsys):
    """Of hypotheses and references, wherever these stand, as in `compare --lowercase`."""
    records = []
    for number, (truth, own) in enumerate(hypotheses()):
        one, other = (str.upper, str.lower) if number % 2 else (str.lower, str.upper)
        hyps = [{"text": one(" ".join(words)), "features": found} for words, found in own]
        records.append({"id": number, "refs": [other(" ".join(truth))], "hyps": hyps})
    (lists / "list.jsonl").write_text("".join(f"{json.dumps(one)}\n" for one in records))
    told = []
    for name, more in (("list", ()), ("list.jsonl", ("--lowercase",)), ("list.jsonl", ())):
        refs = ("--refs", lists / "ref") if name == "list" else ()
        run(lists, *refs, "--folds", "0", "-w", lists / "start", "--epochs", "1", *more,
            lists=(name,), status=0)  # fmt: skip
        told.append(re.findall(r"start weights .*|to report.*", capsys.readouterr().err))
    assert told[0][0] == told[1][0]
    assert told[0][1].replace("case:mixed", "case:lc") == told[1][1]
    assert "start weights 0.00, random 0.00, oracle 0.00" in told[2][0]


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
    again = ["rerun", str(lists / "run"), "--out", str(lists / "again")]
    assert program.main(again) == 0
    assert "every file is the same, byte for byte" in capsys.readouterr().err
    weights = lists / "run/weights.json"
    weights.write_text(weights.read_text().replace("0", "1"))
    assert program.main([*again, "--overwrite"]) == 1
    assert "weights.json differ from" in capsys.readouterr().err
    (lists / "list").write_text("0 ||| a ||| good= 1 ||| 0\n")
    assert program.main([*again, "--overwrite"]) == 1
    assert "list: changed since the run; expected the file of that time" in capsys.readouterr().err


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
    assert "go on with --resume" in told
    assert "isogloss tune: interrupted" in told
    run(lists, *command, status=1)
    assert "exists and is not empty; expected a new folder" in capsys.readouterr().err
    run(lists, *command, "--resume")
    assert "run1.fold0: done before" in capsys.readouterr().err
    assert program.main(["rerun", str(lists / "run"), "--out", str(lists / "again")]) == 0
    run(lists, *command, "--resume", "--pairs", "9", status=1)
    assert "the run of another command (pairs); expected the folder" in capsys.readouterr().err


def test_an_interrupted_training_goes_on_after_its_last_epoch(lists, capsys, monkeypatch):
    command = options(lists, "--folds", "0", "--out", lists / "run", *ONLINE)
    tell = list_tuning._report_epoch

    def stopping(task, metric, console, epoch):
        tell(task, metric, console, epoch)
        if epoch.number == 7:
            raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(list_tuning, "_report_epoch", stopping)
        run(lists, *command, status=130)
    assert (lists / "run/tasks/run1.final.state.npz").exists()
    capsys.readouterr()
    run(lists, *command, "--resume")
    assert "run1.final 3:" not in capsys.readouterr().err
    assert program.main(["rerun", str(lists / "run"), "--out", str(lists / "again")]) == 0
    assert "every file is the same" in capsys.readouterr().err


def test_resuming_needs_a_folder(lists, capsys):
    run(lists, *options(lists, "--resume"), status=2)
    assert "--resume needs --out FOLDER" in capsys.readouterr().err


def test_standard_input_can_not_be_repeated(lists, capsys):
    assert (
        program.main(["tune", "-", "--refs", str(lists / "ref"), "--out", str(lists / "run")]) == 2
    )
    assert "standard input can't be read again" in capsys.readouterr().err


def test_an_option_of_another_optimizer(lists, capsys):
    run(lists, *options(lists, "--optimizer", "mira", "--random-walks", "3"), status=2)
    assert "--random-walks is not for mira; it is for mert" in capsys.readouterr().err


def test_whether_lp_mert_was_exact(lists, capsys):
    """What was checked is told, and kept with the training."""
    rng = np.random.default_rng(1)
    values = rng.normal(size=(15, 2))
    rows = (
        f"{k // 5} ||| {'a b c d e f'[: 2 * (k % 5) + 1]} ||| good= {x:.3f} bad= {y:.3f} ||| 0\n"
        for k, (x, y) in enumerate(values.tolist())
    )
    (lists / "list").write_text("".join(rows))
    (lists / "ref").write_text("a b c d e f\n" * 3)
    more = ("--optimizer", "lp-mert", "--search", "exact", "--folds", "0")
    found = []
    for name, limit in (("whole", ()), ("stopped", ("--max-checks", "1"))):
        run(lists, *options(lists, *more, *limit, "--out", lists / name))
        found += re.findall(r"run1\.final: (.* linear programs)\n", capsys.readouterr().err)
        kept = json.loads((lists / name / "tasks/run1.final.json").read_text())["note"]
        assert kept == found[-1]
    form = r": \d+ combinations of all sentences checked, of 10\^2\.1, and \d+ of some; \d+ linear"
    assert re.match("no weights have a smaller loss" + form, found[0])
    assert re.match("not proved to be the best" + form, found[1])


def test_held_out_lists_of_other_features(lists, capsys):
    (lists / "other").write_text("0 ||| a ||| LM= 1 WP= 2 ||| 0\n")
    (lists / "other.ref").write_text("a\n")
    more = ("--held-out", lists / "other", "--held-out-refs", lists / "other.ref")
    run(lists, *options(lists, *more), status=1)
    told = capsys.readouterr().err
    assert "other: no feature of the lists, but LM, WP; expected some of good, bad, F_0" in told


def test_blank_references(lists, capsys):
    lines = (lists / "ref").read_text().splitlines()
    (lists / "ref").write_text("\n".join([lines[0], "", " ", *lines[3:]]) + "\n")
    run(lists, *options(lists, "--folds", "0", "--epochs", "1", "-o", lists / "w"))
    told = capsys.readouterr().err
    assert "ref: 2 of 12 references have no word (first: that of sentence 2, counted" in told
    (lists / "ref").write_text("\n" * 12)
    run(lists, *options(lists), status=1)
    assert "ref: references without a word; expected a sentence" in capsys.readouterr().err
    (lists / "ref").write_text("")
    run(lists, *options(lists), status=1)
    assert "ref: no line; expected a reference per line" in capsys.readouterr().err
    record = {"id": 0, "refs": [""], "hyps": [{"text": "a", "features": {"good": 1}}]}
    (lists / "list.jsonl").write_text(json.dumps(record) + "\n")
    run(lists, status=1, lists=("list.jsonl",))
    assert "list.jsonl: references without a word" in capsys.readouterr().err


def test_held_out_lists_choose(lists, capsys):
    more = ("--held-out", lists / "list", "--held-out-refs", lists / "ref", "--folds", "0")
    run(lists, *options(lists, *more, "-o", lists / "w"))
    told = capsys.readouterr().err
    assert re.search(r"run1.final 1: .*, held-out \d+\.\d\d, ", told)
    run(lists, *options(lists, *more[2:]), status=2)
    assert "--held-out-refs are the references of --held-out LIST" in capsys.readouterr().err


def test_too_few_sentences_for_folds(lists, capsys):
    run(lists, *options(lists, "--folds", "7", "-o", lists / "w", "--epochs", "1"))
    assert "12 sentences are too few for 7 folds" in capsys.readouterr().err
    run(lists, *options(lists, "--folds", "2"), status=2)
    assert "2 folds; expected 0 (none) or at least 3" in capsys.readouterr().err


def records(folder, with_metrics=True):
    lines = []
    for number, (truth, own) in enumerate(hypotheses()):
        hyps = [
            {"text": " ".join(words), "features": values,
             "metrics": {"right": sum(map(str.__eq__, words, truth)) / 8} if with_metrics else {}}
            for words, values in own
        ]  # fmt: skip
        lines.append(json.dumps({"id": f"s{number}", "refs": [" ".join(truth)], "hyps": hyps}))
    path = folder / "lists.jsonl.gz"
    path.write_bytes(gzip.compress("".join(f"{line}\n" for line in lines).encode()))
    return path


@pytest.mark.parametrize("metric", ["bleu", "ter", "chrf", "wer", "cer", "column:right"])
def test_json_lists_with_any_metric(tmp_path, metric, capsys):
    records(tmp_path)
    out = tmp_path / "w.json"
    run(tmp_path, "--metric", metric, "--folds", "3", "-o", out, lists=("lists.jsonl.gz",))
    assert f"training {metric.partition(':')[0]}" in capsys.readouterr().err
    best = tmp_path / "best"
    assert (
        program.main(["rerank", str(tmp_path / "lists.jsonl.gz"), "-w", str(out), "-o", str(best)])
        == 0
    )
    right = [" ".join(truth) for truth, _ in hypotheses()]
    assert sum(map(str.__eq__, best.read_text().splitlines(), right)) >= SENTENCES - 4


def test_references_twice(tmp_path, lists, capsys):
    records(tmp_path)
    run(tmp_path, "--refs", lists / "ref", lists=("lists.jsonl.gz",), status=2)
    assert "references are in the list and in --refs" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            lambda text: text.replace("good= ", "good= nan ", 1),
            r"list, line 1: a feature value that",
        ),
        (lambda text: "", "no hypothesis; expected an n-best list"),
        (lambda text: text.replace("0 |||", "99 |||", 1), "sentence id 99, while there are 12"),
    ],
)
def test_bad_lists(lists, change, message, capsys):
    path = lists / "list"
    path.write_text(change(path.read_text()))
    run(lists, *options(lists), status=1)
    assert re.search(message, capsys.readouterr().err)


def test_a_truncated_archive(lists, capsys):
    packed = gzip.compress((lists / "list").read_bytes())
    (lists / "list.gz").write_bytes(packed[: len(packed) // 2])
    run(lists, *options(lists), status=1, lists=("list.gz",))
    assert re.search(r"list\.gz, line \d+: .*end", capsys.readouterr().err)


def test_a_list_without_references(lists, capsys):
    run(lists, status=1)
    assert "no references; expected references" in capsys.readouterr().err


def test_references_of_another_length(lists, capsys):
    (lists / "ref").write_text("a\n" * 13)
    run(lists, *options(lists, "--folds", "0", "-o", lists / "w"))
    assert "1 sentences have no hypothesis (first: 12)" in capsys.readouterr().err
    (lists / "ref2").write_text("a\n" * 12)
    run(lists, "--refs", lists / "ref", lists / "ref2", status=1)
    assert re.search(r"12 lines.*13", capsys.readouterr().err)


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_nothing_to_learn(tmp_path, name, capsys):
    """One hypothesis, all equal, a constant feature: the start weights are kept, and it is said."""
    rows = ["0 ||| a b ||| LM0= 1 ||| 0"]
    rows += ["1 ||| c d ||| LM0= 1 ||| 0", "1 ||| d c ||| LM0= 1 ||| 0"]
    (tmp_path / "list").write_text("\n".join(rows) + "\n")
    (tmp_path / "ref").write_text("a b\nc d\n")
    (tmp_path / "start").write_text("LM0 0.5\n")
    run(tmp_path, *options(tmp_path, "--optimizer", name, "-o", tmp_path / "w", "--folds", "0"))
    assert Weights.read(tmp_path / "w").as_dict() == {"LM0": pytest.approx(0.5)} or name == "mert"
    assert "nothing can be gained: no choice of hypotheses is better" in capsys.readouterr().err


def test_start_weights_that_fit_badly(lists, capsys):
    (lists / "start").write_text("bad 1\nother 2\n")
    run(lists, *options(lists, "--folds", "0", "-o", lists / "w", "--epochs", "1"))
    told = capsys.readouterr().err
    assert "start has no weight for good; they start from 0" in told
    assert "start: other never occur in the lists; passed over" in told
    (lists / "start").write_text("other 2\n")
    run(lists, *options(lists), status=1)
    assert "no weight of a feature in the lists, but of other; expected weights of good, bad" in (
        capsys.readouterr().err
    )


def test_an_unknown_metric(lists, capsys):
    run(lists, *options(lists, "--metric", "meteor"), status=2)
    assert "metric 'meteor'; expected one of bleu, ter, chrf" in capsys.readouterr().err
    run(lists, *options(lists, "--metric", "ter", "--bleu-smoothing", "nakov"), status=2)
    assert "metric 'ter' has no option 'smoothing'" in capsys.readouterr().err
    run(lists, *options(lists, "--metric", "column:none"), status=1)
    assert "none" in capsys.readouterr().err


def test_lists_on_disk_give_the_same(lists, tmp_path):
    written = []
    for number, more in enumerate(([], ["--max-memory", "1M", "--tmpdir", str(tmp_path)])):
        out = lists / f"w{number}"
        run(lists, *options(lists, *more, "-o", out, "--optimizer", "pro"))
        best = lists / f"best{number}"
        rerank = ["rerank", str(lists / "list"), "-w", str(out), "-o", str(best), *more]
        assert program.main(rerank) == 0
        written.append((out.read_bytes(), best.read_bytes()))
    assert written[0] == written[1]
    assert [] == list(tmp_path.glob("isogloss-lists-*"))


def test_a_stored_list(lists, capsys):
    store_nbest([lists / "list"], lists / "stored")
    run(lists, *options(lists, "-o", lists / "w"), lists=("stored",))
    run(lists, *options(lists), lists=("stored", "list"), status=2)
    assert "stored is a stored list; it can't be merged with others" in capsys.readouterr().err


def test_files_of_the_extractor_of_moses(tmp_path, shared_data, capsys):
    stem = str(shared_data / "nbest/pro-example")
    scores = ["--score-files", f"{stem}.SCORESTAT.gz"]
    command = ["tune", f"{stem}.FEATSTAT.gz", *scores, "--optimizer", "mert", "--folds", "0",
               "-o", str(tmp_path / "w")]  # fmt: skip
    assert program.main(command) == 0
    told = capsys.readouterr().err
    assert "10 sentences" in told
    assert "to report" not in told  # without words there is nothing for sacrebleu to count
    names = [f"d.{n}" for n in range(7)] + ["lm"] + [f"tm.{n}" for n in range(5)] + ["w"]
    assert list(Weights.read(tmp_path / "w")) == names
    assert program.main([*command, "--refs", "x"]) == 2
    assert "--score-files hold what references would tell" in capsys.readouterr().err
    for option in ("--reference-length=shortest", "--lowercase", "--max-memory=1G"):
        assert program.main([*command, option]) == 2
        told = f"{option.split('=')[0]} changes nothing with --score-files"
        assert told in capsys.readouterr().err
    assert program.main([*command, "--metric", "ter"]) == 1
    assert re.search(
        r"SCORESTAT\.gz: 9 statistics of each hypothesis; expected 2, as ter has\. Was the",
        capsys.readouterr().err,
    )


def test_how_many_are_kept_is_for_sorted_lists(lists, capsys):
    (lists / "w").write_text("good 1\n")
    assert program.main(["rerank", str(lists / "list"), "-w", str(lists / "w"), "-n", "2"]) == 2
    assert "--n-best says how many are kept with --sorted" in capsys.readouterr().err


def test_sorted_lists(lists, capsys):
    (lists / "w").write_text("good 1\n")
    assert (
        program.main(["rerank", str(lists / "list"), "-w", str(lists / "w"), "--sorted", "-n", "2"])
        == 0
    )
    told = capsys.readouterr()
    rows = [line.split(" ||| ") for line in told.out.splitlines()]
    assert [str(k) for k in range(SENTENCES) for _ in range(2)] == [row[0] for row in rows]
    scores = [float(row[3]) for row in rows]
    assert all(one >= other for one, other in zip(scores[::2], scores[1::2], strict=True))
    best = [max(own, key=lambda one: round(one[1]["good"], 4)) for _, own in hypotheses()]
    assert [" ".join(words) for words, _ in best] == [row[1] for row in rows[::2]]
    assert "w has no weight for bad; it counts as 0" in told.err


def test_sorted_json_lists(tmp_path, capsys):
    path = records(tmp_path)
    (tmp_path / "w").write_text("good 1\nbad 0\n")
    assert program.main(["rerank", str(path), "-w", str(tmp_path / "w"), "--sorted"]) == 0
    found = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [f"s{k}" for k in range(SENTENCES)] == [one["id"] for one in found]
    assert [" ".join(truth) for truth, _ in hypotheses()] == [one["refs"][0] for one in found]
    for one in found:
        good = [hyp["features"]["good"] for hyp in one["hyps"]]
        assert sorted(good, reverse=True) == good


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_every_option_is_described(name):
    kind = OPTIMIZERS[name].options
    assert {field.name for field in fields(kind)} == set(field_lines(kind))


def test_options_of_the_command_line_become_an_object():
    method = OPTIMIZERS["adagrad-pro"]
    found = optimizer_options(method, {"rate": 0.5, "fixed": ("LM", "W")})
    assert (0.5, ("LM", "W"), ONLINE_OPTIMIZERS["adagrad-pro"].epochs) == (
        found.rate, found.fixed, found.epochs,
    )  # fmt: skip


def test_the_reranking_example(tmp_path, monkeypatch, capsys):
    """From text to lists to weights to restored text, and whether it is better."""
    root = Path(__file__).parents[2]
    lines = gzip.decompress((root / "data/train.es.gz").read_bytes()).decode().splitlines()
    (tmp_path / "train").write_text("\n".join(lines[:1500]) + "\n", encoding="utf-8")
    for name, part in (("dev", lines[1500:1560]), ("test", lines[1600:1660])):
        (tmp_path / name).write_text("\n".join(part) + "\n", encoding="utf-8")
    module = _example(root / "examples/restore_accents.py")
    for name in ("dev", "test"):
        monkeypatch.setattr("sys.argv", [
            "restore_accents.py", "--train", f"all={tmp_path / 'train'}", "--text",
            str(tmp_path / name), "-o", str(tmp_path / f"{name}.jsonl"), "--size", "8",
        ])  # fmt: skip
        module.main()
    run(tmp_path, "--metric", "column:accuracy", "-o", tmp_path / "w", lists=("dev.jsonl",))
    (tmp_path / "first").write_text("forms 1\n")
    for name in ("w", "first"):
        arguments = ["rerank", "test.jsonl", "-w", name, "-o", f"{name}.txt"]
        assert program.main([str(tmp_path / one) if "." in one or one == name else one
                         for one in arguments]) == 0  # fmt: skip
    texts = [(tmp_path / f"{name}.txt").read_text().splitlines() for name in ("first", "w")]
    truth = [line.lower() for line in lines[1600:1660]]
    right = [sum(map(str.__eq__, own, truth)) for own in texts]
    assert right[1] >= right[0] > 0


def _example(path):
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
