"""What bins weigh where weights are those of the scores that they stand for."""

from pathlib import Path

import pytest

from isogloss import program
from isogloss.runs.decoder_config import read_decoder_config
from isogloss.tune.weights.weights import Weights

from .test_decoder_loops import made_in, make


@pytest.fixture
def work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return made_in(tmp_path / "work", make, monkeypatch)


DECODE = ("--threads", "1", "-q", "-o", "out")


def discretized(*options: str) -> None:
    """Make the tables bins.gz: of p(f|e) and p(e|f), with further options."""
    specs = ["--discretize", "p(f|e):4", "--discretize", "p(e|f):1"]
    assert program.main(["features", "table", "-o", "bins.gz", *specs, *options, "-q"]) == 0


def listed(*options: str, models: tuple[str, ...] = ("--lm", "lm")) -> str:
    """The n-best lists of a decoder."""
    assert program.main(["decode", *DECODE, *models, *options, "--n-best", "list:9"]) == 0
    return Path("list").read_text()


def test_what_is_made_of_a_table_has_its_bins(work: Path) -> None:
    """Saved models, pruned rules and further features: all begin with the same weights."""
    discretized()
    expected = listed("dev", "--phrase-table", "bins.gz")
    assert expected != listed("dev", "--phrase-table", "table")
    assert listed("-i", "dev", "--phrase-table", "bins.gz", "--save", "saved") == expected
    assert listed("dev", "--phrase-table", "saved", models=()) == expected
    assert (
        program.main(
            ["prune", "bins.gz", "-o", "pruned", "-n", "1000", "--rank-by", "lex(e|f)", "-q"]
        )
        == 0
    )
    assert listed("dev", "--phrase-table", "pruned") == expected
    assert program.main(["features", "bins.gz", "-o", "more", "--add", "pt", "-q"]) == 0
    assert scores_of(listed("dev", "--phrase-table", "more")) == scores_of(expected)


def test_saved_models_hold_the_bins(work: Path) -> None:
    """In their folder, wherever that goes; a file of another table stays as it is."""
    discretized()
    expected = listed("dev", "--phrase-table", "bins.gz")
    Path("saved.bins.json").write_text("{}")
    save = ["decode", "--lm", "lm", "-q", "--phrase-table"]
    assert program.main([*save, "bins.gz", "--save", "saved"]) == 0
    assert Path("saved/bins.json").read_text() == Path("bins.bins.json").read_text()
    Path("saved").rename("moved")
    assert listed("dev", "--phrase-table", "moved", models=()) == expected
    assert program.main(["decode", "-q", "--phrase-table", "moved", "--save", "again"]) == 0
    assert listed("dev", "--phrase-table", "again", models=()) == expected
    assert program.main([*save, "table", "--save", "moved", "--overwrite"]) == 0
    assert not Path("moved/bins.json").exists()
    assert Path("saved.bins.json").read_text() == "{}"


def test_the_bins_of_another_table_stay(work: Path, capsys: pytest.CaptureFixture) -> None:
    """Of one that is called the same but for how it is compressed, and of one that is linked."""
    keep = ["features", "table", "--discretize", "p(f|e):1:keep", "-q", "-o"]
    assert program.main([*keep, "both.gz"]) == 0
    stored = Path("both.bins.json").read_text()
    other = ["features", "table", "--discretize", "p(f|e):2:keep", "-q", "-o", "both"]
    for command in (["prune", "table", "-n", "1", "-q", "-o", "both"], other):
        assert program.main(command) == 1
        assert (
            "both: both.bins.json belongs to both.gz, whose bins differ. Choose"
            in capsys.readouterr().err
        )
    assert program.main([*keep, "both"]) == 0
    Path("out.bins.json").symlink_to("both.bins.json")
    assert program.main(["prune", "table", "-n", "1", "-q", "-o", "out.gz"]) == 0
    assert not Path("out.bins.json").is_symlink()
    assert Path("both.bins.json").read_text() == stored


@pytest.mark.parametrize(
    "command",
    [
        ["features", "table", "--add", "pt"],
        ["prune", "table", "-n", "1"],
        ["extract", "dev", "ref", "links"],
        ["extract", "dev", "ref", "links", "--add", "pt"],
    ],
)
def test_a_table_without_bins_takes_older_ones_away(work: Path, command: list[str]) -> None:
    """They say nothing of its rules, and would go on to what is made of it."""
    discretized()
    Path("links").write_text("0-0\n" * 6)
    assert Path("bins.bins.json").exists()
    assert program.main([*command, "-o", "bins.gz", "-q"]) == 0
    assert {file.name for file in Path().glob("bins*")} == {"bins.gz", "bins.columns.json"}


def test_bins_that_nothing_is_asked_of_may_be_damaged(
    work: Path, capsys: pytest.CaptureFixture
) -> None:
    discretized()
    Path("bins.bins.json").write_text("{}")
    Weights.from_dict({"p(f|e)": 0.9}).save("own.json")
    assert program.main(["prune", "bins.gz", "--min-count", "1", "-o", "pruned", "-q"]) == 0
    assert Path("pruned.bins.json").read_text() == "{}\n"
    assert program.main(["features", "bins.gz", "--add", "pt", "-o", "-", "-q"]) == 0
    capsys.readouterr()
    prune = ["prune", "bins.gz", "-n", "1", "--weights", "own.json", "-o", "more", "-q"]
    assert program.main(prune) == 1
    assert "bins.bins.json: the JSON does not describe bins (the key" in capsys.readouterr().err
    assert not Path("more").exists()


def test_weights_of_scores_whose_bins_are_not_known_are_told(
    work: Path, capsys: pytest.CaptureFixture
) -> None:
    discretized("--count-features", "RuleCount", "--discretize", "RuleCount:1")
    stored = Path("bins.bins.json").read_bytes()
    Path("bins.bins.json").unlink()
    given = {"p(f|e)": 0.9, "p(e|f)": 0.0, "lex(f|e)": 0.2, "RuleCount": 0.1, "LM0": 1.0}
    Weights.from_dict(given).save("own.json")
    prune = ["prune", "bins.gz", "-n", "1", "--weights", "own.json", "-o", "pruned", "-q"]
    assert program.main(prune) == 0
    said = capsys.readouterr().err
    assert "own.json has weights for p(f|e), RuleCount, which bins.gz has only as bins;" in said
    assert "put its file of bins next to it, as bins.bins.json" in said
    Path("bins.bins.json").write_bytes(stored)
    assert program.main(prune) == 0
    assert not capsys.readouterr().err


def test_rules_are_pruned_by_what_their_bins_weigh(work: Path) -> None:
    """As by the scores themselves, where each value has a bin of its own."""
    discretized()
    Weights.from_dict({"p(f|e)": 0.9, "lex(f|e)": 0.2, "p(e|f)": 0.1}).save("own.json")
    kept = []
    for table in ("table", "bins.gz"):
        prune = ["prune", table, "-n", "1", "--weights", "own.json", "-o", "pruned", "-q"]
        assert program.main(prune) == 0
        lines = Path("pruned").read_text().splitlines()
        kept.append([line.split(" ||| ")[:2] for line in lines])
    assert kept[0] == kept[1]


def test_bins_are_among_what_a_run_was_made_of(work: Path) -> None:
    discretized()
    Path("bins.toml").write_text('[decoder]\nphrase_table = "bins.gz"\nlanguage_model = "lm"\n')
    assert [file.name for file in read_decoder_config("bins.toml").files] == [
        "bins.gz", "bins.columns.json", "bins.bins.json", "lm",
    ]  # fmt: skip


def test_bins_that_have_weights_need_no_file(work: Path, capsys: pytest.CaptureFixture) -> None:
    discretized()
    names = listed("dev", "--phrase-table", "bins.gz").split(" ||| ")[2].split()[::2]
    weights = dict.fromkeys((name.removesuffix("=") for name in names), 0.1)
    Weights.from_dict(weights).save("tuned.json")
    Path("bins.bins.json").write_text('{"format": "isogloss bins", "version": 99, "scores": []}')
    listed("dev", "--phrase-table", "bins.gz", "--weights", "tuned.json")
    Weights.from_dict({"p(f|e)": 0.9}).save("dense.json")
    decode = ["decode", "dev", *DECODE, "--phrase-table", "bins.gz", "--lm", "lm"]
    assert program.main([*decode, "--weights", "dense.json"]) == 1
    assert "bins.bins.json: the bins have version 99; expected version" in capsys.readouterr().err


def test_bins_are_exported_however_few_features_are_named(work: Path) -> None:
    discretized("--add", "pt", "--feature-limit", "1", "--export", "start", "--lm", "lm")
    expected = listed("dev", "--phrase-table", "bins.gz")
    found = listed("dev", "-f", "start/moses.ini", "-s", "100", "-b", "0", models=())
    assert scores_of(found) == pytest.approx(scores_of(expected), abs=1e-4)


def scores_of(lists: str) -> list[float]:
    """The total of each hypothesis."""
    return [float(line.split(" ||| ")[3]) for line in lists.splitlines()]


def test_bins_begin_with_the_weight_of_their_score(work: Path) -> None:
    """Where each value is a bin of its own all scores are the same, by any weights."""
    options = ["--discretize", "p(f|e):4", "--discretize", "p(e|f):1"]
    assert program.main(["features", "table", "-o", "bins.gz", *options, "-q"]) == 0
    models = ("--lm", "lm", "--threads", "1", "-q")
    given = Weights.from_dict({"LM0": 1.0, "p(f|e)": -0.3, "lex(f|e)": 0.1, "p(e|f)": 0.1})
    given.save("own.json")
    lists = []
    for table in ("table", "bins.gz"):
        for weights in ([], ["--weights", "own.json"]):
            output = f"{len(lists)}.list"
            decode = ["decode", "dev", "--phrase-table", table, *models, *weights]
            assert program.main([*decode, "-o", "out", "--n-best", f"{output}:9"]) == 0
            hypotheses = [line.split(" ||| ") for line in Path(output).read_text().splitlines()]
            lists.append([float(fields[3].split()[0]) for fields in hypotheses])
    assert lists[0] == pytest.approx(lists[2], abs=1e-3)
    assert lists[1] == pytest.approx(lists[3], abs=1e-3)
    assert lists[0] != lists[1]
