"""Text for a model of the aligner: in words that it knows, and told where it lacks them."""

from collections import Counter
from dataclasses import dataclass

from isogloss.align.errors import shown_file, warn
from isogloss.align.model.model import AlignmentModel
from isogloss.align.text.bitext import Bitext
from isogloss.align.text.corpus import Corpus
from isogloss.align.text.known_words.text_form import TextForm, type_counts
from isogloss.align.text.known_words.unknown_words import (
    Fit,
    Model,
    exchanged,
    exchanged_warning,
    fit_text,
    fit_warning,
)

from ..console import Console
from ..domains.domain_text import DomainText
from ..options import group
from .shared import BitextOptions, ClusterOptions, LengthLimitOptions

__all__ = ["DomainTextOptions", "TextCheck"]

_MODEL = Model(
    "the model",
    "Check that the text is in the language and domains of the model. Unknown words are aligned "
    "only by the links of their neighbors",
)


class TextCheck:
    """Holds text against the words of a model, block after block.

    text: names of the files
    """

    def __init__(self, model: AlignmentModel, text: BitextOptions) -> None:
        self._known = [
            frozenset(vocabulary.words[1:])
            for vocabulary in (model.source_vocabulary, model.target_vocabulary)
        ]
        self._forms = model.source_form, model.target_form
        self._counts = Counter[str](), Counter[str]()
        self._lowered = [False, False]
        self._names = [shown_file(text.source), shown_file(str(text.target))]
        if text.target is None:
            self._names = [f"{self._names[0]}, {side} side" for side in ("source", "target")]

    def add(self, bitext: Bitext) -> None:
        """Count the words of sentence pairs, which are over vocabularies of their own."""
        for side, corpus in enumerate((bitext.source, bitext.target)):
            self._add(side, corpus, self._forms[side])

    def _add(self, side: int, corpus: Corpus, form: TextForm) -> None:
        counts, words = type_counts(corpus).tolist(), corpus.vocabulary.words
        for word, count in zip(words[1:], counts[1:], strict=True):
            known = word.lower() if form.lowercase else word
            self._counts[side][known] += count
            self._lowered[side] |= known != word

    def tell(self, console: Console) -> bool:
        """Say what was lowercased, and warn of words that the model lacks.

        Returns whether the sides are in the order that the model has them in.
        """
        lowered = [name for name, is_so in zip(self._names, self._lowered, strict=True) if is_so]
        if lowered:
            console.info(
                f"{', '.join(lowered)}: lowercased, because the model was trained on lowercased "
                "text"
            )
        fits = tuple(
            fit_text(self._counts[side], self._known[side], self._known[1 - side])
            for side in (0, 1)
        )
        if exchanged(fits):
            _warn(self._exchanged(fits))
            return False
        for fit, name in zip(fits, self._names, strict=True):
            _warn(fit_warning(fit, name, _MODEL))
        return True

    def _exchanged(self, fits: tuple[Fit, ...]) -> str:
        own = [1 - fit.share for fit in fits]
        other = [fit.other_side / max(fit.words, 1) for fit in fits]
        return exchanged_warning(own, other, self._names, "Pass the files in reverse order")


def _warn(message: str) -> None:
    if message:
        warn(message)


@dataclass(frozen=True)
class DomainTextOptions:
    """A bitext of which a model is asked for the domains."""

    bitext: BitextOptions = group(BitextOptions)
    length: LengthLimitOptions = group(LengthLimitOptions)
    place: ClusterOptions = group(ClusterOptions)

    def read(self, model: AlignmentModel, threads: int, console: Console) -> DomainText:
        """The text, and what the model says of it; warns where it lacks many of the words."""
        workers = self.place.workers(threads)
        pairs = self.bitext.read(max_length=self.length.max_length)
        check = TextCheck(model, self.bitext)
        check.add(pairs)
        check.tell(console)
        return DomainText.of(pairs, model, workers or threads)
