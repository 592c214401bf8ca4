"""isogloss view from outside."""

import re
from pathlib import Path

import pytest

from isogloss import program
from isogloss.align.files.writers import write_lines
from tests.cli.tokenized_text import run


def test_a_page(text: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(text, "view", "/w.en", "/w.es", "/links", "-o", "/view.html") == 0
    assert capsys.readouterr().err.endswith(f"\n3 sentence pairs in {text / 'view.html'}\n")
    page = (text / "view.html").read_text("utf-8")
    assert "<title>links: w.en, w.es</title>" in page
    names = '{"source":"w.en","target":"w.es","links":"links","other":""}'
    assert f'"names":{names}' in page
    assert '"edit":false' in page


def test_the_same_bytes(text: Path) -> None:
    for name in ("a", "b"):
        assert run(text, "view", "/w.en", "/w.es", "/links", "-o", f"/{name}.html", "-q") == 0
    assert (text / "a.html").read_bytes() == (text / "b.html").read_bytes()


def test_text_in_the_terminal(
    text: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    assert run(text, "view", "/w.en", "/w.es", "/links", "--text", "--line", "2-3") == 0
    assert capsys.readouterr().out == (
        "line 2\n"
        "(empty) ||| (empty)\n"
        "\n"
        "line 3\n"
        "it    x  .  .\n"
        "'s    x  .  .\n"
        "the   .  x  .\n"
        "end   .  .  x\n"
        "      0  1  2\n"
        "  0 es\n"
        "  1 el\n"
        "  2 fin\n"
        "\n"
        "x = link\n"
    )


def test_the_legend_fits_the_terminal(
    text: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (text / "gold").write_text("\n\n0-0 1p0 2-2\n")
    command = ("view", "/w.en", "/w.es", "/links", "--gold", "/gold", "--text", "--line", "3")
    for columns, legend in (
        ("70", ["x = link in gold, ? = link not in gold,", "- = sure gold link that is missing"]),
        (
            "30",
            ["x = link in gold,", "? = link not in gold,", "- = sure gold link that is missing"],
        ),
    ):
        monkeypatch.setenv("COLUMNS", columns)
        assert run(text, *command) == 0
        assert capsys.readouterr().out.splitlines()[-len(legend) :] == legend


def test_marks_of_gold_in_the_terminal(text: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (text / "gold").write_text("\n\n0-0 1p0 2-2\n")
    command = ("view", "/w.en", "/w.es", "/links", "--gold", "/gold", "--text", "--line", "3")
    assert run(text, *command) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line[3:].split() for line in lines[1:5]] == [
        ["x", ".", "."], ["x", ".", "."], [".", "?", "-"], [".", ".", "?"],
    ]  # fmt: skip
    assert lines[-1] == (
        "x = link in gold, ? = link not in gold, - = sure gold link that is missing"
    )


@pytest.mark.parametrize(
    ("selection", "lines"),
    [
        (("--first", "2"), [1, 2]),
        (("--first", "9"), [1, 2, 3]),
        (("--line", "3", "--line", "1"), [3, 1]),
        (("--suggest", "1"), [1]),
    ],
)
def test_some_of_the_pairs(
    text: Path, capsys: pytest.CaptureFixture[str], selection: tuple[str, ...], lines: list[int]
) -> None:
    assert run(text, "view", "/w.en", "/w.es", "/links", "--text", *selection) == 0
    shown = re.findall(r"^line (\d+)$", capsys.readouterr().out, re.M)
    assert list(map(int, shown)) == lines


def test_the_words_of_suggested_pairs(text: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """How many there are to link."""
    assert run(text, "view", "/w.en", "/w.es", "/links", "-o", "/p.html", "--suggest", "1") == 0
    sides = (len((text / name).read_text().split("\n")[0].split()) for name in ("w.en", "w.es"))
    told = "1 sentence pairs of {} source and {} target words in ".format(*sides)
    assert told in capsys.readouterr().err


def test_a_sample_is_the_same_for_a_seed(text: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shown = []
    for seed in ("1", "1", "2", "3"):
        assert (
            run(text, "view", "/w.en", "/w.es", "/links", "--text", "--sample", "1", "--seed", seed)
            == 0
        )
        shown.append(capsys.readouterr().out)
    assert shown[0] == shown[1]
    assert len(set(shown)) > 1


@pytest.mark.parametrize(
    ("arguments", "status", "told"),
    [
        ((), 2, "the output is missing; pass -o FILE.html, or --text for the terminal"),
        (("--text", "--line", "4"), 2, "--line must be N or N-N between 1 and 3, got '4'"),
        (("--text", "--line", "2-1"), 2, "--line must be N or N-N between 1 and 3, got '2-1'"),
        (("--text", "--line", "x"), 2, "--line must be N or N-N between 1 and 3, got 'x'"),
        (("--text", "--line", "1", "--first", "1"), 2, "not allowed with argument"),
        (
            ("--text", "--gold", "/two"),
            1,
            "/two: the links have 2 lines; expected 3, one per sentence pair",
        ),
        (("--text", "--other", "/links"), 2, "--other needs a page; --text shows only LINKS and"),
        (
            ("-o", "/x.html", "--other", "/two"),
            1,
            "/two: the links have 2 lines; expected 3, one per sentence pair",
        ),
        (("-o", "/x.html", "--other", "/far"), 1, "/far, line 1: link 9-9 is out of range"),
        (("-o", "/x.html", "--gold", "/past"), 1, "/past, line 3: link 1-9 is out of range"),
        (("--text", "--first", "1", "--gold", "/past"), 1, "/past, line 3: link 1-9 is out of"),
    ],
)
def test_what_is_refused(
    text: Path,
    capsys: pytest.CaptureFixture[str],
    arguments: tuple[str, ...],
    status: int,
    told: str,
) -> None:
    (text / "two").write_text("0-0\n\n")
    (text / "far").write_text("9-9\n\n\n")
    (text / "past").write_text("0-0\n\n0-0 1p9\n")
    assert run(text, "view", "/w.en", "/w.es", "/links", *arguments) == status
    assert told in capsys.readouterr().err


@pytest.mark.parametrize(
    ("other", "names"),
    [("second.links", ("links", "second.links")), ("old/links", ("links", "old/links"))],
)
def test_the_page_names_both_alignments(
    text: Path, monkeypatch: pytest.MonkeyPatch, other: str, names: tuple[str, str]
) -> None:
    monkeypatch.chdir(text)
    Path("old").mkdir()
    for file in ("second.links", "old/links"):
        Path(file).write_text(Path("links").read_text())
    given = ["view", "w.en", "w.es", "links", "--other", other, "-o", "view.html", "-q"]
    assert program.main(given) == 0
    seen = re.search(r'"links":"([^"]*)","other":"([^"]*)"', Path("view.html").read_text())
    assert seen is not None
    assert seen.groups() == names


def test_links_of_another_text(text: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (text / "links").write_text("0-0\n")
    assert run(text, "view", "/w.en", "/w.es", "/links", "-o", "/view.html") == 1
    assert f"{text / 'links'}" in capsys.readouterr().err
    assert not (text / "view.html").exists()


TALP = "1-1 2-2 3-3 4-4\n\n1-1 2-1 3-2 4-3\n"


@pytest.mark.parametrize(("name", "warns"), [("x.talp", False), ("x.talp.gz", False), ("x", True)])
def test_links_that_are_counted_from_1(
    text: Path, capsys: pytest.CaptureFixture[str], name: str, warns: bool
) -> None:
    """A name in .talp says so, or that the links fit in no other way; gold alignments, too."""
    command = ("view", "/w.en", "/w.es", "/links", "--gold", "/links", "--text")
    assert run(text, *command) == 0
    expected = capsys.readouterr().out
    write_lines(TALP.splitlines(), text / name)
    (text / "gold.TALP").write_text(TALP)
    given = ("/w.en", "/w.es", f"/{name}", "--gold", "/gold.TALP")
    assert run(text, "view", *given, "--text") == 0
    seen = capsys.readouterr()
    assert seen.out == expected
    told = f"warning: {text / name} is read as talp, because its positions are counted from 1"
    assert (told in seen.err) == warns
    pages = {}
    for file in ("links", name):
        page = ("view", "/w.en", "/w.es", "/links", "--other", f"/{file}", "-o", "/x.html")
        assert run(text, *page, "--title", "x", "-q") == 0
        pages[file] = re.findall(r'class="chunk">([^<]*)<', (text / "x.html").read_text())
    assert pages["links"] == pages[name] != []


@pytest.mark.parametrize(
    ("links", "told"),
    [
        ("1-1 2-2 3-3 4-4\n\n1-1 5-3\n", "/x, line 1: link 4-4 is out of range"),  # in no way
        ("1-1 2-2 3-3 4-4\n\n0-0 4-2\n", "/x, line 1: link 4-4 is out of range"),  # from 0
        ("1-1 4-4\n\n", "/x: the links have 2 lines; expected 3"),
    ],
)
def test_links_that_fit_in_no_way(
    text: Path, capsys: pytest.CaptureFixture[str], links: str, told: str
) -> None:
    (text / "x").write_text(links)
    assert run(text, "view", "/w.en", "/w.es", "/x", "--text") == 1
    assert told in capsys.readouterr().err


def test_forms_of_gold_alignments(text: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shown = []
    for gold, form in (
        ("0-0 1-1\n\n\n", "pharaoh"),
        ("1-1 2-2\n\n\n", "talp"),
        ("1 1 1\n1 2 2\n", "naacl"),
    ):
        (text / "gold").write_text(gold)
        given = ("--gold", "/gold", "--gold-format", form)
        assert run(text, "view", "/w.en", "/w.es", "/links", "--text", *given) == 0
        shown.append(capsys.readouterr().out)
    assert "?" in shown[0]
    assert shown == shown[:1] * 3


def test_too_many_pairs_are_refused_before_they_are_read(
    text: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("isogloss.pages.viewer.MOST_PAIRS", 2)
    (text / "w.es").write_bytes(b"\xff")  # which is not read, though it would be an error
    assert run(text, "view", "/w.en", "/w.es", "/links", "-o", "/view.html") == 2
    told = f"a page shows at most 2 sentence pairs, got more in {text / 'w.en'}. Select some with "
    assert told + "--first or --sample" in capsys.readouterr().err


def test_folders_of_parts(text: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for side in ("en", "es"):
        (text / side).mkdir()
        lines = (text / f"w.{side}").read_text("utf-8").splitlines(keepends=True)
        for name, part in (("a", lines[:2]), ("b", lines[2:])):
            (text / side / name).write_text("".join(part), encoding="utf-8")
    shown = []
    for names in (("/en", "/es"), ("/w.en", "/w.es")):
        assert run(text, "view", *names, "/links", "--text") == 0
        shown.append(capsys.readouterr().out)
        assert run(text, "view", *names, "/links", "-o", "/view.html") == 0
    assert shown[0] == shown[1] != ""


def test_lines_that_are_asked_for_twice_are_shown_once(
    text: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = ("--line", "3", "--line", "1-3")
    assert run(text, "view", "/w.en", "/w.es", "/links", "--text", *lines) == 0
    found = re.findall(r"^line (.*)$", capsys.readouterr().out, re.M)
    assert found == ["3", "1", "2"]
