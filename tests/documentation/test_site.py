"""The built site: each link leads somewhere, and nothing is loaded from elsewhere."""

from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote, urldefrag

import pytest
from lxml import html

from tests.architecture.reading import ROOT

SITE = ROOT / "docs" / "_build" / "html"
LOADED = "//script/@src | //img/@src | //link[@rel='stylesheet']/@href"

pytestmark = pytest.mark.skipif(
    not (SITE / "index.html").exists(), reason="the site isn't built: sphinx-build docs ..."
)


@pytest.fixture(scope="module")
def pages() -> dict[Path, html.HtmlElement]:
    paths = (path for path in SITE.rglob("*.html") if "_static" not in path.parts)
    return {path: html.parse(str(path)).getroot() for path in paths}


def local(page: Path, links: list[str]) -> Iterator[tuple[str, Path, str]]:
    """Each link to a file of the site, with that file and the part of it that is named."""
    for link in links:
        name, part = urldefrag(link)
        if "://" not in link and not link.startswith(("mailto:", "data:")):
            yield link, (page.parent / unquote(name)).resolve() if name else page, unquote(part)


def test_links_lead_somewhere(pages: dict[Path, html.HtmlElement]) -> None:
    named = {path: set(root.xpath("//@id | //a/@name")) for path, root in pages.items()}
    lost = [
        f"{page.relative_to(SITE)}: {link}"
        for page, root in pages.items()
        for link, file, part in local(page, root.xpath("//a/@href"))
        if not file.exists() or (part and file in named and part not in named[file])
    ]
    assert lost == []


def test_nothing_is_loaded_from_elsewhere(pages: dict[Path, html.HtmlElement]) -> None:
    loaded = [(page, link) for page, root in pages.items() for link in root.xpath(LOADED)]
    outside = [(page, link) for page, link in loaded if "//" in link.split("?")[0]]
    assert outside == []
    assert all(file.exists() for page, link in loaded
               for _, file, _ in local(page, [link.split("?")[0]]))  # fmt: skip


def test_each_page_has_one_title_and_alternative_texts(
    pages: dict[Path, html.HtmlElement],
) -> None:
    for page, root in pages.items():
        if root.xpath("//article"):
            assert len(root.xpath("//article//h1")) == 1, page
        assert root.xpath("//article//img[not(@alt)]") == [], page


def test_the_search_knows_the_pages() -> None:
    index = (SITE / "searchindex.js").read_text(encoding="utf-8")
    names = ("tutorials/first-alignment", "howto/dictionary", "reference/file-formats",
             "reference/cli/generated/align", "explanation/alignment-model", "results")  # fmt: skip
    assert [name for name in names if f'"{name}"' not in index] == []
