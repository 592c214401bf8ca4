"""Folders that hold a lexical table."""

from typing import Literal

import numpy as np
from msgspec import Struct

from ..files.stored_folder import FolderFormat, StoredFolder
from ..text.vocabulary import Vocabulary

__all__ = ["LEXICON_FORMAT", "stored_vocabulary"]


class _Content(Struct):
    """What the header of a stored table holds beside the arrays."""

    direction: Literal["s2t", "t2s"]


LEXICON_FORMAT = FolderFormat(
    kind="isogloss lexical table",
    name="folder of a lexical table",
    header="lexicon.json",
    version=(1, 0),
    remedy="Save the table again, from its model",
    outdated="Save the table again, from its model",
    content=_Content,
)


def stored_vocabulary(stored: StoredFolder, side: str) -> Vocabulary:
    """The vocabulary of a side. Raises ValueError for arrays that don't fit together."""
    text = stored.typed(f"{side}.words", np.uint8, None)
    return Vocabulary.from_bytes(text, stored.offsets(f"{side}.offsets", len(text)))
