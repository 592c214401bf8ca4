"""Language models from files: KenLM's binaries score as the ARPA text that they are made from."""

import struct
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from isogloss.align.errors import DataError, DataWarning
from isogloss.align.language_model.ngrams import NgramModel
from isogloss.tune import read_language_model
from isogloss.tune.decoder.kernels.ngram import BEGIN, END, NO_EXTENSION
from isogloss.tune.decoder.language_model import NgramTable, empty_table
from tests.naive.kenlm_binary import crowded_file, probing_file, trie_file
from tests.naive.search import DictionaryModel
from tests.unit.tune.decoder.test_language_model import check_bounds, lines, random_model

# nats: KenLM adds up to six logarithms of base 10 in float32, each rounded by 2.4e-7 at most
SINGLE = 1e-5


def turned(model: NgramModel) -> list[str]:
    """Its words in another order, <unk> first."""
    return [model.words[0], *model.words[:0:-1]]


KINDS: dict[str, Callable[[NgramModel], bytes]] = {
    "probing": probing_file,
    "probing, other ids": lambda model: probing_file(model, words=turned(model)),
    "probing, few slots": lambda model: probing_file(model, multiplier=1.01),
    "rest costs": lambda model: probing_file(model, rest=True),
    "trie": trie_file,
    "quantized": lambda model: trie_file(model, quantized=(10, 9)),
    "compressed": lambda model: trie_file(model, apart=30),
    "both": lambda model: trie_file(model, quantized=(9, 10), apart=3),
}


def with_holes(model: NgramModel, seed: int) -> NgramModel:
    """The model without some n-grams that are the context of none, as pruning leaves it."""
    rng = np.random.default_rng(seed)
    columns = [list(c) for c in (model.ngrams, model.log_probability, model.log_backoff)]
    for k in range(model.order - 2, 0, -1):
        contexts = {tuple(row[:-1]) for row in columns[0][k + 1].tolist()}
        kept = [tuple(row) in contexts or rng.random() < 0.5 for row in columns[0][k].tolist()]
        for column in columns:
            column[k] = column[k][kept]
    return NgramModel(model.order, model.words, *map(tuple, columns))


def table_of(path: Path, content: bytes) -> NgramTable:
    path.write_bytes(content)
    return read_language_model(path)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("order", [2, 3, 4, 5, 6])
def test_scores_are_those_of_kenlm_and_of_the_text(
    tmp_path: Path, order: int, kind: str, kenlm: ModuleType
) -> None:
    model = random_model(order, order, 9, num_lines=30, drop=0.3)
    model.save(tmp_path / "arpa")
    text = read_language_model(tmp_path / "arpa")
    table = table_of(tmp_path / "lm", KINDS[kind](model))
    other = kenlm.Model(str(tmp_path / "lm"))
    assert table.order == order
    for line in lines(order, text, 40):
        scores = table.score(table.encode(line))
        theirs = np.array([score for score, _, _ in other.full_scores(" ".join(line))])
        np.testing.assert_allclose(scores, theirs * np.log(10.0), atol=SINGLE, rtol=0)
        np.testing.assert_array_equal(scores, text.score(text.encode(line)))


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "probing, few slots"])
def test_pruned_models(tmp_path: Path, kind: str, kenlm: ModuleType) -> None:
    for seed in range(5):
        model = with_holes(random_model(seed, 4, 9, num_lines=30), seed)
        naive = DictionaryModel(model)
        table = table_of(tmp_path / "lm", KINDS[kind](model))
        number = {word: k for k, word in enumerate(model.words)}
        other = kenlm.Model(str(tmp_path / "lm"))
        for line in lines(seed, table, 30):
            scores = table.score(table.encode(line))
            ids = [number.get(word, 0) for word in line]
            np.testing.assert_allclose(scores, naive.sentence([*ids, 2]), atol=SINGLE, rtol=0)
            theirs = [score for score, _, _ in other.full_scores(" ".join(line))]
            np.testing.assert_allclose(scores, np.array(theirs) * np.log(10.0), atol=SINGLE, rtol=0)


@pytest.mark.parametrize("rest", [False, True])
def test_bounds_of_hash_tables_hold(tmp_path: Path, rest: bool) -> None:
    for seed in range(10):
        model = random_model(seed, 2 + seed % 3)
        table = table_of(tmp_path / "lm", probing_file(model, rest=rest))
        check_bounds(table, DictionaryModel(model), seed)


def test_bounds_of_ngrams_that_none_extends_are_their_probabilities(tmp_path: Path) -> None:
    model = random_model(3, 3)
    arrays = table_of(tmp_path / "lm", probing_file(model)).arrays
    extended = sorted({row[1] for row in model.ngrams[1].tolist()})
    alone = [word for word in range(len(model.words)) if word not in extended]
    assert 0 < len(alone) < len(model.words)
    np.testing.assert_array_equal(arrays.unigram_bound[alone], arrays.unigrams[alone, 0])
    highest = max(column.max() for column in model.log_probability[1:]) * np.log(10.0)
    expected = np.maximum(arrays.unigrams[extended, 0], highest)
    np.testing.assert_allclose(arrays.unigram_bound[extended], expected, rtol=1e-6)
    exact = arrays.bound == arrays.values[:, 0]
    assert exact[arrays.keys != 0].sum() >= len(model.ngrams[2])


def test_marks_and_ids_are_those_of_the_file(tmp_path: Path) -> None:
    model = random_model(4, 3, drop=0.5)
    text = NgramTable.from_model(model)
    table = table_of(tmp_path / "lm", probing_file(model, words=turned(model)))
    assert table.arrays.models[0, [BEGIN, END]].tolist() == [8, 7]
    assert [*table.index] == turned(model)
    order = [text.index[word] for word in table.index]
    np.testing.assert_array_equal(table.arrays.unigrams, text.arrays.unigrams[order])
    for arrays in (table.arrays, text.arrays):
        assert (arrays.values[arrays.keys != 0, 1] == NO_EXTENSION).any()
    filled = [np.sort(a.values[a.keys != 0], axis=0) for a in (table.arrays, text.arrays)]
    np.testing.assert_array_equal(*filled)


MODEL = random_model(3, 3)
CONTENT = probing_file(MODEL)
COUNTS = [len(rows) for rows in MODEL.ngrams]
UNIGRAMS = 136 + 8 + 12 * int(1.5 * COUNTS[0])
BIGRAMS = UNIGRAMS + 8 * (COUNTS[0] + 1)
TRIGRAMS = BIGRAMS + 16 * int(1.5 * COUNTS[1])


def slots(of: int, size: int, num: int) -> list[int]:
    """Where the n-grams of a table stand that begins at byte ``of``."""
    return [at for at in range(of, of + size * num, size) if CONTENT[at : at + 8] != bytes(8)]


def put(at: int, form: str, *values: float) -> bytes:
    packed = struct.pack("<" + form, *values)
    return CONTENT[:at] + packed + CONTENT[at + len(packed) :]


BIGRAM, ANOTHER = slots(BIGRAMS, 16, int(1.5 * COUNTS[1]))[:2]
TRIGRAM = slots(TRIGRAMS, 12, int(1.5 * COUNTS[2]))[0]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (put(UNIGRAMS, "f", np.nan), "a 1-gram has the values nan, .*; expected a log"),
        (put(UNIGRAMS + 12, "f", np.inf), "a 1-gram has the values .*, inf; expected a log"),
        (put(BIGRAM + 8, "f", -1e6), "a 2-gram has the values -1e+06, .*; expected a log"),
        (put(BIGRAM + 12, "f", np.nan), "a 2-gram has the values .*, nan; expected a log"),
        (put(TRIGRAM + 8, "f", 0.25), "a 3-gram has the values 0.25; expected a log probability"),
        (put(TRIGRAM + 8, "f", -np.inf), "a 3-gram has the values -inf; expected a log"),
        (put(BIGRAM, "Q", 0), f"the file has .* n-grams of order 2; expected {COUNTS[1]},"),
        (put(TRIGRAM, "Q", 0), f"the file has .* n-grams of order 3; expected {COUNTS[2]},"),
        (put(BIGRAMS, f"{2 * int(1.5 * COUNTS[1])}Q", *range(1, 1 + 2 * int(1.5 * COUNTS[1]))),
         f"the file has {int(1.5 * COUNTS[1])} n-grams of order 2; expected {COUNTS[1]}, as in"),
        (put(BIGRAM, "Q", *struct.unpack_from("<Q", CONTENT, ANOTHER)),
         "two n-grams have the same hash. "),
        (put(TRIGRAM, "Q", *struct.unpack_from("<Q", CONTENT, BIGRAM)), "two n-grams have the"),
        (put(116, "Q", COUNTS[1] + 1), r"the vocabulary at byte 1,760 begins with '\\x00';"),
        (put(116, "Q", 6 * len(CONTENT)), "the file has 1,761 bytes; expected at least 254,624,"),
        (put(92, "f", 1e6), "the file has 1,761 bytes; expected at least 1,016,000,224, according"),
    ],
)  # fmt: skip
def test_damaged_hash_tables(tmp_path: Path, content: bytes, message: str) -> None:
    with pytest.raises(DataError, match=f"lm: {message.replace('+', '[+]')}") as error:
        table_of(tmp_path / "lm", content)
    assert error.value.remedy


def test_hash_tables_that_are_cut_off(tmp_path: Path) -> None:
    for size in [*range(8, len(CONTENT), 7), len(CONTENT) - 1]:
        with pytest.raises(DataError, match=r"lm: .*; expected"):
            table_of(tmp_path / "lm", CONTENT[:size])


def test_more_bytes_than_words_take(tmp_path: Path) -> None:
    """They aren't read: a sparse file of gigabytes takes no room on a disk."""
    (tmp_path / "lm").write_bytes(CONTENT)
    with (tmp_path / "lm").open("r+b") as stream:
        stream.truncate(1 << 36)
    with pytest.raises(DataError, match="lm: 68,719,475,008 bytes follow the n-grams; expected"):
        read_language_model(tmp_path / "lm")


def test_an_ngram_of_a_trie_that_occurs_twice(tmp_path: Path) -> None:
    content = trie_file(MODEL)
    at = 136 + 8 + 8 * COUNTS[0] + 16 * (COUNTS[0] + 2)
    size, word = (n.bit_length() for n in (COUNTS[2], COUNTS[0]))
    bits = int.from_bytes(content[at:], "little")
    for k in range(COUNTS[1]):  # each bigram begins with word 5
        bits = bits & ~(((1 << word) - 1) << k * (word + 63 + size)) | 5 << k * (word + 63 + size)
    with pytest.raises(DataError, match=r"lm: a .-gram occurs twice in the language model; expec"):
        table_of(tmp_path / "lm", content[:at] + bits.to_bytes(len(content) - at, "little"))


def test_models_larger_than_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("isogloss.tune.decoder.language_model_files.free_memory", lambda: 1000)
    message = r"n-grams need 0.0 GB of memory; expected at most the 0.0 GB that are"
    for content in (CONTENT, trie_file(MODEL)):
        with pytest.raises(DataError, match=rf"lm: .* {message} available\. Use a smaller model"):
            table_of(tmp_path / "lm", content)


@pytest.mark.parametrize("step", [1, (1 << 32) + 1])
def test_hashes_that_crowd_together(tmp_path: Path, step: int) -> None:
    """All at one slot of our table, or one behind the other: each look-up would pass them all."""
    num, words = 5000, ["<unk>", "<s>", "</s>", "a"]
    content = crowded_file(words, [(k + 1) * step for k in range(num)])
    message = "lm: the hashes of the n-grams are too close together to come from text; expected"
    with pytest.raises(DataError, match=message):
        table_of(tmp_path / "lm", content)


def test_a_model_without_unknown_words(tmp_path: Path, kenlm: ModuleType) -> None:
    """SRILM writes such models; KenLM takes them as we do."""
    model = random_model(3, 3)
    model.save(tmp_path / "whole")
    lines = (tmp_path / "whole").read_text().split("\n")
    known = [line for line in lines if "<unk>" not in line]
    count = f"ngram 1={len(model.ngrams[0])}"
    assert count in known
    known[known.index(count)] = f"ngram 1={len(model.ngrams[0]) - 1}"
    (tmp_path / "lm").write_text("\n".join(known))
    with pytest.warns(
        DataWarning, match=r"lm has no <unk>; unknown words get a log10 probability of -100"
    ):
        table = read_language_model(tmp_path / "lm")
    scores = table.score(table.encode(["never"]))
    expected = [*kenlm.Model(str(tmp_path / "lm")).full_scores("never")]
    np.testing.assert_allclose(scores, [np.log(10.0) * one[0] for one in expected], rtol=1e-6)


def test_a_file_that_grows_while_it_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else more n-grams would be put into the table than it has room for."""

    def and_change(*arguments: object) -> NgramTable:
        table = empty_table(*arguments)  # type: ignore[arg-type]
        full = put(TRIGRAMS, f"{3 * int(1.5 * COUNTS[2])}I", *[7] * (3 * int(1.5 * COUNTS[2])))
        (tmp_path / "lm").write_bytes(full)
        return table

    monkeypatch.setattr("isogloss.tune.decoder.language_model_files.empty_table", and_change)
    with pytest.raises(DataError, match="lm: the file changed while it was read"):
        table_of(tmp_path / "lm", CONTENT)
