"""AlignmentModel: what training leaves, and what it can be asked."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp

from .cooccurrence import Cells, PairIndex
from .corpus import Bitext
from .em import NEGLIGIBLE, Iteration, Trainer
from .errors import DataError, UsageError
from .estimation import Counts
from .execution import run_tasks
from .kernels import hmm, model1
from .kernels.text import DirectedText
from .kernels.viterbi import viterbi
from .language_model import LanguageModel
from .latent_domain import OUT, DomainLanguageModels, LatentDomains, domain_posterior
from .lexicon import LexicalTable
from .links import Links
from .parameters import AlignerOptions, Direction, directed_texts
from .symmetrize import symmetrize
from .vocabulary import Vocabulary

__all__ = ["FLAT", "AlignmentModel", "train"]

FLAT = "general"  # name of the only domain of a model without domains
_BLOCK = 4096  # sentence pairs decoded at a time; bounds memory, changes no result


@dataclass(frozen=True)
class AlignmentModel:
    """Domain-conditioned HMM (or Model 1) in both directions.

    domains: their names, the out-domain last; ``("general",)`` for a flat model
    log_prior: float64[D], log P(D)
    directions: parameters of P(source | target) and of P(target | source)
    trace: one entry per EM iteration
    """

    source_vocabulary: Vocabulary
    target_vocabulary: Vocabulary
    index: PairIndex
    directions: tuple[Direction, Direction]
    domains: tuple[str, ...]
    log_prior: NDArray[np.float64]
    options: AlignerOptions
    language_models: DomainLanguageModels | None = None
    trace: tuple[Iteration, ...] = ()

    def domain_number(self, name: str) -> int:
        """Place of a domain. Raises UsageError for an unknown name."""
        if name not in self.domains:
            raise UsageError(f"unknown domain {name!r}; the model has {', '.join(self.domains)}")
        return self.domains.index(name)

    def lexicon(self, direction: str = "s2t", domain: str | None = None) -> LexicalTable:
        """Lexical table of one domain; ``None`` averages the domains by P(D).

        direction: "s2t" for t(target | source), "t2s" for t(source | target).

        Raises UsageError for another direction or an unknown domain.
        """
        if direction not in ("s2t", "t2s"):
            raise UsageError(f"direction {direction!r}; expected s2t or t2s")
        side = ("t2s", "s2t").index(direction)
        parameters = self.directions[side]
        if domain is None:
            weights = np.exp(self.log_prior)
        else:
            weights = np.zeros(len(self.domains))
            weights[self.domain_number(domain)] = 1.0
        words = (self.source_vocabulary, self.target_vocabulary)
        ids = (self.index.rows, self.index.columns)
        probability = weights @ parameters.lexical[:, :-1].astype(np.float64)
        if domain is None:  # a domain that lacks a given word adds nothing to its row
            total = np.bincount(ids[1 - side], probability, minlength=len(words[1 - side]))
            probability = probability / np.maximum(total, 1e-300)[ids[1 - side]]
        return LexicalTable(
            generated=ids[side],
            given=ids[1 - side],
            probability=probability.astype(np.float32),
            null=(weights @ parameters.null).astype(np.float32),
            generated_vocabulary=words[side],
            given_vocabulary=words[1 - side],
            direction=direction,
        )

    def log_likelihoods(self, bitext: Bitext, threads: int = 1) -> NDArray[np.float64]:
        """log P(f | e, D) and log P(e | f, D): float64[2, num_pairs, D].

        Raises UsageError for a bitext over other vocabularies.
        """
        self._check_vocabularies(bitext)
        texts = directed_texts(bitext, self.index.cells(bitext))
        result = np.empty((2, len(self.domains), len(bitext)))

        def compute(side: int, domain: int) -> None:
            lexical = self._padded(side).lexical_columns(domain, self.options.lexical_floor)
            if self.options.hmm_iterations == 0:
                model1.log_likelihoods(texts[side], lexical, result[side, domain])
            else:
                jumps = self.directions[side].jump_columns(domain, self.options)
                hmm.log_likelihoods(texts[side], lexical, jumps, result[side, domain])

        tasks = [
            partial(compute, side, domain)
            for side in (0, 1)
            for domain in range(len(self.domains))
        ]
        run_tasks(tasks, threads)
        return result.transpose(0, 2, 1)

    def _check_vocabularies(self, bitext: Bitext) -> None:
        own = (self.source_vocabulary, self.target_vocabulary)
        for mine, corpus in zip(own, (bitext.source, bitext.target), strict=True):
            if corpus.vocabulary is not mine and corpus.vocabulary != mine:
                raise UsageError(
                    "the bitext has other vocabularies than the model; read it with "
                    "read_bitext(..., vocabularies=(model.source_vocabulary, "
                    "model.target_vocabulary))"
                )

    def _padded(self, side: int) -> Direction:
        """Parameters whose null column has an entry more, for unknown words (id -1)."""
        own = self.directions[side]
        zeros = np.zeros((len(self.domains), 1), np.float32)
        return Direction(own.lexical, np.hstack([own.null, zeros]), own.jump, own.start)

    def domain_posteriors(self, bitext: Bitext, threads: int = 1) -> NDArray[np.float64]:
        """P(D | f, e) of each pair: float64[num_pairs, D]. Labels are not looked at."""
        if len(self.domains) == 1:
            return np.ones((len(bitext), 1))
        return domain_posterior(
            self.log_likelihoods(bitext, threads),
            self._log_language(bitext),
            self.log_prior,
            self.options.language_model_sides,
        )

    def _log_language(self, bitext: Bitext) -> NDArray[np.float64] | None:
        if self.language_models is None:
            return None
        return score_language(self.language_models, bitext)

    def _decoding_weights(
        self, bitext: Bitext, threads: int, posterior: NDArray[np.float64] | None = None
    ) -> list[NDArray[np.float64]]:
        """Weights of the domains in eq. 5, for each direction: float64[num_pairs, D]."""
        if self.options.decoding_weights == "pair" or len(self.domains) == 1:
            if posterior is None:
                posterior = self.domain_posteriors(bitext, threads)
            return [posterior] * 2
        language = self._log_language(bitext)
        if language is None:
            language = np.zeros((2, len(bitext), len(self.domains)))
        scores = [language[1] + self.log_prior, language[0] + self.log_prior]
        weights = [np.exp(score - logsumexp(score, axis=1, keepdims=True)) for score in scores]
        if self.options.decoding_weights == "hard":
            weights = [np.eye(len(self.domains))[row.argmax(1)] for row in weights]
        return weights

    def align_directions(
        self, bitext: Bitext, threads: int = 1, posterior: NDArray[np.float64] | None = None
    ) -> tuple[Links, Links]:
        """Viterbi links of both directions under eq. 5, both as (source, target) positions.

        The first explains each source word by a target word, the second each target word.
        posterior: float64[num_pairs, D], what :meth:`domain_posteriors` gave, if known already.

        Raises UsageError for a bitext over other vocabularies.
        """
        self._check_vocabularies(bitext)
        weights = self._decoding_weights(bitext, threads, posterior)
        blocks = [
            np.arange(begin, min(begin + _BLOCK, len(bitext)))
            for begin in range(0, len(bitext), _BLOCK)
        ]
        parts: list[list[NDArray[np.int32]]] = []
        with np.errstate(divide="ignore"):
            logs = [self._log_tables(side) for side in (0, 1)]
        for rows in blocks:
            block = bitext.select(rows)
            texts = directed_texts(block, self.index.cells(block))
            tasks = [
                partial(self._viterbi, side, texts[side], logs[side], weights[side][rows])
                for side in (0, 1)
            ]
            parts.append(run_tasks(tasks, threads))
        forward = np.concatenate([part[0] for part in parts] or [np.zeros(0, np.int32)])
        reverse = np.concatenate([part[1] for part in parts] or [np.zeros(0, np.int32)])
        return (
            _links_of_path(forward, bitext.source.offsets),
            _links_of_path(reverse, bitext.target.offsets).reversed(),
        )

    def _log_tables(self, side: int) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        floor = np.float32(self.options.lexical_floor)
        own = self._padded(side)
        return np.log(np.maximum(own.lexical, floor)), np.log(np.maximum(own.null, floor))

    def _viterbi(
        self,
        side: int,
        text: DirectedText,
        logs: tuple[NDArray[np.float32], NDArray[np.float32]],
        weights: NDArray[np.float64],
    ) -> NDArray[np.int32]:
        own, options = self.directions[side], self.options
        # without HMM iterations jumps are uniform and NULL is a state among I + 1, as in Model 1
        null_probability, smoothing = (
            (options.null_probability, options.jump_smoothing)
            if options.hmm_iterations
            else (0.0, 1.0)
        )
        path = np.empty(len(text.generated_tokens), np.int32)
        viterbi(
            text,
            *logs,
            own.jump,
            own.start,
            (null_probability, smoothing),
            np.ascontiguousarray(weights),
            path,
        )
        return path

    def link_posteriors(
        self, bitext: Bitext, threads: int = 1
    ) -> tuple[Cells, NDArray[np.float32]]:
        """P(link | both sentences) of each cell in both directions: cells, float32[2, num_cells].

        The posteriors of the domains are averaged by the decoding weights. Needs HMM iterations.

        Raises UsageError for a bitext over other vocabularies, or a model without HMM iterations.
        """
        self._check_posteriors(bitext)
        return self._link_posteriors(bitext, self._decoding_weights(bitext, threads), threads)

    def _check_posteriors(self, bitext: Bitext) -> None:
        if self.options.hmm_iterations == 0:
            raise UsageError("link posteriors need a model with HMM iterations")
        self._check_vocabularies(bitext)

    def _link_posteriors(
        self, bitext: Bitext, weights: list[NDArray[np.float64]], threads: int
    ) -> tuple[Cells, NDArray[np.float32]]:
        cells = self.index.cells(bitext)
        texts = directed_texts(bitext, cells)
        result = np.zeros((2, len(cells.pair_ids)), np.float32)
        tasks = [
            partial(self._add_posteriors, side, texts[side], weights[side], result[side])
            for side in (0, 1)
        ]
        run_tasks(tasks, threads)
        return cells, result

    def _add_posteriors(
        self,
        side: int,
        text: DirectedText,
        weights: NDArray[np.float64],
        result: NDArray[np.float32],
    ) -> None:
        own, options = self._padded(side), self.options
        counts = Counts.zeros(own)
        pair = np.repeat(np.arange(len(weights)), np.diff(text.cell_offsets))
        for domain in range(len(self.domains)):
            share = np.where(weights[:, domain] < NEGLIGIBLE, 0.0, weights[:, domain])
            posterior = np.zeros_like(result)
            hmm.posteriors(
                text,
                own.lexical_columns(domain, options.lexical_floor),
                own.jump_columns(domain, options),
                share,
                posterior,
                counts.null[domain],
                counts.of_jumps(domain),
            )
            result += posterior * share[pair].astype(np.float32)

    def align_posterior(
        self,
        bitext: Bitext,
        threshold: float = 0.5,
        threads: int = 1,
        posterior: NDArray[np.float64] | None = None,
    ) -> Links:
        """Links whose posterior, averaged over both directions, reaches the threshold.

        A higher threshold gives fewer and better links.
        posterior: float64[num_pairs, D], what :meth:`domain_posteriors` gave, if known already.

        Raises UsageError for a threshold outside (0, 1] and as :meth:`link_posteriors` does.
        """
        if not 0.0 < threshold <= 1.0:
            raise UsageError(f"threshold {threshold}; expected above 0, at most 1")
        self._check_posteriors(bitext)
        weights = self._decoding_weights(bitext, threads, posterior)
        parts = []
        for begin in range(0, len(bitext), _BLOCK):
            rows = np.arange(begin, min(begin + _BLOCK, len(bitext)))
            block = bitext.select(rows)
            cells, links = self._link_posteriors(block, [own[rows] for own in weights], threads)
            chosen = np.flatnonzero(links.sum(0) >= 2.0 * threshold)
            pair = np.searchsorted(cells.offsets, chosen, side="right") - 1
            source, target = np.divmod(
                chosen - cells.offsets[pair], block.target.lengths[pair]
            )
            parts.append(np.stack([begin + pair, source, target], 1))
        found = np.concatenate(parts or [np.zeros((0, 3), np.int64)])
        offsets = np.searchsorted(found[:, 0], np.arange(len(bitext) + 1)).astype(np.int64)
        return Links(found[:, 1].astype(np.int32), found[:, 2].astype(np.int32), offsets)

    def align(
        self, bitext: Bitext, heuristic: str = "grow-diag-final-and", threads: int = 1
    ) -> Links:
        """Symmetrised links of each pair; a pair with an empty side gets none."""
        forward, reverse = self.align_directions(bitext, threads)
        return symmetrize(forward, reverse, heuristic)


def _links_of_path(path: NDArray[np.int32], offsets: NDArray[np.int64]) -> Links:
    """Links (generated, state) of a best state per generated word."""
    linked = path >= 0
    pair = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
    position = np.arange(len(path)) - offsets[:-1][pair]
    counts = np.zeros(len(offsets), np.int64)
    np.cumsum(np.bincount(pair[linked], minlength=len(offsets) - 1), out=counts[1:])
    return Links(position[linked].astype(np.int32), path[linked], counts)


def score_language(models: DomainLanguageModels, bitext: Bitext) -> NDArray[np.float64]:
    """log P(f | D) and log P(e | D) of each pair, by KenLM: float64[2, num_pairs, D]."""
    result = np.empty((2, len(bitext), len(models.source)))
    sides = ((bitext.source, models.source), (bitext.target, models.target))
    for side, (corpus, own) in enumerate(sides):
        for domain, model in enumerate(own):
            result[side, :, domain] = LanguageModel.from_ngrams(model).score_corpus(corpus)
    return result


def train(
    bitext: Bitext,
    options: AlignerOptions | None = None,
    *,
    threads: int = 1,
    report: Callable[[str], None] = lambda message: None,
) -> AlignmentModel:
    """Train both directions: flat without labels, with latent domains where pairs are labelled.

    ``report`` is called with a line of text at each step. The result is the same for any number
    of threads.

    Raises DataError for a bitext without a usable pair, or with words its vocabulary lacks.
    """
    options = options or AlignerOptions()
    for corpus in (bitext.source, bitext.target):
        if len(corpus.tokens) and corpus.tokens.min() < 1:
            raise DataError(
                "a bitext with unknown words (-1)",
                "one that was read with its own vocabularies",
                remedy="Read the text to train on without giving vocabularies",
            )
    if not bitext.usable.any():
        raise DataError("no pair with words on both sides", "at least one sentence pair")
    domains = (*bitext.domains, OUT) if bitext.domains else (FLAT,)
    if len(set(domains)) != len(domains):
        raise DataError(f"a seed domain called {OUT!r}", "another name", remedy="Rename it")
    trainer = Trainer(bitext, options, len(domains), threads, report)
    log_prior = np.zeros(1)
    models = None
    if len(domains) == 1:
        flat = np.where(bitext.usable, 1.0, 0.0)[:, None]
        trainer.run(lambda stage: flat)
    else:
        latent = LatentDomains(trainer, score_language)
        latent.initialize()
        trainer.run(latent.step)
        log_prior, models = latent.log_prior, latent.models
    return AlignmentModel(
        bitext.source.vocabulary,
        bitext.target.vocabulary,
        trainer.index,
        trainer.directions,
        domains,
        log_prior,
        options,
        models,
        tuple(trainer.trace),
    )
