"""Word classes of a text: classes."""

import argparse

from align.files.text_io import iter_lines, split_tokens
from align.text.corpus import Corpus, CorpusBuilder
from align.word_classes import Sweep, learn_word_classes, write_word_classes

from ..console import Console

__all__ = ["classes"]


def classes(options: argparse.Namespace, console: Console) -> None:
    """Learn word classes from a text of one language and write them as mkcls does."""
    corpus = _read_corpus(options.text, options.lowercase)
    console.info(f"learning word classes from {len(corpus)} sentences")
    sweeps: list[Sweep] = []
    with console.progress("learning word classes", options.iterations) as advance:

        def report(sweep: Sweep) -> None:
            sweeps.append(sweep)
            advance(1)
            console.detail(
                f"iteration {sweep.number}: {sweep.moved} words moved, log-likelihood "
                f"{sweep.log_likelihood:.1f}, perplexity {sweep.perplexity:.3f}"
            )

        found = learn_word_classes(
            corpus, options.num_classes, options.iterations, options.seed, report
        )
    write_word_classes(found, options.output)
    console.info(
        f"{len(corpus.vocabulary) - 1} words in {found.num_classes} classes, perplexity "
        f"{sweeps[-1].perplexity:.1f} of their bigrams after {len(sweeps)} iterations"
    )


def _read_corpus(path: str, lowercase: bool) -> Corpus:
    """The sentences of a file, a line at a time: a large text never stands in memory as words."""
    builder = CorpusBuilder()
    for line in iter_lines(path):
        builder.add(split_tokens(line.lower() if lowercase else line))
    return builder.build()
