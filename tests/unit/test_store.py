"""Model folders: what is saved is what is loaded, and damage is named."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from align.corpus import Bitext, Corpus
from align.errors import ModelError
from align.model import AlignmentModel, train
from align.parameters import AlignerOptions
from align.store import load_model, prepare_folder, save_model
from tests.naive.alignment import random_bitext

OPTIONS = AlignerOptions(model1_iterations=2, hmm_iterations=2, window=3, out_sample=20)


@pytest.fixture(scope="module")
def bitext() -> Bitext:
    rng = np.random.default_rng(0)
    lengths = rng.integers(1, 9, (160, 2)).tolist()
    return random_bitext(rng, lengths, num_types=12)


@pytest.fixture(scope="module", params=["flat", "domains", "no-language-models"])
def model(request: pytest.FixtureRequest, bitext: Bitext) -> AlignmentModel:
    if request.param == "flat":
        return train(bitext, OPTIONS)
    labels = np.repeat([0, 1, -1], [60, 60, 40]).astype(np.int16)
    order = 0 if request.param == "no-language-models" else 3
    return train(
        bitext.with_labels(labels, ("law", "med")), OPTIONS.replace(language_model_order=order)
    )


@pytest.fixture
def saved(model: AlignmentModel, tmp_path: Path) -> Path:
    save_model(model, tmp_path / "model")
    return tmp_path / "model"


def test_everything_comes_back(model: AlignmentModel, saved: Path) -> None:
    loaded = load_model(saved)
    for part in ("domains", "options", "trace", "source_vocabulary", "target_vocabulary"):
        assert getattr(model, part) == getattr(loaded, part)
    np.testing.assert_array_equal(loaded.log_prior, model.log_prior)
    for part in ("row_offsets", "columns"):
        np.testing.assert_array_equal(getattr(loaded.index, part), getattr(model.index, part))
    for one, other in zip(loaded.directions, model.directions, strict=True):
        for part in ("lexical", "null", "jump", "start"):
            np.testing.assert_array_equal(getattr(one, part), getattr(other, part))
            assert getattr(other, part).dtype == getattr(one, part).dtype


@pytest.mark.parametrize("decoding", ["pair", "side"])
def test_applying_gives_the_same_links(
    model: AlignmentModel, saved: Path, bitext: Bitext, decoding: str
) -> None:
    loaded = load_model(saved)
    options = model.options.replace(decoding_weights=decoding)
    again = Bitext.unlabelled(
        *(
            Corpus.from_sentences([side.words(n) for n in range(len(side))], vocabulary)
            for side, vocabulary in (
                (bitext.source, loaded.source_vocabulary),
                (bitext.target, loaded.target_vocabulary),
            )
        )
    )
    expected = replace(model, options=options).align_directions(bitext)
    actual = replace(loaded, options=options).align_directions(again)
    for one, other in zip(actual, expected, strict=True):
        for part in ("source", "target", "offsets"):
            np.testing.assert_array_equal(getattr(one, part), getattr(other, part))
    np.testing.assert_array_equal(loaded.domain_posteriors(again), model.domain_posteriors(bitext))


def test_language_models_come_back(model: AlignmentModel, saved: Path) -> None:
    loaded = load_model(saved)
    assert (model.language_models is None) == (loaded.language_models is None)
    if model.language_models is None or loaded.language_models is None:
        return
    for side in ("source", "target"):
        pairs = zip(
            getattr(model.language_models, side),
            getattr(loaded.language_models, side),
            strict=True,
        )
        for one, other in pairs:
            assert one.words == other.words
            for part in ("ngrams", "log_probability", "log_backoff"):
                for left, right in zip(getattr(one, part), getattr(other, part), strict=True):
                    np.testing.assert_array_equal(left, right)


def test_a_loaded_model_can_be_saved(saved: Path, tmp_path: Path) -> None:
    save_model(load_model(saved), tmp_path / "again")
    for file in saved.iterdir():
        assert file.read_bytes() == (tmp_path / "again" / file.name).read_bytes()
    assert {"model", "again"} == {path.name for path in tmp_path.iterdir()}


def test_lexical_tables_are_memory_mapped(saved: Path) -> None:
    lexical = load_model(saved).directions[0].lexical
    assert isinstance(lexical.base, np.memmap)
    assert not lexical.flags.writeable


@pytest.fixture(scope="module")
def flat(bitext: Bitext) -> AlignmentModel:
    return train(bitext.select(np.arange(5)), OPTIONS)


@pytest.fixture
def folder(flat: AlignmentModel, tmp_path: Path) -> Path:
    save_model(flat, tmp_path / "model")
    return tmp_path / "model"


def test_an_existing_folder_is_kept(flat: AlignmentModel, folder: Path) -> None:
    (folder / "mine").write_text("x")
    with pytest.raises(ModelError, match="model exists; choose another folder or pass --overwrite"):
        save_model(flat, folder)
    assert (folder / "mine").exists()
    save_model(flat, folder, overwrite=True)
    assert not (folder / "mine").exists()
    assert flat.domains == load_model(folder).domains
    assert [folder] == list(folder.parent.iterdir())


@pytest.mark.parametrize("there_before", [False, True])
def test_no_half_written_folder(
    flat: AlignmentModel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, there_before: bool
) -> None:
    folder = tmp_path / "model"
    if there_before:
        save_model(flat, folder)
    count = iter(range(100))

    def fail(path: Path, array: np.ndarray) -> None:
        path.write_bytes(b"half")
        if next(count) == 3:
            raise OSError("disk full")

    monkeypatch.setattr("align.store.np.save", fail)
    with pytest.raises(OSError, match="disk full"):
        save_model(flat, folder, overwrite=True)
    monkeypatch.undo()
    assert ([folder] if there_before else []) == list(tmp_path.iterdir())
    if there_before:
        assert flat.domains == load_model(folder).domains


def test_a_prepared_folder_is_empty(tmp_path: Path) -> None:
    part = prepare_folder(tmp_path / "deep" / "model")
    (part / "rest").write_text("of a killed run")
    assert part == prepare_folder(tmp_path / "deep" / "model")
    assert list(part.iterdir()) == []


def change_header(folder: Path, **changes: object) -> None:
    path = folder / "model.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | changes))


def test_no_header(folder: Path) -> None:
    (folder / "model.json").unlink()
    with pytest.raises(ModelError, match=r"model is no model folder: it has no model\.json"):
        load_model(folder)


def test_no_folder(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="none is no model folder"):
        load_model(tmp_path / "none")


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", '{"kind": 1}', '{"kind": 1, "version": []}'])
def test_a_damaged_header(folder: Path, text: str) -> None:
    (folder / "model.json").write_text(text)
    with pytest.raises(ModelError, match=r"model\.json is damaged \("):
        load_model(folder)


def test_another_kind(folder: Path) -> None:
    change_header(folder, kind="isogloss phrase model")
    with pytest.raises(
        ModelError, match="is of kind 'isogloss phrase model'; expected 'isogloss alignment model'"
    ):
        load_model(folder)


@pytest.mark.parametrize(
    ("major", "remedy"), [(2, "Update isogloss"), (0, "Train the model again")]
)
def test_another_major_version(folder: Path, major: int, remedy: str) -> None:
    change_header(folder, version=[major, 0])
    with pytest.raises(
        ModelError, match=f"has format version {major}; this program reads 1. {remedy}"
    ):
        load_model(folder)


def test_a_newer_minor_version_is_read(flat: AlignmentModel, folder: Path) -> None:
    change_header(folder, version=[1, 7])
    assert flat.domains == load_model(folder).domains


@pytest.mark.parametrize("size", [0, 20, 140])
def test_a_truncated_array(folder: Path, size: int) -> None:
    path = folder / "s2t.lexical.npy"
    path.write_bytes(path.read_bytes()[:size])
    with pytest.raises(ModelError, match=r"s2t\.lexical\.npy is missing or truncated \("):
        load_model(folder)


def test_a_missing_array(folder: Path) -> None:
    (folder / "index.columns.npy").unlink()
    with pytest.raises(ModelError, match=r"index\.columns\.npy is missing or truncated"):
        load_model(folder)


@pytest.mark.parametrize(
    ("shape", "kind", "seen"),
    [((1, 3), np.float64, r"float64\[1, 3\]"), ((1, 9), np.float32, r"float32\[1, 9\]")],
)
def test_another_shape_or_type(folder: Path, shape: tuple, kind: type, seen: str) -> None:
    np.save(folder / "t2s.jump.npy", np.ones(shape, kind))
    with pytest.raises(
        ModelError, match=rf"t2s\.jump\.npy holds {seen}; the header says float64\[1, 9\]"
    ):
        load_model(folder)


def test_only_a_model_folder_is_overwritten(flat: AlignmentModel, tmp_path: Path) -> None:
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / "thesis.tex").write_text("x")
    with pytest.raises(ModelError, match="work is no model folder"):
        save_model(flat, tmp_path / "work", overwrite=True)
    assert (tmp_path / "work" / "thesis.tex").exists()


@pytest.mark.parametrize(
    "changes",
    [
        {"arrays": {}},
        {"options": {"unheard_of": 1}},
        {"options": {"window": 0}},
        {"trace": [{}]},
        {"version": "1.0"},
        {"language_models": True},
        {"domains": ["law", "out"]},
    ],
    ids=str,
)
def test_a_header_that_does_not_fit(folder: Path, changes: dict) -> None:
    change_header(folder, **changes)
    with pytest.raises(ModelError):
        load_model(folder)
