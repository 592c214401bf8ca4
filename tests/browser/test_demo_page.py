"""The first page of the demo: words by domain, terms, figures, links to the other pages."""

from pathlib import Path

import pytest

import isogloss as ig
from isogloss.pipeline.demo_pages import WORDS, write_demo_pages
from tests.architecture.reading import ROOT

DATA = ROOT / "data"


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("demo")
    bitext = ig.read_bitext(
        DATA / "train.en.gz", DATA / "train.es.gz", labels=DATA / "train.labels.gz"
    )
    model = ig.train(bitext, threads=2)
    model.save(out / "latent.model")
    model.align(bitext, threads=2).save(out / "latent.links.gz")
    return write_demo_pages(DATA, out, "AER <3.69>\n", 2)


def test_the_pages(pages: Path, chromium) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    context = chromium.new_context(viewport={"width": 390, "height": 900}, offline=True)
    page, problems = context.new_page(), list[str]()
    page.on("console", lambda message: problems.append(message.text))
    page.goto(pages.as_uri())
    rows = page.locator("[aria-label='Translations by domain'] tbody tr").all_inner_texts()
    assert [row.split()[0] for row in rows if row.split()[0] in WORDS] == list(WORDS)
    end = next(k for k, row in enumerate(rows) if row.startswith("record"))
    cells = [row.split("\t")[-6:] for row in rows[:end]]  # of charge
    domains = ("everyday", "legal", "medical", "software", "out")
    by_word = {row[0]: dict(zip(domains, row[1:], strict=True)) for row in cells}
    assert int(by_word["cargo"]["legal"]) >= 20
    assert int(by_word["carga"]["software"]) >= 10
    for domain in ("everyday", "legal", "medical", "software"):
        assert max(int(row[domain]) for row in by_word.values()) >= 1, domain
    assert any(row.split("\t")[-3] == "–" for row in rows)  # driver is no medical word
    marked = {
        word: page.locator("[aria-label='Translations by domain'] tr", has_text=word)
        .first.locator("td")
        .evaluate_all("cells => cells.slice(1).map(cell => cell.className === 'most')")
        for word in ("cargo", "carga")
    }
    assert marked == {
        "cargo": [False, True, False, False, False],
        "carga": [False, False, True, True, True],
    }
    every = " ".join(rows)  # the best translations of each domain, however rare in all
    assert all(word in every for word in ("historia", "conductor", "prueba", "bicho"))
    assert "(no link)" not in every
    terms = page.locator("[aria-label='Terms by domain']")
    aligned = terms.locator("th, td").evaluate_all(
        "cells => cells.map(cell => getComputedStyle(cell).textAlign)"
    )
    assert set(aligned) == {"start"}
    assert "the figures below" not in page.locator("main").inner_text()
    assert page.locator("pre").inner_text().strip() == "AER <3.69>"
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    assert axe.run(page).response["violations"] == []
    page.get_by_role("link", name="record").first.click()
    assert page.url.endswith("concordance.html#word-2")
    assert page.locator("#word-2 mark").first.inner_text() == "record"
    assert axe.run(page).response["violations"] == []
    page.go_back()
    page.get_by_role("link", name="view.html").click()
    page.wait_for_selector("#viewer[data-ready=true]")
    assert page.locator(".summary p[role=status]").inner_text() == "500 of 500 pairs"
    assert problems == []
    context.close()
