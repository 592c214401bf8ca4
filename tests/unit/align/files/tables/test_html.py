"""What notebooks show: small, safe, and what the value holds."""

import re
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import isogloss as ig
from isogloss.align.files.tables.drawing import DrawnLink, pair_svg
from isogloss.align.files.tables.html import escaped, html_table, visible

HOSTILE = "<script>alert(1)</script>"


def parsed(html: str) -> ElementTree.Element:
    """The elements of a fragment, which is well-formed."""
    return ElementTree.fromstring(f"<root>{html}</root>")


def cells(html: str) -> list[list[str]]:
    return [["".join(cell.itertext()) for cell in row] for row in parsed(html).iter("tr")]


def test_a_table() -> None:
    rows = [("a", 1, 0.123456, None), (HOSTILE, 12345, 2.0, "x\u202ey")]
    html = html_table("<title>", ("text", "n", "x", "y"), rows, more=1234)
    assert cells(html) == [
        ["text", "n", "x", "y"],
        ["a", "1", "0.1235", ""],
        [HOSTILE, "12,345", "2", "x<202E>y"],
    ]
    assert "<script" not in html
    assert "... and 1,234 more" in html
    assert "more</p>" not in html_table("t", ("a",), [("b",)])


@given(st.text())
def test_any_text_is_text(text: str) -> None:
    shown = "".join(parsed(f"<p>{escaped(text)}</p>").itertext())
    assert shown == (visible(text) if len(text) <= 300 else visible(f"{text[:300]} ..."))
    assert not re.search(r"[\u0000-\u001f\u200b\u202a-\u202e\u2066-\u2069\ufeff]", shown)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\u200d", "<200D>"),
        ("a \u200c\u200d b", "a <200C><200D> b"),
        ("auf\u200clage", "auf\u200clage"),
        ("\u0d23\u0d4d\u200d", "\u0d23\u0d4d\u200d"),  # shapes the letter before it
        ("🏳\ufe0f\u200d🌈", "🏳\ufe0f\u200d🌈"),
        ("\ufe0f \u034f", "<FE0F> <034F>"),
        ("\u200b\u200dx", "<200B><200D>x"),
        ("so\u00adft \u2800 \U000e0041", "so<00AD>ft <2800> <E0041>"),
    ],
)
def test_what_nobody_sees_is_shown(text: str, shown: str) -> None:
    assert visible(text) == shown


@given(st.lists(st.text(min_size=1), max_size=5), st.lists(st.text(min_size=1), max_size=5))
def test_a_drawing_of_any_words(source: list[str], target: list[str]) -> None:
    links = [DrawnLink(i, j, 0.5) for i in range(len(source)) for j in range(len(target))]
    root = parsed(pair_svg(source, target, links))
    svg = "{http://www.w3.org/2000/svg}"
    texts = ["".join(one.itertext()) for one in root.iter(f"{svg}text")]
    assert texts == [visible(word) for word in (*source, *target)]
    assert len(list(root.iter(f"{svg}path"))) == len(links)


def test_words_from_right_to_left() -> None:
    root = parsed(pair_svg(["שלום", "עולם"], ["hello", "world"], []))
    places = [float(one.attrib["x"]) for one in root.iter("{http://www.w3.org/2000/svg}text")]
    assert places[0] > places[1]
    assert places[2] < places[3]


@pytest.fixture
def bitext() -> ig.Bitext:
    return ig.Bitext.from_pairs([(f"the house {k}", f"{HOSTILE} casa") for k in range(12)])


def test_bitexts_and_links(bitext: ig.Bitext) -> None:
    shown = cells(bitext._repr_html_())
    assert shown[1] == ["0", "the house 0", f"{HOSTILE} casa", ""]
    assert len(shown) == 11
    assert "... and 2 more" in bitext._repr_html_()
    pair = ig.Bitext.from_pairs([(f"the house {HOSTILE}", "la casa")], labels=[HOSTILE])[0]
    assert cells(pair._repr_html_()) == [
        ["side", "0", "1", "2"], ["source", "the", "house", HOSTILE], ["target", "la", "casa"]
    ]  # fmt: skip
    assert "<script" not in pair._repr_html_()
    links = ig.Links.from_pairs([[(0, 0), (1, 1)]] * 12)
    assert cells(links._repr_html_())[:2] == [["pair", "links"], ["0", "0-0 1-1"]]
    assert "Links: 12 sentence pairs, 24 links" in links._repr_html_()


def test_a_model_and_its_pair() -> None:
    pairs = [("the house", "la casa"), ("the red house", "la casa roja")] * 10
    model = ig.train(ig.Bitext.from_pairs(pairs), hmm_iterations=1)
    assert cells(model._repr_html_()) == [["domain", "P(domain)"], ["general", "1"]]
    pair = model.align_pair("the house", "la casa")
    html = pair._repr_html_()
    assert html.count("<path") == len(pair)
    assert "general 1.00" in html


def test_weights_and_trainings() -> None:
    weights = ig.Weights.from_dict({"LM0": 0.5, "a_b": -1.0, HOSTILE + "_": 0.25})
    shown = cells(weights._repr_html_())
    assert shown == [
        ["feature", "weight"], ["a_b", "-1"], ["LM0", "0.5"], [HOSTILE + "_", "0.25"]
    ]  # fmt: skip
    assert "Weights: 3 features, 3 weights other than 0" in weights._repr_html_()


def test_nbest_lists_and_tables(tmp_path) -> None:
    path = tmp_path / "list"
    path.write_text(
        "0 ||| a b ||| LM0= -1.5 ||| 1\n0 ||| a ||| LM0= -2 ||| 1\n1 ||| c ||| LM0= 3 ||| 1\n"
    )
    shown = cells(ig.read_nbest(path)._repr_html_())
    assert shown == [["sentence", "text", "LM0"], ["0", "a b", "-1.5"], ["1", "c", "3"]]
    path.write_text("a ||| b ||| 0.5 0.25 0.125 1\n")
    table = ig.PhraseTable.load(path)
    header, row = cells(table._repr_html_())
    assert header[:2] == ["source", "target"]
    assert row == ["a", "b", "0.5", "0.25", "0.125", "1"]
    assert np.isclose(float(row[2]), 0.5)
