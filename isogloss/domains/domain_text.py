"""A text, and which domain each of its sentence pairs is of."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from isogloss.align.execution.groups import Workers
from isogloss.align.model.model import AlignmentModel
from isogloss.align.model.part_answers import posteriors_of
from isogloss.align.text.bitext import Bitext

__all__ = ["DomainText"]


@dataclass(frozen=True)
class DomainText:
    """A bitext in its words, the same in the model's, and P(D | f, e) of each pair.

    bitext, encoded: a word that the model does not know is -1 in the second only
    posterior: float64[num_pairs, num_domains]
    """

    bitext: Bitext
    encoded: Bitext
    posterior: NDArray[np.float64]

    @classmethod
    def of(
        cls,
        bitext: Bitext,
        model: AlignmentModel,
        threads: int | Workers,
    ) -> "DomainText":
        """What the model says of a bitext."""
        encoded = model.encode(bitext)
        return cls(bitext, encoded, posteriors_of(model, encoded, threads))

    def words(self, pair: int) -> dict[str, str]:
        """Both sides of a pair as text."""
        return {
            "source": " ".join(self.bitext.source.words(pair)),
            "target": " ".join(self.bitext.target.words(pair)),
        }
