"""A sentence pair with its links, to be looked at: words, probabilities, domains."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from ..errors import check_word, check_words
from .links import Links

__all__ = ["AlignedPair", "WordLink", "words_of_side"]


def words_of_side(side: str | Sequence[str]) -> tuple[str, ...]:
    """The words of a side that is given as words, or as a text whose words blanks set apart.

    Raises WrongTypeError for anything else.
    """
    if isinstance(side, str):
        return tuple(side.split())
    check_words(side)
    for word in side:
        check_word(word)
    return tuple(side)


class WordLink(NamedTuple):
    """A word and its translation.

    source_position, target_position: counted from 0; source, target: the words there
    probability: that the link is right, None where it is not known
    """

    source_position: int
    target_position: int
    source: str
    target: str
    probability: float | None


@dataclass(frozen=True)
class AlignedPair:
    """A sentence pair and its links; ``str()`` is their Pharaoh line.

    source, target: words; links: by source, then target position
    domains: P(domain) of the pair, by name
    """

    source: tuple[str, ...]
    target: tuple[str, ...]
    links: tuple[WordLink, ...]
    domains: Mapping[str, float]

    @classmethod
    def of(
        cls,
        source: tuple[str, ...],
        target: tuple[str, ...],
        links: Links,
        domains: Mapping[str, float],
    ) -> "AlignedPair":
        """Put together from the links of one pair."""
        sure = [None] * len(links.source) if links.probability is None else links.probability
        rows = zip(links.source.tolist(), links.target.tolist(), sure, strict=True)
        named = tuple(
            WordLink(i, j, source[i], target[j], None if p is None else float(p))
            for i, j, p in rows
        )
        return cls(source, target, named, domains)

    def __iter__(self) -> Iterator[WordLink]:
        return iter(self.links)

    def __len__(self) -> int:
        return len(self.links)

    def __str__(self) -> str:
        return " ".join(f"{link.source_position}-{link.target_position}" for link in self.links)

    @property
    def domain(self) -> str:
        """The likeliest one."""
        return max(self.domains, key=self.domains.__getitem__)
