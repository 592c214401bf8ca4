"""What tune reads: lists, references, metrics and weights, good and bad."""

import gzip
import json
import re

import pytest

from isogloss import program
from isogloss.tune.nbest.store import store_nbest
from isogloss.tune.weights.weights import Weights
from tests.cli.tuning.word_lists import SENTENCES, hypotheses, options, records, run


def test_held_out_lists_of_other_features(lists, capsys):
    (lists / "other").write_text("0 ||| a ||| LM= 1 WP= 2 ||| 0\n")
    (lists / "other.ref").write_text("a\n")
    more = ("--held-out", lists / "other", "--held-out-refs", lists / "other.ref")
    run(lists, *options(lists, *more), status=1)
    told = capsys.readouterr().err
    assert (
        "other: the file has no feature of the tuning set, only LM, WP; expected the features of"
        in told
    )


def test_blank_references(lists, capsys):
    lines = (lists / "ref").read_text().splitlines()
    (lists / "ref").write_text("\n".join([lines[0], "", " ", *lines[3:]]) + "\n")
    run(lists, *options(lists, "--folds", "0", "--epochs", "1", "-o", lists / "w"))
    told = capsys.readouterr().err
    assert "ref: 2 of 12 references have no words (first: sentence 2, counted" in told
    (lists / "ref").write_text("\n" * 12)
    run(lists, *options(lists), status=1)
    assert "ref: the references have no words; expected one sentence" in capsys.readouterr().err
    (lists / "ref").write_text("")
    run(lists, *options(lists), status=1)
    assert "ref: the file is empty; expected one reference per line" in capsys.readouterr().err
    record = {"id": 0, "refs": [""], "hyps": [{"text": "a", "features": {"good": 1}}]}
    (lists / "list.jsonl").write_text(json.dumps(record) + "\n")
    run(lists, status=1, lists=("list.jsonl",))
    assert "list.jsonl: the references have no words" in capsys.readouterr().err


def test_references_in_another_case(lists, capsys):
    (lists / "ref").write_text((lists / "ref").read_text().upper())
    more = ("--folds", "0", "--epochs", "1", "-o", lists / "w")
    run(lists, *options(lists, *more))
    told = capsys.readouterr().err
    assert (
        f"warning: {lists / 'list'} has no capital letters, but 100% of the words in "
        f"{lists / 'ref'} contain some. Words that differ in casing count as errors; pass --low"
        in told
    )
    for other in (("--lowercase",), ("--metric", "ter")):
        run(lists, *options(lists, *more, *other))
        assert "capital letters" not in capsys.readouterr().err


def test_held_out_lists_choose(lists, capsys):
    more = ("--held-out", lists / "list", "--held-out-refs", lists / "ref", "--folds", "0")
    run(lists, *options(lists, *more, "-o", lists / "w"))
    told = capsys.readouterr().err
    assert re.search(r"run 1, epoch 1: .*, held-out \d+\.\d\d, ", told)
    run(lists, *options(lists, *more[2:]), status=2)
    assert "--held-out-refs has no effect without --held-out" in capsys.readouterr().err


def test_a_result_without_weights(tmp_path, capsys):
    """As zeros of sparse features are not written, it would be an empty file, without a word."""
    (tmp_path / "list").write_text(
        "0 ||| a b ||| lm_0=-1 tm_pt_0=-2 ||| 0\n0 ||| a c ||| lm_0=-2 tm_pt_0=-2 ||| 0\n"
    )
    (tmp_path / "ref").write_text("a b\n")
    run(tmp_path, "--refs", tmp_path / "ref", "--optimizer", "mert", "--folds", "0", "-q")
    told = capsys.readouterr()
    assert json.loads(told.out)["weights"] == {}
    assert (
        "warning: all weights are 0, and zeros are not written for the 2 features, which are "
        "sparse (names with an underscore). Pass initial weights, such as the decoder's, with -w"
    ) in told.err


def test_too_few_sentences_for_folds(lists, capsys):
    run(lists, *options(lists, "--folds", "7", "-o", lists / "w", "--epochs", "1"))
    assert "12 sentences are too few for 7 folds" in capsys.readouterr().err
    run(lists, *options(lists, "--folds", "2"), status=2)
    assert "folds must be 0 (none) or at least 3, got 2" in capsys.readouterr().err


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
    assert "the n-best list contains references, and --refs is given" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            lambda text: text.replace("good= ", "good= nan ", 1),
            r"list, line 1: the value of .* is not finite",
        ),
        (lambda text: "", "no hypothesis; expected an n-best list"),
        (
            lambda text: text.replace("0 |||", "99 |||", 1),
            "the sentence id 99 is too large for 12 sentences",
        ),
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
    assert "bleu needs references; pass --refs" in capsys.readouterr().err


def test_references_of_another_length(lists, capsys):
    (lists / "ref").write_text("a\n" * 13)
    run(lists, *options(lists, "--folds", "0", "-o", lists / "w"))
    assert "1 sentence has no hypothesis (first: 12)" in capsys.readouterr().err
    (lists / "ref2").write_text("a\n" * 12)
    run(lists, "--refs", lists / "ref", lists / "ref2", status=1)
    assert re.search(r"12 lines.*13", capsys.readouterr().err)


def test_start_weights_that_fit_badly(lists, capsys):
    (lists / "start").write_text("bad 1\nother 2\n")
    run(lists, *options(lists, "--folds", "0", "-o", lists / "w", "--epochs", "1"))
    told = capsys.readouterr().err
    assert "start has no weight for good; it starts from 0" in told
    assert "start: other does not occur in the lists and is ignored" in told
    (lists / "start").write_text("other 2\n")
    run(lists, *options(lists), status=1)
    assert (
        "no weight for any feature of the lists, only for other; expected weights for good, bad"
        in (capsys.readouterr().err)
    )


def test_an_unknown_metric(lists, capsys):
    run(lists, *options(lists, "--metric", "meteor"), status=2)
    assert "metric must be one of bleu, ter, chrf" in capsys.readouterr().err
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
    assert "stored is a stored list, which cannot be merged with others" in capsys.readouterr().err


def test_files_of_the_extractor_of_moses(tmp_path, shared_data, capsys):
    stem = str(shared_data / "nbest/pro-example")
    scores = ["--score-files", f"{stem}.SCORESTAT.gz"]
    command = ["tune", f"{stem}.FEATSTAT.gz", *scores, "--optimizer", "mert", "--folds", "0",
               "-o", str(tmp_path / "w")]  # fmt: skip
    assert program.main(command) == 0
    told = capsys.readouterr().err
    assert "10 n-best lists, " in told
    assert "for a paper" not in told  # without words there is nothing for sacrebleu to count
    names = [f"d.{n}" for n in range(7)] + ["lm"] + [f"tm.{n}" for n in range(5)] + ["w"]
    assert list(Weights.load(tmp_path / "w")) == names
    assert program.main([*command, "--refs", "x"]) == 2
    assert "--refs cannot be used with --score-files" in capsys.readouterr().err
    for option in ("--reference-length=shortest", "--lowercase", "--max-memory=1G"):
        assert program.main([*command, option]) == 2
        told = f"{option.split('=')[0]} has no effect with --score-files"
        assert told in capsys.readouterr().err
    assert program.main([*command, "--metric", "ter"]) == 1
    assert re.search(
        r"SCORESTAT\.gz, line 1: the metric of the statistics is 'BLEU'; expected TER\. Pass the "
        r"metric of the statistics .--metric bleu",
        capsys.readouterr().err,
    )
    for kind, block in (("FEATURES", "0 1 1 LM_0\n1"), ("SCORES", "0 1 4 BLEU\n1 1 1 1")):
        (tmp_path / kind).write_text(f"{kind}_TXT_BEGIN_0 {block}\n{kind}_TXT_END_0\n")
    command[1:4] = [str(tmp_path / "FEATURES"), "--score-files", str(tmp_path / "SCORES")]
    assert program.main(command) == 1
    told = capsys.readouterr().err
    fault = "SCORES: each hypothesis has 4 statistics; expected 9, the number for bleu. Check"
    assert fault in told
