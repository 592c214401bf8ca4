"""State templates: LO, where a rule's source phrase lies from that of the rule before."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from .blocks import FeatureHits, Labels, RuleBlock
from .protocol import Application, Rule
from .rule import chosen

__all__ = ["DiscriminativeReordering", "orientation"]


def orientation(application: Application, previous: Application | None) -> str:
    """``monotone``, ``swap`` or ``discontinuous``, by the distance of the two source phrases.

    Monotone begins where the previous phrase, or nothing, ends; swap ends where it begins.
    """
    if application.begin == (0 if previous is None else previous.end):
        return "monotone"
    if previous is not None and application.end == previous.begin:
        return "swap"
    return "discontinuous"


# classes, each with the orientations that it is for: monotone, swap, discontinuous
_CLASSES = {
    "monotone": (True, False, False),
    "swap": (False, True, False),
    "discontinuous": (False, False, True),
    "nonmonotone": (False, True, True),
}


class DiscriminativeReordering:
    """LO: reordering classes of a rule, ``LO_swap-previous_la~casa_the~house``.

    Eight classes (Green et al. 2013, section 4.1): monotone, swap, discontinuous, and nonmonotone,
    which is one of the latter two; each with the previous phrase, a feature of the rule applied,
    and with the next one, a feature of the rule before. The first rule of a sentence has a previous
    phrase of no words at its beginning; the last one has no next phrase.

    parts: ``previous``, ``next``; both unless said otherwise
    of_orientation: nothing else of the neighbor matters, so that a decoder can search with it
    """

    of_orientation = True

    def __init__(self, *parts: str) -> None:
        known = ("previous", "next")
        self.parts = chosen(parts, known, known)

    def state_features(
        self, application: Application, previous: Application | None
    ) -> Iterator[tuple[Rule, str]]:
        """Classes of the rule applied with the previous one, and of that one with its next."""
        reordering = orientation(application, previous)
        rule = application.rule
        for kind in (reordering,) if reordering == "monotone" else (reordering, "nonmonotone"):
            if "previous" in self.parts:
                yield rule, f"LO_{kind}-previous_{rule.name}"
            if "next" in self.parts and previous is not None:
                yield previous.rule, f"LO_{kind}-next_{previous.rule.name}"

    def orientation_features(
        self, block: RuleBlock
    ) -> Iterator[tuple[FeatureHits, NDArray[np.bool_]]]:
        """The same for a block, with when each fires: bool[n, 2, 3], see OrientationTemplate."""
        kinds = [(kind, side) for side in ("previous", "next") for kind in _CLASSES]
        kinds = [(kind, side) for kind, side in kinds if side in self.parts]
        rule = np.repeat(np.arange(len(block)), len(kinds))
        names = [f"{kind}-{side}" for kind, side in kinds]
        classes = Labels(np.tile(np.arange(len(kinds)), len(block)), names)
        fires = np.zeros((len(kinds), 2, 3), np.bool_)
        for row, (kind, side) in enumerate(kinds):
            fires[row, int(side == "next")] = _CLASSES[kind]
        parts = classes, block.source.phrases[rule], block.target.phrases[rule]
        yield FeatureHits("LO", rule, parts), np.tile(fires, (len(block), 1, 1))
