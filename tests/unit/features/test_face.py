"""The names that a program needs, in one import."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from isogloss import features
from isogloss.align import Bitext, Links, UsageError
from isogloss.align.text.corpus import Corpus
from isogloss.features import (
    Binning,
    ExtractionOptions,
    FeatureSpace,
    PhraseTable,
    Pruning,
    add_templates,
    extract,
    prune,
)

SOURCE = ["la casa verde", "la casa", "la mesa"]
TARGET = ["the green house", "the house", "the table"]
LINKS = [[(0, 0), (1, 2), (2, 1)], [(0, 0), (1, 1)], [(0, 0), (1, 1)]]


@pytest.fixture
def bitext() -> Bitext:
    source, target = (
        Corpus.from_sentences([text.split() for text in side]) for side in (SOURCE, TARGET)
    )
    return Bitext.unlabeled(source, target)


@pytest.fixture
def table(bitext: Bitext) -> PhraseTable:
    return extract(bitext, Links.from_pairs(LINKS))


def test_every_name_is_there_and_listed() -> None:
    assert dir(features) == sorted(features.__all__)
    for name in features.__all__:
        assert getattr(features, name).__name__ == name
    with pytest.raises(AttributeError, match=r"'isogloss\.features' has no attribute 'Extract'"):
        features.Extract  # noqa: B018


def test_reading_and_writing_loads_no_compiler(tmp_path: Path) -> None:
    path = tmp_path / "table"
    path.write_text("a ||| b ||| 0.5\n")
    code = """
import sys
from isogloss.features import Binning, FeatureSpace, PhraseTable, extract, prune
table = PhraseTable.load(sys.argv[1])
table.save(sys.argv[1])
print(table, [name for name in ("numba", "scipy", "llvmlite") if name in sys.modules])
"""
    run = subprocess.run(
        [sys.executable, "-c", code, str(path)], capture_output=True, text=True, check=True
    )
    assert run.stdout.endswith("a ||| b ||| 0.5 []\n")


def test_from_links_to_a_file(table: PhraseTable, tmp_path: Path) -> None:
    rich = add_templates(table, ["pt", "al"])
    assert rich[1].features == {"PT_casa_house": 1.0, "AL_casa_house": 1.0}
    kept = prune(rich, Pruning(min_count=2))
    assert [(rule.source, rule.target) for rule in kept] == [("casa", "house"), ("la", "the")]
    kept.save(tmp_path / "table.gz")
    assert list(PhraseTable.load(tmp_path / "table.gz")) == list(kept)


def test_options_of_extraction(bitext: Bitext, table: PhraseTable) -> None:
    words = extract(bitext, Links.from_pairs(LINKS), ExtractionOptions(max_phrase_length=1))
    assert [rule.source for rule in words] == ["casa", "la", "mesa", "verde"]
    assert len(table) > len(words)


def test_pruning_by_significance_takes_the_text(bitext: Bitext, table: PhraseTable) -> None:
    # casa and house: p = C(2, 2) C(1, 0) / C(3, 2) = 1/3; mesa and table: p = 1/3, too
    significant = prune(table, Pruning(significance="1"), bitext)
    assert ("casa", "house") in [(rule.source, rule.target) for rule in significant]
    assert ("la", "the") not in [(rule.source, rule.target) for rule in significant]
    with pytest.raises(UsageError, match="significance needs the text"):
        prune(table, Pruning(significance="1"))


def test_bins_print_what_they_hold(table: PhraseTable) -> None:
    columns = np.linspace(0.1, 1.0, 2 * len(table)).reshape(-1, 2)
    more = table.with_scores(["rank", "share"], columns)
    binning = Binning.fit([more], ["rank:2", "share:1", "p(e|f):3"])
    assert repr(binning) == (
        "Binning(rank in 4 bins, share in 2 bins, p(e|f) in 1 bin; population: rules)"
    )


def test_a_space_prints_its_sizes_and_first_names() -> None:
    assert repr(FeatureSpace([])) == "FeatureSpace(0 dense features; 0 sparse features)"
    names = ["lm", "tm", *(f"PT_{k}" for k in range(1200))]
    assert repr(FeatureSpace(names)) == (
        "FeatureSpace(2 dense features: lm tm; 1,200 sparse features: PT_0 PT_1 PT_2 PT_3 PT_4 ...)"
    )
