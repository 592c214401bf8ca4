"""Scripture Burrito alignments in every command that reads or writes links."""

import io
import json
import shutil
import sys
from pathlib import Path

import pytest

from isogloss import program
from isogloss.align import read_links

SIDES = {
    "en": ["the house", "", "the small house", "a house", "the small dog"],
    "es": ["la casa", "la", "la casa pequeña", "una casa", "el perro pequeño"],
}
LINKS = "0-0 1-1\n\n0-0 1-2 2-1\n0-0 1-1\n0-0 1-2 2-1\n"
FAST = ("--model1-iterations", "1", "--hmm-iterations", "1", "--jump-classes", "0", "-q")
IDS = ("--source-ids", "en.ids", "--target-ids", "es.ids")
SHORT = ("--source-ids", "en.ids", "--target-ids", "short.ids")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A text, the ids of its words, links as text and as JSON, and a model."""
    folder = tmp_path_factory.mktemp("burrito")
    for side, lines in SIDES.items():
        (folder / side).write_text("".join(f"{line}\n" for line in lines))
        rows = [
            " ".join(f"0800100{number}{word:03d}" for word, _ in enumerate(line.split(), start=1))
            for number, line in enumerate(lines, start=1)
        ]
        (folder / f"{side}.ids").write_text("".join(f"{row}\n" for row in rows))
    (folder / "short.ids").write_text("08001001001\n")
    (folder / "links").write_text(LINKS)
    files = [str(folder / word) if word.endswith(".ids") else word for word in IDS]
    given = str(folder / "links"), "-o", str(folder / "x.json"), *files
    assert program.main(["convert", *given]) == 0
    sides = str(folder / "en"), str(folder / "es")
    assert program.main(["train", *sides, *FAST, "--model", str(folder / "m")]) == 0
    return folder


@pytest.fixture
def folder(made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    shutil.copytree(made, tmp_path / "work")
    monkeypatch.chdir(tmp_path / "work")
    return tmp_path / "work"


@pytest.mark.parametrize(
    "command",
    [
        "evaluate LINKS LINKS",
        "check LINKS en es",
        "extract en es LINKS -o OUT -q",
        "eflomal-priors en es LINKS LINKS -o OUT -q",
        "symmetrize LINKS LINKS -o OUT",
        "retokenize LINKS --target es,characters: -o OUT",
        "project tags LINKS --target es -o OUT -q",
        "concordance m en es LINKS house -o OUT.tsv -q",
        "dictionary m en es --links LINKS --domain all --min-count 1 -o OUT -q",
        "view en es LINKS --other LINKS --gold LINKS --title x -o OUT.html -q",
        "report m en es --links LINKS --gold gold -o OUT.html -q",
        "align en es --external-links LINKS -o OUT " + " ".join(FAST),
        "align en es --known-links LINKS -o OUT " + " ".join(FAST),
        "apply m en es --external-links LINKS -o OUT -q",
    ],
)
def test_commands_read_it(folder: Path, capsys: pytest.CaptureFixture[str], command: str) -> None:
    """What they make of it is what they make of the same links as text."""
    tags = [" ".join("B-X" if word == "house" else "O" for word in line.split())
            for line in SIDES["en"]]  # fmt: skip
    (folder / "tags").write_text("".join(f"{line}\n" for line in tags))
    (folder / "gold").write_text(LINKS)
    (folder / "json").mkdir()
    made = []
    for name, more in (("links", ()), ("x.json", IDS)):
        out = "plain" if name == "links" else "other"
        (folder / out).mkdir()
        words = command.replace("LINKS", name).replace("OUT", f"{out}/out").split()
        assert program.main([*words, *more]) == 0, words
        texts = [path.read_bytes().replace(b"x.json", b"links").replace(b"other/", b"plain/")
                 for path in sorted((folder / out).iterdir())]  # fmt: skip
        made.append((texts, capsys.readouterr().out.replace("x.json", "links")))
    if command.startswith("view"):  # bytes are packed in the page
        assert made[0][1] == made[1][1]
        assert abs(len(made[0][0][0]) - len(made[1][0][0])) < 50
    else:
        assert made[0] == made[1]


@pytest.mark.parametrize(
    "command",
    [
        "align en es --s2t s2t.json -o OUT " + " ".join(FAST),
        "align en es --train-on 4 -o OUT " + " ".join(FAST),
        "apply m en es -o OUT -q",
        "apply m en es --external-links links -o OUT -q",
        "symmetrize links links -o OUT",
        "retokenize links --source en,en -o OUT",
    ],
)
def test_commands_write_it(folder: Path, command: str) -> None:
    for out, more in (("out", ()), ("out.json", IDS)):
        words = command.replace("OUT", out)
        words = words if more else words.replace("json", "txt")
        assert program.main([*words.split(), *more]) == 0
    ids = "en.ids", "es.ids"
    assert read_links("out.json", ids=ids) == read_links("out").unscored()
    if "s2t" in command:
        assert read_links("s2t.json", ids=ids) == read_links("s2t.txt")
    content = json.loads(Path("out.json").read_text())
    assert content["records"][0]["source"] == ["08001001001"]


def test_pairs_of_standard_input(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pairs = zip(SIDES["en"], SIDES["es"], strict=True)
    text = "".join(f"{left} ||| {right}\n" for left, right in pairs).encode()
    for out, more in (("out", ()), ("out.json", IDS)):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text)))
        assert program.main(["apply", "m", "-", "-q", "-o", out, *more]) == 0
    assert read_links("out.json", ids=("en.ids", "es.ids")) == read_links("out").unscored()


@pytest.mark.parametrize(
    ("command", "ids", "status", "told"),
    [
        ("evaluate x.json links", (), 1, "x.json: the alignments name words by token ids; expec"),
        ("view en es x.json --text", IDS[:2], 2, "pass both --source-ids FILE and --target-ids"),
        ("evaluate links x.json", SHORT, 1, "short.ids: the file has 1 line of token ids, but en"),
        ("apply m en es -o x.json", (), 2, "the format burrito names words by token ids; pass --s"),
        ("apply m es en --to burrito", IDS, 1, "en.ids, line 2: the line has 0 token ids, but th"),
        ("align en en --to burrito", IDS, 1, "es.ids, line 2: the line has 1 token id, but the s"),
        ("apply m few few --to burrito", ("--source-ids", "en.ids", "--target-ids", "en.ids"), 1,
         "en.ids: the file has 5 lines of token ids, but few has 1; expected one line per senten"),
        ("apply m en es --part 1/2 --to burrito", IDS, 2, "--part writes lines to be joined, but"),
        ("apply m en es --retokenize en,es --to burrito", IDS, 2, "--retokenize cannot be used wi"),
        ("apply m en es --scores --to burrito", IDS, 2, "--scores has no effect on links in the f"),
        ("retokenize x.json --source en,en -o y.json", IDS, 2, "name the words of LINKS or of the"),
        ("symmetrize few.links few.links -o y.json", IDS, 1, "en.ids: the file has 5 lines of tok"),
        ("extract en es gone.json -o t", IDS, 1, "gone.json"),
    ],
)  # fmt: skip
def test_what_is_refused(
    folder: Path,
    capsys: pytest.CaptureFixture[str],
    command: str,
    ids: tuple[str, ...],
    status: int,
    told: str,
) -> None:
    (folder / "few").write_text("the house\n")
    (folder / "few.links").write_text("0-0\n")
    before = (folder / "x.json").read_bytes()
    assert program.main([*command.split(), *ids]) == status
    assert told in capsys.readouterr().err
    assert (folder / "x.json").read_bytes() == before
    assert not (folder / "y.json").exists()
