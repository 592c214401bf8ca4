"""Outputs of a decoder that several words name, as Moses is told of them."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple, TypeVar

from isogloss.align.errors import MAX_HYPOTHESES, UsageError
from isogloss.align.files.numerals import is_whole

__all__ = ["SUFFIXES", "HypergraphFiles", "NBestFile", "parse_words"]

T = TypeVar("T")
SUFFIXES = ("txt", "gz", "bz2")  # of files of hypergraphs


class NBestFile(NamedTuple):
    """An n-best list to be written: hypotheses per sentence, each text once or not."""

    file: str
    size: int
    distinct: bool

    @classmethod
    def parse(cls, words: Sequence[str]) -> "NBestFile":
        """A list as Moses is told of it: FILE SIZE [distinct]. Raises ValueError for another."""
        file, size, *rest = (*words, "", "")[: max(2, len(words))]
        if not is_whole(size) or rest not in ([], ["distinct"]) or not _is_size(int(size)):
            raise ValueError(
                f"FILE SIZE or FILE SIZE distinct, with SIZE between 1 and {MAX_HYPOTHESES}"
            )
        return cls(file, int(size), bool(rest))


class HypergraphFiles(NamedTuple):
    """A folder for hypergraphs in Moses's text, and what their names end in: 0.gz, 1.gz, ..."""

    folder: str
    suffix: str

    @classmethod
    def parse(cls, words: Sequence[str]) -> "HypergraphFiles":
        """As Moses is told of them: true SUFFIX DIR. Raises ValueError for another."""
        if len(words) != 3 or words[0] != "true" or words[1] not in SUFFIXES or not words[2]:
            raise ValueError(f"true {'|'.join(SUFFIXES)} DIR")
        return cls(str(Path(words[2])), words[1])


def _is_size(number: int) -> bool:
    """Whether lists may have so many hypotheses of a sentence."""
    return 1 <= number <= MAX_HYPOTHESES


def parse_words(name: str, words: Sequence[str], parse: Callable[[Sequence[str]], T]) -> T:
    """An option of several words. Raises UsageError where they are not what is expected."""
    try:
        return parse(words)
    except ValueError as error:
        raise UsageError(f"{name} must be {error}, got {' '.join(words)!r}") from None
