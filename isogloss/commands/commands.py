"""What each command does: options in, files out."""

import argparse
from collections.abc import Iterator

import numpy as np

from align import UsageError
from align.files.writers import write_lines
from align.language_model.arpa import read_arpa
from align.text.readers import (
    read_sentences,
)
from features.table.phrase_table import PhraseTable
from features.table.phrases import phrases_of
from tune.decoder.language_model import NgramTable
from tune.decoder.model import Decoder, DecoderSettings, Derivations
from tune.nbest.writer import format_hypothesis
from tune.online.decoder_loop import decode_corpus
from tune.weights.weights import Weights

from ..console import Console

Options = argparse.Namespace


def decode(options: Options, console: Console) -> None:
    """Translate text, one line out per line in."""
    sentences = read_sentences(options.input, lowercase=options.lowercase)
    size, list_file = 1, None
    if options.n_best:
        list_file, _, number = options.n_best.rpartition(":")
        if not list_file or not number.isdecimal() or int(number) < 1:
            raise UsageError(f"--n-best {options.n_best!r}; expected FILE:SIZE")
        size = int(number)
    settings = DecoderSettings(
        options.stack_size, options.distortion_limit, table_limit=options.table_limit
    )
    table = PhraseTable.read(
        options.phrase_table, sources=phrases_of(sentences, 8), keep_text=False
    )
    decoder = Decoder(table, NgramTable.from_model(read_arpa(options.lm)), settings)
    weights = decoder.weights(Weights.read(options.weights) if options.weights else None)
    with console.progress("decoding", len(sentences)) as advance:
        found = decode_corpus(
            decoder, sentences, weights, size=size, threads=options.threads, advance=advance
        )
    write_lines((decoder.text(one, 0) for one in found), options.output)
    if list_file:
        write_lines(_nbest_lines(decoder, found), list_file)


def _nbest_lines(decoder: Decoder, found: list[Derivations]) -> Iterator[str]:
    for sentence, one in enumerate(found):
        for k in range(len(one)):
            part = slice(one.rows.offsets[k], one.rows.offsets[k + 1])
            ids, inverse = np.unique(one.rows.ids[part], return_inverse=True)
            values = np.bincount(inverse, one.rows.values[part])
            pairs = [
                (decoder.space.names[number], value)
                for number, value in zip(ids.tolist(), values.tolist(), strict=True)
            ]
            yield format_hypothesis(sentence, decoder.text(one, k), pairs, float(one.score[k]))
