"""Sentence pairs brought together to a bitext, as they are read: all of them, or as they come."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from ..errors import DataError, pluralize, shown_file, warn
from ..files.records import is_name
from ..files.text_io import FIELD_SEPARATOR, split_tokens
from .bitext import Bitext
from .corpus import CorpusBuilder
from .formats.languages import Languages
from .formats.opening import open_pairs
from .formats.pair import Asked, Files, Forgive, Pair
from .length_limit import LengthLimit
from .vocabulary import Vocabulary

__all__ = [
    "LABEL_COLUMN",
    "LABEL_LINE",
    "PairCollector",
    "PairSettings",
    "Tokenizer",
    "bitext_blocks",
]

LABEL_COLUMN = "column"  # in place of a file of labels: the third column of a TSV
LABEL_LINE = "line"  # the line of a file of labels, which stands with each pair
_PROPERTY = "prop:"  # and, before its name, a property of TMX units or a key of JSON lines
_LINK = re.compile(r"\s*[0-9]+-[0-9]+")

# these look like blanks but are parts of tokens
_SUSPICIOUS = ("\u00a0", "\u202f", "\u3000", "\u200b", "\u2060", "\ufeff")


class Tokenizer:
    """Tokens of the lines (or units) of a file; counts those with odd spaces in their tokens."""

    # path: as the user gave it; file: the one that is read now, of several

    def __init__(self, path: str | Path, lowercase: bool, counted: str = "line") -> None:
        self._path, self._lowercase, self._counted = path, lowercase, counted
        self.file = path
        self._suspicious = self._last = 0
        self._first = ""

    def tokens(self, line: str, number: int) -> list[str]:
        """Tokens of line ``number``, split at blanks and tabs only."""
        if FIELD_SEPARATOR in line and FIELD_SEPARATOR in split_tokens(line):
            is_line = self._counted == "line"
            raise DataError(
                f"the text contains {FIELD_SEPARATOR} as a token"
                + ("" if is_line else f" in {self._counted} {number}"),
                f"text without {FIELD_SEPARATOR}, which separates fields in other files",
                file=self.file,
                line=number if is_line else None,
                remedy="Escape it (Moses uses &#124; for each bar), or remove the pair",
            )
        odd = not line.isascii() and any(mark in line for mark in _SUSPICIOUS)
        if odd and number != self._last:
            self._suspicious += 1
            self._first, self._last = self._first or self.place(number), number
        return split_tokens(line.lower() if self._lowercase else line)

    def place(self, number: int) -> str:
        """A line of the file that is read now, for messages."""
        of = "" if self.file == self._path else f" of {self.file}"
        return f"{self._counted} {number}{of}"

    def warn(self) -> None:
        """Warn of odd spaces, when all lines are read."""
        if self._suspicious:
            warn(
                f"{shown_file(self._path)}: "
                f"{pluralize(self._suspicious, self._counted, 'contains')} no-break or zero-width "
                f"spaces inside tokens (first: {self._first}); they are kept"
            )


@dataclass(frozen=True)
class PairSettings:
    """How a bitext is read, see :func:`isogloss.align.text.readers.read_bitext`.

    keep_links: whether links are kept, too
    forgive: of what comes in line by line: told of lines that can't be read, which are empty pairs
    labels: what names the domain of each pair, LABEL_COLUMN or prop:NAME; None = nothing
    columns: names of the sides in a table or JSON Lines
    """

    format: str | None = None
    languages: Languages | None = None
    lowercase: bool = False
    vocabularies: tuple[Vocabulary, Vocabulary] | None = None
    max_length: int = 0
    keep_links: bool = False
    labels: str | None = None
    forgive: Forgive | None = None
    columns: tuple[str, str] | None = None

    @classmethod
    def are_inside(cls, labels: str | Path | None) -> bool:
        """Whether labels stand beside the pairs, and not in a file of their own."""
        return labels == LABEL_COLUMN or str(labels).startswith(_PROPERTY)

    @property
    def prop(self) -> str | None:
        """The property of TMX units, key of JSON lines or column that labels pairs."""
        if self.labels is None or not self.labels.startswith(_PROPERTY):
            return None
        return self.labels.removeprefix(_PROPERTY)

    @property
    def asked(self) -> Asked:
        """What is read of files that have more."""
        return Asked(self.languages, self.prop, self.columns)


class PairCollector:
    """Tokens of sentence pairs, one after the other, and what is odd about them.

    source, target: as the user gave them, for messages; counted: what numbers the pairs
    files: that they are
    """

    def __init__(
        self,
        source: str | Path,
        target: str | Path | None,
        settings: PairSettings,
        counted: str = "line",
        files: Files = (),
    ) -> None:
        self._settings, self._counted = settings, counted
        sides = (source,) if target is None else (source, target)
        self._shown = ", ".join(map(shown_file, sides))
        self._files = files or [(source, target)]
        self._file = 0
        self._limit = LengthLimit(settings.max_length)
        self._tokenizers = [Tokenizer(source, settings.lowercase, counted)]
        if target is not None:
            self._tokenizers.append(Tokenizer(target, settings.lowercase, counted))
        self._empty, self._first_empty = 0, ""
        self._links: list[str] = []
        self._linked = False
        self._source = source
        self._labeled = False
        self._passed_over = ""
        self._longer, self._first_longer = 0, ""
        self._columns: int | None = None
        self._begin()

    def _begin(self) -> None:
        known = self._settings.vocabularies or (None, None)
        self._left, self._right = CorpusBuilder(known[0]), CorpusBuilder(known[1])
        self._labels: list[str] = []

    def add(self, pair: Pair) -> None:
        """Add a pair. Raises DataError for a token that is a mark of our formats."""
        link_text, number = pair.links, pair.number
        if pair.file != self._file:
            self._enter(pair.file)
        if pair.rest is not None:
            self._longer += 1
            self._first_longer = self._first_longer or self._tokenizers[0].place(number)
        if self._settings.keep_links or self._settings.labels == LABEL_COLUMN:
            self._check_columns(pair)
        try:
            source = self._tokenizers[0].tokens(pair.source, number)
            target = self._tokenizers[-1].tokens(pair.target, number)
        except DataError as error:
            if self._settings.forgive is None:
                raise
            self._settings.forgive(number, error)
            source, target = [], []
        if self._limit.exceeded(len(source), len(target), number):
            source, target = [], []
            link_text = link_text and ""
        elif not (source and target):
            self._empty += 1
            self._first_empty = self._first_empty or self._tokenizers[0].place(number)
        self._left.add(source)
        self._right.add(target)
        if self._settings.keep_links:
            self._links.append(link_text or "")
            self._linked = self._linked or link_text is not None
        elif self._settings.labels is None and link_text and not self._passed_over:
            self._passed_over = "" if _LINK.match(link_text) else link_text
        if self._settings.labels is not None:
            self._labels.append(self._label(pair))

    def _enter(self, file: int) -> None:
        """Name another file in messages."""
        self._file = file
        for tokenizer, side in zip(self._tokenizers, self._files[file], strict=False):
            assert side is not None
            tokenizer.file = side

    def _check_columns(self, pair: Pair) -> None:
        """Raise DataError where some lines have the third column that is read, and others not."""
        if not (pair.source or pair.target or pair.links):
            return
        columns = 2 if pair.links is None else 3
        self._columns = self._columns or columns
        if columns != self._columns:
            raise DataError(
                f"the line has {columns} columns",
                f"{self._columns} columns as in previous lines",
                file=self._tokenizers[0].file,
                line=pair.number,
                remedy="Correct the line",
            )

    def _label(self, pair: Pair) -> str:
        """The domain of a pair. Raises DataError for a name with blanks."""
        found = pair.links if self._settings.labels == LABEL_COLUMN else pair.label
        self._labeled = self._labeled or found is not None
        name = (found or "").strip(" \t") or "-"
        if not is_name(name):
            is_line = self._counted == "line"
            raise DataError(
                f"the domain is {name!r}"
                + ("" if is_line else f" in {self._counted} {pair.number}"),
                "one name without spaces, or -",
                file=self._tokenizers[0].file,
                line=pair.number if is_line else None,
                remedy="Use - for an unknown domain, and remove spaces from names",
            )
        return name

    def bitext(self) -> Bitext:
        """The pairs that were added since this was asked for last, without labels."""
        left, right = self._left.build(), self._right.build()
        self._begin()
        return Bitext.unlabeled(left, right)

    @property
    def labels(self) -> list[str]:
        """The domain of each pair that :meth:`bitext` gives next, ``-`` where there is none."""
        return self._labels

    def check_labeled(self) -> None:
        """Raise DataError where all pairs lack a label."""
        if not self._labeled:
            what = "third column"
            if self._settings.prop is not None:
                what = f"<prop type={self._settings.prop!r}> in TMX, or key or column of that name"
            raise DataError(
                f"no pair has a {what}", "a domain for at least one pair", file=self._source
            )

    @property
    def link_texts(self) -> list[str] | None:
        """The text of the links of each pair, None where there are no links."""
        return self._links if self._linked else None

    def warn(self) -> None:
        """Warn of what is odd, when all pairs are read."""
        for tokenizer in self._tokenizers:
            tokenizer.warn()
        self._limit.warn(self._shown, self._counted)
        if self._passed_over:
            warn(
                f"{self._shown}: the third column, such as {self._passed_over[:40]!r}, is "
                'ignored; to use it as domain label, pass `labels="column"` to `isogloss align`',
            )
        elif self._longer:  # else the third column is told of, which comes first
            warn(
                f"{self._shown}: columns after the third are ignored in "
                f"{pluralize(self._longer)} (first: {self._first_longer})",
            )
        if self._empty:
            warn(
                f"{self._shown}: {pluralize(self._empty, 'pair', 'has')} an empty side (first: "
                f"{self._first_empty}); such pairs have no links and no phrase pairs",
            )


def bitext_blocks(source: str | Path, settings: PairSettings, *, most: int) -> Iterator[Bitext]:
    """The pairs of one file in blocks of at most ``most``, as they come in.

    A block holds what is there: whoever writes to a pipe line by line gets an answer to each line
    before the next one, and one who writes faster is read many lines at a time. TMX is read in
    blocks, too, but not line by line.

    Raises DataError as :func:`isogloss.align.text.readers.read_bitext` does, after the pairs
    before.
    """
    opened = open_pairs(
        source, format=settings.format, asked=settings.asked, arriving=True,
        forgive=settings.forgive,
    )  # fmt: skip
    with opened as stream:
        sides = PairCollector(source, None, settings, stream.counted, stream.files)
        for first in stream.pairs:
            sides.add(first)
            lines = stream.arriving
            try:
                for pair in islice(stream.pairs, min(lines.waiting if lines else most, most - 1)):
                    sides.add(pair)
            except DataError:
                yield sides.bitext()
                raise
            yield sides.bitext()
    sides.warn()
