"""Translations of one word, domain beside domain."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..arrays.equality import ComparedByContent
from ..arrays.ragged import row_numbers
from ..errors import check_argument
from ..execution.calls import ExplainedClass, public
from ..files.tables.columns import Column, NamedNumbers
from ..files.tables.tabular import Tabular
from ..links.links import Links
from ..text.bitext import Bitext

__all__ = ["Translation", "Translations", "count_translations"]

_SHOWN = 3  # translations that a representation shows
_WIDTH = 100  # characters of its lines


class Translation(NamedTuple):
    """A translation of a word in a domain.

    Parameters
    ----------
    word, domain : str
        The translation, and the domain.
    probability : float
        P(translation | word, domain).
    links : float or None
        Expected links of the two words in the text of the domain; None if they are unknown.
    """

    word: str
    domain: str
    probability: float
    links: float | None


@public
@dataclass(frozen=True, eq=False, repr=False)
class Translations(ComparedByContent, Tabular, metaclass=ExplainedClass):
    """Translations of one word in each domain: a sequence of :class:`Translation`.

    :meth:`AlignmentModel.translations` makes them. ``print`` shows the whole table.

    Parameters
    ----------
    word : str
        The word that is translated.
    direction : str
        "s2t" if it is a source word, "t2s" if it is a target word.
    domains : tuple of str
        Names.
    words : tuple of str
        Its translations; those that are most probable in some domain come first.
    probability : ndarray of float32, shape (n_words, n_domains)
        P(translation | word, domain).
    links : ndarray of float64, shape (n_words, n_domains), default None
        Links expected in the text of each domain: each link counts P(domain) of its sentence pair,
        as :meth:`AlignmentModel.domain_posteriors` computes it.
        A translation with a probability but no links comes from other domains. None if the text
        isn't known: a model that was loaded counts links in the ``bitext`` that it is given.

    Examples
    --------
    >>> table = model.translations("driver")
    >>> [row.word for row in table if row.domain == "everyday" and row.links > 20]
    ['conductor']
    """

    word: str
    direction: str
    domains: tuple[str, ...]
    words: tuple[str, ...]
    probability: NDArray[np.float32]
    links: NDArray[np.float64] | None = None

    def __post_init__(self) -> None:
        shape = (len(self.words), len(self.domains))
        tables = (self.probability,) if self.links is None else (self.probability, self.links)
        if any(table.shape != shape for table in tables):
            raise ValueError("translations must have one row per word and one column per domain")

    def __len__(self) -> int:
        return len(self.words) * len(self.domains)

    def __getitem__(self, number: int) -> Translation:
        remedy = "[row for row in table if row.domain == NAME] for a domain"
        check_argument(
            number, (int, np.integer), "the index of a translation", "an integer", remedy
        )
        if not -len(self) <= number < len(self):
            raise IndexError(f"translation {number} is out of range: there are {len(self)}")
        word, domain = divmod(number % len(self), len(self.domains))
        count = None if self.links is None else float(self.links[word, domain])
        probability = float(self.probability[word, domain])
        return Translation(self.words[word], self.domains[domain], probability, count)

    def __iter__(self) -> Iterator[Translation]:
        return (self[number] for number in range(len(self)))

    def __repr__(self) -> str:
        return "\n".join(line[:_WIDTH] for line in self._lines(_SHOWN, _WIDTH))

    def __str__(self) -> str:
        return "\n".join(self._lines(len(self.words), None))

    def _lines(self, most: int, width: int | None) -> list[str]:
        """A heading, and a table with a line per translation. width: of a line, None = any"""
        words = self.words[:most]
        first = max(map(len, words), default=0)
        columns = [
            [domain, *(self._cell(row, column) for row in range(len(words)))]
            for column, domain in enumerate(self.domains)
        ]
        table = [f"  {text:{first}}" for text in ("", *words)]
        for number, column in enumerate(columns):
            wide = max(map(len, column))
            more = number + 1 < len(columns)
            if width is not None and len(table[0]) + wide + 2 + 5 * more > width:
                table = [f"{line}  ..." for line in table]
                break
            table = [f"{line}  {cell:>{wide}}" for line, cell in zip(table, column, strict=True)]
        known = " (links: pass bitext=...)" if self.links is None else " and expected links"
        given = "source" if self.direction == "s2t" else "target"
        shown = "" if len(words) == len(self.words) else f"{len(words)} of "
        heading = (
            f"Translations of the {given} word {self.word!r}: {shown}{len(self.words)}, with "
            f"probability{known}"
        )
        return [heading, *table] if words else [heading]

    def _cell(self, row: int, column: int) -> str:
        count = "" if self.links is None else f" ({self.links[row, column]:.1f})"
        return f"{self.probability[row, column]:.2f}{count}"

    def table_columns(self) -> dict[str, Column]:
        """Return the columns of the table, one row per translation and domain.

        Returns
        -------
        dict
            word (the translation), domain, probability and expected links, NaN if unknown.
        """
        words, domains = len(self.words), len(self.domains)
        counts = np.full((words, domains), np.nan) if self.links is None else self.links
        return {
            "word": NamedNumbers(np.repeat(np.arange(words, dtype=np.int32), domains), self.words),
            "domain": NamedNumbers(
                np.tile(np.arange(domains, dtype=np.int32), words), self.domains
            ),
            "probability": np.ascontiguousarray(self.probability).reshape(-1),
            "links": np.ascontiguousarray(counts).reshape(-1),
        }


def count_translations(
    links: Links,
    bitext: Bitext,
    posterior: NDArray[np.float64],
    word: int,
    others: NDArray[np.int32],
    direction: str,
) -> NDArray[np.float64]:
    """Links of a word with each of some others that are expected in each domain: float64[n, D].

    posterior: float64[num_pairs, D], P(D | f, e)
    word: its number; others: int32[n], numbers of words of the other side
    """
    pair = row_numbers(links.offsets)
    sides = [
        side.tokens[side.offsets[pair] + positions]
        for side, positions in ((bitext.source, links.source), (bitext.target, links.target))
    ]
    given, generated = sides if direction == "s2t" else sides[::-1]
    counts = np.zeros((len(others), posterior.shape[1]))
    if not len(others):
        return counts
    order = np.argsort(others)
    places = np.searchsorted(others, generated, sorter=order)
    places = order[np.minimum(places, len(others) - 1)]
    found = (given == word) & (others[places] == generated)
    np.add.at(counts, places[found], posterior[pair[found]])
    return counts
