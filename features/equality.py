"""Equality by content for types whose columns are arrays, sparse rows, or both by name."""

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

import numpy as np

from isogloss.align.arrays.equality import ComparedByContent
from isogloss.align.arrays.sparse_rows import Ragged

__all__ = ["ComparedColumns"]


class ComparedColumns(ComparedByContent):
    """Base of dataclasses (``eq=False``) that are equal if all their compared fields are."""

    __hash__ = None

    def __eq__(self, other: object) -> bool:
        if type(self) is not type(other):
            return NotImplemented
        return self is other or all(
            _same(getattr(self, field.name), getattr(other, field.name))
            for field in fields(self)  # type: ignore[arg-type]
            if field.compare
        )


def _same(one: Any, other: Any) -> bool:
    """Whether two values are equal; NaN counts as equal."""
    if isinstance(one, Ragged) and isinstance(other, Ragged):
        return one.equals(other)
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        return one.keys() == other.keys() and all(
            _same(value, other[name]) for name, value in one.items()
        )
    if isinstance(one, np.ndarray) and isinstance(other, np.ndarray):
        is_number = all(part.dtype.kind in "fc" for part in (one, other))
        return bool(np.array_equal(one, other, equal_nan=is_number))
    return one is other or bool(one == other)
