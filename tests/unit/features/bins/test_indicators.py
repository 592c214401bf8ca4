"""What the features of bins weigh, bin by bin; bins of several scores."""

from dataclasses import replace

import numpy as np
import pytest

from isogloss.align.arrays.sparse_rows import Ragged
from isogloss.align.text.corpus import Corpus
from isogloss.features.bins.binning import Binning
from isogloss.features.table.phrase_table import PhraseTable


@pytest.mark.parametrize("options", ["", ":overlap=1,2", ":extend=2", ":extend=1"])
def test_features_weigh_the_mean_of_the_shares_of_their_bins(options: str) -> None:
    """Bin by bin and feature by feature; and as fast for thousands of bins."""
    binning = Binning.fit([ladder(16)], [f"p:4{options}"])
    weights = binning.weights({"p": 2.0})
    expected = {}
    fired = binning.indicators("p")
    for names, rows in fired:
        values = [[] for _ in names]
        for row, median in enumerate(binning.bins[0].median):
            ids = rows.part(row, row + 1).ids.tolist()
            for number in ids:
                values[number].append(2.0 * np.log(median) / len(fired) / len(ids))
        expected |= {name: np.mean(own) for name, own in zip(names, values, strict=True)}
    assert weights == pytest.approx(expected)
    many = Binning.fit([ladder(1 << 15)], [f"p:15{options}"]).weights({"p": 2.0})
    assert len(many) >= (1 << 15) - 2


def ladder(size: int) -> PhraseTable:
    """A table of rules that all differ in their score p."""
    words = Corpus.from_sentences([[f"a{k}"] for k in range(size)])
    rules = np.arange(size, dtype=np.int32)
    scores = (np.arange(size)[:, None] + 1.0) / size
    links, sparse = Ragged.empty(size), Ragged.empty(size)
    return PhraseTable(
        words, words, rules, rules, scores, ("p",), links, np.ones((size, 3)), sparse, ()
    )


def test_bins_of_two_binnings() -> None:
    """Each score once: what is learned anew counts."""
    one = Binning.fit([ladder(8)], ["p:1"])
    other = replace(Binning.fit([ladder(8)], ["p:2"]), population="tokens")
    renamed = replace(other, specs=(replace(other.specs[0], name="q"),))
    assert one.merge(None) is one
    assert one.merge(other).bins == one.bins
    both = one.merge(renamed)
    assert [spec.name for spec in both.specs] == ["p", "q"]
    assert (both.bins, both.population) == (one.bins + other.bins, "given")
