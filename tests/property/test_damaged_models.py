"""Model folders under random damage: it is noticed, or what comes out is at least in bounds."""

import shutil
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from align.errors import IsoglossError, ModelError
from align.model.model import AlignmentModel
from align.model.parameters import AlignerOptions
from align.model.store import load_model, save_model
from align.model.training import train
from align.text.corpus import Bitext, Corpus
from tests.naive.alignment import random_bitext
from tests.naive.older_models import to_format_2_0

pytestmark = pytest.mark.filterwarnings(
    "ignore:the (seed sample of domain|text shows no second):align.DataWarning",  # words are random
    "ignore:(overflow|invalid value|divide by zero):RuntimeWarning",  # figures that make no sense
)

OPTIONS = AlignerOptions(
    model1_iterations=1, hmm_iterations=1, jump_classes=0, window=2, language_model_order=2
)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    rng = np.random.default_rng(0)
    bitext = random_bitext(rng, rng.integers(1, 7, (160, 2)).tolist(), num_types=9)
    labels = np.repeat([0, 1, -1], [60, 60, 40]).astype(np.int16)
    folder = tmp_path_factory.mktemp("whole") / "model"
    save_model(train(bitext.with_labels(labels, ("law", "med")), OPTIONS), folder)
    return folder


def damage(data: st.DataObject, whole: Path, folder: Path) -> str:
    """A copy with one flipped bit, or one file cut short; the name of that file."""
    shutil.copytree(whole, folder)
    path = data.draw(st.sampled_from(sorted(folder.iterdir())), "file")
    content = bytearray(path.read_bytes())
    place = data.draw(st.integers(0, len(content) - 1), "byte")
    if data.draw(st.booleans(), "cut short"):
        del content[place:]
    else:
        content[place] ^= 1 << data.draw(st.integers(0, 7), "bit")
    path.write_bytes(content)
    return path.name


@settings(max_examples=60)
@given(st.data())
def test_any_damage_is_noticed(whole: Path, data: st.DataObject) -> None:
    with TemporaryDirectory() as place:
        folder = Path(place) / "model"
        name = damage(data, whole, folder)
        with pytest.raises(ModelError, match=name.replace(".", "[.]")):
            load_model(folder, verify=True)


@pytest.mark.parametrize("checksums", [False, True])
@settings(max_examples=30)
@given(st.data())
def test_damage_that_is_not_looked_for_stays_in_bounds(
    whole: Path, checksums: bool, data: st.DataObject
) -> None:
    """Large tables of word pairs are not read on opening, and older folders have no checksums."""
    with (
        TemporaryDirectory() as place,
        patch("align.model.store.LARGE", 0 if checksums else 1 << 20),
    ):
        older = Path(place) / "older"
        shutil.copytree(whole, older)
        if not checksums:
            to_format_2_0(older)
        folder = Path(place) / "model"
        damage(data, older, folder)
        with suppress(IsoglossError):
            apply(load_model(folder))


def apply(model: AlignmentModel) -> None:
    """All that reads the tables of word pairs by their place."""
    source, target = ([f"{side}{k}" for k in (3, 1, 8, 5, 99)] for side in "fe")
    bitext = Bitext.unlabelled(
        Corpus.from_sentences([source, source[:1], []], model.source_vocabulary),
        Corpus.from_sentences([target[::-1], target, []], model.target_vocabulary),
    )
    for combination in ("posterior", "grow-diag-final-and"):
        links = model.align(bitext, combination)
        links.check_range(bitext.source.lengths, bitext.target.lengths)
    assert model.scores(bitext).shape == (3,)
