"""What `isogloss tune` refuses before it learns anything, so that no hour of tuning is lost."""

from pathlib import Path

import pytest

from isogloss import program
from isogloss.tune.weights.weights import Weights

SENTENCES = 6
FEATSTAT = "FEATURES_TXT_BEGIN_0 0 1 1 LM0_0 \n-1.5 \nFEATURES_TXT_END_0\n"
SCORESTAT = "SCORES_TXT_BEGIN_0 0 1 9 BLEU\n1 1 0 0 0 0 0 0 1 \nSCORES_TXT_END_0\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    write_list("WT_x")
    Path("ref").write_text("a b c d\n" * SENTENCES)
    Path("FEATSTAT").write_text(FEATSTAT)
    Path("SCORESTAT").write_text(SCORESTAT)
    return tmp_path


def write_list(name: str) -> None:
    """A list whose good hypotheses have the feature of that name."""
    rows = [f"{k} ||| d ||| LM0= 1 ||| 0\n{k} ||| a b c d ||| LM0= 1 {name}= 1 ||| 0\n"
            for k in range(SENTENCES)]  # fmt: skip
    Path("list").write_text("".join(rows))


def refused(capsys: pytest.CaptureFixture[str], *arguments: str, status: int = 2) -> str:
    assert program.main(["tune", *arguments]) == status
    shown = capsys.readouterr().err
    assert "sentences" not in shown.split("isogloss tune: ")[0]  # nothing was begun
    assert not Path("w").exists()
    return shown


LISTS = ("list", "--refs", "ref", "--folds", "0", "--epochs", "2", "-o")


@pytest.mark.parametrize("name", ["WT_x~=", "#x", "{a_"])
def test_names_that_lines_cannot_hold(
    folder: Path, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    write_list(name)
    told = refused(capsys, *LISTS, "w", status=1)
    assert f"w: the name {name!r} cannot be written in text weights" in told
    assert "Write JSON (a file in .json), which accepts any name" in told
    assert program.main(["tune", *LISTS, "w.json"]) == 0
    assert Weights.load("w.json")[name] > 0


def test_held_out_files_of_the_extractor(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    extracted = ("FEATSTAT", "--score-files", "SCORESTAT")
    told = refused(capsys, *extracted, "--held-out", "FEATSTAT")
    assert "--held-out cannot be used with --score-files" in told


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["lp-mert", "--search", "exact", "--beam", "5"],
         "--beam cannot be used with --search exact; it needs --search beam"),
        (["lp-mert", "--search", "lazy", "--passes", "3"], "--passes cannot be used with"),
        (["lp-mert", "--search", "exact", "--tries", "3"], "--tries cannot be used with --search"),
        (["lp-mert", "--search", "exact", "--no-mert"], "--no-mert cannot be used with --search"),
        (["lp-mert", "--search", "exact", "--objective", "corpus"],
         "--objective cannot be used with --search exact"),
        (["lp-mert", "--cosine", "0"],
         "--cosine cannot be used with --search beam; it needs --search exact or lazy"),
        (["lp-mert", "--tied", "LM"], "--tied must be empty with --search beam"),
        (["lp-mert", "--max-checks", "9"], "--max-checks cannot be used with --search beam"),
        (["sgd", "--initial-precision", "1"],
         "--initial-precision cannot be used with --update sgd; it needs --update adagrad or arow"),
        (["arow", "--update", "sgd", "--initial-precision", "1"],
         "--initial-precision cannot be used with"),
        (["adagrad-pro", "--gain-scale", "2"],
         "--gain-scale cannot be used with --loss logistic; it needs --loss ramp"),
        (["perceptron", "--gain-scale", "2"], "--gain-scale cannot be used with --loss perceptron"),
        (["ramp", "--score-scale", "2"],
         "--score-scale cannot be used with --loss ramp; it needs --loss risk"),
        (["expected-bleu", "--pairs", "2"], "--pairs cannot be used with --loss risk; it needs"),
        (["adagrad-pro", "--oracle-document", "chiang"],
         "--oracle-document needs --optimizer mira"),
        (["hinge", "--oracle-document", "chiang"],
         "--oracle-document has no effect with --optimizer hinge"),
        (["risk", "--bleu-smoothing", "floor"], "--bleu-smoothing has no effect with --optimizer"),
        (["ramp", "--gamma", "2"], "--gamma cannot be used with --loss ramp"),
        (["ramp", "--threshold", "0"], "--threshold cannot be used with --loss ramp"),
        (["pro", "--bin-strength", "2"],
         "--bin-strength cannot be used with --bin-regularizer none; it needs --bin-regularizer"),
        (["pro", "--bin-regularizer", "linear", "--bin-sharpness", "2"],
         "--bin-sharpness cannot be used with --bin-regularizer linear; it needs"),
    ],
)  # fmt: skip
def test_options_that_would_do_nothing(
    folder: Path, options: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    told = refused(capsys, "list", "--refs", "ref", "-o", "w", "--optimizer", *options)
    assert message in told


def test_help_says_what_goes_together(capsys: pytest.CaptureFixture[str]) -> None:
    assert program.main(["tune", "--help-all"]) == 0
    told = " ".join(capsys.readouterr().out.split())
    assert "of the bin regularizer; for --bin-regularizer linear or monotone (default: 1.0)" in told
    assert "in the ramp loss; for --loss ramp (default: 1.0)" in told


@pytest.mark.parametrize("optimizer", ["pro", "risk", "adagrad-pro"])
def test_neighbors_of_lists_without_bins(
    folder: Path, optimizer: str, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ("tune", "list", "--refs", "ref", "--folds", "0", "-o", "w", "--optimizer", optimizer)
    assert program.main([*command, "--bin-regularizer", "monotone"]) == 2
    assert (
        "--bin-regularizer must be none without bins between two other bins, such as "
        "p_bin1:3 (`features --discretize`)"
    ) in capsys.readouterr().err
    assert not Path("w").exists()


# --decoder

DECODER = ("--decoder", "x.toml", "--dev", "ref", "--refs", "ref")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--score-files", "SCORESTAT"],
         "--score-files needs n-best lists and cannot be used with a decoder"),
        (["--held-out", "list"], "--held-out needs n-best lists"),
        (["--folds", "0"], "--folds needs --loop batch"),
        (["--optimizer", "mert", "--folds", "2"], "folds must be 0 (none) or at least 3, got 2"),
        (["--max-memory", "1G"], "--max-memory needs --loop batch"),
        (["--tmpdir", "."], "--tmpdir needs --loop batch"),
        (["--decoder-iterations", "3"], "--decoder-iterations needs --loop batch"),
        (["--decoder-retries", "3"], "--decoder-retries needs --decoder-command"),
        (["--optimizer", "pro", "--accumulate-nbest"], "--accumulate-nbest needs --loop online"),
        (["--no-deterministic"], "--staleness must be above 0 without --deterministic"),
        (["--resume"], "--resume needs --out DIR"),
        (["--held-out-dev", "ref"], "--held-out-dev SRC and --held-out-refs REF go together"),
        (["--held-out-refs", "ref"], "--held-out-dev SRC and --held-out-refs REF go together"),
        (["--optimizer", "mert", "--loop", "online"], "mert needs whole lists"),
        (["--decoder-command", "x {weights}"], "pass exactly one input"),
        (["--", "list"], "a decoder makes its own n-best lists; pass the text as --dev"),
    ],
)  # fmt: skip
def test_options_that_do_not_go_with_the_decoder(
    folder: Path, options: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert message in refused(capsys, *DECODER, *options)


@pytest.mark.parametrize("option", ["--dev", "--held-out-dev", "--decoder-timeout"])
def test_options_of_a_decoder_with_lists(
    folder: Path, option: str, capsys: pytest.CaptureFixture[str]
) -> None:
    told = refused(capsys, *LISTS, "w", option, "5")
    assert f"{option} needs --decoder or --decoder-command" in told


def test_a_command_that_lacks_something(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = ("--decoder-command", "x {weights}", "--dev", "ref", "--refs", "ref")
    assert "--decoder-command needs --dev SRC" in refused(capsys, *command[:2])
    assert "--decoder-command needs --refs REF" in refused(capsys, *command[:4])
    assert "--decoder-command needs --initial-weights FILE" in refused(capsys, *command)
    told = refused(capsys, *command, "-w", "w", "--loop", "online")
    assert "--decoder-command needs --loop batch; --loop online needs --decoder" in told


def test_names_of_a_table_that_lines_cannot_hold(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("table").write_text("a ||| a ||| 0.5 ||| 0-0 ||| 1 1 1 ||| WT_x~= 1 |||\n")
    unigrams = "-1\t<unk>\n-1\t<s>\n-1\t</s>\n"
    Path("lm").write_text(f"\\data\\\nngram 1=3\n\n\\1-grams:\n{unigrams}\n\\end\\\n")
    Path("x.toml").write_text('[decoder]\nphrase_table = "table"\nlanguage_model = "lm"\n')
    assert "the name 'WT_x~=' cannot be written" in refused(capsys, *DECODER, "-o", "w", status=1)
