"""isogloss evaluate from outside."""

import json
import sys
from pathlib import Path

import pytest

from tests.cli.tokenized_text import run


@pytest.fixture
def gold(text: Path) -> Path:
    """Gold links of the text: 5 sure ones and 3 possible ones."""
    (text / "gold").write_text("0-0 1-1 2-2 3p3\n\n0-0 1p0 2-1 3p3\n")
    return text


def test_scores(gold: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Of 8 links 7 are in the gold standard, 5 of them sure."""
    assert run(gold, "evaluate", "/links", "/gold") == 0
    captured = capsys.readouterr()
    assert captured.out == "AER\t7.69\nprecision\t87.50\nrecall\t100.00\nF1\t93.33\n"
    assert captured.err == ""
    assert run(gold, "evaluate", "/links", "/gold", "--json") == 0
    assert json.loads(capsys.readouterr().out) == {
        "AER": 7.69, "precision": 87.5, "recall": 100.0, "F1": 93.33,
        "links": 8, "sure": 5, "sentence_pairs": 3,
    }  # fmt: skip


def test_skip(gold: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (gold / "gold").write_text("0-0 1-0 2-1 3-2\n")
    assert run(gold, "evaluate", "/links", "/gold", "--skip", "2") == 0
    assert capsys.readouterr().out.startswith("AER\t0.00\n")
    assert run(gold, "evaluate", "/links", "/gold") == 1
    assert "Skip the lines before the evaluated text with --skip N" in capsys.readouterr().err
    assert run(gold, "evaluate", "/links", "/gold", "--skip", "4") == 2
    assert "--skip must be at most 3, " in capsys.readouterr().err


def test_lines_after_those_that_are_skipped(gold: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = (gold / "gold").read_text().splitlines()
    for skip, line in ((0, lines[0]), (2, lines[2])):
        (gold / "gold").write_text(f"{line}\n")
        assert run(gold, "evaluate", "/links", "/gold", "--skip", str(skip)) == 0
        captured = capsys.readouterr()
        assert captured.out.startswith("AER\t")
        told = f"evaluating lines {skip + 1} to {skip + 1} of {gold / 'links'}\n"
        assert captured.err == (told if skip == 0 else "")


def test_domains(gold: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (gold / "labels").write_text("law\nlaw\n-\n")
    (gold / "worse").write_text("0-1\n\n0-0 3-3\n")
    assert run(gold, "evaluate", "/links", "/gold", "--json") == 0
    whole = json.loads(capsys.readouterr().out)
    command = ["evaluate", "/links", "/gold", "--labels", "/labels"]
    assert run(gold, *command, "--json") == 0
    rows = json.loads(capsys.readouterr().out)
    assert [(row["domain"], row["sentence_pairs"]) for row in rows] == [
        ("all", 3), ("law", 2), ("-", 1),
    ]  # fmt: skip
    assert {name: whole[name] for name in ("AER", "recall")} == {
        name: rows[0][name] for name in ("AER", "recall")
    }
    lines = {name: (gold / name).read_text().splitlines() for name in ("links", "gold")}
    for name, own in lines.items():
        (gold / f"last.{name}").write_text(f"{own[2]}\n")
    assert run(gold, "evaluate", "/last.links", "/last.gold", "--json") == 0
    assert json.loads(capsys.readouterr().out)["AER"] == rows[2]["AER"]
    for row in rows:
        assert row["low"] <= row["AER"] <= row["high"]
    assert run(gold, *command) == 0
    assert capsys.readouterr().out.splitlines()[0].startswith("domain\tsentence_pairs\tlinks\tAER")
    assert run(gold, "evaluate", "/links", "/worse", "/gold", "--labels", "/labels", "--json") == 0
    compared = json.loads(capsys.readouterr().out)
    assert [row["domain"] for row in compared] == ["all"] * 2 + ["law"] * 2 + ["-"] * 2
    assert compared[0]["p"] is None
    assert compared[1]["difference"] > 0
    (gold / "labels").write_text("law\n")
    assert run(gold, *command) == 1
    assert "the file has 1 label; expected 3, one per sentence pair" in capsys.readouterr().err
    (gold / "labels").write_text("law\nlaw\na b\n")
    assert run(gold, *command) == 1
    assert "the label 'a b' is malformed" in capsys.readouterr().err


def test_domains_on_a_terminal(
    gold: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    (gold / "labels").write_text("law\nlaw\n-\n")
    for files, column in ((["/links"], "95% CI of AER"), (["/links", "/links"], "AER - first")):
        assert run(gold, "evaluate", *files, "/gold", "--labels", "/labels") == 0
        shown = capsys.readouterr().out
        assert "law" in shown
        assert column in shown


def test_several_files(
    gold: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (gold / "worse").write_text("0-1\n\n0-0 3-3\n")
    alone = []
    for name in ("/links", "/worse"):
        assert run(gold, "evaluate", name, "/gold", "--json") == 0
        alone.append(json.loads(capsys.readouterr().out))
    assert run(gold, "evaluate", "/links", "/worse", "/links", "/gold", "--json") == 0
    first, second, third = json.loads(capsys.readouterr().out)
    assert first["difference"] is first["p"] is None
    for row, scores in ((first, alone[0]), (second, alone[1]), (third, alone[0])):
        assert {name: row[name] for name in ("AER", "recall")} == {
            name: scores[name] for name in ("AER", "recall")
        }
    assert second["difference"] == pytest.approx(alone[1]["AER"] - alone[0]["AER"], abs=0.011)
    assert second["low"] < second["difference"] < second["high"]
    assert (third["difference"], third["p"]) == (0.0, 1.0)
    assert run(gold, "evaluate", "/links", "/worse", "/gold") == 0
    header, one, other = capsys.readouterr().out.splitlines()
    names = ["links", "AER", "precision", "recall", "F1", "difference", "low", "high", "p"]
    assert header.split("\t") == names
    assert one.split("\t")[1:2] + one.split("\t")[5:] == ["7.69", "", "", "", ""]
    assert float(other.split("\t")[8]) == second["p"]
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    assert run(gold, "evaluate", "/links", "/worse", "/gold") == 0
    header, _, other = capsys.readouterr().out.splitlines()
    assert header.split() == [*names[:5], "AER", "-", "first", "[95%", "CI]", "p"]
    assert f"{second['difference']:+.2f} [{second['low']:+.2f}, " in other


def test_gold_links_that_do_not_fit(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "links").write_text("0-2 1-0 2-1 3-5 4-3 5-4 6-7\n" * 10)
    (tmp_path / "gold").write_text("2-0 0-1 1-2 5-3 3-4 4-5 7-6\n" * 10)
    assert run(tmp_path, "evaluate", "/links", "/gold") == 0
    captured = capsys.readouterr()
    assert captured.out.startswith("AER\t100.00\n")
    assert captured.err == (
        f"warning: {tmp_path / 'gold'}: 0% of the sure gold links are among the links, but 100% "
        "match with source and target swapped. Correct one of the files\n"
    )


FORMS = {
    "naacl": "0001 1 1 S\n0001 2 2 S\n0001 3 3 S\n0001 4 4 P\n"
    "0003 1 1\n0003 2 1 P\n0003 3 2\n0003 4 4 P\n",
    "talp": "1-1 2-2 3-3 4p4\n\n1-1 2p1 3-2 4p4\n",
    "xl-wa": "a b c d\tw x y z\t0-0 1-1 2-2 3p3\n\ta\t\na b c d\tw x y z\t0-0 1p0 2-1 3p3\n",
}


@pytest.mark.parametrize("form", FORMS)
def test_other_forms_of_gold_alignments(
    form: str, gold: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (gold / "other").write_text(FORMS[form])
    given = ("--gold-format", form) if form == "talp" else ()
    for more in (given, ("--gold-format", form)):
        assert run(gold, "evaluate", "/links", "/other", *more) == 0
        captured = capsys.readouterr()
        assert captured.out == "AER\t7.69\nprecision\t87.50\nrecall\t100.00\nF1\t93.33\n"
        assert captured.err == ""


def test_sentences_without_gold_links(gold: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """As many sentences as the links have, or up to the last one with a link after --skip."""
    (gold / "other").write_text("1 1 1\n1 2 2\n1 3 3\n1 4 4\n")
    assert run(gold, "evaluate", "/links", "/other", "--json") == 0
    assert json.loads(capsys.readouterr().out)["sentence_pairs"] == 3
    assert run(gold, "evaluate", "/links", "/other", "--skip", "0", "--json") == 0
    assert json.loads(capsys.readouterr().out)["sentence_pairs"] == 1
    (gold / "other").write_text("4 1 1\n")
    assert run(gold, "evaluate", "/links", "/other") == 1
    assert "line 1: the sentence number is 4; expected at most 3" in capsys.readouterr().err
    assert run(gold, "evaluate", "/links", "/other", "--gold-format", "NAACL") == 2
