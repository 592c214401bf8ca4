"""Entries and their counts against the definition."""

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from isogloss.align import Bitext, DataError, Links, UsageError, train
from isogloss.align.text.corpus import Corpus
from isogloss.features import Dictionary, DictionaryOptions, extract_dictionary
from isogloss.features.dictionary import spans
from isogloss.features.dictionary.extract import NESTED, label_weights, link_dictionary
from isogloss.features.extraction.extract import DomainWeights
from tests.naive import dictionary as naive
from tests.naive.phrase_pairs import Pair, columns, texts


def scored(pairs: Sequence[Pair], probability: Sequence[dict[tuple[int, int], float]]) -> Links:
    links = columns(pairs)[1]
    values = [probability[k][link] for k, pair in enumerate(pairs) for link in sorted(pair[2])]
    return Links(links.source, links.target, links.offsets, np.array(values, np.float32))


def by_text(dictionary: Dictionary) -> dict[naive.Key, int]:
    """The row of each pair."""
    return {
        (tuple(dictionary.source.words(row)), tuple(dictionary.target.words(row))): row
        for row in range(len(dictionary))
    }


@st.composite
def cases(draw: st.DrawFn) -> tuple[list[Pair], list[dict[tuple[int, int], float]], list[float]]:
    pairs = draw(texts())
    share = st.sampled_from([0.0, 0.25, 0.5, 1.0])
    probability = [
        {link: draw(st.sampled_from([0.25, 0.5, 1.0])) for link in pair[2]} for pair in pairs
    ]
    return pairs, probability, [draw(share) for _ in pairs]


@settings(max_examples=60, deadline=None)
@given(cases(), st.integers(1, 4), st.integers(1, 2), st.sampled_from([-9.0, 0.5, 2.0]),
       st.booleans(), st.booleans(), st.sampled_from([(), ("A", "b"), ("x",)]),
       st.integers(1, 3))  # fmt: skip
def test_entries_are_those_of_the_definition(
    case: tuple[list[Pair], list[dict[tuple[int, int], float]], list[float]],
    max_length: int, min_count: int, min_pmi: float, numbers: bool, nested: bool,
    stopwords: tuple[str, ...], min_characters: int,
) -> None:  # fmt: skip
    pairs, probability, shares = case
    posteriors = [[share, 1.0 - share] for share in shares]
    lowered = [word.lower() for word in stopwords]
    expected = naive.dictionary(
        pairs, probability=probability, posteriors=posteriors, max_length=max_length,
        min_count=min_count, min_pmi=min_pmi, nested_from=None if nested else NESTED,
        kept=naive.Kept(numbers, lowered, min_characters),
    )  # fmt: skip
    options = DictionaryOptions(
        max_phrase_length=max_length, min_count=min_count, min_pmi=min_pmi, numbers=numbers,
        nested=nested, stopwords=stopwords, min_characters=min_characters,
    )  # fmt: skip
    found = link_dictionary(
        columns(pairs)[0], scored(pairs, probability), options,
        DomainWeights(None, ("a", "b"), np.array(posteriors).reshape(-1, 2)),
    )  # fmt: skip
    rows = by_text(found)
    assert set(rows) == set(expected)
    for key, row in rows.items():
        one = expected[key]
        assert found.counts[row].tolist() == pytest.approx([one.count, *one.by_domain])
        assert found.certainty[row] == pytest.approx(one.certainty, abs=1e-6)
        assert found.source_counts[row].tolist() == pytest.approx(one.source)
        assert found.target_counts[row].tolist() == pytest.approx(one.target)


LINES = [
    ("Open the File Manager", "Abra el Gestor de Archivos", "0-0 1-1 2-4 3-2"),
    ("the file manager is open", "el gestor de archivos está abierto", "0-0 1-3 2-1 3-4 4-5"),
    ("close the file manager - 3", "cierre el gestor de archivos - 3", "0-0 1-1 2-4 3-2 4-5 5-6"),
    ("a file", "un archivo", "0-0 1-1"),
    ("close the window", "cierre la ventana", "0-0 1-1 2-2"),
    ("the FILE", "el ARCHIVO", "0-0 1-1"),
]


def read(lines: Sequence[tuple[str, str, str]]) -> tuple[Bitext, Links]:
    sides = (Corpus.from_sentences([line[side].split() for line in lines]) for side in (0, 1))
    links = [
        [(int(link.split("-")[0]), int(link.split("-")[1])) for link in line[2].split()]
        for line in lines
    ]
    return Bitext.unlabeled(*sides), Links.from_pairs(links)


def listed(dictionary: Dictionary) -> list[str]:
    return sorted(f"{entry.source} = {entry.target}" for entry in dictionary.entries())


FREE = DictionaryOptions(min_count=2, min_pmi=0.5, lowercase=(True, True))


def test_terms_in_their_commonest_spelling() -> None:
    found = link_dictionary(*read(LINES), FREE)
    assert listed(found) == [
        "close = cierre", "file = archivo", "file manager = gestor de archivos", "the = el",
    ]  # fmt: skip


def test_case_counts_where_nobody_asks_for_lower_case() -> None:
    cased = link_dictionary(*read(LINES), DictionaryOptions(min_count=1, min_pmi=-9.0, nested=True))
    assert "FILE = ARCHIVO" in listed(cased)
    lowered = link_dictionary(*read(LINES), FREE)
    assert not any(text.isupper() for text in listed(lowered))


def test_short_terms_and_stopwords() -> None:
    options = DictionaryOptions(min_count=1, min_pmi=-9.0, nested=True, min_characters=1)
    every = listed(link_dictionary(*read(LINES), options))
    assert {"a = un", "the = el", "the FILE = el ARCHIVO"} <= set(every)
    longer = listed(link_dictionary(*read(LINES), replace(options, min_characters=2)))
    assert set(every) - set(longer) == {"a = un"}
    known = listed(link_dictionary(*read(LINES), replace(options, stopwords=("The", "un"))))
    assert not any(text.startswith("the ") or text.endswith(" un") for text in known)
    assert "file = archivo" in known


def test_characters_of_scripts_without_spaces_count_twice() -> None:
    lines = [("中", "Chinese", "0-0"), ("é", "and", "0-0"), ("한", "Korean", "0-0")]
    options = DictionaryOptions(min_count=1, min_pmi=-9.0)
    assert listed(link_dictionary(*read(lines), options)) == ["中 = Chinese"]


def test_numbers_and_marks() -> None:
    options = DictionaryOptions(min_count=1, min_pmi=-9.0, nested=True)
    assert not any(
        "3 = 3" in text or "- = -" in text
        for text in listed(link_dictionary(*read(LINES), options))
    )
    options = DictionaryOptions(
        min_count=1, min_pmi=-9.0, nested=True, numbers=True, min_characters=1
    )
    texts = listed(link_dictionary(*read(LINES), options))
    assert "3 = 3" in texts
    assert "- = -" not in texts
    assert "manager - 3 = gestor de archivos - 3" not in texts  # five words


def test_parts_and_memory_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    bitext, links = read(LINES * 3)
    whole = link_dictionary(bitext, links, FREE)
    monkeypatch.setattr(spans, "_CHUNK", 5)
    monkeypatch.setattr("isogloss.features.extraction.counts.BYTES_PER_PHRASE_PAIR", 1 << 21)
    seen: list[int] = []
    parts = link_dictionary(
        bitext,
        links,
        DictionaryOptions(**{**vars(FREE), "max_memory": 1 << 20}),
        advance=seen.append,
    )
    assert len(seen) > 3
    assert listed(parts) == listed(whole)
    for name in ("counts", "source_counts", "target_counts", "certainty", "sizes"):
        assert np.array_equal(getattr(parts, name), getattr(whole, name))


def test_a_text_without_links() -> None:
    bitext, _ = read(LINES)
    found = link_dictionary(bitext, Links.from_pairs([[] for _ in LINES]), FREE)
    assert len(found) == 0
    assert list(found.entries()) == []
    assert found.examples(found.entries(), 2) == []
    empty = link_dictionary(*read([]), FREE)
    assert repr(empty) == "Dictionary(0 pairs; no domains)"


def test_labels_are_domains() -> None:
    bitext, links = read(LINES)
    labeled = bitext.with_numbered_labels(np.array([0, 0, 0, 1, 1, -1], np.int16), ("a", "b"))
    found = link_dictionary(labeled, links, FREE, label_weights(labeled))
    row = by_text(found)[("close",), ("cierre",)]
    assert found.counts[row].tolist() == [2.0, 1.0, 1.0]
    assert found.sizes.tolist() == [22.0, 15.0, 5.0]
    with pytest.raises(UsageError, match="no pair has a label; pass labels, posteriors or a"):
        label_weights(bitext)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"max_phrase_length": 9}, "max_phrase_length must be between 1 and 8, got"),
        ({"min_count": 0}, "min_count must be at least 1"),
        ({"min_characters": 0}, "min_characters must be at least 1"),
        ({"min_pmi": math.nan}, "min_pmi must be a finite number"),
        ({"max_memory": "4G"}, "max_memory must be a number of bytes, got '4G'"),
        ({"max_memory": 5}, "max_memory must be at least 1048576 bytes, got 5"),
        ({"lowercase": (True,)}, "must be two booleans, one per side"),
    ],
)
def test_options_out_of_range(change: dict[str, object], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        DictionaryOptions(**change)  # type: ignore[arg-type]


def test_links_outside_of_their_pair() -> None:
    bitext, links = read(LINES)
    with pytest.raises(DataError, match="the links have 5 lines; expected 6, one per sentence"):
        link_dictionary(bitext, links.part(1, 5), FREE)


def test_posteriors_that_were_rounded() -> None:
    bitext, links = read(LINES)
    posteriors = np.tile([0.6006, 0.4004], (len(LINES), 1))
    found = link_dictionary(bitext, links, FREE, DomainWeights(None, ("a", "b"), posteriors))
    row = by_text(found)[("close",), ("cierre",)]
    assert found.counts[row].tolist() == pytest.approx([2.0, 1.2012, 0.8008])
    assert all(entry.special < 0.0 for entry in found.entries("a"))


def test_a_model_aligns_and_weighs(monkeypatch: pytest.MonkeyPatch) -> None:
    """A model in lower case makes entries that differ in case one; parts change nothing."""
    bitext, _ = read(LINES * 4)
    lowered = [[word.lower() for word in pair.source] for pair in bitext]
    others = [[word.lower() for word in pair.target] for pair in bitext]
    sides = Corpus.from_sentences(lowered), Corpus.from_sentences(others)
    model = train(Bitext.unlabeled(*sides))
    found = extract_dictionary(model, bitext, FREE)
    whole, told = vars(found), list[int]()
    monkeypatch.setattr("isogloss.align.text.bitext.PART", 5)
    again = vars(extract_dictionary(model, bitext, FREE, advance=told.append))
    assert told == [5, 5, 5, 5, 4]
    for name in ("counts", "certainty", "source_counts", "target_counts"):
        assert np.array_equal(again[name], whole[name])
    totals = {(entry.source, entry.target): entry.total for entry in found.entries()}
    assert totals["close", "cierre"] == 8
    assert not any(side.isupper() for pair in totals for side in pair)
    assert (found.domains, found.is_scored) == ((), True)
