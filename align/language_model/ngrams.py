"""N-gram models as columns: what an ARPA file holds."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
from numpy.typing import NDArray

__all__ = ["BEGIN", "END", "MARKERS", "UNKNOWN", "WORD", "NgramModel", "all_plain", "is_plain"]

UNKNOWN, BEGIN, END = 0, 1, 2  # ids of the markers
MARKERS = ("<unk>", "<s>", "</s>")
_RESERVED = frozenset({*MARKERS, "<UNK>"})  # KenLM reads <UNK> as <unk>
WORD = re.compile("[^\t\n\v\f\r ]+")  # KenLM's Python module splits at ASCII blanks only


@dataclass(frozen=True, eq=False, repr=False)
class NgramModel:
    """A backoff model: the content of an ARPA file as columns.

    order: length of the longest n-grams, at least 1.
    words: word types by id; 0 = ``<unk>``, 1 = ``<s>``, 2 = ``</s>``.
    ngrams: per order k int32[n_k, k], word ids, oldest first.
    log_probability: per order k float32[n_k], log10 p(last word | words before it).
    log_backoff: per order k float32[n_k], log10 of the weight given to shorter histories once this
        n-gram is the history; 0 where there is none, and throughout the highest order.

    Raises ValueError where the arrays do not fit together, or a word could not stand in an ARPA
    file (empty, blank or NUL inside, or twice).
    """

    order: int
    words: tuple[str, ...]
    ngrams: tuple[NDArray[np.int32], ...]
    log_probability: tuple[NDArray[np.float32], ...]
    log_backoff: tuple[NDArray[np.float32], ...]

    def __post_init__(self) -> None:
        columns = (self.ngrams, self.log_probability, self.log_backoff)
        if self.order < 1 or any(len(column) != self.order for column in columns):
            raise ValueError("an n-gram model must have one entry per order")
        if self.words[:3] != MARKERS or len(set(self.words)) != len(self.words):
            raise ValueError("words must be unique and start with <unk>, <s>, </s>")
        if not all_plain(self.words[3:]):
            raise ValueError("words must contain no whitespace or NUL and differ from the markers")
        for k, (rows, *values) in enumerate(zip(*columns, strict=True), start=1):
            if rows.shape != (len(rows), k) or any(v.shape != rows.shape[:1] for v in values):
                raise ValueError(f"the columns of the {k}-grams differ in length")
            if rows.size and not 0 <= rows.min() <= rows.max() < len(self.words):
                raise ValueError(f"a word id among the {k}-grams is out of range")
        if self.log_backoff[-1].any():
            raise ValueError("n-grams of the highest order must have no backoff weight")
        for array in chain(*columns):
            array.flags.writeable = False

    __hash__ = None  # type: ignore[assignment]

    def __eq__(self, other: object) -> bool:
        """Whether words, n-grams and their weights are equal."""
        if not isinstance(other, NgramModel):
            return NotImplemented
        if self is other:
            return True
        return (self.order, self.words) == (other.order, other.words) and all(
            map(
                np.array_equal,
                chain(self.ngrams, self.log_probability, self.log_backoff),
                chain(other.ngrams, other.log_probability, other.log_backoff),
            )
        )

    def __repr__(self) -> str:
        sizes = ", ".join(f"{len(rows):,}" for rows in self.ngrams)
        return f"NgramModel(order {self.order}; {len(self.words):,} words; n-grams: {sizes})"


def is_plain(word: str) -> bool:
    """Whether ``word`` can stand in an ARPA file as an ordinary word that KenLM finds again."""
    return word not in _RESERVED and "\0" not in word and WORD.fullmatch(word) is not None


def all_plain(words: Sequence[str]) -> bool:
    """Whether all of the words are as :func:`is_plain` wants them: many at once take less time."""
    text = "\n".join(words)
    return _RESERVED.isdisjoint(words) and "\0" not in text and WORD.findall(text) == list(words)
