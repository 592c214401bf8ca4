"""Probabilities that a model gives to the translations of a word."""

from collections.abc import Sequence

from isogloss.align.lexicon.tables import LexicalTable
from isogloss.align.model.model import AlignmentModel
from isogloss.align.text.corpus import Corpus

from .domain_text import DomainText

__all__ = ["lexical_tables", "probability_of", "translations_of"]


def lexical_tables(model: AlignmentModel, direction: str) -> list[LexicalTable]:
    """The lexical table of a model in general, and of each domain."""
    return [model.lexicon(direction, name) for name in (None, *model.domains)]


def translations_of(
    text: DomainText, tables: Sequence[LexicalTable], direction: str, place: int, length: int
) -> list[dict[str, float]]:
    """The translations of a word by each table, as the model spells them; none of a phrase.

    place: of the word among the tokens of its side
    """
    own = text.encoded.source if direction == "s2t" else text.encoded.target
    word = "" if not tables or length > 1 else _spelled(own, place)
    return [table[word] for table in tables] if word else []


def probability_of(
    known: list[dict[str, float]], corpus: Corpus, pair: int, partners: tuple[int, ...]
) -> tuple[float, ...]:
    """Of one word of a pair as a translation, by each table."""
    if len(partners) != 1:
        return ()
    word = _spelled(corpus, int(corpus.offsets[pair]) + partners[0])
    return tuple(translations.get(word, 0.0) for translations in known)


def _spelled(corpus: Corpus, place: int) -> str:
    """A token as the model spells it; empty for a word that the model does not know."""
    token = int(corpus.tokens[place])
    return corpus.vocabulary.words[token] if token > 0 else ""
