"""isogloss convert from outside."""

import json
from pathlib import Path

import pytest

from tests.cli.tokenized_text import run

GOLD = "0-0 1-1 2-2 3p3\n\n0-0 1p0 2-1 3p3\n"
TEXT = ("/w.en", "/w.es")


@pytest.fixture
def folder(text: Path) -> Path:
    """The text with gold alignments and token ids; the second pair of it is empty."""
    (text / "w.es").write_text("las casas son rojas\n\nes el fin .\n")
    (text / "gold").write_text(GOLD)
    for side in ("en", "es"):
        lines = (text / f"w.{side}").read_text().splitlines()
        ids = (
            " ".join(f"{side}{number}.{i}" for i, _ in enumerate(line.split()))
            for number, line in enumerate(lines)
        )
        (text / f"{side}.ids").write_text("".join(f"{line}\n" for line in ids))
    return text


IDS = ("--source-ids", "/en.ids", "--target-ids", "/es.ids")


@pytest.mark.parametrize("form", ["talp", "naacl"])
def test_forms_with_possible_links(form: str, folder: Path) -> None:
    assert run(folder, "convert", "/gold", "--to", form, "-o", "/out") == 0
    given = ("--input-format", form) if form == "talp" else ()  # its file has another name
    assert run(folder, "convert", "/out", *given, "--to", "pharaoh", "-o", "/back") == 0
    assert (folder / "back").read_text() == GOLD
    assert (folder / "out").read_text() != GOLD


@pytest.mark.parametrize("form", ["xl-wa", "ctfalign"])
def test_forms_with_sentences(form: str, folder: Path) -> None:
    """Probabilities are dropped; sentences come from the text, or from the file of links."""
    (folder / "scored").write_text("0-0:0.5 1-1:0.25\n\n3-2:1\n")
    assert run(folder, "convert", "/scored", *TEXT, "--to", form, "-o", "/out") == 0
    assert "las casas son rojas" in (folder / "out").read_text()
    for other in ("xl-wa", "ctfalign"):
        assert run(folder, "convert", "/out", "--to", other, "-o", "/other") == 0
        assert run(folder, "convert", "/other", "--to", form, "-o", "/again") == 0
        assert (folder / "again").read_text() == (folder / "out").read_text()
    assert run(folder, "convert", "/out", "--to", "pharaoh", "-o", "/back") == 0
    assert (folder / "back").read_text() == "0-0 1-1\n\n3-2\n"


def test_sentences_in_json_lines(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = ("convert", "/gold", *TEXT, "--sure-only", "-o", "/x.jsonl")
    assert run(folder, *command, "--to", "ctfalign") == 0
    assert (folder / "x.jsonl").read_text().startswith('{"text_a"')
    assert run(folder, *command, "--to", "naacl") == 2
    assert "a suffix that this command does not write; use" in capsys.readouterr().err


def test_burrito(folder: Path) -> None:
    command = ("convert", "/gold", "--sure-only", "--origin", "manual", "--to", "burrito", *IDS)
    assert run(folder, *command, "-o", "/out.json") == 0
    records = json.loads((folder / "out.json").read_text())["records"]
    assert records[-1]["source"] == ["en2.2"]
    assert records[-1]["target"] == ["es2.1"]
    assert {record["meta"]["origin"] for record in records} == {"manual"}
    for given in ((), ("--input-format", "burrito")):
        command = ("convert", "/out.json", *given, "--to", "pharaoh", *IDS, "-o", "/back")
        assert run(folder, *command) == 0
        assert (folder / "back").read_text() == "0-0 1-1 2-2\n\n0-0 2-1\n"


def test_sentences_without_links_at_the_end(folder: Path) -> None:
    """A text or token ids show how many there are."""
    (folder / "x").write_text("1 1 1\n")
    for given, lines in (((), 1), (TEXT, 3)):
        assert run(folder, "convert", "/x", *given, "--to", "pharaoh", "-o", "/out") == 0
        assert (folder / "out").read_text() == "0-0\n" + "\n" * (lines - 1)
    assert run(folder, "convert", "/x", "--to", "burrito", *IDS, "-o", "/out") == 0


@pytest.mark.parametrize(
    ("arguments", "status", "told"),
    [
        (("--to", "burrito"), 2, "names words by token ids; pass --source-ids FILE and --target"),
        (
            ("--to", "burrito", *IDS[:2]),
            2,
            "pass both --source-ids FILE and --target-ids FILE, or no",
        ),
        (("--to", "naacl", *IDS), 2, "--source-ids and --target-ids need the format burrito; pass"),
        (
            ("--to", "burrito", *IDS),
            1,
            "the gold alignments have 3 possible links; expected only sure",
        ),
        (
            ("--to", "burrito", *IDS),
            1,
            "Drop the possible links, as `isogloss convert --sure-only`",
        ),
        (("--to", "xl-wa", *TEXT), 1, "the gold alignments have 3 possible links; expected only"),
        (("--to", "xl-wa", "--sure-only"), 2, "contains the sentences; pass the text of the links"),
        (("/p.en", "/w.es", "--to", "talp"), 0, ""),
        (("/w.es", "/w.es", "--to", "talp"), 0, ""),
        (("/few", "/w.es", "--to", "talp"), 1, "gold, line 1: link 1-1 is out of range: the sent"),
        (("/two", "/two", "--to", "talp"), 1, "gold: the links have 3 lines; expected 2, one per"),
        (("--input-format", "talp", "--to", "naacl"), 1, "line 1: the link '0-0' has the position"),
        (("--to", "x"), 2, "invalid choice: 'x'"),
        ((), 2, "--to"),
    ],
)
def test_what_is_refused(
    folder: Path,
    capsys: pytest.CaptureFixture[str],
    arguments: tuple[str, ...],
    status: int,
    told: str,
) -> None:
    (folder / "few").write_text("one\n\na b c d\n")
    (folder / "two").write_text("a b c d\n\n")
    assert run(folder, "convert", "/gold", *arguments) == status
    assert told in capsys.readouterr().err
