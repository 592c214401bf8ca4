"""Likelihoods of sentence pairs under the domains of a model."""

from collections.abc import Iterator
from functools import partial

import numpy as np
from numpy.typing import NDArray

from ..execution import run_all
from .kernels import hmm, model1
from .kernels.gather import PairedText
from .parameters import AlignerOptions, Parameters

__all__ = ["PAIRS", "log_likelihoods", "log_sum", "pair_blocks"]

PAIRS = 1024  # sentence pairs a kernel is given at a time; bounds memory, changes no result


def pair_blocks(first: int, last: int) -> Iterator[tuple[int, int]]:
    """Ranges of PAIRS sentence pairs, which end at last."""
    for begin in range(first, last, PAIRS):
        yield begin, min(begin + PAIRS, last)


def log_sum(terms: NDArray[np.float64], axis: int) -> NDArray[np.float64]:
    """log of the sum of exp(terms) along an axis, by SciPy, which loads slowly: when it is needed.

    terms: float64[...], not all -inf along the axis. Returns float64[...], without that axis.
    """
    from scipy.special import logsumexp

    return np.asarray(logsumexp(terms, axis=axis))


def log_likelihoods(
    parameters: Parameters, options: AlignerOptions, text: PairedText, stage: str, threads: int
) -> NDArray[np.float64]:
    """log P(f | e, D) and log P(e | f, D) of all pairs of a text: float64[2, num_pairs, D]."""
    num_pairs = len(text.source_offsets) - 1
    lexical = parameters.lexical_tables(options.lexical_floor)
    jumps = parameters.jumps(options)
    result = np.zeros((2, num_pairs, parameters.num_domains))

    def compute(begin: int, end: int) -> None:
        part = result[:, begin:end]
        if stage == "model1":
            model1.log_likelihoods(text, lexical, begin, end, part)
        else:
            hmm.log_likelihoods(text, lexical, jumps, begin, end, part)

    run_all((partial(compute, *block) for block in pair_blocks(0, num_pairs)), threads)
    return result
