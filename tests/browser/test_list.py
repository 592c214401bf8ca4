"""The list of the viewer: searched, filtered, sorted, walked through, and found by address."""

import re

import numpy as np
import pytest

from isogloss.align.arrays.ragged import row_numbers
from isogloss.align.links.links import Links
from isogloss.align.text.bitext import Bitext
from isogloss.pages.viewer import AlignmentView

from .conftest import PAIRS, Opened, counted, error_of, listed, view_of, wait_for_count


def test_search_takes_regular_expressions_on_either_side(open_page, sample):
    seen = open_page(view_of(sample))
    texts = [
        [" ".join(words) for words in side] for side in (sample.bitext.source, sample.bitext.target)
    ]
    assert counted(seen) == PAIRS
    for side, pattern in ((0, r"\bthe .*s\b"), (1, "^¿"), (1, "ó")):
        boxes = seen.page.get_by_role("searchbox")
        boxes.nth(side).fill(pattern)
        wait_for_count(seen, sum(bool(re.search(pattern, text, re.I)) for text in texts[side]))
        boxes.nth(side).fill("")
        wait_for_count(seen, PAIRS)
    seen.page.get_by_role("searchbox").first.fill("(")
    assert "Invalid regular expression" in seen.text(".error")
    assert counted(seen) == PAIRS  # as before, until the pattern is one
    seen.page.get_by_role("searchbox").first.fill("no such words")
    wait_for_count(seen, 0)
    assert seen.text("#pairs .empty") == "No pair passes the filters."
    assert seen.text(".pair") == "Nothing to draw."
    seen.page.get_by_role("searchbox").first.fill("")
    seen.page.wait_for_selector(".pair[aria-label='Pair 1']")


def test_pairs_are_sorted_by_each_measure(open_page, sample):
    seen = open_page(view_of(sample))
    pair = row_numbers(sample.links.offsets)
    sums = np.bincount(pair, np.rint(1000 * sample.links.probability), PAIRS)
    words = sample.bitext.source.lengths + sample.bitext.target.lengths
    linked = [len({i for i, _ in links}) + len({j for _, j in links}) for links in sample.links]
    differ = [
        1 - len(set(a) & set(b)) / max(1, len(set(a) | set(b)))
        for a, b in zip(sample.links, sample.other, strict=True)
    ]
    measures = {
        "aer": [-error_of(sample.links, sample, pair) for pair in range(PAIRS)],
        "difference": np.negative(differ),
        "confidence": sums / np.diff(sample.links.offsets),
        "unlinked": np.asarray(linked) - words,
        "words": -words,
        "shortest": words,
    }
    for name, values in measures.items():
        seen.page.get_by_label("Sort").select_option(name)
        order = np.argsort(np.round(values, 6), kind="stable") + 1
        seen.page.wait_for_function(
            "line => parseInt(document.querySelector('#pairs .row .number').innerText) === line",
            arg=int(order[0]),
        )
        assert listed(seen)[:8] == order[:8].tolist(), name


def scrolled(seen: Opened) -> float:
    return seen.page.evaluate("document.getElementById('pairs').scrollTop")


def test_a_bookmark_opens_at_the_top_unless_it_names_a_pair(open_page, sample):
    words = sample.bitext.source.lengths + sample.bitext.target.lengths
    order = np.argsort(-words, kind="stable")
    assert order[0] != 0
    seen = open_page(view_of(sample), "#sort=words")
    assert scrolled(seen) == 0
    assert seen.page.locator(f".pair[aria-label='Pair {order[0] + 1}']").count() == 1
    assert seen.page.locator("#pairs .row.chosen").count() == 1
    seen.page.locator("#pairs").focus()
    seen.page.keyboard.press("ArrowDown")
    seen.page.wait_for_selector(f".pair[aria-label='Pair {order[1] + 1}']")
    named = open_page(view_of(sample), f"#sort=words&line={order[-1] + 1}")
    named.page.wait_for_selector(f".pair[aria-label='Pair {order[-1] + 1}']")
    assert scrolled(named) > 0


def test_a_pair_without_links_has_no_confidence(open_page):
    bitext = Bitext.from_pairs([("a b", "c d")] * 3)
    links = Links.from_pairs([[(0, 0)], [], [(1, 1)]])
    scored = Links(links.source, links.target, links.offsets, np.float32([0.9, 0.4]))
    seen = open_page(AlignmentView(bitext, scored), "#sort=confidence")
    assert listed(seen) == [3, 1, 2]
    values = seen.page.locator("#pairs .value").all_inner_texts()
    assert values == ["0.40", "0.90", "–"]
    seen.page.locator("#pairs .row").last.click()
    seen.page.wait_for_selector(".pair[aria-label='Pair 2']")
    assert "confidence – ·" in seen.text(".figures")
    seen.page.get_by_text("More filters").click()
    seen.page.get_by_label("Mean confidence at most").fill("0.95")
    wait_for_count(seen, 2)


def test_filters_of_domains_and_of_pairs_that_differ(open_page, sample):
    seen = open_page(view_of(sample))
    best = sample.model.domain_posteriors(sample.bitext).argmax(axis=1)
    for number, domain in enumerate(sample.model.domains):
        seen.page.get_by_label("Domain of the pair").select_option(domain)
        wait_for_count(seen, int((best == number).sum()))
    seen.page.get_by_label("Domain of the pair").select_option("")
    seen.page.get_by_text("More filters").click()
    seen.page.get_by_label("Only pairs that differ").check()
    wait_for_count(seen, sum(a != b for a, b in zip(sample.links, sample.other, strict=True)))
    seen.page.get_by_label("Words at most").fill("9")
    words = sample.bitext.source.lengths + sample.bitext.target.lengths
    both = zip(sample.links, sample.other, words, strict=True)
    wait_for_count(seen, sum(bool(a != b and n <= 9) for a, b, n in both))
    seen.page.get_by_role("button", name="Clear").click()
    wait_for_count(seen, PAIRS)


def test_the_address_keeps_the_state(open_page, sample):
    seen = open_page(view_of(sample))
    seen.page.get_by_label("Sort").select_option("aer")
    seen.page.get_by_role("searchbox").first.fill("the")
    seen.page.get_by_label("View").select_option("matrix")
    seen.page.locator("#pairs .row").nth(2).click()
    line = seen.page.locator("#pairs .row.chosen .number").inner_text()
    seen.page.wait_for_function(
        "() => location.hash.includes('view=matrix') && location.hash.includes('line=')"
    )
    seen.page.reload()
    seen.page.wait_for_selector("svg.matrix")
    assert seen.page.locator("#pairs .row.chosen .number").inner_text() == line
    assert seen.page.get_by_role("searchbox").first.input_value() == "the"


def test_keys_move_through_the_list_and_to_the_search(open_page, sample):
    seen = open_page(view_of(sample))
    seen.page.locator("#pairs").focus()
    lines = {"ArrowDown": 2, "j": 3, "k": 2, "End": PAIRS, "ArrowUp": PAIRS - 1, "Home": 1}
    for key, line in lines.items():
        seen.page.keyboard.press(key)
        seen.page.wait_for_selector(f".pair[aria-label='Pair {line}']")
        seen.page.wait_for_selector(f"#pairs[aria-activedescendant='pair-{line - 1}']")
    seen.page.keyboard.press("/")
    seen.page.keyboard.type("the")
    assert seen.page.get_by_role("searchbox").first.input_value() == "the"
    seen.page.locator("g.word").first.focus()
    seen.page.keyboard.press("Enter")
    assert seen.page.locator("g.word[aria-pressed=true]").count() == 1


@pytest.mark.parametrize(
    "fragment",
    [
        "line=1.5",
        "line=-3",
        "line=x",
        "link=5",
        "link={}",
        "link=[]",
        'link="x"',
        "link={",
        "link=null",
    ],
)
def test_a_fragment_that_says_nothing_is_passed_over(open_page, sample, fragment):
    seen = open_page(view_of(sample), f"#{fragment}")
    seen.page.wait_for_selector("#pairs .row.chosen")
    assert seen.page.locator(".link-filter").count() == 0
