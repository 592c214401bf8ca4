"""Templates of weights, what sets of them have in common, how they spell."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from isogloss.align.arrays.sparse_rows import Ragged
from isogloss.align.errors import UsageError
from isogloss.features.feature_names import feature_name
from isogloss.features.space import FeatureSpace
from isogloss.tune.weights.overlap import (
    Overlap,
    count_tokens,
    count_words,
    feature_overlap,
    target_words,
)
from isogloss.tune.weights.summary import (
    TemplateSummary,
    WeightedFeature,
    choose_templates,
    count_occurrences,
    extremes,
    never_fired,
    summarize_templates,
    template_of,
    without_weight,
)
from isogloss.tune.weights.weights import Weights

WEIGHTS = Weights.from_dict({
    "LM0": 0.5, "TM0.0": -1.0, "PT_a_b": 2.0, "PT_a_c": -0.5, "PT_x_y": 0.0, "AL_a_b": -0.25,
    "PT@law_a_b": 0.125, "p(e|f)_bin0:4": 1.5,
})  # fmt: skip
OCCURRENCES = {"LM0": 9, "PT_a_b": 3, "PT_n_n": 5, "AL_n_": 5, "WT_a~b": 1, "PT_x_y": 0}


@pytest.mark.parametrize(
    ("name", "template"),
    [("LM0", "(dense)"), ("PT_a_b", "PT"), ("PT@law_a_b", "PT@law"), ("p(e|f)_bin0:4", "p(e|f)"),
     ("_x", "")],
)  # fmt: skip
def test_template_of_a_name(name: str, template: str) -> None:
    assert template == template_of(name)


def test_templates_asked_for() -> None:
    chosen = choose_templates(WEIGHTS, ["pt", "AL", "dense", "PT@LAW"])
    assert chosen == {
        "pt": {"PT", "PT@law"}, "AL": {"AL"}, "dense": {"(dense)"}, "PT@LAW": {"PT@law"}
    }  # fmt: skip
    message = r"there is no feature of the template 'lo'; templates are \(dense\), AL, PT, PT@law,"
    with pytest.raises(UsageError, match=message):
        choose_templates(WEIGHTS, ["lo"])
    with pytest.raises(
        UsageError, match="there is no feature of the template 'pt'; templates are none"
    ):
        choose_templates([], ["pt"])
    many = [f"T{k:02}_" for k in range(13)]
    with pytest.raises(UsageError, match=r"T11, \.\.\.$"):
        choose_templates(many, ["pt"])


def test_summaries_by_hand() -> None:
    assert summarize_templates(WEIGHTS) == [
        TemplateSummary("(dense)", 2, 1, 1, 1.5, 0.5, -1.0),
        TemplateSummary("PT", 3, 1, 1, 2.5, 2.0, -0.5),
        TemplateSummary("p(e|f)", 1, 1, 0, 1.5, 1.5, 1.5),
        TemplateSummary("AL", 1, 0, 1, 0.25, -0.25, -0.25),
        TemplateSummary("PT@law", 1, 1, 0, 0.125, 0.125, 0.125),
    ]
    assert 2 == summarize_templates(WEIGHTS)[1].active


def test_summaries_with_lists() -> None:
    """Weights of 0 are no loss where they don't fire."""
    summaries = {summary.template: summary for summary in summarize_templates(WEIGHTS, OCCURRENCES)}
    shown = {name: (summary.never_fired, summary.lacking) for name, summary in summaries.items()}
    assert shown == {
        "(dense)": (1, 0), "PT": (1, 1), "p(e|f)": (1, 0), "AL": (1, 1), "PT@law": (1, 0),
        "WT": (0, 1),
    }  # fmt: skip
    assert summaries["WT"] == TemplateSummary("WT", 0, 0, 0, 0.0, 0.0, 0.0, 0, 1)


def test_extremes() -> None:
    positive, negative = extremes(WEIGHTS, 2, OCCURRENCES)
    assert [WeightedFeature("PT_a_b", 2.0, 3), WeightedFeature("p(e|f)_bin0:4", 1.5, 0)] == positive
    assert [WeightedFeature("TM0.0", -1.0, 0), WeightedFeature("PT_a_c", -0.5, 0)] == negative
    positive, negative = extremes(WEIGHTS, 0)
    assert ["PT_a_b", "p(e|f)_bin0:4", "LM0", "PT@law_a_b"] == [
        feature.name for feature in positive
    ]
    assert 3 == len(negative)
    assert (["a", "b"], []) == tuple(
        [feature.name for feature in side]
        for side in extremes(Weights.from_dict({"b": 1, "a": 1}), 5)
    )


def test_features_that_never_fire_or_have_no_weight() -> None:
    assert [
        ("p(e|f)_bin0:4", 1.5), ("TM0.0", -1.0), ("PT_a_c", -0.5), ("AL_a_b", -0.25),
        ("PT@law_a_b", 0.125),
    ] == [(f.name, f.weight) for f in never_fired(WEIGHTS, OCCURRENCES)]  # fmt: skip
    assert [
        WeightedFeature("AL_n_", None, 5), WeightedFeature("PT_n_n", None, 5),
        WeightedFeature("WT_a~b", None, 1),
    ] == without_weight(WEIGHTS, OCCURRENCES)  # fmt: skip


def test_occurrences_are_rows() -> None:
    """Moses writes features that don't fire with the value 0; an entry may come twice in a row."""
    space = FeatureSpace(["a", "b", "c", "d"])
    rows = Ragged.from_rows([[(0, 1.0), (1, 0.0)], [(0, -1.0), (0, 2.0), (2, 1.0)], [], [(0, 1.0)]])
    assert {"a": 3, "c": 1} == count_occurrences(rows, space)
    assert {} == count_occurrences(Ragged.empty(2), FeatureSpace([]))


A = Weights.from_dict({"LM0": 1.0, "PT_a_b": 1.0, "PT_a_c": -1.0, "PT_a_d": 0.0, "AL_a_b": 1.0})
B = Weights.from_dict({"LM0": -1.0, "PT_a_b": -3.0, "PT_a_d": 2.0, "LO_x_a_b": 1.0})


def test_overlap_by_hand() -> None:
    """Table 6 counts weights other than 0, whatever their sign."""
    assert feature_overlap(A, B) == [
        Overlap("(dense)", 1, 1, 1), Overlap("AL", 1, 0, 0), Overlap("LO", 0, 1, 0),
        Overlap("PT", 2, 2, 1),
    ]  # fmt: skip
    overlaps = feature_overlap(A, B, {"all": ["PT", "AL"], "none": []})
    assert [Overlap("all", 3, 2, 1), Overlap("none", 0, 0, 0)] == overlaps
    assert [0.25, 0.0] == [overlap.jaccard for overlap in overlaps]


@given(*[st.dictionaries(st.sampled_from("abc_d_"), st.floats(-1, 1), max_size=6)] * 2)
def test_overlap_by_sets(first: dict[str, float], second: dict[str, float]) -> None:
    sets = [{name for name, value in named.items() if value} for named in (first, second)]
    for overlap in feature_overlap(Weights.from_dict(first), Weights.from_dict(second)):
        in_first, in_second = (
            {name for name in active if template_of(name) == overlap.template} for active in sets
        )
        both = in_first & in_second
        counts = (len(in_first), len(in_second), len(both))
        assert counts == (overlap.first, overlap.second, overlap.both)
        assert len(both) / len(in_first | in_second) == overlap.jaccard


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("PT_la~casa_the~house", ("the", "house")),
        (feature_name("PT", "a", ("x_y", "50%", "~")), ("x_y", "50%", "~")),
        ("AL_la_", ()),
        ("LexE_house", ("house",)),
        ("PP_la~casa~~the~house", ("the", "house")),
        ("WT_casa~house", ("house",)),
        ("PT_a_%FF", ()),
    ],
)
def test_target_words(name: str, words: tuple[str, ...]) -> None:
    assert words == target_words(name)


def test_spellings() -> None:
    """Table 7: a rule counts once for each word that it holds, and only whole words count."""
    weights = Weights.from_dict({
        "PT_b_program": 1.0, "PT_b_the~program": -1.0, "PT_b_program~program": 1.0,
        "PT_b_programs": 1.0, "PT_program_x": 1.0, "PT_b_programme": 0.0, "AL_b_program": 1.0,
        "PT@law_b_programme": 1.0,
    })  # fmt: skip
    words = ["program", "programme"]
    assert [3, 0] == count_words(weights, words, ["PT"])
    assert [3, 1] == count_words(weights, words, ["PT", "PT@law"])
    assert [1, 0] == count_words(weights, words, ["AL"])
    sentences = [["program", "a", "program"], [], ["programme", "programs"]]
    assert [2, 1] == count_tokens(sentences, words)
