"""Reordering tables against those Moses made of the same text and links: every row, as printed."""

import gzip
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from isogloss.align import read_bitext, read_links
from isogloss.align.errors import DataError
from isogloss.features.extraction.extract import extract_blocks
from isogloss.features.extraction.extraction_options import ExtractionOptions
from isogloss.features.extraction.reordering import ReorderingModel, read_reordering_table
from isogloss.features.table.phrases import phrase_texts

GIVEN_PHRASE_PAIRS = (
    "wbe-msd-bidirectional-fe",
    "phrase-msd-bidirectional-fe",
    "hier-msd-bidirectional-fe",
    "hier-mslr-bidirectional-fe",
)
GIVEN_SOURCE = "wbe-msd-backward-f"
NAMES = (*GIVEN_PHRASE_PAIRS, GIVEN_SOURCE)
# relative: 5e-6, half a unit of the sixth digit, and some 6e-8 of roundings of Moses' float
PRINTED = 6e-6
RULES = 74551
SOURCE_PHRASES = 40287

Table = tuple[list[tuple[str, str]], list[str], dict[str, NDArray[np.float64]]]


@pytest.fixture(scope="module")
def folder(shared_data: Path) -> Path:
    return shared_data / "moses-golden"


@pytest.fixture(scope="module")
def table(folder: Path) -> Table:
    """Rules, source phrases, and the scores of each model, of the table extracted here."""
    bitext = read_bitext(folder / "text.es.gz", folder / "text.en.gz")
    links = read_links(folder / "links.grow-diag-final-and.gz")
    models = tuple(ReorderingModel.parse(name) for name in NAMES)
    rules: list[tuple[str, str]] = []
    sources: list[str] = []
    scores: dict[str, list[NDArray[np.float64]]] = {name: [] for name in NAMES}
    for block in extract_blocks(bitext, links, ExtractionOptions(reordering=models)):
        source, target = phrase_texts(block.table.source), phrase_texts(block.table.target)
        numbers = zip(block.table.rule_source, block.table.rule_target, strict=True)
        rules += [(source[f], target[e]) for f, e in numbers]
        sources += source
        for name, columns in zip(NAMES, block.reordering, strict=True):
            scores[name].append(columns)
    return rules, sources, {name: np.vstack(columns) for name, columns in scores.items()}


def printed(scores: NDArray[np.float64]) -> list[str]:
    return [" ".join(f"{value:.6g}" for value in row) for row in scores.tolist()]


def lines(folder: Path, name: str) -> list[str]:
    with gzip.open(folder / f"reordering-table.{name}.gz", "rt", encoding="utf-8") as stream:
        return stream.read().removesuffix("\n").split("\n")


@pytest.mark.parametrize("name", GIVEN_PHRASE_PAIRS)
def test_models_given_phrase_pairs(folder: Path, table: Table, name: str) -> None:
    rules, _, scores = table
    expected = [tuple(line.split(" ||| ")) for line in lines(folder, name)]
    assert len(expected) == RULES
    pairs = zip(rules, printed(scores[name]), strict=True)
    assert expected == [(*rule, numbers) for rule, numbers in pairs]


def test_model_given_source_phrases(folder: Path, table: Table) -> None:
    """Moses left the phrases out of this table: its rows are compared in their order."""
    _, sources, scores = table
    expected = lines(folder, GIVEN_SOURCE)
    assert len(expected) == len(sources) == SOURCE_PHRASES
    assert expected == [f" {numbers}" for numbers in printed(scores[GIVEN_SOURCE])]


def test_tables_of_moses_are_read(folder: Path, table: Table) -> None:
    rules, _, scores = table
    name = "hier-mslr-bidirectional-fe"
    path = folder / f"reordering-table.{name}.gz"
    first = 0
    for rows in read_reordering_table(path, ReorderingModel.parse(name), rows=10000):
        here = slice(first, first + len(rows))
        assert rules[here] == list(zip(rows.source, rows.target, strict=True))
        np.testing.assert_allclose(rows.scores, scores[name][here], rtol=PRINTED)
        first += len(rows)
    assert first == RULES


def test_a_table_without_phrases_is_an_error(folder: Path) -> None:
    path = folder / f"reordering-table.{GIVEN_SOURCE}.gz"
    with pytest.raises(DataError, match=r"line 1: .*omit the phrases"):
        next(read_reordering_table(path, ReorderingModel.parse(GIVEN_SOURCE)))
