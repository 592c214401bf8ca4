"""References: one or several translations of each sentence, as text."""

import re
import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isogloss.align.arrays.equality import ComparedByContent
from isogloss.align.arrays.ragged import offsets_of, select_rows
from isogloss.align.errors import (
    DataError,
    DataWarning,
    UsageError,
    WrongTypeError,
    check_argument,
    check_listed,
)
from isogloss.align.files.text_io import read_lines
from isogloss.align.text.bitext_formats import check_line_counts
from isogloss.align.text.string_array import Texts

from .utterance_ids import warn_of_ids

_WORD = re.compile(r"[^\x00- ]+")
__all__ = [
    "MAX_SENTENCES",
    "References",
    "check_references",
    "listed_paths",
    "read_references",
    "reference_lines",
    "warn_of_blank",
]

MAX_SENTENCES = 10_000_000  # of a text that is scored
_SHORT = 4  # strings, as many as a sentence may well have words or references
_SHOWN = 60  # characters of a reference in an error
_FORMS = (
    "for one reference each: References.from_sentences([' '.join(words) for words in sentences]); "
    "for several each: References.from_texts(texts)"
)


@dataclass(frozen=True, eq=False)
class References(ComparedByContent):
    """References of sentences 0..n-1, one or several each.

    Parameters
    ----------
    texts : Texts
        The references, those of a sentence one after the other.
    offsets : ndarray of int64, shape (n_sentences + 1,)
        References of each sentence; every sentence has at least one.

    Raises
    ------
    DataError
        If a sentence has no reference.

    Examples
    --------
    >>> references = References.from_sentences(["the cat sat", "it rained"])
    >>> references
    References(2 sentences, 2 references)
    >>> references.of(1)
    ['it rained']
    """

    texts: Texts
    offsets: NDArray[np.int64]

    def __post_init__(self) -> None:
        if self.offsets[-1] != len(self.texts):
            raise ValueError("offsets must end at the number of texts")
        lacking = np.flatnonzero(np.diff(self.offsets) < 1)
        if len(lacking):
            raise DataError("the sentence has no reference", "at least one", line=lacking[0] + 1)

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @classmethod
    def from_sentences(cls, references: Iterable[object]) -> "References":
        """Return references of sentences that are in memory.

        Parameters
        ----------
        references : iterable
            An item for each sentence: a text or a list of words if it has one reference, else a
            list of several texts or of several lists of words. All items have the same form.

        Returns
        -------
        References

        Raises
        ------
        WrongTypeError
            If one text is given in place of all references.
        UsageError
            If the forms differ, or lists of strings may be words as well as texts;
            :meth:`from_texts` takes lists of texts as they are.
        DataError
            If a sentence has no reference.

        Examples
        --------
        >>> References.from_sentences([["the", "cat", "sat", "down", "."], ["it", "rained"]])
        References(2 sentences, 2 references)
        >>> References.from_sentences([["the cat sat", "a cat was sitting"]])
        References(1 sentences, 2 references)
        """
        what = "a list with an item for each sentence"
        check_listed(references, "references", what, "read_references(file)")
        check_argument(references, Iterable, "references", what, "read_references(file)")
        return cls.from_texts(_grouped(list(references)))

    @classmethod
    def from_texts(cls, references: Sequence[Sequence[str]]) -> "References":
        """Return references from the list of texts of each sentence.

        Parameters
        ----------
        references : list of list of str
            ``references[k][r]`` is reference r of sentence k.

        Returns
        -------
        References

        Raises
        ------
        WrongTypeError
            If a text is given in place of the references of a sentence, or of all.
        UsageError
            If a list of words is given in place of a reference.
        DataError
            If a sentence has no reference.

        Examples
        --------
        >>> References.from_texts([["yes", "yeah"], ["no"]])
        References(2 sentences, 3 references)
        """
        check_listed(references, "references", "a list of lists of strings")
        for texts in references:
            check_listed(texts, "the references of a sentence", "a list of strings", "[text]")
            for text in texts:
                if not isinstance(text, str):
                    raise UsageError(
                        "a reference must be a string, such as ' '.join(words), got "
                        f"{str(text)[:_SHOWN]}"
                    )
        offsets = offsets_of([len(texts) for texts in references])
        return cls(
            Texts.from_strings(text for sentence in references for text in sentence), offsets
        )

    def __repr__(self) -> str:
        return f"References({len(self):,} sentences, {len(self.texts):,} references)"

    def of(self, sentence: int) -> list[str]:
        """Return the references of a sentence.

        Parameters
        ----------
        sentence : int

        Returns
        -------
        list of str
        """
        begin, end = self.offsets[sentence : sentence + 2].tolist()
        return self.texts[begin:end]

    def words_of(self, sentence: int) -> list[list[str]]:
        """Return the words of each reference of a sentence.

        Parameters
        ----------
        sentence : int

        Returns
        -------
        list of list of str
            Split at spaces only, as the decoder does. Metrics also split at no-break spaces.
        """
        return [_WORD.findall(text) for text in self.of(sentence)]

    def select(self, sentences: NDArray[np.int64]) -> "References":
        """Return the references of some sentences, in the given order.

        Parameters
        ----------
        sentences : ndarray of int64, shape (n_selected,)

        Returns
        -------
        References
        """
        numbers, offsets = select_rows(self.offsets, sentences)
        return References(self.texts.select(numbers), offsets)

    def lowercased(self) -> "References":
        """Return the references in lower case."""
        return replace(self, texts=self.texts.lowercased())

    def streams(self) -> list[list[str | None]]:
        """Return the references by number, as sacrebleu takes them.

        ``streams()[r][k]`` is reference r of sentence k, or None if the sentence has fewer.
        """
        width = int(np.diff(self.offsets).max(initial=0))
        rows = [self.of(k) for k in range(len(self))]
        return [[row[r] if r < len(row) else None for row in rows] for r in range(width)]


def warn_of_blank(references: References, origin: str) -> None:
    """Warn (DataWarning) of references without a word, which nothing can match.

    origin: the file or list they stand in. Raises DataError where none has a word.
    """
    texts = references.texts
    words = np.diff(offsets_of(texts.content > ord(" "))[texts.offsets])
    blank = np.flatnonzero(words == 0)
    if len(blank) == len(texts):
        raise DataError("the references have no words", "one sentence per line", file=origin)
    if len(blank):
        first = int(np.searchsorted(references.offsets, blank[0], side="right"))
        warnings.warn(
            f"{origin}: {len(blank)} of {len(texts)} references have no words (first: "
            f"sentence {first}, counted from 1); no hypothesis can match them",
            DataWarning,
            stacklevel=3,
        )


def read_references(
    paths: str | Path | Sequence[str | Path], *, lowercase: bool = False
) -> References:
    """Read files with one reference per line, line k of each file for sentence k.

    Parameters
    ----------
    paths : str, Path or list of them
        One file, or one for each reference of a sentence.
    lowercase : bool, default False
        Lowercase the references.

    Returns
    -------
    References

    Raises
    ------
    DataError
        If files differ in their number of lines, or a file has none or more than MAX_SENTENCES.
        Blank references, and lines with names of utterances, are warnings (DataWarning).
    WrongTypeError
        If ``paths`` are not paths.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import mkdtemp
    >>> path = Path(mkdtemp()) / "ref"
    >>> _ = path.write_text("the cat sat\\nit rained\\n")
    >>> read_references(path)
    References(2 sentences, 2 references)
    """
    files = listed_paths(paths, "files of references")
    sides = reference_lines(files)
    for path, side in zip(files, sides, strict=True):
        warn_of_ids(side, path)
    references = References.from_texts(list(zip(*sides, strict=True)))
    warn_of_blank(references, ", ".join(map(str, files)))
    return references.lowercased() if lowercase else references


def reference_lines(files: Sequence[str | Path]) -> list[list[str]]:
    """The lines of files of references, as many in each. Raises as :func:`read_references`."""
    sides = [read_lines(path, most=MAX_SENTENCES) for path in files]
    for path, side in zip(files, sides, strict=True):
        if not side:
            raise DataError("the file is empty", "one reference per line", file=path)
    for path, side in zip(files, sides, strict=True):
        check_line_counts(files[0], len(sides[0]), path, len(side))
    return sides


def listed_paths(paths: object, role: str) -> list[str | Path]:
    """The paths of a list, or the one that is given. role: what the files are, for the message

    Raises WrongTypeError for what is no path.
    """
    files = [paths] if isinstance(paths, str | Path) else paths
    check_argument(files, Iterable, role, "a path or a list of paths")
    assert isinstance(files, Iterable)
    result: list[str | Path] = []
    for file in files:
        check_argument(file, (str, Path), role, "paths")
        result.append(file)
    return result


def check_references(references: object) -> None:
    """Raise WrongTypeError for what are no references, and say how they are made."""
    remedy = "read_references(files) or References.from_sentences(sentences)"
    check_argument(references, References, "references", "References", remedy)


def _grouped(references: list[object]) -> list[list[str]]:
    """The texts of each sentence, by the depth of what is given."""
    parts = [_listed(part) for part in references]
    kinds = {kind: number for number, part in enumerate(parts) if (kind := _kind(part))}
    if len(kinds) > 1:
        shown = " and ".join(f"{kind} (number {number})" for kind, number in kinds.items())
        raise UsageError(
            f"the references of sentences must have the same form, got {shown}; {_FORMS}"
        )
    (kind,) = kinds or {_STRINGS: 0}
    rows = [[part] if isinstance(part, str) else part for part in parts]
    if kind == _LISTS:
        return [[" ".join(words) for words in row] for row in rows]
    texts = [[str(text) for text in row] for row in rows]
    if kind == _TEXT or not _are_words(texts):
        return texts
    return [[" ".join(row)] for row in texts]


_TEXT, _STRINGS, _LISTS = "strings", "lists of strings", "lists of lists of words"


def _listed(part: object) -> str | list[Any]:
    """A sentence as a text, or as a list of its strings or of lists of words."""
    if isinstance(part, str):
        return part
    check_argument(part, Iterable, "the references of a sentence", "a string or a list")
    assert isinstance(part, Iterable)
    return [item if isinstance(item, str) or not isinstance(item, Iterable) else list(item)
            for item in part]  # fmt: skip


def _kind(part: str | list[Any]) -> str:
    """What a sentence is given as; empty for an empty list, which may be either."""
    if isinstance(part, str):
        return _TEXT
    if all(isinstance(item, str) for item in part):
        return _STRINGS if part else ""
    if all(isinstance(item, list) and all(isinstance(word, str) for word in item) for item in part):
        return _LISTS
    raise WrongTypeError(
        f"the references of a sentence have no known form: {repr(part)[:_SHOWN]}; {_FORMS}"
    )


def _are_words(rows: list[list[str]]) -> bool:
    """Whether lists of strings are words of a sentence; else they are texts, several each.

    Raises UsageError where they may be either.
    """
    sizes = {len(row) for row in rows}
    longest = max(sizes, default=0)
    if longest <= 1:
        return False
    spaced = sum(" " in text for row in rows for text in row)
    total = sum(map(len, rows))
    if not spaced and longest > _SHORT and len(sizes) > 1:
        return True
    if spaced and (longest <= _SHORT or 2 * spaced >= total):
        return False
    shown = next(row for row in rows if len(row) > 1)
    raise UsageError(
        f"{repr(shown)[:_SHOWN]} may be the words of one reference or {len(shown)} references; "
        f"{_FORMS}"
    )
