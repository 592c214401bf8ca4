"""External links: links of other aligners, with probabilities perhaps, as they are given."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ..arrays.equality import ComparedByContent
from ..errors import DataError, OptionError, UsageError, WrongTypeError, check_argument
from .links import Links

__all__ = ["MAX_FILES", "ExternalLinks"]

MAX_FILES = 15  # of kinds of cells there are 256, and KINDS for each file
MAX_WEIGHT = 10.0


@dataclass(frozen=True, eq=False)
class ExternalLinks(ComparedByContent):
    """What other aligners say of the links of a text. How far each is right is learned from it.

    files: links of each of them, a row per sentence pair of the text; a pair without links is one
        that the aligner says nothing of. Probabilities need not be calibrated, but be of one scale.
    weight: power of what they say; 0 leaves them out, 1 takes them for independent of the model,
        which they are not where they learned from the same text.

    Raises UsageError for another weight, and for no file or more than MAX_FILES.
    """

    files: Sequence[Links]
    weight: float = 0.5

    def __post_init__(self) -> None:
        files: object = self.files
        if isinstance(files, Links | str) or not isinstance(files, Sequence):
            raise WrongTypeError("files must be a list of Links; use ExternalLinks([links])")
        for links in files:
            check_argument(links, Links, "external_links", "Links")
        if not 0.0 <= self.weight <= MAX_WEIGHT:
            raise OptionError("weight", f"between 0 and {MAX_WEIGHT:g}", self.weight)
        if not 1 <= len(self.files) <= MAX_FILES:
            raise UsageError(
                f"the number of external alignments must be between 1 and {MAX_FILES}, got "
                f"{len(self.files)}"
            )

    @classmethod
    def of(cls, given: "ExternalLinks | Links") -> "ExternalLinks":
        """Links of one aligner are external links, too. Raises WrongTypeError for another thing."""
        if isinstance(given, Links):
            return cls((given,))
        check_argument(
            given,
            cls,
            "external_links",
            "Links or ExternalLinks",
            "ExternalLinks((links, more_links))",
        )
        return given

    def extended(self, num_pairs: int) -> "ExternalLinks":
        """The same of a text with more pairs behind, of which nothing is said."""
        return replace(
            self,
            files=[
                replace(links, offsets=np.pad(links.offsets, (0, num_pairs - len(links)), "edge"))
                for links in self.files
            ],
        )

    def first(self, num_pairs: int) -> "ExternalLinks":
        """That of the first so many pairs."""
        return replace(self, files=[links.part(0, num_pairs) for links in self.files])

    def check(self, source_lengths: NDArray[np.int64], target_lengths: NDArray[np.int64]) -> None:
        """Raise DataError for links that are not of this text, and for probabilities that are none.

        source_lengths, target_lengths: int64[num_pairs], words of each sentence
        """
        for links in self.files:
            links.check_range(source_lengths, target_lengths)
            sure = links.probability
            if sure is not None and not ((sure >= 0.0) & (sure <= 1.0)).all():  # nor NaN
                raise DataError("the probabilities of external alignments must be between 0 and 1")
