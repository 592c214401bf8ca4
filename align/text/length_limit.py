"""The longest sentence pair that is aligned: one dirty line must not take all memory."""

from ..errors import DataError, OptionError, pluralize, warn
from ..links.links import LONGEST
from .corpus import Corpus

__all__ = ["MAX_LENGTH", "LengthLimit", "checked_lengths"]

MAX_LENGTH = 1000  # words, where nobody says otherwise


class LengthLimit:
    """Tells which pairs of a bitext are too long to be aligned, and counts them.

    Time and memory of a pair grow with the product of its lengths.

    max_length: words that either side may have; 0 = as many as links have positions for.

    Raises UsageError where it is below 0.
    """

    def __init__(self, max_length: int) -> None:
        if max_length < 0:
            raise OptionError("max_length", "at least 0 (0 = no limit)", max_length)
        self._max_length = min(max_length or LONGEST, LONGEST)
        self._count = self._first = 0

    def exceeded(self, source: int, target: int, number: int) -> bool:
        """Whether pair ``number`` (from 1), of so many words on each side, is too long."""
        if max(source, target) <= self._max_length:
            return False
        self._count, self._first = self._count + 1, self._first or number
        return True

    def warn(self, files: str, counted: str = "line") -> None:
        """Warn of such pairs, when all are read; they should have been taken as empty."""
        if self._count:
            pairs = pluralize(self._count, "pair", "has")
            words = pluralize(self._max_length, "word")
            warn(
                f"{files}: {pairs} more than {words} on a side (first: {counted} {self._first}); "
                "such pairs are treated as empty and get no links. Split long lines into "
                f"sentences, or raise the limit (`max_length=...`, at most {LONGEST}) if memory "
                "allows"
            )


def checked_lengths(corpus: Corpus) -> Corpus:
    """The corpus itself. Raises DataError for a sentence that is too long for links."""
    longest = int(corpus.lengths.max(initial=0))
    if longest > LONGEST:
        raise DataError(
            f"sentence {int(corpus.lengths.argmax())} has {longest:,} words", f"at most {LONGEST:,}"
        )
    return corpus
