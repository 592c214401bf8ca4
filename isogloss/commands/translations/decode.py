"""isogloss decode: text translated with a phrase table, a language model and weights."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from align.errors import UsageError
from align.files.numerals import is_whole
from align.files.outputs import check_output
from align.files.writers import write_lines
from align.language_model.arpa import read_arpa
from align.text.readers import read_sentences
from features.table.phrase_table import PhraseTable
from features.table.phrases import phrases_of
from tune.decoder.language_model import NgramTable
from tune.decoder.model import Decoder, DecoderSettings, Derivations, PhraseUse
from tune.nbest.writer import format_hypothesis
from tune.online.decoder_loop import decode_corpus
from tune.weights.weights import Weights

from ...console import Console
from ...options import Command, option, output_file, positional
from ...runs.reordering import parse_reordering, read_reordering
from ..shared import CommonOptions, common_options, output_option

__all__ = ["COMMAND", "DecodeOptions", "run"]


@dataclass(frozen=True)
class DecodeOptions:
    """Options of `isogloss decode`.

    input: one sentence per line; - is stdin
    phrase_table: in Moses' format, plain or gz
    lm: ARPA, plain or gz
    reordering: reordering table of extract or Moses, such as wbe-msd-bidirectional-fe=FILE; may be
        given more than once
    weights: default: Moses' starting weights
    output: translations (default: stdout)
    n_best: n-best list in Moses' format
    all_derivations: list a text once for each way to derive it
    alignment: word links of each translation, 0-0 1-2, from those of the rules
    segmentation: show the source words of each phrase behind it, as |0-1|
    stack_size: hypotheses per stack
    distortion_limit: longest jump, in source words
    table_limit: rules per phrase
    lowercase: lowercase the input
    """

    input: str = positional("INPUT")
    phrase_table: str = option(metavar="FILE")
    lm: str = option(metavar="FILE")
    reordering: tuple[str, ...] = option(default=(), metavar="MODEL=FILE", append=True)
    weights: str | None = option(default=None, metavar="FILE")
    output: str | None = output_option()
    n_best: str | None = option(default=None, metavar="FILE:SIZE")
    all_derivations: bool = False
    alignment: str | None = option(default=None, metavar="FILE", parse=output_file)
    segmentation: bool = False
    stack_size: int = DecoderSettings.stack_size
    distortion_limit: int = DecoderSettings.distortion_limit
    table_limit: int = DecoderSettings.table_limit
    lowercase: bool = False
    common: CommonOptions = common_options()

    @property
    def nbest_list(self) -> tuple[str | None, int]:
        """The file of the n-best list, None for none, and hypotheses per sentence.

        Raises UsageError for anything but FILE:SIZE.
        """
        if not self.n_best:
            return None, 1
        file, _, size = self.n_best.rpartition(":")
        if not file or not is_whole(size) or int(size) < 1:
            raise UsageError(f"--n-best {self.n_best!r}; expected FILE:SIZE")
        return file, int(size)


def run(options: DecodeOptions, console: Console) -> None:
    """Translate text, one line out per line in."""
    models = [parse_reordering(text) for text in options.reordering]
    sentences = read_sentences(options.input, lowercase=options.lowercase)
    list_file, size = options.nbest_list
    check_output(list_file)
    settings = DecoderSettings(
        options.stack_size, options.distortion_limit, table_limit=options.table_limit
    )
    table = PhraseTable.read(
        options.phrase_table, sources=phrases_of(sentences, 8), keep_text=False
    )
    reordering = read_reordering(models, table)
    ngrams = NgramTable.from_model(read_arpa(options.lm))
    decoder = Decoder(table, ngrams, settings, reordering)
    weights = decoder.weights(Weights.read(options.weights) if options.weights else None)
    with console.progress("decoding", len(sentences)) as advance:
        translations = decode_corpus(
            decoder, sentences, weights,
            size=size, distinct=not options.all_derivations,
            threads=options.common.threads, advance=advance,
        )  # fmt: skip
    text = _segmented if options.segmentation else Decoder.text
    write_lines((text(decoder, best, 0) for best in translations), options.output)
    if options.alignment:
        write_lines(_link_lines(decoder, translations), options.alignment)
    if list_file:
        write_lines(_nbest_lines(decoder, translations), list_file)


def _segmented(decoder: Decoder, derivations: Derivations, number: int) -> str:
    """A translation with the source words of each phrase, the last one included: Moses's -t."""
    words = decoder.text(derivations, number).split()
    return " ".join(
        " ".join([*words[use.target_begin : use.target_end], _span(use)])
        for use in derivations.phrases(number)
    )


def _span(use: PhraseUse) -> str:
    return f"|{use.source_begin}-{use.source_end - 1}|"


def _link_lines(decoder: Decoder, translations: list[Derivations]) -> Iterator[str]:
    for best in translations:
        yield " ".join(f"{source}-{target}" for source, target in decoder.links(best, 0))


def _nbest_lines(decoder: Decoder, translations: list[Derivations]) -> Iterator[str]:
    for sentence, derivations in enumerate(translations):
        rows = derivations.rows
        for rank in range(len(derivations)):
            features = slice(rows.offsets[rank], rows.offsets[rank + 1])
            ids, inverse = np.unique(rows.ids[features], return_inverse=True)
            values = np.bincount(inverse, rows.values[features])
            pairs = [
                (decoder.space.names[number], value)
                for number, value in zip(ids.tolist(), values.tolist(), strict=True)
            ]
            text, score = decoder.text(derivations, rank), float(derivations.score[rank])
            yield format_hypothesis(sentence, text, pairs, score)


COMMAND = Command(
    DecodeOptions,
    run,
    (
        "isogloss decode test.en --phrase-table rich.gz --lm lm.arpa.gz --weights w.json -o out",
        "isogloss decode test.en --phrase-table t.gz --lm lm.arpa --n-best list.gz:100 -o out "
        "--reordering wbe-msd-bidirectional-fe=reordering-table.gz",
    ),
)
