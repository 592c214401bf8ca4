"""Known links of some sentence pairs, for training and kept in its result."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..arrays.equality import ComparedByContent
from ..arrays.ragged import per_entry, row_numbers
from ..errors import OptionError, check_argument
from .links import LONGEST, Links

__all__ = ["KnownLinks"]


@dataclass(frozen=True, eq=False)
class KnownLinks(ComparedByContent):
    """Links known to be right, perhaps a part of those of their pair; other words are left free.

    links: one row per sentence pair of the text, empty where nothing is known.
    confidence: c in [0, 1]; in training, the probability that a word with known links comes from
        another word, or from NULL, is multiplied by 1 - c.

    Raises UsageError for another confidence.
    """

    links: Links
    confidence: float = 0.99

    def __post_init__(self) -> None:
        check_argument(self.links, Links, "known links", "Links", "Links.from_pairs(lists)")
        if not 0.0 <= self.confidence <= 1.0:
            raise OptionError("confidence", "between 0 and 1", self.confidence)

    @classmethod
    def of(cls, given: "KnownLinks | Links") -> "KnownLinks":
        """Known links as they are, and Links with the usual confidence."""
        if isinstance(given, Links):
            return cls(given)
        check_argument(given, cls, "known_links", "Links or KnownLinks", "read_links(file)")
        return given

    def cells(self, target_lengths: NDArray[np.int64]) -> NDArray[np.int64]:
        """int64[num_links], the cell j * I + i of each link within its sentence pair, rising.

        target_lengths: int64[num_pairs], words.
        """
        widths = per_entry(target_lengths, self.links.offsets)
        return np.asarray(self.links.source * widths + self.links.target)

    def kept_in(self, links: Links) -> Links:
        """The known links, and those of ``links`` neither of whose words has a known link.

        links: of the first so many sentence pairs, or of all. Where they have probabilities, known
        links get 1.
        """
        known = self.links.part(0, len(links))
        taken = np.isin(_words(links, links.source), _words(known, known.source))
        taken |= np.isin(_words(links, links.target), _words(known, known.target))
        keys = np.concatenate([known.keys(), links.keys()[~taken]])
        kept = Links.from_keys(keys, len(links))
        if links.probability is None:
            return kept
        sure = np.concatenate([np.ones(len(known.source), np.float32), links.probability[~taken]])
        return Links(kept.source, kept.target, kept.offsets, sure[np.argsort(keys)])


def _words(links: Links, positions: NDArray[np.int32]) -> NDArray[np.int64]:
    """Sentence pair and position of a side of each link, in a number each."""
    pair = row_numbers(links.offsets)
    return pair * LONGEST + positions
