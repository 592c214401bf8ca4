"""Bitext: sentence pairs, with domain labels where they are known."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, overload

import numpy as np
from numpy.typing import NDArray

from ..arrays.row_choice import Rows, row_number, rows_chosen
from ..errors import DataError, UsageError, WrongTypeError, check_argument, pluralize, shown
from ..execution.calls import ExplainedClass, public
from ..files.outputs import check_unused
from ..files.records import is_name
from ..files.tables.html import html_table
from ..files.text_io import iter_lines
from ..files.writers import write_lines
from ..links.formats.pharaoh import check_num_pairs
from .corpus import Corpus, CorpusBuilder, shortened
from .length_limit import checked_lengths
from .sentences import (
    Sentences,
    Table,
    domain_labels,
    sentence_words,
    table_sides,
    values_of,
    words_of_sentences,
)

__all__ = ["PART", "UNLABELED", "Bitext", "SentencePair"]

UNLABELED = -1  # label of a pair whose domain is not known
_ROWS = 10  # of a table in a notebook
PART = 1 << 15  # pairs of a large text that are aligned at a time


class SentencePair(NamedTuple):
    """A sentence pair: ``for source, target, label in bitext``.

    source, target: words of each side; label: name of its domain, None if it is unknown.
    """

    source: list[str]
    target: list[str]
    label: str | None

    def _repr_html_(self) -> str:
        places = map(str, range(max(len(self.source), len(self.target))))
        rows = [("source", *self.source), ("target", *self.target)]
        return html_table(f"Sentence pair: {self.label or 'no label'}", ("side", *places), rows)


@public
@dataclass(frozen=True, eq=False)
class Bitext(metaclass=ExplainedClass):
    """Sentence pairs, with domain labels if they are known.

    Make one with :meth:`from_sentences`, :meth:`from_pairs` or
    :func:`~isogloss.align.read_bitext`. ``bitext[3]`` is a :class:`SentencePair`;
    ``bitext[10:20]``, ``bitext[mask]`` and ``bitext[[4, 2]]`` are bitexts. Two bitexts are equal
    if their sentences and labels are.

    Parameters
    ----------
    source, target : Corpus
        The same number of sentences; pair k is sentence k of both.
    label_ids : ndarray of int16, shape (n_pairs,)
        Index into ``domains``, -1 for unknown; :attr:`labels` has the names.
    domains : tuple of str
        Names of the labeled domains.

    Raises
    ------
    DataError
        If there are too many pairs to number their links.

    Examples
    --------
    >>> import isogloss as ig
    >>> bitext = ig.Bitext.from_sentences(
    ...     ["the house", "a book"], ["la casa", "un libro"], labels=["everyday", None]
    ... )
    >>> bitext[0]
    SentencePair(source=['the', 'house'], target=['la', 'casa'], label='everyday')
    >>> len(bitext[bitext.labels == "everyday"])
    1
    """

    source: Corpus
    target: Corpus
    label_ids: NDArray[np.int16]
    domains: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for side, role in ((self.source, "source"), (self.target, "target")):
            check_argument(side, Corpus, role, "a Corpus", "Bitext.from_sentences(source, target)")
        if len(self.source) != len(self.target):
            raise ValueError("both sides of a bitext must have the same number of sentences")
        check_num_pairs(len(self))
        if len(self.label_ids) != len(self.source):
            raise ValueError("a bitext must have one label per pair")
        ids = self.label_ids
        if len(ids) and not -1 <= ids.min() <= ids.max() < len(self.domains):
            raise ValueError("labels must be -1 or an index into the domain names")
        if len(set(self.domains)) != len(self.domains):
            raise ValueError("domain names must be unique")
        if not all(map(is_name, self.domains)):
            raise ValueError("domain names must be printable and contain no whitespace")

    def __len__(self) -> int:
        return len(self.source)

    @overload
    def __getitem__(self, number: int) -> SentencePair: ...
    @overload
    def __getitem__(self, number: Rows) -> "Bitext": ...
    def __getitem__(self, number: int | Rows) -> "SentencePair | Bitext":
        if not isinstance(number, int | np.integer):
            return self.select(number)
        number = row_number(number, len(self), "sentence pair")
        label = int(self.label_ids[number])
        return SentencePair(
            self.source.words(number),
            self.target.words(number),
            None if label == UNLABELED else self.domains[label],
        )

    def __iter__(self) -> Iterator[SentencePair]:
        return (self[number] for number in range(len(self)))

    def __contains__(self, pair: object) -> bool:
        """Whether a pair is one of these; each side is a string or a list of words.

        A :class:`SentencePair` is one of these if its label is the same, too.
        """
        if isinstance(pair, str) or not isinstance(pair, Sequence) or len(pair) not in (2, 3):
            raise WrongTypeError(
                f"the pair must be (source, target), not {shown(pair)}; use "
                "`sentence in bitext.source` for one side"
            )
        rows = self.source.find(pair[0])
        rows = rows[np.isin(rows, self.target.find(pair[1]))]
        return bool(len(rows)) and (len(pair) == 2 or (pair[2] or "") in self.labels[rows])

    __hash__ = None  # type: ignore[assignment]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Bitext):
            return NotImplemented
        return self is other or (
            (self.source, self.target) == (other.source, other.target)
            and np.array_equal(self.labels, other.labels)
        )

    def _repr_html_(self) -> str:
        pairs = enumerate(self.select(slice(_ROWS)))
        rows = [(k, " ".join(pair.source), " ".join(pair.target), pair.label) for k, pair in pairs]
        title = repr(self).removeprefix("Bitext(").partition("; first")[0].rstrip(")")
        header = ("pair", "source", "target", "label")
        return html_table(f"Bitext: {title}", header, rows, len(self) - len(rows))

    def __repr__(self) -> str:
        labeled = np.bincount(self.label_ids + 1, minlength=len(self.domains) + 1)[1:].tolist()
        counts = [f"{name} {count:,}" for name, count in zip(self.domains, labeled, strict=True)]
        labels = f"labels: {', '.join(counts)}" if counts else "no labels"
        sides = (self.source, self.target) if len(self) else ()
        first = " | ".join(shortened(side.words(0)) for side in sides)
        return (
            f"Bitext({len(self):,} sentence pairs, {len(self.source.tokens):,} source and "
            f"{len(self.target.tokens):,} target tokens; {labels}{first and '; first: '}{first})"
        )

    @classmethod
    def from_sentences(
        cls,
        source: Sentences | Table,
        target: Sentences | None = None,
        labels: Iterable[str | None] | None = None,
    ) -> "Bitext":
        """Make a bitext of sentences in memory.

        Parameters
        ----------
        source, target : iterable of str or of iterables of str
            As many sentences on both sides: lists, generators, columns of pandas, polars or Arrow.
            Strings are split at whitespace. Without a target, ``source`` holds pairs, as in
            :meth:`from_pairs`.
        labels : iterable of str or None, optional
            Name of each pair's domain, None if it is unknown.

        Returns
        -------
        Bitext

        Raises
        ------
        WrongTypeError
            If a side isn't a list of sentences.
        DataError
            If the sides have different lengths, or a sentence is longer than 65,536 words.

        Examples
        --------
        >>> Bitext.from_sentences(["the house"], [["la", "casa"]])[0].target
        ['la', 'casa']
        """
        if target is None:
            return cls.from_pairs(source, labels)  # type: ignore[arg-type]
        sides = [
            checked_lengths(CorpusBuilder.filled(words_of_sentences(side, role)))
            for side, role in ((source, "source"), (target, "target"))
        ]
        if len(sides[0]) != len(sides[1]):
            raise DataError(
                f"the source has {pluralize(len(sides[0]), 'sentence')}, but the target has "
                f"{len(sides[1])}",
            )
        bitext = cls.unlabeled(*sides)
        return bitext if labels is None else bitext.with_labels(labels)

    @classmethod
    def from_pairs(
        cls,
        pairs: Iterable[Sequence[str | Iterable[str]]] | Table,
        labels: Iterable[str | None] | None = None,
    ) -> "Bitext":
        """Make a bitext of sentence pairs in memory.

        Parameters
        ----------
        pairs : iterable of (source, target), or table
            Each side is a string, split at whitespace, or a list of words. A table of pandas,
            polars or Arrow has two columns, the source first.
        labels : iterable of str or None, optional
            Name of each pair's domain, None if it is unknown.

        Returns
        -------
        Bitext

        Raises
        ------
        WrongTypeError
            If something isn't a pair of sentences.

        Examples
        --------
        >>> Bitext.from_pairs([("the house", "la casa"), ("a book", "un libro")])[1].source
        ['a', 'book']
        """
        if hasattr(pairs, "columns"):
            return cls.from_sentences(*table_sides(pairs), labels)
        builders = CorpusBuilder(), CorpusBuilder()
        for number, pair in enumerate(values_of(pairs, "pairs")):
            if isinstance(pair, np.ndarray):
                pair = pair.tolist()
            if isinstance(pair, SentencePair):
                pair = pair[:2]
            if isinstance(pair, str) or not isinstance(pair, Sequence) or len(pair) != 2:
                raise WrongTypeError(f"pairs[{number}] must be (source, target), not {shown(pair)}")
            for builder, side, role in zip(builders, pair, ("source", "target"), strict=True):
                builder.add(sentence_words(side, f"the {role} of pairs[{number}]"))
        bitext = cls.unlabeled(*(checked_lengths(builder.build()) for builder in builders))
        return bitext if labels is None else bitext.with_labels(labels)

    @classmethod
    def unlabeled(cls, source: Corpus, target: Corpus) -> "Bitext":
        """Make a bitext without domain labels of two corpora.

        Parameters
        ----------
        source, target : Corpus
            The same number of sentences; pair k is sentence k of both.

        Returns
        -------
        Bitext
        """
        return cls(source, target, np.full(len(source), UNLABELED, np.int16))

    @classmethod
    def concat(cls, bitexts: Iterable["Bitext"]) -> "Bitext":
        """Concatenate bitexts; their domains are matched by name.

        Parameters
        ----------
        bitexts : iterable of Bitext
            At least one.

        Returns
        -------
        Bitext

        Raises
        ------
        UsageError
            If there is no bitext, or something else is among them.

        Examples
        --------
        >>> one = Bitext.from_sentences(["the house"], ["la casa"], ["everyday"])
        >>> Bitext.concat([one, Bitext.from_sentences(["a book"], ["un libro"])]).labels.tolist()
        ['everyday', '']
        """
        parts = list(bitexts)
        if not parts:
            raise UsageError("the list of bitexts is empty; pass at least one")
        for number, part in enumerate(parts):
            check_argument(part, Bitext, f"bitexts[{number}]", "a Bitext", "concat([one, other])")
        names = sorted({name for part in parts for name in part.domains})
        ids = [
            np.array([*map(names.index, part.domains), UNLABELED], np.int16)[part.label_ids]
            for part in parts
        ]
        sides = zip(*((part.source, part.target) for part in parts), strict=True)
        joined = cls.unlabeled(*map(Corpus.joined, sides))
        return joined.with_numbered_labels(np.concatenate(ids), tuple(names))

    @property
    def labels(self) -> NDArray[np.str_]:
        """Name of each pair's domain, an empty string if it is unknown: str[num_pairs]."""
        return np.array([*self.domains, ""])[self.label_ids]

    @property
    def usable(self) -> NDArray[np.bool_]:
        """Whether each pair has a word on both sides: bool[num_pairs]."""
        return (self.source.lengths > 0) & (self.target.lengths > 0)

    def reversed(self) -> "Bitext":
        """Exchange the two sides. No array is copied."""
        return Bitext(self.target, self.source, self.label_ids, self.domains)

    def with_labels(self, labels: Iterable[str | None]) -> "Bitext":
        """Return the same pairs with other domain labels.

        Parameters
        ----------
        labels : iterable of str or None
            Name of each pair's domain; None, an empty string or ``-`` if it is unknown.

        Returns
        -------
        Bitext

        Raises
        ------
        DataError
            If there are more or fewer labels than pairs.
        """
        return self.with_numbered_labels(*domain_labels(labels, len(self)))

    def with_numbered_labels(self, labels: NDArray[np.int16], domains: tuple[str, ...]) -> "Bitext":
        """Return the same pairs with other labels, given as numbers.

        Parameters
        ----------
        labels : ndarray of int16, shape (n_pairs,)
            Index into ``domains``, -1 for unknown.
        domains : tuple of str
            Names of the labeled domains.

        Returns
        -------
        Bitext
        """
        return Bitext(self.source, self.target, labels, domains)

    def select(self, rows: Rows) -> "Bitext":
        """Return some sentence pairs, in the order given.

        Parameters
        ----------
        rows : slice, list of int, or ndarray of int64 or bool
            Indices of pairs, or a boolean mask.

        Returns
        -------
        Bitext

        Raises
        ------
        IndexError
            If a number is out of range, or a mask has another length.
        """
        rows = rows_chosen(rows, len(self), "sentence pairs")
        return Bitext(
            self.source.select(rows), self.target.select(rows), self.label_ids[rows], self.domains
        )

    @classmethod
    def load(
        cls,
        path: str | Path,
        target: str | Path | None = None,
        *,
        labels: str | Path | None = None,
    ) -> "Bitext":
        """Read a bitext that :meth:`save` has written.

        :func:`~isogloss.align.read_bitext` reads the files of other programs.

        Parameters
        ----------
        path : str or Path
            TSV of source, target and perhaps label, or, with a target, the source sentences.
        target : str or Path, optional
            File of the target sentences.
        labels : str or Path, optional
            File of the labels.

        Returns
        -------
        Bitext

        Raises
        ------
        DataError
            If a file can't be read, or a line has another number of fields.

        Examples
        --------
        >>> import isogloss as ig
        >>> bitext = ig.Bitext.from_sentences(["a house"], ["una casa"], labels=["everyday"])
        >>> bitext.save("pairs.tsv")
        >>> ig.Bitext.load("pairs.tsv") == bitext
        True
        """
        if target is None:
            rows = [line.split("\t") for line in iter_lines(path)]
            for number, row in enumerate(rows, start=1):
                if len(row) not in (2, 3) or len(row) != len(rows[0]):
                    raise DataError(
                        f"the line has {pluralize(len(row), 'field')}",
                        "source<TAB>target, or source<TAB>target<TAB>label in all lines", file=path,
                        line=number, remedy="Read other formats with read_bitext",
                    )  # fmt: skip
            column = [row[2] for row in rows if len(row) > 2]
            bitext = cls.from_pairs([row[:2] for row in rows], column or None)
        else:
            bitext = cls.from_sentences(Corpus.load(path), Corpus.load(target))
        return bitext if labels is None else bitext.with_labels(list(iter_lines(labels)))

    def save(
        self,
        path: str | Path,
        target: str | Path | None = None,
        *,
        overwrite: bool | None = None,
        labels: str | Path | None = None,
    ) -> None:
        """Write the sentences as text.

        Parameters
        ----------
        path : str or Path
            TSV file of the pairs, with their labels as a third column if there are any; or, with a
            target, file of the source sentences. Names that end in .gz, .bz2, .xz or .zst are
            compressed.
        target : str or Path, optional
            File of the target sentences.
        overwrite : bool, optional
            Whether an existing file or folder is replaced, or else an error. Default: a file is
            replaced, a folder is an error.
        labels : str or Path, optional
            File of the labels, ``-`` for unknown.

        Raises
        ------
        ModelError
            If the path exists and may not be replaced.
        DataError
            If words are unknown to the vocabulary, so that there is no text.
        OutputError
            If the file can't be written.
        """
        for file in (path, target, labels):
            check_unused(file, overwrite)
        label = [name or "-" for name in self.labels.tolist()]
        sides = list(self.source.texts()), list(self.target.texts())
        if target is None:
            columns = (*sides, label) if self.domains else sides
            write_lines(map("\t".join, zip(*columns, strict=True)), path)
        else:
            write_lines(sides[0], path)
            write_lines(sides[1], target)
        if labels is not None:
            write_lines(label, labels)

    def parts(self) -> Iterator[tuple[int, "Bitext"]]:
        """Iterate over consecutive parts of at most PART sentence pairs.

        Yields
        ------
        tuple of (int, Bitext)
            Number of the first pair, and the part. A bitext without pairs has one empty part.
        """
        for begin in range(0, max(len(self), 1), PART):
            yield begin, self if len(self) <= PART else self[begin : begin + PART]
