"""Eq. 5 and link posteriors against the exact mixture of domains, by all alignments of a pair."""

from collections.abc import Callable

import numpy as np
import pytest

from isogloss.align import AlignerOptions, AlignmentModel, Bitext
from isogloss.align.language_model.domain_models import DomainLanguageModels
from isogloss.align.model.cooccurrence import build_pair_index
from isogloss.align.model.parameters import Parameters
from tests.naive.alignment import Alignment, random_bitext, random_jumps, random_lexical
from tests.naive.exact_mixture import (
    Decoding,
    agreement,
    decode,
    link_chances,
    path_of,
    posterior_weights,
)

LENGTHS = [(1, 1), (3, 4), (2, 3), (4, 3), (4, 2), (1, 4), (3, 3)]
EVERY = [(side, number) for side in (0, 1) for number in range(len(LENGTHS))]


def random_model(seed: int, domains: int, **options: object) -> tuple[AlignmentModel, Bitext]:
    """Tables of random numbers, cubed so that domains differ; language models of a few pairs."""
    rng = np.random.default_rng(seed)
    bitext = random_bitext(rng, LENGTHS, num_types=4)
    own = AlignerOptions(jump_window=2, **options)
    index, _ = build_pair_index(bitext)
    lexical = random_lexical(rng, bitext, index, domains, own.lexical_floor)
    for array in lexical[:3]:
        array **= 3
    jumps = random_jumps(rng, 2, own.jump_smoothing, tables=1 if own.shared_jumps else domains)
    models = None
    if own.language_model_order:
        rows = [np.sort(rng.choice(len(LENGTHS), 4, replace=False)) for _ in range(domains)]
        models = DomainLanguageModels.from_samples(bitext, rows, own.language_model_order)
    return AlignmentModel(
        bitext.source.vocabulary,
        bitext.target.vocabulary,
        index,
        Parameters(*lexical[:3], jumps.jump**2, jumps.start**2, *jumps[5:]),
        tuple(f"d{k}" for k in range(domains)),
        np.log(rng.dirichlet(np.ones(domains))),
        own,
        models,
    ), bitext


def paths(model: AlignmentModel, bitext: Bitext) -> dict[tuple[int, int], Alignment]:
    """What the Viterbi kernel finds, by side and pair."""
    links = model.align_directions(bitext)
    return {
        (side, number): path_of(links[side], number, side, LENGTHS[number][side])
        for side, number in EVERY
    }


def decodings(model: AlignmentModel, bitext: Bitext) -> dict[tuple[int, int], Decoding]:
    return {key: decode(model, bitext, *key) for key in EVERY}


def posteriors(model: AlignmentModel, bitext: Bitext, side: int, number: int) -> np.ndarray:
    """What the model gives: [J, I] of generated words and states."""
    cells, values = model.link_posteriors(bitext)
    own = values[side, cells.offsets[number] : cells.offsets[number + 1]].reshape(LENGTHS[number])
    return own if side == 0 else own.T


def check_best(own: Decoding, path: Alignment) -> None:
    """Both have the same best path, which the kernel found; words repeat, so paths can tie."""
    assert own.loss == pytest.approx(0.0, abs=1e-9)
    assert own.exact[path] == pytest.approx(own.exact[own.best_exact], rel=1e-5, abs=1e-5)


@pytest.mark.parametrize("final", [False, True], ids=["free end", "final jump"])
@pytest.mark.parametrize("weights", ["source", "joint", "argmax"])
def test_one_domain_leaves_nothing_to_average(weights: str, final: bool) -> None:
    model, bitext = random_model(
        1, 1, domain_weighting=weights, final_jumps=final, language_model_order=0
    )
    found = paths(model, bitext)
    for (side, number), own in decodings(model, bitext).items():
        check_best(own, found[side, number])
        np.testing.assert_allclose(
            posteriors(model, bitext, side, number),
            link_chances(own.exact, LENGTHS[number][1 - side]), rtol=1e-4, atol=1e-6,
        )  # fmt: skip


@pytest.mark.parametrize("shared", [False, True], ids=["own jumps", "shared jumps"])
@pytest.mark.parametrize("weights", ["source", "joint", "argmax"])
@pytest.mark.parametrize("order", [0, 2])
def test_the_kernel_finds_the_best_path_of_the_average(
    order: int, weights: str, shared: bool
) -> None:
    model, bitext = random_model(
        2, 3, domain_weighting=weights, shared_jumps=shared, language_model_order=order
    )
    found = paths(model, bitext)
    for key, own in decodings(model, bitext).items():
        best = own.average[own.best_average]
        assert own.average[found[key]] == pytest.approx(best, rel=1e-5, abs=1e-5)


@pytest.mark.parametrize("order", [0, 2])
def test_the_average_of_one_certain_domain_is_exact(order: int) -> None:
    """The paper's hard assignment, or a prior of 1."""
    hard, bitext = random_model(3, 3, domain_weighting="argmax", language_model_order=order)
    found = paths(hard, bitext)
    for key, own in decodings(hard, bitext).items():
        check_best(own, found[key])
    for certain in range(3):
        model, bitext = random_model(
            3, 3, domain_weighting=("source", "joint")[certain % 2], language_model_order=order
        )
        model.log_prior[:] = np.where(np.arange(3) == certain, 0.0, -np.inf)
        found = paths(model, bitext)
        for key, own in decodings(model, bitext).items():
            check_best(own, found[key])
            shift = own.exact[own.best_exact] - own.average[own.best_exact]
            for alignment, score in own.exact.items():
                assert score == pytest.approx(own.average[alignment] + shift, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("weights", ["source", "joint"])
def test_the_exact_mixture_never_scores_less_than_the_average(
    weights: str, record_property: Callable[[str, object], None]
) -> None:
    """But often more: domains here differ as much as they can."""
    found = []
    for seed in range(4, 8):
        model, bitext = random_model(
            seed, 3, domain_weighting=weights, shared_jumps=False, language_model_order=0
        )
        kernel = paths(model, bitext)
        for key, own in decodings(model, bitext).items():
            assert own.exact[kernel[key]] <= own.exact[own.best_exact] + 1e-9
            assert own.loss >= 0.0
            found.append(own)
    same, loss = agreement(found)
    record_property("pairs whose best paths agree", same)
    record_property("mean loss in nats", loss)
    assert 0.0 < same < 1.0
    assert loss > 0.0


@pytest.mark.parametrize("sides", ["both", "target", "source"])
@pytest.mark.parametrize("order", [0, 2])
@pytest.mark.parametrize("temperature", [1.0, 2.0])
def test_link_posteriors_are_those_of_the_exact_mixture(
    temperature: float, order: int, sides: str
) -> None:
    """sum_D P(D | f, e) P(a | f, e, D), summed over the alignments that hold the link."""
    model, bitext = random_model(
        9, 3, domain_weighting="joint", language_model_sides=sides, shared_jumps=False,
        language_model_order=order, domain_temperature=temperature,
    )  # fmt: skip
    weights = [posterior_weights(model, bitext, number) for number in range(len(LENGTHS))]
    np.testing.assert_allclose(model.domain_posteriors(bitext), weights, rtol=1e-4, atol=1e-7)
    for (side, number), own in decodings(model, bitext).items():
        wanted = link_chances(own.exact, LENGTHS[number][1 - side])
        np.testing.assert_allclose(
            posteriors(model, bitext, side, number), wanted, rtol=1e-4, atol=1e-6
        )


@pytest.mark.parametrize(("sides", "side"), [("target", 0), ("source", 1)])
def test_posteriors_of_one_direction_are_those_of_what_eq_5_approximates(
    sides: str, side: int
) -> None:
    """Where P(D | f, e) is of that direction alone, sum_D P(f, a | e, D) P(e | D) P(D) has them."""
    model, bitext = random_model(
        10, 3, domain_weighting="source", language_model_sides=sides, language_model_order=2
    )
    for number in range(len(LENGTHS)):
        own = decode(model, bitext, side, number)
        size = LENGTHS[number][1 - side]
        np.testing.assert_allclose(
            posteriors(model, bitext, side, number), link_chances(own.exact, size),
            rtol=1e-4, atol=1e-6,
        )  # fmt: skip
        if number == 1:  # the average has others
            apart = link_chances(own.average, size) - link_chances(own.exact, size)
            assert np.abs(apart).max() > 0.01
