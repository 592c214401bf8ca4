"""Real phrase tables pass through unchanged: of Moses, of other programs, with many scores."""

import gzip
from pathlib import Path

import numpy as np
import pytest

from isogloss.features.table.grammars import table_format
from isogloss.features.table.phrase_table import PhraseTable
from isogloss.features.table.phrases import phrase_texts
from isogloss.features.table.rules import select_rules
from isogloss.features.table.stream import read_blocks
from isogloss.features.table.write_blocks import write_blocks
from isogloss.features.templates.apply import add_templates

# file: form, sorted, rules, scores
TABLES = {
    "moses-golden/phrase-table.gz": ("moses", True, 74551, 4),
    "moses-golden/phrase-table.kneser-ney.gz": ("moses", True, 74551, 4),
    "phrase-tables/en-de.phrase-table.gz": ("moses", True, 25918, 12),
    "phrase-tables/es-en.phrase-table.gz": ("moses", True, 165161, 4),
    "phrase-tables/zh-en.phrase-table.gz": ("phrasal", False, 8927, 7),
}


def keep_all(block: PhraseTable) -> PhraseTable:
    """The same rules by way of a transformation."""
    return select_rules(add_templates(block, []), np.arange(len(block)))


@pytest.mark.parametrize("name", TABLES)
def test_unchanged(shared_data: Path, tmp_path: Path, name: str) -> None:
    form, in_order, num_rules, num_scores = TABLES[name]
    blocks = list(
        read_blocks(
            shared_data / name, format=table_format(form), unsorted=not in_order, rules=9999
        )
    )
    assert num_rules == sum(map(len, blocks))
    assert {num_scores} == {len(block.score_names) for block in blocks}
    out = tmp_path / "out"
    write_blocks(map(keep_all, blocks), out, format=table_format(form))
    lines = gzip.decompress((shared_data / name).read_bytes()).decode().splitlines(keepends=True)
    if not in_order:
        lines.sort(key=lambda line: [f"{x} |||" for x in line.split(" ||| ")[:2]])
    assert "".join(lines) == out.read_text(encoding="utf-8")


def test_factors_and_indicators(shared_data: Path) -> None:
    (block,) = read_blocks(shared_data / "phrase-tables" / "en-de.phrase-table.gz")
    assert ("dom_nc-5k", "score.11") == (block.sparse_names[0], block.score_names[-1])
    assert "!|PER" == phrase_texts(block.target)[0]
    assert [1.0, 2.718] == np.unique(block.scores[:, 5:]).tolist()
    assert [[18.0, 19.0, 16.0]] == block.counts[:1].tolist()


def test_logarithms_of_phrasal_are_probabilities(shared_data: Path) -> None:
    path = shared_data / "phrase-tables" / "zh-en.phrase-table.gz"
    (block,) = read_blocks(path, format=table_format("phrasal"), unsorted=True)
    assert ("p(f|e)", "lex(f|e)", "p(e|f)", "lex(e|f)") == block.score_names[:4]
    assert block.scores[:, :4].max() <= 1.0
    np.testing.assert_allclose(block.scores[:, 4], 2.718, rtol=1e-6)
    assert len(block.links.ids) > len(block)
