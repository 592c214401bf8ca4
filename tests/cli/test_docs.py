"""`isogloss docs`: the built site is found, opened, or it is said how to build it."""

import webbrowser
from pathlib import Path

import pytest

from isogloss import program
from isogloss.commands import docs


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A package without a site, of which the module is part."""
    monkeypatch.setattr(docs, "__file__", str(tmp_path / "isogloss" / "commands" / "docs.py"))
    return tmp_path / "isogloss"


@pytest.mark.parametrize("place", ["site", "../docs/_build/html"])
def test_the_site_is_opened(
    package: Path, place: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (package / "commands").mkdir(parents=True)
    folder = (package / place).resolve()
    folder.mkdir(parents=True)
    page = folder / "index.html"
    page.write_text("<html>")
    opened: list[str] = []
    monkeypatch.setattr(webbrowser, "open", lambda address: opened.append(address) or True)
    assert program.main(["docs"]) == 0
    assert opened == [page.as_uri()]
    assert program.main(["docs", "--path"]) == 0
    assert len(opened) == 1
    assert capsys.readouterr() == (f"{page}\n{page}\n", "")
    monkeypatch.setattr(webbrowser, "open", lambda address: False)
    assert program.main(["docs"]) == 0
    assert capsys.readouterr().err == "no browser was found; open this file in a browser\n"


def test_a_site_that_is_not_built(package: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert program.main(["docs"]) == 2
    told = "the documentation is not built; in a clone, run: pip install -e '.[docs]' && sphinx"
    assert told in capsys.readouterr().err
