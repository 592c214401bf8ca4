"""What is printed of a page: which pairs, how many of how many, in the view that is chosen."""

import pytest

from isogloss.align.links.links import Links
from isogloss.align.text.bitext import Bitext
from isogloss.pages.viewer import AlignmentView

MOST = 200  # pairs


@pytest.fixture
def view() -> AlignmentView:
    pairs = [(f"the house {k}" if k % 2 else f"a house {k}", "una casa") for k in range(500)]
    pairs[0] = (" ".join("house" for _ in range(120)), "casa")
    return AlignmentView(Bitext.from_pairs(pairs), Links.from_pairs([[(0, 0)]] * 500))


def printed(seen):
    seen.page.emulate_media(media="print")
    seen.page.evaluate("dispatchEvent(new Event('beforeprint'))")
    seen.page.wait_for_selector(".printed section")
    return seen.page.locator(".printed")


@pytest.mark.parametrize(
    ("fragment", "count", "text"),
    [
        ("", MOST, "first 200 of 500 pairs"),
        ("#source=the", MOST, "first 200 of 250 selected pairs; 500 in all"),
        ("#source=house+7", 11, "11 selected pairs; 500 in all"),
        ("#source=house+77", 1, "1 selected pair; 500 in all"),
    ],
)
def test_the_paper_says_how_many_pairs_it_shows(open_page, view, fragment, count, text):
    paper = printed(open_page(view, fragment))
    assert paper.locator("section").count() == count
    assert paper.locator(".count").inner_text() == f"Printed: {text}"
    assert paper.locator(".count").is_visible()


@pytest.mark.parametrize("chosen", ["matrix", "columns", "rows", "auto"])
def test_the_view_that_is_chosen_is_printed(open_page, view, chosen):
    seen = open_page(view, f"#view={chosen}")
    paper = printed(seen)
    kind = "matrix" if chosen == "matrix" else "curves"
    drawings = paper.locator("svg.drawing")
    assert drawings.count() == paper.locator(f"svg.{kind}").count() == MOST
    sizes = drawings.evaluate_all("all => all.map(one => [one.clientWidth, one.clientHeight])")
    assert max(width for width, _ in sizes) <= 661  # what a page is wide
    if chosen == "matrix":
        assert max(height for _, height in sizes) <= 901
        assert paper.locator("section .cell").count() == MOST
    else:
        heights = (
            drawings.nth(1)
            .locator("text")
            .evaluate_all("words => words.map(word => word.getBoundingClientRect().y)")
        )
        assert (heights[0] == heights[1]) == (chosen != "columns")
    assert seen.page.pdf()[:5] == b"%PDF-"


def test_the_page_is_as_before_after_printing(open_page, view):
    seen = open_page(view, "#view=matrix")
    printed(seen)
    seen.page.evaluate("dispatchEvent(new Event('afterprint'))")
    seen.page.wait_for_selector("#pairs .row")
    assert seen.page.locator(".printed").count() == 0
