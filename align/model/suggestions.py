"""Sentence pairs that are best linked by hand next."""

import numpy as np
from numpy.typing import NDArray

from ..arrays.ragged import row_numbers, run_starts
from ..errors import OptionError, check_argument
from ..execution.calls import public
from ..links.formats.kernels.pharaoh import SOURCE_SHIFT
from ..links.links import Links
from ..text.bitext import Bitext

__all__ = ["suggest_pairs"]

_UNLINKED = 0.1  # uncertainty of a word without links; of a link at p = 0.5 it is 0.25
_LOOKED = 20  # pairs that are looked at for each that is chosen
_ALIKE = 0.5  # share of the words of two pairs that both have, from which one is enough
_USUAL = 0.75  # share of the pairs with fewest unlinked words; translations of the others are free


@public
def suggest_pairs(bitext: Bitext, links: Links, number: int) -> NDArray[np.int64]:
    """Choose the sentence pairs that are best linked by hand next.

    They are those that an aligner is least sure of: with many uncertain links and unlinked words,
    for their length. The quarter of the pairs with the largest share of unlinked words is left out,
    since many of them are no translations. A pair that shares half of its words with one that is
    already chosen comes last. As gold alignments for :meth:`AlignmentModel.learn_links`, such pairs
    teach more than as many pairs drawn at random, and at least as much as random pairs that have as
    many words together.

    Parameters
    ----------
    bitext : Bitext
    links : Links
        Links of the same sentence pairs, best with probabilities.
    number : int
        How many pairs to choose, at least 1.

    Returns
    -------
    ndarray of int64, shape (n_chosen,)
        Numbers of the pairs, from 0, in their order; fewer than ``number`` in a small text.

    Raises
    ------
    OptionError
        If the number is below 1.
    DataError
        If links are outside of their sentence pairs.

    Notes
    -----
    Uncertainty sampling (Lewis and Gale 1994): the score is the sum of p (1 - p) over links and of
    0.1 over words without links, divided by the square root of the number of words.

    Examples
    --------
    >>> import isogloss as ig
    >>> bitext = ig.Bitext.from_pairs([("the house", "la casa"), ("a red car", "un coche rojo")])
    >>> links = ig.Links.from_pairs([[(0, 0), (1, 1)], [(0, 0), (1, 2)]])
    >>> ig.suggest_pairs(bitext, links, 1)
    array([0])
    """
    check_argument(links, Links, "links", "Links", "Links.from_pairs(lists)")
    if not isinstance(number, int | np.integer) or number < 1:
        raise OptionError("number", "a whole number of at least 1", number)
    lengths = bitext.source.lengths, bitext.target.lengths
    links.check_range(*lengths)
    words = lengths[0] + lengths[1]
    unlinked = words - _linked(links, links.source) - _linked(links, links.target)
    share = unlinked / np.maximum(words, 1)
    rows = np.flatnonzero(bitext.usable)
    rows = rows[share[rows] <= np.quantile(share[rows], _USUAL)] if len(rows) else rows
    doubt = (_doubts(links) + _UNLINKED * unlinked) / np.sqrt(np.maximum(words, 1))
    return np.sort(_unlike(bitext, rows[np.argsort(-doubt[rows], kind="stable")], int(number)))


def _unlike(bitext: Bitext, rows: NDArray[np.int64], number: int) -> NDArray[np.int64]:
    """The first pairs that share few words with those before, then the others: int64[number]."""
    chosen: list[int] = []
    left: list[int] = []
    words: list[set[tuple[bool, int]]] = []
    for row in rows[: _LOOKED * number].tolist():
        if len(chosen) == number:
            break
        own = {
            (is_source, word)
            for is_source, side in ((True, bitext.source), (False, bitext.target))
            for word in side.tokens[side.offsets[row] : side.offsets[row + 1]].tolist()
        }
        if any(len(own & other) >= _ALIKE * len(own | other) for other in words):
            left.append(row)
        else:
            chosen.append(row)
            words.append(own)
    return np.array([*chosen, *left][:number], np.int64)


def _linked(links: Links, positions: NDArray[np.int32]) -> NDArray[np.int64]:
    """How many words of a side have links: int64[num_pairs]. positions: int32[num_links]"""
    pair = row_numbers(links.offsets)
    words = np.sort(pair << SOURCE_SHIFT | positions)
    return np.bincount(words[run_starts(words)] >> SOURCE_SHIFT, minlength=len(links))


def _doubts(links: Links) -> NDArray[np.float64]:
    """Sum of p (1 - p) over the links of each pair: float64[num_pairs]."""
    if links.probability is None:
        return np.zeros(len(links))
    chance = links.probability.astype(np.float64)
    pair = row_numbers(links.offsets)
    return np.bincount(pair, chance * (1.0 - chance), len(links)).astype(np.float64)
