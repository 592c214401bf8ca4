"""What P(D | f, e) says of a whole text."""

import math

import numpy as np
import pytest

from isogloss.align.domains.summary import format_instance_weights, summarize, typical_pairs
from isogloss.align.text.bitext import Bitext
from isogloss.align.text.corpus import Corpus


def bitext(*pairs):
    sides = ([source.split() for source, _ in pairs], [target.split() for _, target in pairs])
    return Bitext.unlabeled(*map(Corpus.from_sentences, sides))


def test_summary_by_hand():
    text = bitext(("a b", "c"), ("", "c"), ("a", "d"), ("b", "d"))
    posterior = np.array([[0.5, 0.5, 0.0], [0.0, 0.0, 1.0], [0.25, 0.75, 0.0], [1.0, 0.0, 0.0]])
    found = summarize(text, posterior)
    np.testing.assert_allclose(found.share, [1.75 / 3, 1.25 / 3, 0.0], rtol=1e-12)
    assert found.count.tolist() == [2, 1, 0]
    quarter = 0.25 * 2 + 0.75 * math.log2(4 / 3)
    assert found.entropy == pytest.approx((1.0 + quarter) / 3, rel=1e-12)
    assert (found.num_pairs, found.num_unusable) == (3, 1)


def test_summary_of_nothing():
    found = summarize(bitext(("", "c")), np.array([[0.5, 0.5]]))
    assert (found.share.tolist(), found.count.tolist()) == ([0.0, 0.0], [0, 0])
    assert (found.entropy, found.num_pairs, found.num_unusable) == (0.0, 0, 1)


def test_typical_pairs_go_by_the_odds_per_word():
    """Pair 2 repeats pair 0, pair 3 is of the other domain, pair 4 is empty."""
    text = bitext(("a b", "c d"), ("a " * 40, "c " * 40), ("a b", "c d"), ("a", "c"), ("", "c"))
    second = np.array([1e-20, 1e-30, 1e-20, 0.9, 0.0])
    posterior = np.stack([1.0 - second, second], 1)
    assert posterior[0, 0] == posterior[1, 0] == 1.0
    pairs, scores = typical_pairs(text, posterior, 0, 5)
    assert pairs.tolist() == [0, 1]
    np.testing.assert_allclose(scores, [20 * math.log(10) / 14, 30 * math.log(10) / 90], rtol=1e-6)
    assert typical_pairs(text, posterior, 0, 1)[0].tolist() == [0]
    assert typical_pairs(text, posterior, 1, 9)[0].tolist() == [3]


def test_no_pair_of_the_domain():
    pairs, scores = typical_pairs(bitext(("a", "b")), np.array([[1.0, 0.0]]), 1, 3)
    assert len(pairs) == len(scores) == 0


def test_instance_weights_are_never_zero():
    lines = list(format_instance_weights(np.array([0.0, 1e-9, 0.25, 1.0])))
    assert lines == ["0.000001", "0.000001", "0.250000", "1.000000"]
