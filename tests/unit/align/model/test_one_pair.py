"""One sentence pair: what a side may be, and how its links are shown."""

import copy
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from isogloss.align import AlignedPair, AlignmentModel, Bitext, train
from isogloss.align.errors import DataWarning, UsageError, WrongTypeError
from isogloss.align.links.aligned_pair import WordLink

SOURCE = ["la casa", "una casa verde", "la mesa", "una mesa", "verde", "la mesa verde"]
TARGET = ["the house", "a green house", "the table", "a table", "green", "the green table"]


@pytest.fixture(scope="module")
def model() -> AlignmentModel:
    return train(Bitext.from_sentences(SOURCE * 4, TARGET * 4))


@pytest.fixture(scope="module")
def pair(model: AlignmentModel) -> AlignedPair:
    return model.align_pair("la casa", "the house")


@pytest.mark.parametrize(
    "side",
    [
        lambda words: (word for word in words),
        iter,
        lambda words: map(str, words),
        tuple,
        np.array,
        lambda words: np.array(words, object),
        " ".join,
        lambda words: "  ".join(words) + "\n",
        lambda words: np.str_(" ".join(words)),
        lambda words: np.array(" ".join(words)),
    ],
)
def test_what_a_side_may_be(model: AlignmentModel, pair: AlignedPair, side: Any) -> None:
    found = model.align_pair(side(["la", "casa"]), side(["the", "house"]))
    assert found == pair
    assert [type(word) for word in (*found.source, *found.target)] == [str] * 4
    assert str(found) == "0-0 1-1"


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (None, "is missing"),
        (float("nan"), "is missing"),
        (7, "must be a string or a list of words, not 7"),
        ({"the": 1}, "must be a string or a list of words, not {'the': 1}"),
        (b"the", "must be a string or a list of words, not b'the'"),
        (["a", 3], "must be a string or a list of words, but contains 3"),
        (["a", None], "must be a string or a list of words, but contains None"),
        ([["a"], ["b"]], r"not a list of them; use align\(sources, targets\) for"),
        (np.array([["a", "b"]]), r"not a list of them; use align\(sources, targets\) for"),
        (({"a"} for _ in range(2)), "must be a string or a list of words, but contains"),
    ],
)
def test_what_a_side_may_not_be(model: AlignmentModel, wrong: Any, message: str) -> None:
    with pytest.raises(WrongTypeError, match=f"source .*{message}"):
        model.align_pair(wrong, "x")
    if not hasattr(wrong, "send"):
        with pytest.raises(WrongTypeError, match=f"target .*{message}"):
            model.align_pair("x", wrong)


def test_a_pair_of_a_bitext(model: AlignmentModel, pair: AlignedPair) -> None:
    bitext = Bitext.from_sentences(SOURCE, TARGET)
    assert model.align_pair(bitext[0]) == pair
    assert model.align_pair(bitext[0], heuristic="union").links == pair.links
    with pytest.raises(WrongTypeError, match="target must be omitted if source is a SentencePair"):
        model.align_pair(bitext[0], "union")


def test_exchanged_sides_are_told(model: AlignmentModel, tmp_path: Path) -> None:
    told = (
        "the sides look swapped: the model has 0% of the words of source on its source side and "
        "100% on its target side; .* Swap source and target"
    )
    for align, sides in (
        (model.align_pair, (TARGET[0], SOURCE[0])),
        (model.align, (TARGET, SOURCE)),
        (model.align, (Bitext.from_sentences(TARGET, SOURCE),)),
    ):
        with pytest.warns(DataWarning, match=told) as warnings:
            align(*sides)
        assert [Path(warning.filename).name for warning in warnings] == [Path(__file__).name]
    model.align_pair("un perro grande", "the house")  # only one side is unknown
    model.align_pair("xx yy", "zz")
    model.align([""], [""])


def test_words_in_place_of_sentences_are_told(model: AlignmentModel) -> None:
    told = "each of the 2 sentence pairs is a pair of words, such as 'la' and 'the'. .*align_pair"
    with pytest.warns(DataWarning, match=told):
        model.align(["la", "casa"], ["the", "house"])
    model.align(["casa"], ["house"])
    model.align(["la", "la casa"], ["the", "the house"])
    model.align(Bitext.from_sentences(["la", "casa"], ["the", "house"]))


def test_a_pair_is_a_sequence_of_links(pair: AlignedPair) -> None:
    assert [link[:4] for link in pair] == [(0, 0, "la", "the"), (1, 1, "casa", "house")]
    assert pair[1] == pair.links[1]
    assert (1, 1) in pair and pair.links[0] in pair
    assert (0, 1) not in pair and "casa" not in pair
    for again in (copy.copy(pair), copy.deepcopy(pair), pickle.loads(pickle.dumps(pair))):
        assert again == pair


def test_a_pair_as_a_table(pair: AlignedPair) -> None:
    pytest.importorskip("pyarrow")
    pytest.importorskip("pandas")
    table = pair.to_pandas()
    assert list(table) == ["source_position", "target_position", "source", "target", "probability"]
    assert table["source"].tolist() == ["la", "casa"]
    assert table["target_position"].tolist() == [0, 1]
    assert table["probability"].tolist() == [link.probability for link in pair]
    unknown = AlignedPair(("a",), ("b",), (WordLink(0, 0, "a", "b", None),), {"general": 1.0})
    assert unknown.to_pandas()["probability"].isna().tolist() == [True]
    assert len(AlignedPair((), (), (), {"general": 1.0}).to_pandas()) == 0


def test_a_pair_prints_five_lines(pair: AlignedPair) -> None:
    links = (WordLink(0, 0, "la", "the", 0.984), WordLink(1, 1, "casa", "house", None))
    shown = AlignedPair(pair.source, pair.target, links, {"law": 0.25, "news": 0.75})
    assert repr(shown).splitlines() == [
        "AlignedPair(2 links; news 0.75, law 0.25",
        "  source: la casa",
        "  target: the house",
        "  links: 0-0 1-1",
        "  words: la-the 0.98, casa-house)",
    ]
    words = ("word",) * 3000
    links = tuple(WordLink(k, k, "word", "word", 0.5) for k in range(3000))
    domains = {f"domain{k}": 1 / 500 for k in range(500)}
    lines = repr(AlignedPair(words, words, links, domains)).splitlines()
    assert len(lines) == 5
    assert max(map(len, lines)) <= 100


def test_a_domain_where_a_direction_belongs(model: AlignmentModel) -> None:
    name = model.domains[0]
    for ask in (lambda: model.lexicon(name), lambda: model.translations("w", name)):
        with pytest.raises(UsageError, match=rf"not the domain '{name}'; use lexicon\(domain="):
            ask()
