"""Model folders under random damage: told of by name, or the answers are the same.

Where a file is not read, or an old folder has no checksums, answers are at least within bounds.
"""

import re
import shutil
from pathlib import Path
from tempfile import TemporaryDirectory
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from isogloss.align.errors import DataError, ModelError
from isogloss.align.model.model import AlignmentModel
from isogloss.align.model.parameters import AlignerOptions
from isogloss.align.model.store import MODEL_FORMAT
from isogloss.align.text.bitext import Bitext
from isogloss.align.text.corpus import Corpus
from isogloss.align.training.train import train
from tests.naive.alignment import random_bitext
from tests.naive.older_models import to_format_2_0

pytestmark = pytest.mark.filterwarnings(
    # words are random
    "ignore:(the seed sample of domain|no second domain):isogloss.align.DataWarning",
    "ignore:(overflow|invalid value|divide by zero):RuntimeWarning",  # figures that make no sense
)

Outcome = tuple[bytes, ...]
OPTIONS = AlignerOptions(
    model1_iterations=1, hmm_iterations=1, jump_classes=0, jump_window=2, language_model_order=2
)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    rng = np.random.default_rng(0)
    bitext = random_bitext(rng, rng.integers(1, 7, (160, 2)).tolist(), num_types=9)
    labels = np.repeat([0, 1, -1], [60, 60, 40]).astype(np.int16)
    folder = tmp_path_factory.mktemp("whole") / "model"
    train(bitext.with_numbered_labels(labels, ("law", "med")), options=OPTIONS).save(folder)
    return folder


def damage(data: st.DataObject, whole: Path, folder: Path) -> str:
    """A copy with one flipped bit, or one file cut short; the name of that file."""
    shutil.copytree(whole, folder)
    path = data.draw(st.sampled_from(sorted(folder.iterdir())), "file")
    content = bytearray(path.read_bytes())
    position = data.draw(st.integers(0, len(content) - 1), "byte")
    if data.draw(st.booleans(), "cut short"):
        del content[position:]
    else:
        content[position] ^= 1 << data.draw(st.integers(0, 7), "bit")
    path.write_bytes(content)
    return path.name


def outcome(folder: Path) -> Outcome | str:
    """What an opened model answers, or the text of its error; any other exception is a failure."""
    try:
        return answers(AlignmentModel.load(folder))
    except (ModelError, DataError) as error:
        return str(error)


@pytest.fixture(scope="module")
def expected(whole: Path) -> Outcome:
    return answers(AlignmentModel.load(whole))


@settings(max_examples=60)
@given(st.data(), st.booleans())
def test_any_damage_is_noticed(whole: Path, data: st.DataObject, verify: bool) -> None:
    """Tables of a small model are read on opening, so verify makes no difference."""
    with TemporaryDirectory() as parent:
        folder = Path(parent) / "model"
        name = damage(data, whole, folder)
        with pytest.raises(ModelError, match=re.escape(name)):
            AlignmentModel.load(folder, verify=verify)


@settings(max_examples=60)
@given(st.data())
def test_damage_of_tables_that_are_not_read_is_found_by_verify(
    whole: Path, expected: Outcome, data: st.DataObject
) -> None:
    """Large tables of word pairs are held against their size and shape only.

    Damage inside them may give other answers, within bounds; any other file is told of by name.
    """
    with TemporaryDirectory() as parent, patch("isogloss.align.files.stored_folder.LARGE", 0):
        folder = Path(parent) / "model"
        name = damage(data, whole, folder)
        result = outcome(folder)
        if isinstance(result, str):
            assert name in result
        elif result != expected:
            assert name in MODEL_FORMAT.unread
        with pytest.raises(ModelError, match=re.escape(name)):
            AlignmentModel.load(folder, verify=True)


@settings(max_examples=60)
@given(st.data())
def test_damage_of_a_folder_without_checksums_stays_in_bounds(
    whole: Path, data: st.DataObject
) -> None:
    """Nothing tells one number of format 2.0 from another; what is noticed names the folder."""
    with TemporaryDirectory() as parent:
        older, folder = Path(parent) / "older", Path(parent) / "model"
        shutil.copytree(whole, older)
        to_format_2_0(older)
        damage(data, older, folder)
        result = outcome(folder)
        if isinstance(result, str):
            assert str(folder) in result


def answers(model: AlignmentModel) -> Outcome:
    """Links and scores of a small text, by everything that reads the tables of word pairs."""
    source, target = ([f"{side}{k}" for k in (3, 1, 8, 5, 99)] for side in "fe")
    bitext = Bitext.unlabeled(
        Corpus.from_sentences([source, source[:1], []], model.source_vocabulary),
        Corpus.from_sentences([target[::-1], target, []], model.target_vocabulary),
    )
    arrays = [model.scores(bitext), model.domain_posteriors(bitext)]
    assert [(3,), (3, len(model.domains))] == [array.shape for array in arrays]
    for combination in ("posterior", "grow-diag-final-and"):
        links = model.align(bitext, heuristic=combination)
        links.check_range(bitext.source.lengths, bitext.target.lengths)
        arrays += [links.source, links.target, links.offsets]
    return tuple(array.tobytes() for array in arrays)
