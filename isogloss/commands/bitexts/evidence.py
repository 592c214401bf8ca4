"""Options that align and apply have in common: links of other aligners as evidence."""

import warnings
from dataclasses import dataclass

import numpy as np

from isogloss.align.arrays.ragged import row_numbers
from isogloss.align.errors import DataWarning, UsageError
from isogloss.align.links.evidence import MOST_WEIGHT, LinkEvidence
from isogloss.align.links.gold_links import GoldLinks, gold_hint
from isogloss.align.links.links import Links
from isogloss.align.text.bitext import Bitext
from isogloss.align.text.readers import read_links

from ...options import Bounds, option

__all__ = ["EvidenceOptions"]

_LOOKED_AT = 5000  # pairs by which evidence is found not to fit


@dataclass(frozen=True)
class EvidenceOptions:
    """Links of other aligners.

    evidence: external alignments of another aligner: i-j or i-j:probability, one line per sentence
        pair, empty if unknown; repeatable
    evidence_weight: exponent of the external alignments: 0 = ignored, 1 = independent of the model
    """

    evidence: tuple[str, ...] = option(default=(), append=True, metavar="FILE")
    evidence_weight: float = option(
        default=LinkEvidence.weight, parse=Bounds(0.0, MOST_WEIGHT), metavar="W"
    )

    def read(self, bitext: Bitext) -> LinkEvidence | None:
        """What the files say of a bitext; None where none is given.

        A pair that was too long and lost its words loses its links, too.

        Raises UsageError for a weight of none, DataError for a file that has another number of
        lines, no links, or links outside of their pair, and as :func:`read_links` does.
        """
        if not self.evidence:
            if self.evidence_weight != LinkEvidence.weight:
                raise UsageError(
                    "--evidence-weight has no effect without --evidence; pass --evidence as well"
                )
            return None
        files = tuple(self._read_file(name, bitext) for name in self.evidence)
        return LinkEvidence(files, self.evidence_weight)

    @staticmethod
    def _read_file(name: str, bitext: Bitext) -> Links:
        lengths = bitext.source.lengths, bitext.target.lengths
        links = read_links(name, scored=True)
        if len(links) == len(bitext) and links.probability is not None:
            left = (lengths[0] + lengths[1] > 0)[row_numbers(links.offsets)]
            links = Links.from_scored_keys(links.keys()[left], links.probability[left], len(links))
        links.check_range(*lengths, name)
        return links

    def tell(self, evidence: LinkEvidence | None, found: Links) -> None:
        """Warn of files that the links of the same text show not to fit."""
        for name, links in zip(self.evidence, evidence.files if evidence else (), strict=True):
            some = links.part(0, min(_LOOKED_AT, len(found))).unscored()
            told = np.flatnonzero(np.diff(some.offsets))
            if len(told):
                hint = gold_hint(
                    found.part(0, len(some)), GoldLinks(some, some), f"links of {name}"
                )
                if hint:
                    warnings.warn(f"--evidence {name}: {hint}", DataWarning, stacklevel=2)
