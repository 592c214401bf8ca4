"""tune from outside: what is learned, and what is said of it."""

import json
import re

import numpy as np
import pytest
from sacrebleu.metrics.bleu import BLEU

from isogloss import program
from isogloss.tune.methods import OPTIMIZERS
from isogloss.tune.online.options import ONLINE_OPTIMIZERS
from isogloss.tune.weights.weights import Weights
from tests.cli.tuning.word_lists import FAST, ONLINE, hypotheses, options, records, run


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
    weights = Weights.load(out)
    assert weights["good"] - weights["bad"] > 0
    told = capsys.readouterr().err
    assert "12 n-best lists, 72 hypotheses, 14 features (2 dense)" in told
    assert re.search(
        r"initial weights \d+\.\d\d, random \d+\.\d\d, oracle 100.00; possible gain: up to", told
    )
    assert re.search(r"training bleu: \d+\.\d\d -> \d+\.\d\d\n", told)


@pytest.mark.parametrize("metric", ["chrf", "wer", "column:right"])
@pytest.mark.parametrize("name", ["mira", "arow"])
def test_whatever_the_scale_of_gains(lists, name, metric, capsys):
    """From weights whose scores are further apart than gains from 0 to 1 are."""
    records(lists)
    (lists / "start").write_text("bad 1\n")
    options = ("-w", lists / "start", "--folds", "0", "--optimizer", name, "--metric", metric)
    run(lists, *options, "-o", lists / "w", lists=("lists.jsonl.gz",))
    told = re.search(r"training \S+: \S+ -> (\S+)\n", capsys.readouterr().err)
    best, tolerance = {"chrf": (100, 2), "wer": (0, 2), "column:right": (1, 0.02)}[metric]
    assert float(told.group(1)) == pytest.approx(best, abs=tolerance)


def test_gain_on_folds_with_its_significance(lists, capsys):
    more = ("--runs", "2", "--folds", "3", "--trials", "99", "--optimizer", "pro")
    run(lists, *options(lists, *more, "-o", lists / "w"))
    told = capsys.readouterr().err
    assert re.search(
        r"held-out bleu, 3 folds: \d+\.\d\d -> \d+\.\d\d \+- \d+\.\d\d \(2 runs\); gain "
        r"\+\d+\.\d\d \[\+\d+\.\d\d, \+\d+\.\d\d\], p = 0\.0100 \(paired bootstrap\), 0\.0100 "
        r"\(approximate randomization, runs pooled\), 99 trials",
        told,
    )
    assert "the p-values are unreliable, because only 12 sentences or n-best lists are" in told
    assert re.search(r"weights of run [12], epoch \d+: held-out bleu \d+", told)


def test_a_gain_in_errors_is_a_gain(lists, capsys):
    more = ("--folds", "3", "--trials", "99", "--optimizer", "pro", "--metric", "wer")
    run(lists, *options(lists, *more, "--out", lists / "run"))
    told = capsys.readouterr().err
    match = re.search(
        r"held-out wer, 3 folds: (\S+) -> (\S+); gain \+(\S+) \[\+(\S+), \+(\S+)\], p", told
    )
    before, after, gain, low, high = map(float, match.groups())
    assert before - after == pytest.approx(gain, abs=0.011)
    assert low <= gain <= high
    report = json.loads((lists / "run/report.json").read_text())
    assert report["gain"] == pytest.approx(gain, abs=0.01)


def test_scores_of_columns_have_more_decimals(lists, capsys):
    records = []
    for number, (_, candidates) in enumerate(hypotheses()):
        hyps = [
            {"text": " ".join(words), "features": values, "metrics": {"comet": values["good"] / 90}}
            for words, values in candidates
        ]
        records.append({"id": number, "hyps": hyps})
    (lists / "list.jsonl").write_text("".join(f"{json.dumps(record)}\n" for record in records))
    more = ("--folds", "3", "--trials", "9", "--metric", "column:comet", "--epochs", "1")
    run(lists, "-w", lists / "start", *more, lists=("list.jsonl",))
    told = capsys.readouterr().err
    assert re.search(r"column:comet: first hypotheses 0\.\d{4}, initial weights 0\.\d{4}, ", told)
    assert re.search(r"best single feature: good 0\.\d{4}\n", told)
    held = -(-len(records) // 3)
    split = f"{len(records) - held} training sentences and on {held} held-out sentences"
    assert f"\nepochs show column:comet on {split}, the first of 3 folds\nrun 1, epoch 0" in told
    assert re.search(r"gain 0\.0000 \[0\.0000, 0\.0000\], p", told)
    assert re.search(r"run 1, epoch 1: loss \S+, column:comet 0\.\d{4}, held-out 0\.\d{4},", told)
    assert re.search(r"column:comet 0\.\d{4} -> training 0\.\d{4}, held-out 0\.\d{4}; m", told)


@pytest.mark.parametrize("metrics", [{}, {"GOOD": 1.0}])
def test_a_judge_among_the_features(lists, capsys, metrics):
    """Of the feature itself, or a column of its name."""
    listed = []
    for number, (_, candidates) in enumerate(hypotheses()):
        hyps = [
            {"text": " ".join(words), "features": values, "metrics": metrics}
            for words, values in candidates
        ]
        listed.append({"id": number, "hyps": hyps})
    (lists / "list.jsonl").write_text("".join(f"{json.dumps(record)}\n" for record in listed))
    name = "GOOD" if metrics else "good"
    run(lists, "--folds", "0", "--epochs", "1", "--metric", f"column:{name}", lists=("list.jsonl",))
    told = f"the metric {name} is also a feature, so its gain is biased: it shows that {name} is"
    assert capsys.readouterr().err.count(told) == 1


@pytest.mark.parametrize(
    ("metric", "feature"),
    [("comet", "COMET22"), ("COMET-22", "comet"), ("lm", "LM0"), ("q1", "q2")],
)
def test_another_version_of_a_judge(lists, capsys, metric, feature):
    listed = [
        {
            "id": number,
            "hyps": [
                {
                    "text": " ".join(words),
                    "features": {feature: values["good"]},
                    "metrics": {metric: 1},
                }
                for words, values in candidates
            ],
        }
        for number, (_, candidates) in enumerate(hypotheses())
    ]
    (lists / "list.jsonl").write_text("".join(f"{json.dumps(record)}\n" for record in listed))
    more = ("--folds", "0", "--epochs", "1", "--metric", f"column:{metric}")
    run(lists, *more, lists=("list.jsonl",))
    told = f"the metric {metric} seems to be the feature {feature} as well, so its gain is biased"
    assert (told in capsys.readouterr().err) == ("comet" in metric.casefold())


def test_scores_to_report_come_from_sacrebleu(lists, capsys):
    more = ("--runs", "2", "--folds", "3", "--trials", "9", "--optimizer", "pro")
    run(lists, *options(lists, *more, "--out", lists / "run"))
    told = capsys.readouterr().err
    report = json.loads((lists / "run/report.json").read_text())
    reported = report["reported"]
    judge = BLEU(tokenize="none", force=True)
    references = [(lists / "ref").read_text().splitlines()]
    for name, weights in (("start", "start"), ("training", "run/weights.json")):
        best = lists / "best"
        command = ["rerank", str(lists / "list"), "-w", str(lists / weights), "-o", str(best)]
        assert program.main(command) == 0
        score = judge.corpus_score(best.read_text().splitlines(), references).score
        assert reported[name] == score
    assert reported["signature"] == str(judge.get_signature())
    assert reported["held_out"] == pytest.approx(report["held_out"][report["run"] - 1], abs=1e-6)
    shown = (reported["start"], reported["training"], reported["held_out"])
    line = "for a paper: bleu {:.2f} -> training {:.2f}, held-out {:.2f}; nrefs:1|case:mixed|eff:no"
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
    for number, (truth, candidates) in enumerate(hypotheses()):
        changes = [str.upper, str.lower] if number % 2 else [str.lower, str.upper]
        of_hypotheses, of_references = changes
        hyps = [
            {"text": of_hypotheses(" ".join(words)), "features": values}
            for words, values in candidates
        ]
        records.append({"id": number, "refs": [of_references(" ".join(truth))], "hyps": hyps})
    (lists / "list.jsonl").write_text("".join(f"{json.dumps(record)}\n" for record in records))
    told = []
    for name, more in (("list", ()), ("list.jsonl", ("--lowercase",)), ("list.jsonl", ())):
        refs = ("--refs", lists / "ref") if name == "list" else ()
        run(lists, *refs, "--folds", "0", "-w", lists / "start", "--epochs", "1", *more,
            lists=(name,), status=0)  # fmt: skip
        told.append(re.findall(r"initial weights .*|for a paper.*", capsys.readouterr().err))
    assert told[0][0] == told[1][0]
    assert told[0][1].replace("case:mixed", "case:lc") == told[1][1]
    assert "initial weights 0.00, random 0.00, oracle 0.00" in told[2][0]


def test_an_option_of_another_optimizer(lists, capsys):
    run(lists, *options(lists, "--optimizer", "mira", "--random-walks", "3"), status=2)
    assert (
        "--random-walks cannot be used with mira; it is an option of mert"
        in capsys.readouterr().err
    )


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
    notes = []
    for name, limit in (("whole", ()), ("stopped", ("--max-checks", "1"))):
        run(lists, *options(lists, *more, *limit, "--out", lists / name))
        notes += re.findall(r"run1\.final: (.* linear programs)\n", capsys.readouterr().err)
        kept = json.loads((lists / name / "tasks/run1.final.json").read_text())["note"]
        assert kept == notes[-1]
    form = r"; checked \d+ of 10\^2\.1 complete and \d+ partial combinations with \d+ linear"
    said = r"no weights have a smaller loss \(1 - bleu of a sentence\), except for ties"
    assert re.match(said + form, notes[0])
    assert re.match("not proved optimal" + form, notes[1])


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_nothing_to_learn(tmp_path, name, capsys):
    """One hypothesis, all equal, a constant feature: the start weights are kept, and it is said."""
    rows = ["0 ||| a b ||| LM0= 1 ||| 0"]
    rows += ["1 ||| c d ||| LM0= 1 ||| 0", "1 ||| d c ||| LM0= 1 ||| 0"]
    (tmp_path / "list").write_text("\n".join(rows) + "\n")
    (tmp_path / "ref").write_text("a b\nc d\n")
    (tmp_path / "start").write_text("LM0 0.5\n")
    run(tmp_path, *options(tmp_path, "--optimizer", name, "-o", tmp_path / "w", "--folds", "0"))
    assert Weights.load(tmp_path / "w").as_dict() == {"LM0": pytest.approx(0.5)} or name == "mert"
    told = capsys.readouterr().err
    assert "cannot improve the metric, because the initial weights already select the best" in told
    assert "best single feature: none is better than the first hypotheses\n" in told
    assert "epochs show" not in told
