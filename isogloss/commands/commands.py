"""What each command does: options in, files out."""

import argparse
import json
import shutil
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from align import AlignmentModel, Bitext, Links, UsageError, evaluate, symmetrize
from align.files.writers import write_lines
from align.language_model.arpa import read_arpa, write_arpa
from align.language_model.estimation import estimate_language_model
from align.lexicon.eflomal_priors import read_priors
from align.lexicon.formats import read_dictionary
from align.lexicon.tables import LexicalEntries
from align.links.links import format_links
from align.links.supervision import LinkSupervision
from align.model.checkpoint import HEADER
from align.model.latent_domain import format_posteriors
from align.model.parameters import POSTERIOR, PRESETS, AlignerOptions
from align.model.store import check_replaceable, load_model, save_model
from align.text.corpus import Corpus
from align.text.readers import (
    check_seed_size,
    match_labels,
    read_bitext,
    read_gold,
    read_labels,
    read_linked_bitext,
    read_links,
    read_seed_sample,
    read_sentences,
)
from features.table.phrase_table import PhraseTable
from features.table.phrases import phrases_of
from tune.decoder.language_model import NgramTable
from tune.decoder.model import Decoder, DecoderSettings, Derivations
from tune.nbest.writer import format_hypothesis
from tune.online.decoder_loop import decode_corpus
from tune.weights.weights import read_weights

from ..console import Console, write_stdout
from ..pipeline.config import read_config
from ..pipeline.demo import demo_config
from ..pipeline.pipeline import run_pipeline, train_shown
from ..report import format_report
from .bitext_options import bitext_form

Options = argparse.Namespace
COLUMN = "column"  # in place of a file of hand links: the third column of the bitext


def demo(options: Options, console: Console) -> None:
    """The whole pipeline on the bundled data."""
    config = demo_config(Path(options.out), options.seed, options.threads)
    manifest = run_pipeline(config, console, resume=options.resume, overwrite=options.overwrite)
    _print_report(manifest, config.out)


def run(options: Options, console: Console) -> None:
    """The whole pipeline on the files of a configuration."""
    config = read_config(options.config)
    if options.out:
        config = config.with_out(Path(options.out))
    manifest = run_pipeline(config, console, resume=options.resume, overwrite=options.overwrite)
    _print_report(manifest, config.out)


def _print_report(manifest: Any, out: Path) -> None:
    text = format_report(manifest)
    write_lines(text.rstrip("\n").split("\n"), out / "report.txt")
    write_stdout(text)


def align(options: Options, console: Console) -> None:
    """Train on a bitext and align it."""
    bitext, count, hand_links = _training_text(options)
    given = {one.name: getattr(options, one.name, None) for one in fields(AlignerOptions)}
    given["combination"] = options.heuristic  # so that apply combines links in the same way
    settings = PRESETS[options.preset].replace(
        **{name: value for name, value in given.items() if value is not None}
    )
    if options.model:
        check_replaceable(options.model, options.overwrite)  # before the work, not after it
    folder = options.checkpoint or (options.model and f"{options.model}.checkpoint")
    checkpoint = Path(folder) if folder else None
    if options.resume and checkpoint is None:
        raise UsageError("--resume needs --model or --checkpoint, where the state is kept")
    if checkpoint and (checkpoint / HEADER).exists() and not (options.resume or options.overwrite):
        raise UsageError(
            f"{checkpoint} holds the state of a training that was stopped; pass --resume to go on "
            "with it, or --overwrite to start again"
        )
    console.info(f"training on {len(bitext)} sentence pairs")
    if hand_links is not None:
        offsets = hand_links.links.offsets
        linked = np.count_nonzero(np.diff(offsets))
        console.info(f"{offsets[-1]} hand links in {linked} sentence pairs")
    model = train_shown(
        bitext, settings, options.threads, console, checkpoint, options.resume,
        options.max_memory, options.tmpdir, _dictionary(options, bitext, console), hand_links,
    )  # fmt: skip
    if options.model:
        save_model(model, options.model, overwrite=options.overwrite)
        if checkpoint is not None:
            shutil.rmtree(checkpoint)
    _write_alignment(options, model, bitext.select(np.arange(count)), hand_links)


def _dictionary(options: Options, bitext: Bitext, console: Console) -> LexicalEntries | None:
    """What --dictionary and --priors say of the words of the text."""
    words = bitext.source.vocabulary, bitext.target.vocabulary
    parts = []
    if options.dictionary:
        entries = read_dictionary(options.dictionary, *words, lowercase=options.lowercase)
        parts.append((entries, options.dictionary_weight))
    if options.priors:
        priors = read_priors(options.priors, *words, lowercase=options.lowercase)
        parts.append((priors.lexical, 1.0))
    if not parts:
        return None
    for entries, _ in parts:
        console.info(f"{len(entries)} known pairs of words, {entries.num_unknown} unknown here")
    return LexicalEntries.collect(
        np.concatenate([entries.source for entries, _ in parts]),
        np.concatenate([entries.target for entries, _ in parts]),
        np.concatenate([entries.weight * weight for entries, weight in parts]),
    )


def _training_text(options: Options) -> tuple[Bitext, int, LinkSupervision | None]:
    """The bitext with its labels, seed samples appended; how many pairs come before them; links."""
    form = bitext_form(options) | {"max_length": options.max_length}
    bitext, links = _text_and_hand_links(options, form)
    count = len(bitext)
    shown = ["-"] * count
    if options.labels:
        allowed = options.domains.split(",") if options.domains else None
        labels, names = read_labels(options.labels, count, allowed)
        shown = ["-" if label < 0 else names[label] for label in labels.tolist()]
    parts = [bitext]
    for option in options.seed_sample:
        name, source, target = read_seed_sample(option)
        own = form if target is None else form | {"format": None}
        parts.append(read_bitext(source, target, **own))
        check_seed_size(len(parts[-1]), name, source)
        shown += [name] * len(parts[-1])
    domains = tuple(sorted(set(shown) - {"-"}))
    labels = match_labels(shown, domains)
    sides = Corpus.joined([p.source for p in parts]), Corpus.joined([p.target for p in parts])
    hand_links = None
    if links is not None:
        every = Links.from_keys(links.keys(), len(shown))  # none in the seed samples
        hand_links = LinkSupervision(every, options.hand_confidence)
    return Bitext(*sides, labels, domains), count, hand_links


def _text_and_hand_links(options: Options, form: dict[str, Any]) -> tuple[Bitext, Links | None]:
    if options.hand_links is None:
        return read_bitext(options.source, options.target, **form), None
    file = None if options.hand_links == COLUMN else options.hand_links
    bitext, links = read_linked_bitext(options.source, options.target, links=file, **form)
    if links is None:
        raise UsageError(
            f"--hand-links {COLUMN}, but {options.source} has no links; give a TSV with links in "
            f"its third column, or a file of links (./{COLUMN} for one of that name)"
        )
    return bitext, links


def _write_alignment(
    options: Options, model: AlignmentModel, bitext: Bitext, hand_links: LinkSupervision | None
) -> None:
    posterior = model.domain_posteriors(bitext, options.threads)
    if options.forward or options.reverse:
        directions = model.align_directions(bitext, options.threads, posterior)
        for links, path in zip(directions, (options.forward, options.reverse), strict=True):
            if path:
                write_lines(format_links(links), path)
    if options.posteriors:
        write_lines(format_posteriors(model.domains, posterior), options.posteriors)
    _write_links(options, model, bitext, posterior, hand_links)


def _write_links(
    options: Options,
    model: AlignmentModel,
    bitext: Bitext,
    posterior: NDArray[np.float64],
    hand_links: LinkSupervision | None = None,
) -> None:
    threads, combination = options.threads, options.heuristic
    if options.posterior_threshold is not None and combination in (None, POSTERIOR):
        links = model.align_posterior(bitext, options.posterior_threshold, threads, posterior)
    else:
        links = model.align(bitext, combination, threads, posterior)
    if not options.scores:
        links = links.unscored()
    elif links.probability is None:
        links = model.with_confidence(bitext, links, threads, posterior)
    if hand_links is not None:
        links = hand_links.kept_in(links)
    write_lines(format_links(links), options.output)
    if options.pair_scores:
        scores = model.scores(bitext, threads).tolist()
        write_lines((f"{score:.6f}" for score in scores), options.pair_scores)


def apply(options: Options, console: Console) -> None:
    """Align other text with a model."""
    model = load_model(options.model)
    if options.domains:
        model = model.restricted(options.domains.split(","))
    bitext = read_bitext(
        options.source,
        options.target,
        **bitext_form(options),
        vocabularies=(model.source_vocabulary, model.target_vocabulary),
        max_length=options.max_length,
    )
    _write_links(options, model, bitext, model.domain_posteriors(bitext, options.threads))


def symmetrize_files(options: Options, console: Console) -> None:
    """Combine two link files."""
    links = symmetrize(read_links(options.forward), read_links(options.reverse), options.heuristic)
    write_lines(format_links(links), options.output)


def evaluate_files(options: Options, console: Console) -> None:
    """Score links against hand links."""
    links, gold = read_links(options.links), read_gold(options.gold)
    if not 0 <= options.skip <= len(links):
        raise UsageError(f"--skip {options.skip}; {options.links} has {len(links)} lines")
    score = evaluate(links.part(options.skip), gold)
    values = {
        "AER": score.aer, "precision": score.precision, "recall": score.recall, "F1": score.f1
    }  # fmt: skip
    percent = {name: round(100 * value, 2) for name, value in values.items()}
    if options.json:
        counts = {
            "links": score.num_links, "sure": score.num_sure, "sentence_pairs": len(gold),
        }  # fmt: skip
        write_stdout(json.dumps(percent | counts) + "\n")
    else:
        write_stdout("".join(f"{name}\t{value:.2f}\n" for name, value in percent.items()))


def language_model(options: Options, console: Console) -> None:
    """Estimate a language model."""
    sentences = read_sentences(options.text, lowercase=options.lowercase)
    model = estimate_language_model(Corpus.from_sentences(sentences), options.order)
    write_arpa(model, options.output)
    console.info("n-grams: " + ", ".join(str(len(rows)) for rows in model.ngrams))


def decode(options: Options, console: Console) -> None:
    """Translate text, one line out per line in."""
    sentences = read_sentences(options.input, lowercase=options.lowercase)
    size, list_file = 1, None
    if options.n_best:
        list_file, _, number = options.n_best.rpartition(":")
        if not list_file or not number.isdecimal() or int(number) < 1:
            raise UsageError(f"--n-best {options.n_best!r}; expected FILE:SIZE")
        size = int(number)
    settings = DecoderSettings(options.stack_size, options.distortion_limit, options.table_limit)
    table = PhraseTable.read(
        options.phrase_table, sources=phrases_of(sentences, 8), keep_text=False
    )
    decoder = Decoder(table, NgramTable.from_model(read_arpa(options.lm)), settings)
    weights = decoder.weights(read_weights(options.weights) if options.weights else None)
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
