"""What an alignment model says of sentence pairs: likelihoods, domains, probabilities of links."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from ..errors import UsageError
from ..execution import run_tasks
from ..links.external_links import ExternalLinks
from ..links.links import Links
from ..links.reliability import WeightedLinks
from ..text.bitext import Bitext
from .cooccurrence import Cells
from .domain_posterior import domain_posterior
from .kernels import hmm
from .likelihoods import PAIRS, log_likelihoods, log_sum
from .parameters import learned, paired_text
from .parts import ModelParts
from .trained_text import TrainedText

__all__ = ["SAMPLE", "ModelPosteriors", "external_part"]

SAMPLE = 4096  # pairs that external links are weighed by
_T = TypeVar("_T")


@dataclass(frozen=True, eq=False, repr=False)
class ModelPosteriors(ModelParts):
    """A model that is asked for probabilities; its parts are :class:`ModelParts`.

    trained_on: the text it was trained on; None in a model that was loaded
    """

    trained_on: TrainedText | None = field(default=None, repr=False, compare=False)

    def log_likelihoods(self, bitext: Bitext, threads: int = 1) -> NDArray[np.float64]:
        """Compute log P(f | e, D) and log P(e | f, D) of each sentence pair.

        Parameters
        ----------
        bitext : Bitext
            With any vocabularies; words are matched as strings.
        threads : int, default 1
            Does not affect the result.

        Returns
        -------
        ndarray of float64, shape (2, n_pairs, n_domains)

        Raises
        ------
        ModelError
            If the model's tables are damaged.
        """
        bitext = self._fitted(bitext)
        text = paired_text(bitext, self._cells(bitext))
        return learned(log_likelihoods(self.parameters, self.options, text, self._stage, threads))

    def _known_cells(self, bitext: Bitext) -> Cells | None:
        return None if self.trained_on is None else self.trained_on.cells_of(bitext)

    def _cells(self, bitext: Bitext) -> Cells:
        return self._known_cells(bitext) or self.index.cells(bitext)

    def _blocks(self, bitext: Bitext) -> Iterator[tuple[NDArray[np.int64], Bitext, Cells | None]]:
        """Places, text and, where they are at hand, cells of some thousand pairs at a time."""
        cells = self._known_cells(bitext)
        for begin in range(0, len(bitext), PAIRS):
            rows = np.arange(begin, min(begin + PAIRS, len(bitext)))
            block = bitext if len(rows) == len(bitext) else bitext.select(rows)
            yield rows, block, None if cells is None else cells.part(begin, len(rows))

    def domain_posteriors(self, bitext: Bitext, threads: int = 1) -> NDArray[np.float64]:
        """Compute the probability of each domain, P(D | f, e), of each sentence pair.

        Labels are ignored.

        Parameters
        ----------
        bitext : Bitext
            With any vocabularies; words are matched as strings.
        threads : int, default 1
            Does not affect the result.

        Returns
        -------
        ndarray of float64, shape (n_pairs, n_domains)
            Rows sum to 1.
        """
        if len(self.domains) == 1:
            return np.ones((len(bitext), 1))
        bitext = self._fitted(bitext)
        return domain_posterior(
            self.log_likelihoods(bitext, threads),
            self._log_language(bitext),
            self.log_prior,
            self.options.language_model_sides,
            self.options.domain_temperature,
        )

    def restricted(self, domains: Sequence[str]) -> Self:
        """Return the same model with some of its domains only.

        Parameters
        ----------
        domains : list of str
            Names.

        Returns
        -------
        AlignmentModel
            ``trained_on`` is None, as that text has all domains.

        Raises
        ------
        UsageError
            If a name is unknown, or there is none.
        """
        return replace(super().restricted(domains), trained_on=None)

    def scores(self, bitext: Bitext, threads: int = 1) -> NDArray[np.float64]:
        """Score sentence pairs by length-normalized log-likelihood.

        Parameters
        ----------
        bitext : Bitext
            With any vocabularies; words are matched as strings.
        threads : int, default 1
            Does not affect the result.

        Returns
        -------
        ndarray of float64, shape (n_pairs,)
            Mean of log P(f | e) / J and log P(e | f) / I in nats per word, marginalized over
            domains. At most 0, higher is better; -inf if one side is empty.
        """
        values = self.log_likelihoods(bitext, threads)
        lengths = np.stack([bitext.source.lengths, bitext.target.lengths])
        per_word = log_sum(values + self.log_prior, axis=2) / np.maximum(lengths, 1)
        return np.asarray(np.where(bitext.usable, per_word.mean(0), -np.inf))

    def _log_language(self, bitext: Bitext) -> NDArray[np.float64] | None:
        if self.language_models is None:
            return None
        return self.language_models.score(bitext)

    def link_posteriors(
        self, bitext: Bitext, threads: int = 1, posterior: NDArray[np.float64] | None = None
    ) -> tuple[Cells, NDArray[np.float32]]:
        """Compute P(link | both sentences) of each pair of positions, in both directions.

        The posteriors of the domains are averaged by P(D | f, e).

        Parameters
        ----------
        bitext : Bitext
            With any vocabularies; words are matched as strings.
        threads : int, default 1
            Does not affect the result.
        posterior : ndarray of float64, shape (n_pairs, n_domains), default None
            Result of :meth:`domain_posteriors`, to save time.

        Returns
        -------
        cells : Cells
            The pairs of positions.
        values : ndarray of float32, shape (2, n_cells)

        Raises
        ------
        UsageError
            If the model has no HMM iterations.
        """
        bitext = self._fitted(bitext)
        return self._cells(bitext), self._link_posteriors(bitext, threads, posterior)

    def _link_posteriors(
        self,
        bitext: Bitext,
        threads: int,
        posterior: NDArray[np.float64] | None,
        external_links: WeightedLinks | None = None,
    ) -> NDArray[np.float32]:
        """P(link) of all cells in both directions: float32[2, num_cells]."""
        found = self._posteriors_by_block(
            bitext, threads, posterior, external_links, lambda *part: part[-1]
        )
        return np.concatenate([np.zeros((2, 0), np.float32), *found], axis=1)

    def _posteriors_by_block(
        self,
        bitext: Bitext,
        threads: int,
        posterior: NDArray[np.float64] | None,
        external_links: WeightedLinks | None,
        use: Callable[[int, Cells, NDArray[np.float32]], _T],
    ) -> Iterator[_T]:
        """What threads make of first pair, cells and link posteriors of each block, in order."""
        if self.options.hmm_iterations == 0:
            raise UsageError("link posteriors need a model with HMM iterations")
        bitext, jumps = self._fitted(bitext), self.parameters.jumps(self.options)
        if posterior is None:
            posterior = self.domain_posteriors(bitext, threads)
        lexical = self.parameters.lexical_tables(self.options.lexical_floor)

        def compute(rows: NDArray[np.int64], block: Bitext, known: Cells | None) -> _T:
            cells = known or self.index.cells(block)
            result = np.zeros((2, len(cells.pair_ids)), np.float32)
            text = paired_text(block, cells, external_links=external_part(external_links, rows))
            self.parameters.check_pairs(text.pair_ids)
            domains = np.ascontiguousarray(posterior[rows])
            hmm.link_posteriors(text, lexical, jumps, domains, result)
            return use(int(rows[0]), cells, learned(result))

        return run_tasks((partial(compute, *block) for block in self._blocks(bitext)), threads)

    def weigh(
        self,
        bitext: Bitext,
        external_links: ExternalLinks | Links,
        threads: int = 1,
        posterior: NDArray[np.float64] | None = None,
    ) -> WeightedLinks:
        """Weigh external alignments of a text by how they agree with this model.

        Their rates are learned from at most SAMPLE pairs; the model doesn't change.

        Parameters
        ----------
        bitext : Bitext
            With any vocabularies; words are matched as strings.
        external_links : ExternalLinks or Links
            External alignments of the same sentence pairs.
        threads : int, default 1
            Does not affect the result.
        posterior : ndarray of float64, shape (n_pairs, n_domains), default None
            Result of :meth:`domain_posteriors`, to save time.

        Returns
        -------
        WeightedLinks

        Raises
        ------
        UsageError
            If the model has no HMM iterations.
        DataError
            If the external links have a different number of pairs, or links outside of them.
        """
        bitext, given = self._fitted(bitext), ExternalLinks.of(external_links)
        lengths = bitext.source.lengths, bitext.target.lengths
        given.check(*lengths)
        weighed = WeightedLinks.of(given, lengths[1])
        rows = weighed.sample(SAMPLE)
        part, text = weighed.select(rows), bitext.select(rows)
        own = None if posterior is None else posterior[rows]
        for _ in self._posteriors_by_block(text, threads, own, part, lambda *_: None):
            pass  # what is expected is kept in the external links
        part.learn(lengths[0][rows] * lengths[1][rows], np.ones(len(rows), bool))
        weighed.factors[:] = part.factors
        return weighed


def external_part(
    external_links: WeightedLinks | None, rows: NDArray[np.int64]
) -> WeightedLinks | None:
    """The external links of pairs that follow each other. rows: int64[n], their numbers"""
    return None if external_links is None else external_links.part(int(rows[0]), len(rows))
