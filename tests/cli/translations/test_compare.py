"""score and compare from outside."""

import json
import re
from pathlib import Path

import numpy as np
import pytest
import sacrebleu

from isogloss import program
from isogloss.align.errors import DataError, UsageError
from isogloss.commands.translations.compare import parse_system
from isogloss.commands.translations.comparison.formats import COMPARISON_FORMATS, format_comparison
from isogloss.commands.translations.comparison.systems import (
    ComparedSystem,
    Comparison,
    MetricComparison,
    System,
)
from isogloss.tune.significance import BootstrapTest, RandomizationTest, SystemScore


def noisy(change: float, seed: int, extra: int = 0) -> list[str]:
    """Forty sentences, a share of whose words is changed; the same ones for change = 0."""
    rng, noise = np.random.default_rng(1), np.random.default_rng(seed)
    lines = []
    for _ in range(40 + extra):
        words = rng.integers(40, size=rng.integers(5, 12))
        wrong = noise.random(len(words)) < change
        lines.append(" ".join(f"w{word}" for word in np.where(wrong, 99, words).tolist()))
    return lines


def write(path: Path, lines: list[str]) -> str:
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return str(path)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """ref, a worse base and its second run, a better new and its second run."""
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "ref", noisy(0, 0))
    for name, change, seed in (
        ("base.txt", 0.4, 2), ("base2.txt", 0.42, 3), ("new.txt", 0.2, 4), ("new2.txt", 0.22, 5),
    ):  # fmt: skip
        write(tmp_path / name, noisy(change, seed))
    return tmp_path


def run(capsys, *arguments, status=0):
    assert program.main([*arguments]) == status
    captured = capsys.readouterr()
    return captured.err if status else captured.out


def bleu_of(path):
    lines = Path(path).read_text("utf-8").splitlines()
    return sacrebleu.BLEU(tokenize="none").corpus_score(lines, [noisy(0, 0)])


def test_score(folder, capsys):
    out = run(capsys, "score", "base.txt", "--refs", "ref", "--metric", "bleu,chrf,ter")
    rows = [line.split("\t") for line in out.splitlines()]
    expected = bleu_of("base.txt").score
    assert [row[0] for row in rows] == ["bleu", "chrf", "ter"]
    assert rows[0][1] == f"{expected:.2f}"
    assert all("nrefs:1|" in row[2] and "version:" in row[2] for row in rows)
    result = json.loads(run(capsys, "score", "base.txt", "--refs", "ref", "ref", "--json"))
    assert result["sentences"] == 40
    assert list(result["metrics"]) == ["bleu"]
    assert result["metrics"]["bleu"]["score"] == pytest.approx(expected)
    assert result["metrics"]["bleu"]["signature"].startswith("nrefs:2|")


def test_score_counts_edits(folder, capsys):
    write(folder / "hyp", ["a b c", "", "x y z"])
    write(folder / "other", ["a c", "d", "x b z"])
    out = run(capsys, "score", "hyp", "--refs", "other", "--metric", "WER,wer")
    assert [line.split("\t") for line in out.splitlines()] == [
        ["wer", "50.00", "metric:wer|nrefs:1|case:mixed|tok:none|by:isogloss"],
        ["wer edits", "3", "insertions:1|deletions:1|substitutions:1|reference_length:6"],
    ]
    result = json.loads(run(capsys, "score", "hyp", "--refs", "other", "--metric", "wer", "--json"))
    assert result["metrics"]["wer"] == {
        "score": 50.0, "signature": "metric:wer|nrefs:1|case:mixed|tok:none|by:isogloss",
        "insertions": 1, "deletions": 1, "substitutions": 1, "reference_length": 6,
    }  # fmt: skip


def compared(capsys, *arguments):
    return json.loads(run(capsys, "compare", *arguments, "--refs", "ref", "--to", "json"))


def test_compare_two_systems(folder, capsys):
    result = compared(capsys, "base.txt", "new.txt", "--metric", "bleu,wer", "--trials", "500")
    assert (result["sentences"], result["trials"], result["seed"]) == (40, 500, 1)
    assert result["references"] == ["ref"]
    bleu, wer = result["metrics"]
    assert (bleu["metric"], bleu["higher_is_better"]) == ("bleu", True)
    assert (wer["metric"], wer["higher_is_better"]) == ("wer", False)
    assert "tok:none" in bleu["signature"]
    base, new = bleu["systems"]
    assert (base["name"], base["files"]) == ("base", ["base.txt"])
    assert (base["bootstrap"], base["randomization"]) == (None, None)
    for system, file in ((base, "base.txt"), (new, "new.txt")):
        assert system["score"]["runs"] == pytest.approx([bleu_of(file).score])
        assert system["score"]["optimizer_deviation"] is None
        low, high = system["score"]["interval"]
        assert low < system["score"]["mean"] < high
    difference = new["score"]["mean"] - base["score"]["mean"]
    for test in ("bootstrap", "randomization"):
        assert new[test]["difference"] == pytest.approx(difference, abs=1e-6)
        assert new[test]["p_value"] == pytest.approx(1 / 501)
        assert wer["systems"][1][test]["difference"] < 0
    assert (new["bootstrap"]["wins"], wer["systems"][1]["bootstrap"]["wins"]) == (1.0, 1.0)


def test_compare_runs(folder, capsys):
    result = compared(capsys, "old=base.txt,base2.txt", "new=new.txt,new2.txt", "--trials", "200")
    base, new = result["metrics"][0]["systems"]
    assert (base["name"], new["name"]) == ("old", "new")
    scores = [bleu_of("new.txt").score, bleu_of("new2.txt").score]
    assert new["score"]["runs"] == pytest.approx(scores)
    assert new["score"]["mean"] == pytest.approx(np.mean(scores))
    assert new["score"]["optimizer_deviation"] == pytest.approx(np.std(scores, ddof=1), rel=1e-6)
    swapped = compared(capsys, "old=base.txt,base2.txt", "new=new2.txt,new.txt", "--trials", "200")
    other = swapped["metrics"][0]["systems"][1]
    assert other["bootstrap"] == new["bootstrap"]
    assert other["score"]["runs"] == new["score"]["runs"][::-1]


def test_same_seed_same_bytes(folder, capsys):
    command = ["compare", "base.txt", "base2.txt", "--refs", "ref", "--to", "json"]
    first = run(capsys, *command, "--trials", "99")
    assert first == run(capsys, *command, "--trials", "99", "--threads", "1")
    assert first != run(capsys, *command, "--trials", "99", "--seed", "2")


@pytest.mark.parametrize("command", ["score links --refs ref", "compare base.txt links --refs ref"])
def test_word_links_are_no_translations(folder, capsys, command):
    write(folder / "links", ["", *["0-0 1-2:0.5 3p3"] * 39])
    assert program.main(command.split()) == 1
    told = (
        "links: the file contains word links; expected translations. `isogloss evaluate LINKS GOLD`"
    )
    assert told in capsys.readouterr().err


def test_an_output_against_itself(folder, capsys):
    result = compared(capsys, "a=base.txt", "b=base.txt", "--trials", "99")
    other = result["metrics"][0]["systems"][1]
    assert other["randomization"] == {"difference": 0.0, "p_value": 1.0}
    assert (other["bootstrap"]["p_value"], other["bootstrap"]["wins"]) == (1.0, 0.5)


@pytest.mark.parametrize("test", ["bootstrap", "randomization"])
def test_one_test(folder, capsys, test):
    result = compared(capsys, "base.txt", "new.txt", "--test", test, "--trials", "99")
    system = result["metrics"][0]["systems"][1]
    others = {"bootstrap", "randomization"} - {test}
    assert system[test] is not None
    assert [system[other] for other in others] == [None]
    shown = run(capsys, "compare", "base.txt", "new.txt", "--refs", "ref", "--test", test)
    assert f"p {test}" in shown
    assert f"p {others.pop()}" not in shown


def test_text(folder, capsys):
    command = ["compare", "base.txt", "new.txt", "--refs", "ref"]
    lines = run(capsys, *command, "--trials", "100").splitlines()
    assert lines[0] == "bleu, higher is better"
    assert lines[1].split("  ")[0] == "system"
    assert lines[2].split()[:2] == ["base", f"{bleu_of('base.txt').score:.2f}"]
    assert lines[3].split()[-2:] == ["0.0099", "0.0099"]
    assert lines[4].startswith("signature: nrefs:1|case:mixed|")
    assert re.fullmatch(
        r"new is significantly better than base: \+\d+\.\d+, p 0.0099 and 0.0099", lines[5]
    )
    assert "p bootstrap: paired bootstrap resampling (Koehn 2004), centered" in lines
    assert lines[-2] == "significantly better or worse: p at most 0.05 in every test"
    assert lines[-1] == "40 sentences, 100 trials, seed 1"
    shown = run(capsys, *command, "--trials", "20000")
    assert shown.splitlines()[3].split()[-2:] == ["<0.0001", "<0.0001"]


@pytest.mark.parametrize("form", ["text", "markdown", "latex"])
def test_verdicts(folder, capsys, form):
    systems = ["base=new.txt", "new=base.txt", "same=new.txt"]
    command = ["compare", *systems, "--refs", "ref", "--to", form, "--metric", "wer,bleu"]
    lines = run(capsys, *command).splitlines()
    verdicts = [line.lstrip("-% ") for line in lines if ", p " in line]
    assert [verdict.partition(":")[0] for verdict in verdicts] == [
        "new is significantly worse than base",
        "same and base do not differ significantly",
    ] * 2


def test_tests_that_do_not_agree(folder):
    tests = BootstrapTest(0.5, 0.04, 0.9, (0.1, 0.9)), RandomizationTest(0.5, 0.06)
    score = SystemScore(np.array([9.0]), 9.0, None, 0.1, (8.0, 10.0))
    systems = (
        ComparedSystem("old", ("a",), score, None, None, None),
        ComparedSystem("new", ("b",), score, *tests, "unclear"),
    )
    compared = MetricComparison("bleu", "tok:none", True, systems)
    lines = [*format_comparison(Comparison(("r",), 9, 99, 1, (compared,)), "text")]
    assert "the tests disagree on new and old: +0.50, p 0.0400 and 0.0600" in lines


def test_the_bootstrap_of_sacrebleu(folder, capsys):
    test = "sacrebleu-bootstrap"
    result = compared(capsys, "base.txt", "base2.txt", "--test", test, "--trials", "999")
    system = result["metrics"][0]["systems"][1]
    centered = compared(capsys, "base.txt", "base2.txt", "--trials", "999")
    other = centered["metrics"][0]["systems"][1]
    assert system["randomization"] is None
    assert (system["bootstrap"]["kind"], other["bootstrap"]["kind"]) == ("sacrebleu", "centered")
    assert system["bootstrap"]["p_value"] < other["bootstrap"]["p_value"]
    shown = run(capsys, "compare", "base.txt", "base2.txt", "--refs", "ref", "--test", test)
    assert "p bootstrap: paired bootstrap resampling (Koehn 2004), sacrebleu's formula" in shown


def test_markdown(folder, capsys):
    lines = run(capsys, "compare", "a|b=base.txt,base2.txt", "new=new.txt,new2.txt", "--refs",
                "ref", "--to", "markdown").splitlines()  # fmt: skip
    assert lines[0].startswith("**bleu, higher is better** (`nrefs:1|")
    header, rule, first, second = lines[2:6]
    assert header.startswith("| system | runs | bleu | s_opt | s_sel | 95% CI | difference |")
    assert rule == "|---|" + "---:|" * (header.count("|") - 2)
    assert first.startswith("| a\\|b | 2 | ")
    assert second.count(" | ") == header.count(" | ")
    assert any(line.startswith("- s_opt: standard deviation over the runs") for line in lines)
    assert "- s_sel: standard deviation across resamples, averaged over runs" in lines
    assert "| 95% CI of difference |" in header


def test_latex(folder, capsys):
    out = run(capsys, "compare", "a_b=base.txt", "50%=new.txt", "--refs", "ref", "--to",
              "latex", "--metric", "bleu,chrf").splitlines()  # fmt: skip
    assert sum(line.startswith(r"\begin{tabular}{lr") for line in out) == 2
    header = next(line for line in out if line.startswith("system"))
    assert header.startswith(r"system & bleu & s\_sel & 95\% CI & difference & ")
    rows = [line for line in out if line.startswith((r"a\_b &", r"50\% &"))]
    assert len(rows) == 4
    assert all(row.endswith(r" \\") and row.count("&") == 7 for row in rows)
    assert "& $+" in rows[1]
    assert "& [$+" in rows[1]
    assert rows[1].endswith(r"$<0.0001$ & $<0.0001$ \\") or r"0.0001 \\" in rows[1]


def test_to_a_file(folder, capsys):
    command = ["compare", "base.txt", "new.txt", "--refs", "ref", "--to", "markdown"]
    shown = run(capsys, *command)
    assert run(capsys, *command, "-o", "out.md") == ""
    assert Path("out.md").read_text("utf-8") == shown


def test_every_format_has_the_signature(folder, capsys):
    for form in COMPARISON_FORMATS:
        out = run(capsys, "compare", "base.txt", "new.txt", "--refs", "ref", "--to", form)
        assert "nrefs:1|case:mixed|eff:no|tok:none|smooth:exp|version:" in out


def test_lowercase_and_empty_translations(folder, capsys):
    write(folder / "upper", [line.upper() for line in noisy(0.2, 4)])
    write(folder / "gaps", ["", *noisy(0.2, 4)[1:]])
    result = compared(capsys, "new.txt", "upper", "gaps", "--lowercase", "--trials", "50")
    plain, upper, gaps = [system["score"]["mean"] for system in result["metrics"][0]["systems"]]
    assert plain == upper
    assert 0 < gaps < plain


def test_where_systems_come_from(folder):
    (folder / "runs").mkdir()
    for name in ("b", "a", ".hidden"):
        write(folder / "runs" / name, ["x"])
    write(folder / "c=d", ["x"])
    write(folder / "e,f", ["x"])
    assert parse_system("base.txt") == System("base", ("base.txt",))
    assert parse_system("runs") == System("runs", ("runs/a", "runs/b"))
    assert parse_system("s=runs") == System("s", ("runs/a", "runs/b"))
    assert parse_system("s=runs,base.txt") == System("s", ("runs/a", "runs/b", "base.txt"))
    assert parse_system("new*.txt").files == ("new.txt", "new2.txt")
    assert parse_system("n=new*.txt") == System("n", ("new.txt", "new2.txt"))
    assert parse_system("c=d") == System("c=d", ("c=d",))
    assert parse_system("n=e,f") == System("n", ("e,f",))
    assert parse_system("n=nowhere") == System("n", ("nowhere",))
    assert parse_system("base.txt,new.txt") == System("base", ("base.txt", "new.txt"))


@pytest.mark.parametrize("argument", ["=base.txt", "n=", "n=a,,b", "a,"])
def test_no_system(folder, argument):
    with pytest.raises(UsageError, match="expected FILE or NAME=FILE,FILE"):
        parse_system(argument)


def test_folder_and_pattern_without_files(folder):
    (folder / "empty").mkdir()
    with pytest.raises(
        DataError, match="empty: the folder has no files; expected one file per run"
    ):
        parse_system("empty")
    with pytest.raises(DataError, match=r"no file matches 'nothing\*'; expected one file per run"):
        parse_system("n=nothing*")


def test_names_that_are_shared(folder, capsys):
    (folder / "other").mkdir()
    write(folder / "other" / "base.txt", noisy(0.3, 9))
    result = compared(capsys, "base.txt", "other/base.txt", "--trials", "9")
    names = [system["name"] for system in result["metrics"][0]["systems"]]
    assert names == ["base.txt", "other/base.txt"]
    message = run(capsys, "compare", "base.txt", "base.txt", "--refs", "ref", status=2)
    assert "two systems are named 'base.txt'; pass them as NAME=FILE" in message


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        (["base.txt"], 2, "only one system is given, base.txt; pass a baseline"),
        (["base.txt", "nowhere"], 1, "nowhere cannot be read: No such file or directory"),
        (["base.txt", "short"], 1, "short: the file has 39 translations, but ref has 40 lines"),
        (["base.txt", "nothing"], 1,
            "nothing: the file is empty; expected one translation per line"
        ),
        (["base.txt", "new.txt", "--metric", "bleu,meteor"], 2, "--metric must be one of"),
        (["base.txt", "new.txt", "--metric", ""], 2, "metric must be one of bleu"),
        (["base.txt", "new.txt", "--metric", "foo"], 2,
         "metric must be one of bleu, ter, chrf, chrf++, wer, cer, column:NAME, column:"
         "NAME:lower, got 'foo'. To use scores in the list, pass column:foo"),
        (["base.txt", "new.txt", "--metric", "bleu,column:comet:x"], 1,
         "the n-best list cannot be read (the line has 1 field; expected id ||| hypothesis"),
        (["base.txt", "new.txt", "--trials", "0"], 2,
         "--trials must be between 1 and 10000000, got 0"),
        (["base.txt", "new.txt", "--to", "html"], 2, "invalid choice: 'html'"),
        (["a=base.txt,base2.txt,base.txt", "b=new.txt,new2.txt"], 2,
         "b has 2 runs, but a has 3; approximate randomization needs 1 or 3"),
    ],
)  # fmt: skip
def test_errors(folder, capsys, arguments, status, message):
    write(folder / "short", noisy(0.2, 4)[:-1])
    write(folder / "nothing", [])
    assert message in run(capsys, "compare", *arguments, "--refs", "ref", status=status)


def test_runs_of_other_number_by_bootstrap(folder, capsys):
    result = compared(capsys, "a=base.txt,base2.txt,base.txt", "b=new.txt,new2.txt",
                     "--test", "bootstrap", "--trials", "99")  # fmt: skip
    assert [len(system["files"]) for system in result["metrics"][0]["systems"]] == [3, 2]


@pytest.mark.parametrize("command", ["score", "compare"])
def test_references_are_needed(folder, capsys, command):
    write(folder / "nothing", [])
    write(folder / "long", noisy(0, 0, extra=1))
    systems = ["base.txt"] if command == "score" else ["base.txt", "new.txt"]
    assert "--refs" in run(capsys, command, *systems, status=2)
    assert "nothing: the file is empty; expected one reference per line" in run(
        capsys, command, *systems, "--refs", "nothing", status=1
    )
    assert (
        "base.txt: the file has 40 translations, but long has 41 lines; expected one translation"
        in run(capsys, command, *systems, "--refs", "long", status=1)
    )
    assert "ref, line 41: the file has 40 lines, but long has 41" in run(
        capsys, command, *systems, "--refs", "long", "ref", status=1
    )


def test_the_suffix_decides_the_format(folder, capsys):
    command = ("compare", "base.txt", "new.txt", "--refs", "ref", "--trials", "9", "-q")
    run(capsys, *command, "-o", "out.json")
    assert json.loads(Path("out.json").read_text())["trials"] == 9
    assert program.main([*command, "--to", "text", "-o", "out.json"]) == 2
    assert "use out.txt, because the output is text" in capsys.readouterr().err
