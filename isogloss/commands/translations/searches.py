"""The searches of `isogloss decode`: sentences, each with what its translation must hold."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

from isogloss.align.errors import DataError, UsageError, pluralize
from isogloss.align.execution import run_tasks
from isogloss.tune.decoder.derivations import Derivations
from isogloss.tune.decoder.model import Decoder, Required
from isogloss.tune.decoder.rule_options import Translations, taken_words
from isogloss.tune.forest.hypergraph import Hypergraph
from isogloss.tune.weights.weights import Weights

from ...runs.output_files import NBestFile

__all__ = ["Found", "Search", "Sentences"]

Sentences = list[list[str]]

_REQUIRED = "--prefix, --constraint and --fixed-translations"


class Found(NamedTuple):
    """What was found of a sentence.

    forest: None where none is asked for, or there is no translation
    """

    translations: Translations
    best: Derivations
    forest: Hypergraph | None


@dataclass(frozen=True)
class Search:
    """Translates sentences of a file.

    n_best: None = the best translation alone
    required: what each must hold, sentence by sentence; None = nothing
    fixed_translations: the file that fixed translations come from
    forest: makes that of a sentence; None = it isn't asked for
    """

    decoder: Decoder
    weights: Weights
    n_best: NBestFile | None
    file: str
    required: Iterator[Required] | None = None
    fixed_translations: str | None = None
    forest: Callable[[Translations], Hypergraph] | None = None

    def translations(self, block: Sentences, first: int, threads: int) -> Iterator[Found]:
        """Translations of sentences in their order. first: line of the first one"""
        tasks = [
            partial(self._translate, words, line, self._required(line))
            for line, words in enumerate(block, start=first)
        ]
        return run_tasks(tasks, threads, len(block))

    def _required(self, line: int) -> Required | None:
        if self.required is None:
            return None
        required = next(self.required, None)
        if required is None:
            raise DataError(
                f"line {line:,} has no counterpart in the files of {_REQUIRED}; all these files "
                "must have the same number of lines",
                file=self.file,
            )
        return required

    def end(self, lines: int) -> None:
        """Raises DataError where more is required than there were lines."""
        if self.required is not None and next(self.required, None) is not None:
            raise DataError(
                f"the text has {pluralize(lines)}, fewer than the files of {_REQUIRED}; all these "
                "files must have the same number of lines",
                file=self.file,
            )

    def _check_fixed(self, required: Required, words: list[str], line: int) -> None:
        """Raises DataError for fixed translations of words that the sentence hasn't, or twice."""
        try:
            taken_words(required.fixed_translations, len(words))
        except UsageError as error:
            raise DataError(str(error), file=self.fixed_translations, line=line) from error

    def _translate(self, words: list[str], line: int, required: Required | None) -> Found:
        if required is not None:
            self._check_fixed(required, words, line)
        size = self.n_best.size if self.n_best else 1
        distinct = self.n_best is None or self.n_best.distinct
        try:
            found = self.decoder.search(words, self.weights, required)
            best = self.decoder.derivations(found, size, distinct=distinct)
            return Found(found, best, self.forest(found) if self.forest and len(best) else None)
        except UsageError as error:  # of limits that this sentence doesn't allow
            raise DataError(str(error), file=self.file, line=line) from error
        except MemoryError:
            raise DataError(
                f"the search for this sentence of {pluralize(len(words), 'word')} needs more "
                "memory than available",
                file=self.file,
                line=line,
                remedy="Split it, or lower --stack-size, --table-limit, --threads or the size of "
                "the n-best list",
            ) from None
