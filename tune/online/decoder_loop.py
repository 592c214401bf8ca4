"""Tuning with the decoder in the loop."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from align.errors import DataError
from align.execution import run_tasks
from align.ragged import offsets_of
from align.sparse_rows import Ragged
from align.text.string_array import Texts

from ..decoder.model import FIXED_FEATURES, Decoder, Derivations
from ..examples import Examples
from ..metrics.bleu import Bleu
from ..metrics.protocol import Metric
from ..nbest.types import NBest
from ..references import References
from ..results import Report, TuningResult, ignore
from .learner import Judgement, Learner, Save, learn, stream_key
from .losses import Differences, Gradient
from .options import OnlineOptions
from .state import OnlineState

__all__ = ["decode_corpus", "tune_decoder"]

Advance = Callable[[int], None]


def decode_corpus(
    decoder: Decoder,
    sentences: Sequence[Sequence[str]],
    weights: NDArray[np.float64],
    *,
    size: int = 1,
    threads: int = 1,
    advance: Advance = lambda count: None,
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


@dataclass(frozen=True)
class DecoderProblem:
    """A decoder and sentences to translate as a problem to learn from."""

    decoder: Decoder
    sentences: Sequence[Sequence[str]]
    references: References
    metric: Metric
    options: OnlineOptions
    nbest: int
    threads: int
    advance: Advance

    @property
    def num_sentences(self) -> int:
        """Sentences to translate."""
        return len(self.sentences)

    def tasks(
        self, learner: Learner, batches: Iterable[NDArray[np.int64]], key: int
    ) -> Iterator[Callable[[], Gradient]]:
        """A task for each mini-batch: decode it with the weights of the moment, differentiate.

        Without staleness a mini-batch is decoded on all threads; with it, each on one of its own.
        """
        threads = 1 if self.options.staleness else self.threads
        for number, batch in enumerate(batches):
            weights = learner.settled().copy()
            yield partial(self._gradient, batch, weights, stream_key(key, number), threads)
            self.advance(len(batch))

    def _gradient(
        self, batch: NDArray[np.int64], weights: NDArray[np.float64], key: int, threads: int
    ) -> Gradient:
        found = decode_corpus(
            self.decoder,
            [self.sentences[k] for k in batch.tolist()],
            weights,
            size=self.nbest,
            threads=threads,
        )
        own = self._examples(found, batch)
        differences = Differences.draw(
            own.rows, own.gains, own.sentence_offsets, np.arange(len(own)), len(weights),
            self.options, key,
        )  # fmt: skip
        return differences.gradient(weights[differences.ids], self.options)

    def _examples(self, found: Sequence[Derivations], sentences: NDArray[np.int64]) -> Examples:
        """Derivations of some sentences, measured."""
        lists = NBest(
            offsets_of([len(derivations) for derivations in found]),
            Texts.from_strings(
                self.decoder.text(one, row) for one in found for row in range(len(one))
            ),
            Ragged.joined([one.rows for one in found]),
            self.decoder.space,
        )
        return Examples.from_nbest(lists, self.references.select(sentences), self.metric)

    def judge(self, weights: NDArray[np.float64]) -> Judgement:
        """By the translations of all sentences."""
        found = decode_corpus(
            self.decoder, self.sentences, weights, threads=self.threads, advance=self.advance
        )
        own = self._examples(found, np.arange(len(self.sentences)))
        score = own.best_score(weights)
        return Judgement(score, None, self.metric.sign * score)


def tune_decoder(
    decoder: Decoder,
    sentences: Sequence[Sequence[str]],
    references: References,
    start: NDArray[np.float64],
    options: OnlineOptions | None = None,
    *,
    metric: Metric | None = None,
    epochs: int = 8,
    nbest: int = 100,
    seed: int = 1,
    threads: int = 1,
    report: Report = ignore,
    advance: Advance = lambda count: None,
    state: OnlineState | None = None,
    save: Save | None = None,
) -> TuningResult:
    """An online optimiser with the decoder in the loop (Green et al. 2013, Algorithms 1 and 2).

    Each mini-batch is decoded with the weights of that moment, or those of ``options.staleness``
    updates before; after each epoch the whole set is decoded again and the best epoch by ``metric``
    (BLEU where none is given) is returned, the start included. ``threads`` changes no result.
    ``epochs`` counts, not the options' field; ``state`` and ``save`` as in :func:`tune_online`.

    Raises DataError where sentences and references differ in number.
    """
    if not sentences:
        raise DataError("no sentence", "sentences to tune on")
    if len(sentences) != len(references):
        raise DataError(
            f"references of {len(references)} sentences",
            f"{len(sentences)}, as many as there are source sentences",
        )
    options = options or OnlineOptions()
    options = replace(options, fixed=(*options.fixed, *FIXED_FEATURES))
    problem = DecoderProblem(
        decoder, sentences, references, metric or Bleu(), options, nbest, threads, advance
    )
    return learn(
        problem,
        Learner(decoder.space, start, options, state),
        np.random.default_rng(seed),
        epochs=epochs,
        threads=threads,
        report=report,
        state=state,
        save=save,
    )
