"""Training: from a bitext to a model, flat or with latent domains."""

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from numpy.typing import NDArray

from ..errors import DataError, DataWarning
from ..lexicon.tables import LexicalEntries
from ..links.hand_links import HandLinks
from ..text.corpus import Bitext
from .checkpoint import Checkpoint
from .cooccurrence import cell_offsets
from .em import Trainer
from .latent_domain import FEW_SEEDS, OUT, LatentDomains
from .model import FLAT, AlignmentModel
from .parameters import AlignerOptions
from .seed_check import findings, held_out_recall

__all__ = ["train"]

ENOUGH_SEEDS = 500  # seed pairs of a domain that are enough to see whether it can be told apart


def train(
    bitext: Bitext,
    options: AlignerOptions | None = None,
    *,
    threads: int = 1,
    report: Callable[[str], None] = lambda message: None,
    checkpoint: Checkpoint | None = None,
    resume: bool = False,
    max_memory: int | None = None,
    scratch_folder: str | Path | None = None,
    dictionary: LexicalEntries | None = None,
    hand_links: HandLinks | None = None,
) -> AlignmentModel:
    """Train both directions: flat without labels, with latent domains where pairs are labelled.

    ``report`` is called with a line of text at each step. The result is the same for any number
    of threads. With a ``checkpoint`` the state is saved after each iteration, and with ``resume``
    training goes on from there, to the same result. Where the positions of words would take more
    than half of ``max_memory`` bytes they are kept in a file of ``scratch_folder`` (default: the
    system's), which changes no result. The pairs of words in a ``dictionary`` count as links as
    often as their weight says, in every iteration, beside those of the text; pairs that never meet
    in the text are passed over. A word with ``hand_links`` is taken to be linked to those words, as
    far as their confidence goes; the model is asked for links as any other, and
    :meth:`HandLinks.kept_in` puts the hand links among them.

    Raises DataError for a bitext without a usable pair, or with words its vocabulary lacks, and for
    hand links of another number of pairs or outside their pair; ModelError for a checkpoint that
    is damaged or of another run.
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
    if hand_links is not None:
        hand_links.links.check_range(bitext.source.lengths, bitext.target.lengths)
    domains = (*bitext.domains, OUT) if bitext.domains else (FLAT,)
    if len(set(domains)) != len(domains):
        raise DataError(f"a seed domain called {OUT!r}", "another name", remedy="Rename it")
    with _scratch(bitext, max_memory, scratch_folder) as scratch:
        trainer = Trainer(bitext, options, threads, report, scratch, dictionary, hand_links)
        latent = LatentDomains(trainer) if bitext.domains else None
        done = 0
        if checkpoint is not None and resume and checkpoint.exists():
            done = checkpoint.load(trainer, latent)
            report(f"going on after {done} iterations")
        _run(trainer, latent, done, checkpoint)
        trained_on = (bitext, trainer.cells) if scratch is None else None
    return AlignmentModel(
        bitext.source.vocabulary,
        bitext.target.vocabulary,
        trainer.index,
        trainer.parameters,
        domains,
        np.zeros(1) if latent is None else latent.log_prior,
        options,
        None if latent is None else latent.models,
        tuple(trainer.trace),
        trained_on,
    )


@contextmanager
def _scratch(
    bitext: Bitext, max_memory: int | None, folder: str | Path | None
) -> Iterator[Path | None]:
    """A file for the cells where memory is short; it is gone afterwards."""
    needed = 4 * int(cell_offsets(bitext)[-1])
    if max_memory is None or needed <= max_memory // 2:
        yield None
        return
    try:
        made = TemporaryDirectory(prefix="isogloss-", dir=folder)
    except OSError as error:
        raise DataError(
            error.strerror or str(error),
            "a folder that can be written to",
            file=folder,
            remedy="Name another one (--tmpdir)",
        ) from error
    with made:
        yield Path(made.name) / "cells"


def _run(
    trainer: Trainer, latent: LatentDomains | None, done: int, checkpoint: Checkpoint | None
) -> None:
    """The iterations that are left; the first ones are flat, the last is with domains."""
    schedule = trainer.options.schedule
    flat = len(schedule)
    if latent is not None:
        flat = min(trainer.options.flat_iterations, len(schedule) - 1)
    everything = np.zeros((2, len(trainer.bitext), 1))
    for place, (stage, number) in enumerate(schedule[done:], start=done):
        if latent is None or place < flat:
            trainer.iterate(stage, number, everything)
        else:
            if not latent.started:
                _check_seeds(latent)
                latent.initialize(stage)
            latent.update(trainer.iterate(stage, number, latent.log_weights()))
        _report_last(trainer)
        if checkpoint is not None:
            checkpoint.save(trainer, latent, place + 1)


def _check_seeds(latent: LatentDomains) -> None:
    """Warn of seed samples that nothing tells apart from other text."""
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
        warnings.warn(finding, DataWarning, stacklevel=4)


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
