"""A whole program with the names that the packages show: a bitext in, learned weights out."""

import gzip
import json
import subprocess
import sys
from itertools import islice
from pathlib import Path

import pytest

from isogloss import tune
from isogloss.align.files.text_io import iter_lines
from isogloss.program import main
from isogloss.tune import Weights

DATA = Path(__file__).parents[2] / "data"
SCRIPT = """
from isogloss.align import estimate_language_model, read_bitext, read_sentences, train
from isogloss.features import add_templates, extract
from isogloss.tune import Decoder, Examples, Weights, metric, read_nbest, read_references
from isogloss.tune import tune_decoder, tune_nbest

bitext = read_bitext("train.en", "train.es", labels="train.labels")
model = train(bitext)
model.save("m")
table = add_templates(extract(bitext, model.align(bitext)), ["pt", "al"])
decoder = Decoder(table, estimate_language_model(bitext.target, order=3))
dev, references = read_sentences("dev.en"), read_references(["dev.es"])
weights = tune_decoder(decoder, dev, references, epochs=5).weights
print(decoder.translate(dev[0], weights))
lists = Examples.from_nbest(read_nbest(["list.gz"]), references, metric("bleu"))
start = Weights.load("start.json")
tune_nbest(lists, "mert", initial_weights=start, seed=1).weights.save("weights.json")
"""
PAIRS, SENTENCES = 400, 12


def head(name: str, count: int) -> list[str]:
    """The first lines of a file of the bundled data."""
    return list(islice(iter_lines(DATA / name), count))


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A small part of the bundled data, and lists that hold each reference with a word less."""
    for name in ("train.en", "train.es", "train.labels"):
        (tmp_path / name).write_text("\n".join(head(f"{name}.gz", PAIRS)) + "\n")
    references = head("tune.es.ref0", SENTENCES)
    (tmp_path / "dev.en").write_text("\n".join(head("tune.en", SENTENCES)) + "\n")
    (tmp_path / "dev.es").write_text("\n".join(references) + "\n")
    with gzip.open(tmp_path / "list.gz", "wt", encoding="utf-8") as stream:
        for number, reference in enumerate(references):
            words = reference.split()
            for kept in (len(words) - 1, len(words)):
                text = " ".join(words[:kept])
                stream.write(f"{number} ||| {text} ||| LM0= -{kept} WordPenalty0= -{kept} ||| 0\n")
    Weights.from_dict({"LM0": 0.5, "WordPenalty0": 0.1}).save(tmp_path / "start.json")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.filterwarnings("ignore::isogloss.align.DataWarning")  # few seed pairs
def test_a_whole_program(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    names: dict[str, object] = {}
    exec(compile(SCRIPT, "script.py", "exec"), names)
    assert len(capsys.readouterr().out.split()) > 3
    assert (folder / "m").is_dir()
    learned = json.loads((folder / "weights.json").read_text())["weights"]
    assert {"LM0", "WordPenalty0"} == set(learned)
    # longer hypotheses are better here, and those have the larger penalty
    assert learned["LM0"] + learned["WordPenalty0"] < 0
    weights = names["weights"]
    assert isinstance(weights, Weights)
    assert weights["UnknownWordPenalty0"] == 1.0
    assert len(weights) > weights.num_active > 5
    assert "400 sentence pairs" in repr(names["bitext"])
    assert "-gram language model" in repr(names["decoder"])
    assert "12 sentences, 24 hypotheses, 2 features, bleu" in repr(names["lists"])
    assert "12 sentences" in repr(names["references"])
    # the command learns the same
    command = [
        "tune",
        "list.gz",
        "--refs",
        "dev.es",
        "--initial-weights",
        "start.json",
        "--seed",
        "1",
    ]
    assert main([*command, "--optimizer", "mert", "--folds", "0", "-o", "command.json", "-q"]) == 0
    assert (folder / "weights.json").read_bytes() == (folder / "command.json").read_bytes()


@pytest.mark.parametrize("name", tune.__all__)
def test_names_of_tune(name: str) -> None:
    assert name in dir(tune)
    assert getattr(tune, name) is not None


def test_a_name_that_tune_does_not_have() -> None:
    with pytest.raises(AttributeError, match=r"'isogloss\.tune' has no attribute 'Hypergraphs'"):
        _ = tune.Hypergraphs  # type: ignore[attr-defined]


@pytest.mark.parametrize("code", ["import isogloss.tune", "from isogloss.tune import Weights"])
def test_what_computes_nothing_compiles_nothing(code: str) -> None:
    heavy = "{'numba', 'scipy', 'sacrebleu'}"
    command = f"import sys; {code}; print(sorted({heavy} & set(sys.modules)))"
    done = subprocess.run(
        [sys.executable, "-c", command], capture_output=True, text=True, check=True
    )
    assert "[]\n" == done.stdout
