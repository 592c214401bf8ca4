"""isogloss lm: a Kneser-Ney language model."""

from dataclasses import dataclass
from pathlib import Path

from isogloss.align.errors import UsageError
from isogloss.align.language_model.estimation import estimate_language_model
from isogloss.align.text.corpus import Corpus
from isogloss.align.text.readers import read_sentences

from ...console import Console
from ...options import Command, option, output_file, positional
from ..shared import MessageOptions, message_options

_BINARIES = (".bin", ".binary", ".blm", ".klm", ".mmap", ".probing", ".trie")
__all__ = ["COMMAND", "LanguageModelOptions", "run"]


@dataclass(frozen=True)
class LanguageModelOptions:
    """Options of `isogloss lm`.

    text: text, one sentence per line; - = standard input
    output: language model in ARPA format, plain or gzip
    order: n-gram order
    lowercase: lowercase the text
    """

    text: str = positional("TEXT")
    output: str = option("-o", metavar="ARPA", parse=output_file)
    order: int = option(default=3, metavar="N")
    lowercase: bool = False
    common: MessageOptions = message_options()


def run(options: LanguageModelOptions, console: Console) -> None:
    """Estimate a language model."""
    path = Path(options.output)
    if path.suffix.lower() in _BINARIES:
        arpa = path.with_suffix(".arpa")
        raise UsageError(
            f"{path} has the suffix of a binary language model, but the output is ARPA text; write "
            f"{arpa} and convert it with KenLM: build_binary {arpa} {path}"
        )
    with console.stage("counting n-grams"):
        sentences = read_sentences(options.text, lowercase=options.lowercase)
        model = estimate_language_model(Corpus.from_sentences(sentences), options.order)
    with console.stage("writing"):
        model.save(options.output)
    console.info("n-grams: " + ", ".join(str(len(rows)) for rows in model.ngrams))


COMMAND = Command(
    LanguageModelOptions,
    run,
    ("isogloss lm corpus.es -o lm.arpa.gz --order 3", "isogloss lm corpus.es -o lm.arpa"),
    first={
        "input": ("lowercase",),
        "model": ("order",),
        "output": ("output",),
        "running": ("quiet",),
    },
)
