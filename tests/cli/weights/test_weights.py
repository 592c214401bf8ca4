"""`isogloss weights`, `isogloss weights overlap` and the plots of tuning from outside."""

import json
from pathlib import Path

import pytest

from isogloss import program
from isogloss.tune.weights.weights import Weights

WEIGHTS = {
    "LM0": 0.5, "TM0.0": 1.0, "TM0.1": -1.0, "PT_a_the~program": 2.0, "PT_a_[/b]": -0.5,
    "PT_a_c": 0.25, "AL_a_b": -0.25, "AL_n_": 0.0,
}  # fmt: skip
OTHER = {"LM0": 0.5, "PT_a_the~program": -1.0, "PT_a_programme": 1.0, "AL_a_b": 0.0}
LIST = """\
0 ||| x ||| LM0= -1 TM0= 1 2 PT_a_c= 1 PT_n_n= 1 ||| 0
0 ||| y z ||| LM0= -2 TM0= 1 3 PT_n_n= 2 AL_a_b= 0 ||| 0
1 ||| z ||| LM0= -3 TM0= 0 1 ||| 0
1 ||| y ||| LM0= -1 TM0= 0 2 ||| 0
"""
INI = "# mine\n[feature]\nKENLM name=LM0\n[weight]\nUnknownWordPenalty0= 1\nLM0= 2\nTM0= 3 4\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Weights.from_dict(WEIGHTS).save(tmp_path / "a.json", keep_zeros=True)
    Weights.from_dict(OTHER).save(tmp_path / "b.json", keep_zeros=True)
    (tmp_path / "list").write_text(LIST)
    (tmp_path / "moses.ini").write_text(INI)
    (tmp_path / "a.en").write_text("the program Program\nprogram\n")
    (tmp_path / "a2.en").write_text("programme\n\n")
    (tmp_path / "b.en").write_text("programmes\n")
    return tmp_path


def run(*arguments: str, status: int = 0) -> None:
    assert program.main(list(arguments)) == status


# convert


@pytest.mark.parametrize(
    ("form", "lines", "warning"),
    [
        ("moses", ["LM0= 0.5", "TM0= 1.0 -1.0"],
         "warning: 5 sparse weights are omitted; pass --to moses-sparse to write sparse weights, "
         "or --ini to write both kinds"),
        ("moses-sparse", [f"{n} {v}" for n, v in WEIGHTS.items() if "_" in n],
         "warning: 3 dense weights are omitted; pass --to moses to write dense weights, or "
         "--ini to write both kinds"),
        ("cdec", [f"{n} {v}" for n, v in WEIGHTS.items()], ""),
        ("travatar", [f"{n}={v}" for n, v in WEIGHTS.items()], ""),
    ],
)  # fmt: skip
def test_convert(
    folder: Path,
    form: str,
    lines: list[str],
    warning: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    run("weights", "convert", "a.json", "--to", form)
    captured = capsys.readouterr()
    assert (lines, warning) == (captured.out.splitlines(), captured.err.strip())
    run("weights", "convert", "a.json", "--to", form, "-o", "out")
    assert captured.out == (folder / "out").read_text()


def test_convert_by_the_name_of_the_file(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run("weights", "convert", "a.json", "-o", "text.gz")
    run("weights", "convert", "text.gz", "-o", "again.json")
    assert (folder / "a.json").read_bytes() == (folder / "again.json").read_bytes()
    run("weights", "convert", "text.gz")
    assert (folder / "a.json").read_text() == capsys.readouterr().out


def test_convert_into_moses_ini(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run("weights", "convert", "a.json", "--ini", "moses.ini", "-o", "moses.ini")
    beside = folder.resolve() / "moses.ini.sparse-weights"
    expected = INI.replace("= 2", "= 0.5").replace("= 3 4", "= 1.0 -1.0")
    assert f"{expected}\n[weight-file]\n{beside}\n" == (folder / "moses.ini").read_text()
    assert WEIGHTS | {"UnknownWordPenalty0": 1.0} == Weights.load("moses.ini").as_dict(
        keep_zeros=True
    )
    shown = capsys.readouterr().err.splitlines()
    assert shown[0] == (
        "moses.ini: the weights of UnknownWordPenalty0 are unchanged, because a.json does not "
        "contain them"
    )
    assert f"sparse weights: {beside}" == shown[1]


def test_weights_of_our_decoder_into_moses_ini(folder: Path) -> None:
    scores = {"p(f|e)": 0.5, "lex(f|e)": 1.0, "p(e|f)": 1.5, "lex(e|f)": 2.0}
    weights = {"LM0": 0.25, **scores, "UnknownWordPenalty0": 1.0, "PT_a_b": 3.0}
    Weights.from_dict(weights).save(folder / "ours.json")
    ini = (
        "[feature]\nPhraseDictionaryMemory name=TM0 num-features=4 path=t\nKENLM name=LM0\n"
        "[weight]\nTM0= 1 1 1 1\nLM0= 2\n"
    )
    (folder / "ours.ini").write_text(ini)
    run("weights", "convert", "ours.json", "--ini", "ours.ini", "-o", "tuned.ini")
    expected = ini.replace("1 1 1 1", "0.5 1.0 1.5 2.0").replace("= 2\n", "= 0.25\n")
    assert (folder / "tuned.ini").read_text().startswith(expected)
    assert (folder / "tuned.ini.sparse-weights").read_text() == "TM0_PT_a_b 3.0\n"


@pytest.mark.parametrize(
    ("options", "status", "message"),
    [
        (["a.json", "--ini", "moses.ini"], 2, "--ini needs -o FILE"),
        (["a.json", "-o", "x.ini"], 2, "x.ini must contain models as well as weights. Pass --ini"),
        (["a.json", "--to", "moses", "-o", "x.ini"], 2, "or choose a name without .ini"),
        (
            ["a.json", "--ini", "moses.ini", "--to", "cdec", "-o", "x"],
            2,
            "cannot be used with --to cdec",
        ),
        (
            ["b.json", "--ini", "list", "-o", "x"],
            1,
            "list: the file has no weights; expected a section",
        ),
        (["list", "-o", "x"], 1, "list, line 1: the line '0 ||| x"),
        (["a.json", "--to", "phrasal"], 2, "invalid choice: 'phrasal'"),
    ],
)
def test_conversions_that_fail(
    folder: Path,
    options: list[str],
    status: int,
    message: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    run("weights", "convert", *options, status=status)
    assert message in capsys.readouterr().err
    assert not (folder / "x").exists()


# show


def test_show_features(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run("weights", "show", "a.json", "--top", "2", "--list", "list")
    assert capsys.readouterr().out.splitlines() == [
        "kind\ttemplate\tfeature\tweight\toccurrences",
        "positive\tPT\tPT_a_the~program\t2.0\t0",
        "positive\t(dense)\tTM0.0\t1.0\t2",
        "negative\t(dense)\tTM0.1\t-1.0\t4",
        "negative\tPT\tPT_a_[/b]\t-0.5\t0",
        "never fired\tPT\tPT_a_the~program\t2.0\t0",
        "never fired\tPT\tPT_a_[/b]\t-0.5\t0",
        "no weight\tPT\tPT_n_n\t\t2",
    ]


def test_show_templates(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run("weights", "show", "a.json", "--by-template", "--list", "list", "-o", "out")
    assert (folder / "out").read_text().splitlines() == [
        "template\tweights\tactive\tpositive\tnegative\tmass\tlargest\tsmallest\tnever_fired"
        "\tno_weight",
        "(dense)\t3\t3\t2\t1\t2.5\t1.0\t-1.0\t0\t0",
        "PT\t3\t3\t2\t1\t2.75\t2.0\t-0.5\t2\t1",
        "AL\t2\t1\t0\t1\t0.25\t0.0\t-0.25\t1\t0",
    ]
    run("weights", "show", "a.json", "--by-template", "--template", "al,dense", "--to", "json")
    shown = json.loads(capsys.readouterr().out)
    run("weights", "show", "a.json", "--by-template", "--template", "al,dense", "-o", "out.json")
    assert json.loads((folder / "out.json").read_text()) == shown
    assert ["(dense)", "AL"] == [row["template"] for row in shown["templates"]]
    names = ["LM0", "TM0.0", "TM0.1", "AL_a_b"]
    assert set(names) == {row["feature"] for row in shown["features"]}


def test_show_text(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Brackets in a name are no markup."""
    command = ["weights", "show", "a.json", "--template", "pt", "--to", "text", "--top", "1"]
    run(*command, "--list", "list")
    assert capsys.readouterr().out.splitlines() == [
        "template  weights  active  positive  negative  mass  largest  smallest  never fired  "
        "no weight",
        "PT              3       3         2         1  2.75        2      -0.5            2  "
        "        1",
        "", "positive          weight  hypotheses", "PT_a_the~program       2           0",
        "", "negative   weight  hypotheses", "PT_a_[/b]    -0.5           0",
        "", "never fired       weight  hypotheses", "PT_a_the~program       2           0",
        "", "no weight  weight  hypotheses", "PT_n_n          -           2",
    ]  # fmt: skip
    run(*command, "--by-template")
    assert "\npositive, PT      weight\nPT_a_the~program       2\n" in capsys.readouterr().out


def test_show_nothing(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "none").write_text("")
    for form, expected in (("tsv", ""), ("text", "template\n")):
        run("weights", "show", "none", "--to", form)
        assert expected == capsys.readouterr().out
    run("weights", "show", "none", "--template", "pt", status=2)
    assert "there is no feature of the template 'pt'; templates are none" in capsys.readouterr().err


# overlap


def test_overlap(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run("weights", "overlap", "a.json", "b.json")
    assert capsys.readouterr().out.splitlines() == [
        "a\tb\ttemplate\tin_a\tin_b\tin_both\tjaccard",
        "a.json\tb.json\t(dense)\t3\t1\t1\t0.333333",
        "a.json\tb.json\tAL\t1\t0\t0\t0.0",
        "a.json\tb.json\tPT\t3\t2\t1\t0.25",
        "a.json\tb.json\t(sparse)\t4\t2\t1\t0.2",
    ]
    run("weights", "overlap", "a.json", "b.json", "a.json", "--template", "pt", "--to", "json")
    shown = json.loads(capsys.readouterr().out)
    pairs = [(row["a"], row["b"], row["in_both"], row["jaccard"]) for row in shown]
    assert pairs == [
        ("a.json", "b.json", 1, 0.25), ("a.json", "a.json", 3, 1.0), ("b.json", "a.json", 1, 0.25)
    ]  # fmt: skip
    run("weights", "overlap", "a.json", "b.json", "--template", "pt", "--to", "text")
    assert capsys.readouterr().out.splitlines() == [
        "A = a.json, B = b.json",
        "template  |A|  |B|  |A and B|  Jaccard",
        "pt          3    2          1   0.2500",
    ]


def test_spelling_contrast(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = ["weights", "overlap", "a.json", "b.json", "--contrast", "program,programme"]
    run(*command, "--contrast-text", "a.en,a2.en", "b.en", "--lowercase")
    assert capsys.readouterr().out.splitlines() == [
        "weights\tword\ttokens\trules",
        "a.json\tprogram\t3\t1",
        "a.json\tprogramme\t1\t0",
        "b.json\tprogram\t0\t1",
        "b.json\tprogramme\t0\t1",
    ]
    run(*command, "--to", "text")
    assert capsys.readouterr().out.splitlines()[:2] == [
        "weights       word  rules",
        "a.json     program      1",
    ]


def test_rules_of_moses(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Weights.from_dict({"PP_a~b~~program": 1.0, "PP_program~~x": 1.0}).save("moses")
    run("weights", "overlap", "moses", "moses", "--contrast", "program,x", "--to", "json")
    assert [1, 1, 1, 1] == [row["rules"] for row in json.loads(capsys.readouterr().out)]


@pytest.mark.parametrize(
    ("options", "status", "message"),
    [
        (["a.json"], 2, "only one weight file is given; pass at least two"),
        (["a.json", "b.json", "--contrast-text", "a.en", "b.en"], 2,
            "--contrast-text needs --contrast"
        ),
        (["a.json", "b.json", "--contrast", "x"], 2,
            "--contrast must be two or more words, A,B, got 'x'"
        ),
        (["a.json", "b.json", "--contrast", "x,y", "--contrast-text", "a.en"], 2,
         "--contrast-text has 1 value for 2 weight files; pass one for each"),
        (["a.json", "b.json", "--template", "lo"], 2, "there is no feature of the template 'lo';"),
        (["a.json", "list"], 1, "list, line 1: the line '0 ||| x"),
    ],
)  # fmt: skip
def test_overlaps_that_fail(
    folder: Path,
    options: list[str],
    status: int,
    message: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    run("weights", "overlap", *options, status=status)
    assert message in capsys.readouterr().err


# plots


@pytest.fixture
def plots(folder: Path) -> Path:
    pytest.importorskip("matplotlib", reason="plots need Matplotlib")
    for name in ("run1", "run2"):
        (folder / name).mkdir()
        lines = [
            {"run": 1, "fold": None, "number": k, "loss": 1.0, "score": 20.0 + k, "active": k,
             "held_out": None} for k in range(3)
        ]  # fmt: skip
        text = "".join(f"{json.dumps(line)}\n" for line in lines)
        (folder / name / "epochs.jsonl").write_text(text)
        Weights.from_dict(WEIGHTS).save(folder / name / "weights.json", keep_zeros=True)
    (folder / "ref").write_text("y z y z\nz y z\n")
    return folder


@pytest.mark.parametrize(
    ("arguments", "message", "labels"),
    [
        (["tuning", "run1", "run2/epochs.jsonl"], "2 trainings, 6 epochs", ["run1", "epoch"]),
        (["tuning", "x=run1", "y=run2", "--title", "T", "--size", "5x4", "--font-size", "7"],
         "2 trainings, 6 epochs", ["x", "y", "T"]),
        (["surface", "list", "--refs", "ref", "--weights", "a.json", "--feature", "LM0"],
         "intervals; bleu ", ["LM0", "bleu"]),
        (["surface", "list", "--refs", "ref", "--weights", "a.json", "--feature", "LM0",
          "--metric", "WER"], "intervals; wer ", ["LM0", "wer"]),
        (["surface", "list", "--refs", "ref", "--weights", "a.json", "--feature", "LM0",
          "--range=-1:2"], "intervals; bleu ", ["LM0", "bleu"]),
        (["l1-path", "0.5=b.json", "0.01=run1", "0=a.json"],
         "7 active features at 0, 3 at 0.5", ["PT_a_the~program", "strength of L1"]),
    ],
)  # fmt: skip
def test_plots(
    plots: Path,
    arguments: list[str],
    message: str,
    labels: list[str],
    capsys: pytest.CaptureFixture[str],
) -> None:
    for name in ("a.svg", "b.svg"):
        run("plot", *arguments, "-o", name)
        assert message in capsys.readouterr().err
    text = (plots / "a.svg").read_text(encoding="utf-8")
    assert text == (plots / "b.svg").read_text(encoding="utf-8")
    assert [] == [label for label in labels if f">{label}<" not in text]


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        (["tuning", "run1", "run1"], 2, "run1 is given twice"),
        (["tuning", "x=run1", "x=run2"], 2, "x is given twice"),
        (["tuning", "=run1"], 2, "run '=run1' is malformed; expected RUN or NAME=RUN"),
        (["tuning", "run1", "--size", "5"], 2,
            "--size must be WIDTHxHEIGHT in inches, each between 1 and 100, such as 6.4x4, got '5'"
        ),
        (["tuning", "run1", "--size", "0.5x4"], 2,
            "--size must be WIDTHxHEIGHT in inches, each between 1 and 100, such as 6.4x4, got "
            "'0.5x4'"
        ),
        (["tuning", "run1", "--font", "x y"], 2, "font must be an installed family"),
        (["tuning", "list"], 1, "list, line 1: the epoch is malformed"),
        (["tuning", "run1", "-o", "x.gif"], 2, "must end in .png, .svg, .pdf, got x.gif"),
        (["surface", "list", "--refs", "ref", "--weights", "a.json", "--feature", "x"], 2,
         "the lists have no feature 'x'; the features are LM0, TM0.0, TM0.1, ..."),
        (["surface", "list", "--refs", "ref", "--weights", "a.json", "--feature", "LM0",
          "--range", "2:1"], 2, "--range must be LOW:HIGH, got '2:1'"),
        (["surface", "list", "--refs", "ref", "--weights", "a.json", "--feature", "LM0",
          "--range", "2"], 2, "--range must be LOW:HIGH, got '2'"),
        (["l1-path", "a.json", "b.json"], 2,
            "'a.json' is malformed; expected LAMBDA=WEIGHTS, such as 0.001="
        ),
        (["l1-path", "nan=a.json", "1=b.json"], 2,
            "'nan=a.json' is malformed; expected LAMBDA=WEIGHTS"
        ),
        (["l1-path", "1=a.json", "1.0=b.json"], 2, "strength 1 is given twice"),
        (["l1-path", "1=a.json"], 2, "two or more different strengths of L1"),
        (["l1-path", "1=none", "2=none"], 1, "the files have no weights; expected weights of"),
    ],
)  # fmt: skip
def test_plots_that_fail(
    plots: Path,
    arguments: list[str],
    status: int,
    message: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    (plots / "none").write_text("")
    output = [] if "-o" in arguments else ["-o", "x.svg"]
    run("plot", *arguments, *output, status=status)
    assert message in capsys.readouterr().err
    assert not list(plots.glob("x.*"))


def test_common_options_on_either_side(plots: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for command in (["plot", "-q", "tuning", "run1"], ["plot", "tuning", "run1", "-q"]):
        run(*command, "-o", "a.svg")
        assert "" == capsys.readouterr().err
