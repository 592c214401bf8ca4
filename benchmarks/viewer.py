"""How fluid a page of many sentence pairs is: writing, opening, a keystroke of a search.

    python benchmarks/viewer.py [--pairs N] [--keep FILE.html]

The pairs are the law, captions and parliament texts of en-fr-multidomain, a tenth of them labeled,
aligned by isogloss and by grow-diag-final-and of the same model. The page is opened in a headless
Chromium. All times are wall times: upper bounds on a machine that others use.
"""

import argparse
import time
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

from mixtures import DATA
from playwright.sync_api import sync_playwright
from program import parse_common, run_program

import isogloss as ig
from isogloss.align.files.text_io import read_lines

DOMAINS = ("law", "captions", "parliament")
SEARCHES = ("t", "th", "the", "the minister", r"the (m|s)\w+ of", r"\w+ing$", r"\w{12,}", "")
TIMED = """([selector, value, event]) => new Promise((done) => {
  const box = document.querySelector(selector), begin = performance.now();
  box.value = value;
  box.dispatchEvent(new Event(event, { bubbles: true }));
  const twice = (then) => requestAnimationFrame(() => setTimeout(then));
  let first = 0;
  const wait = () => document.querySelector("[role=status][aria-busy=true]") ? setTimeout(wait, 5)
    : done([first, performance.now() - begin]);
  twice(() => twice(() => { first = performance.now() - begin; wait(); }));
})"""


def text(pairs: int, data: Path) -> ig.Bitext:
    """The first pairs of the domains, with every tenth label."""
    sides: list[list[str]] = [[], []]
    labels: list[str | None] = []
    for domain in DOMAINS:
        files = [data / f"en-fr-multidomain/train.{domain}.{side}.gz" for side in ("en", "fr")]
        for side, file in zip(sides, files, strict=True):
            side += [line.lower() for line in read_lines(file)]
        labels += [domain] * (len(sides[0]) - len(labels))
    shown = [label if k % 10 == 9 else None for k, label in enumerate(labels[:pairs])]
    return ig.Bitext.from_sentences(sides[0][:pairs], sides[1][:pairs], shown)


def measure(page: Any, path: Path) -> dict[str, float]:
    """Seconds until the first rows and until all is read; milliseconds of what is then done."""
    begin = time.perf_counter()
    page.goto(path.as_uri(), wait_until="commit")
    page.wait_for_selector("#pairs .row")
    first = time.perf_counter() - begin
    page.wait_for_selector("#viewer[data-ready=true]", timeout=120_000)
    whole = time.perf_counter() - begin
    searches = [page.evaluate(TIMED, ["input[type=search]", words, "input"]) for words in SEARCHES]
    begun, done = zip(*searches, strict=True)
    thresholds = [
        page.evaluate(TIMED, ["input[type=range]", value, "input"])[0] for value in (500, 600, 900)
    ]
    return {
        "first rows, s": first,
        "all read, s": whole,
        "search, ms, median": median(begun),
        "search, ms, most": max(begun),
        "... of all pairs, most": max(done),
        "threshold, ms, most": max(thresholds),
        "sort, ms": page.evaluate(TIMED, ["select", "confidence", "change"])[0],
    }


def run(options: argparse.Namespace) -> dict[str, Any]:
    """Make the page, open it, print what it took."""
    bitext, threads = text(options.pairs, options.data), options.threads
    model = ig.train(bitext, threads=threads)
    links = model.with_confidence(bitext, model.align(bitext, threads=threads), threads)
    other = model.align(bitext, heuristic="grow-diag-final-and", threads=threads)
    with TemporaryDirectory() as folder, sync_playwright() as playwright:
        path = (options.keep or Path(folder, "view.html")).resolve()
        begin = time.perf_counter()
        ig.view(bitext, links, path, other=other, model=model, threads=threads)
        figures = {
            "written, s": time.perf_counter() - begin,
            "size, MB": path.stat().st_size / 1e6,
        }
        browser = playwright.chromium.launch(
            executable_path="/usr/bin/chromium", args=["--no-sandbox", "--disable-gpu"]
        )
        page = browser.new_page(viewport={"width": 1280, "height": 900})
        figures |= measure(page, path)
        browser.close()
    for name, value in figures.items():
        print(f"{name:24} {value:8.2f}")
    return figures


def main() -> None:
    """Read the options and run."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pairs", type=int, default=100_000)
    parser.add_argument("--keep", type=Path, metavar="FILE")
    run_program("viewer", parse_common(parser, None, DATA), run)


if __name__ == "__main__":
    main()
