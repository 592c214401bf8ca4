"""Links that are changed in the viewer: clicked, colored, faded, and saved as gold alignments."""

import numpy as np

from isogloss.align.links.links import Links
from isogloss.align.text.bitext import Bitext
from isogloss.pages.viewer import AlignmentView

from .conftest import Opened, Sample, drawn, saved, view_of

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


def test_links_are_edited_and_saved_as_gold(open_page, sample):
    view = AlignmentView(sample.bitext, sample.links, gold=sample.gold, edit=True)
    seen = open_page(view, "#pair=2")
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


def test_a_link_is_made_by_clicking_two_words(open_page):
    bitext = Bitext.from_pairs([("the house", "la casa")])
    seen = open_page(AlignmentView(bitext, Links.from_pairs([[(0, 0)]]), edit=True), "#view=rows")
    seen.page.locator("g.word[data-side=source]").nth(1).click()
    seen.page.locator("g.word[data-side=target]").nth(1).click()
    assert saved(seen, "Pharaoh", "span:has-text('as gold') ~").read_text() == "0-0 1-1\n"


def test_links_that_are_edited_fade_below_the_threshold(open_page, sample):
    seen = open_page(AlignmentView(sample.bitext, sample.links, edit=True), f"#pair={PAIR}")
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
    seen = open_page(view_of(sample, edit=True), f"#pair={PAIR}")
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
