"""Gold alignments of any links and sentences, written in each format and read again."""

import contextlib
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from isogloss.align.errors import DataError
from isogloss.align.files.text_io import read_lines
from isogloss.align.files.writers import write_lines
from isogloss.align.links.formats.burrito import BurritoFrame, burrito_records, read_token_ids
from isogloss.align.links.formats.gold_formats import (
    GOLD_FORMATS,
    Columns,
    gold_text,
    read_gold_keys,
)
from isogloss.align.links.gold_links import GoldLinks, parse_gold

words = st.text(st.characters(exclude_categories=("Cs", "Cc", "Zs", "Zl", "Zp")), min_size=1)
sides = st.lists(words, min_size=1, max_size=5)


@st.composite
def gold_and_texts(draw: st.DrawFn) -> tuple[GoldLinks, list[tuple[str, str]]]:
    """Links inside of their sentences; some of them are only possible."""
    pairs = draw(st.lists(st.tuples(sides, sides), max_size=5))
    every, sure = [], []
    for source, target in pairs:
        cells = [(i, j) for i in range(len(source)) for j in range(len(target))]
        chosen = draw(st.lists(st.sampled_from(cells), unique=True))
        every.append(chosen)
        sure.append([link for link in chosen if draw(st.booleans())])
    texts = [(" ".join(source), " ".join(target)) for source, target in pairs]
    return GoldLinks.from_pairs(sure, every), texts


def lines_of(gold: GoldLinks, format: str, texts: list[tuple[str, str]]) -> list[str]:
    every = gold.possible
    columns = Columns(
        every.source, every.target, every.offsets, np.isin(every.keys(), gold.sure.keys())
    )
    return list(gold_text(columns, format, texts))


@given(gold_and_texts(), st.sampled_from(GOLD_FORMATS[:5]))
def test_there_and_back(given: tuple[GoldLinks, list[tuple[str, str]]], format: str) -> None:
    gold, texts = given
    if format in ("xl-wa", "ctfalign"):
        gold = GoldLinks(gold.sure, gold.sure)
    lines = lines_of(gold, format, texts)
    assert not any("\n" in line for line in lines)
    assert parse_gold(lines, "x", format, len(gold)) == gold
    if format == "naacl" and lines:  # recognized
        assert parse_gold(lines, "x", num_pairs=len(gold)) == gold


odd = st.text(st.sampled_from('01239 \t-p?SP{}[]",:.a')) | st.text()


@given(st.lists(odd, max_size=4), st.none() | st.sampled_from(GOLD_FORMATS))
def test_any_lines(lines: list[str], format: str | None) -> None:
    """They are read, or refused with a line."""
    with contextlib.suppress(DataError):
        sure, possible, num_pairs = read_gold_keys(lines, "x", format)
        assert set(sure) <= set(possible)
        assert num_pairs >= len(set(possible)) > 0 or not possible or num_pairs > 0


@given(gold_and_texts())
def test_burrito_there_and_back(given: tuple[GoldLinks, list[tuple[str, str]]]) -> None:
    links, texts = given[0].possible, given[1]
    with TemporaryDirectory() as folder:
        for side, name in enumerate("st"):
            rows = (range(len(pair[side].split(" "))) for pair in texts)
            lines = [" ".join(f"{name}{k}.{i}" for i in row) for k, row in enumerate(rows)]
            write_lines(lines, Path(folder, name))
        files = Path(folder, "s"), Path(folder, "t")
        gold = GoldLinks(links, links)
        gold.save(Path(folder, "x.json"), format="burrito", ids=files)
        assert GoldLinks.load(Path(folder, "x.json"), ids=files) == gold
        half = len(links) // 2
        frame, sides = BurritoFrame(), read_token_ids(*files)
        parts = [
            *frame.add(burrito_records(links[:half], sides, "isogloss")),
            *frame.add(burrito_records(links[half:], sides, "isogloss", half)),
            *frame.end(),
        ]
        assert parts == read_lines(Path(folder, "x.json"))
