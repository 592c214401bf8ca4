"""How much each sentence pair counts in extraction, in all and in each domain."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from isogloss.align.arrays.equality import ComparedByContent
from isogloss.align.errors import DataError, UsageError, pluralize
from isogloss.align.text.bitext import Bitext

__all__ = ["DomainWeights"]


@dataclass(frozen=True, eq=False)
class DomainWeights(ComparedByContent):
    """How much each sentence pair counts, in all and in each domain.

    instance: float64[num_pairs], above 0, what an occurrence counts in all scores but lex(f|e) and
        lex(e|f); None: 1
    domains: names; posteriors: float64[num_pairs, D], P(D | f, e) of each
    """

    instance: NDArray[np.float64] | None = None
    domains: tuple[str, ...] = ()
    posteriors: NDArray[np.float64] | None = None

    def __post_init__(self) -> None:
        columns = 0 if self.posteriors is None else self.posteriors.shape[1]
        if columns != len(self.domains) or len(set(self.domains)) != len(self.domains):
            raise ValueError("posteriors must have one column per domain, with unique names")

    def columns(self, bitext: Bitext, labels: bool) -> NDArray[np.float64]:
        """float64[num_pairs, 1 + D + L]: instance weights, those by domain, labeled ones.

        Raises DataError for another number of pairs, weights that are not above 0, posteriors that
        are negative or no numbers.
        """
        instance = np.ones(len(bitext)) if self.instance is None else self.instance
        parts = [instance[:, None]]
        if self.posteriors is not None:
            parts.append(self.posteriors)
        for part in parts:
            if len(part) != len(bitext):
                raise DataError(
                    f"there are weights for {pluralize(len(part), 'pair')}",
                    f"{len(bitext)}, one per sentence pair",
                )
        bad = np.asarray(~((instance > 0.0) & (instance < np.inf)))
        if bad.any():
            row = int(np.argmax(bad))
            raise DataError(
                f"the weight of pair {row + 1} is {instance[row]}", "finite weights above 0"
            )
        if self.posteriors is not None:
            good = ((self.posteriors >= 0.0) & (self.posteriors <= 1.0)).all(axis=1)
            if not good.all():
                row = int(np.argmin(good))
                raise DataError(
                    f"the posteriors of pair {row + 1} are {self.posteriors[row].tolist()}",
                    "probabilities",
                )
            parts[1] = self.posteriors * instance[:, None]
        if labels:
            if not bitext.domains:
                raise UsageError(
                    "label features need domain labels, but the text has none; pass `labels=...`"
                )
            of_domain = bitext.label_ids[:, None] == np.arange(len(bitext.domains))
            parts.append(of_domain * instance[:, None])
        return np.hstack(parts)
