"""Links written for other tokenizations than those that are aligned."""

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import TypeVar

from isogloss.align.errors import DataError, UsageError, pluralize
from isogloss.align.links.links import Links
from isogloss.align.text.bitext import Bitext
from isogloss.align.text.corpus import Corpus
from isogloss.align.text.retokenization.retokenize import remap_links
from isogloss.align.text.retokenization.token_maps import Folding, TokenMap, map_tokens
from isogloss.align.text.retokenization.token_styles import detect_style

from ...console import Console
from ..shared import BitextOptions
from ..tokenizations import TokenFile, open_tokens

__all__ = ["Retokenizer"]

_OPTION = "--retokenize"
_T = TypeVar("_T")
_JUDGED = 10_000  # sentences that show how the tokens of a text are written


class Retokenizer:
    """Carries links over to other tokenizations of a text, one part after the other.

    given: SRC,TGT, each FILE, STYLE:FILE or ``characters:``, or nothing for a side that stays
    files: the text that is aligned

    Raises UsageError for another text in ``given``, DataError for a file that can't be read.
    """

    def __init__(self, given: str, files: BitextOptions, console: Console) -> None:
        parts = given.split(",")
        if len(parts) != 2 or not any(parts):
            raise UsageError(
                f"{_OPTION} must be SRC,TGT, each FILE, STYLE:FILE, characters: or nothing, got "
                f"{given!r}"
            )
        self._files = files
        self._folding = Folding(case=files.form.lowercase)
        self._new = [open_tokens(part, _OPTION, console) if part else None for part in parts]
        self._styles = ["plain", "plain"]
        self._done = 0

    def look_at(self, example: Bitext) -> None:
        """See how the tokens that are aligned are written. example: some of the pairs"""
        sides = example.source, example.target
        self._styles = [detect_style(list(islice(side, _JUDGED))) for side in sides]

    def skip(self, number: int) -> None:
        """Pass over the sentences of pairs whose links were carried over before."""
        for side in self._new:
            if side is not None and side.sentences is not None:
                next(islice(side.sentences, number - 1, None), None)
        self._done += number

    def links(self, links: Links, text: Bitext) -> Links:
        """Links of the next pairs between their new tokens. text: the pairs as they are aligned

        Raises DataError for new tokens that are not of the same text.
        """
        maps = [self._map(side, corpus) for side, corpus in enumerate((text.source, text.target))]
        self._done += len(text)
        return remap_links(links, maps[0], maps[1])[0]

    def parts(self, parts: Iterable[tuple[Links, _T]], text: Bitext) -> Iterator[tuple[Links, _T]]:
        """Links of all parts of a text between their new tokens, with what stands beside each."""
        done = 0
        for links, beside in parts:
            yield self.links(links, text[done : done + len(links)]), beside
            done += len(links)
        self.finish()

    def finish(self) -> None:
        """Raise DataError where a file goes on behind the last pair."""
        for side in self._new:
            if side is not None and side.sentences is not None and next(side.sentences, None):
                raise DataError(
                    "the file has more lines than the text",
                    f"{pluralize(self._done, 'line')}, one per sentence pair",
                    file=side.name,
                    line=self._done + 1,
                    remedy="Pass another tokenization of the same text",
                )

    def _map(self, side: int, corpus: Corpus) -> TokenMap | None:
        """The new tokens of each token of one side; None where the side stays as it is."""
        new = self._new[side]
        if new is None:
            return None
        name = self._files.source if side == 0 else self._files.target or self._files.source
        return map_tokens(
            corpus,
            None if new.sentences is None else self._sentences(new, corpus),
            styles=(self._styles[side], new.style),
            files=(name, new.name or name),
            folding=self._folding,
            first_line=self._done + 1,
        )

    def _sentences(self, new: TokenFile, corpus: Corpus) -> Iterator[list[str]]:
        """The new tokens of sentences; none of one that was too long, which has lost its words."""
        assert new.sentences is not None
        some = islice(new.sentences, len(corpus))
        for tokens, length in zip(some, corpus.lengths.tolist(), strict=False):
            yield tokens if length else []
