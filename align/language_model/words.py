"""Words of language models: the markers, and which words an ARPA file can hold."""

import re
from collections.abc import Sequence

__all__ = ["BEGIN", "END", "MARKERS", "UNKNOWN", "WORD", "all_plain", "is_plain"]

UNKNOWN, BEGIN, END = 0, 1, 2  # ids of the markers
MARKERS = ("<unk>", "<s>", "</s>")
_RESERVED = frozenset({*MARKERS, "<UNK>"})  # KenLM reads <UNK> as <unk>
WORD = re.compile("[^\t\n\v\f\r ]+")  # KenLM's Python module splits at ASCII blanks only


def is_plain(word: str) -> bool:
    """Whether ``word`` can stand in an ARPA file as an ordinary word that KenLM finds again."""
    return word not in _RESERVED and "\0" not in word and WORD.fullmatch(word) is not None


def all_plain(words: Sequence[str]) -> bool:
    """Whether all of the words are as :func:`is_plain` wants them: many at once take less time."""
    text = "\n".join(words)
    return _RESERVED.isdisjoint(words) and "\0" not in text and WORD.findall(text) == list(words)
