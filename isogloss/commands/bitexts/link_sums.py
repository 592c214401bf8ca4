"""How many links a text gets, and how many of its words get none."""

import numpy as np

from isogloss.align.arrays.ragged import row_numbers
from isogloss.align.errors import pluralize
from isogloss.align.links.links import Links
from isogloss.align.text.bitext import Bitext

from ...console import Console

__all__ = ["LinkSums"]


class LinkSums:
    """Counts links and words, block after block."""

    def __init__(self) -> None:
        self._pairs = self._links = 0
        self._words, self._linked = [0, 0], [0, 0]
        self._probability: float | None = 0.0

    def add(self, bitext: Bitext, links: Links) -> None:
        """Count the links of some sentence pairs."""
        self._pairs += len(links)
        self._links += len(links.source)
        pair = row_numbers(links.offsets)
        sides = (bitext.source, links.source), (bitext.target, links.target)
        for side, (corpus, positions) in enumerate(sides):
            self._words[side] += len(corpus.tokens)
            self._linked[side] += len(np.unique(corpus.offsets[pair] + positions))
        if links.probability is None or self._probability is None:
            self._probability = None
        else:
            self._probability += float(links.probability.sum(dtype=np.float64))

    def tell(self, console: Console) -> None:
        """Say in a line how many there are."""
        if not all(self._words):
            return
        lacking = [
            f"{100 * (1 - linked / words):.1f} % of the {name} words"
            for name, linked, words in zip(
                ("source", "target"), self._linked, self._words, strict=True
            )
        ]
        sure = ""
        if self._probability is not None and self._links:
            sure = f" with a mean probability of {self._probability / self._links:.2f}"
        rate = f"{self._links / self._words[0]:.2f} links per source word{sure}"
        console.conclude(
            f"{pluralize(self._pairs, 'pair')}, {rate}; without a link: {' and '.join(lacking)}"
        )
