"""Training that is stopped goes on to the same result."""

import json
import os
import re
from pathlib import Path

import numpy as np
import pytest

import isogloss.align.files.writers
from isogloss.align import AlignerOptions, Bitext, ModelError, OutputError, train
from isogloss.align.errors import pluralize
from isogloss.align.files.checksums import seal
from isogloss.align.files.parts import part_name
from isogloss.align.text.corpus import Corpus
from isogloss.align.training.checkpoint import (
    CHECKPOINT_FORMAT,
    Checkpoint,
    check_checkpoint_folder,
    fingerprint,
    last_checkpoint,
)
from isogloss.align.training.storage import TrainingStorage
from isogloss.align.training.train import last_posteriors, training_posteriors
from tests.naive.tampering import tamper

HEADER = CHECKPOINT_FORMAT.header
OPTIONS = AlignerOptions(
    model1_iterations=2, hmm_iterations=3, shared_iterations=3, stem_length=1, stem_smoothing=1.0
)


def text(labeled: bool) -> Bitext:
    rng = np.random.default_rng(3)
    words = [
        [f"w{k + 9 * (n % 2)}" for k in rng.integers(0, 9, rng.integers(1, 7))] for n in range(160)
    ]
    bitext = Bitext.unlabeled(
        Corpus.from_sentences(words),
        Corpus.from_sentences([[f"v{word[1:]}" for word in sentence[::-1]] for sentence in words]),
    )
    labels = np.full(160, -1, np.int16)
    labels[:120] = np.arange(120) % 2
    return bitext.with_numbered_labels(labels, ("even", "odd")) if labeled else bitext


def state(folder: Path, bitext: Bitext) -> Checkpoint:
    return Checkpoint(folder / "state", fingerprint(bitext, OPTIONS))


class Stop(Exception):
    pass


def stop_after(monkeypatch: pytest.MonkeyPatch, done: int) -> None:
    save = Checkpoint.save

    def saving(self: Checkpoint, trainer, latent, number: int) -> None:
        save(self, trainer, latent, number)
        if number == done:
            raise Stop

    monkeypatch.setattr(Checkpoint, "save", saving)


@pytest.mark.parametrize("labeled", [False, True])
@pytest.mark.parametrize("done", [1, 3, 4, 5])
def test_a_resumed_training_ends_with_the_same_bytes(tmp_path, monkeypatch, labeled, done):
    bitext = text(labeled)
    expected = train(bitext, options=OPTIONS)
    checkpoint = state(tmp_path, bitext)
    with monkeypatch.context() as patch:
        stop_after(patch, done)
        with pytest.raises(Stop):
            train(bitext, options=OPTIONS, storage=TrainingStorage(checkpoint))
    said: list[str] = []
    actual = train(
        bitext,
        options=OPTIONS,
        storage=TrainingStorage(checkpoint, resume=True),
        report=said.append,
    )
    assert f"resuming after {pluralize(done, 'iteration')}" in said
    assert not any(line.startswith("model1 iteration 1 ") for line in said)
    for name in vars(expected.parameters):
        mine, its = getattr(actual.parameters, name), getattr(expected.parameters, name)
        assert mine.tobytes() == its.tobytes()
    assert actual.log_prior.tobytes() == expected.log_prior.tobytes()
    assert actual.trace == expected.trace
    posterior = expected.domain_posteriors(bitext)
    np.testing.assert_array_equal(actual.domain_posteriors(bitext), posterior)
    for posteriors in (last_posteriors, training_posteriors):
        np.testing.assert_array_equal(posteriors(actual), posteriors(expected))


def test_one_whole_checkpoint_is_kept(tmp_path):
    bitext = text(labeled=False)
    checkpoint = state(tmp_path, bitext)
    assert not checkpoint.exists()
    train(bitext, options=OPTIONS, storage=TrainingStorage(checkpoint))
    assert [path.name for path in checkpoint.folder.iterdir()] == ["iteration-5"]
    assert checkpoint.exists()


def test_the_checkpoint_written_last_counts(tmp_path):
    """A killed program may have left another one, of an earlier training perhaps."""
    for number in (7, 10, 2):
        folder = tmp_path / f"iteration-{number}"
        folder.mkdir()
        (folder / HEADER).write_text("")
    (tmp_path / "iteration-9").mkdir()
    for time, number in enumerate((10, 7, 2)):
        os.utime(tmp_path / f"iteration-{number}" / HEADER, (time, time))
    assert last_checkpoint(tmp_path) == tmp_path / "iteration-2"
    assert last_checkpoint(tmp_path / "none") is None


@pytest.mark.parametrize("inside", ["thesis.tex", "iteration-5/thesis.tex", "after-9/thesis.tex"])
def test_what_a_folder_holds_of_others_is_kept(tmp_path, inside):
    """It is refused before training; where it appears later, it is not removed."""
    bitext = text(labeled=False)
    checkpoint = state(tmp_path, bitext)
    train(bitext, options=OPTIONS, storage=TrainingStorage(checkpoint))
    (checkpoint.folder / part_name("iteration-3", "01234567")).mkdir()
    check_checkpoint_folder(checkpoint.folder)
    foreign = checkpoint.folder / inside
    foreign.parent.mkdir(exist_ok=True)
    foreign.write_text("mine")
    shown = inside.removesuffix("/thesis.tex") if "after" in inside else inside
    with pytest.raises(
        ModelError, match=rf"state contains files that training does not write \({shown}\)"
    ):
        check_checkpoint_folder(checkpoint.folder)
    checkpoint.remove()
    assert foreign.read_text() == "mine"
    assert not (checkpoint.folder / part_name("iteration-3", "01234567")).exists()
    assert foreign.parent != checkpoint.folder or [foreign] == list(checkpoint.folder.iterdir())


def test_a_state_is_removed_with_its_folder(tmp_path, monkeypatch):
    """But never the working folder."""
    bitext = text(labeled=False)
    for place in (tmp_path / "state", tmp_path / "work"):
        checkpoint = Checkpoint(place, fingerprint(bitext, OPTIONS))
        train(bitext, options=OPTIONS, storage=TrainingStorage(checkpoint))
        if place.name == "work":
            monkeypatch.chdir(place)
        assert checkpoint.is_of_this_run()
        checkpoint.remove()
        assert not checkpoint.is_of_this_run()
    assert [tmp_path / "work"] == list(tmp_path.iterdir())
    assert [] == list((tmp_path / "work").iterdir())


def test_a_place_where_no_state_can_be_kept(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(OutputError, match=r"file/checkpoint\.json cannot be written: Not a direc"):
        check_checkpoint_folder(tmp_path / "file")


def test_a_checkpoint_that_is_gone(tmp_path):
    storage = TrainingStorage(state(tmp_path, text(labeled=False)))
    assert storage.checkpoint is not None
    with pytest.raises(ModelError, match=r"state is not a checkpoint: it has no checkpoint\.json"):
        storage.checkpoint.load(None, None)


def test_a_checkpoint_of_an_older_version_is_refused(tmp_path):
    bitext = text(labeled=False)
    checkpoint = state(tmp_path, bitext)
    checkpoint.folder.mkdir()
    header = {"kind": CHECKPOINT_FORMAT.kind, "version": 2, "done": 5}
    (checkpoint.folder / HEADER).write_bytes(seal(header))
    assert checkpoint.exists()
    with pytest.raises(
        ModelError, match=r"format version 2; this program reads 4\. Start again with `resume="
    ):
        train(bitext, options=OPTIONS, storage=TrainingStorage(checkpoint, resume=True))
    train(bitext, options=OPTIONS, storage=TrainingStorage(checkpoint))
    assert last_checkpoint(checkpoint.folder) == checkpoint.folder / "iteration-5"


def test_a_checkpoint_of_something_else_is_refused(tmp_path):
    bitext = text(labeled=False)
    checkpoint = state(tmp_path, bitext)
    train(bitext, options=OPTIONS, storage=TrainingStorage(checkpoint))
    other = OPTIONS.replace(null_probability=0.3)
    mine = Checkpoint(checkpoint.folder, fingerprint(bitext, other))
    with pytest.raises(
        ModelError, match="iteration-5 was written for a different text or different"
    ):
        train(bitext, options=other, storage=TrainingStorage(mine, resume=True))
    assert fingerprint(bitext, OPTIONS) != fingerprint(text(labeled=True), OPTIONS)


@pytest.fixture
def stopped(tmp_path) -> Checkpoint:
    """A checkpoint after the last iteration, with domains."""
    bitext = text(labeled=True)
    checkpoint = state(tmp_path, bitext)
    train(bitext, options=OPTIONS, storage=TrainingStorage(checkpoint))
    return checkpoint


def resume(checkpoint: Checkpoint) -> None:
    train(text(labeled=True), options=OPTIONS, storage=TrainingStorage(checkpoint, resume=True))


def damage(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)


def test_a_flipped_bit_in_any_file_is_an_error(stopped):
    for path in sorted((stopped.folder / "iteration-5").glob("*.[na]*")):
        whole = path.read_bytes()
        damage(path)
        with pytest.raises(
            ModelError, match=rf"{re.escape(path.name)} has changed .*\. Start again with `resume=F"
        ):
            resume(stopped)
        path.write_bytes(whole)
    resume(stopped)


def test_a_truncated_file_is_an_error(stopped):
    table = stopped.folder / "iteration-5" / "lexical.npy"
    data = table.read_bytes()
    table.write_bytes(data[: len(data) // 2])
    with pytest.raises(
        ModelError, match=rf"lexical\.npy has \d+ bytes; it was written with {len(data)}\. Start"
    ):
        resume(stopped)
    for path in table.parent.glob("*.npy"):
        path.unlink()
    with pytest.raises(
        ModelError, match=r"damaged: .*columns\.npy cannot be read .*\. Start again"
    ):
        resume(stopped)


def test_a_damaged_header_is_an_error(stopped):
    header = stopped.folder / "iteration-5" / HEADER
    whole = header.read_text()
    header.write_text(whole.replace('"number": 2', '"number": 3'))
    with pytest.raises(ModelError, match=r"checkpoint\.json has changed .*\. Start again"):
        resume(stopped)
    header.write_text(json.dumps(json.loads(whole) | {"version": 99}))
    with pytest.raises(ModelError, match=r"format version 99; this program reads 4\. Update"):
        resume(stopped)
    header.write_text(whole[:40])
    with pytest.raises(ModelError, match="is damaged"):
        resume(stopped)


@pytest.mark.parametrize("failing", ["lexical", HEADER])
def test_the_earlier_checkpoint_survives_a_full_disk(tmp_path, monkeypatch, failing):
    bitext = text(labeled=False)
    expected = train(bitext, options=OPTIONS)
    checkpoint = state(tmp_path, bitext)
    iterations = iter(range(1, 99))
    write = isogloss.align.files.writers._Output.write

    def full(self, data):
        if failing in str(self._shown) and next(iterations) == 3:
            raise OutputError(self._shown, OSError(28, "No space left on device"))
        return write(self, data)

    with monkeypatch.context() as patch:
        patch.setattr("isogloss.align.files.writers._Output.write", full)
        with pytest.raises(OutputError, match=rf"{failing}.* cannot be written: No space left on"):
            train(bitext, options=OPTIONS, storage=TrainingStorage(checkpoint))
    names = sorted(path.name for path in checkpoint.folder.iterdir())
    assert names == ["iteration-2"]
    actual = train(bitext, options=OPTIONS, storage=TrainingStorage(checkpoint, resume=True))
    assert actual.parameters.lexical.tobytes() == expected.parameters.lexical.tobytes()


def test_nothing_is_left_where_the_first_checkpoint_meets_a_full_disk(tmp_path, monkeypatch):
    def full(array, path):
        raise OutputError(path, OSError(28, "No space left on device"))

    monkeypatch.setattr("isogloss.align.files.stored_folder.write_array", full)
    bitext = text(labeled=False)
    with pytest.raises(
        OutputError, match=r"state/iteration-1/\w+\.npy cannot be written: No space"
    ):
        train(bitext, options=OPTIONS, storage=TrainingStorage(state(tmp_path, bitext)))
    assert list(tmp_path.iterdir()) == []


def damaged(array: np.ndarray, index: tuple, value: float) -> np.ndarray:
    result = array.copy()
    result[index] = value
    return result


@pytest.mark.parametrize(
    ("name", "change", "seen"),
    [
        ("columns", lambda a: damaged(a, (0,), 10**6), "word pairs must be sorted"),
        ("columns", lambda a: a.astype(np.int64), r"expected int32\(162,\), got int64\(162,\)"),
        ("row_offsets", lambda a: damaged(a, (1,), 10**6), "rows of the index must be disjoint"),
        ("lexical", lambda a: a[:-1], r"expected float32\(163, 3, 2\), got float32\(162, 3, 2\)"),
        ("lexical", lambda a: a * np.float32(np.nan), r"weights must be between 0 and 1.01"),
        ("lexical", lambda a: -a, r"weights must be between 0 and 1.*"),
        ("lexical", lambda a: a * 0, "lexical tables must not be all 0"),
        ("source_class", lambda a: damaged(a, (0,), 99), "word classes must be between 0 and 18"),
        ("jump", lambda a: damaged(a, (0, 0, 0, 0), np.nan), "weights must be between 0 and"),
        ("posterior", lambda a: damaged(a, (0, 0), 7.0), "posteriors must sum to 1"),
        ("posterior", lambda a: damaged(a, (0, 0), np.nan), "posterior contains a number that is"),
        ("log_prior", lambda a: a.astype(np.float32), "log_prior is float32"),
        ("sample__0", lambda a: damaged(a, (0,), -1), "sample 0 must contain pairs between 0 and"),
    ],
)
def test_arrays_that_kernels_do_not_take(stopped, name, change, seen):
    folder = last_checkpoint(stopped.folder)
    array = np.load(folder / f"{name.replace('__', '.')}.npy")
    tamper(folder, HEADER, **{name: change(array)})
    with pytest.raises(
        ModelError, match=rf"does not match the contents of the folder .*{seen}.*Start again with"
    ):
        resume(stopped)


@pytest.mark.parametrize("values", [{"done": 99}, {"done": 1}, {"samples": 10**9}], ids=str)
def test_headers_of_other_trainings(stopped, values):
    path = last_checkpoint(stopped.folder) / HEADER
    header = json.loads(path.read_text())
    del header["checksum"]
    path.write_bytes(seal(header | values))
    with pytest.raises(ModelError, match=r"does not match the contents of the folder \("):
        resume(stopped)
