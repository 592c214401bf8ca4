"""Phrase extraction and its scores against the definition."""

import warnings
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from isogloss.align.errors import DataError, DataWarning, OutputError, UsageError
from isogloss.align.files.parts import whole_name
from isogloss.align.links.links import Links
from isogloss.features.extraction.domain_scores import LabelFeature
from isogloss.features.extraction.extract import DomainWeights, extract, extract_blocks
from isogloss.features.extraction.extraction_options import DENSE_FEATURES, ExtractionOptions
from isogloss.features.extraction.reordering import ReorderingModel
from isogloss.features.extraction.smoothing import CountsOfCounts, Smoothing
from isogloss.features.extraction.word_table import word_table
from isogloss.features.table.phrase_table import PhraseTable
from isogloss.features.table.phrases import phrase_texts
from isogloss.features.table.rule_formatter import RuleFormatter
from isogloss.features.table.sidecar import MOSES_SCORES
from tests.naive import phrase_pairs as naive
from tests.tiers import examples


def extracted(pairs: list[naive.Pair], max_length: int) -> PhraseTable:
    return extract(*naive.columns(pairs), ExtractionOptions(max_length, moses_precision=False))


def rules(table: PhraseTable) -> list[tuple[str, str]]:
    source, target = phrase_texts(table.source), phrase_texts(table.target)
    return [
        (source[left], target[right])
        for left, right in zip(table.rule_source, table.rule_target, strict=True)
    ]


def inner_links(table: PhraseTable) -> list[list[tuple[int, int]]]:
    bounds = table.links.offsets
    return [
        [(int(k) >> 8, int(k) & 255) for k in table.links.ids[bounds[row] : bounds[row + 1]]]
        for row in range(len(table))
    ]


@examples(150)
@given(naive.texts(), st.sampled_from([1, 2, 3, 4, 7]))
def test_table_equals_the_definition(pairs: list[naive.Pair], max_length: int) -> None:
    expected = naive.phrase_table(pairs, max_length)
    table = extracted(pairs, max_length)
    assert [(" ".join(r.source), " ".join(r.target)) for r in expected] == rules(table)
    assert [r.counts for r in expected] == [tuple(row) for row in table.counts.tolist()]
    assert MOSES_SCORES == table.score_names
    scores = np.array([r.scores for r in expected]).reshape(-1, 4)
    np.testing.assert_allclose(scores[:, ::2], table.scores[:, ::2], rtol=1e-12)
    clear = [k for k, r in enumerate(expected) if not r.tied]
    found_links = inner_links(table)
    assert [expected[k].links for k in clear] == [found_links[k] for k in clear]
    np.testing.assert_allclose(scores[clear], table.scores[clear], rtol=1e-12)


@pytest.mark.parametrize(
    ("links", "others"),
    [
        ([(0, 0), (0, 1)], [(0, 0)]),
        ([(0, 0), (0, 1)], [(0, 1)]),
        ([(0, 0), (1, 0), (1, 1)], [(0, 0), (1, 0)]),
        ([(1, 0), (0, 1)], [(0, 0), (1, 0)]),
    ],
)
def test_of_equally_frequent_inner_links_the_greatest_win(
    links: list[tuple[int, int]], others: list[tuple[int, int]]
) -> None:
    table = extracted([(["a", "b"], ["x", "y"], pair_links) for pair_links in (links, others)], 2)
    row = rules(table).index(("a b", "x y"))
    assert sorted(links) == sorted(inner_links(table)[row])


@settings(max_examples=50, deadline=None)
@given(naive.texts())
def test_word_table_equals_counting(pairs: list[naive.Pair]) -> None:
    bitext, links = naive.columns(pairs)
    expected = naive.word_probabilities(pairs)
    table = word_table(bitext.source, bitext.target, links)
    words, given_words = bitext.source.vocabulary.words, bitext.target.vocabulary.words
    probabilities: dict[tuple[str | None, str | None], float] = {}
    entries = table.given.tolist(), table.words.tolist(), table.values.tolist()
    for right, left, value in zip(*entries, strict=True):
        probabilities[words[left], given_words[right]] = value
    probabilities |= {(words[k], None): v for k, v in enumerate(table.null.tolist()) if v}
    probabilities |= {
        (None, given_words[k]): v for k, v in enumerate(table.null_given.tolist()) if v
    }
    assert expected == pytest.approx(probabilities, rel=1e-12)


def test_worked_example() -> None:
    # la casa verde / the green house: verde crosses casa, so "la casa" has no partner
    pair = (["la", "casa", "verde"], ["the", "green", "house"], [(0, 0), (1, 2), (2, 1)])
    assert [  # "casa verde |||" comes before "casa |||" in bytes
        ("casa verde", "green house"),
        ("casa", "house"),
        ("la casa verde", "the green house"),
        ("la", "the"),
        ("verde", "green"),
    ] == rules(extracted([pair], 7))


def test_unlinked_words_join_phrases_at_their_edges() -> None:
    pair = (["x"], ["do", "x", "it"], [(0, 1)])
    assert [("x", "do x it"), ("x", "do x"), ("x", "x it"), ("x", "x")] == rules(
        extracted([pair], 7)
    )


def test_most_frequent_inner_links_win() -> None:
    often = (["a", "b"], ["x", "y"], [(0, 0), (0, 1), (1, 0), (1, 1)])
    once = (["a", "b"], ["x", "y"], [(0, 0), (1, 1)])
    table = extracted([once, often, often], 2)
    row = rules(table).index(("a b", "x y"))
    assert [(0, 0), (1, 0), (0, 1), (1, 1)] == inner_links(table)[row]
    assert [3.0, 3.0, 3.0] == table.counts[row].tolist()


def test_longest_phrase_has_eight_words() -> None:
    words = [f"w{k}" for k in range(9)]
    pair = (words, words, [(k, k) for k in range(9)])
    lengths = {len(source.split()) for source, _ in rules(extracted([pair], 8))}
    assert set(range(1, 9)) == lengths


def test_nothing_to_extract() -> None:
    table = extracted([([], ["x"], []), (["a"], [], []), (["a"], ["x"], [])], 7)
    assert [] == rules(table)
    assert (0, 4) == table.scores.shape


@pytest.mark.parametrize("max_length", [0, 9, -1])
def test_phrase_length_out_of_range(max_length: int) -> None:
    with pytest.raises(
        UsageError, match=rf"max_phrase_length must be between 1 and 8, got {max_length}"
    ):
        extracted([(["a"], ["x"], [(0, 0)])], max_length)


def test_links_outside_of_their_pair() -> None:
    with pytest.raises(
        DataError,
        match=r"link 0-1 is out of range: the sentence pair has 1 source word and 1 target word",
    ):
        extracted([(["a"], ["x"], [(0, 0)]), (["a"], ["x"], [(0, 1)])], 7)


def test_links_of_another_text() -> None:
    bitext, _ = naive.columns([(["a"], ["x"], [])])
    with pytest.raises(DataError, match="the links have 2 lines; expected 1, one per sentence"):
        extract(bitext, Links.from_pairs([[], []]))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"max_phrase_length": 0}, "max_phrase_length must be between 1 and 8, got 0"),
        ({"max_phrase_length": 9}, "max_phrase_length must be"),
        ({"max_memory": 1000}, "max_memory must be at least 1048576 bytes, got 1000"),
        ({"domain_smoothing": 0.0}, r"domain_smoothing must be above 0 and at most 1e12, got 0.0"),
        ({"domain_smoothing": np.inf}, "domain_smoothing must be above 0 and at"),
        ({"domain_smoothing": np.nan}, "domain_smoothing must be above 0 and at"),
        ({"domain_smoothing": 1e13}, "domain_smoothing must be above 0 and at most 1e12, got"),
        (
            {"reordering_smoothing": 1e308},
            r"reordering_smoothing must be between 0 \(none\) and 1e12, got 1e\+308",
        ),
        (
            {"reordering_smoothing": -0.5},
            r"reordering_smoothing must be between 0 \(none\) and",
        ),
        ({"reordering_smoothing": np.nan}, "reordering_smoothing must be between 0"),
        (
            {"label_features": (LabelFeature.RATIO, LabelFeature.RATIO)},
            "label features must be unique, got ratio, ratio",
        ),
    ],
)
def test_options_out_of_range(options: dict[str, object], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        ExtractionOptions(**options)  # type: ignore[arg-type]


TWO = [(["a"], ["x"], [(0, 0)]), (["b"], ["y"], [(0, 0)])]
HALVES = np.full((2, 2), 0.5)


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        (DomainWeights(np.ones(3)), "there are weights for 3 pairs; expected 2, one per sentence"),
        (DomainWeights(np.array([1.0, 0.0])), r"the weight of pair 2 is 0.0; expected finite"),
        (DomainWeights(np.array([-1.0, 1.0])), r"the weight of pair 1 is -1.0; expected finite"),
        (DomainWeights(np.array([1.0, np.nan])), "the weight of pair 2 is nan; expected finite"),
        (DomainWeights(np.array([np.inf, 1.0])), "the weight of pair 1 is inf; expected finite"),
        (DomainWeights(None, ("a",), np.ones((1, 1))), "there are weights for 1 pair; expected"),
        (
            DomainWeights(None, ("a", "b"), HALVES * [[1.0, 1.0], [1.0, 3.0]]),
            r"the posteriors of pair 2 are \[0.5, 1.5\]; expected probabilities",
        ),
        (DomainWeights(None, ("a", "b"), HALVES - [[1, 0]]), "the posteriors of pair 1 are"),
        (DomainWeights(None, ("a", "b"), HALVES * np.nan), r"the posteriors of pair 1 are \[nan,"),
    ],
)
def test_bad_weights(weights: DomainWeights, message: str) -> None:
    with pytest.raises(DataError, match=message):
        list(extract_blocks(*naive.columns(TWO), None, weights))


@pytest.mark.parametrize(
    ("domains", "posteriors"),
    [(("a",), None), (("a",), HALVES), ((), HALVES), (("a", "a"), HALVES)],
)
def test_domains_without_their_posteriors(
    domains: tuple[str, ...], posteriors: np.ndarray | None
) -> None:
    with pytest.raises(ValueError, match="posteriors must have one column per domain, with"):
        DomainWeights(None, domains, posteriors)


def test_label_features_without_labels() -> None:
    options = ExtractionOptions(label_features=(LabelFeature.RATIO,))
    with pytest.raises(
        UsageError, match="label features need domain labels, but the text has none; pass"
    ):
        list(extract_blocks(*naive.columns(TWO), options))


def test_unknown_count_feature() -> None:
    with pytest.raises(UsageError, match="count feature 'Rules'; expected one of RuleCount"):
        list(extract_blocks(*naive.columns(TWO), ExtractionOptions(count_features=("Rules",))))


def test_no_folder_for_the_parts(tmp_path: Path) -> None:
    with pytest.raises(OutputError, match=r"none cannot be written: No such file or directory"):
        list(extract_blocks(*naive.columns(TWO), None, None, tmp_path / "none"))


def test_the_folder_for_the_parts_is_left_empty(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("isogloss.features.extraction.counts.BYTES_PER_PHRASE_PAIR", 1 << 20)
    options = ExtractionOptions(max_memory=1 << 20)
    blocks = extract_blocks(*naive.columns(TWO), options, None, tmp_path)
    first = next(blocks)
    assert rules(first.table) == [("a", "x")]
    assert first.num_rules == 2  # of all blocks
    assert [whole_name(path.name) for path in tmp_path.iterdir()] == ["isogloss-scratch"]
    assert [rules(block.table) for block in blocks] == [[("b", "y")]]
    assert list(tmp_path.iterdir()) == []


def test_nothing_to_extract_gives_no_block() -> None:
    models = (ReorderingModel.parse("hier-mslr-bidirectional-fe"),)
    empty: list[list[naive.Pair]] = [[], [([], [], [])], [(["a"], ["x"], [])]]
    for smoothing in Smoothing:
        options = ExtractionOptions(smoothing=smoothing, reordering=models)
        for pairs in empty:
            assert list(extract_blocks(*naive.columns(pairs), options)) == []


def test_count_features_stand_beside_the_scores() -> None:
    pairs = [*TWO, TWO[0]]
    options = ExtractionOptions(count_features=DENSE_FEATURES)
    (block,) = extract_blocks(*naive.columns(pairs), options)
    assert block.table.score_names == (*MOSES_SCORES, *DENSE_FEATURES)
    added = [[2.0, 1.0], [1.0, 1 / np.e]]  # not in single precision, as Moses's scores are
    np.testing.assert_allclose(block.table.scores[:, 4:], added, rtol=1e-15)


@pytest.mark.parametrize("smoothing", Smoothing)
def test_smoothing_reaches_the_scores(smoothing: Smoothing) -> None:
    """The scores are those of the whole table estimated again from its counts."""
    pairs = [
        (["a", "b", "c"], ["x", "y", "z"], [(0, 0), (1, 1), (2, 2)]),
        (["a", "c"], ["x", "y"], [(0, 0), (1, 1)]),
        (["a", "b"], ["x", "z"], [(0, 0), (1, 1)]),
    ] * 2 + [(["a", "d"], ["x", "x"], [(0, 0), (1, 1)])]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)  # so few counts give no proper discounts
        (block,) = extract_blocks(*naive.columns(pairs), ExtractionOptions(smoothing=smoothing))
        total_target, total_source, count = block.table.counts.T
        estimator = smoothing.estimate(CountsOfCounts.from_counts(count))
    types_source, types_target = (
        np.bincount(phrases)[phrases].astype(np.float64)
        for phrases in (block.table.rule_source, block.table.rule_target)
    )
    given_target = estimator.probability(count, total_target, types_target, types_source)
    given_source = estimator.probability(count, total_source, types_source, types_target)
    np.testing.assert_allclose(block.table.scores[:, 0], given_target, rtol=1e-5)
    np.testing.assert_allclose(block.table.scores[:, 2], given_source, rtol=1e-5)


def test_reordering_of_each_model() -> None:
    """Of la casa verde / the green house."""
    pair = (["la", "casa", "verde"], ["the", "green", "house"], [(0, 0), (1, 2), (2, 1)])
    names = ("wbe-msd-bidirectional-fe", "wbe-msd-backward-f", "hier-monotonicity-forward-fe")
    models = tuple(map(ReorderingModel.parse, names))
    options = ExtractionOptions(reordering=models, reordering_smoothing=0.5)
    (block,) = extract_blocks(*naive.columns([pair]), options)
    assert [scores.shape[1] for scores in block.reordering] == [6, 3, 2]
    row = rules(block.table).index(("casa", "house"))
    # "green" stands before "house", and "verde" behind "casa": a swap
    assert block.reordering[0][row, :3].tolist() == [0.2, 0.6, 0.2]
    np.testing.assert_allclose(block.reordering[0].reshape(-1, 2, 3).sum(axis=2), 1.0, rtol=1e-15)
    formatter = RuleFormatter.of(block.table)
    written = formatter.reordering(block.table, block.reordering[1], with_target=False)
    lines = b"".join(written).decode()
    assert lines.splitlines()[1] == "casa ||| 0.2 0.6 0.2"
