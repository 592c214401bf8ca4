"""Models that are saved come back as they were."""

import json
from dataclasses import asdict, replace
from pathlib import Path
from shutil import copytree

import numpy as np
import pytest

from isogloss.align.errors import ModelError
from isogloss.align.model.cooccurrence import build_pair_index
from isogloss.align.model.model import AlignmentModel
from isogloss.align.model.parameters import AlignerOptions
from isogloss.align.model.store import with_former_names
from isogloss.align.text.bitext import Bitext
from isogloss.align.text.corpus import Corpus
from isogloss.align.training.em import Trainer
from isogloss.align.training.train import train
from tests.naive.alignment import random_bitext
from tests.naive.expectations import Expectations
from tests.naive.older_models import to_format_2_0
from tests.naive.tampering import tamper

# the labels are random
pytestmark = pytest.mark.filterwarnings(
    "ignore:the seed sample of domain:isogloss.align.DataWarning"
)

OPTIONS = AlignerOptions(model1_iterations=2, hmm_iterations=2, jump_window=3, out_domain_size=20)
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
        shared_iterations=2 if "pruned" in request.param else 0,
    )
    if request.param in ("flat", "pruned"):
        return train(bitext, options=options)
    labels = np.repeat([0, 1, -1], [60, 60, 40]).astype(np.int16)
    return train(bitext.with_numbered_labels(labels, ("law", "med")), options=options)


@pytest.fixture
def saved(model: AlignmentModel, tmp_path: Path) -> Path:
    model.save(tmp_path / "model")
    return tmp_path / "model"


def test_everything_comes_back(model: AlignmentModel, saved: Path) -> None:
    loaded = AlignmentModel.load(saved)
    for part in (
        "domains", "options", "trace", "source_vocabulary", "target_vocabulary",
        "source_form", "target_form",
    ):  # fmt: skip
        assert getattr(model, part) == getattr(loaded, part)
    np.testing.assert_array_equal(loaded.log_prior, model.log_prior)
    for part in ("row_offsets", "columns"):
        np.testing.assert_array_equal(getattr(loaded.index, part), getattr(model.index, part))
    for part in ("lexical", "null_source", "null_target", "jump", "start"):
        actual, expected = getattr(loaded.parameters, part), getattr(model.parameters, part)
        np.testing.assert_array_equal(actual, expected)
        assert expected.dtype == actual.dtype
        assert actual.flags.c_contiguous


def read_again(bitext: Bitext, loaded: AlignmentModel) -> Bitext:
    """The same words over the vocabularies of the loaded model."""
    return Bitext.unlabeled(
        *(
            Corpus.from_sentences([side.words(n) for n in range(len(side))], vocabulary)
            for side, vocabulary in (
                (bitext.source, loaded.source_vocabulary),
                (bitext.target, loaded.target_vocabulary),
            )
        )
    )


@pytest.mark.parametrize("decoding", ["joint", "source", "argmax"])
def test_applying_gives_the_same_links(
    model: AlignmentModel, saved: Path, bitext: Bitext, decoding: str
) -> None:
    loaded = AlignmentModel.load(saved)
    options = model.options.replace(domain_weighting=decoding)
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
    loaded = AlignmentModel.load(saved)
    again = read_again(bitext, loaded)
    for one, other in (
        (loaded.align(again), model.align(bitext)),
        (loaded.align(again, heuristic="grow-diag"), model.align(bitext, heuristic="grow-diag")),
        (
            loaded.with_confidence(again, loaded.align(again, heuristic="union")),
            model.with_confidence(bitext, model.align(bitext, heuristic="union")),
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
@pytest.mark.parametrize("shared_iterations", [2, 1, 8])
@pytest.mark.parametrize("domains", [(), ("law", "med")])
def test_pruning_drops_what_model_1_hardly_counts(
    bitext: Bitext, domains: tuple, shared_iterations: int, hmm_iterations: int
) -> None:
    """When Model 1 ends, or earlier, before the domains part: the last iteration has them."""
    labels = np.repeat([0, 1, -1], [60, 60, 40]).astype(np.int16)
    text = bitext.with_numbered_labels(labels, domains) if domains else bitext
    options = OPTIONS.replace(
        prune=PRUNE,
        shared_iterations=shared_iterations,
        hmm_iterations=hmm_iterations,
        stem_length=0,
    )
    last = min(shared_iterations, 1 + hmm_iterations, 2) if domains else 2
    trainer = Trainer(bitext, options.replace(prune=0.0))
    for number in range(1, last):
        trainer.iterate("model1", number, np.zeros((2, len(bitext), 1)))
    counts = trainer.expect("model1", np.zeros((2, len(bitext), 1))).counts
    kept = (Expectations.of(counts).links[:-1, 0] >= PRUNE).any(1)
    assert 0 < kept.sum() < len(kept)
    index = train(text, options=options).index
    np.testing.assert_array_equal(index.rows, trainer.index.rows[kept])
    np.testing.assert_array_equal(index.columns, trainer.index.columns[kept])


def test_language_models_come_back(model: AlignmentModel, saved: Path) -> None:
    loaded = AlignmentModel.load(saved)
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
    AlignmentModel.load(saved).save(tmp_path / "again")
    for file in saved.iterdir():
        assert file.read_bytes() == (tmp_path / "again" / file.name).read_bytes()
    assert {"model", "again"} == {path.name for path in tmp_path.iterdir()}


def test_lexical_tables_are_memory_mapped_and_the_file_is_safe(
    saved: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where they are large; small ones are read."""
    assert not isinstance(AlignmentModel.load(saved).parameters.lexical.base, np.memmap)
    monkeypatch.setattr("isogloss.align.files.stored_folder.LARGE", 99)
    lexical = AlignmentModel.load(saved).parameters.lexical
    assert isinstance(lexical.base, np.memmap)
    before = (saved / "lexical.npy").read_bytes()
    lexical[0] = 0.5
    assert (saved / "lexical.npy").read_bytes() == before


def test_ngrams_out_of_order_in_an_older_folder(bitext: Bitext, tmp_path: Path) -> None:
    labels = np.repeat([0, 1, -1], [60, 60, 40]).astype(np.int16)
    options = OPTIONS.replace(jump_classes=0)
    train(bitext.with_numbered_labels(labels, ("law", "med")), options=options).save(tmp_path / "m")
    to_format_2_0(tmp_path / "m")
    assert AlignmentModel.load(tmp_path / "m").language_models is not None
    path = tmp_path / "m" / "source.0.arpa"
    lines = path.read_text().split("\n")
    first = lines.index("\\3-grams:") + 1
    lines[first : first + 2] = lines[first + 1], lines[first]
    path.write_text("\n".join(lines))
    with pytest.raises(
        ModelError, match=r"does not match the contents of the folder.*the 3-grams are not sorted"
    ):
        AlignmentModel.load(tmp_path / "m")


@pytest.mark.parametrize("value", [np.nan, np.inf, -0.5, 7.0])
@pytest.mark.parametrize("combination", ["intersection", "grow-diag-final-and", "posterior"])
def test_best_paths_of_tables_that_hold_no_probabilities(
    tmp_path: Path, bitext: Bitext, value: float, combination: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A kernel that looks for the best path would find one among any numbers."""
    folder, text = tmp_path / "model", bitext.select(np.arange(5))
    flat = text.with_numbered_labels(np.full(5, -1, np.int16), ())
    train(flat, options=OPTIONS.replace(jump_classes=0)).save(folder)
    table = np.load(folder / "lexical.npy")
    table[len(table) // 2, 0, 1] = value
    tamper(folder, "model.json", lexical=table)
    monkeypatch.setattr("isogloss.align.files.stored_folder.LARGE", 1)
    model = AlignmentModel.load(folder)
    for use in (
        lambda: model.align(flat, heuristic=combination),
        lambda: model.restricted(["general"]),
    ):
        with pytest.raises(ModelError, match="the lexical tables of the model contain"):
            use()


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_large_tables_that_hold_no_probabilities(
    tmp_path: Path, bitext: Bitext, value: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They are not read when the model is opened; what they lead to is seen."""
    folder = tmp_path / "model"
    train(bitext.select(np.arange(5)), options=OPTIONS.replace(jump_classes=0)).save(folder)
    table = np.load(folder / "lexical.npy")
    table[:-1] = value
    tamper(folder, "model.json", lexical=table)
    monkeypatch.setattr("isogloss.align.files.stored_folder.LARGE", 1)
    model = AlignmentModel.load(folder)
    text = bitext.select(np.arange(5))
    for use in (model.scores, model.log_likelihoods, model.align, lambda text: model.lexicon()):
        with pytest.raises(ModelError, match="the lexical tables of the model contain invalid"):
            use(text)


def test_options_under_their_former_names(saved: Path, tmp_path: Path) -> None:
    """Folders before format 2.3 call the heuristic combination; 2.4 renamed seven more."""
    folder = tmp_path / "older"
    copytree(saved, folder)
    header = json.loads((folder / "model.json").read_text())
    assert header["text"]["source"].keys() == {"lowercase", "tokenised"}
    present = AlignerOptions(**header["options"]).replace(
        heuristic="grow-diag-final", domain_weighting="argmax", out_domain_selection="dissimilar",
        jump_window=3, heldout_every=9,
    )  # fmt: skip
    options = with_former_names(asdict(present))
    assert {name: options[name] for name in options.keys() - header["options"].keys()} == {
        "combination": "grow-diag-final", "decoding_weights": "hard", "window": 3,
        "flat_iterations": present.shared_iterations, "held_out": 9,
        "out_sample": present.out_domain_size, "out_selection": "unlike",
        "unlikely_domain": present.min_domain_posterior,
    }  # fmt: skip
    tamper(folder, "model.json", {"options": options, "version": [2, 2]})
    assert AlignmentModel.load(folder).options == present
    newer = {"options": header["options"] | {"some": 1}, "version": [2, 9]}
    tamper(folder, "model.json", newer)
    assert AlignmentModel.load(folder).options == AlignmentModel.load(saved).options
