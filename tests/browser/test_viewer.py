"""The viewer as a person uses it: what is drawn, searched, sorted, clicked, saved and printed."""

import json
import re
from dataclasses import replace
from xml.etree import ElementTree

import numpy as np
import pytest

import isogloss as ig
from isogloss.align.files.tables.html import visible
from isogloss.align.links.links import Links
from isogloss.align.text.bitext import Bitext
from isogloss.pages.partners import word_partners
from isogloss.pages.viewer import AlignmentView

from .conftest import PAIRS, drawn, error_of, saved, view_of, wait_for_count


def kept(links: Links, threshold: float) -> Links:
    """The links whose probability, in thousandths, reaches the threshold."""
    rows = np.rint(1000 * links.probability) >= 1000 * threshold
    return Links.from_keys(links.keys()[rows], len(links))


def test_links_are_drawn_against_gold(open_page, sample):
    pair = int(np.argmax([error_of(sample.links, sample, pair) for pair in range(PAIRS)]))
    seen = open_page(view_of(sample), f"#line={pair + 1}")
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
        seen.page.url.split("#")[0] + f"#threshold={threshold * 1000:.0f}&line=4"
    )
    assert faded is None  # the page stays, only its state changes
    seen.page.wait_for_selector(".pair[aria-label='Pair 4']")
    rows = slice(sample.links.offsets[3], sample.links.offsets[4])
    below = int((np.rint(1000 * sample.links.probability[rows]) < 1000 * threshold).sum())
    assert seen.page.locator("svg.curves .link.faded").count() == below <= len(links)


def test_alignments_that_are_compared_are_named(open_page, sample):
    named = open_page(view_of(sample, link_names=("m.links", "fast\u200b.links")))
    a, b = len(sample.links.source), len(sample.other.source)
    assert f"Links of A (m.links) {a:,}, of B (fast<200B>.links) {b:,}" in named.text(".summary")
    assert f"Links of A {a:,}, of B {b:,}" in open_page(view_of(sample)).text(".summary")


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
    by_domain = first.locator("td").all_inner_texts()[-len(sample.model.domains) :]
    for domain, cell in zip(sample.model.domains, by_domain, strict=True):
        both = [
            sample.model.lexicon(direction, domain)[given].get(other, 0)
            for direction, given, other in (("s2t", word, partner), ("t2s", partner, word))
        ]
        assert cell.split()[1:] == [f"{round(1000 * value) / 1000:.2f}" for value in both]
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


def test_a_selection_is_saved(open_page, sample):
    seen = open_page(view_of(sample), "#target=ó&threshold=900")
    shown = [k for k, words in enumerate(sample.bitext.target) if "ó" in " ".join(words)]
    links = kept(sample.links, 0.9)[shown]
    assert ig.read_links(saved(seen, "Pharaoh")) == links
    file = saved(seen, "JSON Lines")
    assert ig.read_links(file) == links
    records = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
    assert [record["line"] for record in records] == [k + 1 for k in shown]
    assert [record["text_a"].split() for record in records] == [
        sample.bitext.source[k] for k in shown
    ]
    assert [record["labels"] for record in records] == [
        " ".join(f"{i}-{j}" for i, j in row) for row in links
    ]


def test_a_drawing_is_saved(open_page, sample):
    seen = open_page(view_of(sample), "#line=2")
    source, target = sample.bitext.source[1], sample.bitext.target[1]
    for view in ("rows", "columns", "matrix"):
        seen.page.get_by_label("View").select_option(view)
        root = ElementTree.fromstring(saved(seen, "SVG", ".pair").read_bytes())
        texts = [element.text for element in root.iter("{http://www.w3.org/2000/svg}text")]
        assert texts == source + target
        assert "class" not in root.attrib
        path = next(root.iter("{http://www.w3.org/2000/svg}path"))
        assert path.get("stroke-linecap") in ("round", "butt")
    assert saved(seen, "PNG", ".pair").read_bytes()[:8] == b"\x89PNG\r\n\x1a\n"
    lines = saved(seen, "TikZ", ".pair").read_text("utf-8").splitlines()
    assert lines[0].startswith(r"\begin{tikzpicture}")
    assert lines[-1] == r"\end{tikzpicture}"
    assert sum("\\draw" in line for line in lines) == len(sample.links[1])
    assert seen.page.evaluate("Iso.tex('a_b<c>|\\\\')") == (
        r"a\_b\textless{}c\textgreater{}\textbar{}\textbackslash{}"
    )
    long = "Iso.textGrid({ source: ['a'], target: Array(120).fill('b') }, []).split('\\n')[1]"
    assert seen.page.evaluate(long).split() == [str(k) for k in range(120)]
    rows = saved(seen, "Text", ".pair").read_text("utf-8").splitlines()
    for i, word in enumerate(source):
        marks = rows[i].split()
        assert marks[0] == word
        assert [j for j, mark in enumerate(marks[1:]) if mark != "."] == [
            j for k, j in sample.links[1] if k == i
        ]


@pytest.mark.parametrize(("count", "is_scaled"), [(3, False), (40, True)])
def test_a_drawing_in_tikz_fits_a_page(open_page, count, is_scaled):
    bitext = Bitext.from_pairs([(" ".join(["sentence"] * count), "oración")])
    seen = open_page(AlignmentView(bitext, Links.from_pairs([[(0, 0)]])))
    lines = saved(seen, "TikZ", ".pair").read_text("utf-8").splitlines()
    scale = re.search(r"\[scale=(0\.\d+), transform shape, every", lines[0])
    assert bool(scale) == is_scaled
    last = float(re.search(rf"\(s{count - 1}\) at \((.+), 1.5\)", "\n".join(lines))[1])
    assert last * float(scale[1] if scale else 1) < 16


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
    ("\u200d \u2800", "auf\u200clage \u200b\u200d"),
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
        seen.page.goto(seen.page.url.split("#")[0] + f"#view={view}&line={number + 1}")
        seen.page.wait_for_selector(f".pair[aria-label='Pair {number + 1}']")
        words = seen.page.locator("svg.drawing text").all_text_contents()
        assert words == [visible(word) for word in (*bitext.source[number], *bitext.target[number])]
    assert seen.page.evaluate("[...document.scripts].filter(script => !script.type).length") == 9
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
    assert seen.page.locator(".printed .legend").count() == 1
    styles = "links => links.map(link => getComputedStyle(link).strokeDasharray)"
    assert set(seen.page.eval_on_selector_all(".printed .link", styles)) == {"none"}
    missed = seen.page.locator(".printed section .link.missed").first
    assert missed.get_attribute("d").count("M") > 5  # dashes of their own
    pdf = seen.page.pdf()
    assert pdf[:5] == b"%PDF-"
    assert len(pdf) < 10_000 * PAIRS


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("edit", [False, True])
def test_nothing_keeps_anybody_out(open_page, sample, scheme, width, edit):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    seen = open_page(view_of(sample, edit=edit), "#line=2", width, scheme)
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
    seen = open_page(view_of(sample), "#line=1", 1280, scheme)
    badges = seen.page.locator("#pairs .row .badge")
    names = badges.all_inner_texts()
    for name in sorted(set(names)):
        badges.nth(names.index(name)).click()
        seen.page.wait_for_selector(f"#pairs .row.chosen .badge:text-is('{name}')")
        violations = axe.run(seen.page).response["violations"]
        assert [(one["id"], one["nodes"][0]["html"]) for one in violations] == []


LONG = ("a b c d e f g h i j discharge l m n o", "A B C D E F G H I J gestión L M N O P Q R S T")


@pytest.mark.parametrize(("width", "height"), [(1280, 900), (1280, 720), (1000, 720), (390, 844)])
@pytest.mark.parametrize("view", ["auto", "rows", "matrix"])
def test_the_partners_are_in_sight_where_the_pair_is(open_page, sample, width, height, view):
    bitext = Bitext.from_pairs([LONG] * 3)
    links = Links.from_pairs([[(k, k) for k in range(15)]] * 3)
    seen = open_page(AlignmentView(bitext, links, model=sample.model), f"#view={view}", width)
    seen.page.set_viewport_size({"width": width, "height": height})
    if view == "matrix":
        seen.page.locator("svg.matrix").scroll_into_view_if_needed()
        seen.page.locator("svg.matrix .surface").hover(position={"x": 12, "y": 10 * 24 + 12})
    else:
        seen.page.locator("g.word", has_text="discharge").hover()
    table = seen.page.locator(".partners table")
    table.wait_for()
    assert seen.text(".partners p").startswith("discharge: 3 links;")
    box = table.locator("tbody tr").first.bounding_box()
    assert 0 <= box["y"] <= box["y"] + box["height"] <= height
    drawing = seen.page.locator(".canvas").bounding_box()
    assert drawing["y"] < height
    caption = seen.page.locator("#partners-of").bounding_box()
    assert caption["x"] + caption["width"] <= width
    assert seen.page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize(("height", "least"), [(900, 500), (720, 350)])
@pytest.mark.parametrize("edit", [False, True])
def test_a_matrix_has_the_height_of_the_window(open_page, sample, edit, height, least):
    """The whole matrix where it fits, else it scrolls; the list is as high as its pane."""
    bitext = Bitext.from_pairs([LONG, tuple(f"{side} {side}" for side in LONG)])
    links = Links.from_pairs([[(k, k) for k in range(15)]] * 2)
    view = AlignmentView(bitext, links, model=sample.model, edit=edit)
    seen = open_page(view, "#view=matrix")
    seen.page.set_viewport_size({"width": 1280, "height": height})
    canvas = seen.page.locator(".canvas")
    box = canvas.bounding_box()
    needed, there = canvas.evaluate("box => [box.scrollHeight, box.clientHeight]")
    assert min(box["y"] + box["height"], height) - box["y"] >= min(needed, least)
    assert there == needed or height == 720
    assert canvas.evaluate("box => box.scrollWidth <= box.clientWidth")
    seen.page.locator("#pairs .row").nth(1).click()
    seen.page.wait_for_selector(".pair[aria-label='Pair 2']")
    seen.page.evaluate("scrollTo(0, document.body.scrollHeight)")
    boxes = [seen.page.locator(name).bounding_box() for name in (".canvas", ".partners")]
    assert boxes[0]["y"] + boxes[0]["height"] <= boxes[1]["y"] + 1  # below a wide one
    assert boxes[0]["height"] >= least - 200
    assert boxes[1]["y"] + boxes[1]["height"] <= height


@pytest.mark.parametrize("view", ["auto", "matrix"])
def test_five_domains_fit_beside_a_drawing(open_page, sample, view):
    names = ("legislation", "medicine", "international_relations", "subtitles", "out")
    model = replace(sample.model, domains=names)
    bitext = Bitext.from_pairs([LONG[:1] * 2] * 3)
    links = Links.from_pairs([[(k, k) for k in range(15)]] * 3)
    seen = open_page(AlignmentView(bitext, links, model=model), f"#view={view}")
    if view == "matrix":
        seen.page.locator("svg.matrix .surface").hover(position={"x": 12, "y": 10 * 24 + 12})
    else:
        seen.page.get_by_label("View").select_option("columns")
        seen.page.locator("g.word", has_text="discharge").first.hover()
    seen.page.wait_for_selector(".shown.beside .partners table")
    table = seen.page.locator(".partners .scroll")
    assert table.evaluate("box => box.scrollWidth <= box.clientWidth")


def test_a_word_from_right_to_left_is_apart_from_what_is_said_of_it(open_page):
    bitext = Bitext.from_pairs([HOSTILE[1]])
    seen = open_page(AlignmentView(bitext, Links.from_pairs([[(0, 0)]])), "#view=rows")
    for place, text in ((0, "שלום: 1 link"), (1, "עולם has no links on this page.")):
        seen.page.locator(f"g.word[data-side=source][data-word='{place}']").hover()
        line = seen.page.locator(".partners p", has_text=text)
        word = line.locator("bdi").bounding_box()
        assert abs(word["x"] - line.bounding_box()["x"]) < 2  # it comes first


def test_scores_of_the_pairs_that_are_shown(open_page, sample):
    seen = open_page(view_of(sample), "#threshold=500")
    assert seen.page.locator("#shown-scores").count() == 0
    every = seen.text("#scores")
    seen.page.get_by_role("searchbox").first.fill("the")
    shown = [k for k, words in enumerate(sample.bitext.source) if "the" in " ".join(words)]
    wait_for_count(seen, len(shown))
    score = ig.evaluate(kept(sample.links, 0.5)[shown], sample.gold[shown])
    expected = [f"{100 * value:.2f}" for value in (score.aer, score.precision, score.recall)]
    assert re.findall(r"\d+\.\d+", seen.text("#shown-scores")) == expected
    assert re.findall(r"\d+\.\d+", seen.text("#scores")) == re.findall(r"\d+\.\d+", every)


def test_a_text_without_pairs_is_said_to_be_empty(open_page):
    seen = open_page(AlignmentView(Bitext.from_pairs([]), Links.from_pairs([])))
    assert seen.text("#pairs .empty") == "The text is empty: it has no sentence pairs."
    assert seen.text(".pair") == "Nothing to draw."


def test_one_link_is_no_plural(open_page):
    bitext = Bitext.from_pairs([("the house", "la casa")] * 2)
    seen = open_page(AlignmentView(bitext, Links.from_pairs([[(0, 0), (1, 1)], [(0, 0)]])))
    for word, text in (("house", "house: 1 link"), ("the", "the: 2 links")):
        seen.page.locator("g.word", has_text=word).first.hover()
        seen.page.get_by_text(text, exact=True).wait_for()


def test_all_links_of_a_word_are_counted(open_page):
    """Also those to partners beyond the twelve that are kept."""
    pairs = [("the", f"t{k}") for k in range(30)] + [(f"s{k}", f"t{k}") for k in range(30)] * 2
    bitext = Bitext.from_pairs(
        pairs + [(f"u{n}{k}", f"t{k}") for n in range(15) for k in range(30)]
    )
    seen = open_page(AlignmentView(bitext, Links.from_pairs([[(0, 0)]] * len(bitext))))
    seen.page.locator("g.word[data-side=source]").hover()
    seen.page.get_by_text("the: 30 links").wait_for()
    assert seen.text(".partners > p:last-child") == "18 more"
