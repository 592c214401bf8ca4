"""Online optimizers on lists."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from isogloss.align.arrays.sparse_rows import Ragged
from isogloss.align.errors import DataError, UsageError
from isogloss.features.space import FeatureSpace, bin_feature_name
from isogloss.tune.examples import Examples
from isogloss.tune.methods import OPTIMIZERS
from isogloss.tune.online.learner import tune_online
from isogloss.tune.online.options import ONLINE_OPTIMIZERS, OnlineOptions
from isogloss.tune.online.state import OnlineState, read_online_state, write_online_state
from isogloss.tune.results import Epoch, TuningResult
from isogloss.tune.weights.weights import Weights
from tests.naive.examples import Mean

OPTIONS = OnlineOptions(epochs=4, batch_size=4, gamma=100, threshold=0.01, l1=0.01)


NAMES = ["good", "bad", "constant", "never", "s_1", "s_2", "s_3"]


def examples(
    names: list[str] = NAMES, *, sign: int = 1, sentences: int = 30, seed: int = 3
) -> Examples:
    """Feature ``good`` rises with the metric, ``bad`` falls; sparse ones are noise."""
    rng = np.random.default_rng(seed)
    rows, truth = [], []
    sizes = rng.integers(1, 9, sentences)
    ids = {name: names.index(name) for name in NAMES}
    for _ in range(sizes.sum()):
        value = rng.random()
        truth.append(value)
        entries = [
            (ids["good"], sign * value + rng.normal(0, 0.1)),
            (ids["bad"], -sign * value + rng.normal(0, 0.1)),
            (ids["constant"], 0.1),
            (ids[f"s_{rng.integers(1, 4)}"], 1.0),
        ]
        rows.append(sorted(entries))
    return Examples(
        np.arange(sentences),
        np.append(0, np.cumsum(sizes)),
        Ragged.from_rows(rows),
        FeatureSpace(names),
        np.stack([np.array(truth), np.ones(len(truth))], axis=1),
        Mean(sign=sign),
    )


VALUES = [0.0, 0.2, 0.5, 0.7, 0.0, 0.0, 0.0]
START = Weights(FeatureSpace(NAMES), np.array(VALUES))


def same(first: TuningResult, other: TuningResult) -> bool:
    return first.weights == other.weights and first.epochs == other.epochs


@pytest.mark.parametrize("name", ONLINE_OPTIMIZERS)
@pytest.mark.parametrize("sign", [1, -1])
def test_every_optimizer_learns_what_is_good(name: str, sign: int) -> None:
    lists = examples(sign=sign)
    rate = ONLINE_OPTIMIZERS[name].rate if name == "arow" else 1.0
    options = replace(ONLINE_OPTIMIZERS[name], epochs=4, batch_size=4, threshold=0.01, rate=rate)
    seen: list[Epoch] = []
    result = tune_online(lists, START, options, np.random.default_rng(1), report=seen.append)
    scores = [sign * epoch.score for epoch in result.epochs]
    oracle = lists.score(np.array([
        max(lists.hypotheses(k), key=lambda row: lists.gains[row]) for k in range(len(lists))
    ]))  # fmt: skip
    assert scores[0] < max(scores)
    assert lists.best_score(result.weights) == pytest.approx(oracle, abs=9.0)
    assert lists.best_score(result.weights) == result.epochs[result.best_epoch].score
    assert scores.index(max(scores)) == result.best_epoch
    assert seen == list(result.epochs)
    assert list(range(5)) == [epoch.number for epoch in seen]
    assert VALUES == START.values.tolist()
    # what is constant or never occurs keeps its weight to the last bit
    assert [0.5, 0.7] == result.weights.values[2:4].tolist()
    assert result.weights.num_active == seen[result.best_epoch].active


@pytest.mark.parametrize("options", [OPTIONS, replace(OPTIONS, staleness=3, average=True)])
def test_threads_change_nothing(options: OnlineOptions) -> None:
    lists = examples()
    results = [
        tune_online(lists, START, options, np.random.default_rng(5), threads=threads)
        for threads in (1, 2, 7)
    ]
    assert same(results[0], results[1])
    assert same(results[0], results[2])


def test_the_seed_decides() -> None:
    lists = examples()
    first, again, other = (
        tune_online(lists, START, OPTIONS, np.random.default_rng(seed)) for seed in (1, 1, 2)
    )
    assert same(first, again)
    assert not same(first, other)


def test_stale_gradients_are_those_of_earlier_weights() -> None:
    """With as much staleness as mini-batches, all gradients of an epoch are the start's."""
    lists = examples()
    options = replace(OPTIONS, epochs=1, loss="risk", update="sgd", l1=0.0, rate=0.5)
    late = tune_online(lists, START, replace(options, staleness=100))
    batch = tune_online(lists, START, replace(options, batch_size=100))
    np.testing.assert_allclose(late.weights.values, batch.weights.values, rtol=1e-12)
    assert late.epochs[1].loss == pytest.approx(batch.epochs[1].loss, rel=1e-12)


def test_held_out_examples_choose_the_epoch() -> None:
    lists, judge = examples(), examples(seed=8, sign=-1)
    judge = replace(judge, metric=lists.metric)  # what is good there is bad here
    result = tune_online(lists, START, OPTIONS, held_out=judge)
    held_out = [epoch.held_out for epoch in result.epochs]
    assert result.epochs[0].score < result.epochs[1].score
    assert 0 == result.best_epoch == held_out.index(max(held_out, key=lambda score: score or 0.0))
    assert VALUES == result.weights.values.tolist()


def test_of_equal_held_out_scores_training_chooses() -> None:
    lists = examples()
    judge = replace(lists, statistics=np.ones_like(lists.statistics))  # whatever is chosen
    result = tune_online(lists, START, OPTIONS, held_out=judge)
    scores = [epoch.score for epoch in result.epochs]
    assert len({epoch.held_out for epoch in result.epochs}) == 1
    assert result.best_epoch == scores.index(max(scores)) > 0


@pytest.mark.parametrize("patience", [1, 2, 4])
def test_patience(patience: int) -> None:
    """Learning ends after so many epochs without a better score; until then nothing is changed."""
    lists = examples()
    options = replace(OPTIONS, epochs=30)
    whole = tune_online(lists, START, options, np.random.default_rng(1))
    states: list[OnlineState] = []
    patient = tune_online(
        lists, START, replace(options, patience=patience), np.random.default_rng(1),
        save=states.append,
    )  # fmt: skip
    scores = [epoch.score for epoch in whole.epochs]
    best, end = 0, len(scores)
    for number, score in enumerate(scores):
        best = number if score > scores[best] else best
        if number - best == patience:
            end = number + 1
            break
    assert patient.epochs == whole.epochs[:end]
    assert patient.best_epoch == best
    for state in states:
        again = tune_online(lists, state, replace(options, patience=patience))
        assert same(again, patient)


def test_the_start_is_returned_where_nothing_is_better() -> None:
    lists = examples()
    lists = replace(lists, statistics=np.ones_like(lists.statistics))  # all hypotheses are equal
    result = tune_online(lists, START, OPTIONS)
    assert 0 == result.best_epoch
    assert VALUES == result.weights.values.tolist()
    assert [0.0] * 5 == [epoch.loss for epoch in result.epochs]


@pytest.mark.parametrize("name", ONLINE_OPTIMIZERS)
def test_one_hypothesis_teaches_nothing(name: str) -> None:
    lists = examples(sentences=3)
    first = lists.rows.select(lists.sentence_offsets[:-1])
    lone = Examples(
        lists.sentences, np.arange(4), first, lists.space,
        lists.statistics[lists.sentence_offsets[:-1]], lists.metric,
    )  # fmt: skip
    result = tune_online(lone, START, replace(ONLINE_OPTIMIZERS[name], epochs=2))
    assert VALUES == result.weights.values.tolist()
    assert 1 == len({epoch.score for epoch in result.epochs})


def test_what_stands_between_the_features_changes_nothing() -> None:
    """Neither more names nor where they stand."""
    wide = ["x", *NAMES[:4], *(f"y_{k}" for k in range(50)), *NAMES[4:], "z_"]
    options = replace(OPTIONS, average=True)
    few = tune_online(examples(), START, options)
    many = tune_online(examples(wide), START, options)
    assert few.weights == many.weights.to_space(few.weights.space)
    assert few.epochs == many.epochs


def test_mapped_lists(tmp_path: Path) -> None:
    lists = examples()
    mapped = []
    for name in ("ids", "values", "offsets"):
        np.save(tmp_path / f"{name}.npy", getattr(lists.rows, name))
        mapped.append(np.load(tmp_path / f"{name}.npy", mmap_mode="r"))
    result = tune_online(replace(lists, rows=Ragged(*mapped)), START, OPTIONS)
    assert same(tune_online(lists, START, OPTIONS), result)


VARIANTS = [
    OPTIONS,
    replace(OPTIONS, average=True, update="sgd", decay=0.1, l2=0.1, staleness=2),
    replace(OPTIONS, min_feature_count=3, loss="ramp", group_rate=("s_=0.1",)),
]


def saved_states(
    lists: Examples, options: OnlineOptions, tmp_path: Path
) -> tuple[TuningResult, list[Path]]:
    paths: list[Path] = []

    def save(state: OnlineState) -> None:
        paths.append(tmp_path / f"{state.epoch}.npz")
        write_online_state(state, lists.space, paths[-1])

    return tune_online(lists, START, options, np.random.default_rng(6), save=save), paths


@pytest.mark.parametrize("options", VARIANTS)
def test_interrupted_tuning_goes_on_to_the_same_bytes(
    options: OnlineOptions, tmp_path: Path
) -> None:
    lists = examples()
    whole, paths = saved_states(lists, options, tmp_path)
    assert [f"{number}.npz" for number in range(5)] == [path.name for path in paths]
    last = paths[-1].read_bytes()
    for path in paths[:-1]:
        state = read_online_state(path, lists.space)
        result, again = saved_states_from(lists, options, state, tmp_path / "again")
        assert same(whole, result)
        assert last == again[-1].read_bytes()


def saved_states_from(
    lists: Examples, options: OnlineOptions, state: OnlineState, folder: Path
) -> tuple[TuningResult, list[Path]]:
    paths: list[Path] = []

    def save(state: OnlineState) -> None:
        paths.append(folder / f"{state.epoch}.npz")
        write_online_state(state, lists.space, paths[-1])

    return tune_online(lists, state, options, save=save), paths


def test_a_state_over_other_names(tmp_path: Path) -> None:
    lists = examples()
    _, paths = saved_states(lists, replace(OPTIONS, average=True), tmp_path)
    before = read_online_state(paths[-1], lists.space)
    names = ["new", "bad", "good", "constant", "never", "s_3", "s_1", "s_2"]
    other = examples(names)
    state = read_online_state(paths[-1], other.space)
    assert (before.time, before.steps, before.key) == (state.time, state.steps, state.key)
    for old, new in ((before.weights, state.weights), (before.squares, state.squares)):
        expected = dict(zip(lists.space, old.tolist(), strict=True))
        assert [expected.get(name, 0.0) for name in names] == new.tolist()
    result = tune_online(other, state, replace(OPTIONS, average=True, epochs=5))
    assert before.epochs == result.epochs[:5]
    assert 6 == len(result.epochs)


def test_a_state_with_averages_goes_on_with_them(tmp_path: Path) -> None:
    lists = examples()
    _, paths = saved_states(lists, OPTIONS, tmp_path)
    state = read_online_state(paths[0], lists.space)
    with pytest.raises(UsageError, match=r"average must be the value in the saved state, got"):
        tune_online(lists, state, replace(OPTIONS, average=True))


def test_weights_that_run_away() -> None:
    lists = examples()
    options = replace(OPTIONS, update="sgd", rate=1e308, l1=0.0, loss="hinge")
    with pytest.raises(DataError, match=r"not finite in epoch 1\. Lower the rate"):
        tune_online(lists, START, options)


# --- bins that are tied to their neighbors

BINS = FeatureSpace(["dense", *(bin_feature_name("p", k, 5) for k in range(5))])


def binned_examples(space: FeatureSpace = BINS) -> Examples:
    """Bins 0, 1, 3 and 4 of five are seen, worth 0, 1, 3 and 4; bin 2 never is."""
    rng = np.random.default_rng(1)
    rows, truth = [], []
    for _ in range(40):
        for k in rng.permutation([0, 1, 3, 4])[:3].tolist():
            rows.append([(space.id(bin_feature_name("p", k, 5)), 1.0)])
            truth.append((k + 0.01 * rng.normal()) / 4)
    gains = np.stack([np.array(truth), np.ones(len(truth))], axis=1)
    offsets = np.arange(0, len(truth) + 1, 3)
    return Examples(np.arange(40), offsets, Ragged.from_rows(rows), space, gains, Mean())


@pytest.mark.parametrize("kind", ["linear", "monotone"])
def test_neighbors_say_what_an_unseen_bin_is_worth(kind: str, tmp_path: Path) -> None:
    """Whether lists name it or not, and after an interruption."""
    options = replace(OPTIONS, rate=0.1, batch_size=1, bin_regularizer=kind, bin_strength=5.0)
    start = Weights.from_dict({"dense": 1.0})
    named = tune_online(binned_examples(), start, options).weights
    weights = [named[bin_feature_name("p", k, 5)] for k in range(5)]
    assert weights == sorted(set(weights))
    lists = binned_examples(FeatureSpace([name for name in BINS if "bin2" not in name]))
    assert tune_online(lists, start, options).weights.as_dict() == named.as_dict()
    for epochs in (2, options.epochs):  # the second goes on after the first
        learner = OPTIMIZERS["adagrad-pro"].learner(replace(options, epochs=epochs))
        rng = np.random.default_rng(1)
        again = learner(lists, start, rng, checkpoint=tmp_path / "state").weights
    assert again.as_dict() == named.as_dict()


@pytest.mark.parametrize("average", [False, True])
def test_an_unseen_bin_stands_where_the_regulariser_is_least(average: bool) -> None:
    """After each epoch, however little it moves in a step."""
    options = replace(
        OPTIONS, epochs=1, update="sgd", rate=0.1, bin_regularizer="linear", bin_strength=0.01
    )
    start = Weights.from_dict({"dense": 1.0})
    weights = tune_online(binned_examples(), start, replace(options, average=average)).weights
    first, second, unseen, fourth, fifth = (weights[bin_feature_name("p", k, 5)] for k in range(5))
    least = (second + fourth - (first + fifth) / 4) / 1.5  # of the sum of (9) over bins 1, 2, 3
    assert unseen == pytest.approx(least, abs=1e-8)
    assert second < unseen < fourth
    held = replace(options, fixed=(bin_feature_name("p", 2, 5),))
    assert tune_online(binned_examples(), start, held).weights[bin_feature_name("p", 2, 5)] == 0.0


def test_bins_that_only_their_neighbors_move_do_not_shrink() -> None:
    """By the default L1: bin 5 of 6 goes on where the others lead, though no list has it."""
    names = [bin_feature_name("p", k, 6) for k in range(6)]
    lists = replace(
        binned_examples(), space=FeatureSpace(["dense", *names[:5]])
    )  # the same features, of six bins
    options = replace(OPTIONS, epochs=30, rate=0.1, batch_size=1, l1=0.1, bin_regularizer="linear")
    weights = tune_online(lists, Weights.from_dict({}), options).weights
    values = [weights[name] for name in names]
    assert values == sorted(set(values))
    assert values[5] - values[4] > 0.5 * (values[4] - values[3])


def test_a_bin_that_all_hypotheses_have_does_not_shrink() -> None:
    """It differs in no pair, so that only its neighbors move it."""
    names = [bin_feature_name("p", k, 4) for k in range(4)]
    lists = Examples(
        np.zeros(1, np.int64), np.array([0, 2]),
        Ragged.from_rows([[(0, 1.0), (1, 1.0)], [(1, 1.0), (3, 1.0)]]),
        FeatureSpace(names), np.array([[0.0, 1.0], [1.0, 1.0]]), Mean(),
    )  # fmt: skip
    start = Weights.from_dict(dict(zip(names, [1.0, 2.5, 3.0, 4.0], strict=True)))
    options = OnlineOptions(
        update="sgd", rate=0.1, batch_size=1, epochs=1, pairs=1, gamma=100,
        bin_regularizer="linear", bin_strength=0.1,
    )  # fmt: skip
    moved = []
    for l1 in (0.0, 0.5):
        states: list[OnlineState] = []
        tune_online(lists, start, replace(options, l1=l1), save=states.append)
        moved.append(states[-1].weights)
    free, shrunk = moved
    assert free[1] == shrunk[1] == pytest.approx(2.4875)
    assert free[[0, 3]] - shrunk[[0, 3]] == pytest.approx(0.05)


def test_neighbors_of_features_that_are_no_bins() -> None:
    with pytest.raises(
        UsageError, match="bin_regularizer must be none without bins between two other bins"
    ):
        tune_online(examples(), START, replace(OPTIONS, bin_regularizer="linear"))
    with pytest.raises(UsageError, match="bin_regularizer must be one of none, linear, mono"):
        OnlineOptions(bin_regularizer="both")
