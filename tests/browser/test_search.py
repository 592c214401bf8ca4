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
@pytest.mark.parametrize("more", [(), ("x𐐨! 𐐪",)])
def test_a_search_knows_the_letters_of_all_scripts(open_page, pattern, found, more):
    """Also where there are letters of more than 16 bits, for which it is another expression."""
    texts = WORDS + more
    bitext = Bitext.from_pairs([(words, "t") for words in texts])
    seen = open_page(AlignmentView(bitext, Links.from_pairs([[]] * len(texts))))
    seen.page.get_by_role("searchbox").first.fill(pattern)
    wait_for_count(seen, len(found))
    assert {line - 1 for line in listed(seen)} == found
    assert seen.page.locator(".error").count() == 0


def test_a_search_knows_letters_of_more_than_16_bits(open_page):
    bitext = Bitext.from_pairs([("𐐨𐐩 𐐪", "t"), ("a!", "t"), ("😀 b", "t")])
    seen = open_page(AlignmentView(bitext, Links.from_pairs([[]] * 3)))
    for pattern, found in ((r"^\w+ \b\w$", [1]), (r"\W$", [2]), (r"^\W", [3])):
        seen.page.get_by_role("searchbox").first.fill(pattern)
        wait_for_count(seen, 1)
        assert listed(seen) == found


def test_a_page_that_opens_with_half_an_expression_shows_its_pairs(open_page):
    """Also filtered: only the search waits for a valid expression."""
    bitext = Bitext.from_pairs([("a b", "t"), ("a", "t"), ("c", "t")])
    seen = open_page(AlignmentView(bitext, Links.from_pairs([[]] * 3)), "#source=%28")
    assert "Unterminated group" in seen.text(".error")
    assert listed(seen) == [1, 2, 3]
    seen.page.locator("summary").first.click()
    seen.page.get_by_label("Words at most").fill("2")
    wait_for_count(seen, 2)
    assert listed(seen) == [2, 3]
    seen.page.get_by_role("searchbox").first.fill("(c)")
    wait_for_count(seen, 1)
    assert listed(seen) == [3]


SLOW = """const now = performance.now.bind(performance); let calls = 0;
performance.now = () => now() + 300 * calls++;"""
NOTED = """window.noted = [];
new MutationObserver(() => {
  const save = [...document.querySelectorAll("#viewer > .exports button")];
  const status = document.querySelector("[role=status]").innerText;
  window.noted.push([status, ...save.map((button) => button.disabled)]);
}).observe(document.querySelector(".summary"), {
  subtree: true, childList: true, characterData: true,
});"""


def test_a_slow_search_shows_what_it_has_found(open_page):
    """Some pairs at a time, here as if they took long; what is found is saved when it is whole."""
    bitext = Bitext.from_pairs([(f"line {k % 10}", "t") for k in range(1000)])
    seen = open_page(AlignmentView(bitext, Links.from_pairs([[]] * 1000)), before=SLOW)
    seen.page.evaluate(NOTED)
    seen.page.get_by_role("searchbox").first.fill(r"\b7$")
    wait_for_count(seen, 100)
    seen.page.wait_for_selector("[role=status][aria-busy=false]")
    noted = seen.page.evaluate("window.noted")
    assert ["19 of 1,000 pairs (19 % searched)", True, True] in noted
    assert noted[-1] == ["100 of 1,000 pairs", False, False]
    assert listed(seen)[:3] == [8, 18, 28]
    seen.page.get_by_role("searchbox").first.fill("line 3")  # before the other is done
    seen.page.get_by_role("searchbox").first.fill("line [45]$")
    wait_for_count(seen, 200)
    seen.page.wait_for_selector("[role=status][aria-busy=false]")
    assert listed(seen)[:3] == [5, 6, 15]


@pytest.mark.parametrize("pattern", [r"\b(", r"[\w-z]", r"[\W-z]", "[", r"\w{2,1}", "\\"])
def test_a_search_that_is_no_expression_says_so(open_page, pattern):
    bitext = Bitext.from_pairs([("a", "b")])
    seen = open_page(AlignmentView(bitext, Links.from_pairs([[]])))
    seen.page.get_by_role("searchbox").first.fill(pattern)
    seen.page.wait_for_selector(".error")
    assert f"/{pattern}/" in seen.text("p.error")
