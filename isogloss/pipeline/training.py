"""Training of the aligner with its progress shown."""

from isogloss.align.execution.groups import Workers
from isogloss.align.lexicon.tables import LexicalEntries
from isogloss.align.links.external_links import ExternalLinks
from isogloss.align.links.known_links import KnownLinks
from isogloss.align.model.model import AlignmentModel
from isogloss.align.model.parameters import AlignerOptions
from isogloss.align.text.bitext import Bitext
from isogloss.align.training.storage import IN_MEMORY, TrainingStorage
from isogloss.align.training.train import train

from ..console import Console

__all__ = ["train_with_progress"]


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

    dictionary, known_links, external links, storage: see :func:`isogloss.align.train`
    """
    with console.progress("aligning", len(options.schedule)) as advance:

        def report(message: str) -> None:
            console.detail(message)
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
