"""Tuning with the decoder in the loop."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isogloss.align.arrays.ragged import offsets_of
from isogloss.align.arrays.sparse_rows import Ragged
from isogloss.align.errors import DataError, UsageError, check_argument, check_listed, pluralize
from isogloss.align.execution import run_tasks
from isogloss.align.execution.calls import public
from isogloss.align.execution.keywords import chosen_options
from isogloss.align.text.corpus import Corpus
from isogloss.align.text.string_array import Texts
from isogloss.features.space import FeatureSpace

from ..decoder.derivations import Derivations
from ..decoder.model import FIXED_FEATURES, Decoder
from ..examples import Examples
from ..metrics.names import given_metric
from ..metrics.protocol import Metric
from ..nbest.types import NBest
from ..references import References
from ..results import Advance, Report, TuningResult, ignore, pass_over
from ..weights.given import GivenWeights, given_weights
from ..weights.regularizers import space_with_bins
from ..weights.weights import Weights
from .epochs import EpochScore, diverged, stream_key
from .learner import OnlineLearner, Save, Start, learn
from .losses import Differences, Gradient
from .options import DecoderTuningOptions
from .pool import HypothesisPool
from .state import OnlineState
from .tuning_text import TuningText, listed

__all__ = [
    "Callbacks",
    "DecoderProblem",
    "TuningText",
    "decode_corpus",
    "decoded_lists",
    "learn_while_decoding",
    "named_errors",
    "translation_score",
    "tune_decoder",
]

_SHOWN = 6  # words of a sentence, in errors


@dataclass(frozen=True)
class Callbacks:
    """Functions that are called while weights are learned.

    Parameters
    ----------
    report : callable, optional
        Called with each epoch.
    advance : callable, optional
        Called with the number of sentences translated since the last call.
    save : callable, optional
        Called with the state after each epoch, to resume from.
    """

    report: Report = ignore
    advance: Advance = pass_over
    save: Save | None = None


def decode_corpus(
    decoder: Decoder,
    sentences: Sequence[Sequence[str]] | Corpus,
    weights: GivenWeights | None = None,
    *,
    nbest_size: int = 1,
    distinct: bool = True,
    threads: int = 1,
    advance: Advance = pass_over,
) -> list[Derivations]:
    """Return the n-best translations of each sentence, in order.

    Parameters
    ----------
    decoder : Decoder
    sentences : list of list of str, or Corpus
    weights : Weights or dict of float, optional
        By name; default: Moses' initial weights.
    nbest_size, distinct
        As for :meth:`isogloss.tune.Decoder.nbest`.
    threads : int, default 1
        Does not change the result.
    advance : callable, optional
        Called with the number of sentences done since the last call.

    Returns
    -------
    list of Derivations

    Raises
    ------
    UsageError
        If a sentence is beyond the decoder's limits; the message shows the sentence.
    DataError
        If its search needs more memory than there is.
    """
    check_listed(sentences, "sentences", "a list of lists of words")
    weights = decoder.weights(weights)
    results: list[Derivations] = []
    block = 16 * max(threads, 1)
    for begin in range(0, len(sentences), block):
        tasks = [
            partial(_translated, decoder, sentence, weights, nbest_size, distinct)
            for sentence in sentences[begin : begin + block]
        ]
        results.extend(run_tasks(tasks, threads, block))
        advance(len(tasks))
    return results


def _translated(
    decoder: Decoder, sentence: Sequence[str], weights: Weights, nbest_size: int, distinct: bool
) -> Derivations:
    """N-best translations of a sentence, which errors name by its words."""
    with named_errors(sentence):
        return decoder.nbest(sentence, weights, nbest_size, distinct=distinct)


@contextmanager
def named_errors(sentence: Sequence[str]) -> Iterator[None]:
    """Errors of a sentence's search name it by its words.

    Raises UsageError as the search does, and DataError where it needs more memory than there is.
    """
    try:
        yield
    except UsageError as error:
        raise UsageError(f"{_named(sentence)}: {error}") from error
    except MemoryError:
        raise DataError(
            f"the search for {_named(sentence)} needs more memory than is available",
            remedy="Split the sentence, or lower the stack size, the table limit, the number "
            "of threads or the n-best size",
        ) from None


def _named(sentence: Sequence[str]) -> str:
    """A sentence as errors name it: how long it is, and its first words."""
    shown = " ".join(sentence[:_SHOWN]) + " ..." * (len(sentence) > _SHOWN)
    return f"the sentence {shown!r} of {pluralize(len(sentence), 'word')}"


def decoded_lists(decoder: Decoder, translations: Sequence[Derivations]) -> NBest:
    """The translations of sentences as n-best lists over the decoder's features, best first."""
    return NBest(
        offsets_of([len(derivations) for derivations in translations]),
        Texts.from_strings(
            decoder.text(derivations, number)
            for derivations in translations
            for number in range(len(derivations))
        ),
        Ragged.joined([derivations.rows for derivations in translations]),
        decoder.space,
    )


@dataclass(frozen=True)
class DecoderProblem:
    """A decoder and text to translate as a problem to learn from.

    held_out: text that judges the weights of an epoch instead of the one learned from
    pool: hypotheses of earlier epochs, for ``options.accumulate``
    threads: to translate with; they change no result, unless gradients come first come first served
    advance: is called with the number of sentences that were translated since the last call
    """

    decoder: Decoder
    text: TuningText
    options: DecoderTuningOptions
    held_out: TuningText | None = None
    pool: HypothesisPool | None = None
    threads: int = 1
    advance: Advance = pass_over

    @cached_property
    def space(self) -> FeatureSpace:
        """Features that have weights: the decoder's, with ``bin_regularizer`` all bins behind them.

        Raises UsageError for neighbors where no bin has one on either side.
        """
        return space_with_bins(self.decoder.space, self.options.bin_regularizer)

    def _of_decoder(self, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        return weights[: len(self.decoder.space)]

    @property
    def num_sentences(self) -> int:
        """Sentences to translate."""
        return len(self.text)

    def tasks(
        self, learner: OnlineLearner, batches: Iterable[NDArray[np.int64]], key: int
    ) -> Iterator[Callable[[], Gradient]]:
        """A task for each mini-batch: decode it with the weights of the moment, differentiate.

        batches: int64[b] each, numbers of sentences; key: of the epoch's random numbers

        Without staleness a mini-batch is decoded on all threads; with it, each on one of its own.
        """
        threads = 1 if self.options.staleness else self.threads
        for number, batch in enumerate(batches):
            weights = learner.settled().copy()
            if not np.isfinite(weights).all():
                raise diverged(f"mini-batch {number + 1}")
            yield partial(self._gradient, batch, weights, stream_key(key, number), threads)
            self.advance(len(batch))

    def _gradient(
        self, batch: NDArray[np.int64], weights: NDArray[np.float64], key: int, threads: int
    ) -> Gradient:
        translations = decode_corpus(
            self.decoder,
            [self.text.sentences[k] for k in batch.tolist()],
            Weights(self.decoder.space, self._of_decoder(weights)),
            nbest_size=self.options.nbest_size,
            threads=threads,
        )
        lists = decoded_lists(self.decoder, translations)
        if self.pool is not None:
            lists = self.pool.merged(batch, lists)
        examples = Examples.from_nbest(
            lists, self.text.references.select(batch), self.options.metric
        )
        differences = Differences.draw(
            examples.rows, examples.gains, examples.sentence_offsets, np.arange(len(examples)),
            len(weights), self.options, key,
        )  # fmt: skip
        return differences.gradient(weights[differences.ids], self.options)

    def judge(self, weights: NDArray[np.float64]) -> EpochScore:
        """By the translations of all sentences. weights: float64[num_features]."""
        score = self._score(self.text, weights)
        held_out = None if self.held_out is None else self._score(self.held_out, weights)
        return EpochScore.of(score, held_out, self.options.metric.sign)

    def _score(self, text: TuningText, weights: NDArray[np.float64]) -> float:
        return translation_score(
            self.decoder,
            text,
            self._of_decoder(weights),
            self.options.metric,
            self.threads,
            self.advance,
        )


def translation_score(
    decoder: Decoder,
    text: TuningText,
    weights: NDArray[np.float64],
    metric: Metric,
    threads: int = 1,
    advance: Advance = pass_over,
) -> float:
    """Metric of the best translations of a text, in the reported unit.

    weights: float64[num_features]
    """
    translations = decode_corpus(
        decoder, text.sentences, Weights(decoder.space, weights), threads=threads, advance=advance
    )
    lists = decoded_lists(decoder, translations)
    return Examples.from_nbest(lists, text.references, metric).best_score(weights)


@public
def tune_decoder(
    decoder: Decoder,
    sentences: Sequence[Sequence[str]] | Corpus,
    references: References,
    options: DecoderTuningOptions | None = None,
    *,
    initial_weights: Start | Mapping[str, float] | None = None,
    seed: int = 1,
    threads: int = 1,
    callbacks: Callbacks | None = None,
    **changes: Any,
) -> TuningResult:
    """Learn weights with the decoder in the loop (Green et al. 2013).

    Algorithms 1 and 2: each mini-batch is decoded with the current weights, or the weights
    ``options.staleness`` updates before. After each epoch the whole set is decoded again; the
    weights of the best epoch by the metric are returned.

    Parameters
    ----------
    decoder : Decoder
    sentences : list of list of str, or Corpus
        The words of each sentence, as :func:`isogloss.align.read_sentences` reads them.
    references : References
        References of the same sentences.
    options : DecoderTuningOptions, optional
        Default: ``DecoderTuningOptions()``.
    initial_weights : Weights, dict of float or OnlineState, optional
        Weights to start with, or the state of an earlier run with the same options, to resume;
        default: Moses' initial weights.
    seed : int, default 1
        Seed of all random numbers.
    threads : int, default 1
        Does not change the result, unless ``options.deterministic`` is off.
    callbacks : Callbacks, optional
        Functions that are called while weights are learned.
    **changes
        Single options by name, such as ``epochs=5`` or ``metric="ter"``.

    Returns
    -------
    TuningResult
        Epoch 0 is the start.

    Raises
    ------
    DataError
        If sentences and references differ in number.
    UsageError
        If there is no such option or feature, or a value is out of range.
    WrongTypeError
        If an argument is of another type.

    References
    ----------
    Green, S., Wang, S., Cer, D. and Manning, C. (2013). Fast and adaptive online training of
    feature-rich translation models. ACL.

    Examples
    --------
    >>> import isogloss as ig
    >>> result = ig.tune_decoder(decoder, sentences, references, epochs=3)  # doctest: +SKIP
    >>> result.weights.save("weights.json")  # doctest: +SKIP
    """
    check_argument(decoder, Decoder, "decoder", "a Decoder", "Decoder(table, language_model)")
    if "metric" in changes:
        changes["metric"] = given_metric(changes["metric"])
    if "optimizer" in changes:
        raise UsageError("tune_decoder has no optimizer; use tune_nbest, or update= and loss=")
    others = tune_decoder.__kwdefaults__
    options = chosen_options(options, DecoderTuningOptions(), changes, "epochs=5", others=others)
    callbacks = callbacks or Callbacks()
    problem = DecoderProblem(
        decoder, TuningText(listed(sentences), references), options,
        threads=threads, advance=callbacks.advance,
    )  # fmt: skip
    begin: Start | None
    if initial_weights is None or isinstance(initial_weights, OnlineState):
        begin = initial_weights
    else:
        begin = given_weights(initial_weights, problem.space)
    result = learn_while_decoding(
        problem, start=begin, seed=seed, report=callbacks.report, save=callbacks.save
    )
    return replace(result, metric=options.metric.name)


def learn_while_decoding(
    problem: DecoderProblem,
    *,
    start: Start | None = None,
    seed: int = 1,
    report: Report = ignore,
    save: Save | None = None,
) -> TuningResult:
    """What :func:`tune_decoder` does, with a text of its own to choose the epoch by.

    start: weights, or the state of an earlier run with the same options, to go on from, together
    with the pool of that time; default: Moses' starting weights
    save: is called with the state after each epoch
    """
    options, decoder = problem.options, problem.decoder
    if options.accumulate and problem.pool is None:
        problem = replace(problem, pool=HypothesisPool())
    return learn(
        problem,
        OnlineLearner(
            problem.space,
            decoder.weights() if start is None else start,
            replace(options, fixed=(*options.fixed, *FIXED_FEATURES)),
        ),
        np.random.default_rng(seed),
        threads=problem.threads,
        report=report,
        save=save,
    )
