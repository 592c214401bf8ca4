"""What the benchmark of confidences computes, on a small text and on links made up."""

import importlib
from pathlib import Path

import numpy as np
import pytest

from isogloss.align import AlignerOptions, symmetrize, train
from isogloss.align.links.calibration import LinkCalibration
from isogloss.align.links.gold_links import parse_gold
from tests.naive.alignment import random_bitext

FOLDER = Path(__file__).parents[3] / "benchmarks"
LENGTHS = [(3, 4), (2, 0), (4, 3), (1, 1)]
GOLD = parse_gold(["0-0 1p1", "", "0-0 0p1 3-2", ""])


@pytest.fixture
def module(monkeypatch):
    """Import of a script's module, as it imports its neighbors."""
    monkeypatch.syspath_prepend(str(FOLDER))
    return importlib.import_module


@pytest.fixture
def calibration(module):
    return module("calibration")


def made_up(module, seed: int, *, dev: bool = False, size: int = 4000):
    """Links that are right as often as LinkCalibration(0.5, 0.3) says."""
    mixtures, rng = module("mixtures"), np.random.default_rng(seed)
    posteriors = rng.beta(0.6, 0.4, (2, size))
    right = rng.random(size) < LinkCalibration(0.5, 0.3).confidence(*posteriors)
    links = parse_gold([""] * 200)
    return module("calibration").Sample(
        gold=mixtures.Gold(mixtures.GoldText(f"text{seed}", dev=dev), links),
        posteriors=posteriors,
        given=posteriors.mean(0) >= 0.5,
        possible=right,
        sure=right & (rng.random(size) < 0.5),
        alone=rng.random(size) < 0.3,
        sentence=rng.integers(0, 200, size),
        words=rng.uniform(2, 30, size),
        score=rng.uniform(-9, -1, size),
        rivals=rng.uniform(0, 1, size),
    )


def test_links_of_a_text_and_what_is_known_of_them(module, calibration):
    bitext = random_bitext(np.random.default_rng(4), LENGTHS, num_types=4)
    model = train(bitext, options=AlignerOptions(hmm_iterations=2))
    mixtures = module("mixtures")
    gold = mixtures.Gold(mixtures.GoldText("tiny/test"), GOLD)
    found = calibration.read_sample(model, bitext, gold, 1)
    cells, values = model.link_posteriors(bitext)
    paths = symmetrize(*model.align_directions(bitext), "union")
    scores, place = model.scores(bitext), 0
    for number, (num_source, num_target) in enumerate(LENGTHS):
        own = values[:, cells.offsets[number] : cells.offsets[number + 1]].astype(float)
        own = own.reshape(2, num_source, num_target)
        mean, possible = own.mean(0), GOLD.possible[number]
        for j, i in np.ndindex(num_source, num_target):
            if mean[j, i] < 0.5 and (j, i) not in paths[number]:
                continue
            np.testing.assert_array_equal(found.posteriors[:, place], own[:, j, i])
            others = mean[j].sum() - mean[j, i], mean[:, i].sum() - mean[j, i]
            assert found.rivals[place] == pytest.approx(max(others), rel=1e-6, abs=1e-7)
            assert found.given[place] == (mean[j, i] >= 0.5)
            assert found.possible[place] == ((j, i) in possible)
            assert found.sure[place] == ((j, i) in GOLD.sure[number])
            assert found.alone[place] == all(j != a and i != b for a, b in possible)
            assert found.sentence[place] == number
            assert found.words[place] == pytest.approx((num_source * num_target) ** 0.5, rel=1e-9)
            assert found.score[place] == scores[number]
            place += 1
    assert place == len(found.mean) == len(found.geometric) > 5
    assert 0 < found.possible.sum() < place


def test_a_fit_finds_the_map_that_made_the_links(module, calibration):
    one = made_up(module, 1, size=40_000)
    features = np.stack(calibration.MAPS[calibration.CHOSEN](one), 1)
    np.testing.assert_allclose(calibration.fit(features, one.possible), [0.5, 0.3], atol=0.05)


def test_the_gradient_of_a_fit_is_nothing(module, calibration):
    one, rng = made_up(module, 2), np.random.default_rng(0)
    for name, features in calibration.MAPS.items():
        columns = np.stack(features(one), 1)
        for weights in (None, rng.integers(0, 4, len(one.mean)).astype(float)):
            found = calibration.fit(columns, one.possible, weights)
            left = one.possible - 1 / (1 + np.exp(-columns @ found))
            counts = np.ones(len(left)) if weights is None else weights
            np.testing.assert_allclose(columns.T @ (counts * left), 0.0, atol=1e-5, err_msg=name)


def test_a_row_of_weight_2_is_two_rows(calibration):
    features = np.array([[1.0, 1.0], [2.0, 1.0], [0.5, 1.0], [3.0, 1.0]])
    right = np.array([False, True, True, False])
    twice = [0, 1, 1, 2, 3]
    np.testing.assert_allclose(
        calibration.fit(features, right, np.array([1.0, 2.0, 1.0, 1.0])),
        calibration.fit(features[twice], right[twice]),
        rtol=1e-9,
    )


def test_log_loss_and_expected_error_by_hand(calibration):
    confidence, right = np.array([0.9, 0.8, 0.55, 0.5]), np.array([True, False, True, False])
    wanted = -np.log([0.9, 0.2, 0.55, 0.5]).mean()
    assert calibration.log_loss(confidence, right) == pytest.approx(wanted, rel=1e-12)
    wanted = 100 * (0.1 + 0.8 + 2 * abs(0.525 - 0.5)) / 4
    assert calibration.expected_error(confidence, right) == pytest.approx(wanted, rel=1e-9)


def test_what_is_printed(module, calibration, monkeypatch, capsys, tmp_path):
    samples = [made_up(module, 1, dev=True), made_up(module, 2), made_up(module, 3)]
    monkeypatch.setattr(calibration, "read_samples", lambda options: samples)
    record = calibration.run(calibration.parse([]))
    printed = capsys.readouterr().out
    slope, offset = record["fitted"][0]
    assert slope == pytest.approx(0.5, abs=0.05)
    assert offset == pytest.approx(0.3, abs=0.15)
    assert record["fitted"][1][0] < slope < record["fitted"][2][0]
    assert f"fitted: slope {slope:.3f}" in printed
    assert set(record["maps"]) == {"none", "in use", *calibration.MAPS}
    before, after = (record["maps"][name][0] for name in ("none", calibration.CHOSEN))
    assert after[1] < before[1]  # log-loss
    assert after[2] < 3.0 < before[2]  # calibration error
    assert set(record["texts"]) == {"text1 *", "text2", "text3", "mean of 2 tests"}
    row = record["texts"]["text2"]
    assert row[0] == samples[1].given.sum()
    assert row[1] == pytest.approx(100 * samples[1].possible[samples[1].given].mean(), rel=1e-9)
    tables = record["reliability"]["all tests, links of any combination"]
    assert [sum(one["count"] for one in table) for table in tables] == [8000, 8000]
    assert "  0.90-0.95" in printed


def test_a_kept_model_of_other_options_is_not_used(module, calibration, monkeypatch, tmp_path):
    bitext = random_bitext(np.random.default_rng(4), LENGTHS)
    train(bitext, options=AlignerOptions(hmm_iterations=1)).save(tmp_path / "A")
    mixture = module("mixtures").Mixture(bitext, ("",) * 4, {}, {})
    monkeypatch.setattr(calibration, "read_set_up", lambda data, set_up: mixture)
    monkeypatch.setattr("sys.argv", ["calibration.py", "--models", str(tmp_path), "--threads", "1"])
    with pytest.raises(SystemExit, match=r"calibration\.py: .*/A was trained with other options"):
        calibration.main()


def test_missing_data_are_named(calibration, tmp_path, monkeypatch):
    monkeypatch.setattr("sys.argv", ["calibration.py", "--data", str(tmp_path)])
    with pytest.raises(SystemExit, match=r"calibration\.py: .*hetero\.index\.tsv\.gz"):
        calibration.main()


def test_wrong_arguments(calibration, capsys):
    with pytest.raises(SystemExit, match="2"):
        calibration.parse(["--threads", "0"])
    assert "--threads 0; expected at least 1" in capsys.readouterr().err
