"""Reports in a browser: readable at any width, light, dark and printed; nothing is loaded."""

from pathlib import Path

import pytest

from isogloss.align.files.tables.drawing import DrawnLink
from isogloss.pages.charts import Chart, Line
from isogloss.pages.report import (
    Drawing,
    Example,
    Examples,
    Note,
    Section,
    Table,
    report_page,
)

HOSTILE = "<script>document.title = 'taken'</script>"


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("report")
    (folder / "links gz").write_text("0-0\n", encoding="utf-8")
    words = [f"{'word' * 4}{k}" for k in range(30)]
    links = [DrawnLink(k, 29 - k, color="var(--wrong)") for k in range(30)]
    parts = [
        Note("signature:" + "x" * 300),
        Table("Scores", ("system", "BLEU", "difference [95% CI]"), [(HOSTILE, 20.1, "+1.00")] * 3),
        Table("Options", ("option", "value"), [("seed", 1)], text_columns=2, folded=True),
        Chart("Loss by epoch", "epoch", "loss", [
            Line("training", [(k, 9.0 - k) for k in range(6)], marked=5),
            Line("held out", [(k, 9.5 - k / 2) for k in range(6)], dashed=True),
        ]),
        Examples("Sentences", [Example("Line 1", [("source", "שלום עולם"), ("target", HOSTILE)])]),
        Drawing("Line 2", words, words, links),
    ]  # fmt: skip
    page = folder / "report.html"
    sections = [Section("First", parts, [folder / "links gz"]), Section("Second", parts)]
    page.write_text(report_page("Run", sections, page).html(), encoding="utf-8")
    return page


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
def test_a_report(report: Path, chromium, width: int, scheme: str) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    context = chromium.new_context(
        viewport={"width": width, "height": 900}, color_scheme=scheme, offline=True
    )
    page, problems, requests = context.new_page(), list[str](), list[str]()
    page.on("console", lambda message: problems.append(message.text))
    page.on("request", lambda request: requests.append(request.url))
    page.goto(report.as_uri())
    assert page.title() == "Run"
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert axe.run(page).response["violations"] == []
    cell = page.get_by_role("rowheader").first
    assert cell.inner_text() == HOSTILE
    assert not page.get_by_text("seed", exact=True).first.is_visible()
    page.locator("summary", has_text="Options").first.click()
    assert page.get_by_text("seed", exact=True).first.is_visible()
    page.locator("summary", has_text="loss as numbers").first.click()
    assert "training: 0: 9; 1: 8; 2: 7" in page.locator(".numbers p").first.inner_text()
    curves = page.locator(".curve")
    assert curves.count() == 4
    color = "(one) => getComputedStyle(one).stroke"
    assert curves.nth(0).evaluate(color) != curves.nth(1).evaluate(color)
    page.get_by_role("link", name="Second").click()
    assert page.url.endswith("#section-2")
    assert requests == [report.as_uri()]
    page.get_by_role("link", name="links gz").click()
    assert page.url.endswith("links%20gz")
    assert problems == []
    context.close()


def test_a_printed_report(report: Path, chromium) -> None:
    context = chromium.new_context(color_scheme="dark")
    page = context.new_page()
    page.goto(report.as_uri())
    page.emulate_media(media="print")
    assert not page.locator("nav").is_visible()
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert page.pdf(format="A4").startswith(b"%PDF")
    context.close()
