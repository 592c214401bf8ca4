"""What a model says of the pairs of a text, a part at a time: here, or on a Ray cluster."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from ..execution.cluster_parts import part_workers
from ..execution.groups import Workers
from ..links.links import Links
from ..text.bitext import Bitext
from ..text.corpus import Corpus
from ..text.vocabulary import Vocabulary
from .model import AlignmentModel

__all__ = ["PairAnswers", "posteriors_of", "sure_links"]


@dataclass(frozen=True)
class PairAnswers:
    """Answers the questions below for a part of a text."""

    model: AlignmentModel
    threads: int

    @classmethod
    def of(cls, model: AlignmentModel, threads: int | Workers) -> "PairAnswers":
        """With so many threads, or those of a worker."""
        return cls(model, threads.threads if isinstance(threads, Workers) else threads)

    def posterior(self, part: Bitext) -> NDArray[np.float64]:
        """P(D | f, e) of each pair: float64[num_pairs, D]."""
        return self.model.domain_posteriors(part, self.threads)

    def sure_links(self, part: tuple[Bitext, Links | None]) -> tuple[Links, NDArray[np.float64]]:
        """Links, with probabilities if the model has some, and P(D | f, e): float64[num_pairs, D].

        part: with its links where they are known already
        """
        (bitext, links), posterior = part, self.posterior(part[0])
        if links is None:
            links = self.model.align(bitext, threads=self.threads, posterior=posterior)
        if links.probability is None and self.model.options.hmm_iterations:
            links = self.model.with_confidence(bitext, links, self.threads, posterior)
        return links, posterior


def posteriors_of(
    model: AlignmentModel,
    bitext: Bitext,
    threads: int | Workers,
) -> NDArray[np.float64]:
    """P(D | f, e) of each pair of a text: float64[num_pairs, D].

    threads: of this process, or workers on a cluster
    """
    if not isinstance(threads, Workers):
        return model.domain_posteriors(bitext, threads)
    there = partial(replace, PairAnswers.of(model, threads))
    parts = (_by_itself(part) for _, part in bitext.parts())
    with part_workers(there, threads) as pool:
        return np.concatenate(list(pool.results(PairAnswers.posterior, parts)))


def sure_links(
    model: AlignmentModel,
    bitext: Bitext,
    links: Links | None,
    threads: int | Workers,
) -> Iterator[tuple[Links, NDArray[np.float64]]]:
    """Links with probabilities, and P(D | f, e), float64[n, D], of each part of a text.

    links: of the whole text, if they are known already; the rest as for :func:`posteriors_of`
    """
    there = partial(replace, PairAnswers.of(model, threads))
    is_sent = isinstance(threads, Workers)
    parts = (
        (
            _by_itself(part) if is_sent else part,
            None if links is None else links.part(begin, len(part)),
        )
        for begin, part in bitext.parts()
    )
    with part_workers(there, threads) as pool:
        yield from pool.results(PairAnswers.sure_links, parts)


def _by_itself(bitext: Bitext) -> Bitext:
    """Pairs over vocabularies of their own, which are all that is sent with them."""
    return Bitext.unlabeled(*map(_with_own_words, (bitext.source, bitext.target)))


def _with_own_words(corpus: Corpus) -> Corpus:
    words = corpus.vocabulary.words
    known = np.unique(corpus.tokens[corpus.tokens >= 0])
    number = np.full(len(words) + 1, -1, np.int32)  # the last one is that of -1
    number[known] = np.arange(1, len(known) + 1)
    own = Vocabulary([words[word] for word in known.tolist()])
    return Corpus(number[corpus.tokens], corpus.offsets, own)
