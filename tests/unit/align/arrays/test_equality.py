"""Types with arrays are equal by content."""

import pickle
from dataclasses import dataclass, field

import numpy as np
import pytest
from numpy.typing import NDArray

from isogloss.align import Vocabulary, WordClasses
from isogloss.align.arrays.equality import ComparedByContent, same_content


@dataclass(frozen=True, eq=False)
class Table(ComparedByContent):
    values: NDArray[np.float64]
    name: str = "x"
    kept: int = field(default=0, compare=False)


class Other(Table):
    pass


ONE = Table(np.array([1.0, np.nan]))


def test_arrays_are_compared_with_their_shapes() -> None:
    assert ONE == Table(np.array([1.0, np.nan]))
    assert ONE != Table(np.array([[1.0, np.nan]]))
    assert ONE != Table(np.array([1.0, 2.0]))
    assert ONE != Table(np.array([1.0]))


def test_other_fields_and_types_count() -> None:
    assert ONE != Table(ONE.values, "y")
    assert ONE == Table(ONE.values, kept=3)
    assert ONE != Other(ONE.values)
    assert ONE != "x"
    with pytest.raises(TypeError, match="unhashable"):
        hash(ONE)


def test_values_that_may_be_absent() -> None:
    column = np.array(["a", "b"], object)
    assert same_content(None, None)
    assert not same_content(column, None)
    assert not same_content(None, column)
    assert same_content({"a": column}, {"a": column.copy()})


def test_word_classes() -> None:
    words = Vocabulary(["a", "b"])
    one, other = (WordClasses(words, np.array([2, 0, 1], np.int32)) for _ in range(2))
    assert one == other == pickle.loads(pickle.dumps(one))
    assert one != WordClasses(words, np.array([2, 1, 0], np.int32))
