"""Equality by content for types that hold arrays."""

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

import numpy as np

__all__ = ["ComparedByContent", "same_content"]


class ComparedByContent:
    """Base of dataclasses (``eq=False``) that are equal if all their compared fields are."""

    __hash__ = None  # type: ignore[assignment]

    def __eq__(self, other: object) -> bool:
        if type(self) is not type(other):
            return NotImplemented
        return self is other or all(
            same_content(getattr(self, field.name), getattr(other, field.name))
            for field in fields(self)  # type: ignore[arg-type]
            if field.compare
        )


def same_content(one: Any, other: Any) -> bool:
    """Whether two values are equal; arrays if shapes and values are, NaN counting as equal."""
    if one is other:
        return True
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        return one.keys() == other.keys() and all(
            same_content(value, other[name]) for name, value in one.items()
        )
    if isinstance(one, np.ndarray) or isinstance(other, np.ndarray):
        is_number = all(
            getattr(part, "dtype", np.dtype(object)).kind in "fc" for part in (one, other)
        )
        return bool(np.array_equal(one, other, equal_nan=is_number))
    return bool(one == other)
