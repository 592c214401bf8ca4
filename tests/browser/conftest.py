"""A real browser without a window, and a page of a hundred sentence pairs."""

import os
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import isogloss as ig
from isogloss.align.links.gold_links import GoldLinks
from isogloss.align.links.links import Links
from isogloss.align.model.model import AlignmentModel
from isogloss.align.text.bitext import Bitext
from isogloss.pages.viewer import AlignmentView
from tests.architecture.reading import ROOT

PAIRS = 120
# a page that opens with a chosen pair scrolls to it, and then draws other rows
SETTLED = """async () => {
  const frame = () => new Promise(requestAnimationFrame);
  let changes = 1;
  const observer = new MutationObserver(() => { changes += 1; });
  observer.observe(document.body, { subtree: true, childList: true, attributes: true });
  while (changes) { changes = 0; for (let k = 0; k < 3; k++) await frame(); }
  observer.disconnect();
}"""
_NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")


@dataclass(frozen=True)
class Sample:
    """The first sentence pairs of the bundled bitext, aligned."""

    bitext: Bitext
    links: Links
    other: Links
    gold: GoldLinks
    model: AlignmentModel


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    program = os.environ.get("ISOGLOSS_CHROMIUM") or next(
        filter(None, map(shutil.which, _NAMES)), None
    )
    if program is None:
        pytest.skip("no Chromium on PATH")
    with api.sync_playwright() as playwright:
        arguments = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
        browser = playwright.chromium.launch(executable_path=program, args=arguments)
        yield browser
        browser.close()


@dataclass
class Opened:
    """A page that is open, and what it said that it should not."""

    page: Any
    problems: list[str]

    def text(self, selector: str) -> str:
        return self.page.locator(selector).inner_text()


@pytest.fixture
def open_page(chromium: Any, tmp_path: Path) -> Iterator[Any]:
    """Writes a page, opens it offline, and fails for errors and for requests."""
    opened: list[tuple[Any, Opened]] = []

    def open_view(
        view: AlignmentView,
        fragment: str = "",
        width: int = 1280,
        scheme: str = "light",
        before: str = "",  # run in the page before its own scripts
    ) -> Opened:
        path = tmp_path / f"view{len(opened)}.html"
        path.write_text(view.page().html(), encoding="utf-8")
        context = chromium.new_context(
            viewport={"width": width, "height": 900},
            color_scheme=scheme,
            accept_downloads=True,
            offline=True,
        )
        context.add_init_script(before)
        page, problems = context.new_page(), list[str]()
        page.on("console", lambda message: problems.append(message.text))
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.on("dialog", lambda dialog: problems.append(dialog.message))
        page.on(
            "request",
            lambda request: (
                None
                if request.url.split(":")[0] in ("file", "blob", "data")
                else problems.append(request.url)
            ),
        )
        page.goto(path.as_uri() + fragment)
        page.wait_for_selector("#viewer[data-ready=true]")
        page.evaluate(SETTLED)
        opened.append((context, Opened(page, problems)))
        return opened[-1][1]

    yield open_view
    for context, seen in opened:
        assert seen.problems == []
        context.close()


@pytest.fixture(scope="session")
def sample() -> Sample:
    data = ROOT / "data"
    whole = ig.read_bitext(
        data / "train.en.gz", data / "train.es.gz", labels=data / "train.labels.gz"
    )
    bitext = whole[:2400]
    model = ig.train(bitext, hmm_iterations=2)
    shown = bitext[:PAIRS]
    forward, reverse = model.align_directions(shown)
    return Sample(
        shown,
        model.with_confidence(shown, model.align(shown)),
        ig.symmetrize(forward, reverse, "grow-diag-final-and"),
        ig.read_gold(data / "train.en-es.gold.gz")[:PAIRS],
        model,
    )


def view_of(sample: Sample, **more) -> AlignmentView:
    return AlignmentView(
        sample.bitext, sample.links, sample.other, sample.gold, sample.model, **more
    )


def drawn(seen: Opened) -> dict[str, int]:
    """Number of links drawn, by the kind that their class says."""
    kinds: dict[str, int] = {}
    for names in seen.page.eval_on_selector_all(
        "svg.drawing .link, svg.drawing .cell",
        "links => links.map(link => link.getAttribute('class'))",
    ):
        kind = names.split()[1]
        kinds[kind] = kinds.get(kind, 0) + 1
    return kinds


def listed(seen: Opened) -> list[int]:
    """Lines of the pairs at the top of the list."""
    numbers = "() => [...document.querySelectorAll('#pairs .number')].map(row => row.innerText)"
    return [int(text.split()[0]) for text in seen.page.evaluate(numbers)]


def saved(seen: Opened, button: str, place: str = "") -> Path:
    with seen.page.expect_download() as started:
        seen.page.locator(f"{place} button", has_text=button).click()
    return Path(started.value.path())


def counted(seen: Opened) -> int:
    return int(seen.text(".summary p[role=status]").split()[0].replace(",", ""))


def wait_for_count(seen: Opened, count: int) -> None:
    seen.page.wait_for_function(
        "count => parseInt(document.querySelector('.summary p[role=status]').innerText) === count",
        arg=count,
    )


def error_of(links: Links, sample: Sample, pair: int) -> float:
    return ig.evaluate(links[[pair]], sample.gold[[pair]]).aer
