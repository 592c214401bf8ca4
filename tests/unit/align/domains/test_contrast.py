"""Words that two domains translate differently."""

import math
from dataclasses import replace

import numpy as np
import pytest

from isogloss.align.domains.contrast import (
    Example,
    LinkedWords,
    contrast,
    expected_occurrences,
    find_example,
)
from isogloss.align.lexicon.tables import LexicalTable
from isogloss.align.links.links import Links
from isogloss.align.text.corpus import Corpus
from isogloss.align.text.vocabulary import Vocabulary

SOURCE = Vocabulary(["host", "the", "rare", "gone"])
TARGET = Vocabulary(["servidor", "huésped", "el", "la"])


GIVEN = (1, 1, 2, 2, 3, 3, 4)
GENERATED = (1, 2, 3, 4, 1, 2, 1)


def table(*probability: float) -> LexicalTable:
    return LexicalTable(
        np.array(GENERATED[: len(probability)], np.int32),
        np.array(GIVEN[: len(probability)], np.int32),
        np.array(probability, np.float32),
        np.zeros(5, np.float32),
        TARGET,
        SOURCE,
        "s2t",
    )


SOFTWARE = table(0.75, 0.25, 0.5, 0.5, 1.0, 0.0, 1.0)
MEDICAL = table(0.25, 0.75, 0.5, 0.5, 0.0, 1.0, 0.0)
HOST = 0.75 * math.log2(0.75 / 0.5) + 0.25 * math.log2(0.25 / 0.5)  # Jensen-Shannon, by hand


def test_scores_by_hand():
    """`rare` differs entirely but has one occurrence; `the` does not differ; `gone` has no row."""
    occurrences = np.array([[0.0, 30.0, 900.0, 1.0, 5.0], [0.0, 40.0, 800.0, 2.0, 5.0]])
    found = contrast(SOFTWARE, MEDICAL, occurrences, half=10.0, smoothing=10.0)
    assert found.words.tolist() == [1, 3]
    np.testing.assert_allclose(found.divergence, [HOST, 1.0], rtol=1e-6)
    np.testing.assert_allclose(found.score, [HOST * 30 / 40, 1 / 11], rtol=1e-6)
    assert found.occurrences.tolist() == [[30.0, 1.0], [40.0, 2.0]]
    assert found.translations == (
        [[(1, 0.75), (2, 0.25)], [(1, 1.0)]],
        [[(2, 0.75), (1, 0.25)], [(2, 1.0)]],
    )
    assert len(contrast(SOFTWARE, MEDICAL, occurrences, smoothing=10.0, limit=1)) == 1


def test_a_word_without_occurrences_in_one_domain_is_left_out():
    occurrences = np.array([[0.0, 30.0, 9.0, 4.0, 5.0], [0.0, 40.0, 9.0, 0.0, 5.0]])
    assert contrast(SOFTWARE, MEDICAL, occurrences, smoothing=10.0).words.tolist() == [1]


def test_tables_trained_without_smoothing_lean_towards_each_other():
    """n / (n + half) of each domain's own row, the rest of the row of both together."""
    occurrences = np.array([[0.0, 30.0, 9.0, 4.0, 0.0], [0.0, 10.0, 9.0, 6.0, 0.0]])
    found = contrast(SOFTWARE, MEDICAL, occurrences, half=10.0, smoothing=0.0)
    common = (30 * 0.75 + 10 * 0.25) / 40
    rows = [(30 * 0.75 + 10 * common) / 40, (10 * 0.25 + 10 * common) / 20]
    middle = sum(rows) / 2
    expected = sum(
        p * math.log2(p / m) / 2 for row in rows for p, m in ((row, middle), (1 - row, 1 - middle))
    )
    assert found.divergence[found.words == 1] == pytest.approx(expected, rel=1e-6)
    assert found.divergence[found.words == 3] < 0.5


def test_translations_of_a_table_in_the_order_of_generated_words():
    """Tables t2s are sorted by the generated word, not by the given one."""
    order = np.array([6, 0, 2, 4, 1, 3, 5])
    shuffled = [
        replace(
            own,
            generated=own.generated[order],
            given=own.given[order],
            probability=own.probability[order],
        )
        for own in (SOFTWARE, MEDICAL)
    ]
    occurrences = np.full((2, 5), 10.0)
    a, b = contrast(SOFTWARE, MEDICAL, occurrences), contrast(*shuffled, occurrences)
    assert a.words.tolist() == b.words.tolist()
    assert a.translations == b.translations


def test_tables_of_two_models():
    with pytest.raises(ValueError, match="a contrast requires two tables of the same model and"):
        contrast(SOFTWARE, table(1.0), np.ones((2, 5)))
    with pytest.raises(ValueError, match="a contrast requires two tables of the same model and"):
        contrast(SOFTWARE, replace(MEDICAL, direction="t2s"), np.ones((2, 5)))


def test_expected_occurrences():
    corpus = Corpus(
        np.array([1, 2, 1, -1, 3], np.int32), np.array([0, 4, 4, 5]), Vocabulary(["a", "b", "c"])
    )
    posterior = np.array([[0.25, 0.75], [0.5, 0.5], [1.0, 0.0]])
    counts = expected_occurrences(corpus, posterior)
    assert counts.tolist() == [[0.0, 0.5, 0.25, 1.0], [0.0, 1.5, 0.75, 0.0]]


@pytest.mark.filterwarnings("ignore::isogloss.align.errors.DataWarning")
def sentences(*lines):
    return Corpus.from_sentences([line.split() for line in lines])


def test_examples_are_of_the_domain_have_the_translation_and_a_readable_length():
    long, readable = " ".join(["x"] * 40), "the host is up and runs on a fast computer"
    source = sentences(f"host {long}", "host", readable, "host x")
    target = sentences(f"servidor {long}", "huésped", "el servidor", "servidor x")
    word, best = source.vocabulary.get("host"), [(target.vocabulary.get("servidor"), 0.9)]
    sure = np.array([0.9, 0.9, 0.9, 0.9])
    assert find_example(source, target, sure, word, best) == Example(2, 0.9)
    unsure = np.array([0.9, 1.0, 0.1, 0.8])
    assert find_example(source, target, unsure, word, best) == Example(3, 0.8)
    assert find_example(source, target, np.array([0.0, 1.0, 0.0, 0.0]), word, best).pair == 1
    assert find_example(source, target, np.zeros(4), word, best) is None
    assert find_example(source, target, sure, 999, []) is None


@pytest.mark.parametrize("direction", ["s2t", "t2s"])
def test_links_are_counted_by_domain(direction: str) -> None:
    rng = np.random.default_rng(3)
    lengths = rng.integers(0, 6, (30, 2))
    sides = [
        Corpus.from_sentences([rng.choice(list("abcdef"), n).tolist() for n in lengths[:, k]])
        for k in (0, 1)
    ]
    links = Links.from_pairs(
        [
            sorted(
                {(int(rng.integers(f)), int(rng.integers(e))) for _ in range(4)} if f * e else ()
            )
            for f, e in lengths
        ]
    )
    posterior = rng.dirichlet(np.ones(3), 30)
    given, generated = sides if direction == "s2t" else sides[::-1]
    found = LinkedWords.of(links, given, generated, posterior, direction)
    counted: dict[tuple[int, int], np.ndarray] = {}
    for pair in range(30):
        for ends in links[pair]:
            word, other = (
                int(side.tokens[side.offsets[pair] + ends[number]])
                for number, side in enumerate(sides)
            )
            key = (word, other) if direction == "s2t" else (other, word)
            counted[key] = counted.get(key, np.zeros(3)) + posterior[pair]
    for word in range(len(given.vocabulary)):
        for other in range(len(generated.vocabulary)):
            for domain in range(3):
                one, two = np.array([word], np.int32), np.array([other], np.int32)
                expected = counted.get((word, other), np.zeros(3))[domain]
                assert found.count(domain, one, two)[0] == pytest.approx(expected)


def test_only_translations_with_links_are_those_of_a_domain() -> None:
    """Both tables have both translations, as smoothed ones do."""
    law, play = table(0.8, 0.2, 0.5, 0.5, 1.0, 0.0, 1.0), table(0.2, 0.8, 0.5, 0.5, 1.0, 0.0, 1.0)
    types, counts = len(TARGET), np.array([[9.0, 0.4], [0.0, 3.0]])
    linked = LinkedWords(np.array([types + 1, types + 2]), counts, types)
    occurrences = np.full((2, len(SOURCE)), 9.0)
    plain = contrast(law, play, occurrences, limit=1)
    found = contrast(law, play, occurrences, limit=1, linked=linked)
    assert plain.words.tolist() == found.words.tolist() == [1]
    assert [len(row) for (row,) in plain.translations] == [2, 2]
    assert [[k for k, _ in row] for (row,) in found.translations] == [[1], [2]]
