"""Text for a decoder, held against the words of its phrase table."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import chain, islice
from pathlib import Path

from isogloss.align.errors import warn
from isogloss.align.files.text_io import iter_lines, split_fields, split_tokens
from isogloss.align.text.known_words.unknown_words import Model, exchanged, fit_text, fit_warning
from isogloss.features.table.sidecar import is_filtered_table
from isogloss.tune.decoder.model import Decoder

from .decoder_config import DecoderConfig

__all__ = ["WordCheck", "check_words"]

_TABLE = Model("the phrase table", "", most=0.08)
# by whether it was filtered for a text; None = nothing tells
_REMEDIES = {
    None: "They are copied. If the table was filtered for another text, pass the unfiltered table, "
    "or filter it for this text (--filter-for)",
    True: "They are copied. The table was filtered; if it was for another text, pass the "
    "unfiltered table, or filter it for this text (--filter-for)",
    False: "They are copied. The phrase table has no entry for them; a pruned table may have lost "
    "them. Extract the table from more or more similar text, or prune less",
}
_ENOUGH = 10_000  # words of a stream after which it is judged
_CAPITALS = 0.025  # share of words with a capital that is worth a closer look
_RULES = 2_000_000  # of a table that are looked through for what explains unknown words


class WordCheck:
    """Says once what differs between a text, given piece by piece, and a phrase table.

    name: what the text is called
    is_filtered: whether the decoder has only the rules of its table that the text can use
    """

    def __init__(
        self, config: DecoderConfig, decoder: Decoder, name: str, *, is_filtered: bool
    ) -> None:
        self._table = config.phrase_table if is_filtered and not config.is_saved else None
        self._filtered = None if config.is_saved else is_filtered_table(config.phrase_table)
        self._decoder, self._name = decoder, "standard input" if name == "-" else name
        self._counts = Counter[str]()
        self._words = 0
        self._told = False

    def add(self, sentences: Sequence[Sequence[str]]) -> None:
        """Count the words of some sentences; there may be enough of them now to judge by."""
        if self._told:
            return
        self._counts.update(chain.from_iterable(sentences))
        self._words += sum(map(len, sentences))
        if self._words >= _ENOUGH:
            self.tell()

    def tell(self) -> None:
        """Warn of a text that doesn't fit, unless that was done."""
        if self._told:
            return
        self._told = True
        rules = self._decoder.table
        source, target = (
            frozenset(side.vocabulary.words[1:]) for side in (rules.source, rules.target)
        )
        fit = fit_text(self._counts, source, target)
        if self._table is not None and (fit.share > _TABLE.most or self._lacks_capitals(source)):
            words = _words_of(self._table)
            fit = fit_text(self._counts, source | words[0], target | words[1])
        message = fit_warning(fit, self._name, replace(_TABLE, remedy=_REMEDIES[self._filtered]))
        if exchanged((fit,)):
            message = (
                f"{self._name} looks like text of the target language: the phrase table has "
                f"{100 * (1 - fit.share):.0f}% of its words as source and "
                f"{100 * fit.other_side / fit.words:.0f}% as target. Pass the source text"
            )
        if message:
            warn(message)

    def _lacks_capitals(self, source: Iterable[str]) -> bool:
        """Whether no word with a capital is known, though the text has many."""
        capital = sum(count for word, count in self._counts.items() if word != word.lower())
        return capital > _CAPITALS * self._counts.total() and all(
            word == word.lower() for word in source
        )


def check_words(
    config: DecoderConfig, decoder: Decoder, name: str, sentences: Sequence[Sequence[str]]
) -> None:
    """Warn of a text for which a decoder was opened, where the phrase table lacks its words."""
    check = WordCheck(config, decoder, name, is_filtered=True)
    check.add(sentences)
    check.tell()


def _words_of(table: Path) -> tuple[set[str], set[str]]:
    """The words of both sides of a table, of its first rules if there are very many."""
    sides = set[str](), set[str]()
    for line in islice(iter_lines(table), _RULES):
        for words, field in zip(sides, split_fields(line), strict=False):
            words.update(split_tokens(field))
    return sides
