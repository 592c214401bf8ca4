"""References: one or several translations of each sentence, as text."""

import re
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from isogloss.align.errors import DataError, DataWarning, UsageError, check_listed
from isogloss.align.files.text_io import read_lines
from isogloss.align.ragged import offsets_of, select_rows
from isogloss.align.text.bitext_formats import check_line_counts
from isogloss.align.text.string_array import Texts

_WORD = re.compile(r"[^\x00- ]+")
_NAME = re.compile(r"(?=.*\d)[\w./]+([-_][\w./]+)+|[A-Za-z]+\d+")  # of an utterance
_TRN = re.compile(r"\((?=.*\d)[\w./-]+\)")
_FEWEST_NAMES = 5
__all__ = ["MOST_SENTENCES", "References", "read_references", "warn_of_blank"]

MOST_SENTENCES = 10_000_000  # of a text that is scored


@dataclass(frozen=True)
class References:
    """References of sentences 0..n-1.

    texts: the references, those of a sentence one after the other
    offsets: int64[n + 1], references of each sentence; every sentence has at least one
    """

    texts: Texts
    offsets: NDArray[np.int64]

    def __post_init__(self) -> None:
        if self.offsets[-1] != len(self.texts):
            raise ValueError("offsets run to the number of texts")
        lacking = np.flatnonzero(np.diff(self.offsets) < 1)
        if len(lacking):
            raise DataError("a sentence without a reference", "at least one", line=lacking[0] + 1)

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @classmethod
    def from_sentences(cls, references: Sequence[Sequence[str]]) -> "References":
        """Build from ``references[k][r]``, reference r of sentence k.

        Raises DataError for a sentence without a reference, TextError for a text in place of the
        references of a sentence, or of all, and UsageError for words in place of a reference.
        """
        check_listed(references, "references", "a list for each sentence, of one text or more")
        for texts in references:
            check_listed(texts, "the references of a sentence", "a list of them: [text]")
            for text in texts:
                if not isinstance(text, str):
                    raise UsageError(
                        f"a reference {str(text)[:60]}; expected a text: ' '.join(words)"
                    )
        offsets = offsets_of([len(texts) for texts in references])
        return cls(
            Texts.from_strings(text for sentence in references for text in sentence), offsets
        )

    def __repr__(self) -> str:
        return f"References({len(self):,} sentences, {len(self.texts):,} references)"

    def of(self, sentence: int) -> list[str]:
        """The references of one sentence."""
        begin, end = self.offsets[sentence : sentence + 2].tolist()
        return self.texts[begin:end]

    def words_of(self, sentence: int) -> list[list[str]]:
        """The words of each reference of a sentence as a decoder has them: what blanks set apart.

        A no-break space and the like are parts of a word here; metrics split there, as sacrebleu.
        """
        return [_WORD.findall(text) for text in self.of(sentence)]

    def select(self, sentences: NDArray[np.int64]) -> "References":
        """Some sentences, in the given order. sentences: int64[s], their numbers."""
        numbers, offsets = select_rows(self.offsets, sentences)
        return References(self.texts.select(numbers), offsets)

    def lowercased(self) -> "References":
        """The same references in lower case."""
        return replace(self, texts=self.texts.lowercased())

    def streams(self) -> list[list[str | None]]:
        """``result[r][k]``, reference r of sentence k, None where it has fewer: for sacrebleu."""
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
        raise DataError("references without a word", "a sentence per line", file=origin)
    if len(blank):
        first = int(np.searchsorted(references.offsets, blank[0], side="right"))
        warnings.warn(
            f"{origin}: {len(blank)} of {len(texts)} references have no word (first: that of "
            f"sentence {first}, counted from 1); no hypothesis can match them",
            DataWarning,
            stacklevel=3,
        )


def _warn_of_names(lines: Sequence[str], path: str | Path) -> None:
    """Warn (DataWarning) where each line seems to begin or end with the name of an utterance."""
    if len(lines) < _FEWEST_NAMES:
        return
    for place, form, forms, remedy in (
        (0, _NAME, "Kaldi's", "cut -d' ' -f2-"), (-1, _TRN, "sclite's", "sed 's/ *([^)]*)$//'")
    ):  # fmt: skip
        names: set[str] = set()
        for number, line in enumerate(lines):
            words = line.split()
            if len(words) < 2 or not form.fullmatch(words[place]) or len(names) < number:
                break
            names.add(words[place])
        if len(names) == len(lines):
            warnings.warn(
                f"{path}: each line has a word of its own, such as {min(names)}, as in "
                f"{forms} lists of utterances, which counts as a word; without: {remedy} {path}",
                DataWarning,
                stacklevel=3,
            )


def read_references(paths: Sequence[str | Path], *, lowercase: bool = False) -> References:
    """Read files with one reference per line, line k of each file for sentence k.

    Warns (DataWarning) of blank ones, and where lines have names of utterances. Raises DataError
    where files differ in their number of lines, and for a file without any or with more than
    MOST_SENTENCES; TextError for the name of one file in place of a list.
    """
    check_listed(paths, "files of references", "a list of them: [file]")
    sides = [read_lines(path, most=MOST_SENTENCES) for path in paths]
    for path, side in zip(paths, sides, strict=True):
        if not side:
            raise DataError("no line", "a reference per line", file=path)
    for path, side in zip(paths, sides, strict=True):
        check_line_counts(paths[0], len(sides[0]), path, len(side))
    for path, side in zip(paths, sides, strict=True):
        _warn_of_names(side, path)
    references = References.from_sentences(list(zip(*sides, strict=True)))
    warn_of_blank(references, ", ".join(map(str, paths)))
    return references.lowercased() if lowercase else references
