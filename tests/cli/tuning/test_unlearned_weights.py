"""Weights to start from of features that nothing is learned of: they stay as they are."""

from pathlib import Path

import pytest

from isogloss import program
from isogloss.tune.weights.weights import Weights

from . import test_tune_forests
from .test_decoder_loops import BATCH, FILES, ONLINE, made_in
from .test_forest_loop import make_longer

BINS = ("p(f|e)_0_of_8", "p(f|e)_7_of_8")


@pytest.fixture
def work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A table that has rules for another word, which neither dev nor other holds."""

    def make(folder: Path) -> None:
        make_longer(folder)
        with (folder / "table").open("a") as table:
            table.write("w ||| W ||| 0.5 0.5 0.5 0.5 ||| 0-0 ||| 1 1 1 ||| WT_W 1 |||\n")

    return made_in(tmp_path / "work", make, monkeypatch)


@pytest.mark.parametrize(
    "options",
    [
        (*ONLINE, "--metric", "wer"),
        (*ONLINE, "--l1", "0.5", "--metric", "wer", "--runs", "2"),
        (*BATCH, "--metric", "wer"),
        (*ONLINE, "--loop", "batch", "--decoder-iterations", "2", "--metric", "wer"),
        ("--optimizer", "hinge", "--epochs", "2"),
        ("--optimizer", "risk", "--epochs", "2"),
        ("--optimizer", "mert", "--loop", "forests", "--decoder-iterations", "1"),
        ("--optimizer", "mert", "--loop", "forests", "--decoder-iterations", "3"),
        ("--optimizer", "mert", "--loop", "batch", "--decoder-iterations", "2"),
    ],
)
def test_weights_of_rules_that_the_text_has_not(work: Path, options: tuple[str, ...]) -> None:
    rest = {"WT_W": 0.75, BINS[0]: -0.5, BINS[1]: 0.25, "PT_w_W": 1.5}
    given = {"LM0": 0.5, "p(f|e)": 0.2, "WT_A": 0.1, "WT_z": 0.1}
    Weights.from_dict(given | rest).save("given.json")
    files = ["--decoder", "decoder.toml", "--dev", "dev", "--refs", "ref", "--threads", "1"]
    assert program.main(["tune", *files, *options, "-w", "given.json", "--out", "run", "-q"]) == 0
    learned = Weights.load("run/weights.json")
    kept, factor = {name: learned[name] for name in rest}, 1.0
    if "mert" in options:  # which divides all weights by the sum of those it tunes
        factor = learned["UnknownWordPenalty0"] if "forests" in options else kept["WT_W"] / 0.75
        assert 0 < factor < 1
    assert kept == pytest.approx({name: factor * value for name, value in rest.items()}, rel=1e-12)
    assert learned["WT_A"] != 0.1
    assert learned["UnknownWordPenalty0"] == (factor if "forests" in options else 1.0)
    texts = []
    for weights in ("given.json", "run/weights.json"):
        decode = ["decode", "--phrase-table", "table", "--lm", "lm", "--weights", weights, "-q"]
        Path("one").write_text("w\n")
        assert program.main([*decode, "-i", "one", "-o", "out", "--n-best", "list:1"]) == 0
        texts.append(Path("list").read_text().split(" ||| ")[2])
    assert texts[0] == texts[1]


def test_weights_of_a_score_go_to_all_its_bins(work: Path) -> None:
    """Those of the table's rules, not only of the dev text's."""
    discretize = ["features", "table", "-o", "bins", "--discretize", "p(f|e):2", "-q"]
    assert program.main(discretize) == 0
    config = Path("decoder.toml")
    config.write_text(config.read_text().replace('"table"', '"bins"'))
    names = [name for name in _names("bins") if name.startswith("p(f|e)_")]
    unseen = {name for name in names if name in _rule("bins", "w ||| W")}
    assert unseen and len(names) > 1
    assert program.main([*FILES, *ONLINE, "-o", "w.json", "-q"]) == 0
    learned = Weights.load("w.json")
    assert all(learned[name] < 0 for name in unseen)  # 0.2 times the log of a probability


def _rule(table: str, begin: str) -> str:
    return next(line for line in Path(table).read_text().splitlines() if line.startswith(begin))


def _names(table: str) -> list[str]:
    fields = [line.split(" ||| ")[5] for line in Path(table).read_text().splitlines()]
    return sorted({name for field in fields for name in field.split()[::2]})


def test_lists(lists: Path, capsys: pytest.CaptureFixture) -> None:
    """As Moses's kbmira does; a dense name, which a decoder would refuse, is passed over."""
    (lists / "start").write_text("bad 1\ngood 0\nLM7 0.5\nF_99 0.25\n")
    for options in (["--optimizer", "pro"], ["--optimizer", "adagrad-pro", "--runs", "2"]):
        command = ["tune", str(lists / "list"), "--refs", str(lists / "ref"), *options]
        files = ["-w", str(lists / "start"), "-o", str(lists / "w.json")]
        assert program.main([*command, *files, "--threads", "1"]) == 0
        said = capsys.readouterr().err
        assert "LM7 does not occur in the lists and is ignored" in said
        assert "F_99 does not occur in the lists; its weight is kept" in said
        learned = Weights.load(lists / "w.json")
        assert learned["F_99"] == 0.25
        assert "LM7" not in learned
        assert learned["good"] > learned["bad"]


@pytest.mark.parametrize("optimizer", ["mert", "lp-mert"])
def test_what_is_kept_has_the_factor_of_the_others(lists: Path, optimizer: str) -> None:
    """MERT divides all weights by the sum of those it tunes: so it does with F_1, which is untuned
    as in no sentence hypotheses differ in it, and with F_99, which no list has.
    """
    (lists / "start").write_text("bad 8\ngood 0\nF_1 4\nF_99 2\n")
    out = lists / "run"
    command = ["tune", str(lists / "list"), "--refs", str(lists / "ref"), "--optimizer", optimizer]
    assert program.main([*command, "-w", str(lists / "start"), "--out", str(out), "-q"]) == 0
    learned = Weights.load(out / "weights.json")
    assert learned["good"] + abs(learned["bad"]) == pytest.approx(1.0)
    assert 0 < learned["F_1"] < 4
    assert learned["F_99"] == pytest.approx(learned["F_1"] / 2, rel=1e-12)
    written = (out / "weights.json").read_bytes()
    (out / "weights.json").unlink()
    assert program.main([*command, "-w", str(lists / "start"), "--out", str(out), "--resume"]) == 0
    assert (out / "weights.json").read_bytes() == written


forest_work = test_tune_forests.work


@pytest.mark.parametrize("options", [test_tune_forests.HINGE, test_tune_forests.MERT])
def test_forests(
    forest_work: Path, options: tuple[str, ...], capsys: pytest.CaptureFixture
) -> None:
    Path("start").write_text("bad 1\ngood 0\nWT_q 0.5\nWT_r 0.25\n")
    test_tune_forests.tune(*options, "-o", "w.json")
    assert "WT_q does not occur in the forests; its weight is kept" in capsys.readouterr().err
    learned = Weights.load("w.json")
    if options is test_tune_forests.HINGE:
        assert learned["WT_q"] == 0.5
    else:
        assert 0 < learned["WT_q"] < 0.5
    assert learned["good"] > learned["bad"]
