"""`isogloss tune --decoder`, online and batch: folder, resumed runs, what is reported."""

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from isogloss import program
from isogloss.runs.decoder_config import read_decoder_config
from isogloss.tune import OPTIMIZERS, Examples, metric, read_nbest, read_references
from isogloss.tune.decoder.model import Decoder
from isogloss.tune.optimizers.oracle import measure_oracle
from isogloss.tune.weights.weights import Weights
from isogloss.tuning.folder import TuningFolder
from isogloss.tuning.optimizer_options import loop_options
from tests.naive.disk import no_file_above
from tests.naive.kills import contents, killed_everywhere, put_back, without_times
from tests.tiers import tiers

SENTENCES = ["a b", "b a c", "c", "a c x", "b b a", "c a b"]
RIGHT = {"a": "A", "b": "B", "c": "C", "x": "x"}
ONLINE = ("--optimizer", "adagrad-pro", "--rate", "0.5", "--batch-size", "2", "--epochs", "2")
BATCH = ("--optimizer", "pro", "--decoder-iterations", "2")
FILES = (
    "tune", "--decoder", "decoder.toml", "--dev", "dev", "--refs", "ref", "--nbest-size", "20",
    "--threads", "1", "--metric", "wer",
)  # fmt: skip


def made_in(folder: Path, make: Callable[[Path], None], monkeypatch: pytest.MonkeyPatch) -> Path:
    """A new folder with files to tune from, to work in."""
    folder.mkdir()
    make(folder)
    monkeypatch.chdir(folder)
    return folder


def make(folder: Path) -> None:
    """A table whose wrong rules are the likelier ones; a sparse feature tells the right ones."""
    rules = []
    for word, right in list(RIGHT.items())[:3]:
        rules.append(f"{word} ||| {right} ||| 0.2 0.2 0.2 0.2 ||| 0-0 ||| 1 1 1 ||| WT_{right} 1")
        rules.append(f"{word} ||| {right}z ||| 0.8 0.8 0.8 0.8 ||| 0-0 ||| 1 1 1 ||| WT_z 1")
    words = ["<unk>", "<s>", "</s>", *RIGHT.values(), *(f"{word}z" for word in "ABC")]
    unigrams = "".join(f"-1\t{word}\n" for word in words)
    texts = {
        "table": "".join(f"{rule} |||\n" for rule in rules),
        "lm": f"\\data\\\nngram 1={len(words)}\n\n\\1-grams:\n{unigrams}\n\\end\\\n",
        "decoder.toml": '[decoder]\nphrase_table = "table"\nlanguage_model = "lm"\n',
        "dev": "".join(f"{line}\n" for line in SENTENCES),
        "ref": "".join(" ".join(map(RIGHT.get, line.split())) + "\n" for line in SENTENCES),  # type: ignore[arg-type]
        "other": "a x\nc b\n",
        "other.ref": "A x\nC B\n",
    }
    for name, text in texts.items():
        (folder / name).write_text(text)


@pytest.fixture
def work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return made_in(tmp_path / "work", make, monkeypatch)


def tune(*more: str, status: int = 0) -> None:
    assert program.main([*FILES, *more]) == status


@pytest.mark.parametrize(
    "options", [ONLINE, BATCH, (*ONLINE, "--loop", "batch", "--decoder-iterations", "2")]
)
def test_a_run_is_the_same_again(work, capsys, options):
    held_out = ("--held-out-dev", "other", "--held-out-refs", "other.ref", "--trials", "20")
    tune(*options, *held_out, "--runs", "2", "--out", "run", "-o", "w.json")
    said = capsys.readouterr().err
    assert "run 1 " in said
    assert "run 2 " in said
    assert ", held-out 75.00, 9 active features" in said
    assert "training wer: 93.33 -> 0.00 +- 0.00 (2 runs)" in said
    assert "held-out wer: 75.00 -> 0.00 +- 0.00 (2 runs); gain +75.00" in said
    assert "for a paper: wer training 93.33 -> 0.00, held-out 75.00 -> 0.00; " in said
    report = json.loads(Path("run/report.json").read_text())
    assert (report["start_training"], report["start"]) == pytest.approx((93.33, 75.0), abs=0.01)
    assert report["held_out"] == report["training"] == [0.0, 0.0]
    weights = Weights.load("run/weights.json")
    assert weights["WT_A"] > weights["WT_z"]
    assert weights["UnknownWordPenalty0"] == 1.0
    assert Path("w.json").read_bytes() == Path("run/weights.json").read_bytes()
    lines = [json.loads(line) for line in Path("run/epochs.jsonl").read_text().splitlines()]
    assert {(line["run"], line["fold"]) for line in lines} == {(1, None), (2, None)}
    assert program.main(["reproduce", "run", "--out", "again", "--threads", "2"]) == 0
    assert "every file is the same, byte for byte" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("options", "limit"),
    [
        (ONLINE[:-2], "--epochs"),
        (BATCH[:-2], "--decoder-iterations"),
    ],
)
def test_a_last_epoch_that_is_the_best(work, capsys, options, limit):
    more = f", the last one; a higher {limit} may improve the metric further\n"
    tune(*options, limit, "1", "-o", "w.json")
    assert f"\nweights of epoch 1{more}" in capsys.readouterr().err
    tune(*options, limit, "9", "-o", "w.json")
    assert more not in capsys.readouterr().err


def test_what_the_lists_of_a_batch_run_hold(work, capsys):
    """The oracle is that of all lists in one; folds are those of `tune` on these lists."""
    tune(*BATCH, "--folds", "3", "--trials", "20", "--out", "run")
    said = capsys.readouterr().err
    lists = sorted(map(str, Path("run/tasks").glob("*.nbest.gz")))
    report = json.loads(Path("run/report.json").read_text())
    examples = Examples.from_nbest(read_nbest(lists), read_references(["ref"]), metric("wer"))
    start = read_decoder_config("decoder.toml").open().weights()
    assert report["potential"] == vars(measure_oracle(examples, start.to_space(examples.space)))
    assert report["potential"]["oracle"] == 0.0
    assert f"all lists together: 6 n-best lists, {len(examples.rows)} hypotheses, " in said
    assert "oracle 0.00; possible gain: up to 93.33" in said
    assert "on these lists, held-out wer, 3 folds: 93.33 -> " in said
    tested = {f"run1.fold{fold}.json" for fold in range(3)}
    assert tested <= {file.name for file in Path("run/tasks").iterdir()}
    assert len(report["folds"]["held_out"]) == 1
    before = without_times(work)
    Path("run/tasks/run1.fold1.json").unlink()
    tune(*BATCH, "--folds", "3", "--trials", "20", "--out", "run", "--resume")
    assert without_times(work) == before
    tune(*BATCH, "--folds", "5", "-o", "w")
    assert "warning: 6 sentences are too few for 5 folds" in capsys.readouterr().err
    tune(*BATCH, "--out", "run", "--overwrite")
    assert not tested & {file.name for file in Path("run/tasks").iterdir()}


def by_hand(work: Path, iterations: int) -> list[dict[str, float]]:
    """The weights of each iteration of BATCH: lists that are merged in dictionaries."""
    decoder = read_decoder_config("decoder.toml").open()
    references, weights = read_references(["ref"]), decoder.weights()
    merged: list[dict[str, None]] = [{} for _ in SENTENCES]
    result = []
    for number in range(1, iterations + 1):
        for k, sentence in enumerate(SENTENCES):
            found = decoder.nbest(sentence.split(), weights, 20)
            for rank in range(len(found)):
                row = found.rows.part(rank, rank + 1)
                shown = " ".join(
                    f"{decoder.space.names[name]}= {float(value)!r}"
                    for name, value in zip(row.ids.tolist(), row.values.tolist(), strict=True)
                    if decoder.space.names[name] != "UnknownWordPenalty0"
                )
                merged[k][f"{k} ||| {decoder.text(found, rank)} ||| {shown} ||| 0\n"] = None
        (work / "merged").write_text("".join(line for lines in merged for line in lines))
        examples = Examples.from_nbest(read_nbest(["merged"]), references, metric("wer"))
        method = OPTIMIZERS["pro"]
        learned = method.learner(loop_options(method, {}))(
            examples, weights, np.random.default_rng([1, 1, number])
        )
        weights = decoder.weights(Weights.from_dict(weights.as_dict() | learned.weights.as_dict()))
        result.append(dict(weights.items()))
    return result


def test_iterations_by_hand(work):
    tune(*BATCH, "--nbest-size", "20", "--loop-tolerance", "0", "--out", "run")
    steps = sorted(Path("run/tasks").glob("run1.final.iteration*.json"))
    expected = by_hand(work, len(steps))
    assert steps
    for path, weights in zip(steps, expected, strict=True):
        found = json.loads(path.read_text())["weights"]
        assert found == pytest.approx({name: weights[name] for name in found}, rel=1e-12)
        assert not any(weights[name] for name in weights.keys() - found.keys())


@pytest.mark.parametrize("step", tiers(41, 3))
@pytest.mark.parametrize("options", [ONLINE, BATCH, (*ONLINE, "--accumulate-nbest")])
def test_a_run_that_is_killed_goes_on(work, tmp_path, options, step):
    command = (*FILES, *options, "--out", "run", "-o", "w", "-q")
    assert program.main(command) == 0
    expected = without_times(work)
    for number in killed_everywhere(lambda: program.main(command), make, tmp_path, step):
        assert program.main((*command, "--resume")) == 0, number
        assert without_times(Path.cwd()) == expected, number
    assert number > 20


def test_accumulated_lists_come_back(work, monkeypatch):
    """What an epoch has accumulated is read again after a kill, not only the state."""
    command = (*ONLINE[:-1], "3", "--accumulate-nbest", "--nbest-size", "2")
    tune(*command, "--out", "whole")
    write = TuningFolder.write_outcome

    def ended(folder, outcome):
        raise KeyboardInterrupt

    monkeypatch.setattr(TuningFolder, "write_outcome", ended)
    tune(*command, "--out", "run", status=130)
    assert sorted(file.name for file in Path("run/tasks").iterdir()) == [
        "files.json", "run1.final.epoch3.pool.gz", "run1.final.state.npz"
    ]  # fmt: skip
    monkeypatch.setattr(TuningFolder, "write_outcome", write)
    tune(*command, "--out", "run", "--resume")
    for name in ("weights.json", "epochs.jsonl", "tasks/run1.final.json"):
        assert Path("run", name).read_bytes() == Path("whole", name).read_bytes()
    left = sorted(file.name for file in Path("run/tasks").iterdir())
    assert left == ["files.json", "run1.final.json"]


def test_a_finished_run_goes_on_at_once(work, capsys):
    for options in (ONLINE, BATCH):
        tune(*options, "--out", options[1])
        before = without_times(work)
        tune(*options, "--out", options[1], "--resume")
        assert without_times(work) == before


def test_bad_input_leaves_no_folder(work, capsys):
    Path("ref").write_text("A B\n")
    for options in (ONLINE, BATCH):
        tune(*options, "--out", "run", status=1)
        assert "references for 1 sentence; expected 6, one per source" in capsys.readouterr().err
        assert not Path("run").exists()


@pytest.mark.parametrize("options", [ONLINE, BATCH])
def test_sentences_that_can_not_be_searched(work, capsys, monkeypatch, options):
    """Errors name the sentence and say what to change; a thread that dies ends the run."""
    Path("dev").write_text("a b\n" * 5 + "c a b " * 30 + "\n")
    config = Path("decoder.toml").read_text()
    Path("decoder.toml").write_text(f"{config}distortion_limit = -1\n")
    command = (*options, "--threads", "2", "--out", "run", "-o", "w")
    tune(*command, status=2)
    said = capsys.readouterr().err
    assert "the sentence 'c a b c a b ...' of 90 words: without a distortion limit, a" in said
    Path("decoder.toml").write_text(config)
    search, errors = Decoder.search, [MemoryError(), RuntimeError("a thread that dies")]

    def fails(self, words, *arguments):
        if len(words) > 2:
            raise errors[0]
        return search(self, words, *arguments)

    monkeypatch.setattr(Decoder, "search", fails)
    tune(*command, status=1)
    said = capsys.readouterr().err
    assert "of 90 words needs more memory than is available. Split the" in said
    assert "Split the sentence, or lower the stack size, the table limit, the number of thr" in said
    errors.pop(0)
    with pytest.raises(RuntimeError, match="a thread that dies"):  # a fault of the program's own
        tune(*command)
    assert not Path("run").exists()
    assert not Path("w").exists()


def test_a_disk_without_room_for_a_list(work, capsys):
    """No part of a list is left, and the run goes on once there is room."""
    for name in ("dev", "ref"):
        Path(name).write_text(Path(name).read_text() * 9)
    command = (*BATCH, "--nbest-size", "500", "--out")
    tune(*command, "whole")
    capsys.readouterr()
    with no_file_above(Path("whole/tasks/run1.final.iteration0.nbest.gz").stat().st_size - 1):
        tune(*command, "run", status=1)
    said = capsys.readouterr().err
    assert "run/tasks/run1.final.iteration0.nbest.gz cannot be written: File too large" in said
    assert not Path("run").exists()
    tune(*command, "run")
    assert Path("whole/weights.json").read_bytes() == Path("run/weights.json").read_bytes()


def test_patience_ends_a_run(work, capsys):
    """Once all is right nothing gets better; a resumed run ends there, too."""
    command = (*ONLINE[:-1], "9", "--patience", "2", "--out", "run")
    tune(*command)
    epochs = Path("run/epochs.jsonl").read_text().splitlines()
    scores = [json.loads(line)["score"] for line in epochs]
    best = scores.index(min(scores))
    assert len(scores) == best + 3 < 10
    before = without_times(work)
    tune(*command, "--resume")
    assert without_times(work) == before


def test_lists_on_disk_give_the_same(work):
    tune(*BATCH, "-o", "w")
    tune(*BATCH, "-o", "mapped", "--max-memory", "1M")
    assert Path("w").read_bytes() == Path("mapped").read_bytes()


def test_files_of_another_folder_are_put_back(work, tmp_path):
    """A folder of a batch run can be overwritten: its lists are known by their names."""
    tune(*BATCH, "--out", "run")
    before = {name: data for name, data in contents(work).items() if name.startswith("run/")}
    tune(*ONLINE, "--out", "run", "--overwrite")
    assert not any("iteration" in file.name for file in Path("run/tasks").iterdir())
    put_back(before, work)
    tune(*BATCH, "--out", "run", "--resume")


MOSES_INI = """
[feature]
KENLM name=Lm path=lm order=1
Distortion
WordPenalty
PhrasePenalty
UnknownWordPenalty
PhraseDictionaryMemory name=Tm path=table num-features=4

[weight]
Lm= 0.5
Distortion0= 0.3
WordPenalty0= -1
PhrasePenalty0= 0.2
Tm= 0.2 0.2 0.2 0.2
"""


TEMPLATES = """
class Word:
    of_orientation = True

    def state_features(self, application, previous):
        yield application.rule, f"Word_{application.rule.target[0]}"
"""


@pytest.mark.parametrize("options", [ONLINE, BATCH])
def test_a_moses_ini_and_templates_of_ones_own(work, capsys, options):
    """The sparse features that tell right rules are those of the template, not of the table."""
    table = Path("table").read_text().replace("||| WT_", "||| ||| WT_")  # as properties
    Path("table").write_text(table)
    Path("moses.ini").write_text(MOSES_INI)
    Path("mine.py").write_text(TEMPLATES)
    own = ("--state-templates", "Word", "--plugin", "mine.py")
    tune(*options, "--decoder", "moses.ini", *own, "--out", "run")
    weights = Weights.load("run/weights.json")
    assert weights["Word_A"] > 0 > weights["Word_Az"]
    assert "WT_z" not in weights
    assert {"Lm", "Tm.0", "Tm.3", "Distortion0"} <= set(weights)
    assert not {"LM0", "p(e|f)"} & set(weights)
    convert = ["weights", "convert", "run/weights.json", "--ini", "moses.ini", "-o", "tuned.ini"]
    assert program.main(convert) == 0
    assert Weights.load("tuned.ini")["Tm.3"] == pytest.approx(weights["Tm.3"])
    decode = [
        "decode",
        "dev",
        "-f",
        "moses.ini",
        *own,
        "--weights",
        "run/weights.json",
        "-o",
        "out",
    ]
    assert program.main(decode) == 0
    assert Path("out").read_text() == Path("ref").read_text()
    manifest = json.loads(Path("run/manifest.json").read_text())
    assert {"moses.ini", "mine.py", "table", "lm", "dev", "ref"} == manifest["inputs"].keys()
    capsys.readouterr()
    assert program.main(["reproduce", "run", "--out", "again"]) == 2
    assert (
        "the run executes the code of a plugin; to allow it, pass --plugin 'mine.py'"
        in capsys.readouterr().err
    )
    again = ["reproduce", "run", "--out", "again", "--plugin"]
    assert program.main([*again, "other.py"]) == 2
    told = capsys.readouterr().err
    assert "--plugin must be 'mine.py', as in the run, got 'other.py'" in told
    assert program.main([*again, "mine.py"]) == 0
    Path("decoder.toml").write_text(f'{Path("decoder.toml").read_text()}state_templates = ["Word"]')
    tune(*options, *own[2:], "-o", "w.json")
    assert Weights.load("w.json")["Word_A"] > 0


def test_templates_that_are_not_there(work, capsys):
    Path("mine.py").write_text(TEMPLATES)
    tune(*ONLINE, "--plugin", "mine.py", status=1)
    said = capsys.readouterr().err
    assert "templates from mine.py have no effect without a state template" in said
    tune(*ONLINE, "--state-templates", "pt", status=2)
    said = capsys.readouterr().err
    assert "template 'pt' is a rule template; expected a state template such as lo" in said
