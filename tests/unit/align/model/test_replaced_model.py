"""A model that is in use goes on as it was when its folder is replaced or removed."""

from pathlib import Path
from shutil import rmtree

import numpy as np
import pytest

from isogloss.align import AlignerOptions, Bitext, train
from isogloss.align.model.model import AlignmentModel
from isogloss.align.text.corpus import Corpus

# so few seeds tell no domain apart
pytestmark = pytest.mark.filterwarnings("ignore::isogloss.align.errors.DataWarning")
OPTIONS = AlignerOptions(model1_iterations=1, hmm_iterations=1, language_model_order=2)


def trained(seed: int) -> tuple[Bitext, AlignmentModel]:
    rng = np.random.default_rng(seed)
    sides = [
        Corpus.from_sentences([[f"{side}{k}" for k in row] for row in rng.integers(0, 9, (90, 5))])
        for side in "fe"
    ]
    labels = np.where(np.arange(90) % 2, -1, np.arange(90) % 3 % 2).astype(np.int16)
    bitext = Bitext(*sides, labels, ("law", "med"))
    return bitext, train(bitext, options=OPTIONS)


@pytest.mark.parametrize("large", [0, 1 << 20])
@pytest.mark.parametrize("removed", [False, True])
def test_it_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, large: int, removed: bool
) -> None:
    monkeypatch.setattr("isogloss.align.files.stored_folder.LARGE", large)
    bitext, model = trained(1)
    expected = model.domain_posteriors(bitext), model.align(bitext).keys()
    model.save(tmp_path / "m")
    opened = AlignmentModel.load(tmp_path / "m")
    if removed:
        rmtree(tmp_path / "m")
    else:
        trained(2)[1].save(tmp_path / "m", overwrite=True)
    np.testing.assert_array_equal(opened.domain_posteriors(bitext), expected[0])
    np.testing.assert_array_equal(opened.align(bitext).keys(), expected[1])
    opened.save(tmp_path / "again")
    model.save(tmp_path / "expected")
    for path in (tmp_path / "expected").iterdir():
        assert path.read_bytes() == (tmp_path / "again" / path.name).read_bytes()
