"""Training: from a bitext to a model, flat or with latent domains."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..errors import DataError, OptionError, UsageError, WrongTypeError, pluralize, warn
from ..execution.calls import public
from ..execution.cluster_groups import ClusterGroup, WorkerLostError, workers_left
from ..execution.groups import Workers
from ..execution.keywords import chosen_options
from ..files.memory import free_memory
from ..lexicon.tables import LexicalEntries
from ..links.external_links import ExternalLinks
from ..links.known_links import KnownLinks
from ..links.links import Links
from ..links.reliability import WeightedLinks
from ..model.domain_posterior import OUT, domain_posterior
from ..model.model import FLAT, AlignmentModel
from ..model.parameters import PRESETS, AlignerOptions
from ..model.trained_text import TrainedText
from ..text.bitext import Bitext
from ..text.known_words.text_form import TextForm, unsegmented_length, untokenized_example
from ..text.readers import as_bitext
from ..text.sentences import Sentences, Table
from .em import Trainer
from .latent_domain import FEW_SEEDS, LatentDomains
from .member import Member
from .seed_check import findings, held_out_recall
from .sharded import ShardedTrainer
from .storage import IN_MEMORY, TrainingStorage

__all__ = ["last_posteriors", "train", "training_posteriors"]

# bytes that each domain takes, within 5 % on 3,000 and 6,000 pairs with 200, 500 and 800 domains
_PER_WORD = 20  # tables and counts of what is linked to no word
_PER_WORD_PAIR = 8  # tables of both directions
_PER_COUNT = 8  # of each direction; of both where they agree
_PER_SENTENCE_PAIR = 48  # scores of language models, weights and posteriors
_KEPT = 0.15  # of the word pairs at least, when those hardly ever linked have been left out
ENOUGH_SEEDS = 500  # seed pairs of a domain that are enough to see whether it can be told apart


@public
def train(
    source: Bitext | Sentences | Table | str | Path,
    target: Sentences | str | Path | None = None,
    *,
    labels: str | Path | Iterable[str | None] | None = None,
    preset: str = "best",
    options: AlignerOptions | None = None,
    threads: int | Workers = 1,
    report: Callable[[str], None] = lambda message: None,
    dictionary: LexicalEntries | None = None,
    known_links: KnownLinks | Links | None = None,
    external_links: ExternalLinks | Links | None = None,
    storage: TrainingStorage = IN_MEMORY,
    **changes: bool | int | float | str,
) -> AlignmentModel:
    """Learn an alignment model, with latent domains if some pairs are labeled.

    The result is the same for any number of threads.

    Parameters
    ----------
    source : Bitext, iterable of sentences, table, or path
        A bitext, or its source side: strings, lists of words, or a file. A table of pandas, polars
        or Arrow with two columns holds both sides.
    target : iterable of sentences or path, optional
        The target side, if ``source`` doesn't hold both.
    labels : str, Path or iterable of str, optional
        Name of each pair's domain, None if it is unknown, or a file of them; see
        :func:`read_bitext`.
    preset : {"best", "paper"}, default "best"
        Options of the lowest error rates, or as published.
    options : AlignerOptions, optional
        Options in place of a preset.
    threads : int or Workers, default 1
        Number of threads, or workers on a Ray cluster, each with a part of the text and of the
        tables. They give the same result.
    report : callable, optional
        Called with a line of text at each step.
    dictionary : LexicalEntries, optional
        Word pairs that count as links as often as their weight says, in every iteration. Pairs
        that never occur together in the bitext are skipped.
    known_links : KnownLinks or Links, optional
        Links that are known to be correct, as soft constraints. They are not enforced in the
        output; :meth:`KnownLinks.kept_in` does that.
    external_links : ExternalLinks or Links, optional
        Links of other aligners, weighted by their agreement with the model. Pass them to
        :meth:`AlignmentModel.align` as well.
    storage : TrainingStorage, optional
        Checkpoints and scratch files.
    **changes
        Single options by name, such as ``hmm_iterations=3``; see :class:`AlignerOptions`.

    Returns
    -------
    AlignmentModel

    Raises
    ------
    WrongTypeError
        If an argument has the wrong type.
    DataError
        If no pair has words on both sides, the sides differ in length, there are more domains than
        memory for them, or known links or external links don't fit the bitext.
    UsageError
        If an option is unknown or out of range, there are external links without HMM iterations, or
        no cluster answers.
    ModelError
        If the checkpoint is damaged or belongs to another run.

    Examples
    --------
    >>> import isogloss as ig
    >>> model = ig.train(["the house", "a house"], ["la casa", "una casa"], hmm_iterations=2)
    >>> str(model.align_pair("the house", "la casa"))
    '0-0 1-1'
    """
    bitext = as_bitext(source, target, labels)
    options = _options(preset, options, changes)
    known = None if known_links is None else KnownLinks.of(known_links)
    _check_trainable(bitext, known)
    weighed = None if external_links is None else _fresh_external(external_links, bitext, options)
    _warn_of_untokenized(bitext)
    text = _Text(bitext, options, report, (dictionary, known, weighed))
    while True:
        try:
            return _trained(text, threads, storage)
        except WorkerLostError as error:
            threads, storage = _without_lost(error, threads, storage)
            report(f"{error.fault}: training goes on without it")


class _Text(NamedTuple):
    """What is trained on: a bitext, options, what is called with messages, what is known of it."""

    bitext: Bitext
    options: AlignerOptions
    report: Callable[[str], None]
    known: tuple[LexicalEntries | None, KnownLinks | None, WeightedLinks | None]


@contextmanager
def _trainer(text: _Text, threads: int | Workers, scratch: Path | None) -> Iterator[Trainer]:
    bitext, options, report, known = text
    if not isinstance(threads, Workers):
        yield Trainer(bitext, options, threads, report, scratch, *known)
        return
    own = threads.threads
    with ClusterGroup(partial(Member, own), threads) as group:
        yield ShardedTrainer(bitext, options, own, report, None, *known, group=group)


def _without_lost(
    error: WorkerLostError, threads: int | Workers, storage: TrainingStorage
) -> tuple[Workers, TrainingStorage]:
    """What training goes on with. Raises the error where it happens again and again."""
    assert isinstance(threads, Workers)
    left = workers_left(threads, error)
    checkpoint = storage.checkpoint
    saved = checkpoint is not None and checkpoint.is_of_this_run()
    return left, replace(storage, resume=storage.resume or saved)


def _trained(text: _Text, threads: int | Workers, storage: TrainingStorage) -> AlignmentModel:
    bitext, options = text.bitext, text.options
    with storage.scratch(bitext, threads) as scratch, _trainer(text, threads, scratch) as trainer:
        latent = LatentDomains(trainer) if bitext.domains else None
        if latent is not None:
            _check_memory(trainer, latent.num_domains, _KEPT if trainer.options.prune else 1.0)
        _run(trainer, latent, storage)
        trained_on = TrainedText(
            bitext,
            trainer.cells if not isinstance(threads, Workers) and scratch is None else None,
            None if latent is None or options.heldout_every else latent.posterior,
            None if latent is None else latent.language,
        )
        parameters, index = trainer.state()
    return AlignmentModel(
        bitext.source.vocabulary,
        bitext.target.vocabulary,
        index,
        parameters,
        (*bitext.domains, OUT) if bitext.domains else (FLAT,),
        np.zeros(1) if latent is None else latent.log_prior,
        options,
        None if latent is None else latent.models,
        tuple(trainer.trace),
        TextForm.of(bitext.source),
        TextForm.of(bitext.target),
        trained_on=trained_on,
    )


def _options(
    preset: str,
    given: object,
    changes: Mapping[str, bool | int | float | str],
) -> AlignerOptions:
    """Options with changes. Raises WrongTypeError and UsageError for what are none."""
    if not isinstance(preset, str) or preset not in PRESETS:
        raise OptionError("preset", " or ".join(sorted(PRESETS)), preset)
    if isinstance(given, str):
        raise WrongTypeError(f"options must be AlignerOptions, not {given!r}; use preset={given!r}")
    if given is not None and preset != "best":
        raise UsageError(f"preset={preset!r} cannot be used with options=...; pass one of them")
    if "seed" in changes:
        raise UsageError("unknown option 'seed'; training uses no random numbers, so omit it")
    others = train.__kwdefaults__
    return chosen_options(given, PRESETS[preset], changes, "hmm_iterations=3", others=others)


def last_posteriors(model: AlignmentModel, threads: int = 1) -> NDArray[np.float64]:
    """P(D | f, e) of each pair that a model was trained on: float64[num_pairs, D].

    They are those of the last iteration, where the label of a pair is its domain: good enough to
    weigh domains for its links, and no work. :func:`training_posteriors` is asked where there was
    no such iteration, or pairs were held out.

    Raises UsageError for a model that was loaded or restricted to some of its domains.
    """
    posterior = _trained_on(model).posterior
    return training_posteriors(model, threads) if posterior is None else posterior


def training_posteriors(model: AlignmentModel, threads: int = 1) -> NDArray[np.float64]:
    """P(D | f, e) of each pair that a model was trained on: float64[num_pairs, D].

    Labels are not looked at. Language models that were refitted to a pair find it likely, so those
    of the other half of the text are asked: more hidden labels are found than by
    :meth:`AlignmentModel.domain_posteriors`, which is for other text.

    Raises UsageError for a model that was loaded or restricted to some of its domains.
    """
    text = _trained_on(model)
    if len(model.domains) == 1:
        return np.ones((len(text.bitext), 1))
    return domain_posterior(
        model.log_likelihoods(text.bitext, threads),
        text.log_language,
        model.log_prior,
        model.options.language_model_sides,
        model.options.domain_temperature,
    )


def _trained_on(model: AlignmentModel) -> TrainedText:
    if model.trained_on is None:
        raise UsageError(
            "the model has no record of its training text; use domain_posteriors(bitext)"
        )
    return model.trained_on


def _check_trainable(bitext: Bitext, known_links: KnownLinks | None) -> None:
    """Raise DataError where there is nothing to learn from, or what there is doesn't fit."""
    for corpus in (bitext.source, bitext.target):
        if len(corpus.tokens) and corpus.tokens.min() < 1:
            raise DataError(
                "the bitext contains unknown words (-1)",
                "a bitext with its own vocabularies",
                remedy="Read the training text without passing vocabularies",
            )
    if not bitext.usable.any():
        raise DataError("no sentence pair has words on both sides")
    if known_links is not None:
        known_links.links.check_range(bitext.source.lengths, bitext.target.lengths)
    if OUT in bitext.domains:
        raise DataError(
            f"the domain name {OUT!r} is reserved for the out-domain", remedy="Rename the domain"
        )


def _fresh_external(
    external_links: ExternalLinks | Links, bitext: Bitext, options: AlignerOptions
) -> WeightedLinks:
    """External links of which nothing is known yet. Raises an error where it doesn't fit."""
    given = ExternalLinks.of(external_links)
    given.check(bitext.source.lengths, bitext.target.lengths)
    if options.hmm_iterations == 0:
        raise UsageError("external alignments need the HMM; set `hmm_iterations=...` above 0")
    return WeightedLinks.of(given, bitext.target.lengths)


def _warn_of_untokenized(bitext: Bitext) -> None:
    """Warn of sides whose punctuation sticks to words, or that aren't split into words at all."""
    for side, corpus in (("source", bitext.source), ("target", bitext.target)):
        example = untokenized_example(corpus)
        if example:
            warn(
                f"the {side} text looks untokenized: punctuation is attached to words, such as "
                f"{example!r}, which counts as a different word from {example[:-1]!r}. Tokenize it "
                "first, for example with sacremoses"
            )
        length = unsegmented_length(corpus)
        if length:
            warn(
                f"the {side} text has {length:.1f} characters per token in a script without "
                "spaces, so most sentences are one word. Segment it into words first, for example "
                "with jieba or MeCab"
            )


def _check_memory(trainer: Trainer, num_domains: int, kept: float = 1.0) -> None:
    """Raise DataError where the domains need more memory than there is."""
    # kept: of the word pairs that there are now, how many are left when domains have their tables
    bitext, word_pairs = trainer.bitext, kept * len(trainer.index)
    words = len(bitext.source.vocabulary) + len(bitext.target.vocabulary)
    per_pair = _PER_WORD_PAIR + _PER_COUNT * (1 if trainer.options.agreement else 2)
    sizes = _PER_WORD * words + per_pair * word_pairs + _PER_SENTENCE_PAIR * len(bitext)
    free = free_memory()
    if free is not None and num_domains * sizes > free:
        raise DataError(
            f"{num_domains} domains (including the out-domain) of {len(bitext):,} sentence pairs "
            f"with {words:,} words need at least {num_domains * sizes / 1e9:,.1f} GB",
            f"at most the {free / 1e9:,.1f} GB of free memory",
            remedy="Merge domains, label pairs of rare domains with -, or train on a part of the "
            "pairs and use `isogloss apply` for the rest",
        )


def _run(trainer: Trainer, latent: LatentDomains | None, storage: TrainingStorage) -> None:
    """Run the iterations that are left: flat ones first, the last one always with domains."""
    checkpoint, done = storage.checkpoint, 0
    if checkpoint is not None and storage.resume and checkpoint.exists():
        done = checkpoint.load(trainer, latent)
        trainer.report(f"resuming after {pluralize(done, 'iteration')}")
    schedule = trainer.options.schedule
    flat = len(schedule)
    if latent is not None:
        flat = min(trainer.options.shared_iterations, len(schedule) - 1)
    everything = np.zeros((2, len(trainer.bitext), 1))
    for iteration, (stage, number) in enumerate(schedule[done:], start=done):
        if latent is None or iteration < flat:
            trainer.iterate(stage, number, everything)
        else:
            if not latent.started:
                _check_seeds(latent)
                _check_memory(trainer, latent.num_domains)  # which pairs are kept is known now
                latent.initialize(stage)
            latent.update(trainer.iterate(stage, number, latent.log_weights()))
        _report_last(trainer)
        if checkpoint is not None:
            checkpoint.save(trainer, latent, iteration + 1)


def _check_seeds(latent: LatentDomains) -> None:
    """Warn of seed samples that language models cannot tell from other text."""
    bitext, options = latent.trainer.bitext, latent.trainer.options
    if options.language_model_order == 0:
        return
    seeds = [
        _spread(np.flatnonzero((latent.labels == domain) & bitext.usable), ENOUGH_SEEDS)
        for domain in range(len(bitext.domains))
    ]
    sizes = [len(rows) for rows in seeds]
    if min(sizes) < FEW_SEEDS:
        return  # too few to judge by; that has been said
    rest = _spread(latent.pool(), max(sizes))
    recall = held_out_recall(bitext, seeds, rest, options.language_model_order)
    for finding in findings(bitext.domains, sizes, recall):
        warn(finding)


def _spread(rows: NDArray[np.int64], size: int) -> NDArray[np.int64]:
    """At most ``size`` of the rows, evenly spread."""
    return rows[np.linspace(0, len(rows) - 1, min(size, len(rows))).astype(np.int64)]


def _report_last(trainer: Trainer) -> None:
    last = trainer.trace[-1]
    iterations = getattr(trainer.options, f"{last.stage}_iterations")
    message = (
        f"{last.stage} iteration {last.number} of {iterations}: log-likelihood "
        f"{last.log_likelihood[0]:.1f} / {last.log_likelihood[1]:.1f}"
    )
    if last.held_out is not None:
        message += f", held out per word {last.held_out[0]:.4f} / {last.held_out[1]:.4f}"
    trainer.report(message)
