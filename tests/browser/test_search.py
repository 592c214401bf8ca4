"""Regular expressions that are typed: words of all scripts, and what is wrong with others."""

import pytest

from isogloss.align.links.links import Links
from isogloss.align.text.bitext import Bitext
from isogloss.pages.viewer import AlignmentView

from .conftest import listed, wait_for_count

WORDS = ("článek o směrnici", "řízení řidiče", "a řek b", "दिल्ली में", "llegó ya", "x-y _z 9", "שלום")


@pytest.mark.parametrize(
    ("pattern", "found"),
    [
        (r"\břek\b", {2}),
        (r"\bčl", {0}),
        (r"\blleg\b", set()),
        (r"\bllegó\b", {4}),
        (r"^\w+ \w+ \w+$", {0, 2}),
        (r"^\w+$", {6}),
        (r"\w+ni\b", set()),
        (r"\Břidič", set()),
        (r"\Bidič", {1}),
        (r"^[\w ]+$", {0, 1, 2, 3, 4, 6}),
        (r"^[^\w]", set()),
        (r"[\W^]y", {4, 5}),
        (r"^[^\Wa-z]", {0, 1, 3, 6}),
        (r"\p{L}-\u{79}[\]]?", {5}),
        (r"\\b", set()),
    ],
)
def test_a_search_knows_the_letters_of_all_scripts(open_page, pattern, found):
    bitext = Bitext.from_pairs([(words, "t") for words in WORDS])
    seen = open_page(AlignmentView(bitext, Links.from_pairs([[]] * len(WORDS))))
    seen.page.get_by_role("searchbox").first.fill(pattern)
    wait_for_count(seen, len(found))
    assert {line - 1 for line in listed(seen)} == found
    assert seen.page.locator(".error").count() == 0


@pytest.mark.parametrize("pattern", [r"\b(", r"[\w-z]", r"[\W-z]", "[", r"\w{2,1}", "\\"])
def test_a_search_that_is_no_expression_says_so(open_page, pattern):
    bitext = Bitext.from_pairs([("a", "b")])
    seen = open_page(AlignmentView(bitext, Links.from_pairs([[]])))
    seen.page.get_by_role("searchbox").first.fill(pattern)
    seen.page.wait_for_selector(".error")
    assert f"/{pattern}/" in seen.text("p.error")
