"""A decoder's models in a folder: the same translations, and what is damaged is an error."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from isogloss.align.errors import ModelError, UsageError
from isogloss.features.extraction.reordering import ReorderingModel
from isogloss.features.table.phrase_table import PhraseTable
from isogloss.tune.decoder.language_model import NgramTable
from isogloss.tune.decoder.model import Decoder
from isogloss.tune.decoder.reordering import ReorderingTable
from isogloss.tune.decoder.stored_models import DecoderModels, open_models, save_models
from tests.naive.tampering import tamper
from tests.unit.tune.decoder.test_language_model import random_model

RULES = (
    "a ||| x ||| 0.5 0.25 0.5 0.5 ||| 0-0 ||| 2 3 1 ||| s_1 2\n"
    "a b ||| y é ||| 0.25 0.5 0.25 0.5 ||| 0-1 1-0 ||| 2 3 1\n"
    "b ||| y z ||| 0.5 0.5 0.5 0.125 ||| 0-0 0-1 ||| 2 3 1 ||| s_1 1 s_2 -1\n"
)
ORDER = "a ||| x ||| 0.5 0.25 0.25\nb ||| y z ||| 0.25 0.5 0.25\n"


def _language_models() -> list[NgramTable]:
    return [NgramTable.from_model(random_model(seed, order)) for seed, order in ((0, 3), (1, 2))]


@pytest.fixture
def models(tmp_path: Path) -> DecoderModels:
    (tmp_path / "table").write_text(RULES, encoding="utf-8")
    (tmp_path / "order").write_text(ORDER)
    table = PhraseTable.load(tmp_path / "table", keep_text=False)
    model = ReorderingModel.parse("msd-backward-fe-collapseff")
    order = ReorderingTable.read(tmp_path / "order", model, table)
    return DecoderModels(table, _language_models(), [order])


@pytest.fixture
def folder(models: DecoderModels, tmp_path: Path) -> Path:
    save_models(models, tmp_path / "saved")
    return tmp_path / "saved"


def translations(models: DecoderModels) -> list[Any]:
    decoder = Decoder(models.table, models.language_models, reordering=models.reordering)
    found = decoder.nbest(["b", "a", "b", "odd", "a"], nbest_size=50)
    texts = [decoder.text(found, k) for k in range(len(found))]
    links = [decoder.links(found, k) for k in range(len(found))]
    return [decoder.space.names, texts, links, found.score.tolist(), found.rows.values.tolist()]


def test_the_same_translations(models: DecoderModels, folder: Path, tmp_path: Path) -> None:
    opened = open_models(folder, verify=True)
    assert translations(opened) == translations(models)
    np.testing.assert_array_equal(opened.table.counts, models.table.counts)  # for lo:min=2
    assert opened.table.counts.max() == 3.0
    save_models(opened, tmp_path / "again")
    for file in folder.iterdir():
        assert file.read_bytes() == (tmp_path / "again" / file.name).read_bytes()


def test_a_folder_that_exists(models: DecoderModels, folder: Path, tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"saved exists; choose another folder or pass `overw"):
        save_models(models, folder)
    save_models(models, folder, overwrite=True)
    with pytest.raises(ModelError, match=r"is not a folder of decoder models: it has no decod"):
        open_models(tmp_path)
    many = DecoderModels(models.table, list(models.language_models) * 65)
    with pytest.raises(UsageError, match=r"a folder can contain at most 64 models of each kind"):
        save_models(many, tmp_path / "many")
    assert not (tmp_path / "many").exists()


def last(value: Any) -> Callable[[np.ndarray], np.ndarray]:
    return lambda array: first(value)(array[::-1])[::-1].copy()


def first(value: Any) -> Callable[[np.ndarray], np.ndarray]:
    def changed(array: np.ndarray) -> np.ndarray:
        array = array.copy()
        array.flat[0] = value
        return array

    return changed


@pytest.mark.parametrize(
    ("name", "change", "message"),
    [
        ("rule_target", first(9), "rule_target are outside 0 to 2"),
        ("rule_source", first(-1), "rule_source are outside 0 to 2"),
        ("rule_source", first(2), "rules must be sorted by source phrase"),
        ("rule_source", lambda array: array.astype(np.int64), "rule_source is int64"),
        ("source__tokens", first(0), "corpus tokens must be ids of its vocabulary, without NULL"),
        ("target__tokens", first(99), "corpus tokens must be ids of its vocabulary, without NULL"),
        ("source__tokens", last(1), "two source phrases are equal"),
        ("target__words", first(32), "target.words contain an empty word or whitespace"),
        ("sparse__names", first(10), "sparse.names contain an empty word or whitespace"),
        ("links__ids", first(255), "links.ids are out of range for their rules"),
        ("links__ids", first(1 << 8), "links.ids are out of range for their rules"),
        ("lm__1__values", first(-2e6), "lm.1.values contains an invalid probability"),
        ("lm__1__bound", first(0.5), "lm.1.bound contains an invalid probability"),
        ("source__offsets", first(1), "source.offsets must start at 0 and end at 4"),
        ("source__words", lambda array: array[:-1], "source.words do not end with a line feed"),
        ("source__words", first(255), "invalid start byte"),
        ("scores", first(np.inf), "scores contains a number that is not finite"),
        ("counts", first(-1.0), "counts are below 0"),
        ("scores", first(-0.5), "scores are below 0"),
        ("links__ids", first(1 << 16), "links.ids are outside 0 to 65535"),
        ("sparse__ids", first(2), "sparse.ids are outside 0 to 1"),
        ("sparse__values", first(np.nan), "sparse.values contains a number that is not finite"),
        ("reordering__0", first(-np.inf), "reordering.0 contains a number that is not finite"),
        ("reordering__0", lambda array: array[:, :2].copy(), "reordering.0 is float32[3, 2]"),
        ("lm__0__keys", lambda array: array[:-1], "lm.0.keys is not a hash table"),
        ("lm__0__keys", lambda array: array | 1, "lm.0.keys is not a hash table"),
        ("lm__0__values", first(np.nan), "lm.0.values contains an invalid probability"),
        ("lm__0__unigrams", first(np.inf), "lm.0.unigrams contains an invalid probability"),
        ("lm__0__words", lambda array: array[6:], "lm.0.words contain a word twice, or lack <unk>"),
    ],
)  # fmt: skip
def test_arrays_that_do_not_fit(
    folder: Path, name: str, change: Callable[[np.ndarray], np.ndarray], message: str
) -> None:
    array = np.load(folder / f"{name.replace('__', '.')}.npy")
    tamper(folder, "decoder.json", **{name: change(array)})
    with pytest.raises(ModelError, match=re.escape(message)):
        open_models(folder)


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("language_models", [33, 2], "the order of a language model must be 1 to 32, got 33"),
        ("scores", ["p(f|e)"] * 4, "feature names must be unique"),
        ("scores", ["d_e", "a", "b", "c"], "dense features must come before sparse"),
        ("version", [1, 0],
         "has format version 1; this program reads 2. Save it again from the text tables: the"),
    ],
)  # fmt: skip
def test_headers_that_do_not_fit(folder: Path, key: str, value: Any, message: str) -> None:
    tamper(folder, "decoder.json", {key: value})
    with pytest.raises(ModelError, match=re.escape(message)):
        open_models(folder)


def test_damage(folder: Path) -> None:
    file = folder / "scores.npy"
    content = file.read_bytes()
    file.write_bytes(content[:-1])
    with pytest.raises(ModelError, match=r"is damaged: scores\.npy .*Save it again from the text"):
        open_models(folder)
    file.write_bytes(content)
    header = folder / "decoder.json"
    header.write_bytes(header.read_bytes().replace(b"isogloss decoder", b"isogloss encoder"))
    with pytest.raises(ModelError, match=r"decoder\.json"):
        open_models(folder)


def test_large_arrays_are_compared_when_asked_for(
    folder: Path, models: DecoderModels, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("isogloss.align.files.stored_folder.LARGE", 0)
    assert translations(open_models(folder)) == translations(models)  # all of them mapped
    scores = np.load(folder / "scores.npy", mmap_mode="r+")
    scores[0, 0] = 0.125
    scores.flush()
    assert open_models(folder).table.scores[0, 0] == 0.125
    with pytest.raises(ModelError, match=r"saved is damaged: scores\.npy"):
        open_models(folder, verify=True)
