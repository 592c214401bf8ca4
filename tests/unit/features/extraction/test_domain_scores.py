"""Scores conditioned on domains, and features of labels, against dictionaries."""

import math
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from isogloss.features.extraction.domain_scores import (
    DomainCounts,
    LabelFeature,
    add_domain_scores,
    add_label_features,
    domain_score_names,
)
from isogloss.features.extraction.extract import DomainWeights, extract_blocks
from isogloss.features.extraction.extraction_options import ExtractionOptions
from isogloss.features.space import is_sparse
from isogloss.features.table.phrase_table import PhraseTable
from isogloss.features.table.phrases import phrase_texts
from isogloss.features.table.sidecar import MOSES_SCORES
from isogloss.features.table.write_blocks import format_blocks
from tests.naive import domain_scores as naive_domains
from tests.naive import phrase_pairs as naive

SHARES = st.sampled_from([0.0, 0.1, 1 / 3, 0.5, 1.0])
LENGTH = 4
DOUBLE = 1e-12  # relative: some dozens of roundings by 1.1e-16
SINGLE = 1e-6  # relative: some roundings to single precision by 6e-8, as Moses' scores are
# absolute: w has seven decimals, is wrong by 5e-8 at most, and LENGTH means of w are multiplied
LEXICAL = 2 * LENGTH * 5e-8


def extracted(
    pairs: Sequence[naive.Pair],
    posteriors: Sequence[Sequence[float]] | None = None,
    *,
    instance: Sequence[float] | None = None,
    labels: Sequence[int] | None = None,
    features: Sequence[LabelFeature] = (),
    smoothing: float = 1.0,
    names: tuple[str, ...] = ("law", "it"),
    is_moses: bool = True,
) -> PhraseTable:
    bitext, links = naive.columns(pairs)
    if labels is not None:
        bitext = bitext.with_numbered_labels(np.array(labels, np.int16), names)
    own = DomainWeights(None if instance is None else np.array(instance))
    if posteriors is not None:
        columns = np.array(posteriors)
        own = DomainWeights(own.instance, names[: columns.shape[1]], columns)
    options = ExtractionOptions(
        LENGTH, label_features=tuple(features), domain_smoothing=smoothing, moses_precision=is_moses
    )
    (block,) = extract_blocks(bitext, links, options, own)
    return block.table


@st.composite
def linked(draw: st.DrawFn) -> list[naive.Pair]:
    """Texts with a phrase pair."""
    return [*draw(naive.texts()), (["a"], ["x"], [(0, 0)])]


@pytest.mark.parametrize("is_moses", [False, True])
@settings(max_examples=25, deadline=None)
@given(
    linked(),
    st.lists(st.tuples(SHARES, SHARES), min_size=5, max_size=5),
    st.lists(st.sampled_from([0.25, 1.0, 3.0]), min_size=5, max_size=5),
    st.sampled_from([0.01, 1.0, 20.0]),
)
def test_scores_equal_their_formulas(
    is_moses: bool,
    pairs: list[naive.Pair],
    posteriors: list[tuple[float, float]],
    instance: list[float],
    smoothing: float,
) -> None:
    number = len(pairs)
    table = extracted(
        pairs, posteriors[:number], instance=instance[:number], smoothing=smoothing,
        is_moses=is_moses,
    )  # fmt: skip
    rules = naive.phrase_table(pairs, LENGTH)
    counts = naive.rule_counts(pairs, LENGTH, instance[:number])
    totals = [naive.side_counts(counts, side) for side in (0, 1)]
    weighted = [
        rule._replace(
            scores=(
                counts[rule.source, rule.target] / totals[1][rule.target], rule.scores[1],
                counts[rule.source, rule.target] / totals[0][rule.source], rule.scores[3],
            )
        )
        for rule in rules
    ]  # fmt: skip
    weights = [
        [share * own for share in row]
        for row, own in zip(posteriors[:number], instance[:number], strict=True)
    ]
    found = naive_domains.domain_scores(weighted, pairs, LENGTH, weights, smoothing)
    assert table.score_names == (
        *MOSES_SCORES, *domain_score_names("law"), *domain_score_names("it"),
    )  # fmt: skip
    general = np.array([rule.scores for rule in weighted])
    expected = np.hstack([general, np.array(found).reshape(len(rules), 10)])
    for column, name in enumerate(table.score_names):
        np.testing.assert_allclose(
            table.scores[:, column], expected[:, column], rtol=SINGLE if is_moses else DOUBLE,
            atol=LEXICAL if is_moses and name.startswith("lex") else 0.0, err_msg=name,
        )  # fmt: skip
    assert (table.scores > 0.0).all()
    assert (table.scores <= 1.0 + SINGLE).all()


@settings(max_examples=25, deadline=None)
@given(linked(), st.lists(st.sampled_from([0.25, 1.0, 3.0]), min_size=5, max_size=5))
def test_a_domain_of_all_pairs_has_the_general_scores(
    pairs: list[naive.Pair], instance: list[float]
) -> None:
    one = [[1.0]] * len(pairs)
    table = extracted(pairs, one, instance=instance[: len(pairs)], smoothing=1e-9)
    np.testing.assert_allclose(table.scores[:, [4, 6]], table.scores[:, [0, 2]], rtol=SINGLE)
    assert set(table.scores[:, 8].tolist()) == {1.0}
    # lexical weights are not weighted by instances; the general ones have seven decimals
    table = extracted(pairs, one, smoothing=1e-9)
    np.testing.assert_allclose(table.scores[:, 4:8], table.scores[:, :4], rtol=SINGLE, atol=LEXICAL)


@settings(max_examples=25, deadline=None)
@given(linked())
def test_a_domain_of_no_pair_has_the_general_scores(pairs: list[naive.Pair]) -> None:
    table = extracted(pairs, [[0.0, 1.0]] * len(pairs), smoothing=2.0)
    np.testing.assert_allclose(table.scores[:, 4:8], table.scores[:, :4], rtol=SINGLE)
    np.testing.assert_allclose(table.scores[:, 8], 1e-6, rtol=SINGLE)
    assert set(table.scores[:, 13].tolist()) == {1.0}


def test_names() -> None:
    names = domain_score_names("it_x: a")
    assert names == (
        "p(f|e).it%5Fx%3A%20a", "lex(f|e).it%5Fx%3A%20a", "p(e|f).it%5Fx%3A%20a",
        "lex(e|f).it%5Fx%3A%20a", "share.it%5Fx%3A%20a",
    )  # fmt: skip
    assert not any(map(is_sparse, names))


def test_no_domain_leaves_the_table() -> None:
    table = extracted([(["a"], ["x"], [(0, 0)])])
    none = np.zeros((1, 0))
    assert add_domain_scores(table, (), DomainCounts(none, none, none), (), 1.0) is table
    assert add_label_features(table, (), none, ()) is table


# a - x in law and it, b - y in it alone, c - z without a label
LABELED: list[naive.Pair] = [
    (["a"], ["x"], [(0, 0)]), (["a"], ["x"], [(0, 0)]), (["a"], ["x"], [(0, 0)]),
    (["b"], ["y"], [(0, 0)]), (["c"], ["z"], [(0, 0)]), (["a"], ["x"], [(0, 0)]),
]  # fmt: skip
LABELS = [0, 0, 1, 1, -1, -1]


def features_of(
    feature: LabelFeature, instance: Sequence[float] | None = None
) -> dict[str, dict[str, float]]:
    """By source phrase: what a decoder makes of the scores, or the sparse features."""
    table = extracted(LABELED, labels=LABELS, features=[feature], instance=instance)
    sources = [phrase_texts(table.source)[k] for k in table.rule_source.tolist()]
    bounds = table.sparse.offsets.tolist()
    result = {}
    for row, source in enumerate(sources):
        values = {
            name: math.log(table.scores[row, column])
            for column, name in enumerate(table.score_names)
            if name not in MOSES_SCORES
        }
        for k in range(bounds[row], bounds[row + 1]):
            values[table.sparse_names[table.sparse.ids[k]]] = float(table.sparse.values[k])
        result[source] = values
    return result


@pytest.mark.parametrize(
    ("feature", "expected"),
    [
        (LabelFeature.INDICATOR, {
            "a": {"Domain.law": 1, "Domain.it": 1}, "b": {"Domain.law": 0, "Domain.it": 1},
            "c": {"Domain.law": 0, "Domain.it": 0},
        }),
        (LabelFeature.RATIO, {
            "a": {"DomainRatio.law": 2 / 3, "DomainRatio.it": 1 / 3},
            "b": {"DomainRatio.law": 0, "DomainRatio.it": 1},
            "c": {"DomainRatio.law": 0, "DomainRatio.it": 0},
        }),
        (LabelFeature.SPARSE_INDICATOR, {
            "a": {"dom_law": 1, "dom_it": 1}, "b": {"dom_it": 1}, "c": {},
        }),
        (LabelFeature.SPARSE_RATIO, {
            "a": {"domr_law": 2 / 3, "domr_it": 1 / 3}, "b": {"domr_it": 1}, "c": {},
        }),
        (LabelFeature.SUBSET, {"a": {"doms_law_it": 1}, "b": {"doms_it": 1}, "c": {}}),
    ],
)  # fmt: skip
@pytest.mark.parametrize("weight", [None, 0.01, 7.0])
def test_label_features(
    feature: LabelFeature, expected: dict[str, dict[str, float]], weight: float | None
) -> None:
    """Weights that are all the same, however small, change no share."""
    found = features_of(feature, None if weight is None else [weight] * len(LABELED))
    assert found.keys() == expected.keys()
    for source, values in expected.items():
        assert found[source] == pytest.approx(values, rel=SINGLE, abs=SINGLE)


def test_ratios_of_weighted_pairs() -> None:
    found = features_of(LabelFeature.RATIO, [0.1, 0.1, 0.6, 1.0, 1.0, 5.0])
    expected = {"DomainRatio.law": 0.25, "DomainRatio.it": 0.75}
    assert found["a"] == pytest.approx(expected, rel=SINGLE)


def test_all_label_features_as_text() -> None:
    table = extracted(LABELED, labels=LABELS, features=tuple(LabelFeature))
    lines = b"".join(format_blocks([table])).decode().splitlines()
    assert lines == [
        "a ||| x ||| 1 1 1 1 2.71828 2.71828 1.94773 1.39561 ||| 0-0 ||| 4 4 4 ||| "
        "doms_law_it 1 dom_law 1 dom_it 1 domr_law 0.666667 domr_it 0.333333 |||",
        "b ||| y ||| 1 1 1 1 1 2.71828 1 2.71828 ||| 0-0 ||| 1 1 1 ||| "
        "doms_it 1 dom_it 1 domr_it 1 |||",
        "c ||| z ||| 1 1 1 1 1 1 1 1 ||| 0-0 ||| 1 1 1 ||| |||",
    ]
    assert table.score_names[4:] == (
        "Domain.law", "Domain.it", "DomainRatio.law", "DomainRatio.it",
    )  # fmt: skip


def test_names_of_labels_are_escaped() -> None:
    features = [LabelFeature.INDICATOR, LabelFeature.SUBSET]
    table = extracted(LABELED, labels=LABELS, features=features, names=("la_w", "i=t"))
    assert table.score_names[4:] == ("Domain.la%5Fw", "Domain.i%3Dt")
    assert set(table.sparse_names) == {"doms_la%5Fw_i%3Dt", "doms_i%3Dt"}
