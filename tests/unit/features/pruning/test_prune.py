"""Pruned tables against what is left of a list of rules."""

import math
from collections.abc import Callable
from itertools import groupby
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from isogloss.align import Bitext, DataError, UsageError
from isogloss.align.arrays.sparse_rows import Ragged
from isogloss.align.text.corpus import Corpus
from isogloss.features.pruning.prune import (
    Pruning,
    drop_below,
    drop_insignificant,
    drop_rare,
    keep_best,
    keep_near_best,
    model_scores,
    prune,
)
from isogloss.features.pruning.significance import SignificanceTest, negative_log_p
from isogloss.features.table.phrase_table import PhraseTable
from isogloss.features.table.phrases import phrase_texts
from isogloss.features.table.rules import select_rules

NAMES = ("p(f|e)", "p(e|f)")
SPARSE = ("PT_a_x", "AL_b_")


class Rule(NamedTuple):
    source: str
    target: str
    scores: tuple[float, float] = (0.5, 0.5)
    count: float = 1.0
    sparse: tuple[tuple[int, float], ...] = ()


def make_table(rules: list[Rule]) -> PhraseTable:
    """The rules in the order given, as read from a file that was sorted by source only."""
    sources, targets = (list(dict.fromkeys(rule[k] for rule in rules)) for k in (0, 1))
    return PhraseTable(
        Corpus.from_sentences([text.split() for text in sources]),
        Corpus.from_sentences([text.split() for text in targets]),
        np.array([sources.index(rule.source) for rule in rules], np.int32),
        np.array([targets.index(rule.target) for rule in rules], np.int32),
        np.array([rule.scores for rule in rules]).reshape(-1, 2),
        NAMES,
        Ragged.from_rows([[(k, 1.0)] for k, _ in enumerate(rules)]),
        np.array([(9.0, 9.0, rule.count) for rule in rules]).reshape(-1, 3),
        Ragged.from_rows([rule.sparse for rule in rules]),
        SPARSE,
    )


def rules_of(table: PhraseTable) -> list[Rule]:
    f, e = phrase_texts(table.source), phrase_texts(table.target)
    bounds = table.sparse.offsets.tolist()
    sparse = list(zip(table.sparse.ids.tolist(), table.sparse.values.tolist(), strict=True))
    return [
        Rule(
            f[table.rule_source[k]],
            e[table.rule_target[k]],
            tuple(table.scores[k].tolist()),
            table.counts[k, 2],
            tuple(sparse[bounds[k] : bounds[k + 1]]),
        )
        for k in range(len(table))
    ]


def blocks(table: PhraseTable) -> list[PhraseTable]:
    """One of each source phrase, with all phrases of the table."""
    return [
        select_rules(table, np.flatnonzero(table.rule_source == number))
        for number in range(len(table.source))
    ]


words = st.sampled_from(["a", "b", "!", "é", "|", "zz"])
texts = st.lists(words, min_size=1, max_size=2).map(" ".join)
scores = st.sampled_from([0.0, 1e-7, 0.1, 0.25, 0.5, 1.0])
features = st.lists(st.tuples(st.integers(0, 1), st.sampled_from([1.0, -2.0])), max_size=2)
one_rule = st.builds(
    Rule, texts, texts, st.tuples(scores, scores), st.sampled_from([1.0, 2.0, 3.0]),
    features.map(tuple),
)  # fmt: skip


def grouped(rules: list[Rule]) -> list[Rule]:
    order = {rule.source: k for k, rule in reversed(list(enumerate(rules)))}
    return sorted(rules, key=lambda rule: order[rule.source])


tables = st.lists(one_rule, max_size=40, unique_by=lambda rule: rule[:2]).map(grouped)
WEIGHTS = {"p(f|e)": 1.0, "p(e|f)": 0.25, "AL_b_": 0.5, "LM": 3.0}
rankings = st.sampled_from([*NAMES, "weights"])


def value(rule: Rule, ranking: str) -> float:
    if ranking in NAMES:
        return rule.scores[NAMES.index(ranking)]
    logs = [math.log(score) if score else -100.0 for score in rule.scores]
    sparse = sum(x * (0.0, 0.5)[k] for k, x in rule.sparse)
    return logs[0] + 0.25 * logs[1] + sparse


def by_source(rules: list[Rule], choose: Callable[[list[Rule]], list[Rule]]) -> list[Rule]:
    """What is chosen of each source, in the order of the table."""
    chosen = [
        rule
        for _, same_source in groupby(rules, lambda rule: rule.source)
        for rule in choose(list(same_source))
    ]
    return [rule for rule in rules if rule in chosen]


def ranking_of(name: str) -> str | dict[str, float]:
    return name if name in NAMES else WEIGHTS


@given(tables, st.integers(1, 4), rankings)
def test_the_best_of_each_source(rules: list[Rule], limit: int, ranking: str) -> None:
    """Whatever the order of the targets; values are rounded, since sums of logs are not exact."""

    def best(same_source: list[Rule]) -> list[Rule]:
        def key(rule: Rule) -> tuple[float, bytes]:
            return -round(value(rule, ranking), 9), f"{rule.target} |||".encode()

        return sorted(same_source, key=key)[:limit]

    table = make_table(rules)
    pruned = rules_of(keep_best(table, limit, ranking_of(ranking)))
    if ranking == "weights":  # ties by weights depend on the last digit
        kept = [round(value(rule, ranking), 9) for rule in by_source(rules, best)]
        assert sorted(kept) == sorted(round(value(rule, ranking), 9) for rule in pruned)
    else:
        assert by_source(rules, best) == pruned


@given(tables, st.sampled_from([1e-6, 0.1, 0.25, 0.5, 1.0]), rankings)
def test_near_the_best_of_the_source(rules: list[Rule], ratio: float, ranking: str) -> None:
    def near(same_source: list[Rule]) -> list[Rule]:
        values = [value(rule, ranking) for rule in same_source]
        if ranking == "weights":
            values = [math.exp(x - max(values)) for x in values]
        least = ratio * max(values) * (1 - 1e-9)
        return [rule for rule, x in zip(same_source, values, strict=True) if x >= least]

    pruned = rules_of(keep_near_best(make_table(rules), ratio, ranking_of(ranking)))
    assert by_source(rules, near) == pruned


def test_the_ratio_itself_is_near_enough() -> None:
    """0.3 * 0.1 is above 0.03 as a float."""
    rules = [Rule("a", x, (0.5, p)) for x, p in (("x", 0.1), ("y", 0.03), ("z", 0.0299))]
    assert rules[:2] == rules_of(keep_near_best(make_table(rules), 0.3, "p(e|f)"))


@given(tables, scores)
def test_least_score(rules: list[Rule], minimum: float) -> None:
    expected = [rule for rule in rules if rule.scores[0] >= minimum]
    assert expected == rules_of(drop_below(make_table(rules), "p(f|e)", minimum))


@given(tables, st.sampled_from([1.0, 2.0, 2.5]))
def test_least_count(rules: list[Rule], minimum: float) -> None:
    expected = [rule for rule in rules if rule.count >= minimum]
    assert expected == rules_of(drop_rare(make_table(rules), minimum))


@given(tables)
def test_model_scores(rules: list[Rule]) -> None:
    scores = model_scores(make_table(rules), WEIGHTS)
    assert [value(rule, "weights") for rule in rules] == pytest.approx(scores.tolist(), rel=1e-12)


def test_the_links_of_a_rule_stay_with_it() -> None:
    rules = [Rule("a", x, (0.5, p)) for x, p in (("x", 0.1), ("y", 0.4), ("z", 0.2))]
    pruned = keep_best(make_table(rules), 2, "p(e|f)")
    assert [1, 2] == pruned.links.ids.tolist()


# --- together


PAIRS = [("a b", "x y"), ("a", "x"), ("b", "y"), ("b a", "z x"), ("c", "z"), ("d", "w")]
TEXT = Bitext.unlabeled(
    *(Corpus.from_sentences([pair[side].split() for pair in PAIRS]) for side in (0, 1))
)


@pytest.fixture(scope="module")
def test() -> SignificanceTest:
    return SignificanceTest(TEXT)


RULES = [
    Rule("a", "x", (0.5, 0.6), 3.0),  # C(f), C(e), C(f, e) = 3, 3, 3: p = 1/20
    Rule("a", "x y", (0.5, 0.3), 1.0),  # 3, 1, 1: p = 1/2
    Rule("a", "z", (0.5, 0.3), 1.0),  # 3, 2, 1: p = 1 - 3/15
    Rule("b", "y", (0.5, 0.9), 2.0),  # 3, 2, 2: p = 3/15
    Rule("c", "z", (0.1, 0.9), 1.0),  # 1, 2, 1: p = 1/3
    Rule("d", "w", (0.9, 0.9), 1.0),  # 1, 1, 1: p = 1/6, alpha
]


@pytest.mark.parametrize(
    ("pruning", "expected"),
    [
        (Pruning(), range(6)),
        (Pruning(significance="0"), range(6)),
        (Pruning(significance="a-e"), (0, 5)),
        (Pruning(significance="a+e"), (0,)),
        (Pruning(significance=str(math.log(5) - 1e-9)), (0, 3, 5)),
        (Pruning(table_limit=1), (0, 3, 4, 5)),
        (Pruning(table_limit=2), (0, 1, 3, 4, 5)),
        (Pruning(table_limit=1, significance="a-e"), (0, 5)),
        (Pruning(min_count=2), (0, 3)),
        (Pruning(min_score={"p(f|e)": 0.5, "p(e|f)": 0.5}), (0, 3, 5)),
        (Pruning(ratio=0.5), range(6)),
        (Pruning(ratio=0.6), (0, 3, 4, 5)),
        (Pruning(ratio=1.0, rank_by={"p(f|e)": 1.0}), range(6)),
    ],
)
def test_what_passes(pruning: Pruning, expected: list[int], test: SignificanceTest) -> None:
    table = make_table(RULES)
    wanted = [RULES[k] for k in expected]
    assert wanted == rules_of(prune(table, pruning, test))
    parts = [prune(part, pruning, test) for part in blocks(table)]
    assert wanted == [rule for part in parts for rule in rules_of(part)]


def test_the_threshold_itself_is_significant_enough(test: SignificanceTest) -> None:
    table = make_table(RULES[5:])
    (alpha,) = negative_log_p(test.counts(table), test.num_pairs).tolist()
    assert alpha == pytest.approx(math.log(6))
    assert rules_of(drop_insignificant(table, test, alpha)) == RULES[5:]
    assert rules_of(drop_insignificant(table, test, math.nextafter(alpha, math.inf))) == []


def test_the_best_are_chosen_before_the_significant(test: SignificanceTest) -> None:
    """As filter-pt does: an insignificant rule is not replaced by the next one."""
    table = make_table([Rule("a", "x", (0.5, 0.2)), Rule("a", "z", (0.5, 0.8))])
    assert [] == rules_of(prune(table, Pruning(table_limit=1, significance="a-e"), test))


@given(tables, st.integers(0, 3), st.sampled_from([0.0, 0.3]), st.integers(0, 2))
def test_blocks_do_not_change_the_result(
    rules: list[Rule], limit: int, ratio: float, count: int
) -> None:
    table = make_table(rules)
    for ranking in ("p(e|f)", WEIGHTS):
        pruning = Pruning(count, {"p(f|e)": 1e-5}, ratio, limit, ranking)
        expected = rules_of(prune(table, pruning))
        assert expected == [
            rule for part in blocks(table) for rule in rules_of(prune(part, pruning))
        ]


def test_rules_of_another_text(test: SignificanceTest) -> None:
    """No pair holds the rule: phrases that are not there, or never together."""
    rules = [Rule("a", "x"), Rule("a", "X"), Rule("c", "w"), Rule("d", "w")]
    table = make_table(rules)
    for unseen, expected in (("drop", (0, 3)), ("keep", (0, 1, 2, 3))):
        pruned = prune(table, Pruning(significance="a-e", unseen=unseen), test)
        assert [rules[k] for k in expected] == rules_of(pruned)
    # 0 as a threshold does not make up for it
    assert [rules[0], rules[3]] == rules_of(drop_insignificant(table, test, 0.0, "drop"))
    with pytest.raises(DataError, match=r"the text does not contain 'X' of the rule 'a' \|\|\|"):
        prune(table, Pruning(significance="a-e"), test)


# --- errors


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"min_count": -1.0}, r"^min_count must be at least 0, got -1\.0$"),
        ({"ratio": 1.5}, r"^ratio must be between 0 \(off\) and 1, got 1\.5$"),
        ({"ratio": math.nan}, "^ratio must be a finite number, got nan$"),
        ({"table_limit": -1}, r"^table_limit must be at least 0, got -1$"),
        ({"unseen": "forget"}, r"^unseen must be one of error, drop, keep, got 'forget'$"),
        ({"significance": "b+e"}, r"significance must be a\+e, a-e or a number \(the minimum -log"),
    ],
)
def test_options_out_of_range(options: dict[str, object], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        Pruning(**options)  # type: ignore[arg-type]


def test_significance_without_a_text() -> None:
    with pytest.raises(UsageError, match="significance needs the text from which the table was"):
        prune(make_table(RULES), Pruning(significance="a-e"))


def test_unknown_scores_and_weights() -> None:
    table = make_table(RULES)
    unknown = r"score 'lex'; the table has p\(f\|e\), p\(e\|f\)"
    for call in (
        lambda: keep_best(table, 1, "lex"),
        lambda: keep_near_best(table, 0.5, "lex"),
        lambda: drop_below(table, "lex", 0.5),
    ):
        with pytest.raises(UsageError, match=unknown):
            call()
    message = r"the weights \(LM, WordPenalty\) match no score; the table has p\(f\|e\), p\(e\|f\),"
    with pytest.raises(UsageError, match=message):
        keep_best(table, 1, {"LM": 1.0, "WordPenalty": 1.0})
    with pytest.raises(UsageError, match=r"the weights \(none\) match no score; the table has"):
        model_scores(table, {})


def test_limits_and_ratios_out_of_range(test: SignificanceTest) -> None:
    table = make_table(RULES)
    with pytest.raises(UsageError, match="limit must be at least 1, got"):
        keep_best(table, 0, "p(e|f)")
    for ratio in (0.0, 1.01):
        with pytest.raises(UsageError, match=rf"must be above 0 and at most 1, got {ratio:g}"):
            keep_near_best(table, ratio, "p(e|f)")
    with pytest.raises(
        UsageError, match=r"a ratio needs probabilities, but the score 'p\(e\|f\)' contains"
    ):
        keep_near_best(make_table([Rule("a", "x", (0.5, -0.5))]), 0.5, "p(e|f)")
    with pytest.raises(UsageError, match="unseen must be one of error, drop, keep, got 'x'"):
        drop_insignificant(table, test, 0.0, "x")


def test_counts_that_are_not_there() -> None:
    table = make_table([Rule("a", "x")])
    table.counts[:] = 0.0
    with pytest.raises(UsageError, match=r"the table has no counts; a minimum count needs c\(f,"):
        drop_rare(table, 2)
