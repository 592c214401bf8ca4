"""What a page of alignments holds: its chunks, counts of partners, what is refused."""

import base64
import gzip
import json
from collections import Counter, defaultdict

import numpy as np
import pytest

import isogloss as ig
from isogloss.align.errors import DataError, UsageError
from isogloss.align.links.gold_links import GoldLinks
from isogloss.align.links.links import Links
from isogloss.align.text.bitext import Bitext
from isogloss.pages import viewer
from isogloss.pages.partners import word_partners
from isogloss.pages.text_grid import text_grid
from isogloss.pages.viewer import AlignmentView

PAIRS = [("the house", "la casa"), ("", "nada"), ("the red house", "la casa roja"), ("the", "la")]
LINKS = [[(0, 0), (1, 1)], [], [(0, 0), (1, 2), (2, 1)], [(0, 0)]]


@pytest.fixture
def bitext() -> Bitext:
    return Bitext.from_pairs(PAIRS)


def unpacked(text: str) -> dict[str, list[str] | list[int]]:
    """The columns of a chunk by name."""
    header, _, data = gzip.decompress(base64.b64decode(text)).partition(b"\n")
    columns, at = {}, 0
    for name, kind, size in json.loads(header):
        part, at = data[at : at + size], at + size
        types = {"Uint16": "<u2", "Int32": "<i4"}
        columns[name] = (
            part.decode().split("\n")
            if kind == "lines"
            else np.frombuffer(part, types[kind]).tolist()
        )
    return columns


def positions(differences: list[int]) -> list[int]:
    return np.cumsum(np.array(differences, np.uint16), dtype=np.uint16).tolist()


def test_chunks_hold_the_pairs(bitext: Bitext, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(viewer, "_CHUNK", 3)
    links = Links.from_pairs(LINKS)
    scored = Links(links.source, links.target, links.offsets, np.float32([1, 0.5, 0.1234, 0, 1, 1]))
    gold = GoldLinks.from_pairs([[(0, 0)], [], [], [(0, 0)]], [[(1, 1)], [], [(0, 1)], []])
    page = AlignmentView(bitext, scored, links, gold, lines=np.array([2, 4, 6, 9])).page()
    first, second = map(unpacked, page.chunks)
    for chunk in (first, second):
        for name in ("links", "other", "gold"):
            for side in "ij":
                chunk[f"{name}.{side}"] = positions(chunk[f"{name}.{side}"])
    assert first == {
        "line": [2, 2, 2],  # differences
        "source": ["the house", "", "the red house"], "source_words": [2, 0, 3],
        "target": ["la casa", "nada", "la casa roja"], "target_words": [2, 1, 3],
        "links.n": [2, 0, 3], "links.i": [0, 1, 0, 1, 2], "links.j": [0, 1, 0, 2, 1],
        "links.v": [1000, 500, 123, 0, 1000],
        "other.n": [2, 0, 3], "other.i": [0, 1, 0, 1, 2], "other.j": [0, 1, 0, 2, 1],
        "gold.n": [2, 0, 1], "gold.i": [0, 1, 0], "gold.j": [0, 1, 1], "gold.v": [1, 0, 0],
    }  # fmt: skip
    assert second["line"] == [9]
    assert {name: second[f"gold.{name}"] for name in "nijv"} == {
        "n": [1], "i": [0], "j": [0], "v": [1],
    }  # fmt: skip
    assert page.data["meta"]["links"] == {"links": 6, "other": 6, "gold": 4}


def test_the_same_page_each_time(bitext: Bitext) -> None:
    view = AlignmentView(bitext, Links.from_pairs(LINKS))
    assert view.page().html() == view.page().html()


def test_partners_are_counted(bitext: Bitext) -> None:
    table = word_partners(bitext, Links.from_pairs(LINKS)).columns(bitext)
    rows = zip(table["source"], table["target"], table["count"], strict=True)
    counts = {(table["source_words"][s], table["target_words"][t]): n for s, t, n in rows}
    assert counts == {("the", "la"): 3, ("house", "casa"): 2, ("red", "roja"): 1}
    assert table["s2t"] == table["t2s"] == table["s2t_by_domain"] == table["by_domain"] == []


def test_the_most_frequent_partners_are_kept() -> None:
    """Of one word with 40 partners 12 stay; a partner stays also for its own sake."""
    pairs = [("a", f"t{k}") for k in range(40) for _ in range(40 - k)] + [("b", "t39")] * 2
    bitext = Bitext.from_pairs(pairs)
    partners = word_partners(bitext, Links.from_pairs([[(0, 0)]] * len(pairs)))
    table = partners.columns(bitext)
    rows = zip(table["source"], table["target"], table["count"], strict=True)
    kept = defaultdict(set)
    for source, target, count in rows:
        kept[table["source_words"][source]].add((table["target_words"][target], count))
    assert kept["b"] == {("t39", 2)}
    assert kept["a"] == {(f"t{k}", 40 - k) for k in range(40)}  # each is its target's best
    counts = Counter()
    many = Bitext.from_pairs([("a", "t"), ("a b", "t u")] + [(f"s{k}", "t") for k in range(30)])
    links = Links.from_pairs([[(0, 0)], [(0, 0), (1, 1)]] + [[(0, 0)]] * 30)
    table = word_partners(many, links).columns(many)
    for source, target in zip(table["source"], table["target"], strict=True):
        counts[table["source_words"][source], table["target_words"][target]] += 1
    assert set(counts) == {("a", "t"), ("b", "u"), *((f"s{k}", "t") for k in range(30))}


def test_probabilities_are_the_models(model: ig.AlignmentModel, trained_text: Bitext) -> None:
    bitext = trained_text[:30]
    links = model.align(bitext)
    posterior = model.domain_posteriors(bitext)
    partners = word_partners(bitext, links, posterior, model)
    names = bitext.source.vocabulary.words, bitext.target.vocabulary.words
    s2t, t2s = model.lexicon("s2t"), model.lexicon("t2s")
    for row in range(len(partners.source)):
        source, target = names[0][partners.source[row]], names[1][partners.target[row]]
        assert partners.s2t[row] == pytest.approx(s2t[source].get(target, 0), abs=1e-6)
        assert partners.t2s[row] == pytest.approx(t2s[target].get(source, 0), abs=1e-6)
        for number, domain in enumerate(model.domains):
            table = {one.word: one for one in model.translations(source) if one.domain == domain}
            expected = table[target].probability if target in table else 0
            assert partners.s2t_by_domain[row, number] == pytest.approx(expected, abs=1e-6)
            within = model.lexicon("t2s", domain)[target].get(source, 0)
            assert partners.t2s_by_domain[row, number] == pytest.approx(within, abs=1e-6)
    np.testing.assert_allclose(partners.by_domain.sum(axis=1), partners.count)


def test_links_without_probability_get_the_models(
    model: ig.AlignmentModel, trained_text: Bitext
) -> None:
    bitext = trained_text[:30]
    links = model.align(bitext).unscored()
    chunk = unpacked(AlignmentView(bitext, links, model=model).page().chunks[0])
    expected = model.with_confidence(bitext, links).probability
    assert expected is not None
    assert chunk["links.v"] == np.rint(1000 * expected).astype(int).tolist()
    posterior = model.domain_posteriors(bitext)
    assert chunk["domain"] == posterior.argmax(axis=1).tolist()


def test_links_of_another_text_are_refused(bitext: Bitext) -> None:
    with pytest.raises(DataError, match="the links have 1 line; expected 4, one per sentence pair"):
        AlignmentView(bitext, Links.from_pairs(LINKS[:1]))
    wrong = Links.from_pairs([[(5, 0)], [], [], []])
    for views in ({"links": wrong}, {"links": Links.from_pairs(LINKS), "other": wrong}):
        with pytest.raises(DataError, match="link 5-0"):
            AlignmentView(bitext, **views)


def test_too_many_pairs_are_refused(bitext: Bitext, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(viewer, "MOST_PAIRS", 3)
    with pytest.raises(UsageError, match=r"a page shows at most 3 sentence pairs, got 4\. Select"):
        AlignmentView(bitext, Links.from_pairs(LINKS))


def test_the_grid_of_a_terminal(bitext: Bitext) -> None:
    gold = GoldLinks.from_pairs([[], [], [(0, 0), (1, 1)], []], [[], [], [(2, 1)], []])
    view = AlignmentView(bitext, Links.from_pairs(LINKS), gold=gold)
    assert list(text_grid(view, 2, 80)) == [
        "the     x  .  .",
        "red     .  -  ?",
        "house   .  x  .",
        "        0  1  2",
        "  0 la",
        "  1 casa",
        "  2 roja",
    ]
    assert list(text_grid(view, 1, 80)) == ["(empty) ||| nada"]


def test_the_grid_shows_characters_that_nobody_sees() -> None:
    pair = ("zero\u200bwidth so\u00adft", "\ufeffcasa \u200d a\u200db")
    view = AlignmentView(Bitext.from_pairs([pair]), Links.from_pairs([[(0, 0), (1, 2)]]))
    assert list(text_grid(view, 0, 80)) == [
        "zero<200B>width   x  .  .",
        "so<00AD>ft        .  .  x",
        "                  0  1  2",
        "  0 <FEFF>casa",
        "  1 <200D>",
        "  2 a\u200db",
    ]


def test_links_of_a_long_sentence_are_listed() -> None:
    pair = (" ".join(f"w{k}" for k in range(1000)), " ".join(f"v{k}" for k in range(120)))
    links = Links.from_pairs([[(0, 0), (0, 119), (999, 7)]])
    gold = GoldLinks.from_pairs([[(0, 0), (998, 5)]], [[]])
    view = AlignmentView(Bitext.from_pairs([pair]), links, gold=gold)
    lines = list(text_grid(view, 0, 80))
    assert lines[0] == "  0 w0   x 0 v0, ? 119 v119"
    assert lines[1] == "  1 w1   (no link)"
    assert lines[998:1000] == ["998 w998 - 5 v5", "999 w999 ? 7 v7"]
    assert lines[1000] == "target words without a link:"
    rest = " ".join(lines[1001:])
    assert rest.split(", ") == [f"{j} v{j}" for j in range(120) if j not in (0, 5, 7, 119)]
    assert max(map(len, lines)) <= 80
    assert len(lines) < 1025


def test_the_grid_has_the_width_of_the_terminal() -> None:
    pair = (" ".join(f"w{k}" for k in range(30)), " ".join(f"長い{k}" for k in range(30)))
    links = Links.from_pairs([[(k, k) for k in range(30)]])
    lines = list(text_grid(AlignmentView(Bitext.from_pairs([pair]), links), 0, 40))
    rows = [line for line in lines if line.startswith("w")]
    assert all(len(line) <= 40 for line in rows)
    assert sum(line.count("x") for line in rows) == 30
