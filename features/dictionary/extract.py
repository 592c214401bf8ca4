"""From a linked bitext to a dictionary."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isogloss.align.arrays.ragged import span_entries
from isogloss.align.errors import (
    Size,
    UsageError,
    check_argument,
    check_options,
    check_types,
)
from isogloss.align.execution.calls import ExplainedClass, public
from isogloss.align.execution.groups import Workers
from isogloss.align.execution.keywords import chosen_options
from isogloss.align.links.links import Links
from isogloss.align.model.model import AlignmentModel
from isogloss.align.model.part_answers import sure_links
from isogloss.align.text.bitext import UNLABELED, Bitext
from isogloss.align.text.corpus import Corpus
from isogloss.align.text.known_words.text_form import term_width

from ..extraction.counts import PreparedBitext
from ..extraction.extract import DomainWeights
from ..extraction.extraction_options import LEAST_MEMORY, MAX_COUNTS
from ..extraction.phrases import Phrases, Side
from .cohesion import cohesion
from .dictionary import Dictionary
from .entries import ALL
from .examples import Origin
from .nested import nested_shares
from .pair_counts import LinkedText, PairCounts, count_pairs
from .spans import occurrences
from .spelling import commonest_spellings
from .words import folded

__all__ = ["DictionaryOptions", "extract_dictionary", "label_weights", "link_dictionary"]

LONGEST = 8  # words of a phrase
NESTED = 0.8  # share of its occurrences in a longer pair from which on a pair is a part of that


def _nothing(count: int) -> None:
    """Progress that nobody looks at."""


@public
@dataclass(frozen=True)
class DictionaryOptions(metaclass=ExplainedClass):
    """Options of :func:`extract_dictionary`.

    Parameters
    ----------
    max_phrase_length : int, default 3
        Maximum number of words of a phrase, 1 to 8.
    min_count : int, default 3
        Minimum number of linked occurrences.
    min_pmi : float, default 6.0
        Minimum pointwise mutual information of the parts of a phrase, in bits.
    nested : bool, default False
        Keep pairs that nearly always occur within one longer pair.
    numbers : bool, default False
        Keep pairs without a letter on either side.
    stopwords : tuple of str, default ()
        Words that no entry begins or ends with, in any case.
    min_characters : int, default 2
        Minimum number of characters on either side. Characters of scripts without spaces between
        words, such as Chinese, count twice.
    lowercase : tuple of (bool, bool), default (False, False)
        Count spellings that differ in case as one, for the source and the target. The most
        frequent spelling is kept.
    max_memory : int, default 256 MiB
        Bytes for phrase pairs; more are counted in several passes.

    Raises
    ------
    UsageError
        If a value is out of range.

    Examples
    --------
    >>> import isogloss as ig
    >>> ig.DictionaryOptions(max_phrase_length=2).max_phrase_length
    2
    """

    max_phrase_length: int = 3
    min_count: int = 3
    min_pmi: float = 6.0
    nested: bool = False
    numbers: bool = False
    stopwords: tuple[str, ...] = ()
    min_characters: int = 2
    lowercase: tuple[bool, bool] = (False, False)
    max_memory: Size = 256 << 20

    def __post_init__(self) -> None:
        check_types(self)
        check_options(
            self,
            (
                (
                    1 <= self.max_phrase_length <= LONGEST,
                    "max_phrase_length",
                    f"between 1 and {LONGEST}",
                ),
                (1 <= self.min_count <= MAX_COUNTS, "min_count", "at least 1"),
                (self.min_characters >= 1, "min_characters", "at least 1"),
                (len(self.lowercase) == 2, "lowercase", "two booleans, one per side"),
                (self.max_memory >= LEAST_MEMORY, "max_memory", f"at least {LEAST_MEMORY} bytes"),
            ),
        )


def label_weights(bitext: Bitext) -> DomainWeights:
    """Domains from the labels of a bitext: a pair without one is of none.

    Raises UsageError for a bitext without labels.
    """
    if not bitext.domains:
        raise UsageError("no pair has a label; pass labels, posteriors or a model with domains")
    numbers = np.arange(len(bitext.domains))
    of_domain = (bitext.label_ids[:, None] == numbers) & (bitext.label_ids[:, None] != UNLABELED)
    return DomainWeights(None, bitext.domains, of_domain.astype(np.float64))


@public
def extract_dictionary(
    model: AlignmentModel,
    bitext: Bitext,
    options: DictionaryOptions | None = None,
    *,
    links: Links | None = None,
    weights: DomainWeights | None = None,
    threads: int | Workers = 1,
    advance: Callable[[int], None] = _nothing,
    **changes: Any,
) -> Dictionary:
    """Extract translation pairs from a bitext, with their counts in each domain.

    Words are counted in lower case if the model was trained so.

    Parameters
    ----------
    model : AlignmentModel
    bitext : Bitext
        The text.
    options : DictionaryOptions, optional
        Criteria for entries.
    links : Links, optional
        Default: those of :meth:`isogloss.align.AlignmentModel.align`. The model says how probable
        links without probabilities are.
    weights : DomainWeights, optional
        Domains of the pairs, see :func:`label_weights`; default: those of the model.
    threads : int or Workers, default 1
        Number of threads, or workers on a Ray cluster, which align the text. Does not affect the
        result.
    advance : callable, optional
        Called with the number of pairs that were aligned since the last call.
    **changes
        Single options by name, such as ``min_count=2``.

    Returns
    -------
    Dictionary

    Raises
    ------
    UsageError, DataError
        As :func:`link_dictionary` does.
    WrongTypeError
        If an argument is of another type.

    Examples
    --------
    >>> from isogloss.align import Bitext, train
    >>> pairs = [("the house", "la casa"), ("a house", "una casa"), ("the book", "el libro")]
    >>> bitext = Bitext.from_pairs(5 * pairs)
    >>> dictionary = extract_dictionary(train(bitext), bitext)
    >>> [(entry.source, entry.target) for entry in dictionary.entries(top=2)]
    [('house', 'casa'), ('book', 'libro')]
    """
    check_argument(model, AlignmentModel, "model", "an AlignmentModel", "AlignmentModel.load(path)")
    check_argument(bitext, Bitext, "bitext", "a Bitext", "read_bitext(source, target)")
    options, posterior = chosen_options(options, DictionaryOptions(), changes, "min_count=2"), None
    if links is None or links.probability is None or weights is None:
        if links is not None:
            links.check_range(bitext.source.lengths, bitext.target.lengths)
        parts = []
        for part in sure_links(model, bitext, links, threads):
            parts.append(part)
            advance(len(part[0]))
        links = Links.joined([found for found, _ in parts])
        posterior = np.concatenate([found for _, found in parts])
    if weights is None:
        several = len(model.domains) > 1
        weights = DomainWeights(None, model.domains, posterior) if several else DomainWeights()
    forms = model.source_form.lowercase, model.target_form.lowercase
    lowered = forms[0] or options.lowercase[0], forms[1] or options.lowercase[1]
    return link_dictionary(bitext, links, replace(options, lowercase=lowered), weights)


def link_dictionary(
    bitext: Bitext,
    links: Links,
    options: DictionaryOptions | None = None,
    weights: DomainWeights | None = None,
    advance: Callable[[int], None] = _nothing,
) -> Dictionary:
    """The translation pairs of a linked text.

    A pair is consistent with the links as phrase pairs are (Koehn, Och & Marcu 2003), its first and
    last words are linked words, and each of its phrases of several words is more than chance, see
    DictionaryOptions. Phrase pairs take ``options.max_memory`` at most.

    links: with probabilities where they have some, which say how sure an occurrence is
    weights: domains, by default none; advance: is told how many phrase pairs were looked at

    Raises DataError for links outside of their pair and for weights that are no probabilities,
    UsageError for a text of 2^30 words or more, and for a domain that is called ``all``.
    """
    options, weights = options or DictionaryOptions(), weights or DomainWeights()
    if ALL in weights.domains:
        raise UsageError(
            f"the domain name {ALL!r} is reserved for the whole text; rename the domain"
        )
    columns = weights.columns(bitext, labels=False)
    low = [
        folded(corpus) if is_low else corpus
        for corpus, is_low in zip((bitext.source, bitext.target), options.lowercase, strict=True)
    ]
    text = PreparedBitext.of(
        Bitext(low[0], low[1], bitext.label_ids, bitext.domains),
        links,
        options.max_phrase_length,
        columns,
    )
    stopwords = frozenset(map(str.lower, options.stopwords))
    linked = LinkedText.of(text, links, numbers=options.numbers, stopwords=stopwords)
    pairs = count_pairs(linked, options.min_count, options.max_memory, advance)
    pairs = _wide(linked, pairs, options.min_characters)
    pairs = _cohesive(linked, pairs, options.min_pmi)
    if not options.nested:
        pairs = pairs.select(np.flatnonzero(nested_shares(linked, pairs) < NESTED))
    source, source_counts = _sides(text.source, bitext.source, pairs.source, columns)
    target, target_counts = _sides(text.target, bitext.target, pairs.target, columns)
    return Dictionary(
        source,
        target,
        pairs.counts,
        source_counts,
        target_counts,
        np.clip(pairs.certainty, 0.0, 1.0),
        (columns * bitext.source.lengths[:, None]).sum(0),
        weights.domains,
        links.probability is not None,
        Origin(linked, bitext, pairs.source_keys, pairs.target_keys, options.max_memory),
    )


def _wide(linked: LinkedText, pairs: PairCounts, least: int) -> PairCounts:
    """The pairs whose phrases have so many characters."""
    good = np.ones(len(pairs), np.bool_)
    for side, phrases in zip(linked.sides, (pairs.source, pairs.target), strict=True):
        corpus = side.corpus
        widths = np.array([term_width(word) for word in corpus.vocabulary.words], np.int32)
        places, offsets = span_entries(phrases.positions, phrases.lengths)
        total = np.concatenate([[0], np.cumsum(widths[corpus.tokens[places]], dtype=np.int64)])
        good &= np.diff(total[offsets]) >= least
    return pairs.select(np.flatnonzero(good))


def _cohesive(linked: LinkedText, pairs: PairCounts, least: float) -> PairCounts:
    """The pairs whose phrases hold together."""
    good = np.ones(len(pairs), np.bool_)
    for side, phrases in zip(linked.sides, (pairs.source, pairs.target), strict=True):
        good &= (phrases.lengths == 1) | (cohesion(side, phrases) >= least)
    return pairs.select(np.flatnonzero(good))


def _sides(
    side: Side, written: Corpus, phrases: Phrases, weights: NDArray[np.float64]
) -> tuple[Corpus, NDArray[np.float64]]:
    """One side of all pairs in its commonest spelling, and its occurrences: float64[n, K]."""
    keys, first, numbers = np.unique(side.keys(phrases), return_index=True, return_inverse=True)
    counts = occurrences(side, keys, weights)
    if side.corpus is written or not len(keys):
        positions = phrases.positions[first]
    else:
        positions = commonest_spellings(side, Side.of(written), keys)
    places, offsets = span_entries(positions[numbers], phrases.lengths)
    return Corpus(written.tokens[places], offsets, written.vocabulary), counts[numbers]
