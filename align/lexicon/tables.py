"""LexicalTable: word translation probabilities of one direction; LexicalEntries: weighted pairs."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..arrays.equality import ComparedByContent
from ..errors import UsageError, check_word, did_you_mean
from ..execution.calls import ExplainedClass, public
from ..files.stored_folder import StoredFolder
from ..files.tables.columns import Column, NamedNumbers
from ..files.tables.tabular import Tabular
from ..text.vocabulary import Vocabulary
from .stored import LEXICON_FORMAT, stored_vocabulary

__all__ = [
    "LexicalEntries",
    "LexicalTable",
    "conditional_entropy",
    "coverage",
    "unknown_word",
    "word_entropies",
]

_SHOWN = 3  # translations that a representation shows
_EDITS = 2  # characters by which near spellings differ in length


@public
@dataclass(frozen=True, eq=False, repr=False)
class LexicalTable(ComparedByContent, Tabular, metaclass=ExplainedClass):
    """Word translation probabilities t(generated | given): a mapping of given words.

    ``lexicon["casa"]`` has the translations of a word and their probabilities, best first;
    ``lexicon[None]`` has those of NULL, the empty word. Iteration gives the words that have any.

    Parameters
    ----------
    generated, given : ndarray of int32, shape (n_pairs,)
        Word ids of the pairs that were seen together.
    probability : ndarray of float32, shape (n_pairs,)
        The entries of one given word sum to 1.
    null : ndarray of float32, shape (n_generated_types,)
        t(generated | NULL).
    generated_vocabulary, given_vocabulary : Vocabulary
        Words of the ids.
    direction : str
        "s2t" if target words are generated from source words, "t2s" the other way.

    Examples
    --------
    >>> import isogloss as ig
    >>> model = ig.train(ig.Bitext.from_sentences(["la casa", "casa"], ["the house", "house"]))
    >>> lexicon = model.lexicon("s2t")
    >>> max(lexicon["casa"].items(), key=lambda entry: entry[1])[0]
    'house'
    >>> "house" in lexicon, "casa" in lexicon
    (False, True)
    """

    generated: NDArray[np.int32]
    given: NDArray[np.int32]
    probability: NDArray[np.float32]
    null: NDArray[np.float32]
    generated_vocabulary: Vocabulary
    given_vocabulary: Vocabulary
    direction: str

    def __len__(self) -> int:
        return int(np.count_nonzero(_has_row(self)[1:]))

    def __iter__(self) -> Iterator[str]:
        return map(self.given_vocabulary.words.__getitem__, self._words().tolist())

    def keys(self) -> Iterator[str]:
        """Iterate over the words that have a translation, by id.

        Returns
        -------
        iterator of str
        """
        return iter(self)

    def items(self) -> Iterator[tuple[str, dict[str, float]]]:
        """Iterate over the words and their translations.

        Returns
        -------
        iterator of (str, dict of float)
        """
        return ((word, self[word]) for word in self)

    def __contains__(self, word: object) -> bool:
        """Whether a word has a translation; None is NULL."""
        if word is None:
            return bool(self.null.any())
        number = self.given_vocabulary.get(word) if isinstance(word, str) else -1
        return number > 0 and bool(self.probability[self.given == number].any())

    def __getitem__(self, word: str | None) -> dict[str, float]:
        """Return the translations of a word and their probabilities, best first.

        Raises UsageError for a word that the vocabulary lacks, WrongTypeError for what is no word.
        """
        if word is None:
            generated, probability = np.arange(len(self.null), dtype=np.int32), self.null
        else:
            check_word(word)
            number = self.given_vocabulary.get(word)
            if number < 0:
                hint = "; use None for the empty word" if word == "NULL" else ""
                known = self.given_vocabulary.words[1:]
                side = "source" if self.direction == "s2t" else "target"
                raise UsageError(unknown_word(word, known, f"{side} words") + hint)
            rows = np.flatnonzero(self.given == number)
            generated, probability = self.generated[rows], self.probability[rows]
        order = np.lexsort((generated, -probability))
        order = order[probability[order] > 0.0]
        names = map(self.generated_vocabulary.words.__getitem__, generated[order].tolist())
        return dict(zip(names, probability[order].tolist(), strict=True))

    def __repr__(self) -> str:
        given, generated = ("source", "target") if self.direction == "s2t" else ("target", "source")
        numbers = self._words()[:1].tolist()
        first = ""
        for word in map(self.given_vocabulary.words.__getitem__, numbers):
            found = [f"{name} {value:.2f}" for name, value in list(self[word].items())[:_SHOWN]]
            first = f";\n  first: {word} -> {', '.join(found)}"
        return (
            f"LexicalTable({self.direction}, t({generated} | {given}): {len(self):,} {given} and "
            f"{len(self.generated_vocabulary) - 1:,} {generated} words, {len(self.given):,} pairs"
            f"{first})"
        )

    def _words(self) -> NDArray[np.int64]:
        """The given words that have a row, but for NULL: int64[n]."""
        return 1 + np.flatnonzero(_has_row(self)[1:])

    @classmethod
    def load(cls, path: str | Path) -> "LexicalTable":
        """Read a table that :meth:`save` has written.

        Parameters
        ----------
        path : str or Path
            A folder.

        Returns
        -------
        LexicalTable

        Raises
        ------
        ModelError
            If the folder is missing, damaged or of another version.

        Examples
        --------
        >>> from isogloss.align import LexicalTable
        >>> lexicon = model.lexicon("s2t", "legal")
        >>> lexicon.save("lexicon")
        >>> LexicalTable.load("lexicon") == lexicon
        True
        """
        return LEXICON_FORMAT.read(path, cls._of_folder)

    @classmethod
    def _of_folder(cls, stored: StoredFolder) -> "LexicalTable":
        """Raises ValueError for arrays that don't fit together."""
        given, generated = (stored_vocabulary(stored, side) for side in ("given", "generated"))
        ids = {"generated": generated, "given": given}
        arrays = {name: stored.typed(name, np.int32, None) for name in ids}
        for name, vocabulary in ids.items():
            if len(arrays[name]) and not 0 <= arrays[name].min() <= arrays[name].max() < len(
                vocabulary
            ):
                raise ValueError(f"{name} holds an id outside of the vocabulary")
        probability = stored.finite("probability", np.float32, len(arrays["given"]))
        null = stored.finite("null", np.float32, len(generated))
        if len(arrays["given"]) != len(arrays["generated"]):
            raise ValueError("there must be one generated word per given word")
        return cls(
            arrays["generated"], arrays["given"], probability, null, generated, given,
            stored.header["direction"],
        )  # fmt: skip

    def save(self, path: str | Path, *, overwrite: bool | None = None) -> None:
        """Write the table to a folder.

        ``isogloss lexicon`` writes the text that other programs read.

        Parameters
        ----------
        path : str or Path
            A folder.
        overwrite : bool, optional
            Whether an existing file or folder is replaced, or else an error. Default: a file is
            replaced, a folder is an error.

        Raises
        ------
        ModelError
            If the path exists and may not be replaced.
        OutputError
            If it can't be written.
        """
        with LEXICON_FORMAT.write(path, overwrite=overwrite) as new:
            for name in ("generated", "given", "probability", "null"):
                new.write_arrays({name: getattr(self, name)})
            sides = {"generated": self.generated_vocabulary, "given": self.given_vocabulary}
            for side, vocabulary in sides.items():
                text, offsets = vocabulary.to_bytes()
                new.write_arrays({f"{side}.words": text, f"{side}.offsets": offsets})
            new.values["direction"] = self.direction

    def columns(
        self, minimum: float = 0.0, ratio: float = 0.0, null: bool = True
    ) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.float32]]:
        """Return the entries by given word, most probable first, NULL before all words.

        Parameters
        ----------
        minimum : float, default 0.0
            Entries are above it.
        ratio : float, default 0.0
            Entries are at least this times the best of their given word.
        null : bool, default True
            Return the entries of NULL, too.

        Returns
        -------
        given, generated : ndarray of int32, shape (n,)
            Word ids; 0 = NULL.
        probability : ndarray of float32, shape (n,)
        """
        of_null = np.arange(1, len(self.null), dtype=np.int32) if null else np.zeros(0, np.int32)
        given = np.concatenate([np.zeros(len(of_null), np.int32), self.given])
        generated = np.concatenate([of_null, self.generated])
        probability = np.concatenate([self.null[of_null], self.probability])
        keep = probability > minimum
        if ratio > 0.0:
            best = np.zeros(len(self.given_vocabulary), np.float32)
            np.maximum.at(best, given, probability)
            keep &= probability >= np.float32(ratio) * best[given]
        rows = np.flatnonzero(keep)
        rows = rows[np.lexsort((generated[rows], -probability[rows], given[rows]))]
        return given[rows], generated[rows], probability[rows]

    def table_columns(self) -> dict[str, Column]:
        """Return given, generated and probability, in the order of :meth:`columns`.

        The empty word is a missing value.
        """
        given, generated, probability = self.columns()
        return {
            "given": NamedNumbers(given - 1, self.given_vocabulary.words[1:]),
            "generated": NamedNumbers(generated - 1, self.generated_vocabulary.words[1:]),
            "probability": probability,
        }

    def rows(self, minimum: float = 0.0) -> Iterator[tuple[str, str, float]]:
        """Iterate over (given, generated, probability), in order of :meth:`columns`.

        Parameters
        ----------
        minimum : float, default 0.0
            Entries are above it.

        Yields
        ------
        tuple of (str, str, float)
        """
        given, generated, probability = self.columns(minimum)
        return zip(
            map(self.given_vocabulary.words.__getitem__, given.tolist()),
            map(self.generated_vocabulary.words.__getitem__, generated.tolist()),
            probability.tolist(),
            strict=True,
        )


@dataclass(frozen=True, eq=False, repr=False)
class LexicalEntries(ComparedByContent):
    """Pairs of words with a weight, from a dictionary or from eflomal priors.

    source, target: int32[n], word ids, 0 = NULL; unique pairs, sorted by (source, target)
    weight: float64[n], pseudo-counts, above 0
    num_unknown: entries left out because a vocabulary lacks one of their words
    num_multiword: entries left out because a side has several words
    """

    source: NDArray[np.int32]
    target: NDArray[np.int32]
    weight: NDArray[np.float64]
    num_unknown: int = 0
    num_multiword: int = 0

    def __len__(self) -> int:
        return len(self.weight)

    def __repr__(self) -> str:
        return (
            f"LexicalEntries({len(self):,} pairs of words; left out: {self.num_unknown:,} with "
            f"unknown words, {self.num_multiword:,} with several words on a side)"
        )

    @classmethod
    def collect(
        cls, source: ArrayLike, target: ArrayLike, weight: ArrayLike, num_multiword: int = 0
    ) -> "LexicalEntries":
        """Build from columns in any order: id -1 is an unknown word, weights of a pair add up."""
        ids = np.array([source, target], np.int64).reshape(2, -1)
        known = (ids >= 0).all(0)
        weights = np.asarray(weight, np.float64)[known]
        pairs, inverse = np.unique(ids[0][known] << 32 | ids[1][known], return_inverse=True)
        total = np.bincount(inverse, weights, minlength=len(pairs)).astype(np.float64)
        used = total > 0.0
        return cls(
            (pairs[used] >> 32).astype(np.int32),
            (pairs[used] & 0xFFFFFFFF).astype(np.int32),
            total[used],
            int((~known).sum()),
            num_multiword,
        )


def conditional_entropy(table: LexicalTable, frequencies: NDArray[np.float64]) -> float:
    """H(F | E) in bits per word, weighted by the given words' relative frequencies (Table 2).

    frequencies: float64[num_given_types]; words without a row are left out.
    """
    entropies = word_entropies(table)
    weight = np.where(np.isnan(entropies), 0.0, frequencies)
    return float((weight * np.nan_to_num(entropies)).sum() / max(weight.sum(), 1e-300))


def word_entropies(table: LexicalTable) -> NDArray[np.float64]:
    """H(F | e) of each given word e in bits: float64[num_given_types], NaN without a row."""
    value = table.probability.astype(np.float64)
    with np.errstate(divide="ignore", invalid="ignore"):
        bits = np.where(value > 0, -value * np.log2(value), 0.0)
    sums = np.bincount(table.given, bits, minlength=len(table.given_vocabulary))
    return np.where(_has_row(table), sums, np.nan)


def coverage(table: LexicalTable, frequencies: NDArray[np.float64]) -> float:
    """Share of the given words that have a row. frequencies: float64[num_given_types], weights"""
    return float(frequencies[_has_row(table)].sum() / max(frequencies.sum(), 1e-300))


def _has_row(table: LexicalTable) -> NDArray[np.bool_]:
    types = len(table.given_vocabulary)
    return np.bincount(table.given, table.probability, minlength=types) > 0.0


def unknown_word(word: str, words: Sequence[str], role: str) -> str:
    """A message about a word that is none of some words, with the nearest ones.

    role: what the words are
    """
    if len(word.split()) > 1:
        return f"{word!r} contains several words; pass one of the {role}"
    alike = [
        other
        for other in words
        if abs(len(other) - len(word)) <= _EDITS
        and (other[:1].lower() == word[:1].lower() or other[-1:] == word[-1:])
    ]
    near = did_you_mean(word, alike, cutoff=0.7)
    return f"{word!r} is not among the {len(words):,} {role}" + (f"; {near}" if near else "")
