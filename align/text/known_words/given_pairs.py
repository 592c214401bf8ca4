"""Sentence pairs as Python programs give them to a model, and what to warn of."""

from collections.abc import Iterable
from pathlib import Path

import numpy as np

from ...errors import WrongTypeError, shown, warn
from ..bitext import Bitext, SentencePair
from ..sentences import sentence_words
from .unknown_words import exchanged_warning

__all__ = ["known_shares", "pair_sides", "warn_of_exchanged", "warn_of_single_words"]

_LISTS = (list, tuple, np.ndarray)


def pair_sides(
    source: str | Iterable[str] | SentencePair, target: str | Iterable[str] | None
) -> list[tuple[str, ...]]:
    """The words of both sides of one pair, whatever holds them.

    Raises WrongTypeError for other things.
    """
    if isinstance(source, SentencePair):
        if target is not None:
            raise WrongTypeError(
                "target must be omitted if source is a SentencePair, which has both sides; got "
                f"{shown(target)}. Pass options by name"
            )
        return [_words(source.source, "source"), _words(source.target, "target")]
    if target is None and source is not None:
        raise WrongTypeError("target is missing; use align_pair(source, target)")
    return [_words(side, role) for side, role in ((source, "source"), (target, "target"))]


def _words(side: object, role: str) -> tuple[str, ...]:
    if isinstance(side, np.ndarray) and side.ndim == 0:
        side = side.item()
    if isinstance(side, _LISTS) and any(isinstance(word, _LISTS) for word in side):
        raise WrongTypeError(
            f"{role} must be one sentence, not a list of them; use align(sources, targets) for "
            "several pairs"
        )
    return tuple(sentence_words(side, role))


def warn_of_single_words(given: object, bitext: Bitext) -> None:
    """Warn where each sentence in memory is one word, as those of a single sentence are.

    given: what the bitext was made from
    """
    if isinstance(given, Bitext | str | Path) or len(bitext) < 2:
        return
    lengths = bitext.source.lengths, bitext.target.lengths
    if all((side == 1).all() for side in lengths):
        first = bitext[0].source[0], bitext[0].target[0]
        warn(
            f"each of the {len(bitext)} sentence pairs is a pair of words, such as "
            f"{first[0]!r} and {first[1]!r}. To align the words of one sentence pair, use "
            "align_pair(source, target)"
        )


def known_shares(encoded: Bitext) -> tuple[float, float]:
    """Share of the running words of each side that its vocabulary has; 1 without words."""
    source, target = (
        float((side.tokens > 0).mean()) if len(side.tokens) else 1.0
        for side in (encoded.source, encoded.target)
    )
    return source, target


def warn_of_exchanged(encoded: Bitext, crossed: Bitext) -> None:
    """Warn where most words of both sides are known to the other side of a model alone.

    encoded: over the model's vocabularies; crossed: each side over the vocabulary of the other
    """
    own, other = known_shares(encoded), known_shares(crossed)
    if max(own) < 0.5 < min(other):
        names, remedy = ("source", "target"), "Swap source and target"
        warn(exchanged_warning(own, other, names, remedy))
