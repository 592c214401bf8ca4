"""LP-MERT: the least loss of all arrangements; counts, cosine, beam, degenerate lists."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from isogloss.align.errors import DataError, UsageError
from isogloss.tune.examples import Examples
from isogloss.tune.metrics.bleu import Bleu
from isogloss.tune.metrics.error_rates import Ter
from isogloss.tune.optimizers.lp_mert.losses import sentence_losses
from isogloss.tune.optimizers.lp_mert.tune import LpMertOptions, LpMertResult, tune_lp_mert
from isogloss.tune.optimizers.mert import MertOptions, tune_mert
from isogloss.tune.results import Epoch
from isogloss.tune.weights.weights import Weights
from tests.naive.lp_mert import best_loss, edit_examples, examples_of

RNG = np.random.default_rng(0)
Lists = list[list[list[float]]]


def vectors_of(examples: Examples) -> list[np.ndarray]:
    """Feature vectors by sentence, in units of the largest difference within a list."""
    values = examples.dense(np.arange(len(examples.space)))
    parts = np.split(values, examples.sentence_offsets[1:-1])
    parts = [part - part.mean(0) for part in parts]
    spread = np.max([np.abs(part).max(0) for part in parts], axis=0)
    return [part / np.where(spread > 0, spread, 1.0) for part in parts]


def tune(examples: Examples, start: list[float], **options: object) -> LpMertResult:
    return tune_lp_mert(
        examples, Weights(examples.space, np.array(start)), LpMertOptions(**options), RNG
    )


def loss_of(examples: Examples, weights: np.ndarray) -> float:
    """What whoever scores the lists with the weights gets."""
    return float(sentence_losses(examples)[examples.best(weights)].sum())


@st.composite
def examples_of_any_kind(draw: st.DrawFn) -> Examples:
    """2 or 3 sentences of up to 6 hypotheses, 1 to 3 features: often equal, often in a line."""
    dimensions, sentences = draw(st.integers(1, 3)), draw(st.integers(1, 3))
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    whole = draw(st.booleans())
    sizes = rng.integers(1, 7 if sentences < 3 else 5, size=sentences).tolist()
    lists, gains = [], []
    for size in sizes:
        values = rng.normal(size=(size, dimensions))
        if whole:
            values = rng.integers(-1, 2, size=(size, dimensions)).astype(float)
        lists.append(values.astype(np.float32).tolist())
        gains.append(rng.integers(0, 6, size=size) / 5)
    return examples_of(lists, [gain.tolist() for gain in gains])


@settings(max_examples=40)
@given(examples_of_any_kind(), st.sampled_from(["exact", "lazy"]), st.booleans())
def test_no_arrangement_has_less_loss(examples: Examples, search: str, highs: bool) -> None:
    rng = np.random.default_rng(len(examples.rows))
    start = rng.normal(size=len(examples.space))
    losses = np.split(sentence_losses(examples), examples.sentence_offsets[1:-1])
    least, _ = best_loss(vectors_of(examples), [own.tolist() for own in losses])
    result = tune(examples, start.tolist(), search=search, solver="highs" if highs else "dual")
    assert result.loss == pytest.approx(loss_of(examples, result.weights.values), abs=1e-12)
    assert result.loss == pytest.approx(min(least, loss_of(examples, start)), abs=1e-9)
    assert result.exact
    assert result.unsure == 0


@settings(max_examples=15)
@given(st.integers(0, 10**6), st.integers(4, 6))
def test_both_exact_searches_agree_where_there_is_no_enumerating(seed: int, sentences: int) -> None:
    rng = np.random.default_rng(seed)
    lists = rng.normal(size=(sentences, 12, 4)).tolist()
    examples = examples_of(lists, rng.random((sentences, 12)).tolist())
    results = [tune(examples, [1.0] * 4, search=search) for search in ("exact", "lazy")]
    assert results[0].loss == pytest.approx(results[1].loss, abs=1e-9)
    assert all(result.exact for result in results)
    for result in results:
        assert result.magnitude == pytest.approx(sentences * np.log10(12.0), rel=1e-12)


TRIANGLES: Lists = [[[0.0, 0.0], [2.0, 0.0], [0.0, 2.0], [0.5, 0.5]]] * 2
GAINS = [[0.1, 0.5, 0.2, 1.0], [0.1, 0.2, 0.6, 1.0]]


def test_one_sentence_takes_the_best_extreme_point() -> None:
    """Algorithm 1: the middle is interior, so the second best is taken after two checks."""
    result = tune(examples_of(TRIANGLES[:1], GAINS[:1]), [-1.0, -1.0], search="lazy")
    assert result.loss == pytest.approx(0.5, abs=1e-12)
    assert result.checked.tolist() == [0, 2]
    assert result.magnitude == pytest.approx(np.log10(4.0), rel=1e-12)


def test_the_second_sentence_goes_with_the_first() -> None:
    """Both triangles have the same normals, so the same corner wins in both."""
    for search in ("exact", "lazy"):
        result = tune(examples_of(TRIANGLES, GAINS), [-1.0, -1.0], search=search)
        assert result.loss == pytest.approx(0.8 + 0.4, abs=1e-12)
        assert result.epochs[result.best_epoch].loss == result.loss


def test_an_optimal_start_is_kept() -> None:
    result = tune(examples_of(TRIANGLES, GAINS), [1.0, 3.0], search="exact")
    assert result.best_epoch == 0
    assert result.weights.values.tolist() == [1.0, 3.0]
    assert result.exact


def test_the_note_says_what_is_least_and_under_what_condition() -> None:
    """Nothing is below the least losses; else only what ties choose may be, or lies elsewhere."""
    interior = tune(examples_of(TRIANGLES, GAINS), [-1.0, -1.0], search="exact")
    assert interior.note.startswith("no weights have a smaller loss (1 - gain), except for ties; ")
    near = tune(examples_of(TRIANGLES, GAINS), [-1.0, -1.0], search="exact", cosine=0.25)
    assert near.note.startswith("no weights within a cosine of 0.25 of the initial weights have a")
    ends = [[[0.0], [1.0]]]
    bleu = replace(examples_of(ends), statistics=np.ones((2, 9)), metric=Bleu())
    assert "smaller loss (1 - bleu of a sentence); " in tune(bleu, [1.0]).note
    least = tune(edit_examples(ends, [[6, 2]], [20], Ter()), [-1.0], search="exact")
    assert least.note.startswith("no choice of hypotheses has a smaller loss (edits); ")
    left = tune(edit_examples(ends, [[6, 2]], [20], Ter()), [1.0], mert=False)
    assert left.exact
    rng = np.random.default_rng(3)
    many = examples_of(rng.normal(size=(6, 20, 5)).tolist(), rng.random((6, 20)).tolist())
    assert tune(many, [1.0] * 5, search="exact", max_checks=9).note.startswith("not proved optimal")


def test_all_features_equal_leave_the_start() -> None:
    for search in ("exact", "lazy", "beam"):
        result = tune(examples_of([[[1.0, 2.0]] * 3] * 2), [0.5, 0.0], search=search)
        assert result.weights.values.tolist() == [0.5, 0.0]
        assert result.loss == pytest.approx(2.0 - 0.3, abs=1e-12)


def test_lists_in_a_line() -> None:
    """Points of one line: only its ends are extreme."""
    examples = examples_of([[[0.0, 0.0], [1.0, 1.0], [2.0, 2.0]]], [[0.2, 0.9, 0.4]])
    assert tune(examples, [0.0, -1.0], search="exact").loss == pytest.approx(0.6, abs=1e-12)


def test_checks_that_run_out_are_no_exact_result() -> None:
    rng = np.random.default_rng(3)
    examples = examples_of(rng.normal(size=(6, 20, 5)).tolist(), rng.random((6, 20)).tolist())
    start = [1.0] * 5
    for search in ("exact", "lazy"):
        whole = tune(examples, start, search=search)
        cut = tune(examples, start, search=search, max_checks=10)
        assert not cut.exact
        assert int(cut.checked.sum()) < int(whole.checked.sum())
        assert whole.loss <= cut.loss <= loss_of(examples, np.array(start))


def test_a_narrower_cone_holds_no_better_weights() -> None:
    rng = np.random.default_rng(5)
    examples = examples_of(rng.normal(size=(4, 15, 3)).tolist(), rng.random((4, 15)).tolist())
    start = np.array([1.0, -0.5, 0.2])
    losses = []
    for cosine in (0.0, 0.5, 0.8, 0.95, 0.999):
        result = tune(examples, start.tolist(), search="exact", cosine=cosine)
        found = result.weights.values
        reached = found @ start / np.linalg.norm(found) / np.linalg.norm(start)
        assert cosine == 0.0 or reached >= cosine - 1e-9
        lazy = tune(examples, start.tolist(), search="lazy", cosine=cosine)
        assert lazy.loss == pytest.approx(result.loss, abs=1e-9)
        losses.append(result.loss)
    assert losses == sorted(losses)
    assert losses[0] < losses[-1]


@pytest.mark.parametrize("search", ["exact", "lazy"])
def test_the_printed_cosine_may_miss_what_the_projection_finds(search: str) -> None:
    """2a + b < 0: (-.2, .4, 1) is at .632 from (1, 1, 1); the program has (-.5, 1, 1), at .577."""
    lists = [[[0.0, 0.0, 0.0], [-2.0, -1.0, 0.0]], [[0.0, 0.0, 0.0], [0.0, 0.0, 1.0]]]
    examples = examples_of(lists, [[0.0, 1.0], [1.0, 1.0]])
    for how, cosine, loss in (
        ("exact", 0.63, 0.0),
        ("exact", 0.64, 1.0),
        ("heuristic", 0.63, 1.0),
        ("heuristic", 0.57, 0.0),
    ):
        result = tune(examples, [1.0, 1.0, 1.0], search=search, cosine=cosine, cosine_method=how)
        assert result.loss == loss
        assert result.exact == (how == "exact" or loss == 0.0)


@settings(max_examples=20)
@given(st.integers(0, 10**6), st.sampled_from([0.3, 0.7, 0.95]))
def test_the_printed_cosine_is_never_below_the_projection(seed: int, cosine: float) -> None:
    rng = np.random.default_rng(seed)
    features, gains = rng.normal(size=(3, 8, 3)), rng.random((3, 8))
    examples = examples_of(features.tolist(), gains.tolist())
    start = rng.normal(size=3)
    losses = []
    for how in ("exact", "heuristic"):
        for search in ("exact", "lazy"):
            options = {"search": search, "cosine": cosine, "cosine_method": how}
            result = tune(examples, start.tolist(), **options)
            found = result.weights.values
            reached = found @ start / np.linalg.norm(found) / np.linalg.norm(start)
            assert reached >= cosine - 1e-9
            losses.append(result.loss)
            best = (features @ found).argmax(axis=1)  # in all digits, as another program has them
            assert result.loss == pytest.approx((1.0 - gains[np.arange(3), best]).sum(), abs=1e-9)
    assert losses[0] == pytest.approx(losses[1], abs=1e-9)
    assert min(losses[2:]) >= losses[0] - 1e-9


@pytest.mark.parametrize("objective", ["corpus", "sentence"])
def test_the_beam_is_never_worse_than_its_start(objective: str) -> None:
    rng = np.random.default_rng(7)
    examples = examples_of(rng.normal(size=(30, 20, 5)).tolist(), rng.random((30, 20)).tolist())
    for beam in (2, 50, 1000):
        start = rng.normal(size=5)
        result = tune(examples, start.tolist(), objective=objective, beam=beam, mert=False)
        assert examples.best_score(result.weights.values) >= examples.best_score(start)
        assert not result.exact
        assert result.epochs[0].loss == pytest.approx(loss_of(examples, start), abs=1e-12)
    assert result.loss < result.epochs[0].loss


def test_the_beam_begins_with_mert_and_is_never_below() -> None:
    rng = np.random.default_rng(17)
    examples = examples_of(rng.normal(size=(20, 15, 4)).tolist(), rng.random((20, 15)).tolist())
    start = rng.normal(size=4)
    mert = tune_mert(
        examples, Weights(examples.space, start), MertOptions(), np.random.default_rng(2)
    )
    result = tune_lp_mert(
        examples, Weights(examples.space, start), LpMertOptions(), np.random.default_rng(2)
    )
    assert result.epochs[1].score == examples.best_score(mert.weights.values)
    assert examples.best_score(result.weights.values) >= examples.best_score(mert.weights.values)


def test_the_beam_reaches_the_optimum_of_a_few_sentences() -> None:
    rng = np.random.default_rng(11)
    examples = examples_of(rng.normal(size=(3, 10, 3)).tolist(), rng.random((3, 10)).tolist())
    beam = tune(examples, [1.0, 1.0, 1.0], search="beam", objective="sentence", mert=False)
    exact = tune(examples, [1.0, 1.0, 1.0], search="exact")
    assert beam.loss == pytest.approx(exact.loss, abs=1e-9)


def test_epochs_and_held_out() -> None:
    """What is best for the examples is worst for the others, so the start is kept."""
    examples = examples_of([[[0.0], [1.0]]], [[0.0, 1.0]])
    others = examples_of([[[0.0], [1.0]]], [[1.0, 0.0]])
    told: list[Epoch] = []
    result = tune_lp_mert(
        examples,
        Weights(examples.space, np.array([-1.0])),
        LpMertOptions(search="exact"),
        RNG,
        held_out=others,
        threads=2,
        report=told.append,
    )
    assert [(epoch.number, epoch.score, epoch.held_out) for epoch in told] == [
        (0, 0.0, 1.0),
        (1, 1.0, 0.0),
    ]
    assert result.best_epoch == 0
    assert result.weights.values.tolist() == [-1.0]
    assert not result.exact


def test_input_stays_and_repeats() -> None:
    rng = np.random.default_rng(13)
    examples = examples_of(rng.normal(size=(10, 8, 3)).tolist(), rng.random((10, 8)).tolist())
    start = np.ones(3)
    before = examples.rows.values.copy(), examples.statistics.copy()
    for search in ("beam", "exact"):
        options = LpMertOptions(search=search)
        first, second = (
            tune_lp_mert(
                examples,
                Weights(examples.space, start),
                options,
                np.random.default_rng(1),
                threads=threads,
            )
            for threads in (1, 2)
        )
        assert first.weights.values.tobytes() == second.weights.values.tobytes()
    assert start.tolist() == [1.0, 1.0, 1.0]
    assert np.array_equal(examples.rows.values, before[0])
    assert np.array_equal(examples.statistics, before[1])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"search": "best"}, "search must be beam, exact or lazy"),
        ({"objective": "bleu"}, "objective must be corpus or sentence"),
        ({"cosine": 1.5}, "cosine must be between 0 and 1"),
        ({"beam": 1}, "beam must be between 2 and"),
        ({"passes": 0}, "passes must be between 1 and"),
        ({"tries": 0}, "tries must be between 1 and"),
        ({"max_checks": -1}, "max_checks must be at least 0"),
        ({"solver": "lp"}, "solver must be dual or highs"),
        ({"margin": 0.0}, "margin must be above 0 and below 1"),
        ({"cosine": 0.5}, 'cosine must be 0 with `search="beam"`'),
        ({"tied": ("",), "search": "exact"}, r"tied must be prefixes of feature nam"),
        ({"tied": ("LM",)}, 'tied must be empty with `search="beam"`'),
        ({"cosine_method": "angle"}, "cosine_method must be exact or heuristic"),
        ({"cosine_method": "heuristic"}, 'cosine must be above 0 with `cosine_method="heuristic"`'),
    ],
)
def test_wrong_options(options: dict[str, object], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        LpMertOptions(**options)


def test_a_start_of_zeros_has_no_angle() -> None:
    with pytest.raises(UsageError, match="needs initial weights that are not all 0; pass other"):
        tune(examples_of(TRIANGLES, GAINS), [0.0, 0.0], search="exact", cosine=0.9)


def test_a_fixed_prefix_that_fits_no_feature() -> None:
    with pytest.raises(UsageError, match="`tied=LM` matches no feature; the features are f0,"):
        tune(examples_of(TRIANGLES, GAINS), [1.0, 0.0], search="exact", tied=("LM",))


def test_numbers_that_are_not_finite() -> None:
    examples = examples_of(TRIANGLES, GAINS)
    statistics = examples.statistics.copy()
    statistics[3] = np.inf
    with pytest.raises(DataError, match="statistics of column:gain are not finite"):
        tune(replace(examples, statistics=statistics), [1.0, 0.0])
