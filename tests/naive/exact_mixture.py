"""The mixture of domains that eq. 5 of Cuong & Sima'an 2015 approximates, by all alignments.

Decoding asks for argmax_a sum_D P(f, a | e, D) P(e | D) P(D); what is done instead is Viterbi on a
geometric average, argmax_a prod_D P(f, a | e, D) ^ P(D | e). Side 0 generates source words.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from isogloss.align import AlignmentModel, Bitext, Links
from tests.naive.alignment import (
    Alignment,
    JumpTable,
    Sentence,
    average_scores,
    domain_posterior,
    enumerated,
    jump_table,
    mixture_scores,
    read_sentence,
)


def under_each_domain(
    model: AlignmentModel, bitext: Bitext, side: int, number: int
) -> tuple[list[Sentence], list[JumpTable]]:
    lexical = model.parameters.lexical_tables(model.options.lexical_floor)
    jumps, every = model.parameters.jumps(model.options), range(len(model.domains))
    return [
        read_sentence(bitext, model.index, side, number, lexical, domain) for domain in every
    ], [jump_table(jumps, side, domain) for domain in every]


def language_chances(model: AlignmentModel, bitext: Bitext, number: int) -> np.ndarray:
    """P(f | D) and P(e | D), [2, D]; 1 without language models."""
    if model.language_models is None:
        return np.ones((2, len(model.domains)))
    return np.exp(model.language_models.score(bitext)[:, number])


def prior_weights(model: AlignmentModel, bitext: Bitext, side: int, number: int) -> np.ndarray:
    """P(D | e), or P(D | f) for side 1; only the largest with hard assignment."""
    weights = language_chances(model, bitext, number)[1 - side] * np.exp(model.log_prior)
    if model.options.domain_weighting == "argmax":
        return np.eye(len(weights))[weights.argmax()]
    return weights / weights.sum()


def likelihoods(model: AlignmentModel, bitext: Bitext, number: int) -> np.ndarray:
    """P(f | e, D) and P(e | f, D), [2, D]."""
    return np.array([
        [math.exp(enumerated(*pair).log_likelihood)
         for pair in zip(*under_each_domain(model, bitext, side, number), strict=True)]
        for side in (0, 1)
    ])  # fmt: skip


def posterior_weights(model: AlignmentModel, bitext: Bitext, number: int) -> list[float]:
    """P(D | f, e)."""
    return domain_posterior(
        likelihoods(model, bitext, number).tolist(),
        language_chances(model, bitext, number).tolist(),
        np.exp(model.log_prior).tolist(),
        model.options.language_model_sides,
        model.options.domain_temperature,
    )


@dataclass(frozen=True)
class Decoding:
    """Every alignment of a pair in one direction, scored twice.

    average: sum_D w_D log P(f, a | e, D), eq. 5
    exact: log sum_D P(D | e) P(f, a | e, D); with weights "pair" log P(a | f, e), which is
        log sum_D P(D | f, e) P(a | f, e, D)
    """

    average: Mapping[Alignment, float]
    exact: Mapping[Alignment, float]

    @property
    def best_average(self) -> Alignment:
        return max(self.average, key=self.average.__getitem__)

    @property
    def best_exact(self) -> Alignment:
        return max(self.exact, key=self.exact.__getitem__)

    @property
    def loss(self) -> float:
        """What the path of the average lacks of the best one's log-probability, in nats."""
        return self.exact[self.best_exact] - self.exact[self.best_average]


def decode(model: AlignmentModel, bitext: Bitext, side: int, number: int) -> Decoding:
    sentences, tables = under_each_domain(model, bitext, side, number)
    if model.options.domain_weighting == "joint":
        weights = np.array(posterior_weights(model, bitext, number))
        shares = weights / likelihoods(model, bitext, number)[side]
    else:
        weights = shares = prior_weights(model, bitext, side, number)
    return Decoding(
        average_scores(sentences, tables, weights.tolist()),
        mixture_scores(sentences, tables, shares.tolist()),
    )


def link_chances(scores: Mapping[Alignment, float], num_states: int) -> np.ndarray:
    """P(link) under alignments as likely as exp(score): [J, I]."""
    top = max(scores.values())
    result = np.zeros((len(next(iter(scores))), num_states))
    for alignment, score in scores.items():
        for j, state in enumerate(alignment):
            if state is not None:
                result[j, state] += math.exp(score - top)
    return result / math.fsum(math.exp(score - top) for score in scores.values())


def path_of(links: Links, number: int, side: int, length: int) -> Alignment:
    """The state of each generated word, from (source, target) links of one direction."""
    states: dict[int, int] = {link[side]: link[1 - side] for link in links[number]}
    return tuple(states.get(j) for j in range(length))


def agreement(decodings: Sequence[Decoding]) -> tuple[float, float]:
    """Share of pairs whose best paths are one and the same, and the mean loss in nats."""
    same = [decoding.loss <= 1e-9 for decoding in decodings]
    return sum(same) / len(same), math.fsum(decoding.loss for decoding in decodings) / len(
        decodings
    )
