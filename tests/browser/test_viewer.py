"""The viewer as a person uses it: what is drawn, searched, sorted, clicked, saved and printed."""

import json
import re
from dataclasses import replace
from xml.etree import ElementTree

import numpy as np
import pytest

import isogloss as ig
from isogloss.align.arrays.ragged import row_numbers
from isogloss.align.links.links import Links
from isogloss.align.text.bitext import Bitext
from isogloss.pages.partners import word_partners
from isogloss.pages.viewer import AlignmentView

from .conftest import PAIRS, Opened, Sample, drawn, saved, view_of


def kept(links: Links, threshold: float) -> Links:
    """The links whose probability, in thousandths, reaches the threshold."""
    rows = np.rint(1000 * links.probability) >= 1000 * threshold
    return Links.from_keys(links.keys()[rows], len(links))


def error_of(links: Links, sample: Sample, pair: int) -> float:
    return ig.evaluate(links[[pair]], sample.gold[[pair]]).aer


def listed(seen: Opened) -> list[int]:
    """Lines of the pairs at the top of the list."""
    texts = seen.page.locator("#pairs .number").all_inner_texts()
    return [int(text.split()[0]) for text in texts]


def counted(seen: Opened) -> int:
    return int(seen.text(".summary p[role=status]").split()[0].replace(",", ""))


def wait_for_count(seen: Opened, count: int) -> None:
    seen.page.wait_for_function(
        "count => parseInt(document.querySelector('.summary p[role=status]').innerText) === count",
        arg=count,
    )


def test_links_are_drawn_against_gold(open_page, sample):
    pair = int(np.argmax([error_of(sample.links, sample, pair) for pair in range(PAIRS)]))
    seen = open_page(view_of(sample), f"#pair={pair}")
    sure, possible = map(set, sample.gold[pair])
    links = set(sample.links[pair])
    expected = {
        "right": len(links & sure), "possible": len(links & possible - sure),
        "wrong": len(links - possible), "missed": len(possible - links),
    }  # fmt: skip
    assert drawn(seen) == {kind: number for kind, number in expected.items() if number}
    seen.page.get_by_label("Colors").select_option("agreement")
    other = set(sample.other[pair])
    expected = {
        "both": len(links & other),
        "only-a": len(links - other),
        "only-b": len(other - links),
    }
    assert drawn(seen) == {kind: number for kind, number in expected.items() if number}


@pytest.mark.parametrize("threshold", [0.0, 0.5, 0.9])
def test_the_scores_follow_the_threshold(open_page, sample, threshold):
    seen = open_page(view_of(sample), f"#threshold={threshold * 1000:.0f}")
    score = ig.evaluate(kept(sample.links, threshold), sample.gold)
    expected = [f"{100 * value:.2f}" for value in (score.aer, score.precision, score.recall)]
    assert re.findall(r"\d+\.\d+", seen.text("#scores")) == expected
    links = sample.links[3]
    faded = seen.page.goto(
        seen.page.url.split("#")[0] + f"#threshold={threshold * 1000:.0f}&pair=3"
    )
    assert faded is None  # the page stays, only its state changes
    seen.page.wait_for_selector(".pair[aria-label='Pair 4']")
    rows = slice(sample.links.offsets[3], sample.links.offsets[4])
    below = int((np.rint(1000 * sample.links.probability[rows]) < 1000 * threshold).sum())
    assert seen.page.locator("svg.curves .link.faded").count() == below <= len(links)


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
        "() => location.hash.includes('view=matrix') && location.hash.includes('pair=')"
    )
    seen.page.reload()
    seen.page.wait_for_selector("svg.matrix")
    assert seen.page.locator("#pairs .row.chosen .number").inner_text() == line
    assert seen.page.get_by_role("searchbox").first.input_value() == "the"


def test_a_word_shows_its_partners_and_leads_to_them(open_page, sample):
    seen = open_page(view_of(sample))
    word = sample.bitext.source[0][sample.links[0][0][0]]
    seen.page.locator(f"g.word[data-side=source][data-word='{sample.links[0][0][0]}']").click()
    seen.page.wait_for_selector(".partners tbody tr")
    partners = word_partners(sample.bitext, sample.links)
    rows = partners.source == sample.bitext.source.vocabulary.get(word)
    counts = sorted(partners.count[rows].tolist(), reverse=True)
    cells = seen.page.locator(".partners tbody tr td:nth-child(2)").all_inner_texts()
    assert [int(cell.split()[0]) for cell in cells] == counts[:12]
    first = seen.page.locator(".partners tbody tr").first
    partner = first.locator("th").inner_text()
    so, otherwise = (
        sum(
            any(source[i] == word and (target[j] == partner) == same for i, j in links)
            for source, target, links in zip(
                sample.bitext.source, sample.bitext.target, sample.links, strict=True
            )
        )
        for same in (True, False)
    )
    first.get_by_role("button", name="linked like this").click()
    wait_for_count(seen, so)
    seen.page.get_by_role("button", name="Remove").click()
    wait_for_count(seen, PAIRS)
    seen.page.locator(".partners tbody tr").first.get_by_role(
        "button", name="linked otherwise"
    ).click()
    wait_for_count(seen, otherwise)


@pytest.mark.parametrize("width", [1280, 390])
def test_the_partners_of_a_word_fit_with_five_domains(open_page, sample, width):
    names = ("legislation", "medicine", "international_relations", "subtitles", "out")
    model = replace(sample.model, domains=names)
    seen = open_page(replace(view_of(sample), model=model), width=width)
    seen.page.locator("g.word[data-side=source]").first.click()
    seen.page.wait_for_selector(".partners tbody tr")
    heads = seen.page.locator(".partners thead th").all_inner_texts()
    assert heads[-5:] == list(names)
    table = seen.page.locator(".partners .scroll")
    needed, there = table.evaluate("box => [box.scrollWidth, box.clientWidth]")
    assert width == 390 or needed <= there
    assert seen.page.evaluate("document.documentElement.scrollWidth") <= width
    assert table.evaluate("box => box.parentElement.scrollWidth <= box.parentElement.clientWidth")


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


def test_a_selection_is_saved(open_page, sample):
    seen = open_page(view_of(sample), "#target=ó&threshold=900")
    shown = [k for k, words in enumerate(sample.bitext.target) if "ó" in " ".join(words)]
    links = kept(sample.links, 0.9)[shown]
    assert ig.read_links(saved(seen, "Pharaoh")) == links
    records = [
        json.loads(line) for line in saved(seen, "JSON Lines").read_text("utf-8").splitlines()
    ]
    assert [record["line"] for record in records] == [k + 1 for k in shown]
    assert [record["source"].split() for record in records] == [
        sample.bitext.source[k] for k in shown
    ]
    assert [record["links"] for record in records] == [
        " ".join(f"{i}-{j}" for i, j in row) for row in links
    ]


def test_a_drawing_is_saved(open_page, sample):
    seen = open_page(view_of(sample), "#pair=1")
    source, target = sample.bitext.source[1], sample.bitext.target[1]
    for view in ("rows", "columns", "matrix"):
        seen.page.get_by_label("View").select_option(view)
        root = ElementTree.fromstring(saved(seen, "SVG", ".pair").read_bytes())
        texts = [element.text for element in root.iter("{http://www.w3.org/2000/svg}text")]
        assert texts == source + target
        assert "class" not in root.attrib
    assert saved(seen, "PNG", ".pair").read_bytes()[:8] == b"\x89PNG\r\n\x1a\n"
    lines = saved(seen, "TikZ", ".pair").read_text("utf-8").splitlines()
    assert lines[0].startswith(r"\begin{tikzpicture}")
    assert lines[-1] == r"\end{tikzpicture}"
    assert sum("\\draw" in line for line in lines) == len(sample.links[1])
    rows = saved(seen, "Text", ".pair").read_text("utf-8").splitlines()
    for i, word in enumerate(source):
        marks = rows[i].split()
        assert marks[0] == word
        assert [j for j, mark in enumerate(marks[1:]) if mark != "."] == [
            j for k, j in sample.links[1] if k == i
        ]


HOSTILE = [
    (
        "<script>alert(1)</script> </script> <!-- ]]> &amp;",
        "<img/src=x/onerror=alert(1)> \\u003c \"'`${x}",
    ),
    ("שלום עולם טוב", "hello good world"),
    ("私 は 学生 です", "\u202eevil\u202c zero\u200bwidth \ufeff"),
    ("", "only target"),
    ("", ""),
    (" ".join(f"w{k}" for k in range(1000)), " ".join(f"v{k}" for k in range(1000))),
    ("mixed שלום عربي 日本", "ﷺ 🏳️‍🌈 e\u0301"),
]


@pytest.mark.parametrize("view", ["rows", "columns", "matrix"])
def test_any_text_is_shown_and_none_is_obeyed(open_page, view):
    bitext = Bitext.from_pairs(HOSTILE)
    both = zip(bitext.source, bitext.target, strict=True)
    links = Links.from_pairs([[(k, k) for k in range(min(map(len, pair)))] for pair in both])
    seen = open_page(
        AlignmentView(bitext, links, title="</title><script>alert(2)</script>"), f"#view={view}"
    )
    assert seen.page.locator("h1").inner_text() == "</title><script>alert(2)</script>"
    for number in range(len(HOSTILE)):
        seen.page.goto(seen.page.url.split("#")[0] + f"#view={view}&pair={number}")
        seen.page.wait_for_selector(f".pair[aria-label='Pair {number + 1}']")
        words = seen.page.locator("svg.drawing text").all_text_contents()
        hidden = {
            "\u202e": "<202E>",
            "\u202c": "<202C>",
            "\u200b": "<200B>",
            "\ufeff": "<FEFF>",
            "\ufe0f": "\ufe0f",
        }
        expected = bitext.source[number] + bitext.target[number]
        for character, shown in hidden.items():
            expected = [word.replace(character, shown) for word in expected]
        assert words == expected
    assert seen.page.evaluate("[...document.scripts].filter(script => !script.type).length") == 6
    assert seen.page.locator("img").count() == 0


def test_words_from_right_to_left_are_drawn_so(open_page):
    bitext = Bitext.from_pairs([HOSTILE[1]])
    seen = open_page(
        AlignmentView(bitext, Links.from_pairs([[(0, 0), (1, 2), (2, 1)]])), "#view=rows"
    )
    places = seen.page.eval_on_selector_all(
        "g.word[data-side=source] text",
        "words => words.map(word => Number(word.getAttribute('x')))",
    )
    assert places == sorted(places, reverse=True)


def test_pairs_are_printed_one_below_the_other(open_page, sample):
    seen = open_page(view_of(sample), "#sort=aer")
    seen.page.emulate_media(media="print")
    seen.page.evaluate("dispatchEvent(new Event('beforeprint'))")
    seen.page.wait_for_selector(".printed section")
    assert seen.page.locator(".printed section").count() == PAIRS
    assert seen.page.pdf()[:5] == b"%PDF-"


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("edit", [False, True])
def test_nothing_keeps_anybody_out(open_page, sample, scheme, width, edit):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    seen = open_page(view_of(sample, edit=edit), "#pair=1", width, scheme)
    assert seen.page.evaluate("document.documentElement.scrollWidth") <= width
    seen.page.get_by_text("More filters").click()
    for view in ("rows", "columns", "matrix"):
        seen.page.get_by_label("View").select_option(view)
        if view != "matrix":
            seen.page.locator("g.word").first.click()
            seen.page.wait_for_selector(".partners table, .partners p")
        result = axe.run(seen.page).response
        assert [(one["id"], one["nodes"][0]["html"]) for one in result["violations"]] == []
        assert len(result["passes"]) > 10


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_domain_of_the_chosen_pair_can_be_read(open_page, sample, scheme):
    """Whichever domain it is: its color stands on that of the chosen row."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    seen = open_page(view_of(sample), "#pair=0", 1280, scheme)
    badges = seen.page.locator("#pairs .row .badge")
    names = badges.all_inner_texts()
    for name in sorted(set(names)):
        badges.nth(names.index(name)).click()
        seen.page.wait_for_selector(f"#pairs .row.chosen .badge:text-is('{name}')")
        violations = axe.run(seen.page).response["violations"]
        assert [(one["id"], one["nodes"][0]["html"]) for one in violations] == []


@pytest.mark.parametrize(
    "fragment",
    [
        "pair=1.5",
        "pair=-3",
        "pair=x",
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
