"""Our estimates beside those of KenLM's own estimator on two domains of real text."""

import gzip
import os
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from numpy.typing import NDArray

from isogloss.align.language_model.estimation import estimate_language_model
from isogloss.align.language_model.ngrams import NgramModel
from isogloss.align.language_model.scoring import LanguageModel, query_lines
from isogloss.align.language_model.word_scoring import WordScorer
from isogloss.align.text.corpus import Corpus

pytestmark = pytest.mark.usefixtures("kenlm")

MODELS = [("medical", 3), ("medical", 5), ("parliament", 3)]
LN_10 = np.log(10.0)


class Models(NamedTuple):
    ours: NgramModel
    theirs: NgramModel
    file: Path  # theirs
    scores: NDArray[np.float64]  # log10 of the held-out lines, by KenLM


def folder() -> Path:
    default = Path(__file__).resolve().parents[2].parent / "shared" / "data"
    path = Path(os.environ.get("ISOGLOSS_DATA", default)) / "lm"
    if not path.is_dir():
        pytest.skip(f"no data in {path}; set ISOGLOSS_DATA")
    return path


def lines(path: Path) -> list[str]:
    with gzip.open(path, "rt", encoding="utf-8", newline="\n") as stream:
        return [line.rstrip("\n") for line in stream]


@pytest.fixture(scope="module", params=MODELS, ids=lambda model: f"{model[0]}.{model[1]}")
def models(request: pytest.FixtureRequest) -> Models:
    name, order = request.param
    text = [line.split(" ") for line in lines(folder() / f"{name}.en.gz")]
    ours = estimate_language_model(
        Corpus.from_sentences(text), order
    )  # a fallback warning would be an error
    file = folder() / f"{name}.{order}.arpa.gz"
    scores = [
        float(line.split()[1])
        for line in lines(folder() / f"{name}.{order}.heldout-scores.gz")
        if line.startswith("Total:")
    ]
    return Models(ours, NgramModel.load(file), file, np.array(scores))


def test_every_ngram_agrees(models: Models) -> None:
    ours, theirs = models.ours, models.theirs
    assert sorted(ours.words) == sorted(theirs.words)
    number = {word: k for k, word in enumerate(ours.words)}
    renumber = np.array([number[word] for word in theirs.words], np.int32)
    for k in range(ours.order):
        ngrams = renumber[theirs.ngrams[k]]
        order = np.lexsort(ngrams.T[::-1])  # ours are sorted already
        np.testing.assert_array_equal(ours.ngrams[k], ngrams[order])
        for name in ("log_probability", "log_backoff"):
            values, expected = getattr(ours, name)[k], getattr(theirs, name)[k][order]
            np.testing.assert_allclose(values, expected, rtol=0, atol=1e-6)


def test_held_out_scores_agree(models: Models) -> None:
    scores = models.scores
    heldout = lines(folder() / "heldout.en.gz")
    loaded = LanguageModel.from_ngrams(models.ours)
    corpus = Corpus.from_sentences([line.split() for line in heldout])
    np.testing.assert_allclose(loaded.score(heldout) / LN_10, scores, rtol=0, atol=1e-4)
    by_lines = loaded.score_lines(query_lines(corpus)) / LN_10
    np.testing.assert_allclose(by_lines, scores, rtol=0, atol=1e-4)
    np.testing.assert_array_equal(WordScorer(models.ours).score(corpus) / LN_10, by_lines)


def test_kenlms_file_survives_a_round_trip(models: Models, tmp_path: Path) -> None:
    theirs = models.theirs
    theirs.save(tmp_path / "model.arpa")
    again = NgramModel.load(tmp_path / "model.arpa")
    assert again.words == theirs.words
    for name in ("ngrams", "log_probability", "log_backoff"):
        for values, other in zip(getattr(theirs, name), getattr(again, name), strict=True):
            np.testing.assert_array_equal(values, other)


def test_kenlm_reads_its_own_compressed_file(models: Models) -> None:
    loaded = LanguageModel(models.file)
    assert loaded.order == models.theirs.order
    scores = loaded.score(lines(folder() / "heldout.en.gz")) / LN_10
    np.testing.assert_allclose(scores, models.scores, rtol=0, atol=1e-4)
