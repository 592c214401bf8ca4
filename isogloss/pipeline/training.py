"""Training of the aligner with its progress shown."""

from isogloss.align.execution.groups import Workers
from isogloss.align.lexicon.tables import LexicalEntries
from isogloss.align.links.external_links import ExternalLinks
from isogloss.align.links.gold_sample import GoldSample
from isogloss.align.links.known_links import KnownLinks
from isogloss.align.model.model import AlignmentModel
from isogloss.align.model.parameters import AlignerOptions
from isogloss.align.text.bitext import Bitext
from isogloss.align.training.storage import IN_MEMORY, TrainingStorage
from isogloss.align.training.train import train

from ..console import Console

__all__ = ["teach", "train_with_progress"]


def train_with_progress(
    bitext: Bitext,
    options: AlignerOptions,
    console: Console,
    *,
    threads: int | Workers = 1,
    dictionary: LexicalEntries | None = None,
    known_links: KnownLinks | None = None,
    external_links: ExternalLinks | None = None,
    storage: TrainingStorage = IN_MEMORY,
) -> AlignmentModel:
    """Train, with a progress bar by iteration on a terminal and a line each with -v.

    A worker that is lost is told without -v, too.

    dictionary, known_links, external links, storage: see :func:`isogloss.align.train`
    """
    with console.progress("aligning", len(options.schedule)) as advance:

        def report(message: str) -> None:
            (console.info if "worker was lost" in message else console.detail)(message)
            advance(int("iteration" in message))

        return train(
            bitext,
            options=options,
            threads=threads,
            report=report,
            dictionary=dictionary,
            known_links=known_links,
            external_links=external_links,
            storage=storage,
        )


def teach(
    model: AlignmentModel,
    sample: GoldSample,
    text: Bitext,
    console: Console,
    *,
    threads: int = 1,
    external_links: ExternalLinks | None = None,
) -> AlignmentModel:
    """The model with what a gold sample of its text teaches; tells how much that is."""
    with console.stage("learning links"):
        model = model.learn_links(
            text,
            sample.links,
            rows=sample.rows,
            aim=sample.aim,
            external_links=external_links,
            threads=threads,
        )
    learned = model.classifier
    assert learned is not None
    curve = ", ".join(
        f"{point.aer:.2%} [{point.low:.2%}, {point.high:.2%}] with {point.sentences}"
        for point in learned.learning_curve.points
    )
    console.info(
        f"gold sample: AER {learned.aer_before:.2%} without it; cross-validated AER {curve} gold "
        "sentences; Brier score of link probabilities "
        f"{learned.before.brier:.3f} without it, {learned.after.brier:.3f} with it"
    )
    console.info(learned.learning_curve.outlook())
    return model
