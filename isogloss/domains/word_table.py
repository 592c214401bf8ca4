"""The translations of one word, domain beside domain, as rows and as text."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from isogloss.align.domains.contrast import LEAST_LINKS
from isogloss.align.errors import MAX_INT
from isogloss.align.files.tables.sheets import Numeral
from isogloss.align.lexicon.translations import Translations
from isogloss.align.model.model import AlignmentModel

from ..report import table_lines
from .domain_text import DomainText

__all__ = ["WordTable", "word_table"]

Row = dict[str, Any]


@dataclass(frozen=True)
class WordTable:
    """Translations of a word: their probability and, of a text, their links in each domain."""

    translations: Translations

    def values(self) -> Row:
        """All of it, for JSON."""
        given = self.translations
        rows: dict[str, dict[str, Row]] = {word: {} for word in given.words}
        for word, domain, probability, links in given:
            count = {} if links is None else {"links": round(links, 1)}
            rows[word][domain] = {"probability": round(probability, 4), **count}
        return {
            "word": given.word,
            "direction": given.direction,
            "domains": list(given.domains),
            "translations": [{"translation": word, "domains": row} for word, row in rows.items()],
        }

    def flat_rows(self) -> list[Row]:
        """The rows of a sheet."""
        given, rows = self.translations, list[Row]()
        for number, word in enumerate(given.words):
            row: Row = {"translation": word}
            for name, probability in zip(given.domains, given.probability[number], strict=True):
                row[f"probability.{name}"] = Numeral(f"{probability:.4f}")
            if given.links is not None:
                for name, count in zip(given.domains, given.links[number], strict=True):
                    row[f"links.{name}"] = Numeral(f"{count:.1f}")
            rows.append(row)
        return rows

    def lines(self) -> Iterator[str]:
        """An aligned table: probabilities, and links in parentheses."""
        given = self.translations
        cells = [[word, *("" for _ in given.domains)] for word in given.words]
        for number, (_, _, probability, links) in enumerate(given):
            row, column = divmod(number, len(given.domains))
            count = "" if links is None else f" ({links:.0f})"
            cells[row][column + 1] = f"{probability:.2f}{count}"
        return iter(table_lines([given.word, *given.domains], cells))


def word_table(
    model: AlignmentModel,
    word: str,
    direction: str,
    text: DomainText | None,
    *,
    limit: int,
    threads: int = 1,
) -> WordTable:
    """The translations of a word in each domain, the most probable ones first.

    text: in which links are counted, best the training text; None = no counts. With a text,
        translations are only those that have half a link or more in some domain
    limit: translations

    Raises UsageError for a word that the model does not have.
    """
    bitext = None if text is None else text.encoded
    best = limit if text is None else MAX_INT
    table = model.translations(word, direction, best, threads, bitext=bitext)
    return WordTable(_linked(table, limit))


def _linked(table: Translations, limit: int) -> Translations:
    """The first translations, of those with links if links were counted."""
    if table.links is None:
        return table
    rows = np.flatnonzero((table.links >= LEAST_LINKS).any(1))[:limit]
    words = tuple(table.words[row] for row in rows.tolist())
    return replace(table, words=words, probability=table.probability[rows], links=table.links[rows])
