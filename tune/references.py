"""References: one or several translations of each sentence, as text."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import overload

import numpy as np
from numpy.typing import NDArray

from isogloss.align.arrays.equality import ComparedByContent
from isogloss.align.arrays.ragged import offsets_of, select_rows
from isogloss.align.arrays.row_choice import Rows, row_number, rows_chosen
from isogloss.align.errors import DataError, UsageError, check_argument, check_listed, warn
from isogloss.align.execution.calls import ExplainedClass, public
from isogloss.align.files.outputs import check_unused
from isogloss.align.files.text_io import read_lines
from isogloss.align.files.writers import write_lines
from isogloss.align.text.formats.opening import check_line_counts
from isogloss.align.text.markup.sgm import read_sentence_lines
from isogloss.align.text.recognition.recognition import NAMES_OF_LINES, check_text
from isogloss.align.text.reference_forms import grouped_texts
from isogloss.align.text.string_array import Texts

from .utterance_ids import warn_of_ids

_WORD = re.compile(r"[^\x00- ]+")
_BREAK = re.compile(r"[\t\n]|\r\Z")
__all__ = [
    "MAX_SENTENCES", "References", "check_references", "listed_paths", "read_references",
    "reference_lines", "warn_of_blank",
]  # fmt: skip

MAX_SENTENCES = 10_000_000  # of a text that is scored
_SHOWN = 60  # characters of a reference in an error


@public
@dataclass(frozen=True, eq=False)
class References(ComparedByContent, metaclass=ExplainedClass):
    """References of sentences 0..n-1, one or several each.

    ``references[3]`` is the list of references of a sentence; ``references[10:20]``,
    ``references[mask]`` and ``references[[4, 2]]`` are References.

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
    >>> references[1]
    ['it rained']
    """

    texts: Texts
    offsets: NDArray[np.int64]

    def __post_init__(self) -> None:
        if self.offsets[-1] != len(self.texts):
            raise ValueError("offsets must end at the number of texts")
        lacking = np.flatnonzero(np.diff(self.offsets) < 1)
        if len(lacking):
            raise DataError("the sentence has no reference", line=lacking[0] + 1)

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @overload
    def __getitem__(self, number: int) -> list[str]: ...
    @overload
    def __getitem__(self, number: Rows) -> "References": ...
    def __getitem__(self, number: int | Rows) -> "list[str] | References":
        if isinstance(number, int | np.integer):
            return self.of(row_number(number, len(self), "sentence"))
        return self.select(number)

    def __iter__(self) -> Iterator[list[str]]:
        return (self.of(number) for number in range(len(self)))

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
            If the forms differ, if lists of strings may be words as well as texts, or if each list
            may be a set of references for all sentences, as sacrebleu takes them.
            :meth:`from_texts` takes lists of texts as they are.
        DataError
            If a sentence has no reference.

        Examples
        --------
        >>> References.from_sentences([["the", "cat", "sat", "down", "."], ["it", "rained"]])
        References(2 sentences, 2 references)
        >>> References.from_sentences([["the cat sat", "a cat was sitting"], ["it rained"]])
        References(2 sentences, 3 references)
        """
        what = "a list with an item for each sentence"
        check_listed(references, "references", what, "read_references(file)")
        check_argument(references, Iterable, "references", what, "read_references(file)")
        return cls.from_texts(grouped_texts(list(references)))

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

    @classmethod
    def load(cls, path: str | Path) -> "References":
        """Read references that :meth:`save` has written.

        :func:`read_references` reads one or several files with a reference per line.

        Parameters
        ----------
        path : str or Path
            A line per sentence, its references separated by tabs; ``-`` is standard input.

        Returns
        -------
        References

        Raises
        ------
        DataError
            If the file can't be read, or has more than MAX_SENTENCES lines.

        Examples
        --------
        >>> from tempfile import mkdtemp
        >>> references = References.from_texts([["yes", "yeah"], ["no"]])
        >>> references.save(path := f"{mkdtemp()}/references")
        >>> References.load(path) == references
        True
        """
        lines = read_lines(path, most=MAX_SENTENCES)
        return cls.from_texts([line.split("\t") for line in lines])

    def save(self, path: str | Path | None, *, overwrite: bool | None = None) -> None:
        """Write a line per sentence, its references separated by tabs.

        This is the form of ``sacrebleu --num-refs``.

        Parameters
        ----------
        path : str, Path or None
            Compressed if it ends in .gz, .bz2, .xz or .zst; ``-`` and None are standard output.
        overwrite : bool, optional
            Whether an existing file or folder is replaced, or else an error. Default: a file is
            replaced, a folder is an error.

        Raises
        ------
        ModelError
            If the path exists and may not be replaced.
        DataError
            If a reference holds a tab or a line end.
        OutputError
            If the file can't be written.
        """
        check_unused(path, overwrite)
        for text in self.texts:
            if _BREAK.search(text):
                raise DataError(
                    f"the reference {text[:_SHOWN]!r} contains a tab or a line end",
                    remedy="Replace it by a space",
                )
        write_lines(map("\t".join, self), path)

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

    def select(self, sentences: Rows) -> "References":
        """Return the references of some sentences, in the given order.

        Parameters
        ----------
        sentences : slice, list of int, or ndarray of int64 or bool
            Numbers of sentences, or whether to take each sentence.

        Returns
        -------
        References

        Raises
        ------
        IndexError
            If a number is out of range, or a mask has another length.
        """
        rows = rows_chosen(sentences, len(self), "sentences")
        numbers, offsets = select_rows(self.offsets, rows)
        return References(self.texts.select(numbers), offsets)

    def lowercased(self) -> "References":
        """Return the references in lower case.

        Returns
        -------
        References
        """
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
        have, them = ("has", "it") if len(blank) == 1 else ("have", "them")
        warn(
            f"{origin}: {len(blank)} of {len(texts)} references {have} no words (first: sentence "
            f"{first}, counted from 1); no hypothesis can match {them}"
        )


@public
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
    check_text(*files, known=NAMES_OF_LINES)
    sides = [read_sentence_lines(path, MAX_SENTENCES) for path in files]
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
