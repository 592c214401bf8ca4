"""A model that is taught by gold links: better on other sentences, the same wherever it is."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import isogloss as ig
from isogloss.align.errors import DataError, DataWarning, UsageError, WrongTypeError
from tests.naive.tampering import tamper

pytest.importorskip("lightgbm", reason="learning links needs LightGBM")
DATA = Path(__file__).resolve().parents[4] / "data"
PAIRS, TAUGHT = 3000, 100
pytestmark = pytest.mark.filterwarnings("ignore::isogloss.align.errors.DataWarning")


@pytest.fixture(scope="module")
def text() -> ig.Bitext:
    return ig.read_bitext(DATA / "train.en.gz", DATA / "train.es.gz")[:PAIRS]


@pytest.fixture(scope="module")
def gold() -> ig.GoldLinks:
    return ig.read_gold(DATA / "train.en-es.gold.gz")[:PAIRS]


@pytest.fixture(scope="module")
def model(text: ig.Bitext) -> ig.AlignmentModel:
    return ig.train(text, model1_iterations=3, hmm_iterations=2, identical_words=False)


@pytest.fixture(scope="module")
def taught(model: ig.AlignmentModel, text: ig.Bitext, gold: ig.GoldLinks) -> ig.AlignmentModel:
    return model.learn_links(text, gold, rows=range(TAUGHT))


def test_other_sentences_have_better_links(
    model: ig.AlignmentModel, taught: ig.AlignmentModel, text: ig.Bitext, gold: ig.GoldLinks
) -> None:
    others, theirs = text[TAUGHT:], gold[TAUGHT:]
    before = ig.evaluate(model.align(others), theirs).aer
    after = ig.evaluate(taught.align(others), theirs).aer
    assert after < 0.8 * before


def test_the_cross_fitted_error_is_that_of_other_sentences(
    taught: ig.AlignmentModel, text: ig.Bitext, gold: ig.GoldLinks
) -> None:
    """Nothing that a sentence teaches leaks into the judgment of it."""
    others = ig.evaluate(taught.align(text[TAUGHT:]), gold[TAUGHT:]).aer
    assert taught.classifier is not None
    assert taught.classifier.aer == pytest.approx(others, abs=0.01)
    points = taught.classifier.learning_curve.points
    assert [point.sentences for point in points] == [20, 50, TAUGHT]
    assert all(point.low < point.aer < point.high for point in points)


def test_links_have_the_chances_that_chose_them(taught: ig.AlignmentModel, text: ig.Bitext) -> None:
    links = taught.align_posterior(text[TAUGHT:])
    assert taught.classifier is not None
    assert links.probability is not None
    assert links.probability.min() >= np.float32(taught.classifier.threshold)
    fewer = taught.align_posterior(text[TAUGHT:], 0.9)
    assert set(fewer.keys().tolist()) < set(links.keys().tolist())


def test_other_heuristics_are_as_before(
    model: ig.AlignmentModel, taught: ig.AlignmentModel, text: ig.Bitext
) -> None:
    one, other = (each.align(text, heuristic="grow-diag-final") for each in (model, taught))
    assert one == other


def test_a_curve_of_an_older_folder_has_no_intervals(
    taught: ig.AlignmentModel, tmp_path: Path
) -> None:
    """Before format 2.6, the curve is a list of sizes and AER, without the whole sample."""
    taught.save(tmp_path / "m")
    classifier = json.loads((tmp_path / "m" / "model.json").read_text())["classifier"]
    *points, last = classifier["learning_curve"]["points"]
    assert last[:2] == [classifier["num_sentences"], classifier["aer"]]
    classifier["learning_curve"] = [point[:2] for point in points]
    tamper(tmp_path / "m", "model.json", {"classifier": classifier, "version": [2, 5]})
    older, newer = ig.AlignmentModel.load(tmp_path / "m").classifier, taught.classifier
    assert older is not None
    assert newer is not None
    assert older.learning_curve.gain is None
    assert [point[:2] for point in older.learning_curve.points] == [
        point[:2] for point in newer.learning_curve.points
    ]
    assert replace(older, learning_curve=newer.learning_curve) == newer


def test_threads_do_not_matter(
    model: ig.AlignmentModel, taught: ig.AlignmentModel, text: ig.Bitext, gold: ig.GoldLinks
) -> None:
    again = model.learn_links(text[:TAUGHT], gold[:TAUGHT], threads=2)
    assert again.classifier == taught.classifier
    assert again.align(text, threads=2) == taught.align(text)


def test_a_stored_model_aligns_as_before(
    taught: ig.AlignmentModel, text: ig.Bitext, tmp_path: Path
) -> None:
    taught.save(tmp_path / "m")
    loaded = ig.AlignmentModel.load(tmp_path / "m")
    assert loaded.classifier == taught.classifier
    assert loaded.align(text) == taught.align(text)
    pair = text[0]
    links = loaded.align_pair(pair.source, pair.target).links
    assert [link[:2] for link in links] == taught.align(text[:1])[0]


def test_a_loaded_model_is_taught(
    model: ig.AlignmentModel,
    taught: ig.AlignmentModel,
    text: ig.Bitext,
    gold: ig.GoldLinks,
    tmp_path: Path,
) -> None:
    """Its word counts are those of the text that is given."""
    model.save(tmp_path / "m")
    loaded = ig.AlignmentModel.load(tmp_path / "m").learn_links(text, gold, rows=range(TAUGHT))
    assert loaded.classifier is not None
    assert taught.classifier is not None
    assert (loaded.classifier.source_words == taught.classifier.source_words).all()
    others = ig.evaluate(loaded.align(text[TAUGHT:]), gold[TAUGHT:]).aer
    assert others < ig.evaluate(model.align(text[TAUGHT:]), gold[TAUGHT:]).aer


def test_gold_links_that_teach_nothing_are_told(
    model: ig.AlignmentModel, text: ig.Bitext, gold: ig.GoldLinks
) -> None:
    """Links of the model itself can't be chosen better than by the model."""
    own = model.align(text[:100]).unscored()
    with pytest.warns(
        DataWarning, match=r"^100 sentences with gold links don't lower the AER of e"
    ):
        model.learn_links(text[:100], ig.GoldLinks(own, own))


def test_gold_links_of_some_pairs_that_are_a_line_off(
    model: ig.AlignmentModel, text: ig.Bitext, gold: ig.GoldLinks
) -> None:
    """Their own pairs alone can't tell it: those around are looked at."""
    sides = text.source.lengths, text.target.lengths
    is_longer = np.logical_and(*(np.roll(side, 1) >= side for side in sides))  # the pair before
    rows = np.array([row for row in range(1, 2000, 7) if is_longer[row]])
    with pytest.raises(DataError, match=r"match if they are moved 1 line later; a line is probab"):
        model.learn_links(text, gold[rows], rows=rows - 1)


def test_rows_are_numbers_or_a_mask(
    model: ig.AlignmentModel, taught: ig.AlignmentModel, text: ig.Bitext, gold: ig.GoldLinks
) -> None:
    mask = np.arange(PAIRS) < TAUGHT
    assert model.learn_links(text, gold, rows=mask).classifier == taught.classifier
    with pytest.raises(IndexError, match=r"the mask must have 3,?000 values, one for each"):
        model.learn_links(text, gold, rows=mask[1:])
    with pytest.raises(IndexError, match=r"sentence pairs must be numbered between -3000 and 2999"):
        model.learn_links(text, gold, rows=[*range(20), PAIRS])
    with pytest.raises(WrongTypeError, match="sentence pairs must be selected by a number"):
        model.learn_links(text, gold, rows=[0.5])  # type: ignore[list-item]
    with pytest.raises(DataError, match="rows name a sentence pair twice; expected each pair once"):
        model.learn_links(text, gold, rows=[*range(20), -PAIRS])


def test_bad_gold_links(model: ig.AlignmentModel, text: ig.Bitext, gold: ig.GoldLinks) -> None:
    with pytest.raises(
        DataError, match="9 sentence pairs have sure gold links; expected at least 10"
    ):
        model.learn_links(text[:9], gold[:9])
    with pytest.raises(DataError, match="the gold links are of 30 sentence pairs, but the text ha"):
        model.learn_links(text[:40], gold[:30])
    with pytest.raises(DataError, match="out of range"):
        model.learn_links(text[40:140], gold[:100])
    backwards = ig.GoldLinks(*(links.reversed() for links in (gold.sure, gold.possible)))
    with pytest.raises(DataError, match=r"swapped|out of range"):
        model.learn_links(text[:100], backwards[:100])
    nothing = ig.GoldLinks.from_pairs([[]] * 50)
    with pytest.raises(DataError, match="0 sentence pairs have sure gold links"):
        model.learn_links(text[:50], nothing)
    flat = ig.train(text[:300], model1_iterations=1, hmm_iterations=0)
    with pytest.raises(UsageError, match="link posteriors need a model with HMM iterations"):
        flat.learn_links(text[:100], gold[:100])


def test_a_line_that_is_lost_inside_the_gold_links(
    model: ig.AlignmentModel, text: ig.Bitext, gold: ig.GoldLinks
) -> None:
    """Half of them fit, so that all together they only look bad."""
    lines = [sure for sure, _ in gold[np.array([*range(75), *range(76, 151)])]]
    sizes = zip(text.source.lengths.tolist(), text.target.lengths.tolist(), strict=True)
    lost = ig.GoldLinks.from_pairs(
        [
            [(i, j) for i, j in links if i < n and j < m]
            for links, (n, m) in zip(lines, sizes, strict=False)
        ]
    )
    found = r"of the pairs 91 to 120, \d+% of the sure gold links .* match if they are moved 1 line"
    with pytest.raises(DataError, match=found):
        model.learn_links(text, lost, rows=range(150))
