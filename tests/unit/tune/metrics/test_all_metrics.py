"""What all metrics have in common: names, threads, bad input, reports, oracle documents."""

from dataclasses import replace

import numpy as np
import pytest

from isogloss.align.errors import DataError, UsageError
from isogloss.align.text.string_array import Texts
from isogloss.tune.metrics.bleu import Bleu
from isogloss.tune.metrics.chrf import Chrf
from isogloss.tune.metrics.column import Column
from isogloss.tune.metrics.error_rates import Cer, Ter, Wer
from isogloss.tune.metrics.names import METRICS, metric_named
from isogloss.tune.metrics.protocol import Metric
from isogloss.tune.metrics.reports import reported_choice, reported_score
from isogloss.tune.references import References
from tests.naive.lists import lists_of

CLASSES = {
    "bleu": Bleu(),
    "ter": Ter(),
    "chrf": Chrf(),
    "chrf++": Chrf(word_order=2),
    "wer": Wer(),
    "cer": Cer(),
}
TEXTS = ["a b c d", "the cat sat .", "b a", "", "Die Katze saß", "中文 字"]


@pytest.mark.parametrize(("name", "metric"), CLASSES.items())
def test_names(name: str, metric: Metric) -> None:
    assert metric == metric_named(name) == metric_named(name.upper())
    assert name == metric.name
    assert name in METRICS
    assert metric.sign == (-1 if name in ("ter", "wer", "cer") else 1)


def test_names_of_columns() -> None:
    assert Column("f:x", higher=False) == metric_named("column:f:x:lower")
    assert "column:comet" == metric_named("column:comet").name


def test_options() -> None:
    own = metric_named("bleu", smoothing="nakov", reference_length="shortest")
    assert Bleu("nakov", "shortest") == own
    assert Ter(case_sensitive=True) == metric_named("ter", case_sensitive=True)
    assert Chrf(2, beta=3.0) == metric_named("chrf++", beta=3.0)


def test_unknown_names_and_options() -> None:
    assert metric_named("BLEU").name == metric_named("bleu").name == "bleu"
    assert metric_named("chrF++", beta=3.0) == metric_named("chrf++", beta=3.0)
    known = "bleu, ter, chrf, .*, wer, cer, column:NAME, column:NAME:lower"
    with pytest.raises(UsageError, match=f"metric must be one of {known}, got 'meteor'"):
        metric_named("meteor")
    with pytest.raises(
        UsageError, match="'ter' has no option 'smoothing'; its options are case_sens"
    ):
        metric_named("ter", smoothing="nakov")
    with pytest.raises(UsageError, match="'column:x' has no option 'beta'; its options are none"):
        metric_named("column:x", beta=1)


@pytest.mark.parametrize("metric", CLASSES.values(), ids=str)
def test_any_number_of_threads(metric: Metric) -> None:
    rng = np.random.default_rng(1)
    sentences = [[TEXTS[k] for k in rng.integers(6, size=rng.integers(4))] for _ in range(100)]
    references = References.from_texts([[TEXTS[k % 6], TEXTS[k % 4]] for k in range(100)])
    lists = lists_of(sentences)
    found = metric.statistics(lists, references)
    assert (len(lists.texts), metric.num_statistics) == found.shape
    assert found.tobytes() == metric.statistics(lists, references, threads=3).tobytes()
    row = 0
    for k, own in enumerate(sentences):  # the same sentence by sentence
        part = metric.statistics(lists_of([own]), references.select(np.array([k])))
        np.testing.assert_array_equal(found[row : row + len(own)], part)
        row += len(own)


@pytest.mark.parametrize("metric", CLASSES.values(), ids=str)
def test_the_references_of_the_list(metric: Metric) -> None:
    references = References.from_texts([["a b"], ["c", "d"]])
    lists = lists_of([["a", "A B"], ["d"]])
    found = metric.statistics(replace(lists, references=references), None)
    np.testing.assert_array_equal(metric.statistics(lists, references), found)


@pytest.mark.parametrize("metric", CLASSES.values(), ids=str)
def test_missing_references(metric: Metric) -> None:
    lists = lists_of([["a"], ["b"]])
    shown = metric.name.replace("+", "[+]")
    with pytest.raises(DataError, match=f"{shown} needs references; pass `references="):
        metric.statistics(lists, None)
    with pytest.raises(DataError, match="references for 1 sentence; expected 2, as in the lists"):
        metric.statistics(lists, References.from_texts([["a"]]))


@pytest.mark.parametrize("metric", CLASSES.values(), ids=str)
def test_no_hypothesis_at_all(metric: Metric) -> None:
    references = References.from_texts([["a"], [""]])
    assert (0, metric.num_statistics) == metric.statistics(lists_of([[], []]), references).shape
    none = metric.statistics(lists_of([[], ["", ""]]), references)
    assert np.isfinite(metric.gains(none)).all()
    assert np.isfinite(metric.gains_in(np.ones(metric.num_statistics), none)).all()
    assert np.isfinite(metric.score(np.zeros((3, metric.num_statistics)))).all()


def test_lower_case() -> None:
    texts = ["Ab Z[", "ÀΣ ΑΣ", "", "İ"]
    assert [text.lower() for text in texts] == list(Texts.from_strings(texts).lowercased())
    assert ["ab z["] == list(Texts.from_strings(texts[:1]).lowercased())


@pytest.mark.parametrize(
    ("name", "parts"),
    {
        "bleu": {"nrefs:2", "case:mixed", "eff:no", "tok:none", "smooth:exp"},
        "ter": {"nrefs:2", "case:lc", "tok:tercom", "norm:no", "punct:yes", "asian:no"},
        "chrf": {"nrefs:2", "case:mixed", "eff:yes", "nc:6", "nw:0", "space:no"},
        "chrf++": {"nrefs:2", "case:mixed", "eff:yes", "nc:6", "nw:2", "space:no"},
        "wer": {"metric:wer", "nrefs:2", "case:mixed", "tok:none", "by:isogloss"},
        "cer": {"metric:cer", "nrefs:2", "case:mixed", "tok:none", "by:isogloss"},
    }.items(),
)
def test_reported_scores(name: str, parts: set[str]) -> None:
    metric = CLASSES[name]
    hypotheses = ["a b c d e", "the cat sat"]
    references = References.from_texts([["a b c d x", "q"], ["the cat sat", "a cat"]])
    score, signature = reported_score(metric, hypotheses, references)
    statistics = metric.statistics(lists_of([[one] for one in hypotheses]), references)
    assert score == pytest.approx(metric.score(statistics.sum(0)), abs=1e-9)
    assert parts <= set(signature.split("|"))
    assert signature.startswith("metric:") or "version:" in signature
    lists = lists_of([["x", "a b c d e"], [], ["the", "cat", "the cat sat"]])
    three = References.from_texts([references.of(0), ["x"], references.of(1)])
    chosen = np.array([1, -1, 4])  # a sentence without hypotheses has an empty one
    expected = reported_score(metric, [hypotheses[0], "", hypotheses[1]], three)
    assert expected == reported_choice(metric, lists, three, chosen)
    own = replace(lists, references=three)
    assert expected == reported_choice(metric, own, None, chosen)


@pytest.mark.parametrize("name", ["bleu", "ter", "chrf", "chrf++", "wer", "cer"])
def test_reported_scores_of_lower_case(name: str) -> None:
    metric = CLASSES[name]
    hypotheses = ["A b C d e", "THE cat Sat"]
    references = References.from_texts([["a b c d X"], ["the Cat sat"]])
    score, signature = reported_score(metric, hypotheses, references, lowercase=True)
    lower = [one.lower() for one in hypotheses]
    assert score == reported_score(metric, lower, references.lowercased())[0]
    assert "case:lc" in signature.split("|")


def test_reported_bleu_with_other_lengths_is_our_own() -> None:
    references = References.from_texts([["a b c d e", "a b c d e f g"], ["x"]])
    metric = Bleu(reference_length="shortest")
    score, signature = reported_score(metric, ["a b c d e f", "x"], references)
    assert "metric:bleu|nrefs:var|case:mixed|tok:none|length:shortest|smooth:exp|by:isogloss" == (
        signature
    )
    statistics = metric.statistics(lists_of([["a b c d e f"], ["x"]]), references)
    assert score == pytest.approx(metric.score(statistics.sum(0)))
    signature = reported_score(Chrf(beta=1.5), ["a", "x"], references)[1]
    assert "|eff:yes|nc:6|nw:0|beta:1.5|space:no|by:isogloss" in signature


def test_reported_columns() -> None:
    lists = replace(lists_of([["a", "b"], ["c"]]), columns={"x": np.array([1.0, 2.0, 4.0])})
    found = reported_choice(Column("x"), lists, None, np.array([1, 2]))
    assert (3.0, "metric:column:x|by:isogloss") == found


def test_reports_of_bad_input() -> None:
    references = References.from_texts([["a"]])
    with pytest.raises(
        DataError, match="the system has 2 hypotheses; expected 1, one per sentence"
    ):
        reported_score(Bleu(), ["a", "b"], references)
    with pytest.raises(
        DataError, match="the system has 0 hypotheses; expected 0, one per sentence"
    ):
        reported_score(Bleu(), [], references.select(np.array([], np.int64)))
    with pytest.raises(DataError, match="bleu needs references; pass `references="):
        reported_choice(Bleu(), lists_of([["a"]]), None, np.array([0]))
    with pytest.raises(DataError, match="the list has no column or feature 'x'"):
        reported_score(Column("x"), ["a"], references)


def test_references() -> None:
    references = References.from_texts([["a", "b é"], ["c"], ["", "d", "e"]])
    chosen = references.select(np.array([2, 0, 2]))
    assert [["", "d", "e"], ["a", "b é"], ["", "d", "e"]] == [chosen.of(k) for k in range(3)]
    assert [["a", "c", ""], ["b é", None, "d"], [None, None, "e"]] == references.streams()
