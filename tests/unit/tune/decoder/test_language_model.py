"""The decoder's n-gram table against dictionary back-off and KenLM."""

import gzip
import os
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from isogloss.align.errors import DataError
from isogloss.align.language_model.ngrams import NgramModel
from isogloss.tune.decoder.kernels.ngram import (
    NO_EXTENSION,
    PAD,
    States,
    bound_word,
    copy_state,
    empty_states,
    score_word,
    start_context,
)
from isogloss.tune.decoder.language_model import LanguageModels, NgramTable
from tests.naive.search import DictionaryModel

DATA = Path(os.environ.get("ISOGLOSS_DATA", Path(__file__).parents[5] / "shared" / "data")) / "lm"


def random_model(
    seed: int,
    order: int,
    num_words: int = 6,
    *,
    num_lines: int = 8,
    closed: bool = True,
    drop: float = 0.0,
) -> NgramModel:
    """Random n-grams; ``closed``: with every substring, as KenLM wants them."""
    rng = np.random.default_rng(seed)
    words = ("<unk>", "<s>", "</s>", *(f"w{i}" for i in range(num_words)))
    ngrams: list[set[tuple[int, ...]]] = [set() for _ in range(order)]
    ngrams[0] = {(i,) for i in range(len(words))}
    for _ in range(num_lines):
        inner = rng.integers(3, len(words), rng.integers(1, 7)).tolist()
        line = [1, *inner, 2]
        for k in range(2, order + 1):
            ngrams[k - 1] |= {tuple(line[i : i + k]) for i in range(len(line) - k + 1)}
    if not closed:
        for level in ngrams[1:]:
            level -= {gram for gram in sorted(level) if rng.random() < 0.4}
    rows = [np.array(sorted(level), np.int32).reshape(-1, k + 1) for k, level in enumerate(ngrams)]
    probability = [-rng.exponential(1.0, len(r)).astype(np.float32) for r in rows]
    backoff = [-rng.exponential(0.5, len(r)).astype(np.float32) for r in rows]
    for values in backoff:
        values[rng.random(len(values)) < drop] = 0.0
    backoff[0][0] = 0.0  # <unk>
    backoff[-1][:] = 0.0
    backoff[0][2] = 0.0  # </s>
    return NgramModel(order, words, tuple(rows), tuple(probability), tuple(backoff))


def lines(seed: int, table: NgramTable, num: int = 20) -> list[list[str]]:
    rng = np.random.default_rng(seed)
    known = [*list(table.index)[3:], "unseen"]
    return [[known[i] for i in rng.integers(0, len(known), n)] for n in rng.integers(0, 9, num)]


@pytest.mark.parametrize("order", [1, 2, 3, 4, 5])
def test_scores_are_those_of_kenlm(order: int, tmp_path: Path, kenlm: ModuleType) -> None:
    model = random_model(order, max(order, 2))
    if order == 1:
        model = NgramModel(
            1, model.words, model.ngrams[:1], model.log_probability[:1],
            (np.zeros(len(model.words), np.float32),),
        )  # fmt: skip
        table, naive = NgramTable.from_model(model), DictionaryModel(model)
        for line in lines(1, table):
            ids = table.encode(line)
            np.testing.assert_allclose(table.score(ids), naive.sentence([*ids.tolist(), 2]))
        return  # KenLM has no unigram models
    model.save(tmp_path / "model.arpa")
    other = kenlm.Model(str(tmp_path / "model.arpa"))
    table = NgramTable.from_model(NgramModel.load(tmp_path / "model.arpa"))
    for line in lines(order, table):
        theirs = np.array([score for score, _, _ in other.full_scores(" ".join(line))])
        ours = table.score(table.encode(line))
        np.testing.assert_array_equal(ours, table.score(line))
        np.testing.assert_array_equal(ours, table.score(" ".join(line)))
        np.testing.assert_allclose(ours, theirs * np.log(10.0), atol=1e-5, rtol=0)
        assert ours.sum() == pytest.approx(
            other.score(" ".join(line)) * np.log(10.0), abs=1e-5 * (len(line) + 1)
        )


@pytest.mark.parametrize("name", ["parliament.3", "medical.3", "medical.5"])
def test_scores_of_real_models_are_those_of_kenlm(name: str, kenlm: ModuleType) -> None:
    path, text = DATA / f"{name}.arpa.gz", DATA / "heldout.en.gz"
    if not (path.exists() and text.exists()):
        pytest.skip(f"no {path}; set ISOGLOSS_DATA")
    table, other = NgramTable.from_model(NgramModel.load(path)), kenlm.Model(str(path))
    with gzip.open(text, "rt", encoding="utf-8") as file:
        for line in file:
            theirs = np.array([score for score, _, _ in other.full_scores(line.strip())])
            ours = table.score(table.encode(line.split()))
            np.testing.assert_allclose(ours, theirs * np.log(10.0), atol=1e-5, rtol=0)


@settings(deadline=None, max_examples=60)
@given(st.integers(0, 10**6), st.integers(2, 4), st.sampled_from([0.0, 0.5]))
def test_models_with_holes_score_as_the_dictionary_does(seed: int, order: int, drop: float) -> None:
    model = random_model(seed, order, closed=False, drop=drop)
    table, naive = NgramTable.from_model(model), DictionaryModel(model)
    for line in lines(seed, table, 10):
        ids = table.encode(line)
        np.testing.assert_allclose(
            table.score(ids), naive.sentence([*ids.tolist(), 2]), rtol=1e-6, atol=1e-6
        )


@settings(deadline=None, max_examples=30)
@given(st.integers(0, 10**6), st.integers(2, 4), st.booleans())
def test_context_is_the_longest_suffix_that_matters(seed: int, order: int, closed: bool) -> None:
    model = random_model(seed, order, closed=closed, drop=0.5)
    table, naive = NgramTable.from_model(model), DictionaryModel(model)
    arrays = table.arrays
    for line in lines(seed, table, 10):
        contexts = np.full((2, order - 1), PAD, np.int32)
        states = States(contexts, np.zeros((2, order - 1), np.float32))
        start_context(arrays, states, 0)
        ids = table.encode(line).tolist()
        for position, word in enumerate(ids):
            old, new = position % 2, 1 - position % 2
            score_word(arrays, 0, states, old, word, states, new)
            history = (1, *ids[: position + 1])
            suffixes = [history[len(history) - k :] for k in range(1, order)]
            longest = max((s for s in suffixes if naive.matters(s)), key=len, default=())
            kept = tuple(contexts[new][contexts[new] != PAD].tolist())[::-1]
            # a suffix added to fill a hole may be kept without need, nothing needed is dropped
            assert kept == longest if closed else kept[len(kept) - len(longest) :] == longest


@settings(deadline=None, max_examples=30)
@given(st.integers(0, 10**6), st.integers(1, 4))
def test_bounds_hold(seed: int, order: int) -> None:
    model = random_model(seed, max(order, 2))
    check_bounds(NgramTable.from_model(model), DictionaryModel(model), seed)


def check_bounds(table: NgramTable, naive: DictionaryModel, seed: int) -> None:
    """No history gives a word more than the bound for what is known of it."""
    rng, num_words = np.random.default_rng(seed), len(table.index)
    for _ in range(30):
        history = tuple(rng.integers(0, num_words, 6).tolist())
        known = int(rng.integers(0, min(5, table.order)))
        word = int(rng.integers(0, num_words))
        contexts = np.full((2, table.order - 1), PAD, np.int32)
        states = States(contexts, np.zeros((2, table.order - 1), np.float32))
        arrays = table.arrays
        for position in range(known):
            copy_state(states, 0, states, 1)
            score_word(arrays, 0, states, 1, history[6 - known + position], states, 0)
        bound = bound_word(arrays, 0, states, 0, word)
        assert naive.word(history, word) <= bound + 1e-6
        assert naive.word(history, word) <= arrays.unigram_bound[word] + 1e-6


def test_encode_and_layout() -> None:
    table = NgramTable.from_model(random_model(3, 3))
    encoded = table.encode(["w2", "nobody", "</s>"])
    assert encoded.dtype == np.int32
    assert encoded.tolist() == [table.index["w2"], 0, 2]
    assert table.encode([]).tolist() == []
    capacity = len(table.arrays.keys)
    assert capacity & (capacity - 1) == 0
    assert np.count_nonzero(table.arrays.keys) <= capacity / 2
    assert table.arrays.unigrams[0, 1] == NO_EXTENSION


def test_an_ngram_that_occurs_twice_is_an_error() -> None:
    model = random_model(4, 2)
    again = np.concatenate([model.ngrams[1], model.ngrams[1][:1]])
    probability = np.concatenate([model.log_probability[1], model.log_probability[1][:1]])
    twice = NgramModel(
        2, model.words, (model.ngrams[0], again), (model.log_probability[0], probability),
        (model.log_backoff[0], np.zeros(len(again), np.float32)),
    )  # fmt: skip
    with pytest.raises(DataError, match="2-gram occurs twice"):
        NgramTable.from_model(twice)


def test_joined_models_score_as_each_alone() -> None:
    tables = [NgramTable.from_model(random_model(seed, order)) for seed, order in [(1, 2), (2, 4)]]
    arrays = LanguageModels.join([*tables, tables[0]]).arrays
    assert arrays.width == 3
    words = np.stack([table.encode(lines(7, table)[0]) for table in [*tables, tables[0]]])
    states = empty_states(arrays, 2)
    start_context(arrays, states, 0)
    found = np.array(
        [
            [score_word(arrays, k, states, j % 2, words[k, j], states, 1 - j % 2) for k in range(3)]
            for j in range(words.shape[1])
        ]
    )
    for k, table in enumerate([*tables, tables[0]]):
        np.testing.assert_array_equal(found[:, k], table.score(words[k])[:-1])


def test_a_single_model_is_not_copied() -> None:
    table = NgramTable.from_model(random_model(1, 2))
    assert LanguageModels.join([table]).arrays is table.arrays
    np.testing.assert_array_equal(
        LanguageModels.join([table]).encode(["w1"]), [[table.index["w1"]]]
    )
