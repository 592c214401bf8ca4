"""The search with orientations, against the enumeration of every derivation."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from isogloss.align.errors import UsageError
from isogloss.tune.decoder.kernels.reordering import Reordering
from isogloss.tune.decoder.search import SearchSettings, kbest, search
from tests.naive import search as naive
from tests.unit.tune.decoder.test_search import (
    ALL,
    LIMITS,
    System,
    check_graph,
    derivations_of,
    one_model,
    random_options,
    systems,
)


def random_reordering(
    rng: np.random.Generator, num_options: int, num_groups: int, phrases: bool, blocks: bool
) -> Reordering:
    """Scores of orientations, 0 in the first group."""
    columns = 4 ** (phrases + blocks)
    previous, after = (rng.normal(0.0, 2.0, (n, columns)) for n in (num_options, num_groups))
    after[0] = 0.0
    group = rng.integers(0, num_groups, num_options).astype(np.int32)
    return Reordering(previous, after, group, phrases, blocks)


@settings(deadline=None, max_examples=60)
@given(
    st.integers(0, 10**6), st.integers(1, 5), systems(),
    st.sampled_from(LIMITS), st.integers(1, 4), st.booleans(), st.booleans(),
)  # fmt: skip
def test_an_open_beam_finds_every_derivation_with_orientations(
    seed: int,
    length: int,
    system: System,
    limit: int,
    num_groups: int,
    phrases: bool,
    blocks: bool,
) -> None:
    rng = np.random.default_rng(seed)
    options = random_options(rng, length, most=2 if length < 5 else 1, num_models=len(system.keys))
    reordering = random_reordering(rng, len(options.begin), num_groups, phrases, blocks)
    expected = {
        chosen: naive.score_derivation(
            options, chosen, system.naive, system.weights, reordering
        ).score
        for chosen in naive.derivations(options, limit)
    }
    graph = search(options, system.models, system.weights, SearchSettings(ALL, limit), reordering)
    check_graph(graph)
    best = kbest(graph, options, ALL, distinct=False)
    found = derivations_of(best)
    assert len(found) == len(set(found)) == len(expected)
    np.testing.assert_allclose(
        best.score, [expected[chosen] for chosen in found], rtol=1e-9, atol=1e-9
    )
    assert best.score[0] == pytest.approx(max(expected.values()), rel=1e-9, abs=1e-9)
    narrow = search(
        options, system.models, system.weights, SearchSettings(3, limit, -4.0), reordering
    )
    few = kbest(narrow, options, 10, distinct=False)
    np.testing.assert_allclose(
        few.score, [expected[chosen] for chosen in derivations_of(few)], rtol=1e-9, atol=1e-9
    )


def test_what_follows_is_recombined_where_it_is_scored_alike() -> None:
    options = random_options(np.random.default_rng(2), 6)
    num = len(options.begin)
    settings = SearchSettings(ALL)
    same = Reordering(np.zeros((num, 4)), np.zeros((1, 4)), np.zeros(num, np.int32), True, False)
    groups = same._replace(next=np.zeros((num, 4)), group=np.arange(num, dtype=np.int32))
    plain, phrases, blocks, apart = (
        len(
            search(
                options, one_model((0, 3), 0.7, 0.2).models, ((0.7,), 0.2), settings, given
            ).node_score
        )
        for given in (None, same, same._replace(phrases=False, blocks=True), groups)
    )
    assert plain < phrases < min(blocks, apart)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"previous": np.zeros((1, 4))}, "the orientation scores do not match"),
        ({"next": np.zeros((1, 1))}, "the orientation scores do not match"),
        ({"blocks": True}, "the orientation scores do not match"),
        ({"next": np.zeros((0, 4))}, "a group of orientation scores that does not exist"),
        ({"next": np.full((1, 4), np.nan)}, "orientation scores must be finite"),
    ],
)
def test_orientation_scores_that_do_not_fit(wrong: dict[str, np.ndarray], message: str) -> None:
    options = random_options(np.random.default_rng(2), 3)
    num = len(options.begin)
    assert num > 1
    right = Reordering(np.zeros((num, 4)), np.zeros((1, 4)), np.zeros(num, np.int32), True, False)
    with pytest.raises(UsageError, match=message):
        search(
            options,
            one_model((0, 3), 1.0, 1.0).models,
            ((1.0,), 1.0),
            SearchSettings(),
            right._replace(**wrong),
        )
