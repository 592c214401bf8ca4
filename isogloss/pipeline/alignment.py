"""Stages of the pipeline up to the links: the training text, a flat and a latent alignment."""

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isogloss.align.errors import DataError, pluralize, warn
from isogloss.align.files.outputs import file_name
from isogloss.align.files.writers import write_lines
from isogloss.align.lexicon.formats import format_lexicon
from isogloss.align.links.evaluate import evaluate
from isogloss.align.links.gold_links import GoldLinks, gold_hint, outside_of_text
from isogloss.align.links.links import Links, format_links
from isogloss.align.model.domain_posterior import format_posteriors
from isogloss.align.model.model import AlignmentModel
from isogloss.align.text.bitext import Bitext
from isogloss.align.text.readers import read_gold
from isogloss.align.training.checkpoint import Checkpoint, fingerprint
from isogloss.align.training.storage import TrainingStorage
from isogloss.align.training.train import last_posteriors, training_posteriors

from .run import PipelineRun
from .training import teach, train_with_progress

__all__ = ["align", "describe_text"]

SHOWN = ("grow-diag-final", "grow-diag-final-and", "posterior")


def describe_text(run: PipelineRun) -> dict[str, Any]:
    """Counts of the training text. Warns of gold alignments outside of their pairs.

    Raises DataError for gold alignments of another number of lines than their text has.
    """
    bitext = run.mixture.bitext
    for _, file, first, count in run.mixture.spans:
        _check_gold(file, bitext.select(np.arange(first, first + count)))
    labels = bitext.label_ids
    return {
        "pairs": len(bitext),
        "source_tokens": len(bitext.source.tokens),
        "target_tokens": len(bitext.target.tokens),
        "seeds": {
            name: int((labels == number).sum()) for number, name in enumerate(bitext.domains)
        },
    }


def _check_gold(file: Path, bitext: Bitext) -> None:
    gold = read_gold(file, num_pairs=len(bitext))
    if len(gold) != len(bitext):
        raise DataError(
            f"the file has {pluralize(len(gold))} of gold alignments",
            f"{len(bitext)}, one per sentence pair",
            file=file,
            remedy="Pass the gold alignments of this text",
        )
    lines = outside_of_text(gold, bitext.source.lengths, bitext.target.lengths)
    if len(lines):
        warn(
            f"{file}: {len(lines)} of {pluralize(len(gold.possible.source), 'gold link')} "
            f"{'is' if len(lines) == 1 else 'are'} out of range (first: line {lines[0] + 1}). "
            "Check that the gold alignments belong to this text and tokenization and are 0-based"
        )


def align(run: PipelineRun, kind: str) -> dict[str, Any]:
    """Train, align and score; writes the model, the links and the lexical tables.

    The state of the training stays: whoever has written down that the stage is done removes it.

    kind: "flat" without the labels, "latent" with them
    """
    config, bitext = run.config, run.mixture.bitext
    if kind == "flat":
        bitext = Bitext.unlabeled(bitext.source, bitext.target)
    training, sample = fingerprint(bitext, config.aligner), run.gold_sample
    if sample is not None:
        training = sample.fingerprint(training)
    state = Checkpoint(run.path(f"{kind}.checkpoint"), training)
    if not state.is_of_this_run():
        state.remove()  # an earlier run's
    model = train_with_progress(
        bitext,
        config.aligner,
        run.console,
        threads=config.threads,
        storage=TrainingStorage(state, resume=True),
    )
    if sample is not None:
        model = teach(model, sample, bitext, run.console, threads=config.threads)
    posterior = last_posteriors(model, config.threads)
    links = model.align(
        bitext, heuristic=config.heuristic, threads=config.threads, posterior=posterior
    ).unscored()
    if config.gold_sample is not None and config.gold_sample.is_kept and sample is not None:
        links = sample.kept_in(links)
    model.save(run.path(f"{kind}.model"), overwrite=True, fingerprint=training)
    write_lines(format_links(links), run.path(f"{kind}.links.gz"))
    for domain in model.domains:
        for direction in ("s2t", "t2s"):
            write_lines(
                format_lexicon(model.lexicon(direction, domain), "tsv", 0.01),
                run.path(f"lexicon/{kind}.{file_name(domain)}.{direction}.tsv.gz"),
            )
    figures: dict[str, Any] = {"aer": _alignment_errors(run, model, posterior)}
    if len(model.domains) > 1:
        found = training_posteriors(model, config.threads)
        write_lines(format_posteriors(model.domains, found), run.path("domains.tsv.gz"))
        figures |= _domain_figures(run, model, found)
    return figures


def _alignment_errors(
    run: PipelineRun, model: AlignmentModel, posterior: NDArray[np.float64]
) -> dict[str, dict[str, float]]:
    """AER in percent of each text with gold links, for the combinations shown."""
    # posterior: float64[num_pairs, num_domains], P(D | f, e)
    table: dict[str, dict[str, float]] = {}
    sample = np.zeros(0, np.int64) if run.gold_sample is None else run.gold_sample.rows
    for name, file, rows, _, gold in run.mixture.judged(sample):
        text, threads = run.mixture.bitext.select(rows), run.config.threads
        for combination in dict.fromkeys((*SHOWN, run.config.heuristic)):
            links = model.align(
                text, heuristic=combination, threads=threads, posterior=posterior[rows]
            )
            if combination == run.config.heuristic:
                _warn_of_misfit(file, links, gold)
            score = evaluate(links, gold)
            table.setdefault(name, {})[combination] = round(100 * score.aer, 2)
    return table


def _warn_of_misfit(file: Path, links: Links, gold: GoldLinks) -> None:
    hint = gold_hint(links, gold)
    if hint:
        warn(f"{file}: {hint}")


def _domain_figures(
    run: PipelineRun, model: AlignmentModel, posterior: NDArray[np.float64]
) -> dict[str, Any]:
    """P(D), and how often the likeliest domain is right where the truth is known but hidden."""
    # posterior: float64[num_pairs, num_domains], P(D | f, e)
    mixture = run.mixture
    guesses = [model.domains[domain] for domain in posterior.argmax(1).tolist()]
    hidden = [
        (guess, truth)
        for guess, truth, label in zip(
            guesses, mixture.true_domains, mixture.bitext.label_ids.tolist(), strict=True
        )
        if label < 0 and truth != "-"
    ]
    prior = np.exp(model.log_prior).round(4).tolist()
    right = sum(guess == truth for guess, truth in hidden)
    return {
        "domains": dict(zip(model.domains, prior, strict=True)),
        "domain_accuracy": round(100 * right / len(hidden), 2) if hidden else None,
    }
