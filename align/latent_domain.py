"""Latent domains under partial supervision (Cuong & Sima'an 2015, sections 3 to 5).

N seed domains and one out-domain. P(D | f, e) of a labelled pair is fixed at its label; that of
the others follows from both translation directions and from domain language models.
"""

import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp

from .corpus import UNLABELLED, Bitext, Corpus
from .em import Trainer
from .errors import DataError, DataWarning
from .language_model import NgramModel, estimate

__all__ = [
    "OUT",
    "DomainLanguageModels",
    "LatentDomains",
    "domain_posterior",
    "format_posteriors",
]

OUT = "out"  # name of the out-domain: what resembles no seed sample
FEW_SEEDS = 50  # below this a warning is due


def domain_posterior(
    log_translation: NDArray[np.float64],
    log_language: NDArray[np.float64] | None,
    log_prior: NDArray[np.float64],
    sides: str = "both",
) -> NDArray[np.float64]:
    """P(D | f, e): float64[n, D], each row sums to 1.

    Proportional to P(D) * (P(e|D) P(f|e,D) + P(f|D) P(e|f,D)); section 3.1.

    log_translation: float64[2, n, D], log P(f|e,D) and log P(e|f,D)
    log_language: float64[2, n, D], log P(f|D) and log P(e|D), or None to leave them out
    log_prior: float64[D]
    sides: "both", or only the summand with the language model of "target" or of "source".
    """
    terms = log_translation.copy()
    if log_language is not None:
        terms += log_language[::-1]  # P(f | e, D) goes with P(e | D)
    score = {"both": np.logaddexp(terms[0], terms[1]), "target": terms[0], "source": terms[1]}[
        sides
    ]
    score = score + log_prior
    return np.asarray(np.exp(score - logsumexp(score, axis=1, keepdims=True)))


def format_posteriors(
    domains: Sequence[str], posterior: NDArray[np.float64]
) -> Iterator[str]:
    """TSV: the domain names, then P(D | f, e) of each sentence pair, six decimals."""
    yield "\t".join(domains)
    for row in posterior.tolist():
        yield "\t".join(f"{value:.6f}" for value in row)


@dataclass(frozen=True)
class DomainLanguageModels:
    """One language model per domain and side, over the vocabulary of the whole bitext.

    source, target: models in the order of the domains.
    """

    source: tuple[NgramModel, ...]
    target: tuple[NgramModel, ...]

    @classmethod
    def from_samples(cls, bitext: Bitext, rows: list[NDArray[np.int64]], order: int) -> (
        "DomainLanguageModels"
    ):
        """Estimate from the pairs ``rows[d]`` of each domain."""
        return cls(
            tuple(_sample_model(bitext.source, own, order) for own in rows),
            tuple(_sample_model(bitext.target, own, order) for own in rows),
        )


def _sample_model(corpus: Corpus, rows: NDArray[np.int64], order: int) -> NgramModel:
    with warnings.catch_warnings():
        # a sample too small for closed-form discounts has been warned of already
        warnings.simplefilter("ignore", DataWarning)
        return estimate(
            corpus.select(rows), order, vocabulary_size=len(corpus.vocabulary) + 2
        )


@dataclass
class LatentDomains:
    """The domain side of training: seeds, priors, language models, posteriors."""

    trainer: Trainer
    score: Callable[[DomainLanguageModels, Bitext], NDArray[np.float64]]
    labels: NDArray[np.int64] = field(init=False)
    log_prior: NDArray[np.float64] = field(init=False)
    models: DomainLanguageModels | None = field(init=False, default=None)
    posterior: NDArray[np.float64] = field(init=False)
    _log_language: NDArray[np.float64] | None = field(init=False, default=None)

    def __post_init__(self) -> None:
        bitext, domains = self.trainer.bitext, self.trainer.num_domains
        self.labels = bitext.labels.astype(np.int64)
        for number, name in enumerate(bitext.domains):
            size = int(((self.labels == number) & bitext.usable).sum())
            if size == 0:
                raise DataError(
                    f"domain {name!r} is named but has no seed pair with words on both sides",
                    "some pairs labelled with it",
                    remedy="Give a seed sample or drop the name",
                )
            if size < FEW_SEEDS:
                warnings.warn(
                    f"domain {name!r} has only {size} seed pairs; some hundreds tell a domain "
                    "apart much better",
                    DataWarning,
                    stacklevel=4,
                )
        if not ((self.labels == UNLABELLED) & bitext.usable).any():
            self._unlabelled_out()
        self.log_prior = np.full(domains, -np.log(domains))
        self.posterior = self._clamped()

    def _unlabelled_out(self) -> None:
        warnings.warn(
            "every pair is labelled: the out-domain has no pair of its own",
            DataWarning,
            stacklevel=5,
        )

    def _clamped(self, guess: NDArray[np.float64] | None = None) -> NDArray[np.float64]:
        """Posteriors with labelled pairs fixed; the others as guessed, else in the out-domain."""
        domains = self.trainer.num_domains
        result = np.zeros((len(self.labels), domains)) if guess is None else guess.copy()
        if guess is None:
            result[:, domains - 1] = 1.0
        known = self.labels != UNLABELLED
        result[known] = 0.0
        result[known, self.labels[known]] = 1.0
        result[~self.trainer.bitext.usable] = 0.0
        return result

    def initialize(self) -> None:
        """Tables from one iteration on each sample; then language models, burn-in for the out one.

        The out-domain's sample is the rest of the pool; priors are ignored meanwhile.
        """
        trainer, options = self.trainer, self.trainer.options
        trainer.iterate("model1", 0, self.posterior)
        trainer.trace.clear()  # the uniform start is no iteration of the schedule
        guess = domain_posterior(trainer.log_likelihoods("model1"), None, self.log_prior)
        if options.language_model_order > 0:
            rows = [
                np.flatnonzero(self.labels == domain) for domain in range(trainer.num_domains - 1)
            ]
            rows.append(self._pseudo_out_sample(guess, rows))
            trainer.report("estimating domain language models")
            self.models = DomainLanguageModels.from_samples(
                trainer.bitext, rows, options.language_model_order
            )
            self._log_language = self.score(self.models, trainer.bitext)
        self._refresh("model1")

    def _pseudo_out_sample(
        self, guess: NDArray[np.float64], seeds: list[NDArray[np.int64]]
    ) -> NDArray[np.int64]:
        """The unlabelled pairs highest in P(D_OUT | f, e) after the burn-in iteration."""
        size = self.trainer.options.out_sample or int(np.mean([len(rows) for rows in seeds]))
        pool = np.flatnonzero((self.labels == UNLABELLED) & self.trainer.bitext.usable)
        if len(pool) == 0:
            pool = np.flatnonzero(self.trainer.bitext.usable)
        # 1 - P is exact where P itself rounds to 1
        rest = guess[pool, :-1].sum(1)
        return np.sort(pool[np.argsort(rest, kind="stable")[: max(size, 2)]])

    def _refresh(self, stage: str) -> None:
        guess = domain_posterior(
            self.trainer.log_likelihoods(stage),
            self._log_language,
            self.log_prior,
            self.trainer.options.language_model_sides,
        )
        self.posterior = self._clamped(guess)

    def step(self, stage: str) -> NDArray[np.float64]:
        """P(D | f, e) under the present tables, and P(D) re-estimated from it."""
        if self.trainer.trace:  # the first iteration uses what initialize left
            self._refresh(stage)
        total = self.posterior.sum(0)
        with np.errstate(divide="ignore"):
            self.log_prior = np.log(total / total.sum())
        return self.posterior
