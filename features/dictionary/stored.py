"""Folders that hold a dictionary."""

import numpy as np
from msgspec import Struct

from isogloss.align.files.records import Text
from isogloss.align.files.stored_folder import FolderFormat, StoredFolder
from isogloss.align.text.corpus import Corpus, CorpusBuilder
from isogloss.align.text.string_array import Texts

__all__ = ["DICTIONARY_FORMAT", "stored_phrases"]


class _Content(Struct):
    """What the header of a stored dictionary holds beside the arrays."""

    domains: list[Text]
    is_scored: bool


DICTIONARY_FORMAT = FolderFormat(
    kind="isogloss dictionary",
    name="dictionary folder",
    header="dictionary.json",
    version=(1, 0),
    remedy="Extract the dictionary again",
    outdated="Extract the dictionary again",
    content=_Content,
)


def stored_phrases(stored: StoredFolder, side: str) -> Corpus:
    """The phrases of a side."""
    content = stored.typed(f"{side}.content", np.uint8, None)
    builder = CorpusBuilder()
    for text in Texts(content, stored.offsets(f"{side}.offsets", len(content))):
        builder.add(text.split(" "))
    return builder.build()
