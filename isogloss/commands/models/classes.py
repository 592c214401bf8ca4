"""isogloss classes: word classes of a text of one language, in the form of mkcls."""

from dataclasses import dataclass

from isogloss.align.errors import MAX_ROUNDS, pluralize
from isogloss.align.files.text_io import iter_lines, split_tokens
from isogloss.align.lexicon.word_classes import ITERATIONS, Sweep, learn_word_classes
from isogloss.align.text.corpus import Corpus, CorpusBuilder
from isogloss.align.text.recognition.recognition import check_text

from ...console import Console
from ...options import Bounds, Command, option, positional, positive
from ..shared import SeededMessageOptions, output_option, seeded_message_options

__all__ = ["COMMAND", "ClassesOptions", "run"]


@dataclass(frozen=True)
class ClassesOptions:
    """Options of `isogloss classes`.

    text: text, one sentence per line; - = standard input
    lowercase: lowercase the text
    num_classes: number of word classes
    iterations: maximum number of iterations; stops early if no word changes its class
    output: word classes in mkcls format, word<TAB>class (default: stdout)
    """

    text: str = positional("TEXT")
    lowercase: bool = False
    num_classes: int = option(default=50, parse=positive, metavar="N")
    iterations: int = option(default=ITERATIONS, parse=Bounds(1, MAX_ROUNDS), metavar="N")
    output: str | None = output_option()
    common: SeededMessageOptions = seeded_message_options()


def run(options: ClassesOptions, console: Console) -> None:
    """Learn word classes from a text of one language and write them as mkcls does."""
    corpus = _read_corpus(options.text, options.lowercase)
    console.info(f"learning word classes from {pluralize(len(corpus), 'sentence')}")
    sweeps: list[Sweep] = []
    with console.progress("learning word classes", options.iterations) as advance:

        def report(sweep: Sweep) -> None:
            sweeps.append(sweep)
            advance(1)
            console.detail(
                f"iteration {sweep.number}: {pluralize(sweep.moved, 'word')} moved, log-likelihood "
                f"{sweep.log_likelihood:.1f}, perplexity {sweep.perplexity:.3f}"
            )

        classes = learn_word_classes(
            corpus, options.num_classes, options.iterations, options.common.seed, report
        )
    classes.save(options.output)
    console.info(
        f"{pluralize(len(corpus.vocabulary) - 1, 'word')} in "
        f"{pluralize(classes.num_classes, 'class')}, bigram perplexity "
        f"{sweeps[-1].perplexity:.1f} after {pluralize(len(sweeps), 'iteration')}"
    )


def _read_corpus(path: str, lowercase: bool) -> Corpus:
    """The sentences of a file, a line at a time: a large text never stands in memory as words."""
    check_text(path)
    builder = CorpusBuilder()
    for line in iter_lines(path):
        builder.add(split_tokens(line.lower() if lowercase else line))
    return builder.build()


COMMAND = Command(
    ClassesOptions,
    run,
    (
        "isogloss classes corpus.en --num-classes 50 -o classes.en",
        "isogloss classes corpus.es.gz --num-classes 100 --lowercase -o classes.es.gz",
    ),
    first={
        "input": ("lowercase",),
        "classes": ("num_classes", "iterations"),
        "output": ("output",),
        "running": ("seed", "quiet"),
    },
)
