"""Options that align and apply have in common: links of other aligners."""

from dataclasses import dataclass

import numpy as np

from isogloss.align.arrays.ragged import row_numbers
from isogloss.align.errors import UsageError, warn
from isogloss.align.links.external_links import MAX_WEIGHT, ExternalLinks
from isogloss.align.links.gold_links import GoldLinks, gold_hint
from isogloss.align.links.links import Links
from isogloss.align.text.bitext import Bitext
from isogloss.align.text.readers import read_links

from ...options import Bounds, option
from ..link_formats import TokenIdOptions, token_id_options

__all__ = ["ExternalLinkOptions"]

_LOOKED_AT = 5000  # pairs by which external links is found not to fit


@dataclass(frozen=True)
class ExternalLinkOptions:
    """Links of other aligners.

    external_links: external alignments of another aligner: i-j or i-j:probability, one line per
        sentence pair, empty if unknown; repeatable
    external_weight: exponent of the external alignments: 0 = ignored, 1 = independent of the model
    """

    external_links: tuple[str, ...] = option(default=(), append=True, metavar="FILE")
    external_weight: float = option(
        default=ExternalLinks.weight, parse=Bounds(0.0, MAX_WEIGHT), metavar="W"
    )
    ids: TokenIdOptions = token_id_options()

    def read(self, bitext: Bitext) -> ExternalLinks | None:
        """What the files say of a bitext; None where none is given.

        A pair that was too long and lost its words loses its links, too.

        Raises UsageError for a weight of none, DataError for a file that has another number of
        lines, no links, or links outside of their pair, and as :func:`read_links` does.
        """
        if not self.external_links:
            if self.external_weight != ExternalLinks.weight:
                raise UsageError(
                    "--external-weight has no effect without --external-links; pass that as well"
                )
            return None
        files = tuple(self._read_file(name, bitext) for name in self.external_links)
        return ExternalLinks(files, self.external_weight)

    def _read_file(self, name: str, bitext: Bitext) -> Links:
        lengths = bitext.source.lengths, bitext.target.lengths
        links = read_links(name, scored=True, ids=self.ids.files)
        if len(links) == len(bitext) and links.probability is not None:
            left = (lengths[0] + lengths[1] > 0)[row_numbers(links.offsets)]
            links = Links.from_scored_keys(links.keys()[left], links.probability[left], len(links))
        links.check_range(*lengths, name)
        return links

    def tell(self, external_links: ExternalLinks | None, found: Links) -> None:
        """Warn of files that the links of the same text show not to fit."""
        for name, links in zip(
            self.external_links, external_links.files if external_links else (), strict=True
        ):
            some = links.part(0, min(_LOOKED_AT, len(found))).unscored()
            told = np.flatnonzero(np.diff(some.offsets))
            if len(told):
                hint = gold_hint(
                    found.part(0, len(some)), GoldLinks(some, some), f"links of {name}"
                )
                if hint:
                    warn(f"--external-links {name}: {hint}")
