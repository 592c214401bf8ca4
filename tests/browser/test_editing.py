"""Links that are changed in the viewer: clicked, colored, faded, and saved as gold alignments."""

import json
import re

import numpy as np

import isogloss as ig
from isogloss.align.links.gold_sample import read_gold_sample
from isogloss.align.links.links import Links
from isogloss.align.text.bitext import Bitext
from isogloss.pages.viewer import AlignmentView

from .conftest import Opened, Sample, drawn, listed, saved, view_of

PAIR = 3


def counts(**kinds: int) -> dict[str, int]:
    return {kind: number for kind, number in kinds.items() if number}


def show(seen: Opened, label: str, choice: str) -> None:
    seen.page.get_by_label(label).select_option(choice)
    seen.page.wait_for_function("choice => location.hash.includes(`=${choice}`)", arg=choice)


def click_cell(seen: Opened, sample: Sample, i: int, j: int) -> None:
    """Change the link of two words of PAIR in the matrix."""
    surface = seen.page.locator("svg.matrix .surface")
    box = surface.bounding_box()
    rows, columns = len(sample.bitext.source[PAIR]), len(sample.bitext.target[PAIR])
    place = {"x": box["width"] * (j + 0.5) / columns, "y": box["height"] * (i + 0.5) / rows}
    surface.click(position=place)


def click_free(seen: Opened, sample: Sample) -> tuple[int, int]:
    """Make a sure link of two words of PAIR that no alignment links, and return it."""
    taken = {*sample.gold[PAIR][1], *sample.links[PAIR], *sample.other[PAIR]}
    free = next((i, 0) for i in range(99) if (i, 0) not in taken)
    click_cell(seen, sample, *free)
    seen.page.wait_for_selector(f".cell[data-cell='{free[0]}-{free[1]}']")
    return free


def test_links_are_edited_and_saved_as_gold(open_page, sample):
    view = AlignmentView(sample.bitext, sample.links, gold=sample.gold, edit=True)
    seen = open_page(view, "#line=3")
    sure, possible = map(set, sample.gold[2])
    rows, columns = len(sample.bitext.source[2]), len(sample.bitext.target[2])
    free = next((i, j) for i in range(rows) for j in range(columns) if (i, j) not in possible)
    surface = seen.page.locator("svg.matrix .surface")
    box = surface.bounding_box()
    place = {
        "x": box["width"] * (free[1] + 0.5) / columns,
        "y": box["height"] * (free[0] + 0.5) / rows,
    }

    expected = [(sure | {free}, possible | {free}), (sure, possible | {free}), (sure, possible)]
    for new_sure, new_possible in expected:
        surface.click(position=place)
        text = saved(seen, "Pharaoh", "span:has-text('as gold') ~").read_text("utf-8")
        row = text.splitlines()[2].split()
        assert {link for link in row if "p" not in link} == {f"{i}-{j}" for i, j in new_sure}
        assert {link for link in row if "p" in link} == {
            f"{i}p{j}" for i, j in new_possible - new_sure
        }
    surface.click(position=place)
    talp = saved(seen, "Talp").read_text("utf-8").splitlines()
    assert f"{free[0] + 1}-{free[1] + 1}" in talp[2].split()
    naacl = saved(seen, "NAACL").read_text("utf-8").splitlines()
    assert f"0003 {free[0] + 1} {free[1] + 1} S" in naacl
    seen.page.reload()  # what was changed is still there
    seen.page.wait_for_selector(f".cell[data-cell='{free[0]}-{free[1]}']")
    seen.page.locator("svg.matrix").focus()
    for key in ["ArrowDown"] * free[0] + ["ArrowRight"] * free[1] + [" "]:
        seen.page.keyboard.press(key)
    assert ": possible" in seen.text(".help [role=status]")


def test_a_gold_sample_holds_the_pairs_that_were_checked(open_page, sample, tmp_path):
    """Those that were changed, and those whose links are right; other lines have a hyphen."""
    lines = np.arange(11, 11 + len(sample.bitext))
    seen = open_page(view_of(sample, edit=True, lines=lines), f"#line={PAIR + 11}")
    assert seen.page.locator("button", has_text="as a gold sample").is_disabled()
    free = click_free(seen, sample)
    seen.page.locator("[role=option]").nth(PAIR + 2).click()
    seen.page.wait_for_function(f"() => location.hash.includes('line={PAIR + 13}')")
    seen.page.get_by_role("button", name="All links are right").click()
    seen.page.get_by_role("button", name="Checked", exact=True).wait_for()
    marks = seen.page.locator("[role=option] [aria-label=checked]")
    assert marks.count() == 2
    file = saved(seen, "Save the 2 checked pairs as a gold sample")
    rows, gold = read_gold_sample(file, (np.full(100, 99), np.full(100, 99)))
    assert rows.tolist() == [PAIR + 10, PAIR + 12]
    assert len(file.read_text("utf-8").splitlines()) == PAIR + 13
    assert sorted(gold[0][0]) == sorted({*sample.gold[PAIR][0], free})
    assert gold[1] == sample.gold[PAIR + 2]


def test_all_pairs_are_saved_by_line_of_the_text(open_page):
    """Of a page with some lines of a text only, such as those of --suggest."""
    bitext = Bitext.from_pairs([("the house", "la casa"), ("a car", "un coche")])
    links = Links.from_pairs([[(0, 0)], [(0, 0), (1, 1)]])
    view = AlignmentView(bitext, links, edit=True, lines=np.array([3, 5]))
    seen = open_page(view, "#line=3")
    place = "span:has-text('as gold') ~"
    assert saved(seen, "Pharaoh", place).read_text() == "-\n-\n0-0\n-\n0-0 1-1\n"
    assert saved(seen, "Talp").read_text() == "-\n-\n1-1\n-\n1-1 2-2\n"
    assert saved(seen, "NAACL").read_text() == "0003 1 1 S\n0005 1 1 S\n0005 2 2 S\n"


def test_a_selection_holds_the_edits(open_page, sample):
    """What is changed, and of other pairs the gold alignments, whatever the threshold."""
    seen = open_page(view_of(sample, edit=True), f"#line={PAIR + 1}&threshold=900&maxWords=14")
    free = click_free(seen, sample)
    words = sample.bitext.source.lengths + sample.bitext.target.lengths
    chosen = np.flatnonzero(words <= 14)
    assert PAIR in chosen
    expected = []
    for pair in chosen.tolist():
        sure, possible = map(set, sample.gold[pair])
        if pair == PAIR:
            sure, possible = sure | {free}, possible | {free}
        expected.append(" ".join(f"{i}{'-p'[(i, j) not in sure]}{j}" for i, j in sorted(possible)))
    place = "span:has-text('as edited') ~"
    assert sum("p" in links for links in expected) > 0
    text = saved(seen, "Pharaoh", "span:has-text('as edited') + ").read_text("utf-8")
    assert text.splitlines() == expected
    records = saved(seen, "JSON Lines", place).read_text("utf-8").splitlines()
    assert [json.loads(record)["labels"] for record in records] == expected


def test_figures_follow_the_edits(open_page, sample):
    seen = open_page(view_of(sample, edit=True), f"#line={PAIR + 1}&sort=aer")
    before, order = seen.text("#scores"), listed(seen)
    free = click_free(seen, sample)
    pairs = [sample.gold[pair] for pair in range(len(sample.bitext))]
    sure, possible = map(list, pairs[PAIR])
    pairs[PAIR] = ([*sure, free], possible)
    gold = ig.GoldLinks.from_pairs(*map(list, zip(*pairs, strict=True)))
    score, of_pair = (
        ig.evaluate(sample.links, gold),
        ig.evaluate(sample.links[[PAIR]], gold[[PAIR]]),
    )
    expected = [f"{100 * value:.2f}" for value in (score.aer, score.precision, score.recall)]
    assert re.findall(r"\d+\.\d+", seen.text("#scores")) == expected
    linked = [{link[side] for link in gold[PAIR][1]} for side in (0, 1)]
    unlinked = sum(
        len(words[PAIR]) - len(there)
        for words, there in zip((sample.bitext.source, sample.bitext.target), linked, strict=True)
    )
    figures = seen.text(".figures")
    assert f"AER {100 * of_pair.aer:.1f} " in figures
    assert re.search(rf"{unlinked} words? without a link", figures)
    assert listed(seen) == order  # the pair stays where it is
    seen.page.get_by_role("button", name="Discard the changes of this pair").click()
    seen.page.wait_for_function(
        "text => document.getElementById('scores').innerText === text", arg=before
    )


def test_changes_are_discarded(open_page):
    bitext = Bitext.from_pairs([("the house", "la casa")] * 3)
    links = Links.from_pairs([[(0, 0), (1, 1)]] * 3)
    seen = open_page(AlignmentView(bitext, links, edit=True), "#view=rows")
    one = seen.page.get_by_role("button", name="Discard the changes of this pair")
    every = seen.page.get_by_role("button", name="Discard all changes")
    assert one.is_disabled()
    assert every.is_disabled()

    def gold() -> list[str]:
        return saved(seen, "Pharaoh", "span:has-text('as gold') ~").read_text().splitlines()

    for line in (1, 2, 3):
        seen.page.locator("#pairs .row").nth(line - 1).click()
        seen.page.wait_for_selector(f".pair[aria-label='Pair {line}']")
        seen.page.locator("g.word[data-side=source]").nth(0).click()
        seen.page.locator("g.word[data-side=target]").nth(1).click()
    assert gold() == ["0-0 0-1 1-1"] * 3
    one.click()
    assert gold() == ["0-0 0-1 1-1"] * 2 + ["0-0 1-1"]
    every.click()
    assert seen.page.get_by_role("alert").inner_text() == "Discard the changes of 2 pairs?"
    seen.page.keyboard.press("Enter")  # the answer that changes nothing has the focus
    assert gold() == ["0-0 0-1 1-1"] * 2 + ["0-0 1-1"]
    every.click()
    seen.page.get_by_role("button", name="Discard them").click()
    assert gold() == ["0-0 1-1"] * 3
    seen.page.reload()
    seen.page.wait_for_selector("#viewer[data-ready=true]")
    assert every.is_disabled()


def test_naacl_has_the_numbers_of_the_lines(open_page):
    bitext = Bitext.from_pairs([("the house", "la casa")] * 3)
    links = Links.from_pairs([[(0, 0)], [], [(1, 1)]])
    view = AlignmentView(bitext, links, lines=np.array([100, 101, 102]), edit=True)
    seen = open_page(view)
    assert saved(seen, "NAACL").read_text() == "0100 1 1 S\n0102 2 2 S\n"


def test_a_long_word_is_wrapped_while_links_are_edited(open_page):
    bitext = Bitext.from_pairs([("x" * 3000, "casa " + "y" * 3000)])
    seen = open_page(AlignmentView(bitext, Links.from_pairs([[(0, 1)]]), edit=True), width=390)
    for _ in range(2):
        assert seen.page.evaluate("document.documentElement.scrollWidth") <= 390
        seen.page.locator("svg.matrix").focus()
        seen.page.keyboard.press("ArrowRight")
    seen.page.get_by_label("View").select_option("rows")
    seen.page.locator("g.word[data-side=target]").nth(1).focus()
    seen.page.wait_for_selector(".partners tbody tr")
    assert seen.page.evaluate("document.documentElement.scrollWidth") <= 390


def test_a_link_is_made_by_clicking_two_words(open_page):
    bitext = Bitext.from_pairs([("the house", "la casa")])
    seen = open_page(AlignmentView(bitext, Links.from_pairs([[(0, 0)]]), edit=True), "#view=rows")
    seen.page.locator("g.word[data-side=source]").nth(1).click()
    seen.page.locator("g.word[data-side=target]").nth(1).click()
    assert saved(seen, "Pharaoh", "span:has-text('as gold') ~").read_text() == "0-0 1-1\n"


def test_links_that_are_edited_fade_below_the_threshold(open_page, sample):
    seen = open_page(AlignmentView(sample.bitext, sample.links, edit=True), f"#line={PAIR + 1}")
    rows = slice(sample.links.offsets[PAIR], sample.links.offsets[PAIR + 1])
    thousandths = np.rint(1000 * sample.links.probability[rows])
    threshold = int(thousandths.max() // 10) * 10
    below = int((thousandths < threshold).sum())
    assert 0 < below
    gold = saved(seen, "Talp").read_text("utf-8")
    assert seen.page.locator(".cell.faded").count() == 0
    seen.page.locator(".threshold input").fill(str(threshold))
    seen.page.wait_for_selector(".cell.faded")
    assert seen.page.locator(".cell.faded").count() == below
    assert (
        seen.page.evaluate("getComputedStyle(document.querySelector('.cell.faded')).opacity")
        == "0.13"
    )
    show(seen, "View", "columns")
    assert seen.page.locator(".link.faded").count() == below
    assert saved(seen, "Talp").read_text("utf-8") == gold  # of links of any confidence


def test_links_that_are_edited_have_the_colors_chosen(open_page, sample):
    seen = open_page(view_of(sample, edit=True), f"#line={PAIR + 1}")
    sure, possible = map(set, sample.gold[PAIR])
    links, other = set(sample.links[PAIR]), set(sample.other[PAIR])
    rows = slice(sample.links.offsets[PAIR], sample.links.offsets[PAIR + 1])
    probability = dict(zip(sample.links[PAIR], sample.links.probability[rows], strict=True))
    free = next((i, 0) for i in range(99) if (i, 0) not in possible | links | other)
    click_cell(seen, sample, *free)
    sure, possible = sure | {free}, possible | {free}
    assert drawn(seen) == counts(right=len(sure), possible=len(possible - sure))

    show(seen, "Colors", "confidence")
    kinds = [
        "added"
        if link not in probability
        else f"p{np.digitize(np.rint(1000 * probability[link]), [300, 500, 700, 900])}"
        for link in possible
    ]
    assert drawn(seen) == {kind: kinds.count(kind) for kind in kinds}
    assert "no probability" in seen.text(".legend")

    show(seen, "Colors", "agreement")
    assert drawn(seen) == counts(
        **{"both": len(links & other), "only-a": len(links - other), "only-b": len(other - links)},
        added=len(possible - links - other),
    )
    assert seen.page.locator(".cell.unchosen").count() == len((links | other) - possible)

    show(seen, "Colors", "domain")
    ((kind, number),) = drawn(seen).items()
    assert (kind[:7], number) == ("domain-", len(possible))


def test_partners_and_jumps_follow_the_edits(open_page, sample):
    bitext = Bitext.from_pairs([("the house", "la casa")] * 3)
    links = Links.from_pairs([[(0, 0), (1, 1)]] * 3)
    view = AlignmentView(bitext, links, model=sample.model, edit=True)
    seen = open_page(view, "#view=rows")
    house, casa = (seen.page.locator("g.word", has_text=word) for word in ("house", "casa"))
    for _ in range(3):  # possible, none, sure; then the other link
        house.click()
        casa.click()
    seen.page.locator("g.word", has_text="the").click()
    casa.click()
    seen.page.get_by_text("the – casa: sure").wait_for()  # announced
    assert seen.page.locator(".help [role=status]").count() == 1
    seen.page.locator("g.word", has_text="the").click()
    seen.page.get_by_text("the: 4 links").wait_for()
    rows = seen.page.locator(".partners tbody tr")
    assert rows.locator("th").all_inner_texts() == ["la", "casa"]
    assert [text.split()[0] for text in rows.locator("td:nth-child(2)").all_inner_texts()] == [
        "3", "1",
    ]  # fmt: skip
    by_domain = rows.nth(1).locator("td").all_inner_texts()[-len(sample.model.domains) :]
    posterior = sample.model.domain_posteriors(bitext)[0]
    shown = [float(cell.split()[0]) for cell in by_domain]
    np.testing.assert_allclose(shown, posterior, atol=0.051)
    rows.nth(1).get_by_role("button", name="linked like this").click()
    seen.page.wait_for_function(
        "() => document.querySelector('.summary p[role=status]').innerText.startsWith('1 of 3')"
    )


def test_an_edit_of_curves_is_announced(open_page):
    bitext = Bitext.from_pairs([("the house", "la casa")])
    for view in ("rows", "columns"):
        seen = open_page(
            AlignmentView(bitext, Links.from_pairs([[(0, 0)]]), edit=True), f"#view={view}"
        )
        status = seen.page.locator(".help [role=status]")
        assert status.inner_text().strip() == ""
        for kind in ("sure", "possible", "no link"):
            seen.page.locator("g.word", has_text="house").click()
            seen.page.locator("g.word", has_text="casa").click()
            seen.page.get_by_text(f"house – casa: {kind}").wait_for()
