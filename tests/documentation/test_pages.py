"""Pages of the documentation: their blocks are run, their tables and sizes are bounded."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import isogloss
from isogloss.command_line.parsers import COMMANDS
from tests.architecture.reading import ROOT
from tests.documentation.blocks import blocks_not_run, evaluate_page
from tests.documentation.program_server import served_program

DOCS = ROOT / "docs"
PAGES = [
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "data/README.md")),
    *(page for page in sorted(DOCS.rglob("*.md")) if "_build" not in page.parts),
]
RUN = [
    ROOT / "README.md",
    DOCS / "quickstart.md",
    *(page for room in ("howto", "explanation", "reference")
      for page in sorted((DOCS / room).glob("*.md"))),
]  # fmt: skip
PACKAGES = {"align", "features", "tune", "plot", "__version__"}  # whose names are listed
NOT_RUN = {
    "bicleaner": [("bicleaner-train", "needs bicleaner and millions of pairs")],
    "cluster": [
        ("docker", "needs Docker and Apptainer"),
        ("pip", "needs Ray"),
        ("isogloss", "needs Ray"),
        ("isogloss", "needs Ray"),
        ("isogloss", "needs Ray"),
        ("isogloss", "needs a Ray cluster"),
    ],
    "domain-of-each-pair": [("train-model.perl", "needs Moses")],
    "eflomal-priors": [("eflomal-align", "needs eflomal")],
    "guided-alignment": [("marian", "needs Marian")],
    "install": [
        ("apt", "changes the machine"),
        ("python3", "the README has this command, and .ci/run runs it"),
        ("isogloss", "takes minutes"),
        ("python", "command: wheel"),  # a test of its own
        ("pip", "changes the environment"),
        ("pip", "downloads all dependencies"),
        ("docker", "needs Docker"),
    ],
    "moses": [("isogloss", "needs Moses")],
    "prepare-corpus": [("sacremoses", "needs sacremoses")],
    "quickstart": [("python3", "the README has this command, and .ci/run runs it")],
    "replace-fast-align": [("train-model.perl", "needs Moses")],
    "reproducibility": [
        ("NPY_DISABLE_CPU_FEATURES", "a test of the repository, repeated by .ci/run")
    ],
}  # of pages that are run: the first word of each block, and why it is not run
LARGEST_CELL = 160  # characters
LARGEST_PAGE = 12_000  # bytes of a how-to page or a tutorial
_FENCE = re.compile(r"^(```+|~~~+).*?^\1", re.M | re.S)
_CELL = re.compile(r"(?<!\\)\|")


def name_of(path: Path) -> str:
    return str(path.relative_to(ROOT))


@pytest.fixture(scope="session")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    with served_program(tmp_path_factory.mktemp("programs")) as folder:
        yield folder


@pytest.mark.parametrize("page", RUN, ids=name_of)
def test_blocks_do_what_the_page_says(
    page: Path, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    """Commands of the pages that are read first are processes that load the program."""
    text = page.read_text(encoding="utf-8")
    for name in ("data", "examples"):
        if f"{name}/" in text:
            (tmp_path / name).symlink_to(ROOT / name)
    is_first = page in RUN[:2]
    evaluate_page(page, tmp_path, *(() if is_first else [request.getfixturevalue("programs")]))


def test_the_blocks_that_are_not_run_are_these() -> None:
    texts = {page.stem: page.read_text(encoding="utf-8") for page in RUN[1:]}
    pages = {name: list(blocks_not_run(text)) for name, text in texts.items()}
    assert {name: blocks for name, blocks in pages.items() if blocks} == NOT_RUN


def long_cells(text: str) -> list[str]:
    rows = (line for line in _FENCE.sub("", text).splitlines() if line.startswith("|"))
    cells = (cell.strip() for row in rows for cell in _CELL.split(row))
    return [cell for cell in cells if len(cell) > LARGEST_CELL]


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_cells_are_short(page: Path) -> None:
    assert long_cells(page.read_text(encoding="utf-8")) == []


def test_long_cells_are_seen() -> None:
    long = "x" * (LARGEST_CELL + 1)
    assert long_cells(f"| a | {long} |\n") == [long]
    assert long_cells(f"```\n| {long} |\n```\n| a \\| b | {'y' * LARGEST_CELL} |\n") == []


@pytest.mark.parametrize(
    "page", [*(DOCS / "howto").glob("*.md"), *(DOCS / "tutorials").glob("*.md")], ids=name_of
)
def test_a_guide_is_short(page: Path) -> None:
    assert len(page.read_bytes()) <= LARGEST_PAGE


JOBS = [page for page in (DOCS / "howto").glob("*.md") if page.stem not in ("index", "install")]


@pytest.mark.parametrize("page", JOBS, ids=name_of)
def test_a_guide_has_input_judgment_and_troubleshooting(page: Path) -> None:
    headings = re.findall(r"^## (.*)", _FENCE.sub("", page.read_text(encoding="utf-8")), re.M)
    assert headings[0] == "Input"
    assert any(heading.startswith("Judge the ") for heading in headings)
    assert "Troubleshooting" in headings


# words that readers of this field don't use, with the word to write
INSTEAD = {
    "evidence": "external alignments", "ours": "measured", "hand links": "gold alignments",
    "gold links": "gold alignments", "flat model": "single-domain model", "whole number": "integer",
    "carry over": "project", "carried over": "projected", "surest": "highest-confidence",
    "tampered": "corrupted", "mended": "repaired", "told apart": "not significant",
    "dealt out": "random labels", "somebody": "someone", "anybody": "anyone", "gone on": "resumed",
    "rising": "increasing", "falling": "decreasing", "as recorded": "measured with this version",
}  # fmt: skip
_CODE = re.compile(r"`[^`\n]*`|\]\([^)]*\)")


def unusual_words(text: str) -> list[str]:
    prose = _CODE.sub("", _FENCE.sub("", text)).lower()
    return [word for word in INSTEAD if re.search(rf"\b{word}s?\b", prose)]


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_words_are_those_of_the_field(page: Path) -> None:
    assert unusual_words(page.read_text(encoding="utf-8")) == []


def test_unusual_words_are_seen() -> None:
    text = "`hand links` and Hand links\n```\nours\n```\n[a whole number](ours.md)\n"
    assert unusual_words(text) == ["hand links", "whole number"]


def test_the_api_page_lists_every_public_name() -> None:
    page = (DOCS / "reference" / "api" / "index.md").read_text(encoding="utf-8")
    assert set(isogloss.__all__) - set(page.split()) == PACKAGES


def test_readme_and_changelog_are_short() -> None:
    assert len((ROOT / "README.md").read_bytes()) <= 8_000
    assert len((ROOT / "README.md").read_text(encoding="utf-8").splitlines()) <= 120
    assert len((ROOT / "CHANGELOG.md").read_text(encoding="utf-8").splitlines()) <= 60


def test_the_citation_is_of_this_version() -> None:
    fields = dict(re.findall(r"^([\w-]+): (.+)$", (ROOT / "CITATION.cff").read_text(), re.M))
    assert fields["version"] == isogloss.__version__
    assert re.fullmatch(r"\d{4}-\d\d-\d\d", fields["date-released"])
    page = (DOCS / "citing.md").read_text(encoding="utf-8")
    assert f"version = {{{isogloss.__version__}}}" in page
    assert f"year    = {{{fields['date-released'][:4]}}}" in page


def test_the_page_of_commands_lists_each() -> None:
    page = (DOCS / "reference" / "cli" / "index.md").read_text(encoding="utf-8")
    for name, entry in COMMANDS.items():
        assert f"| `{name}` | {entry.line} |\n" in page
