"""Language models that stay in their files until they are asked for."""

import itertools
import sys
import zlib
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from isogloss.align import AlignerOptions, Bitext, DataError, UsageError, train
from isogloss.align.files.held_file import HeldFile
from isogloss.align.language_model.domain_models import DomainLanguageModels
from isogloss.align.language_model.estimation import estimate_language_model
from isogloss.align.language_model.ngrams import NgramModel
from isogloss.align.language_model.scoring import LanguageModel, kenlm_module, query_lines
from isogloss.align.language_model.stored_ngrams import StoredNgrams, arpa_files, write_ngrams
from isogloss.align.model.model import AlignmentModel
from isogloss.align.text.corpus import Corpus

# so small a text gives no discounts in closed form, and so few seeds tell no domain apart
pytestmark = pytest.mark.filterwarnings("ignore::isogloss.align.errors.DataWarning")
TEXT = Corpus.from_sentences([[f"w{(k * k) % 11}" for k in range(n, n + 6)] for n in range(200)])
NO_KENLM = "KenLM is not installed or cannot be loaded; run pip install camel-kenlm"


def checksum(path: Path) -> str:
    return f"{zlib.crc32(path.read_bytes()):08x}"


@pytest.fixture(params=[1, 3])
def stored(request: pytest.FixtureRequest, tmp_path: Path) -> StoredNgrams:
    paths = []
    for number in range(3):
        paths.append(tmp_path / f"{number}.arpa")
        text = TEXT.select(np.arange(number, 200, 2))
        estimate_language_model(text, request.param).save(paths[-1])
    files = tuple(map(HeldFile, paths))
    return StoredNgrams(files, tuple(map(checksum, paths)), request.param)


def same(first: NgramModel, second: NgramModel) -> bool:
    pairs = zip(first.log_probability, second.log_probability, strict=True)
    return first.words == second.words and all((a == b).all() for a, b in pairs)


def test_a_file_per_domain(stored: StoredNgrams, tmp_path: Path) -> None:
    write_ngrams(stored[:2], tmp_path, "source")
    paths = arpa_files(tmp_path, "source", 2)
    assert ["source.0.arpa", "source.1.arpa"] == [path.name for path in paths]
    for before, path in zip(stored.files[:2], paths, strict=True):
        assert before.path.read_bytes() == path.read_bytes()


def test_they_are_what_the_files_hold(stored: StoredNgrams) -> None:
    every = [NgramModel.load(file.path) for file in stored.files]
    assert len(stored) == 3
    assert all(itertools.starmap(same, zip(stored, every, strict=True)))
    assert stored[0] is stored[0]
    assert stored[-1] is stored[2]
    assert all(itertools.starmap(same, zip(stored[1:], every[1:], strict=True)))
    with pytest.raises(IndexError):
        stored[3]
    some = stored.select([2, 0])
    assert same(some[0], every[2])
    assert same(some[1], every[0])


def test_scores_are_those_of_the_models_read(stored: StoredNgrams) -> None:
    for number in range(3):
        expected = LanguageModel.from_ngrams(stored[number]).score_lines(query_lines(TEXT))
        loaded = stored.load(number)
        np.testing.assert_array_equal(loaded.score_lines(query_lines(TEXT)), expected)


def test_scores_are_the_same_without_kenlm(
    stored: StoredNgrams, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = Corpus.from_sentences([["w3", "w0", "new"], [], ["w1", "w1", "w9", "<s>", "w5"]])
    bitext = Bitext.unlabeled(other, other)
    loads = []
    monkeypatch.setattr(StoredNgrams, "load", lambda self, domain: loads.append(domain))
    monkeypatch.setattr("isogloss.align.language_model.domain_models.kenlm_module", lambda: None)
    without = DomainLanguageModels(stored, stored).score(bitext)
    assert loads == []
    monkeypatch.undo()
    np.testing.assert_array_equal(without, DomainLanguageModels(stored, stored).score(bitext))


@pytest.fixture
def kenlm_is_sought() -> Iterator[None]:
    """What is known of the module is forgotten, before and after."""
    kenlm_module.cache_clear()
    yield
    kenlm_module.cache_clear()


@pytest.mark.usefixtures("kenlm_is_sought")
@pytest.mark.parametrize("module", [None, ModuleType("kenlm")])
def test_a_model_of_kenlm_without_kenlm(
    stored: StoredNgrams, monkeypatch: pytest.MonkeyPatch, module: ModuleType | None
) -> None:
    """Where none can be imported, or another module of that name."""
    monkeypatch.setitem(sys.modules, "kenlm", module)
    with pytest.raises(UsageError, match=NO_KENLM):
        stored.load(0)


@pytest.mark.usefixtures("kenlm_is_sought")
def test_a_module_that_cannot_be_loaded(
    stored: StoredNgrams, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "kenlm.py").write_text("raise SystemError('initialization failed')\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "kenlm", raising=False)
    with pytest.raises(UsageError, match=NO_KENLM):
        stored.load(0)


def test_a_file_that_has_changed(stored: StoredNgrams) -> None:
    path = stored.files[1].path
    path.write_bytes(path.read_bytes() + b"\n")
    for ask in (lambda: stored[1], lambda: stored.load(1)):
        with pytest.raises(DataError, match=r"1\.arpa: .*has changed since the model was opened"):
            ask()
    assert stored.load(0) is not None


def test_a_file_that_was_replaced_or_removed_is_read_as_it_was(stored: StoredNgrams) -> None:
    expected = [NgramModel.load(file.path) for file in stored.files]
    other = stored.files[0].path.with_name("other")
    other.write_text("of another model")
    other.replace(stored.files[0].path)
    stored.files[1].path.unlink()
    assert same(stored[0], expected[0])
    assert same(stored[1], expected[1])
    for number in (0, 1):
        scores = LanguageModel.from_ngrams(expected[number]).score_lines(query_lines(TEXT))
        loaded = stored.load(number)
        np.testing.assert_array_equal(loaded.score_lines(query_lines(TEXT)), scores)


def test_a_file_that_can_not_be_read(stored: StoredNgrams, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(path: Path) -> str:
        raise OSError(5, "Input/output error")

    monkeypatch.setattr("isogloss.align.language_model.stored_ngrams.checksum", refused)
    with pytest.raises(DataError, match=r"\(Input/output error\).*Open the model again"):
        stored.load(1)


@pytest.mark.parametrize("order", [1, 2])
def test_a_model_with_domains_is_the_same_after_opening(order: int, tmp_path: Path) -> None:
    words = [[f"{side}{(n * k) % 9}" for k in range(1, 6)] for n in range(150) for side in "x"]
    corpus = Corpus.from_sentences(words)
    labels = np.where(np.arange(150) % 2, -1, np.arange(150) % 3 % 2).astype(np.int16)
    bitext = Bitext(corpus, corpus, labels, ("law", "med"))
    options = AlignerOptions(hmm_iterations=1, language_model_order=order)
    model = train(bitext, options=options)
    model.save(tmp_path / "m")
    opened = AlignmentModel.load(tmp_path / "m")
    assert isinstance(opened.language_models.source, StoredNgrams)
    np.testing.assert_array_equal(opened.domain_posteriors(bitext), model.domain_posteriors(bitext))
    expected, actual = (
        either.restricted(["law"]).domain_posteriors(bitext) for either in (model, opened)
    )
    np.testing.assert_array_equal(actual, expected)
    opened.save(tmp_path / "again")
    for path in (tmp_path / "m").iterdir():
        assert path.read_bytes() == (tmp_path / "again" / path.name).read_bytes()
