"""tune with many features: bins tied to their neighbors, rare ones, thousands of names."""

import re

import numpy as np
import pytest

from isogloss.tune.weights.weights import Weights
from tests.cli.tuning.word_lists import hypotheses, options, run

BINS = [f"errors_bin{number}:6" for number in range(6)]


@pytest.fixture
def sparse_lists(lists):
    """Each hypothesis has the bin of its errors, and 60 of 6,000 features that tell nothing."""
    rng = np.random.default_rng(2)
    rows = []
    for number, (_, candidates) in enumerate(hypotheses()):
        for words, values in candidates:
            noise = " ".join(f"w_{k}= 1" for k in np.sort(rng.choice(6000, 60, replace=False)))
            shown = f"{BINS[int(values['bad'])]}= 1 {noise}"
            rows.append(f"{number} ||| {' '.join(words)} ||| {shown} ||| 0")
    (lists / "list").write_text("\n".join(rows) + "\n")
    (lists / "start").write_text("")
    return lists


def learned(folder, *more):
    out = folder / "weights"
    run(folder, *options(folder, "--folds", "0", "-o", out, *more))
    return Weights.load(out)


def roughness(weights):
    """How far the weights of bins are from a line, in their spread."""
    values = np.array([weights[name] for name in BINS])
    return np.abs(np.diff(values, 2)).sum() / np.ptp(values)


def test_bins_are_tied_to_their_neighbors(sparse_lists, capsys):
    command = ("--optimizer", "pro", "--l2", "0.01")
    plain = learned(sparse_lists, *command)
    assert re.search(r"training bleu: \S+ -> 100\.00\n", capsys.readouterr().err)
    for neighbors in ("linear", "monotone"):
        tied = learned(
            sparse_lists, *command, "--bin-regularizer", neighbors, "--bin-strength", "1000"
        )
        assert re.search(r"training bleu: \S+ -> 100\.00\n", capsys.readouterr().err)
        assert roughness(tied) < 0.5 * roughness(plain)
        values = [tied[name] for name in BINS]
        assert values == sorted(values, reverse=True)


def test_bins_that_no_hypothesis_has_are_tied_too(sparse_lists, capsys):
    """Without hypotheses of three errors; a run that is gone on with leaves the same bytes."""
    rows = (sparse_lists / "list").read_text().splitlines(keepends=True)
    (sparse_lists / "list").write_text("".join(row for row in rows if BINS[3] not in row))
    command = ("--optimizer", "pro", "--bin-regularizer", "linear", "--bin-strength", "1000",
               "--l2", "0.01", "--out", sparse_lists / "run")  # fmt: skip
    weights = learned(sparse_lists, *command)
    values = [weights[name] for name in BINS]
    assert values == sorted(values, reverse=True)
    assert roughness(weights) < 0.1
    before = (sparse_lists / "weights").read_bytes()
    assert learned(sparse_lists, *command, "--resume") == weights
    assert (sparse_lists / "weights").read_bytes() == before
    assert "run1.final: already done" in capsys.readouterr().err


def test_bins_that_no_hypothesis_has_keep_what_an_earlier_run_learned(sparse_lists, capsys):
    """And minimum risk has weights of them, too, as all optimizers with --bin-regularizer."""
    rows = (sparse_lists / "list").read_text().splitlines(keepends=True)
    (sparse_lists / "list").write_text("".join(row for row in rows if BINS[3] not in row))
    first = {BINS[2]: 0.5, BINS[3]: 0.25, BINS[4]: -1.0}
    (sparse_lists / "start").write_text("".join(f"{n} {w}\n" for n, w in first.items()))
    still = ("--rate", "1e-12", "--l1", "0", "--epochs", "1", "--bin-regularizer", "linear")
    for optimizer in ("adagrad-pro", "risk"):
        again = learned(sparse_lists, "--optimizer", optimizer, *still)
        assert [again[name] for name in BINS[2:5]] == pytest.approx([0.5, 0.25, -1.0], abs=1e-6)
        assert f"{BINS[3]} does not occur" not in capsys.readouterr().err
    (sparse_lists / "start").write_text("")
    tied = learned(
        sparse_lists, "--optimizer", "risk", "--bin-regularizer", "linear", "--rate", "0.2"
    )
    values = [tied[name] for name in BINS]
    assert values[4] < values[3] < values[2]


def test_features_of_few_sentences_are_not_learned(sparse_lists, capsys):
    for count, some_noise in (("1", True), ("12", False)):
        weights = learned(
            sparse_lists, "--optimizer", "adagrad-pro", "--min-feature-count", count, "--l1", "0"
        )
        assert re.search("72 hypotheses, 30.. features", capsys.readouterr().err)
        assert any(weights[name] != 0.0 for name in BINS)
        noise = (name for name in weights.as_dict() if name not in BINS)
        assert any(weights[name] != 0.0 for name in noise) == some_noise
