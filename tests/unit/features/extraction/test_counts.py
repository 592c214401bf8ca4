"""Phrase pairs counted as rules, in one shard and in many."""

import math
import random
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from isogloss.align.errors import OutputError, UsageError
from isogloss.features.extraction.counts import PreparedBitext, RuleCounts, shard_bounds
from isogloss.features.extraction.extract import extract
from isogloss.features.extraction.extraction_options import ExtractionOptions
from isogloss.features.extraction.rule_store import BUCKETS, RuleShards, RuleStore
from isogloss.features.table.phrases import phrase_texts
from tests.naive import phrase_pairs as naive
from tests.naive.disk import no_file_above

WEIGHTS = st.lists(st.sampled_from([0.1, 0.25, 1 / 3, 1.0, 7.0]), min_size=4, max_size=4)
Rule = tuple[str, str]


def instances(
    pairs: list[naive.Pair], weights: list[float] | None = None, kinds: int = 0
) -> PreparedBitext:
    columns = None if weights is None else np.array(weights[: len(pairs)])[:, None]
    return PreparedBitext.of(*naive.columns(pairs), 3, columns, kinds)


def rules_of(text: PreparedBitext, shard: RuleCounts) -> list[Rule]:
    source = phrase_texts(text.source.texts(shard.source))
    target = phrase_texts(text.target.texts(shard.target))
    numbers = zip(shard.rule_source.tolist(), shard.rule_target.tolist(), strict=True)
    return [(source[f], target[e]) for f, e in numbers]


def joined(rule: tuple[naive.Words, naive.Words]) -> Rule:
    return " ".join(rule[0]), " ".join(rule[1])


def counted(
    text: PreparedBitext, store: RuleStore
) -> tuple[dict[Rule, float], dict[Rule, float], dict[Rule, float]]:
    """c(f, e), c(e), and the number of rules of e, by rule in the order of the store."""
    count, total, types = {}, {}, {}
    for shard, totals in store:
        for row, rule in enumerate(rules_of(text, shard)):
            count[rule] = float(shard.counts[row, 0])
            total[rule], types[rule] = totals[shard.rule_target[row]].tolist()
    return count, total, types


@settings(max_examples=40, deadline=None)
@given(naive.texts(), WEIGHTS)
def test_counts_are_sums_of_weights(pairs: list[naive.Pair], weights: list[float]) -> None:
    text = instances(pairs, weights)
    count, total, types = counted(text, RuleStore(text, 1 << 30, Path("unused")))
    expected = naive.rule_counts(pairs, 3, weights[: len(pairs)])
    of_target = naive.side_counts(expected, 1)
    of_types = naive.side_counts(dict.fromkeys(expected, 1.0), 1)
    in_order = sorted(expected, key=lambda rule: " ||| ".join([*joined(rule), ""]).encode())
    assert list(count) == [joined(rule) for rule in in_order]
    assert count == pytest.approx({joined(r): c for r, c in expected.items()}, rel=1e-12)
    assert total == pytest.approx({joined(r): of_target[r[1]] for r in expected}, rel=1e-12)
    assert types == {joined(r): of_types[r[1]] for r in expected}


@settings(max_examples=20, deadline=None)
@given(naive.texts())
def test_weights_of_one_are_none(pairs: list[naive.Pair]) -> None:
    both = [
        counted(text, RuleStore(text, 1 << 30, Path("unused")))
        for text in (instances(pairs), instances(pairs, [1.0] * 4))
    ]
    assert both[0] == both[1]


def repeated(number: int, seed: int = 1) -> list[naive.Pair]:
    """Pairs of few words, so that phrases come again and again."""
    rng = random.Random(seed)
    result: list[naive.Pair] = []
    for _ in range(number):
        size = rng.randint(1, 6)
        source = [rng.choice(naive.SOURCE_WORDS) for _ in range(size)]
        target = [rng.choice(naive.TARGET_WORDS) for _ in range(size)]
        links = {(j, rng.randrange(size)) for j in range(size) if rng.random() < 0.7}
        result.append((source, target, sorted(links)))
    return result


@pytest.mark.parametrize("bytes_per_pair", [1 << 10, 1 << 14, 1 << 20])
def test_shards_hold_what_one_shard_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, bytes_per_pair: int
) -> None:
    pairs = repeated(60)
    weights = [1 / (k + 3) for k in range(60)]
    text = instances(pairs, weights, kinds=7)
    whole_store = RuleStore(text, 1 << 30, tmp_path)
    monkeypatch.setattr("isogloss.features.extraction.counts.BYTES_PER_PHRASE_PAIR", bytes_per_pair)
    many = RuleStore(text, 1 << 18, tmp_path)
    assert len(whole_store) == 1
    assert len(many) > 1
    assert len(many.sizes) == len(many)
    assert counted(text, whole_store) == counted(text, many)  # to the last bit
    assert sum(many.sizes) == whole_store.sizes[0]
    assert many.counts_of_counts == whole_store.counts_of_counts
    assert many.orientations.tolist() == whole_store.orientations.tolist()
    whole, _ = next(iter(whole_store))
    parts = [shard for shard, _ in many]
    for name in ("counts", "signatures", "orientations"):
        together = np.concatenate([getattr(part, name) for part in parts])
        np.testing.assert_array_equal(together, getattr(whole, name))


def test_totals_are_added_in_parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = instances(repeated(30), [1 / (k + 3) for k in range(30)])
    whole_store = RuleStore(text, 1 << 30, tmp_path)
    monkeypatch.setattr("isogloss.features.extraction.counts.BYTES_PER_PHRASE_PAIR", 8)
    summed = []
    add = RuleShards.add_totals

    def noted(shards: RuleShards, task: tuple[int, int, int]) -> None:
        summed.append(task)
        add(shards, task)

    monkeypatch.setattr(RuleShards, "add_totals", noted)
    many = RuleStore(text, 256, tmp_path)  # four target phrases at a time
    assert len(many) > 1
    assert counted(text, whole_store) == counted(text, many)
    parts = math.ceil(sum(len(shard.target) for shard, _ in many) / 4)
    assert len(summed) == parts > 10
    assert [first for first, _, _ in summed] == [0, *(end for _, end, _ in summed[:-1])]
    assert summed[-1][1] == BUCKETS


@pytest.mark.parametrize(("max_memory", "parts"), [(1, 192), (95, 3), (96, 2), (191, 2), (192, 1)])
def test_a_part_of_the_totals_fits_in_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, max_memory: int, parts: int
) -> None:
    """Three target phrases of 64 bytes, in two shards."""
    monkeypatch.setattr("isogloss.features.extraction.counts.BYTES_PER_PHRASE_PAIR", 1 << 20)
    tasks: list[tuple[int, int, int]] = []
    monkeypatch.setattr(RuleShards, "add_totals", lambda self, task: tasks.append(task))
    pairs: list[naive.Pair] = [([a], [b], [(0, 0)]) for a, b in ("ax", "ay", "bz", "ax")]
    assert len(RuleStore(instances(pairs), max_memory, tmp_path)) == 2
    assert len(tasks) == parts
    assert {size for _, _, size in tasks} == {2}


def test_sums_of_orientations_by_hand(tmp_path: Path) -> None:
    """Word-based, the borders linked to each other: monotone, swap, discontinuous left, right."""
    pairs: list[naive.Pair] = [
        (["a", "b"], ["x", "y"], [(0, 0), (1, 1)]),  # a|x, b|y, a b|x y: all monotone
        # a|y: swap, right; b|x: right, swap; a b|x y: monotone
        (["a", "b"], ["x", "y"], [(0, 1), (1, 0)]),
        (["a", "b"], ["x"], [(1, 0)]),  # b|x: right, monotone; a b|x: monotone
    ]
    text = instances(pairs, [2.0, 0.5, 4.0], kinds=1)
    previous, following = [6.0 + 0.5 + 4.0, 0.5, 0.0, 0.5 + 4.0], [6.0 + 0.5 + 8.0, 0.5, 0.0, 0.5]
    for max_memory, shards in ((1 << 30, 1), (64, 2)):
        store = RuleStore(text, max_memory, tmp_path)
        assert (len(store), store.orientations.tolist()) == (shards, [[previous, following]])


def test_shards_are_ranges_of_first_words(monkeypatch: pytest.MonkeyPatch) -> None:
    words = ["a", "b", "c", "d"]
    pairs: list[naive.Pair] = [
        (["b"], ["x"], [(0, 0)]), (["b", "d"], ["x", "y"], [(0, 0), (1, 1)]), (["c"], ["x"], []),
        (["a"], ["x"], [(0, 0)]),
    ]  # fmt: skip
    text = instances(pairs)
    numbers = text.source.corpus.vocabulary
    rank = {
        word: int(text.source.words[text.source.corpus.tokens.tolist().index(numbers.get(word))])
        for word in words
    }
    assert [rank[word] for word in words] == [1, 2, 3, 4]
    monkeypatch.setattr("isogloss.features.extraction.counts.BYTES_PER_PHRASE_PAIR", 1)
    # a: 1 phrase pair; b: 3; c: none; d: 1
    assert shard_bounds(text, 100) == [(0, 5, 5)]
    assert shard_bounds(text, 4) == [(0, 4, 4), (4, 5, 1)]
    assert shard_bounds(text, 3) == [(0, 2, 1), (2, 4, 3), (4, 5, 1)]
    # b has more than fits, and what follows begins anew
    assert [size for _, _, size in shard_bounds(text, 2) if size] == [1, 3, 1]


def test_last_words_without_a_phrase_pair(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A shard may hold nothing."""
    pairs: list[naive.Pair] = [(["a", "z"], ["x"], [(0, 0)]), (["a"], ["y"], [(0, 0)])]
    text = instances(pairs)
    monkeypatch.setattr("isogloss.features.extraction.counts.BYTES_PER_PHRASE_PAIR", 1)
    store = RuleStore(text, 1, tmp_path)
    assert 0 in store.sizes
    count, total, _ = counted(text, store)
    assert count == {("a z", "x"): 1.0, ("a", "x"): 1.0, ("a", "y"): 1.0}
    assert total == {("a z", "x"): 2.0, ("a", "x"): 2.0, ("a", "y"): 1.0}


@pytest.mark.parametrize("pairs", [[], [([], [], [])], [(["a"], ["x"], [])]])
def test_nothing_to_count(pairs: list[naive.Pair], tmp_path: Path) -> None:
    text = instances(pairs, kinds=7)
    store = RuleStore(text, 1 << 20, tmp_path)
    assert store.sizes == [0]
    assert store.orientations.tolist() == np.zeros((3, 2, 4)).tolist()
    assert counted(text, store) == ({}, {}, {})


@pytest.mark.parametrize("room", [100, 3000])
def test_no_room_for_the_parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, room: int) -> None:
    text = instances(repeated(60), kinds=7)
    monkeypatch.setattr("isogloss.features.extraction.counts.BYTES_PER_PHRASE_PAIR", 1 << 14)
    with (
        no_file_above(room),
        pytest.raises(OutputError, match=r"shard\.\d cannot be written: File too large"),
    ):
        RuleStore(text, 1 << 22, tmp_path)


PATTERNS = [
    [(0, 0), (1, 1)], [(0, 1), (1, 0)], [(0, 0), (0, 1), (1, 1)], [(0, 0), (1, 0), (1, 1)],
    [(0, 0), (0, 1), (1, 0), (1, 1)],
]  # fmt: skip


def expected_links(pairs: list[naive.Pair]) -> list[naive.Link]:
    rules = naive.phrase_table(pairs, 2)
    return next(rule.links for rule in rules if rule.source == ("a", "b") == rule.target)


def found_links(pairs: list[naive.Pair]) -> list[naive.Link]:
    table = extract(*naive.columns(pairs), ExtractionOptions(2, moses_precision=False))
    source, target = phrase_texts(table.source), phrase_texts(table.target)
    names = [
        (source[f], target[e])
        for f, e in zip(table.rule_source.tolist(), table.rule_target.tolist(), strict=True)
    ]
    row = names.index(("a b", "a b"))
    ids = table.links.ids[table.links.offsets[row] : table.links.offsets[row + 1]]
    return [(link >> 8, link & 255) for link in ids.tolist()]


@settings(max_examples=25, deadline=None)
@given(
    st.lists(st.sampled_from([0, 1, 8, 9, 16, 17, 40, 64, 65]), min_size=5, max_size=5).filter(any),
    st.randoms(use_true_random=False),
)
def test_most_frequent_links_of_many_instances(numbers: list[int], order: random.Random) -> None:
    pairs: list[naive.Pair] = [
        (["a", "b"], ["a", "b"], links)
        for links, number in zip(PATTERNS, numbers, strict=True)
        for _ in range(number)
    ]
    order.shuffle(pairs)
    assert found_links(pairs) == expected_links(pairs)


@pytest.mark.parametrize("number", [1, 8, 9, 16, 32, 33, 64, 65, 200])
def test_ties_of_many_instances(number: int) -> None:
    for first in range(5):
        for second in range(first):
            pairs: list[naive.Pair] = [
                (["a", "b"], ["a", "b"], PATTERNS[k]) for k in (first, second) * number
            ]
            if number < 20:
                assert found_links(pairs) == expected_links(pairs)
            assert found_links(pairs) == expected_links(pairs[:2])


@pytest.mark.parametrize("length", [0, 9])
def test_phrase_length_out_of_range(length: int) -> None:
    bitext, links = naive.columns([(["a"], ["x"], [])])
    with pytest.raises(UsageError, match=f"length must be between 1 and 8, got {length}"):
        PreparedBitext.of(bitext, links, length)


def test_used_kinds() -> None:
    for kinds in range(8):
        expected = [kind for kind in range(3) if kinds >> kind & 1]
        assert instances([(["a"], ["x"], [])], kinds=kinds).used_kinds == expected


def test_columns_beside_the_first_are_counted_too() -> None:
    pairs = repeated(8)
    rng = np.random.default_rng(2)
    weights = rng.random((8, 3))
    text = PreparedBitext.of(*naive.columns(pairs), 3, weights)
    shard, totals = next(iter(RuleStore(text, 1 << 30, Path("unused"))))
    for column in range(3):
        expected = naive.rule_counts(pairs, 3, weights[:, column].tolist())
        named = {joined(rule): count for rule, count in expected.items()}
        column_counts = shard.counts[:, column].tolist()
        by_rule = dict(zip(rules_of(text, shard), column_counts, strict=True))
        assert by_rule == pytest.approx(named, rel=1e-12)
        of_target = math.fsum(naive.side_counts(expected, 1).values())
        assert totals[:, column].sum() == pytest.approx(of_target, rel=1e-12)
