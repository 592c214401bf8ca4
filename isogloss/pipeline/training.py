"""Training the aligner under the eyes of a person: progress, and a state to go on from."""

from pathlib import Path
from typing import Any

from align.lexicon.tables import LexicalEntries
from align.links.hand_links import HandLinks
from align.model.checkpoint import Checkpoint, fingerprint
from align.model.model import AlignmentModel
from align.model.parameters import AlignerOptions
from align.model.training import train
from align.text.corpus import Bitext

from ..console import Console

__all__ = ["train_with_progress"]


def train_with_progress(
    bitext: Bitext,
    options: AlignerOptions,
    console: Console,
    *,
    checkpoint: Path | None = None,
    dictionary: LexicalEntries | None = None,
    hand_links: HandLinks | None = None,
    **settings: Any,
) -> AlignmentModel:
    """Train, with a progress bar by iteration on a terminal and a line each with -v.

    checkpoint: folder for the state after each iteration
    settings: further ones of :func:`align.train`
    """
    state = None
    if checkpoint is not None:
        state = Checkpoint(checkpoint, fingerprint(bitext, options, dictionary, hand_links))
    with console.progress("aligning", len(options.schedule)) as advance:

        def report(message: str) -> None:
            console.detail(message)
            advance(int("iteration" in message))

        return train(
            bitext,
            options,
            report=report,
            checkpoint=state,
            dictionary=dictionary,
            hand_links=hand_links,
            **settings,
        )
