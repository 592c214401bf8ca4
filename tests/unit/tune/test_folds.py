"""Folds: every sentence judged once, by weights that neither learned from it nor chose by it."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from isogloss.align.errors import UsageError
from isogloss.tune.folds import split_sentences


@given(st.integers(3, 6), st.integers(6, 50), st.integers(0, 9))
def test_each_sentence_is_tested_once_and_parts_have_none_in_common(
    folds: int, num_sentences: int, seed: int
) -> None:
    splits = [split_sentences(num_sentences, folds, fold, seed) for fold in range(folds)]
    assert list(range(num_sentences)) == sorted(np.concatenate([s.test for s in splits]).tolist())
    for split in splits:
        parts = np.concatenate([split.train, split.choose, split.test])
        assert list(range(num_sentences)) == sorted(parts.tolist())
        assert abs(len(split.test) - num_sentences / folds) < 1
        assert sorted(split.train.tolist()) == split.train.tolist()


def test_the_follower_chooses() -> None:
    splits = [split_sentences(20, 4, fold, 1) for fold in range(4)]
    for fold in range(4):
        assert splits[fold].choose.tolist() == splits[(fold + 1) % 4].test.tolist()


def test_final_weights_are_chosen_by_the_first_fold_and_learned_from_all_others() -> None:
    final, first = split_sentences(20, 4, None, 1), split_sentences(20, 4, 0, 1)
    assert first.test.tolist() == final.choose.tolist()
    assert [] == final.test.tolist()
    assert 15 == len(final.train)


def test_without_folds_all_teach() -> None:
    split = split_sentences(5, 0, None, 1)
    assert [0, 1, 2, 3, 4] == split.train.tolist()
    assert 0 == len(split.choose) == len(split.test)


def test_seeds_deal_differently() -> None:
    first, other = (split_sentences(50, 5, 0, seed).test.tolist() for seed in (1, 2))
    assert first != other


@pytest.mark.parametrize("folds", [-1, 1, 2])
def test_two_folds_are_too_few(folds: int) -> None:
    with pytest.raises(UsageError, match=rf"folds must be 0 \(none\) or at least 3, got {folds}"):
        split_sentences(10, folds, None, 1)


def test_folds_need_sentences() -> None:
    with pytest.raises(UsageError, match="4 sentences cannot be divided into 5 folds"):
        split_sentences(4, 5, None, 1)
