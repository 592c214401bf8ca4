"""Options of the aligner's model, and its tables before training."""

import numpy as np
import pytest

from isogloss.align.errors import UsageError
from isogloss.align.model.cooccurrence import build_pair_index
from isogloss.align.model.parameters import AlignerOptions, Parameters
from tests.naive.alignment import one_class, random_bitext


@pytest.mark.parametrize(
    ("field", "value", "expected"),
    [
        ("model1_iterations", 0, "between 1 and 100000"),
        ("hmm_iterations", -1, "between 0 and 100000"),
        ("shared_iterations", -1, "between 0 and 100000"),
        ("jump_window", 0, "between 1 and 100"),
        ("jump_window", 101, "between 1 and 100"),
        ("null_probability", 0.0, "above 0 and below 1"),
        ("null_probability", 1.0, "above 0 and below 1"),
        ("null_probability", float("nan"), "a finite number"),
        ("jump_smoothing", -0.1, "between 0 and 1"),
        ("jump_smoothing", 1.1, "between 0 and 1"),
        ("lexical_floor", 0.0, "between 1e-30 and 0.001"),
        ("lexical_floor", 1e-3, "between 1e-30 and 0.001"),
        ("stem_length", -1, "at least 0"),
        ("stem_smoothing", -0.5, "between 0 and 1e12"),
        ("stem_smoothing", float("nan"), "a finite number"),
        ("prune", -0.01, "at least 0"),
        ("prune", float("nan"), "a finite number"),
        ("domain_smoothing", -1.0, "between 0 and 1e12"),
        ("domain_temperature", 0.0, "between 0.001 and 1e6"),
        ("min_domain_posterior", -1e-9, "between 0 and 0.5"),
        ("min_domain_posterior", 0.6, "between 0 and 0.5"),
        ("domain_temperature", -2.0, "between 0.001 and 1e6"),
        ("domain_temperature", float("nan"), "a finite number"),
        ("seed_confidence", 0.0, "above 0 and at most 1"),
        ("seed_confidence", 1.01, "above 0 and at most 1"),
        ("language_model_order", 7, "between 0 and 6"),
        ("language_model_order", -1, "between 0 and 6"),
        ("language_model_sides", "left", "both, source or target"),
        ("language_model_refits", -1, "between 0 and 100000"),
        ("out_domain_size", -1, "at least 0"),
        ("out_domain_selection", "random", "burn-in or dissimilar"),
        ("heldout_every", 1, "0 or at least 2"),
        ("heldout_every", -2, "0 or at least 2"),
        ("domain_weighting", "soft", "source, joint or argmax"),
        (
            "heuristic",
            "best",
            "one of posterior, intersection, grow, grow-diag, grow-diag-final, "
            "grow-diag-final-and, union, source-to-target, target-to-source",
        ),
        ("posterior_threshold", 0.0, "above 0 and at most 1"),
        ("posterior_threshold", 1.5, "above 0 and at most 1"),
    ],
)
def test_options_out_of_range(field: str, value: object, expected: str) -> None:
    with pytest.raises(UsageError, match=f"^{field} must be {expected}, got {value!r}$"):
        AlignerOptions(**{field: value})
    with pytest.raises(UsageError, match=f"^{field} must be "):
        AlignerOptions().replace(**{field: value})


def test_split_copies_the_tables() -> None:
    index, _ = build_pair_index(random_bitext(np.random.default_rng(1), [(3, 4), (5, 2)]))
    one = Parameters.uniform(len(index), one_class(4, 4), 2)
    for shared, tables in ((True, 1), (False, 3)):
        three = one.split(3, shared)
        assert three.num_domains == 3
        assert (2, tables, 7) == three.start.shape
        assert (2, tables, 1, 7) == three.jump.shape
        for name in ("lexical", "jump", "start"):
            parts, whole = getattr(three, name), getattr(one, name)
            np.testing.assert_array_equal(parts, np.repeat(whole, parts.shape[1], axis=1))
            assert parts.flags.c_contiguous
            assert not np.shares_memory(parts, whole)
        np.testing.assert_array_equal(three.null_target, np.repeat(one.null_target, 3, axis=0))


def test_uniform_tables() -> None:
    own = Parameters.uniform(4, one_class(3, 5), 2)
    np.testing.assert_allclose(own.lexical[:-1, 0], [[1 / 3, 1 / 5]] * 4, rtol=1e-6)
    assert own.lexical[-1].tolist() == [[0.0, 0.0]]
    np.testing.assert_allclose(own.null_source, [[1 / 3] * 3 + [0.0]], rtol=1e-6)
    np.testing.assert_allclose(own.null_target, [[1 / 5] * 5 + [0.0]], rtol=1e-6)
    np.testing.assert_allclose(own.jump.sum(3), 1.0, rtol=1e-9)
    assert own.jump[0, 0, 0].argmax() == own.start[1, 0].argmax() == 4  # one word on
    np.testing.assert_allclose(own.start[:, :, :4], 0.0, atol=1e-8)
