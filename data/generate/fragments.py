"""Pairs of word sequences whose alignment is carried along while they are put together.

A `Word` is compared by identity: two occurrences of "the" are two words.  A link therefore
stays true wherever the two words it joins end up, and nothing is ever aligned afterwards.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from .tables.listing import listed

FUNCTION_WORDS = frozenset(
    listed(
        "a al con de del el en la las lo los por que se un una y at by for in of off on "
        "out the to up with"
    )
)


@dataclass(frozen=True, eq=False)
class Word:
    """One token of one sentence."""

    text: str


@dataclass(frozen=True, eq=False)
class Link:
    """A translation link between an English and a Spanish word."""

    en: Word
    es: Word
    sure: bool = True


@dataclass(frozen=True, eq=False)
class Phrase:
    """An expression in both languages, such as a noun phrase."""

    label: str
    en: tuple[Word, ...]
    es: tuple[Word, ...]


@dataclass(frozen=True, eq=False)
class Fragment:
    """Words of both languages in their own orders, with links and some phrases.

    A link may lead to a word of another fragment, as long as both meet in the end.
    """

    en: tuple[Word, ...] = ()
    es: tuple[Word, ...] = ()
    links: tuple[Link, ...] = ()
    phrases: tuple[Phrase, ...] = ()


EMPTY = Fragment()


def words(text: str) -> tuple[Word, ...]:
    """Make one new word of each blank-separated token."""
    return tuple(Word(token) for token in text.split())


def arrange(en: Iterable[Fragment], es: Iterable[Fragment]) -> Fragment:
    """Put the English sides and the Spanish sides together, each in the order given."""
    en, es = list(en), list(es)
    seen = {id(part): part for part in (*en, *es)}
    return Fragment(
        tuple(word for part in en for word in part.en),
        tuple(word for part in es for word in part.es),
        tuple(link for part in seen.values() for link in part.links),
        tuple(phrase for part in seen.values() for phrase in part.phrases),
    )


def join(*parts: Fragment) -> Fragment:
    """Put fragments together in the same order on both sides."""
    return arrange(parts, parts)


def unit(en: str, es: str, spec: str = "") -> Fragment:
    """Translate one expression by another.

    `spec` lists links like "0-1,1-0?" (a question mark: only possible).  Without it every word
    is linked to every word, a function word inside a longer expression only as possible.
    """
    left, right = words(en), words(es)
    if spec:
        pairs = [(pair.rstrip("?").split("-"), not pair.endswith("?")) for pair in spec.split(",")]
        links = [Link(left[int(i)], right[int(j)], sure) for (i, j), sure in pairs]
        return Fragment(left, right, tuple(links))
    weak = {
        word
        for side in (left, right)
        if len(side) > 1
        for word in side
        if word.text in FUNCTION_WORDS
    }
    links = [Link(a, b, a not in weak and b not in weak) for a in left for b in right]
    return Fragment(left, right, tuple(links))


def english(text: str, meaning: Iterable[Word] = (), sure: bool = False) -> Fragment:
    """English words without Spanish of their own, linked to Spanish words made elsewhere."""
    left = words(text)
    return Fragment(left, (), tuple(Link(a, b, sure) for a in left for b in meaning))


def spanish(text: str, source: Iterable[Word] = (), sure: bool = False) -> Fragment:
    """Spanish words without English of their own, linked to English words made elsewhere."""
    right = words(text)
    return Fragment((), right, tuple(Link(a, b, sure) for a in source for b in right))


def only_english(part: Fragment) -> Fragment:
    """The fragment without its Spanish side (for a meaning that Spanish leaves unsaid)."""
    return Fragment(part.en)


def replace_spanish(part: Fragment, es: Iterable[Word], new: Mapping[Word, Word]) -> Fragment:
    """Give the fragment another Spanish side; links follow `new`, those left without end go.

    A phrase goes, too, when one of its words does.
    """
    es = tuple(es)
    kept = {id(word) for word in es}
    links = [Link(link.en, new.get(link.es, link.es), link.sure) for link in part.links]
    phrases = [
        replace(phrase, es=tuple(new.get(word, word) for word in phrase.es))
        for phrase in part.phrases
    ]
    return Fragment(
        part.en,
        es,
        tuple(link for link in links if id(link.es) in kept),
        tuple(phrase for phrase in phrases if all(id(word) in kept for word in phrase.es)),
    )


def marked_phrase(part: Fragment, label: str) -> Fragment:
    """The fragment as a phrase."""
    return replace(part, phrases=(*part.phrases, Phrase(label, part.en, part.es)))


def positions(part: Fragment) -> list[tuple[int, int, bool]]:
    """The links as sorted (English index, Spanish index, sure); sure wins over possible."""
    en = {id(word): i for i, word in enumerate(part.en)}
    es = {id(word): j for j, word in enumerate(part.es)}
    links: dict[tuple[int, int], bool] = {}
    for link in part.links:
        if id(link.en) in en and id(link.es) in es:
            pair = en[id(link.en)], es[id(link.es)]
            links[pair] = links.get(pair, False) or link.sure
    return [(i, j, sure) for (i, j), sure in sorted(links.items())]


def spans(part: Fragment) -> list[tuple[str, tuple[int, int], tuple[int, int]]]:
    """The phrases: label, first English word and the one behind the last, the same in Spanish.

    Only those are told that are in one piece on both sides.
    """
    found = [
        (phrase.label, _stretch(phrase.en, part.en), _stretch(phrase.es, part.es))
        for phrase in part.phrases
    ]
    whole = {(label, en, es) for label, en, es in found if en is not None and es is not None}
    return sorted(whole, key=lambda span: span[1:])


def _stretch(side: Iterable[Word], sentence: Iterable[Word]) -> tuple[int, int] | None:
    """First place of some words and the one behind the last; None where others are between them."""
    own = {id(word) for word in side}
    at = [place for place, word in enumerate(sentence) if id(word) in own]
    if not at or len(own) != len(at) or at[-1] - at[0] + 1 != len(at):
        return None
    return at[0], at[-1] + 1


def text(side: Iterable[Word]) -> str:
    """One side as a line of tokens."""
    return " ".join(word.text for word in side)


# Feminine nouns that begin with a stressed a take "el" and "un" in the singular.
STRESSED_A = frozenset(listed("acta agua alta arma área aula"))
MERGED = {("de", "el"): "del", ("a", "el"): "al"}


def _soften(word: str, following: str) -> str:
    """The form of a Spanish function word before the word that follows it."""
    if word in ("la", "una") and following in STRESSED_A:
        return {"la": "el", "una": "un"}[word]
    if word == "y" and following.startswith(("i", "hi", "í")) and not following.startswith("hie"):
        return "e"
    if word == "o" and following.startswith(("o", "ho", "ó")):
        return "u"
    return word


def spell(part: Fragment) -> Fragment:
    """Apply the Spanish spelling rules that look at two neighbouring words."""
    new: dict[Word, Word] = {}
    out: list[Word] = []
    before = Word("")
    following = [word.text for word in part.es[1:]] + [""]
    for old, after in zip(part.es, following, strict=True):
        word = Word(_soften(old.text, after))
        if out and (out[-1].text, word.text) in MERGED:
            word = Word(MERGED[out.pop().text, word.text])
            new[before] = word
        new[old], before = word, old
        out.append(word)
    return replace_spanish(part, out, new)
