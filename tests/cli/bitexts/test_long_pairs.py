"""A dirty line of tens of thousands of words costs neither memory nor a line."""

import gzip
import resource
from pathlib import Path

import numpy as np
import pytest

from isogloss import program

DATA = Path(__file__).resolve().parents[3] / "data"
FAST = ["--model1-iterations", "2", "--hmm-iterations", "2"]
LONG = (3, 7)  # 40,000 words opposite 3, and opposite 40,000
WARNING = "2 pairs have more than 1000 words on a side (first: line 4)"
GIGABYTE = 1 << 30


@pytest.fixture(scope="module")
def texts(tmp_path_factory):
    """The text with two long pairs, and with empty ones in their place (in `empty`)."""
    folder = tmp_path_factory.mktemp("long")
    (folder / "empty").mkdir()
    rng = np.random.default_rng(0)
    for name in ("en", "es", "labels"):
        with gzip.open(DATA / f"train.{name}.gz", "rt", encoding="utf-8") as stream:
            lines = stream.read().splitlines()[:400]
        empty = list(lines)
        if name != "labels":
            known = " ".join(lines).split()
            long = " ".join(rng.choice(known, 40000).tolist())
            for number, text in zip(LONG, (long if name == "en" else "a b c", long), strict=True):
                lines[number], empty[number] = text, ""
        (folder / name).write_text("\n".join(lines) + "\n", encoding="utf-8")
        (folder / "empty" / name).write_text("\n".join(empty) + "\n", encoding="utf-8")
    return folder


@pytest.fixture(autouse=True)
def little_memory():
    """A gigabyte more than the tests took up to here; 40,000 * 40,000 pairs of words need 6."""
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (pages * resource.getpagesize() + GIGABYTE, hard))
    yield
    resource.setrlimit(resource.RLIMIT_AS, (soft, hard))


def run(command, folder, out, *more):
    texts = [str(folder / "en"), str(folder / "es")]
    return program.main([*command, *texts, "-o", str(out), *more])


def outputs(folder, name):
    """Options for a file of each kind."""
    kinds = ("t2s", "s2t", "posteriors", "pair-scores")
    return [part for kind in kinds for part in (f"--{kind}", str(folder / f"{name}.{kind}"))]


@pytest.fixture(scope="module")
def model(texts):
    """Trained on the text with long pairs."""
    labels = ["--labels", str(texts / "labels"), "--model", str(texts / "m"), *FAST]
    assert run(["align"], texts, texts / "links", *labels, *outputs(texts, "links")) == 0
    return texts / "m"


def read(path):
    return path.read_text(encoding="utf-8").splitlines()


def test_align_takes_long_pairs_as_empty(texts, model, capsys):
    labels = ["--labels", str(texts / "labels"), *FAST]
    out = texts / "expected"
    assert run(["align"], texts / "empty", out, *labels, *outputs(texts, "expected")) == 0
    for kind in ("", ".t2s", ".s2t", ".posteriors", ".pair-scores"):
        mine, its = read(texts / f"links{kind}"), read(texts / f"expected{kind}")
        assert mine == its
        assert len(mine) == 400 + (kind == ".posteriors")
    scores = read(texts / "links.pair-scores")
    for number in LONG:
        assert (read(texts / "links")[number], scores[number]) == ("", "-inf")


def test_one_warning_says_how_many_and_what_to_do(texts, tmp_path, capsys):
    assert run(["align"], texts, tmp_path / "links", *FAST) == 0
    (warning,) = [line for line in capsys.readouterr().err.splitlines() if "warning" in line]
    said = (
        f"{texts}/en, {texts}/es: {WARNING}; such pairs are treated as empty and get no links. Spl"
    )
    assert said in warning


def test_apply_and_domains(texts, model, tmp_path, capsys):
    for command, lines in (
        (["apply", str(model), "--scores"], 400),
        (["domains", "predict", str(model)], 401),
        (["domains", "predict", str(model), "--instance-weights-of", "legal"], 400),
    ):
        outputs = []
        for folder in (texts, texts / "empty"):
            assert run(command, folder, tmp_path / "out") == 0
            outputs.append(read(tmp_path / "out"))
        assert outputs[0] == outputs[1]
        assert len(outputs[0]) == lines
        assert WARNING in capsys.readouterr().err


def test_seed_samples(texts, tmp_path, capsys):
    sample = ["--seed-sample", f"legal={texts}/en,{texts}/es", "-q"]
    assert run(["align"], texts / "empty", tmp_path / "links", *sample, *FAST) == 0
    assert WARNING in capsys.readouterr().err
    assert len(read(tmp_path / "links")) == 400


def test_the_limit_can_be_moved(texts, model, tmp_path, capsys):
    assert run(["apply", str(model)], texts, tmp_path / "links", "--max-length", "5") == 0
    assert "more than 5 words on a side (first: line 1)" in capsys.readouterr().err
    lengths = [
        max(map(len, map(str.split, pair)))
        for pair in zip(read(texts / "en"), read(texts / "es"), strict=True)
    ]
    links = read(tmp_path / "links")
    assert {length for length, line in zip(lengths, links, strict=True) if line} == {
        length for length in lengths if length <= 5
    }
    assert run(["apply", str(model)], texts, tmp_path / "x", "--max-length", "-1") == 2
    assert "--max-length must be at least 0, got -1" in capsys.readouterr().err


def test_without_a_limit_memory_may_be_too_small(texts, model, tmp_path, capsys):
    assert run(["apply", str(model)], texts, tmp_path / "links", "--max-length", "0") == 1
    assert "out of memory. `isogloss doctor` estimates" in capsys.readouterr().err
    assert not (tmp_path / "links").exists()


def test_pipeline(texts, tmp_path, capsys):
    config = tmp_path / "config.toml"
    text = f"""
        [[train]]
        source = "{texts}/en"
        target = "{texts}/es"
        [align]
        model1_iterations = 1
        hmm_iterations = 1
        max_length = LIMIT
        [extract]
        enabled = false
    """
    config.write_text(text.replace("LIMIT", "-1"))
    assert program.main(["run", str(config), "--out", str(tmp_path / "run")]) == 1
    assert "[align] max_length is -1; expected an integer of at least 0" in capsys.readouterr().err
    config.write_text(text.replace("LIMIT", "1000"))
    assert program.main(["run", str(config), "--out", str(tmp_path / "run")]) == 0
    assert WARNING in capsys.readouterr().err
    with gzip.open(tmp_path / "run" / "flat.links.gz", "rt") as stream:
        links = stream.read().splitlines()
    assert len(links) == 400
    assert [number for number in LONG if links[number]] == []


def test_files_may_hold_positions_above_32767(tmp_path, capsys):
    (tmp_path / "x").write_text(" ".join(["a"] * 40000) + "\n")
    (tmp_path / "links").write_text("0-39999 39998-5 39999-39999\n")
    text, links = str(tmp_path / "x"), str(tmp_path / "links")
    assert program.main(["check", links, text, text]) == 0
    out = str(tmp_path / "out")
    assert program.main(["symmetrize", links, links, "--heuristic", "union", "-o", out]) == 0
    assert (tmp_path / "out").read_text() == (tmp_path / "links").read_text()
    assert program.main(["retokenize", links, "--target", f"{text},{text}", "-o", out, "-q"]) == 0
    assert (tmp_path / "out").read_text() == (tmp_path / "links").read_text()
    assert program.main(["evaluate", links, links]) == 0
    assert "AER\t0.00" in capsys.readouterr().out
    assert program.main(["extract", text, text, links, "-o", str(tmp_path / "table"), "-q"]) == 0
    assert "a ||| a ||| " in (tmp_path / "table").read_text()
