"""Features told by how their names begin: ``LM``, ``PT_``; a prefix that fits none is a slip."""

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from align.errors import UsageError

__all__ = ["with_prefix"]


def with_prefix(names: Sequence[str], prefixes: Iterable[str], option: str) -> NDArray[np.bool_]:
    """Which features have a name with one of the prefixes: bool[len(names)].

    Raises UsageError for a prefix that no name has. option: who gave it, for the message
    """
    result = np.zeros(len(names), np.bool_)
    for prefix in prefixes:
        own = np.array([name.startswith(prefix) for name in names], np.bool_)
        if not own.any():
            shown = ", ".join(names[:4])
            raise UsageError(f"{option} {prefix!r} fits no feature; there are {shown}, ...")
        result |= own
    return result
