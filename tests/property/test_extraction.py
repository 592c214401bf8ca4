"""Extraction as a whole: its result doesn't depend on the memory it may take."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from isogloss.features.extraction.domain_scores import LabelFeature
from isogloss.features.extraction.extract import DomainWeights, ExtractedBlock, extract_blocks
from isogloss.features.extraction.extraction_options import ExtractionOptions
from isogloss.features.extraction.reordering import ReorderingModel
from isogloss.features.table.rule_formatter import RuleFormatter
from isogloss.features.table.write_blocks import format_blocks
from tests.naive import phrase_pairs as naive

MODELS = tuple(
    map(
        ReorderingModel.parse,
        ("wbe-msd-bidirectional-fe", "phrase-mslr-backward-f", "hier-mslr-bidirectional-fe"),
    )
)
OPTIONS: dict[str, Any] = {
    "max_phrase_length": 4,
    "reordering": MODELS,
    "proportional_smoothing": True,
    "count_features": ("RuleCount", "TargetInsertion"),
    "label_features": tuple(LabelFeature),
}
weights = st.sampled_from([0.1, 1 / 3, 1.0, 0.7, 5.0])
shares = st.sampled_from([0.0, 0.1, 1 / 3, 0.5, 1.0])


def text_of(blocks: list[ExtractedBlock]) -> tuple[bytes, list[bytes]]:
    """All files that would be written."""
    table: list[bytes] = []
    others: list[list[bytes]] = [[] for _ in MODELS]
    for block in blocks:
        formatter = RuleFormatter.of(block.table)
        table += format_blocks([block.table])
        for model, lines, scores in zip(MODELS, others, block.reordering, strict=True):
            lines += formatter.reordering(block.table, scores, with_target=model.condition == "fe")
    return b"".join(table), [b"".join(lines) for lines in others]


def numbers(blocks: list[ExtractedBlock]) -> list[NDArray[np.float64]]:
    return [
        np.concatenate([block.table.scores for block in blocks]),
        np.concatenate([block.table.counts for block in blocks]),
        *(np.concatenate(parts) for parts in zip(*(b.reordering for b in blocks), strict=True)),
    ]


@settings(max_examples=25, deadline=None)
@given(
    naive.texts(),
    st.lists(weights, min_size=4, max_size=4),
    st.lists(st.tuples(shares, shares), min_size=4, max_size=4),
    st.lists(st.sampled_from([-1, 0, 1]), min_size=4, max_size=4),
    st.sampled_from([1 << 15, 1 << 17, 1 << 20]),
)
def test_many_shards_give_what_one_does(
    pairs: list[naive.Pair],
    instance: list[float],
    posteriors: list[tuple[float, float]],
    labels: list[int],
    bytes_per_pair: int,
) -> None:
    number = len(pairs)
    bitext, links = naive.columns(pairs)
    bitext = bitext.with_numbered_labels(np.array(labels[:number], np.int16), ("law", "it_x"))
    domain_weights = DomainWeights(
        np.array(instance[:number]), ("law", "it"), np.array(posteriors[:number])
    )
    alone = list(extract_blocks(bitext, links, ExtractionOptions(**OPTIONS), domain_weights))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("isogloss.features.extraction.counts.BYTES_PER_PHRASE_PAIR", bytes_per_pair)
        small = ExtractionOptions(**OPTIONS, max_memory=1 << 20)
        many = list(extract_blocks(bitext, links, small, domain_weights))
    assert len(alone) <= 1
    assert text_of(alone) == text_of(many)
    if alone:
        for left, right in zip(numbers(alone), numbers(many), strict=True):
            np.testing.assert_array_equal(left, right)  # to the last bit


@settings(max_examples=25, deadline=None)
@given(naive.texts(), st.lists(shares, min_size=4, max_size=4), st.floats(0.01, 100.0))
def test_scores_are_probabilities(
    pairs: list[naive.Pair], posteriors: list[float], smoothing: float
) -> None:
    share = np.array(posteriors[: len(pairs)])
    weights = DomainWeights(None, ("a", "b"), np.stack([share, 1.0 - share], 1))
    options = ExtractionOptions(max_phrase_length=4, reordering=MODELS, domain_smoothing=smoothing)
    for block in extract_blocks(*naive.columns(pairs), options, weights):
        assert len(block.table.score_names) == 4 + 2 * 5
        for values in (block.table.scores, *block.reordering):
            assert values.min() > 0.0
            assert values.max() <= 1.0 + 1e-12
        assert block.table.scores[:, [0, 2, 4, 6, 9, 11]].max() <= 1.0
