"""N-gram models as columns: what an ARPA file holds."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ..errors import UnknownNameError, UsageError
from ..execution.calls import ExplainedClass, public
from ..files.outputs import check_unused
from ..files.writers import write_lines
from ..text.sentences import sentence_words
from .arpa import Columns, arpa_lines, read_arpa
from .words import MARKERS, all_plain

__all__ = ["NgramModel"]


@public
@dataclass(frozen=True, eq=False, repr=False)
class NgramModel(metaclass=ExplainedClass):
    """A backoff n-gram language model: the content of an ARPA file as columns.

    :func:`~isogloss.align.estimate_language_model` makes one from text.

    Parameters
    ----------
    order : int
        Length of the longest n-grams.
    words : tuple of str
        Word types by id; 0 = ``<unk>``, 1 = ``<s>``, 2 = ``</s>``.
    ngrams : tuple of ndarray of int32, shape (n_k, k)
        Word ids of the n-grams of each order k, oldest first.
    log_probability : tuple of ndarray of float32, shape (n_k,)
        log10 p(last word | words before it), by order.
    log_backoff : tuple of ndarray of float32, shape (n_k,)
        log10 of the weight given to shorter histories if the n-gram is the history, by order; 0 if
        there is none, and in the highest order.

    Raises
    ------
    ValueError
        If the arrays don't fit together, or an ARPA file can't hold a word.

    Examples
    --------
    >>> import isogloss as ig
    >>> bitext = ig.read_bitext("data/train.en.gz", "data/train.es.gz")
    >>> model = ig.estimate_language_model(bitext.target, order=2)
    >>> model.order, model.words[:5]
    (2, ('<unk>', '<s>', '</s>', 'su', 'ratón'))
    >>> round(model["el"], 2), round(model["la casa"], 2)  # log10 probabilities
    (-1.57, -3.09)
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

    def __getitem__(self, ngram: str | Sequence[str]) -> float:
        """log10 p(last word | words before it) of an n-gram of the model.

        ngram: text that is split at whitespace, or words

        Raises UnknownNameError for an n-gram that isn't stored.
        """
        words = sentence_words(ngram, "ngram")
        if not 1 <= len(words) <= self.order:
            raise UsageError(f"an n-gram must have 1 to {self.order} words, got {len(words)}")
        if set(words) <= set(self.words):
            ids = [self.words.index(word) for word in words]
            found = np.flatnonzero((self.ngrams[len(ids) - 1] == ids).all(1))
            if len(found):
                return float(self.log_probability[len(ids) - 1][found[0]])
        raise UnknownNameError(
            f"the language model has no n-gram {' '.join(words)!r}; shorter n-grams may be stored"
        )

    def __contains__(self, ngram: object) -> bool:
        """Whether an n-gram is stored, as text or words."""
        if not isinstance(ngram, str | list | tuple):
            return False
        try:
            self[ngram]
        except UsageError:  # unknown, or of more words than the order
            return False
        return True

    def __iter__(self) -> Iterator[str]:
        """Yield the n-grams as text, shorter ones first."""
        for rows in self.ngrams:
            for row in rows.tolist():
                yield " ".join(self.words[word] for word in row)

    def __len__(self) -> int:
        """Number of n-grams of all orders."""
        return sum(map(len, self.ngrams))

    def __repr__(self) -> str:
        sizes = ", ".join(f"{len(rows):,}" for rows in self.ngrams)
        return f"NgramModel(order {self.order}; {len(self.words):,} words; n-grams: {sizes})"

    @classmethod
    def load(cls, path: str | Path) -> "NgramModel":
        """Read a model from ARPA text.

        Words get ids in the order of the unigrams, after the three markers. A missing backoff
        weight is 0. :func:`~isogloss.tune.read_language_model` also reads KenLM's binary files.

        Parameters
        ----------
        path : str or Path
            Plain or compressed text, recognized by its first bytes.

        Returns
        -------
        NgramModel

        Raises
        ------
        DataError
            If the file can't be read or is truncated, a section has another number of lines than
            the header says, or a line is malformed.

        Examples
        --------
        >>> import isogloss as ig
        >>> bitext = ig.read_bitext("data/train.en.gz", "data/train.es.gz")
        >>> model = ig.estimate_language_model(bitext.target, order=2)
        >>> model.save("lm.arpa.gz")
        >>> ig.NgramModel.load("lm.arpa.gz") == model
        True
        """
        columns = read_arpa(path)
        return cls(
            len(columns.ngrams), columns.words, columns.ngrams, columns.log_probability,
            columns.log_backoff,
        )  # fmt: skip

    def save(self, path: str | Path | None, *, overwrite: bool | None = None) -> None:
        """Write the model as ARPA text, which KenLM, SRILM and Moses read.

        Numbers have nine significant digits, enough to read the same float32 again.

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
        OutputError
            If the file can't be written.
        """
        check_unused(path, overwrite)
        columns = Columns(self.words, self.ngrams, self.log_probability, self.log_backoff)
        write_lines(arpa_lines(columns), path)
