"""Tuning loops: with the decoder in the loop, and on fixed n-best lists."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from align.errors import DataError
from align.execution import run_tasks
from features.ragged import Ragged

from .decoder.model import FIXED_FEATURES, Decoder, Derivations
from .examples import Examples
from .kernels.bleu import COLUMNS, bleu_statistics
from .metrics.bleu import Bleu, WordReferences, bleu, bleu_plus_one
from .nbest import NBest
from .optimizers.adagrad_pro import (
    AdaGradOptions,
    AdaGradState,
    pairwise_update,
    sample_pairs,
)
from .references import References
from .results import Epoch, TuningResult

__all__ = ["decode_corpus", "tune_decoder", "tune_nbest"]


@dataclass(frozen=True)
class _Judge:
    """Scores derivations of a decoder against references."""

    decoder: Decoder
    references: WordReferences
    target_ids: NDArray[np.int32]

    @classmethod
    def build(cls, decoder: Decoder, references: References) -> "_Judge":
        words = decoder.table.target.vocabulary.words
        own = WordReferences.over(references)
        return cls(decoder, own, np.array(own.encode(words), np.int32))

    def statistics(self, sentence: int, found: Derivations) -> NDArray[np.int64]:
        """int64[num_derivations, 9]."""
        unknown = np.array(self.references.encode(found.unknown), np.int32)
        words = np.append(self.target_ids, unknown)[found.words]
        result = np.empty((len(found), COLUMNS), np.int64)
        own = self.references
        bleu_statistics(words, found.offsets, own.words[sentence], own.offsets[sentence], result)
        return result


def decode_corpus(
    decoder: Decoder,
    sentences: Sequence[Sequence[str]],
    weights: NDArray[np.float64],
    *,
    size: int = 1,
    threads: int = 1,
    advance: Callable[[int], None] = lambda count: None,
) -> list[Derivations]:
    """N-best translations of each sentence, in order, for any number of threads.

    ``advance`` is called with the number of sentences done.
    """
    results: list[Derivations] = []
    block = 16 * max(threads, 1)
    for begin in range(0, len(sentences), block):
        tasks = [
            partial(decoder.nbest, sentence, weights, size)
            for sentence in sentences[begin : begin + block]
        ]
        results.extend(run_tasks(tasks, threads))
        advance(len(tasks))
    return results


def _check(num_sentences: int, references: References) -> None:
    if num_sentences == 0:
        raise DataError("no sentence", "sentences to tune on")
    if num_sentences != len(references):
        raise DataError(
            f"references of {len(references)} sentences",
            f"{num_sentences}, as many as there are source sentences",
        )


def tune_decoder(
    decoder: Decoder,
    sentences: Sequence[Sequence[str]],
    references: References,
    start: NDArray[np.float64],
    options: AdaGradOptions | None = None,
    *,
    epochs: int = 8,
    nbest: int = 100,
    seed: int = 1,
    threads: int = 1,
    report: Callable[[Epoch], None] = lambda epoch: None,
    advance: Callable[[int], None] = lambda count: None,
) -> TuningResult:
    """AdaGrad-PRO with the decoder in the loop (Green et al. 2013, Algorithm 1).

    Each mini-batch is decoded with the weights of that moment; after each epoch the whole set is
    decoded again and the best epoch is returned, the start included. The mini-batch is the unit
    of an update, so the result does not depend on ``threads`` (the paper's stale gradients do).

    Raises DataError where sentences and references differ in number.
    """
    options = options or AdaGradOptions()
    _check(len(sentences), references)
    judge = _Judge.build(decoder, references)
    fixed = np.array([decoder.space.id(name) for name in FIXED_FEATURES], np.int64)
    state = AdaGradState.start(start)

    def evaluate() -> NDArray[np.float64]:
        found = decode_corpus(decoder, sentences, state.weights, threads=threads, advance=advance)
        return np.stack([judge.statistics(k, one)[0] for k, one in enumerate(found)]).astype(float)

    def learn(rows: NDArray[np.int64], rng: np.random.Generator) -> float:
        weights = state.read(options)
        found = decode_corpus(
            decoder,
            [sentences[k] for k in rows],
            weights,
            size=nbest,
            threads=threads,
            advance=advance,
        )
        batch = []
        for sentence, one in zip(rows.tolist(), found, strict=True):
            gains = bleu_plus_one(judge.statistics(sentence, one).astype(float))
            batch.append((one.rows, sample_pairs(gains, options, rng)))
        return pairwise_update(state, batch, options, fixed)

    return _run(state, options, len(sentences), learn, evaluate, epochs, seed, report)


def tune_nbest(
    lists: NBest,
    references: References,
    start: NDArray[np.float64],
    options: AdaGradOptions | None = None,
    *,
    epochs: int = 20,
    seed: int = 1,
    report: Callable[[Epoch], None] = lambda epoch: None,
) -> TuningResult:
    """AdaGrad-PRO on fixed n-best lists; the best epoch by corpus BLEU on the lists is returned.

    Raises DataError where lists and references differ in number.
    """
    options = options or AdaGradOptions()
    _check(len(lists), references)
    examples = Examples.from_nbest(lists, references, Bleu())
    spans = map(lists.hypotheses, range(len(lists)))
    gains = [examples.gains[own.start : own.stop] for own in spans]
    state = AdaGradState.start(start)
    fixed = np.zeros(0, np.int64)

    def evaluate() -> NDArray[np.float64]:
        return examples.statistics[examples.best(state.weights)]

    def learn(rows: NDArray[np.int64], rng: np.random.Generator) -> float:
        batch: list[tuple[Ragged, NDArray[np.int32]]] = [
            (lists.sentence_rows(k), sample_pairs(gains[k], options, rng)) for k in rows.tolist()
        ]
        return pairwise_update(state, batch, options, fixed)

    return _run(state, options, len(lists), learn, evaluate, epochs, seed, report)


def _batches(
    num_sentences: int, size: int, rng: np.random.Generator
) -> Iterator[NDArray[np.int64]]:
    order = rng.permutation(num_sentences)
    for begin in range(0, num_sentences, size):
        yield order[begin : begin + size]


def _run(
    state: AdaGradState,
    options: AdaGradOptions,
    num_sentences: int,
    learn: Callable[[NDArray[np.int64], np.random.Generator], float],
    evaluate: Callable[[], NDArray[np.float64]],
    epochs: int,
    seed: int,
    report: Callable[[Epoch], None],
) -> TuningResult:
    """Epochs of mini-batches in random order; weights of the best one.

    Equal BLEU (0 while no 4-gram matches) is told apart by the mean BLEU+1 of the sentences.
    """
    rng = np.random.default_rng(seed)
    trace: list[Epoch] = []
    best: tuple[float, float] | None = None
    for number in range(epochs + 1):
        loss = 0.0
        if number > 0:
            batches = _batches(num_sentences, options.batch_size, rng)
            loss = sum(learn(rows, rng) for rows in batches)
        weights = state.read(options)
        statistics = evaluate()
        reached = float(bleu(statistics.sum(0))), float(bleu_plus_one(statistics).mean())
        trace.append(Epoch(number, loss, reached[0], int(np.count_nonzero(weights))))
        report(trace[-1])
        if best is None or reached > best:
            best, best_epoch, best_weights = reached, number, weights.copy()
    return TuningResult(best_weights, best_epoch, tuple(trace))
