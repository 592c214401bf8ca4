"""Model folders: what is saved is what is loaded, and damage is named."""

import json
from dataclasses import asdict, replace
from pathlib import Path

import numpy as np
import pytest

from align.cooccurrence import build_pair_index
from align.corpus import Bitext, Corpus
from align.em import Trainer
from align.errors import ModelError
from align.model import AlignmentModel
from align.parameters import AlignerOptions
from align.store import load_model, prepare_folder, save_model
from align.training import train
from tests.naive.alignment import random_bitext

# the labels are random
pytestmark = pytest.mark.filterwarnings("ignore:the seed sample of domain:align.DataWarning")

OPTIONS = AlignerOptions(model1_iterations=2, hmm_iterations=2, window=3, out_sample=20)
PRUNE = 4.0  # of the twelve words on each side some pairs are left


@pytest.fixture(scope="module")
def bitext() -> Bitext:
    rng = np.random.default_rng(0)
    lengths = rng.integers(1, 9, (160, 2)).tolist()
    return random_bitext(rng, lengths, num_types=12)


@pytest.fixture(
    scope="module",
    params=["flat", "pruned", "domains", "pruned domains", "own jumps", "no-language-models"],
)
def model(request: pytest.FixtureRequest, bitext: Bitext) -> AlignmentModel:
    options = OPTIONS.replace(
        prune=PRUNE if "pruned" in request.param else 0.0,
        final_jumps="pruned" in request.param,
        shared_jumps=request.param != "own jumps",
        language_model_order=0 if request.param == "no-language-models" else 3,
        flat_iterations=2 if "pruned" in request.param else 0,
    )
    if request.param in ("flat", "pruned"):
        return train(bitext, options)
    labels = np.repeat([0, 1, -1], [60, 60, 40]).astype(np.int16)
    return train(bitext.with_labels(labels, ("law", "med")), options)


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
    for part in ("lexical", "null_source", "null_target", "jump", "start"):
        one, other = getattr(loaded.parameters, part), getattr(model.parameters, part)
        np.testing.assert_array_equal(one, other)
        assert other.dtype == one.dtype
        assert one.flags.c_contiguous


def read_again(bitext: Bitext, loaded: AlignmentModel) -> Bitext:
    """The same words over the vocabularies of the loaded model."""
    return Bitext.unlabelled(
        *(
            Corpus.from_sentences([side.words(n) for n in range(len(side))], vocabulary)
            for side, vocabulary in (
                (bitext.source, loaded.source_vocabulary),
                (bitext.target, loaded.target_vocabulary),
            )
        )
    )


@pytest.mark.parametrize("decoding", ["pair", "side", "hard"])
def test_applying_gives_the_same_links(
    model: AlignmentModel, saved: Path, bitext: Bitext, decoding: str
) -> None:
    loaded = load_model(saved)
    options = model.options.replace(decoding_weights=decoding)
    again = read_again(bitext, loaded)
    expected = replace(model, options=options).align_directions(bitext)
    actual = replace(loaded, options=options).align_directions(again)
    for one, other in zip(actual, expected, strict=True):
        for part in ("source", "target", "offsets"):
            np.testing.assert_array_equal(getattr(one, part), getattr(other, part))
    np.testing.assert_array_equal(loaded.domain_posteriors(again), model.domain_posteriors(bitext))


def test_applying_gives_the_same_posteriors_and_scores(
    model: AlignmentModel, saved: Path, bitext: Bitext
) -> None:
    loaded = load_model(saved)
    again = read_again(bitext, loaded)
    for one, other in (
        (loaded.align(again), model.align(bitext)),
        (loaded.align(again, "grow-diag"), model.align(bitext, "grow-diag")),
        (
            loaded.with_confidence(again, loaded.align(again, "union")),
            model.with_confidence(bitext, model.align(bitext, "union")),
        ),
    ):
        for part in ("source", "target", "offsets", "probability"):
            np.testing.assert_array_equal(getattr(one, part), getattr(other, part))
    np.testing.assert_array_equal(loaded.scores(again), model.scores(bitext))


def test_the_training_text_has_the_cells_that_training_ended_with(bitext: Bitext) -> None:
    """Pairs of words that were dropped are looked up as pairs never seen."""
    trainer = Trainer(bitext, OPTIONS.replace(prune=PRUNE))
    for number in (1, 2):
        trainer.iterate("model1", number, np.zeros((2, len(bitext), 1)))
    assert len(trainer.index) < len(build_pair_index(bitext)[0])
    cells = trainer.index.cells(bitext)
    np.testing.assert_array_equal(cells.pair_ids, trainer.cells.pair_ids)
    assert (cells.pair_ids == len(trainer.index)).any()
    assert len(trainer.index) + 1 == len(trainer.parameters.lexical)
    assert not trainer.parameters.lexical[-1].any()


@pytest.mark.parametrize("hmm_iterations", [0, 2])
@pytest.mark.parametrize("flat_iterations", [2, 1, 8])
@pytest.mark.parametrize("domains", [(), ("law", "med")])
def test_pruning_drops_what_model_1_hardly_counts(
    bitext: Bitext, domains: tuple, flat_iterations: int, hmm_iterations: int
) -> None:
    """When Model 1 ends, or earlier, before the domains part: the last iteration has them."""
    labels = np.repeat([0, 1, -1], [60, 60, 40]).astype(np.int16)
    text = bitext.with_labels(labels, domains) if domains else bitext
    options = OPTIONS.replace(
        prune=PRUNE, flat_iterations=flat_iterations, hmm_iterations=hmm_iterations, stem_length=0
    )
    last = min(flat_iterations, 1 + hmm_iterations, 2) if domains else 2
    trainer = Trainer(bitext, options.replace(prune=0.0))
    for number in range(1, last):
        trainer.iterate("model1", number, np.zeros((2, len(bitext), 1)))
    counts, _ = trainer.expect(
        "model1", np.zeros((2, len(bitext), 1)), np.zeros((len(bitext), 1))
    )
    kept = (counts.links[:-1, 0] >= PRUNE).any(1)
    assert 0 < kept.sum() < len(kept)
    index = train(text, options).index
    np.testing.assert_array_equal(index.rows, trainer.index.rows[kept])
    np.testing.assert_array_equal(index.columns, trainer.index.columns[kept])


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


def test_lexical_tables_are_memory_mapped_and_the_file_is_safe(saved: Path) -> None:
    lexical = load_model(saved).parameters.lexical
    assert isinstance(lexical.base, np.memmap)
    before = (saved / "lexical.npy").read_bytes()
    lexical[0] = 0.5
    assert (saved / "lexical.npy").read_bytes() == before


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
    ("major", "remedy"), [(3, "Update isogloss"), (1, "Train the model again")]
)
def test_another_major_version(folder: Path, major: int, remedy: str) -> None:
    change_header(folder, version=[major, 0])
    with pytest.raises(
        ModelError, match=f"has format version {major}; this program reads 2. {remedy}"
    ):
        load_model(folder)


def test_a_newer_minor_version_is_read(flat: AlignmentModel, folder: Path) -> None:
    change_header(folder, version=[2, 7])
    assert flat.domains == load_model(folder).domains


def test_options_of_a_newer_minor_version_are_passed_over(
    flat: AlignmentModel, folder: Path
) -> None:
    options = asdict(flat.options) | {"of_tomorrow": 1}
    change_header(folder, version=[2, 7], options=options)
    assert flat.options == load_model(folder).options
    change_header(folder, version=[2, 0], options=options)
    with pytest.raises(ModelError, match=r"does not fit its folder.*of_tomorrow"):
        load_model(folder)


@pytest.mark.parametrize("size", [0, 20, 140])
def test_a_truncated_array(folder: Path, size: int) -> None:
    path = folder / "lexical.npy"
    path.write_bytes(path.read_bytes()[:size])
    with pytest.raises(ModelError, match=r"lexical\.npy is missing or truncated \("):
        load_model(folder)


def test_a_missing_array(folder: Path) -> None:
    (folder / "index.columns.npy").unlink()
    with pytest.raises(ModelError, match=r"index\.columns\.npy is missing or truncated"):
        load_model(folder)


@pytest.mark.parametrize(
    ("shape", "kind", "seen"),
    [
        ((2, 1, 3), np.float64, r"float64\[2, 1, 3\]"),
        ((2, 1, 9), np.float32, r"float32\[2, 1, 9\]"),
    ],
)
def test_another_shape_or_type(folder: Path, shape: tuple, kind: type, seen: str) -> None:
    np.save(folder / "jump.npy", np.ones(shape, kind))
    with pytest.raises(
        ModelError, match=rf"jump\.npy holds {seen}; the header says float64\[2, 1, 9\]"
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
    with pytest.raises(
        ModelError,
        match=r"model\.json does not fit its folder \(|model\.json is damaged \(|0\.arpa",
    ):
        load_model(folder)
