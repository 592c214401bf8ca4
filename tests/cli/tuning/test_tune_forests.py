"""`isogloss tune --forests`: weights from forests that are there, without a decoder."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from isogloss import program
from isogloss.features.space import FeatureSpace
from isogloss.tune.forest.hypergraph import Edge, Hypergraph, tail_item
from isogloss.tune.forest.moses_text import moses_lines
from isogloss.tune.forest.store import forest_writer
from isogloss.tune.weights.weights import Weights
from isogloss.tuning.folder import TuningFolder

SENTENCES = ["A B C A B", "B A C A", "C B B A D", "A C D B", "B B A C C A", "C A B A"]
LACKING = 2  # the sentence without a forest
HINGE = ("--optimizer", "hinge", "--update", "mira", "--rate", "0.3", "--epochs", "3")
RISK = ("--optimizer", "risk", "--update", "adagrad", "--rate", "1", "--epochs", "9")
MERT = ("--optimizer", "mert", "--random-walks", "1", "--random-restarts", "1")
FILES = ("tune", "--forests", "forests", "--refs", "refs", "-w", "start", "--threads", "1")
HELD_OUT = ("--held-out-forests", "others", "--held-out-refs", "others.ref", "--trials", "20")


def forest(sentence: str, names: list[str]) -> Hypergraph:
    """Each word right, or wrong as the start weights like it. names: of the features"""
    good, bad, sparse = (names.index(name) for name in ("good", "bad", "WT_r"))
    words, nodes = [*sentence.split(), "x"], list[list[Edge]]()
    for k in range(len(words) - 1):
        tails, before = ([k - 1], [tail_item(0)]) if k else ([], [])
        nodes.append([
            Edge(tails, [*before, k], [(good, 1.0), (sparse, 1.0)], 1),
            Edge(tails, [*before, len(words) - 1], [(bad, 1.0 + 0.1 * k)], 1),
        ])  # fmt: skip
    return Hypergraph.from_edges(nodes, words, names)


@pytest.fixture
def work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of ours that lacks a forest, Moses's files of two sentences, references, weights."""
    monkeypatch.chdir(tmp_path)
    with forest_writer("forests") as writer:
        for number, sentence in enumerate(SENTENCES):
            whole = None if number == LACKING else forest(sentence, ["good", "bad", "WT_r"])
            writer.add(whole)
    Path("others").mkdir()
    for number, sentence in enumerate(SENTENCES[:2]):
        lines = moses_lines(forest(sentence, ["more", "bad", "WT_r", "good"]))
        Path("others", f"{number}.txt").write_text("".join(f"{line}\n" for line in lines))
    Path("refs").write_text("".join(f"{line}\n" for line in SENTENCES))
    Path("others.ref").write_text("".join(f"{line}\n" for line in SENTENCES[:2]))
    Path("start").write_text("bad 1\ngood 0\n")
    return tmp_path


def tune(*more: str, status: int = 0) -> None:
    assert program.main([*FILES, *more]) == status


@pytest.mark.parametrize(
    "options",
    [
        (*HINGE, *HELD_OUT),
        (*HINGE, "--workers", "2", "--approximation", "linear", "--lowercase"),
        (*RISK, *HELD_OUT),
        (*MERT, *HELD_OUT),
    ],
)
def test_a_run_is_the_same_again(work, capsys, options):
    tune(*options, "--out", "run", "-o", "w.json")
    said = capsys.readouterr().err
    assert (
        "warning: forests: 1 sentence has no forest (first: 2, counted from 0); it is skipped, "
        "with the references"
    ) in said
    assert "5 sentences, 46 hypergraph edges, 3 features (2 dense)" in said
    assert "run 1, epoch 0: loss" in said
    assert "training bleu: 0.00 -> 100.00" in said
    report = json.loads(Path("run/report.json").read_text())
    assert (report["start_training"], report["training"]) == (0.0, [100.0])
    assert report["reported"]["training"] == pytest.approx(100.0)
    if "--held-out-forests" in options:
        assert "held-out: 2 sentences, 18 hypergraph edges, 3 features (2 dense)" in said
        assert (report["start"], report["held_out"]) == (0.0, [100.0])
    weights = Weights.load("run/weights.json")
    assert weights.as_dict().get("good", 0.0) > weights.as_dict().get("bad", 0.0) - 1.0
    assert Path("w.json").read_bytes() == Path("run/weights.json").read_bytes()
    assert program.main(["reproduce", "run", "--out", "again", "--threads", "2"]) == 0
    assert "every file is the same, byte for byte" in capsys.readouterr().err


@pytest.mark.parametrize("approximation", ["rerank", "linear"])
def test_the_secant_of_risk_takes_either_approximation(work, approximation):
    secant = ("--temperature", "0", "--mu", "1", "--approximation", approximation)
    tune(*RISK, *secant, "-o", "w.json")
    assert Weights.load("w.json").as_dict().keys() <= {"good", "bad", "WT_r"}


def test_folds_judge_and_choose(work, capsys):
    with forest_writer("forests", overwrite=True) as writer:
        for sentence in SENTENCES:
            writer.add(forest(sentence, ["good", "bad", "WT_r"]))
    tune(*HINGE, "--folds", "3", "--runs", "2", "--trials", "20", "--out", "run")
    said = capsys.readouterr().err
    assert "held-out: 3 folds, each scored with weights tuned on the others" in said
    assert "held-out bleu: 0.00 -> 100.00 +- 0.00 (2 runs)" in said
    files = sorted(path.name for path in Path("run/tasks").iterdir())
    names = [
        f"run{run}.{name}.json" for run in (1, 2) for name in ("final", "fold0", "fold1", "fold2")
    ]
    assert files == ["files.json", *sorted(names)]
    report = json.loads(Path("run/report.json").read_text())
    assert report["held_out"] == [100.0, 100.0]


def test_an_interrupted_run_goes_on(work, monkeypatch, capsys):
    tune(*HINGE, "--runs", "2", "--out", "whole")
    write, written = TuningFolder.write_outcome, []

    def ended(folder, outcome):
        if written:
            raise KeyboardInterrupt
        written.append(outcome.task.name)
        write(folder, outcome)

    monkeypatch.setattr(TuningFolder, "write_outcome", ended)
    tune(*HINGE, "--runs", "2", "--out", "run", status=130)
    assert sorted(file.name for file in Path("run/tasks").iterdir()) == [
        "files.json", "run1.final.json", "run2.final.state.npz"
    ]  # fmt: skip
    monkeypatch.setattr(TuningFolder, "write_outcome", write)
    tune(*HINGE, "--runs", "2", "--out", "run", "--resume")
    assert "run1.final: already done" in capsys.readouterr().err
    for name in ("weights.json", "epochs.jsonl", "report.json", "tasks/run2.final.json"):
        assert Path("run", name).read_bytes() == Path("whole", name).read_bytes()


def test_words_of_another_case(work, capsys):
    Path("refs").write_text("".join(f"{line.lower()}\n" for line in SENTENCES))
    tune(*MERT)
    assert "training bleu: 0.00 -> 0.00" in capsys.readouterr().err
    tune(*MERT, "--lowercase")
    assert "training bleu: 0.00 -> 100.00" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("file", "content", "message"),
    [
        ("refs", "A B\n" * 5,
            "refs: there are references for 5 sentences; expected 6, the number of forests"
        ),
        ("refs", "A B\n" * 7,
            "refs: there are references for 7 sentences; expected 6, the number of forests"
        ),
        ("start", "bad 1e301\ngood 1\n",
         "forests, sentence 0: the score of edge 1 (into node 0) is 1e+301; scale the"),
        ("start", "worse 1\n", "no weight for any feature of the forests, only for worse"),
        ("others/0.txt", "# target\n", "others/0.txt"),
        ("others/x.txt", "", "others: the folder contains 'x.txt'; expected files named by"),
    ],
)  # fmt: skip
def test_files_that_do_not_fit(work, capsys, file, content, message):
    Path(file).write_text(content)
    status = program.main([*FILES, *HINGE, *HELD_OUT, "--out", "run"])
    assert (status in (1, 2), message in capsys.readouterr().err) == (True, True)
    assert not Path("run").exists()


def test_forests_without_a_common_feature(work, capsys):
    graph = forest("A B", ["good", "bad", "WT_r"])
    text = "\n".join(moses_lines(graph)).replace("good=", "nice=").replace("bad=", "poor=")
    for name in ("0.txt", "1.txt"):
        Path("others", name).write_text(text.replace("WT_r=", "WT_q=") + "\n")
    tune(*HINGE, *HELD_OUT, status=1)
    assert "others: the file has no feature of the tuning set, only nice" in capsys.readouterr().err


def test_forests_with_other_names_for_the_same_scores(work, capsys):
    text = "\n".join(moses_lines(forest("A B", ["good", "bad", "WT_r"])))
    for name in ("0.txt", "1.txt"):
        Path("others", name).write_text(text.replace("bad=", "poor=") + "\n")
    tune(*HINGE, *HELD_OUT, status=1)
    message = "others: the file has the features poor instead of bad; expected the features of the"
    assert message in capsys.readouterr().err


def test_folds_judge_where_other_forests_choose(work, capsys):
    with forest_writer("forests", overwrite=True) as writer:
        for sentence in SENTENCES:
            writer.add(forest(sentence, ["good", "bad", "WT_r"]))
    Path("others.ref").write_text("A B C A y\nB A C y\n")  # BLEU below 100, whatever is learned
    tune(*HINGE, *HELD_OUT, "--folds", "3", "--out", "run")
    told = capsys.readouterr().err
    assert "held-out: 3 folds, each scored with weights tuned on the others" in told
    assert "held-out bleu: 0.00 -> 100.00; gain +100.00" in told


@pytest.mark.parametrize("options", [HINGE, RISK, MERT])
def test_the_penalty_of_unknown_words_is_left_alone(work, options):
    with forest_writer("forests", overwrite=True) as writer:
        for sentence in SENTENCES:
            graph = forest(sentence, ["good", "bad", "WT_r"])
            names = ["good", "UnknownWordPenalty0", "WT_r"]
            writer.add(replace(graph, space=FeatureSpace(names)))
    Path("start").write_text("good 0.1\nUnknownWordPenalty0 0.7\n")
    tune(*options, "-o", "w.json")
    found = Weights.load("w.json")
    assert found["good"] != 0.1
    if options is MERT:  # which scales all weights alike
        assert found["UnknownWordPenalty0"] > 0.0
    else:
        assert found["UnknownWordPenalty0"] == pytest.approx(0.7)


@pytest.mark.parametrize("output", [("--out", "forests/run"), ("-o", "others/sub/w.json")])
def test_outputs_in_a_folder_of_forests(work, capsys, output):
    """They would be taken for forests from then on."""
    tune(*HINGE, *HELD_OUT, *output, status=2)
    assert (
        f"{output[1]} is in {output[1].split('/')[0]}, an input of this command"
        in capsys.readouterr().err
    )
    assert not Path(output[1]).exists()


def test_no_forest_at_all(work, capsys):
    with forest_writer("forests", overwrite=True) as writer:
        writer.add(None)
    tune(*HINGE, status=1)
    assert (
        "forests: the folder or file has no forest; expected one for each sentence"
    ) in capsys.readouterr().err


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--optimizer", "pro"],
         "pro needs n-best lists; --forests can be used with mert, hinge, risk"),
        (["--metric", "wer"], "--forests needs --metric bleu; --metric wer needs n-best lists"),
        (["--nbest-size", "7"], "--nbest-size cannot be used with --forests"),
        (["--dev", "refs"], "--dev cannot be used with --forests"),
        (["--held-out", "x"], "--held-out cannot be used with --forests"),
        (["--score-files", "x"], "--score-files cannot be used with --forests"),
        (["--max-memory", "1G"], "--max-memory cannot be used with --forests"),
        (["--oracle-document", "chiang"], "--oracle-document cannot be used with --forests"),
        (["--forest-density", "3"], "--forest-density cannot be used with --forests; prune"),
        (["--optimizer", "mert", "--approximation", "linear"], "--approximation needs --optimi"),
        (["--held-out-forests", "others"], "--held-out-forests FORESTS and --held-out-refs REF go"),
        (["--folds", "2"], "folds must be 0 (none) or at least 3, got 2"),
        (["--decoder", "d.toml"], "pass exactly one input"),
        (["--precision-step", "1"],
         "--precision-step cannot be used with --update mira; it needs --update"),
    ],
)  # fmt: skip
def test_what_is_refused(work, capsys, options, message):
    more = () if "mert" in options or "pro" in options else HINGE
    status = program.main([*FILES, *more, *options])
    assert (status, message in capsys.readouterr().err) == (2, True)


def test_held_out_forests_of_lists(work, capsys):
    assert program.main(["tune", "list", "--refs", "refs", "--held-out-forests", "others"]) == 2
    assert "--held-out-forests needs --forests" in capsys.readouterr().err
    assert program.main(["tune", "--forests", "forests", *HINGE]) == 2
    assert "--forests needs --refs REF" in capsys.readouterr().err


@pytest.mark.parametrize("output", ["forests/forests.json", "others/0.txt", "others"])
def test_no_output_over_what_is_read(work, capsys, output):
    before = sorted(work.rglob("*"))
    assert program.main([*FILES, *HINGE, *HELD_OUT, "-o", output]) in (1, 2)
    assert output in capsys.readouterr().err
    assert sorted(work.rglob("*")) == before
