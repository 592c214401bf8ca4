"""Words and what they are linked to: counts of all links of a text, probabilities of a model."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isogloss.align.arrays.ragged import positions_within, row_numbers, run_starts
from isogloss.align.links.links import Links
from isogloss.align.model.model import AlignmentModel
from isogloss.align.text.bitext import Bitext
from isogloss.align.text.known_words.text_form import TextForm
from isogloss.align.text.vocabulary import Vocabulary

__all__ = ["MOST_PARTNERS", "WordPartners", "word_partners"]

MOST_PARTNERS = 12  # partners of a word that are kept, on either side, unless all are


@dataclass(frozen=True)
class WordPartners:
    """Pairs of linked words, by source word.

    source, target: int64[n], numbers in the vocabularies of the text; count: int64[n], links
    by_domain: float64[n, D], links expected in each domain; D is 0 without domains
    s2t, t2s: float32[n], P(target | source) and P(source | target), empty without a model
    s2t_by_domain, t2s_by_domain: float32[n, D]
    links, partners: of the source and of the target words, int64[num_types], all that they have
    """

    source: NDArray[np.int64]
    target: NDArray[np.int64]
    count: NDArray[np.int64]
    by_domain: NDArray[np.float64]
    s2t: NDArray[np.float32]
    t2s: NDArray[np.float32]
    s2t_by_domain: NDArray[np.float32]
    t2s_by_domain: NDArray[np.float32]
    links: tuple[NDArray[np.int64], NDArray[np.int64]]
    partners: tuple[NDArray[np.int64], NDArray[np.int64]]

    def columns(self, bitext: Bitext) -> dict[str, Any]:
        """The columns as lists: words by name, expected links in tenths, probabilities in
        thousandths.
        """
        sides = {}
        for name, ids, corpus, links, partners in zip(
            ("source", "target"),
            (self.source, self.target),
            (bitext.source, bitext.target),
            self.links,
            self.partners,
            strict=True,
        ):
            words, places = np.unique(ids, return_inverse=True)
            sides[f"{name}_words"] = [corpus.vocabulary.words[word] for word in words.tolist()]
            sides[f"{name}_links"] = links[words].tolist()
            sides[f"{name}_partners"] = partners[words].tolist()
            sides[name] = places.tolist()
        return sides | {
            "count": self.count.tolist(),
            "by_domain": _whole(self.by_domain, 10),
            "s2t": _whole(self.s2t, 1000),
            "t2s": _whole(self.t2s, 1000),
            "s2t_by_domain": _whole(self.s2t_by_domain, 1000),
            "t2s_by_domain": _whole(self.t2s_by_domain, 1000),
        }


def _whole(values: NDArray[Any], scale: int) -> list[int]:
    scaled: list[int] = np.rint(values.reshape(-1) * scale).astype(np.int64).tolist()
    return scaled


def word_partners(
    bitext: Bitext,
    links: Links,
    posterior: NDArray[np.float64] | None = None,
    model: AlignmentModel | None = None,
    most: int | None = MOST_PARTNERS,
) -> WordPartners:
    """Count the links of each pair of words, and keep those that are frequent for either of them.

    posterior: float64[num_pairs, D], P(D | f, e), of the same model
    most: how many of either word are kept; None = all
    """
    pair = row_numbers(links.offsets)
    source = bitext.source.tokens[bitext.source.offsets[pair] + links.source].astype(np.int64)
    target = bitext.target.tokens[bitext.target.offsets[pair] + links.target].astype(np.int64)
    size = max(1, len(bitext.target.vocabulary))
    keys, inverse, count = np.unique(
        source * size + target, return_inverse=True, return_counts=True
    )
    words = keys // size, keys % size
    kept = np.ones(len(keys), np.bool_)
    if most is not None:
        kept = _frequent(words[0], count, most) | _frequent(words[1], count, most)
    domains = 0 if posterior is None else posterior.shape[1]
    by_domain = np.zeros((len(keys), domains))
    if posterior is not None:
        for domain in range(domains):
            by_domain[:, domain] = np.bincount(inverse, posterior[pair, domain], len(keys))
    ids = (words[0][kept], words[1][kept])
    s2t, t2s, s2t_by_domain, t2s_by_domain = _probabilities(bitext, ids, model, domains)
    return WordPartners(
        *ids,
        count[kept],
        by_domain[kept],
        s2t,
        t2s,
        s2t_by_domain,
        t2s_by_domain,
        links=(np.bincount(source), np.bincount(target)),
        partners=(np.bincount(words[0]), np.bincount(words[1])),
    )


def _frequent(words: NDArray[np.int64], count: NDArray[np.int64], most: int) -> NDArray[np.bool_]:
    """Whether a row is among the most frequent ones of its word."""
    order = np.lexsort((-count, words))
    offsets = np.append(run_starts(words[order]), len(words))
    kept = np.zeros(len(words), np.bool_)
    kept[order] = positions_within(offsets) < most
    return kept


def _probabilities(
    bitext: Bitext,
    ids: tuple[NDArray[np.int64], NDArray[np.int64]],
    model: AlignmentModel | None,
    domains: int,
) -> list[NDArray[np.float32]]:
    """P(target | source) and P(source | target) of word pairs, and both by domain."""
    if model is None:
        return [np.zeros(0, np.float32)] * 4
    given = (
        _numbers(bitext.source.vocabulary.words, model.source_vocabulary, model.source_form),
        _numbers(bitext.target.vocabulary.words, model.target_vocabulary, model.target_form),
    )
    source, target = given[0][ids[0]], given[1][ids[1]]
    size = len(model.target_vocabulary)
    known = model.index.rows.astype(np.int64) * size + model.index.columns
    sought = source * size + target
    rows = np.minimum(np.searchsorted(known, sought), max(0, len(known) - 1))
    found = (source >= 0) & (target >= 0)
    found &= known[rows] == sought if len(known) else False

    def values(direction: str, domain: str | None = None) -> NDArray[np.float32]:
        table = model.lexicon(direction, domain).probability
        return np.where(found, table[rows], 0).astype(np.float32)

    def within(direction: str) -> NDArray[np.float32]:
        columns = [values(direction, name) for name in model.domains[:domains]]
        return np.stack(columns, axis=1) if columns else np.zeros((len(rows), 0), np.float32)

    return [values("s2t"), values("t2s"), within("s2t"), within("t2s")]


def _numbers(words: Sequence[str], vocabulary: Vocabulary, form: TextForm) -> NDArray[np.int64]:
    """Numbers of words in a vocabulary, -1 for those that it lacks."""
    spelled = (word.lower() if form.lowercase else word for word in words)
    return np.fromiter((vocabulary.get(word) for word in spelled), np.int64, len(words))
