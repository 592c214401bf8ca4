"""What a model still knows of the text it was trained on."""

from dataclasses import dataclass

import numpy as np

from ..text.corpus import Bitext
from .cooccurrence import Cells

__all__ = ["TrainedText"]


@dataclass(frozen=True, eq=False)
class TrainedText:
    """The text that a model was trained on, so that aligning it needs no second look-up.

    cells: where its words meet; None where they were too large for memory
    """

    bitext: Bitext
    cells: Cells | None

    def first(self, num_pairs: int) -> "TrainedText":
        """The first so many sentence pairs; the very same text where that is all of them."""
        if num_pairs == len(self.bitext):
            return self
        return TrainedText(
            self.bitext.select(np.arange(num_pairs)),
            self.cells and self.cells.part(0, num_pairs),
        )
