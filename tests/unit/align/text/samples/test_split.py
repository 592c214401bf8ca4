"""Sets drawn from a bitext share no sentence with each other or the rest."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from isogloss.align.errors import DataError, UsageError
from isogloss.align.text.formats.pair import Pair
from isogloss.align.text.samples.split import SetOptions, draw_sets, survey_pairs

words = st.lists(st.sampled_from(["a", "A", "b", "é"]), max_size=4)
sentences = st.builds(lambda parts, blank: blank.join(parts), words, st.sampled_from([" ", " \t "]))


def pairs_of(texts):
    return [Pair(source, target, None, k) for k, (source, target) in enumerate(texts, start=1)]


def key(text):
    return tuple(text.lower().split())


def drawable(texts, domains, options):
    """Obviously right: fits, and neither side is found in another pair."""
    sources = Counter(key(source) for source, _ in texts)
    targets = Counter(key(target) for _, target in texts)
    limits = range(options.min_length, options.max_length + 1)
    return Counter(
        domain
        for (source, target), domain in zip(texts, domains, strict=True)
        if sources[key(source)] == targets[key(target)] == 1
        and len(key(source)) in limits
        and len(key(target)) in limits
    )


@given(
    st.lists(st.tuples(st.tuples(sentences, sentences), st.sampled_from("xy-")), max_size=30),
    st.integers(1, 3), st.integers(1, 2), st.integers(0, 5),
)  # fmt: skip
def test_no_sentence_stands_in_two_sets(tmp_path_factory, rows, tune, test, seed):
    texts, domains = [row[0] for row in rows], [row[1] for row in rows]
    labels = tmp_path_factory.mktemp("labels") / "labels"
    labels.write_text("".join(f"{domain}\n" for domain in domains))
    options = SetOptions({"tune": tune, "test": test}, 1, 3, seed)
    survey = survey_pairs(pairs_of(texts), options, labels)
    expected = drawable(texts, domains, options)
    if any(expected[domain] < tune + test for domain in set(domains) - {"-"}):
        with pytest.raises(
            DataError, match=r"only \d+ pairs? of domain .* can be drawn: the length"
        ):
            draw_sets(survey, options)
        return
    drawn, counts = draw_sets(survey, options)
    assert {count.domain: count.drawable for count in counts} == {
        domain: expected[domain] for domain in set(domains) - {"-"}
    }
    sizes = Counter(zip(drawn.tolist(), domains, strict=True))
    for domain in set(domains) - {"-"}:
        assert (sizes[0, domain], sizes[1, domain]) == (tune, test)
    assert sizes[0, "-"] == sizes[1, "-"] == 0
    for side in (0, 1):
        places = {}
        for text, place in zip(texts, drawn.tolist(), strict=True):
            assert places.setdefault(key(text[side]), place) == place
    assert np.array_equal(drawn, draw_sets(survey, options)[0])


def test_a_domain_does_not_depend_on_others(tmp_path):
    texts = [(f"s{k}", f"t{k}") for k in range(40)]
    drawn = []
    for name, other in (("one", "b"), ("two", "z")):
        labels = tmp_path / name
        labels.write_text("".join(f"{'m' if k % 2 else other}\n" for k in range(40)))
        options = SetOptions({"test": 5})
        drawn.append(draw_sets(survey_pairs(pairs_of(texts), options, labels), options)[0])
    assert np.array_equal(drawn[0][1::2], drawn[1][1::2])
    assert not np.array_equal(
        drawn[0], draw_sets(survey_pairs(pairs_of(texts), options), SetOptions({"test": 10}))[0]
    )


@pytest.mark.thorough
def test_as_many_domains_as_pairs(tmp_path):
    """Each of them costs the same, however many there are."""
    labels = tmp_path / "labels"
    labels.write_text("".join(f"d{k}\n" for k in range(50_000)))
    options = SetOptions({"test": 1})
    survey = survey_pairs(pairs_of((f"s{k}", f"t{k}") for k in range(50_000)), options, labels)
    assert [survey.domains[k] for k in survey.domain] == [f"d{k}" for k in range(50_000)]
    drawn, counts = draw_sets(survey, options)
    assert not drawn.any()
    assert {(count.pairs, count.fitting, count.drawable) for count in counts} == {(1, 1, 1)}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"sizes": {}}, "at least one set"),
        ({"sizes": {"a": 0}}, "there must be at least one set, each with at least one pair"),
        ({"sizes": {"rest": 1}}, "the set name 'rest' is reserved for the remaining pairs;"),
        ({"sizes": {"a": 1}, "min_length": 5, "max_length": 4}, "min_length must be at"),
    ],
)
def test_options_out_of_range(options, message):
    with pytest.raises(UsageError, match=message):
        SetOptions(**options)


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        ("x\n", "labels, line 2: there are fewer labels than pairs; expected one per sentence"),
        ("x\nx\nx\n", "labels, line 3: there are more labels than pairs; expected one per"),
        ("x\na b\n", "labels, line 2: the label 'a b' is malformed; expected one domain name, or"),
    ],
)
def test_labels_that_do_not_fit(tmp_path, labels, message):
    (tmp_path / "labels").write_text(labels)
    with pytest.raises(DataError, match=message):
        survey_pairs(pairs_of([("a", "b"), ("c", "d")]), SetOptions({"t": 1}), tmp_path / "labels")
