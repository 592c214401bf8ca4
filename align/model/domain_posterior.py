"""P(D | f, e): which domains a sentence pair is of (Cuong & Sima'an 2015, section 3.1)."""

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from .kernels.gather import weigh_all_domains

__all__ = ["OUT", "domain_posterior", "format_posteriors", "log_domain_weights"]

OUT = "out"  # name of the out-domain: what resembles no seed sample


def log_domain_weights(
    log_language: NDArray[np.float64] | None,
    log_prior: NDArray[np.float64],
    num_pairs: int,
    sides: str = "both",
) -> NDArray[np.float64]:
    """The terms that are added to log P(f | e, D) and log P(e | f, D) in a domain's posterior.

    They are log P(D) + log P(e | D) and log P(D) + log P(f | D): float64[2, num_pairs, D]; section
    3.1 of Cuong & Sima'an 2015.

    log_language: float64[2, num_pairs, D], log P(f | D) and log P(e | D), or None to leave them out
    log_prior: float64[D], or float64[num_pairs, D]
    sides: "both", or only the summand with the language model of "target" or of "source".
    """
    result = np.empty((2, num_pairs, log_prior.shape[-1]))
    result[:] = log_prior
    if log_language is not None:
        result += log_language[::-1]  # P(f | e, D) goes with P(e | D)
    if sides == "target":
        result[1] = -np.inf
    elif sides == "source":
        result[0] = -np.inf
    return result


def domain_posterior(
    log_translation: NDArray[np.float64],
    log_language: NDArray[np.float64] | None,
    log_prior: NDArray[np.float64],
    sides: str = "both",
    temperature: float = 1.0,
) -> NDArray[np.float64]:
    """P(D | f, e): float64[n, D], each row sums to 1.

    Proportional to P(D) * (P(e|D) P(f|e,D) + P(f|D) P(e|f,D)), section 3.1, to the power of
    1 / ``temperature`` (a departure: 1 is as printed).

    log_translation: float64[2, n, D], log P(f|e,D) and log P(e|f,D)
    log_language: float64[2, n, D]; log_prior: float64[D], or float64[n, D], as in
    :func:`log_domain_weights`
    """
    weights = log_domain_weights(log_language, log_prior, log_translation.shape[1], sides)
    result = np.empty(log_translation.shape[1:])
    weigh_all_domains(weights, np.ascontiguousarray(log_translation), temperature, result)
    return result


def format_posteriors(domains: Sequence[str], posterior: NDArray[np.float64]) -> Iterator[str]:
    """TSV: the domain names, then P(D | f, e) of each sentence pair, six decimals.

    posterior: float64[num_pairs, D]
    """
    yield "\t".join(domains)
    for row in posterior.tolist():
        yield "\t".join(f"{value:.6f}" for value in row)
