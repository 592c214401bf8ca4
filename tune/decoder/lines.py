"""Translations as lines of text: segmented, as word links, as hypotheses of an n-best list."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..nbest.writer import format_hypothesis
from .derivations import Derivations, PhraseUse
from .model import Decoder
from .named_weights import MosesGroups

__all__ = ["HypothesisLines", "link_line", "segmented_line"]


def segmented_line(decoder: Decoder, derivations: Derivations, number: int = 0) -> str:
    """A translation with the source words of each phrase behind it, ``|0-1|``: Moses's -t."""
    words = decoder.text(derivations, number).split(" ")
    return " ".join(
        " ".join([*words[use.target_begin : use.target_end], _bars(use)])
        for use in derivations.phrases(number)
    )


def _bars(use: PhraseUse) -> str:
    return f"|{use.source_begin}-{use.source_end - 1}|"


def link_line(decoder: Decoder, derivations: Derivations, number: int = 0) -> str:
    """Word links of a translation, ``0-0 1-2``."""
    return " ".join(f"{source}-{target}" for source, target in decoder.links(derivations, number))


@dataclass(frozen=True)
class HypothesisLines:
    """Hypotheses as lines of a Moses n-best list.

    groups: names of dense features, whose values stand behind them; those without a name in it
        are left out; None = all of them, under the decoder's own names
    segmentation: with the source and target words of each phrase, ``0-1=0-2``
    links: with word links
    """

    decoder: Decoder
    groups: MosesGroups | None = None
    segmentation: bool = False
    links: bool = False

    def lines(self, sentence: int, derivations: Derivations) -> Iterator[str]:
        """Lines of a sentence's derivations, best first."""
        for number in range(len(derivations)):
            fields = list(self._fields(derivations, number))
            text, score = self.decoder.text(derivations, number), float(derivations.score[number])
            shown = self.features(derivations, number)
            yield format_hypothesis(sentence, text, shown, score, fields)

    def features(self, derivations: Derivations, number: int) -> list[tuple[str, list[float]]]:
        """Names and values of the features of one of the derivations, dense ones first."""
        space = self.decoder.space
        row = derivations.rows.part(number, number + 1)
        ids, inverse = np.unique(row.ids, return_inverse=True)
        values = np.bincount(inverse, row.values, len(ids))
        dense = np.zeros(space.num_dense)
        dense[ids[ids < space.num_dense]] = values[ids < space.num_dense]
        shown = [(name, dense[columns].tolist()) for name, columns in self._columns.items()]
        for feature, value in zip(ids.tolist(), values.tolist(), strict=True):
            if feature >= space.num_dense:
                shown.append((space.names[feature], [value]))
        return shown

    @cached_property
    def _columns(self) -> dict[str, list[int]]:
        """Numbers of the dense features that are shown under each name."""
        space, groups = self.decoder.space, self.groups
        if groups is None:
            groups = {name: (name,) for name in space.names[: space.num_dense]}
        return {name: [space.id(feature) for feature in groups[name]] for name in groups}

    def _fields(self, derivations: Derivations, number: int) -> Iterator[str]:
        """What stands behind the score."""
        if self.segmentation:
            uses = derivations.phrases(number)
            yield " ".join(f"{_span(*use[:2])}={_span(*use[2:4])}" for use in uses)
        if self.links:
            yield link_line(self.decoder, derivations, number)


def _span(begin: int, end: int) -> str:
    """Words as Moses writes them: one alone by its position, others by the first and the last."""
    return f"{begin}-{end - 1}" if end > begin + 1 else f"{begin}"
