"""How many links a text gets, and how many of its words get none."""

from dataclasses import dataclass, field

import numpy as np

from isogloss.align.arrays.ragged import row_numbers
from isogloss.align.errors import pluralize
from isogloss.align.links.links import Links
from isogloss.align.text.bitext import Bitext
from isogloss.align.text.known_words.unknown_words import ENOUGH

from ...console import Console

__all__ = ["LinkSums"]

# Share of the words of a side without a link above which the text is not like that which the model
# was trained on. With the usual links 11 % of the words of the training text have none, 13 % of
# other text of its domain, 26 % of an encyclopedia, 51 % of telephone speech (a software model).
MOST_WITHOUT = 0.4


@dataclass
class LinkSums:
    """Numbers of links and words, counted block after block.

    words, linked, unknown: of each side; probability: sum of all links, None where some have none
    """

    pairs: int = 0
    links: int = 0
    words: list[int] = field(default_factory=lambda: [0, 0])
    linked: list[int] = field(default_factory=lambda: [0, 0])
    unknown: list[int] = field(default_factory=lambda: [0, 0])
    probability: float | None = 0.0

    def add(self, bitext: Bitext, links: Links) -> None:
        """Count the links of some sentence pairs."""
        self.pairs += len(links)
        self.links += len(links.source)
        pair = row_numbers(links.offsets)
        sides = (bitext.source, links.source), (bitext.target, links.target)
        for side, (corpus, positions) in enumerate(sides):
            self.words[side] += len(corpus.tokens)
            self.unknown[side] += int((corpus.tokens < 0).sum())
            self.linked[side] += len(np.unique(corpus.offsets[pair] + positions))
        if links.probability is None or self.probability is None:
            self.probability = None
        else:
            self.probability += float(links.probability.sum(dtype=np.float64))

    def include(self, other: "LinkSums") -> None:
        """Add what was counted elsewhere."""
        self.pairs += other.pairs
        self.links += other.links
        for name in ("words", "linked", "unknown"):
            sums = zip(getattr(self, name), getattr(other, name), strict=True)
            setattr(self, name, [own + more for own, more in sums])
        if self.probability is None or other.probability is None:
            self.probability = None
        else:
            self.probability += other.probability

    @property
    def _without(self) -> list[float]:
        """Share of the words of each side that have no link."""
        return [1 - linked / words for linked, words in zip(self.linked, self.words, strict=True)]

    def tell(self, console: Console, *, are_usual: bool = False) -> None:
        """Say in a line how many there are, and warn where usual links leave many words out.

        are_usual: whether they were chosen as most users do, so that a lack of them is the text's
        """
        if not all(self.words):
            return
        lacking = [
            f"{100 * share:.1f}% of the {name} words"
            for name, share in zip(("source", "target"), self._without, strict=True)
        ]
        unknown = [count / words for count, words in zip(self.unknown, self.words, strict=True)]
        shares = " and ".join(f"{100 * share:.1f}%" for share in unknown)
        known = f"; unknown to the model: {shares}" if any(unknown) else ""
        sure = ""
        if self.probability is not None and self.links:
            sure = f" with a mean probability of {self.probability / self.links:.2f}"
        rate = f"{self.links / self.words[0]:.2f} links per source word{sure}"
        console.conclude(
            f"{pluralize(self.pairs, 'pair')}, {rate}; without a link: {' and '.join(lacking)}"
            f"{known}"
        )
        if are_usual and max(self._without) > MOST_WITHOUT and min(self.words) >= ENOUGH:
            console.error(
                f"warning: {100 * max(self._without):.0f}% of the words of a side have no link; "
                "the text differs from the training text of the model. Check its language, casing, "
                "tokenization and domain"
            )
