"""Links that an alignment model chooses by their probabilities."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..arrays.ragged import row_numbers
from ..errors import OptionError, check_argument
from ..links.classifier.candidates import Translations
from ..links.links import Links
from ..links.reliability import WeightedLinks
from ..text.bitext import Bitext
from ..text.known_words.identical_words import with_identical_words
from .chosen_links import by_classifier, by_posterior
from .cooccurrence import Cells
from .parameters import POSTERIOR
from .posteriors import ModelPosteriors

__all__ = ["ModelPosteriorLinks"]


@dataclass(frozen=True, eq=False, repr=False)
class ModelPosteriorLinks(ModelPosteriors):
    """A model that chooses links by their posteriors, or as gold links have taught it."""

    def align_posterior(
        self,
        bitext: Bitext,
        threshold: float | None = None,
        threads: int = 1,
        posterior: NDArray[np.float64] | None = None,
        external_links: WeightedLinks | None = None,
    ) -> Links:
        """Return the links whose mean posterior of both directions reaches a threshold.

        Parameters
        ----------
        bitext : Bitext
            With any vocabularies; words are matched as strings.
        threshold : float, default None
            Above 0, at most 1; a higher one gives fewer and better links. None is the model's.
        threads : int, default 1
            Does not affect the result.
        posterior : ndarray of float64, shape (n_pairs, n_domains), default None
            Result of :meth:`domain_posteriors`, to save time.
        external_links : WeightedLinks, default None
            External alignments of this text, as :meth:`weigh` returns them.

        Returns
        -------
        Links
            With calibrated probabilities, see :class:`LinkCalibration`.

        Raises
        ------
        UsageError
            If the threshold is out of range, or the model has no HMM iterations.
        """
        threshold = self.threshold if threshold is None else threshold
        if not 0.0 < threshold <= 1.0:
            raise OptionError("threshold", "above 0 and at most 1", threshold)
        links = self._likely_links(bitext, threshold, threads, posterior, external_links)
        return self.with_identical_words(links, bitext, POSTERIOR)

    @property
    def threshold(self) -> float:
        """Least probability of links, of the classifier's or by posterior."""
        if self.classifier is not None:
            return self.classifier.threshold
        return self.options.posterior_threshold

    def _likely_links(
        self,
        bitext: Bitext,
        threshold: float,
        threads: int,
        posterior: NDArray[np.float64] | None,
        external_links: WeightedLinks | None,
    ) -> Links:
        """The links whose mean posterior, or chance by the classifier, reaches a threshold."""
        encoded, learned = self._fitted(bitext), self.classifier
        domains = self.domain_posteriors(encoded, threads) if posterior is None else posterior

        def choose(first: int, cells: Cells, values: NDArray[np.float32]) -> Links:
            rows = slice(first, first + len(cells.offsets) - 1)
            if learned is None:
                return by_posterior(self._calibration, encoded[rows], cells, values, threshold)
            told = Translations(self.parameters.lexical, cells.pair_ids, domains[rows])
            return by_classifier(learned, encoded[rows], cells, values, told, threshold)

        found = self._posteriors_by_block(bitext, threads, domains, external_links, choose)
        nothing = Links.from_scored_keys(np.zeros(0, np.int64), np.zeros(0, np.float32), 0)
        return Links.joined([nothing, *found])

    def with_identical_words(
        self, links: Links, bitext: Bitext, heuristic: str | None = None
    ) -> Links:
        """Link equal words of both sides if ``options.identical_words`` says so.

        Parameters
        ----------
        links : Links
        bitext : Bitext
            The text of the links. In a text of :meth:`encode` only words that the model knows are
            equal to each other.
        heuristic : str, default None
            That has chosen the links; only those of "posterior" are extended. None is the model's.

        Returns
        -------
        Links
        """
        heuristic = self.options.heuristic if heuristic is None else heuristic
        if heuristic != POSTERIOR or not self.options.identical_words:
            return links
        return with_identical_words(links, bitext)

    def with_confidence(
        self,
        bitext: Bitext,
        links: Links,
        threads: int = 1,
        posterior: NDArray[np.float64] | None = None,
        external_links: WeightedLinks | None = None,
    ) -> Links:
        """Return the same links with calibrated probabilities (:class:`LinkCalibration`).

        Parameters
        ----------
        bitext : Bitext
            With any vocabularies; words are matched as strings.
        links : Links
            Links of the same sentence pairs.
        threads : int, default 1
            Does not affect the result.
        posterior : ndarray of float64, shape (n_pairs, n_domains), default None
            Result of :meth:`domain_posteriors`, to save time.
        external_links : WeightedLinks, default None
            External alignments of this text, as :meth:`weigh` returns them.

        Returns
        -------
        Links

        Raises
        ------
        UsageError
            If the model has no HMM iterations.
        DataError
            If links are outside of their sentence pairs.
        """
        check_argument(links, Links, "links", "Links", "Links.from_pairs(lists)")
        links.check_range(bitext.source.lengths, bitext.target.lengths)

        def score(first: int, cells: Cells, values: NDArray[np.float32]) -> NDArray[np.float32]:
            part = links.part(first, len(cells.offsets) - 1)
            pair = row_numbers(part.offsets)
            cell = cells.offsets[pair] + part.source * bitext.target.lengths[first + pair]
            return self._calibration.confidence(*values[:, cell + part.target])

        found = self._posteriors_by_block(bitext, threads, posterior, external_links, score)
        scores = np.concatenate([np.zeros(0, np.float32), *found])
        return Links(links.source, links.target, links.offsets, scores)
