"""Sparse features that begin with the name of a phrase table, as those of a moses.ini do."""

from collections.abc import Iterable, Sequence

import numpy as np

from isogloss.features.space import FeatureSpace, is_sparse, starting_with

__all__ = ["without_tables"]


def without_tables(names: Iterable[str], spaces: Sequence[FeatureSpace]) -> dict[str, str]:
    """Return the names that begin with a table's name, and the rest of each.

    A table's name is what precedes the feature of a space (``TranslationModel0_PT_a_b`` for
    ``PT_a_b``), if no feature of a space begins with it. Names of a space are left out.
    """
    sparse = [name for name in names if is_sparse(name)]
    known = _in_any(spaces, sparse)
    parts = {name: name.partition("_") for name, has in zip(sparse, known, strict=True) if not has}
    found = _in_any(spaces, [part[2] for part in parts.values()])
    tables = {part[0] for part, known in zip(parts.values(), found, strict=True) if known}
    tables = {
        table
        for table in tables
        if not any(starting_with(space.names, f"{table}_").any() for space in spaces)
    }
    return {name: rest for name, (table, _, rest) in parts.items() if table in tables}


def _in_any(spaces: Iterable[FeatureSpace], names: list[str]) -> list[bool]:
    """Which of some names a space has, of several."""
    known = np.zeros(len(names), np.bool_)
    for space in spaces:
        known |= space.ids(names) >= 0
    return known.tolist()
