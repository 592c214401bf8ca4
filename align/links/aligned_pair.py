"""A sentence pair with its links, to be looked at: words, probabilities, domains."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ..execution.calls import ExplainedClass, public
from ..files.tables.columns import Column
from ..files.tables.drawing import DrawnLink, pair_svg
from ..files.tables.html import escaped
from ..files.tables.tabular import Tabular
from .links import Links

__all__ = ["AlignedPair", "WordLink"]

_WIDTH = 90  # characters of a line of a representation
_MOST = 200  # words and links that it looks at


class WordLink(NamedTuple):
    """A word and its translation.

    Parameters
    ----------
    source_position, target_position : int
        Counted from 0.
    source, target : str
        The words there.
    probability : float or None
        Probability of the link; None if it is unknown.
    """

    source_position: int
    target_position: int
    source: str
    target: str
    probability: float | None


@public
@dataclass(frozen=True, repr=False)
class AlignedPair(Tabular, metaclass=ExplainedClass):
    """A sentence pair and its links: a sequence of :class:`WordLink`.

    ``str(pair)`` is its Pharaoh line, ``pair.to_pandas()`` has a row per link, and
    ``(0, 1) in pair`` says if two positions are linked.

    Parameters
    ----------
    source, target : tuple of str
        Words.
    links : tuple of WordLink
        Sorted by source, then target position.
    domains : mapping of str to float
        Probability of each domain.

    Examples
    --------
    >>> pair = model.align_pair("the driver paid", "el conductor pagó")
    >>> [(link.source, link.target) for link in pair]
    [('the', 'el'), ('driver', 'conductor'), ('paid', 'pagó')]
    >>> (1, 1) in pair, pair.domain
    (True, 'everyday')
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
        """Make an aligned pair of words and the links of one sentence pair.

        Parameters
        ----------
        source, target : tuple of str
            Words.
        links : Links
            Links of this sentence pair alone.
        domains : mapping of str to float
            Probability of each domain.

        Returns
        -------
        AlignedPair
        """
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

    def __getitem__(self, number: int) -> WordLink:
        return self.links[number]

    def __contains__(self, link: object) -> bool:
        """Whether a :class:`WordLink`, or a pair of positions, is one of the links."""
        return any(link in (each, each[:2]) for each in self.links)

    def __str__(self) -> str:
        return " ".join(f"{link.source_position}-{link.target_position}" for link in self.links)

    def _repr_html_(self) -> str:
        links = [  # an uncertain one is faint
            DrawnLink(
                link[0], link[1], max(0.15, 1.0 if link.probability is None else link.probability)
            )
            for link in self.links
        ]
        drawing = pair_svg(self.source, self.target, links)
        likely = ", ".join(f"{name} {value:.2f}" for name, value in self._likely())
        return f'<div style="overflow-x:auto">{drawing}</div><p>{escaped(likely)}</p>'

    def _likely(self) -> list[tuple[str, float]]:
        """Domains and their probabilities, the most probable first."""
        return sorted(self.domains.items(), key=lambda domain: -domain[1])

    def __repr__(self) -> str:
        domains = ", ".join(f"{name} {value:.2f}" for name, value in self._likely())
        links = [
            f"{link.source}-{link.target}"
            + ("" if link.probability is None else f" {link.probability:.2f}")
            for link in self.links[:_MOST]
        ]
        number = f"{len(self.links)} link{'s' * (len(self.links) != 1)}"
        lines = (
            f"AlignedPair({number}; {domains}",
            f"source: {' '.join(self.source[:_MOST])}",
            f"target: {' '.join(self.target[:_MOST])}",
            f"links: {self}",
            f"words: {', '.join(links)}",
        )
        return "\n  ".join(map(_cut, lines)) + ")"

    @property
    def domain(self) -> str:
        """Name of the most probable domain."""
        return max(self.domains, key=self.domains.__getitem__)

    def table_columns(self) -> dict[str, Column]:
        """Return the columns of the table of links, one row per link.

        Returns
        -------
        dict
            source_position, target_position, source, target and probability; NaN if the
            probability is unknown.
        """
        positions = np.array([link[:2] for link in self.links], np.int32).reshape(-1, 2)
        sure = [np.nan if link.probability is None else link.probability for link in self.links]
        return {
            "source_position": positions[:, 0].copy(),
            "target_position": positions[:, 1].copy(),
            "source": [link.source for link in self.links],
            "target": [link.target for link in self.links],
            "probability": np.array(sure, np.float64),
        }


def _cut(text: str) -> str:
    """A line, cut where it is long."""
    return text if len(text) <= _WIDTH else f"{text[: _WIDTH - 4]} ..."
