"""Which domains a sentence pair is no longer trained under, one pair after the other."""

import math
from collections.abc import Sequence

from tests.naive.latent_tables import Settings

HOPELESS = 1e-6  # P(D) P(f | D) P(e | D), over that of the likeliest domain, to begin with


def hopeless(settings: Settings, language: Sequence[Sequence[float]]) -> set[int]:
    """By language models alone, P(D) being alike; language: [side][D], natural logarithms."""
    if settings.min_domain_posterior == 0.0:
        return set()
    scores = [sum(both) / settings.domain_temperature for both in zip(*language, strict=True)]
    return {d for d, score in enumerate(scores) if score < max(scores) + math.log(HOPELESS)}


def unlikely(settings: Settings, posterior: Sequence[float]) -> set[int]:
    """By P(D | f, e)."""
    least = min(settings.min_domain_posterior, max(posterior))
    return {d for d, share in enumerate(posterior) if share < least}
