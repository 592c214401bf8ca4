"""Word classes against the definition, on languages whose classes are known, and their files."""

import gzip
import warnings
from collections import Counter
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from scipy.special import xlogy

from isogloss.align import DataError, DataWarning, UsageError, Vocabulary
from isogloss.align.kernels.word_classes import ClassCounts, Neighbors, count_successors, exchange
from isogloss.align.lexicon.word_classes import (
    Sweep,
    WordClasses,
    class_log_likelihood,
    learn_word_classes,
)
from isogloss.align.text.corpus import Corpus
from tests.naive import word_classes as naive


def random_text(seed: int, num_types: int = 26) -> list[list[str]]:
    """Word k comes k times, so that no two are equally frequent; some sentences are empty."""
    rng = np.random.default_rng(seed)
    tokens = rng.permutation(np.repeat(np.arange(1, num_types + 1), np.arange(1, num_types + 1)))
    cuts = np.sort(rng.integers(0, len(tokens), len(tokens) // 6))
    return [[f"w{k}" for k in part] for part in np.split(tokens, cuts)]


def by_frequency(num_types: int = 26) -> list[str]:
    return [f"w{k}" for k in range(num_types, 0, -1)]


def dictionary(found: WordClasses) -> dict[str, int]:
    words = zip(found.vocabulary.words[1:], found.classes[1:].tolist(), strict=True)
    return {word: number for word, number in words if number < found.num_classes}


def grammar(seed: int) -> tuple[list[list[str]], dict[str, str]]:
    """Sentences of a small language, and the part of speech of each of its words."""
    rng = np.random.default_rng(seed)
    parts = {"D": 3, "A": 8, "N": 20, "V": 12, "R": 4}
    words = {part: [f"{part.lower()}{k}" for k in range(size)] for part, size in parts.items()}

    def pick(part: str) -> str:
        return words[part][int(len(words[part]) * rng.random() ** 1.5)]

    def phrase() -> list[str]:
        return [pick("D"), *([pick("A")] if rng.random() < 0.5 else []), pick("N")]

    sentences = []
    for _ in range(600):
        adverb = [pick("R")] if rng.random() < 0.6 else []
        sentences.append([*phrase(), pick("V"), *adverb, *(phrase() if rng.random() < 0.6 else [])])
    return sentences, {word: part for part, own in words.items() for word in own}


def groups(classes: dict) -> set[frozenset]:
    return {
        frozenset(word for word, own in classes.items() if own == number)
        for number in classes.values()
    }


# the type


def test_classes_of_ids_and_over_another_vocabulary() -> None:
    own = WordClasses(Vocabulary(["a", "b", "c"]), np.array([2, 0, 1, 2], np.int32))
    assert own.num_classes == 2
    ids = np.array([[1, 2], [3, -1]], np.int32)
    assert own.of(ids).tolist() == [[0, 1], [2, 2]]  # in no class: c, unknown
    assert own.of(ids).dtype == np.int32
    other = own.to_vocabulary(Vocabulary(["NULL", "b", "new", "a"]))
    assert (other.classes.tolist(), other.num_classes) == ([2, 2, 1, 2, 0], 2)
    nothing = own.to_vocabulary(Vocabulary([]))
    assert nothing.classes.tolist() == [2]
    with pytest.raises(ValueError, match="read-only"):
        own.classes[1] = 1


@pytest.mark.parametrize(
    "classes", [np.zeros(3, np.int32), np.zeros(2), np.zeros((2, 1), np.int32)]
)
def test_one_class_per_type(classes: np.ndarray) -> None:
    with pytest.raises(ValueError, match="word classes must be int32, one per type of the"):
        WordClasses(Vocabulary(["a"]), classes)


@pytest.mark.parametrize("classes", [[1, 2], [1, -1], [-1, -1]])
def test_classes_in_range(classes: list[int]) -> None:
    with pytest.raises(ValueError, match="word classes must be between 0 and num_classes, the"):
        WordClasses(Vocabulary(["a"]), np.array(classes, np.int32))


# the kernel


@pytest.mark.parametrize("seed", range(4))
def test_successors_are_those_counted_naively(seed: int) -> None:
    rng = np.random.default_rng(seed)
    types = int(rng.integers(1, 9))
    stream = np.concatenate([[0], rng.integers(0, types, int(rng.integers(0, 60))), [0]])
    offsets, words, counts = count_successors(stream.astype(np.int32), types)
    found = {
        (word, int(words[k])): int(counts[k])
        for word in range(types)
        for k in range(offsets[word], offsets[word + 1])
    }
    assert found == Counter(pair for pair in pairwise(stream.tolist()) if pair != (0, 0))
    assert len(found) == len(words)


def prepared(
    sentences: list[list[str]], classes: dict[str, int], num_classes: int, table: int = 1 << 10
) -> tuple[Vocabulary, tuple]:
    """What the kernel is given, without its order; counted word by word."""
    corpus = Corpus.from_sentences(sentences)
    ids = [0, *(k for s in range(len(corpus)) for k in [*corpus.sentence(s).tolist(), 0])]
    stream, types = np.array(ids, np.int32), len(corpus.vocabulary)
    numbers = [num_classes, *(classes.get(w, num_classes) for w in corpus.vocabulary.words[1:])]
    pairs = np.zeros((num_classes + 1, num_classes + 1), np.int64)
    for first, second in pairwise(ids):
        pairs[numbers[first], numbers[second]] += 1
    small = np.arange(table)
    return corpus.vocabulary, (
        np.bincount(ids),
        Neighbors(*count_successors(stream, types)),
        Neighbors(*count_successors(stream[::-1].copy(), types)),
        ClassCounts(np.array(numbers, np.int32), pairs, pairs.sum(1)),
        xlogy(small, small),
        1e-9,
    )


@pytest.mark.parametrize("seed", range(3))
def test_each_exchange_raises_the_likelihood_or_moves_nothing(seed: int) -> None:
    sentences, num_classes = random_text(seed, 20), 4
    classes = {word: k % num_classes for k, word in enumerate(by_frequency(20))}
    vocabulary, state = prepared(sentences, classes, num_classes)
    value = naive.log_likelihood(sentences, classes)
    for word in by_frequency(20) * 2:
        expected = naive.exchange(sentences, classes, [word], num_classes)
        moved = exchange(np.array([vocabulary.get(word)]), *state)
        found = {w: int(state[3].classes[vocabulary.get(w)]) for w in classes}
        assert found == expected
        assert moved == (found != classes)
        again = naive.log_likelihood(sentences, found)
        assert again > value if moved else again == value
        classes, value = found, again
    _, recounted = prepared(sentences, classes, num_classes)
    np.testing.assert_array_equal(state[3].pairs, recounted[3].pairs)
    np.testing.assert_array_equal(state[3].sizes, recounted[3].sizes)


@pytest.mark.parametrize(("own", "expected"), [(0, 0), (2, 2), (3, 0)])
def test_among_equal_classes_its_own_comes_first_then_the_lowest(own: int, expected: int) -> None:
    """A lone word fits all three empty classes alike; 3 is none."""
    vocabulary, state = prepared([["a", "a"], ["a"]], {"a": own}, 3)
    assert exchange(np.array([vocabulary.get("a")]), *state) == (own == 3)
    assert state[3].classes.tolist() == [3, expected]


def test_counts_beyond_the_table() -> None:
    sentences = random_text(5)
    found = []
    for size in (1, 3, 1 << 10):
        vocabulary, state = prepared(sentences, {"w26": 0, "w25": 1, "w24": 2}, 3, size)
        exchange(np.array([vocabulary.get(word) for word in by_frequency()]), *state)
        found.append(state[3].classes.tolist())
    assert found[0] == found[1] == found[2]


# learning


@pytest.mark.parametrize(("seed", "num_classes"), [(0, 2), (1, 2), (2, 1), (3, 5)])
def test_sweeps_are_those_of_the_definition(seed: int, num_classes: int) -> None:
    """With 2 classes the six rarest words wait for their turn in the first sweep."""
    sentences = random_text(seed)
    corpus = Corpus.from_sentences(sentences)
    order = by_frequency()
    classes = {word: k % num_classes for k, word in enumerate(order[: 10 * num_classes])}
    for sweeps in range(1, 4):
        classes = naive.exchange(sentences, classes, order, num_classes)
        assert dictionary(learn_word_classes(corpus, num_classes, sweeps)) == classes


@pytest.mark.parametrize("seed", range(3))
def test_likelihood_is_that_of_the_definition_and_never_falls(seed: int) -> None:
    sentences = random_text(seed, 40)
    corpus = Corpus.from_sentences(sentences)
    trace: list[Sweep] = []
    found = learn_word_classes(corpus, 4, report=trace.append)
    assert set(found.classes[1:].tolist()) == {0, 1, 2, 3}
    expected = naive.log_likelihood(sentences, dictionary(found))
    assert trace[-1].log_likelihood == pytest.approx(expected, rel=1e-12)
    assert class_log_likelihood(corpus, found) == pytest.approx(expected, rel=1e-12)
    events = len(corpus.tokens) + sum(map(bool, sentences))
    assert trace[-1].perplexity == pytest.approx(np.exp(-expected / events), rel=1e-12)
    values = [sweep.log_likelihood for sweep in trace]
    assert values == sorted(values)
    assert [sweep.number for sweep in trace] == list(range(1, len(trace) + 1))
    assert [sweep.moved > 0 for sweep in trace] == [True] * (len(trace) - 1) + [False]


@pytest.mark.parametrize("seed", range(4))
def test_the_classes_of_a_small_language_are_found(seed: int) -> None:
    """A start may end in a lesser optimum, but the likeliest end of a few is the truth."""
    sentences, parts = grammar(seed)
    corpus = Corpus.from_sentences(sentences)
    found = [learn_word_classes(corpus, 5, seed=start) for start in range(8)]
    values = [class_log_likelihood(corpus, one) for one in found]
    right = [groups(dictionary(one)) == groups(parts) for one in found]
    assert right == [value > max(values) - 1e-6 for value in values]
    assert sum(right) > 3


def test_words_of_one_sentence_only_are_sorted_by_their_neighbors() -> None:
    sentences, parts = grammar(0)
    for k in range(60):
        sentences.append(["d0", f"noun{k}", "v0", "d1", "a0", "n0"])
        sentences.append(["d0", "n0", f"verb{k}", "r1", "d1", "n1"])
    found = dictionary(learn_word_classes(Corpus.from_sentences(sentences), 5))
    for k in range(60):
        assert (found[f"noun{k}"], found[f"verb{k}"]) == (found["n0"], found["v0"])
    assert groups({word: found[word] for word in parts}) == groups(parts)


def test_same_text_and_seed_same_classes() -> None:
    corpus = Corpus.from_sentences(random_text(3, 30) * 2)
    one, same = (learn_word_classes(corpus, 7, seed=5).classes.tobytes() for _ in range(2))
    assert one == same


def test_the_seed_orders_equally_frequent_words() -> None:
    corpus = Corpus.from_sentences([[f"w{k}" for k in row] for row in np.arange(60).reshape(12, 5)])
    found = {learn_word_classes(corpus, 6, 1, seed).classes.tobytes() for seed in range(5)}
    assert len(found) > 1


def test_unknown_words_are_boundaries_and_absent_ones_in_no_class() -> None:
    vocabulary = Vocabulary(["absent", *by_frequency()])
    known = random_text(4)
    told = [["new", *row, "new", "new", *row[::-1]] for row in known] + [["new", "new"]]
    split = [part for row in known for part in (row, row[::-1])]
    one = learn_word_classes(Corpus.from_sentences(told, vocabulary), 3)
    other = learn_word_classes(Corpus.from_sentences(split, vocabulary), 3)
    np.testing.assert_array_equal(one.classes, other.classes)
    assert one.classes[0] == one.classes[1] == one.num_classes == 3
    assert one.classes[2:].max() < 3
    values = [
        class_log_likelihood(Corpus.from_sentences(text, vocabulary), one) for text in (told, split)
    ]
    assert values[0] == values[1]


def test_likelihood_where_words_are_in_no_class() -> None:
    sentences = random_text(6)
    corpus = Corpus.from_sentences(sentences)
    words = corpus.vocabulary.words
    classes = np.array([2, *(int(w[1:]) % 3 for w in words[1:])], np.int32)
    some = WordClasses(corpus.vocabulary, classes)
    expected = naive.log_likelihood(sentences, dictionary(some))
    assert class_log_likelihood(corpus, some) == pytest.approx(expected, rel=1e-12)


def test_likelihood_over_another_vocabulary() -> None:
    corpus = Corpus.from_sentences([["a", "b"]])
    other = WordClasses(Vocabulary(["b", "a"]), np.array([2, 0, 1], np.int32))
    with pytest.raises(UsageError, match="the corpus and the word classes have different"):
        class_log_likelihood(corpus, other)
    assert class_log_likelihood(corpus, other.to_vocabulary(corpus.vocabulary)) == pytest.approx(
        0, abs=1e-9
    )


def test_fewer_words_than_classes() -> None:
    corpus = Corpus.from_sentences([["a", "b", "a"], [], ["c"]])
    with pytest.warns(DataWarning, match="3 distinct words are too few for 50 classes; each word"):
        found = learn_word_classes(corpus)
    assert sorted(found.classes.tolist()) == [0, 1, 2, 3]


@pytest.mark.parametrize("sentences", [[], [[]], [["new"], []]])
def test_no_words(sentences: list) -> None:
    corpus = Corpus.from_sentences(sentences, Vocabulary(["a"]))
    with pytest.raises(DataError, match="the text is empty; word classes need at least one word"):
        learn_word_classes(corpus)


@pytest.mark.parametrize(("classes", "iterations", "said"), [
    (0, 5, "num_classes must be at least 1, got 0"),
    (3, 0, "iterations must be between 1 and 100000, got 0"),
    (-1, -1, "num_classes must be at least 1, got -1"),
])  # fmt: skip
def test_numbers_out_of_range(classes: int, iterations: int, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        learn_word_classes(Corpus.from_sentences([["a"]]), classes, iterations)


# files


OWN = WordClasses(
    Vocabulary(["the", "é", "Zug", "NULL", "a", "absent", "\u2028x"]),
    np.array([3, 0, 2, 1, 1, 0, 3, 2], np.int32),
)
LINES = ["NULL\t3", "Zug\t3", "a\t2", "the\t2", "é\t4", "\u2028x\t4"]


@pytest.mark.parametrize("name", ["x.classes", "x.gz", "x.zst"])
def test_a_file_comes_back(tmp_path: Path, name: str) -> None:
    OWN.save(tmp_path / name)
    found = WordClasses.load(tmp_path / name)
    assert found.vocabulary.words[1:] == ("NULL", "Zug", "a", "the", "é", "\u2028x")
    np.testing.assert_array_equal(found.to_vocabulary(OWN.vocabulary).classes, OWN.classes)
    assert [file.name for file in tmp_path.iterdir()] == [name]


def test_lines_are_those_of_mkcls(tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    """Sorted by their bytes, classes from 2."""
    OWN.save(tmp_path / "x.gz")
    text = gzip.decompress((tmp_path / "x.gz").read_bytes())
    assert text == "".join(line + "\n" for line in LINES).encode()
    assert text.split(b"\n")[:-1] == sorted(text.split(b"\n")[:-1])
    for path in (None, "-"):
        OWN.save(path)
        assert capsys.readouterr().out.split("\n") == [*LINES, ""]


def test_any_numbers_in_any_order(tmp_path: Path) -> None:
    (tmp_path / "x").write_text("b\t700\na\t0\n$\t31\nc\t31\n", encoding="utf-8")
    found = WordClasses.load(tmp_path / "x")
    assert dictionary(found) == {"b": 2, "a": 0, "$": 1, "c": 1}
    assert found.num_classes == 3


@pytest.mark.parametrize("word", ["", "New York", "a\tb", "a\nb", " "])
def test_words_that_no_line_can_hold(tmp_path: Path, word: str) -> None:
    found = WordClasses(Vocabulary(["a", word]), np.array([1, 0, 0], np.int32))
    with pytest.raises(DataError, match=r"the word '.*' is invalid; expected a nonempty word"):
        found.save(tmp_path / "x")
    assert list(tmp_path.iterdir()) == []


BAD_LINES = [
    ("the 5", r"the line 'the 5' contains no tab; expected word<TAB>class\. Separate word and"),
    ("", "the line '' contains no tab; expected word<TAB>class"),
    ("\t5", r"the word '' is invalid; expected one word without whitespace\."),
    ("  \t5", "the word '  ' is invalid; expected one word without whitespace"),
    ("New York\t5", "the word 'New York' is invalid; expected one word without whitespace"),
    ("the\tDET", r"the class is 'DET'; expected an integer of at least 0\. Number the"),
    ("the\t", "the class is ''; expected an integer of at least 0"),
    ("the\t-1", "the class is '-1'; expected an integer of at least 0"),
    ("the\t2.0", "the class is '2.0'; expected an integer of at least 0"),
    ("the\t٣", "the class is '٣'; expected an integer of at least 0"),
    ("the\t" + "9" * 5000, "the class is '99999999999999999999"),
    ("the\t5\t17", r"the class is '5\\t17'; expected an integer of at least 0"),
    ("the\t99999999999", "the class is '99999999999'; expected an integer of at least 0"),
    ("a\t3", r"the word 'a' is repeated \(first: line 1\)\. Remove the"),
]


@pytest.mark.parametrize(("line", "message"), BAD_LINES)
def test_bad_lines(tmp_path: Path, line: str, message: str) -> None:
    (tmp_path / "x").write_text(f"a\t2\nb\t2\n{line}\nc\t3\n", encoding="utf-8")
    with pytest.raises(DataError, match=rf"x, line 3: {message}"):
        WordClasses.load(tmp_path / "x")


def test_a_file_without_words(tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(b"")
    with pytest.raises(DataError, match="x: the file is empty; expected one line word<TAB>class"):
        WordClasses.load(tmp_path / "x")


def test_dirty_files_are_read_as_all_are(tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(b"\xef\xbb\xbfa\t2\r\nb\t3\r\n")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        assert dictionary(WordClasses.load(tmp_path / "x")) == {"a": 0, "b": 1}
    assert [one.category for one in caught] == [DataWarning, DataWarning]
    (tmp_path / "x").write_bytes(b"a\t2\n\xff\t3\n")
    with pytest.raises(DataError, match="x, line 2: byte 0xff at column 1 is not UTF-8"):
        WordClasses.load(tmp_path / "x")


def test_word_classes_print_what_they_hold() -> None:
    vocabulary = Vocabulary(["the", "a", "house", "car", "red", "green", "blue"])
    classes = WordClasses(vocabulary, np.array([2, 0, 0, 1, 2, 1, 0, 1], np.int32))
    shown = "WordClasses(6 words in 2 classes: the 0, a 0, house 1, red 1, green 0, blue 1)"
    assert shown == repr(classes)
    none = WordClasses(vocabulary, np.zeros(8, np.int32))
    assert "WordClasses(0 words in 0 classes)" == repr(none)
