"""Whether a text shows the domains that its seed samples name."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ..arrays.ragged import offsets_of, row_numbers
from ..language_model.domain_models import DomainLanguageModels
from ..text.bitext import Bitext

__all__ = ["findings", "held_out_recall"]


def held_out_recall(
    bitext: Bitext,
    seeds: Sequence[NDArray[np.int64]],
    rest: NDArray[np.int64],
    order: int,
) -> NDArray[np.float64]:
    """Recall of each seed sample by language models that have not seen it.

    Models of one half of each sample, and of one half of ``rest``, classify the other halves, and
    the other way round. By chance one pair in len(seeds) + 1 would be right.

    seeds: int64[n] pairs of each domain; rest: int64[n], other pairs. Returns float64[num_domains].
    """
    right = np.zeros(len(seeds))
    for half in (0, 1):
        samples = [rows[half::2] for rows in (*seeds, rest)]
        models = DomainLanguageModels.from_samples(bitext, samples, order)
        others = [rows[1 - half :: 2] for rows in seeds]
        truth = row_numbers(offsets_of([len(rows) for rows in others]))
        guess = models.score(bitext.select(np.concatenate(others))).sum(0).argmax(1)
        right += np.bincount(truth[guess == truth], minlength=len(seeds))
    return np.asarray(right / [max(len(rows), 1) for rows in seeds])


def findings(
    domains: Sequence[str], sizes: Sequence[int], recall: NDArray[np.float64]
) -> list[str]:
    """Warnings about what :func:`held_out_recall` gave; none where all is well.

    A domain can be recognized where its recall is above chance by two standard errors.

    recall: float64[D]
    """
    chance = 1.0 / (len(domains) + 1)
    messages = []
    for name, size, value in zip(domains, sizes, recall.tolist(), strict=True):
        if value <= chance + 2.0 * np.sqrt(chance * (1.0 - chance) / max(size, 1)):
            messages.append(
                f"the seed sample of domain {name!r} is indistinguishable from other text: "
                f"held-out language models recognize {100 * value:.0f}% of its {size} pairs, and "
                f"{100 * chance:.0f}% is expected by chance; use more or different pairs"
            )
    if len(messages) == len(domains):
        messages.append(
            "no second domain was found in the text; a single-domain model (no labels) suffices"
        )
    return messages
