"""Every reader of the program, by name."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np

from isogloss.align import read_bitext, read_gold, read_links, read_sentences, train
from isogloss.align.errors import IsoglossError
from isogloss.align.files.text_io import iter_lines
from isogloss.align.language_model.ngrams import NgramModel
from isogloss.align.language_model.scoring import LanguageModel
from isogloss.align.lexicon.eflomal_priors import read_priors
from isogloss.align.lexicon.formats import read_dictionary
from isogloss.align.lexicon.word_classes import WordClasses
from isogloss.align.links.files.link_check import check_links
from isogloss.align.links.spans import Spans
from isogloss.align.model.model import AlignmentModel
from isogloss.align.text.annotations.files import AnnotationReader
from isogloss.align.text.bitext import Bitext
from isogloss.align.text.labels import read_labels
from isogloss.align.text.readers import read_linked_bitext
from isogloss.align.training.checkpoint import Checkpoint, fingerprint
from isogloss.align.training.storage import TrainingStorage
from isogloss.features.bins.binning import Binning
from isogloss.features.bins.rule_use import read_rule_use
from isogloss.features.dictionary.dictionary import Dictionary
from isogloss.features.extraction.reordering import ReorderingModel, read_reordering_table
from isogloss.features.extraction.sentence_weights import read_instance_weights, read_posteriors
from isogloss.features.table import phrases
from isogloss.features.table.formats import TableFormat
from isogloss.features.table.grammars import TABLE_FORMATS
from isogloss.features.table.phrase_table import PhraseTable
from isogloss.features.table.stream import read_blocks
from isogloss.pipeline.config import read_config
from isogloss.runs.decoder_config import DecoderConfig, read_decoder_config
from isogloss.runs.epoch_log import read_curves
from isogloss.runs.moses_decoder import read_moses_decoder
from isogloss.tune.decoder.language_model import NgramTable
from isogloss.tune.decoder.language_model_files import read_language_model
from isogloss.tune.experiment import Task
from isogloss.tune.forest.cdec_json import read_cdec
from isogloss.tune.forest.hypergraph import Hypergraph
from isogloss.tune.forest.inference import k_best
from isogloss.tune.forest.moses_text import read_moses
from isogloss.tune.forest.reader import read_forests
from isogloss.tune.nbest.moses_statistics import read_moses_statistics
from isogloss.tune.nbest.records.fields import RecordFields
from isogloss.tune.nbest.store import open_nbest
from isogloss.tune.nbest.types import read_nbest
from isogloss.tune.online.state import read_online_state
from isogloss.tune.references import read_references
from isogloss.tune.results import TuningResult
from isogloss.tune.weights.moses_ini import read_moses_ini
from isogloss.tune.weights.weights import Weights
from isogloss.tuning.folder import TuningFolder
from isogloss.tuning.loops.iterations import IterationFiles
from tests.fuzz.foreign_readers import FOREIGN_READERS
from tests.fuzz.reader import Reader
from tests.fuzz.seeds import OPTIONS, PAIRS, SPACE, labeled_text, reseal

__all__ = ["READERS"]

WHOLE, NUMBER = r"[0-9]+", r"[-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?"
LINK = rf"{WHOLE}-{WHOLE}(?::[^ \t]*)?"


def _answers(folder: Path, name: str) -> list[np.ndarray[Any, Any]]:
    """What a model gives for a small text, by everything that reads its tables."""
    model = AlignmentModel.load(folder / name)
    bitext = read_bitext(
        folder / "few.en",
        folder / "few.es",
        vocabularies=(model.source_vocabulary, model.target_vocabulary),
    )
    arrays: list[np.ndarray[Any, Any]] = [model.scores(bitext), model.domain_posteriors(bitext)]
    for combination in ("posterior", "grow-diag-final-and"):
        links = model.align(bitext, heuristic=combination)
        links.check_range(bitext.source.lengths, bitext.target.lengths)
    return arrays


def _resealed(name: str, header: str) -> Callable[[Path], None]:
    """Give the stored folders below a folder the checksums of what stands in them now."""

    def repair(folder: Path) -> None:
        for path in (folder / name).rglob(header):
            reseal(path.parent, header)

    return repair


def _resumed(folder: Path, name: str) -> object:
    """A training that goes on from a checkpoint."""
    bitext = labeled_text(folder)
    if name == "flat":
        bitext = bitext.with_numbered_labels(np.full(len(bitext), -1, np.int16), ())
    storage = TrainingStorage(Checkpoint(folder / name, fingerprint(bitext, OPTIONS)), resume=True)
    return train(bitext, options=OPTIONS, storage=storage).parameters


def _pairs(folder: Path) -> object:
    """A stored dictionary, its best pairs looked at."""
    found = Dictionary.load(folder)
    return [entry for name in (*found.domains, "all") for entry in found.entries(name, top=5)]


def _used_list(folder: Path) -> object:
    """A stored list, all of it looked at."""
    lists = open_nbest(folder / "stored")
    best, size = lists.best(np.ones(len(lists.space))), sum(len(sentence) for sentence in lists)
    return best, size, lists.columns, lists.rows.values


def _forests(name: str) -> Callable[[Path], object]:
    """Forests, all of them made."""

    def call(folder: Path) -> object:
        forests = read_forests(folder / name)
        return [
            (graph.rows, k_best(graph, graph.scores(np.ones(len(graph.space))), 3).scores)
            for graph in forests.select(forests.found)
        ]

    return call


def _ngrams(folder: Path) -> object:
    model = NgramModel.load(folder / "lm.arpa")
    table = NgramTable.from_model(model)
    return table.score(table.encode(["la", "casa", "xyz", "</s>"]))


def _kenlms(name: str) -> Callable[[Path], object]:
    def call(folder: Path) -> object:
        table = read_language_model(folder / name)
        return table.score(table.encode(["la", "casa", "xyz", "de"]))

    return call


def _tuned(folder: Path) -> object:
    """A folder of a tuning run: its manifest and what was learned."""
    opened = TuningFolder.open(folder / "run")
    tasks = [Task(1, fold) for fold in (None, 0, 1)]
    return [opened.read_outcome(task, SPACE) for task in tasks], read_curves(folder / "run")


def _bitext(name: str, **more: Any) -> Callable[[Path], object]:
    def call(folder: Path) -> Bitext:
        return read_bitext(folder / name, **more)

    return call


def _burrito(folder: Path) -> object:
    return read_links(folder / "small.json", ids=(folder / "small.ids",) * 2)


def _checked(folder: Path) -> object:
    lengths = np.array([3, 4, 5])
    return check_links(iter_lines(folder / "small.links"), lengths, lengths)


def _annotations(name: str) -> Callable[[Path], object]:
    def call(folder: Path) -> object:
        sentences = list(AnnotationReader(folder / name))
        spans = Spans.from_sentences([sentence.spans for sentence in sentences])
        spans.check_range(np.array([sentence.length for sentence in sentences], np.int64))
        return spans.start

    return call


def _statistics(folder: Path) -> object:
    return read_moses_statistics([folder / "FEATSTAT"], [folder / "SCORESTAT"])


def _priors(folder: Path) -> object:
    bitext = labeled_text(folder)
    return read_priors(folder / "priors", bitext.source.vocabulary, bitext.target.vocabulary)


def _dictionary(folder: Path) -> object:
    bitext = labeled_text(folder)
    return read_dictionary(
        folder / "dictionary", bitext.source.vocabulary, bitext.target.vocabulary
    )


def _read_table(path: Path, form: TableFormat, few: int) -> PhraseTable | IsoglossError:
    """A table, or why it is refused. few: phrases that are numbered without the kernels"""
    with mock.patch.object(phrases, "FEW", few):
        try:
            return PhraseTable.load(path, format=form)
        except IsoglossError as error:
            return error


def _read_twice(path: Path, form: TableFormat) -> PhraseTable:
    """A table, read by the kernels as large ones are and without them, which must be the same.

    Raises AssertionError where it isn't, else the error of both.
    """
    whole, by_kernels = (_read_table(path, form, few) for few in (phrases.FEW, 0))
    if isinstance(whole, IsoglossError):
        assert str(by_kernels) == str(whole), f"the kernels say {by_kernels}, not {whole}"
        raise whole
    assert isinstance(by_kernels, PhraseTable), f"only the kernels say {by_kernels}"
    for name in ("scores", "counts", "rule_source", "rule_target"):
        assert np.array_equal(getattr(whole, name), getattr(by_kernels, name)), name
    assert np.array_equal(whole.sparse.values, by_kernels.sparse.values), "values"
    assert whole.sparse_names == by_kernels.sparse_names
    return whole


def _table(name: str) -> Callable[[Path], object]:
    def call(folder: Path) -> Sequence[object]:
        path, form = folder / f"table{name}", TABLE_FORMATS[name[1:] or "moses"]
        whole = _read_twice(path, form)
        blocks = list(read_blocks(path, format=form, unsorted=True, rules=20))
        return [whole.scores, whole.sparse, whole.counts, len(blocks)]

    return call


def _reordering(folder: Path) -> object:
    model = ReorderingModel.parse("hier-mslr-bidirectional-fe")
    return [rows.scores for rows in read_reordering_table(folder / "reordering", model)]


def _moses_decoder(folder: Path) -> object:
    """What a decoder says that a moses.ini describes."""
    config = read_moses_decoder(folder / "moses.decoder.ini").config
    sentences = [words[:4] for words in read_sentences(folder / "few.en")]
    decoder = config.open(sentences)
    weights = config.read_weights(decoder)
    return [decoder.nbest(words, weights, 5).score for words in sentences]


def _translated(folder: Path) -> object:
    """What a decoder says whose tables and language model were saved."""
    decoder = DecoderConfig(folder / "decoder", ()).open()
    sentences = [words[:6] for words in read_sentences(folder / "few.en")]
    return [decoder.nbest(words, decoder.weights(), 5).score for words in sentences]


_PRIOR = (
    rf"(LEX\t[^\t]+\t[^\t]+|FER[FR]\t[^\t]+\t{WHOLE}|HMM[FR]\t-?{WHOLE})\t{NUMBER}"
)  # fmt: skip
READERS: dict[str, Reader] = {
    "two files": Reader("few.en", lambda folder: read_bitext(folder / "few.en", folder / "few.es")),
    "sentences": Reader("en", lambda folder: read_sentences(folder / "en")),
    "pairs": Reader("pairs", _bitext("pairs")),
    "pairs, by name": Reader("pairs", _bitext("pairs", format="pairs")),
    "TSV": Reader("tsv", _bitext("tsv")),
    "TSV with links": Reader("tsv", lambda folder: read_linked_bitext(folder / "tsv")),
    "JSONL": Reader("jsonl", _bitext("jsonl")),
    "JSONL, by language": Reader("nested.jsonl", _bitext("nested.jsonl", languages=("en", "es"))),
    **FOREIGN_READERS,
    "labels": Reader("labels", lambda folder: read_labels(folder / "labels", PAIRS), r"[^\s]+"),
    "links": Reader(
        "small.links", lambda folder: read_links(folder / "small.links"),
        rf"(?:{LINK}(?:\s+{LINK})*)?",
    ),
    "gold links": Reader(
        "small.gold", lambda folder: read_gold(folder / "small.gold"),
        rf"(?:{WHOLE}[-p?]{WHOLE}(?:\s+{WHOLE}[-p?]{WHOLE})*)?",
    ),
    "Scripture Burrito": Reader("small.json", _burrito),
    "token ids": Reader("small.ids", _burrito),
    "checked links": Reader("small.links", _checked),
    **{
        f"annotations, {name}": Reader(f"names.{name}", _annotations(f"names.{name}"))
        for name in ("conll", "tags", "jsonl", "ann")
    },
    "word classes": Reader(
        "classes", lambda folder: WordClasses.load(folder / "classes"), rf"[^\t]+\t{WHOLE}"
    ),
    "dictionary": Reader("dictionary", _dictionary, rf"(?:[^\t]+\t[^\t]+(?:\t[ ]*{NUMBER}[ ]*)?)?"),
    "eflomal priors": Reader("priors", _priors, _PRIOR),
    "ARPA": Reader("lm.arpa", _ngrams, finite=False),
    "ARPA, by KenLM": Reader(
        "lm.arpa",
        lambda folder: LanguageModel.from_ngrams(NgramModel.load(folder / "lm.arpa")).order,
    ),
    "hash tables of KenLM": Reader("lm.probing", _kenlms("lm.probing")),
    "trie of KenLM": Reader("lm.trie", _kenlms("lm.trie")),
    "posteriors": Reader(
        "posteriors", lambda folder: read_posteriors(folder / "posteriors", PAIRS)
    ),
    "instance weights": Reader(
        "instance-weights", lambda folder: read_instance_weights(folder / "instance-weights", 8),
        NUMBER,
    ),
    "model": Reader("model", lambda folder: _answers(folder, "model")),
    "model, sealed again": Reader(
        "model", lambda folder: _answers(folder, "model"), repair=_resealed("model", "model.json"),
        finite=False,
    ),
    "checkpoint": Reader("checkpoint", lambda folder: _resumed(folder, "checkpoint")),
    "checkpoint, sealed again": Reader(
        "checkpoint", lambda folder: _resumed(folder, "checkpoint"),
        repair=_resealed("checkpoint", "checkpoint.json"), finite=False,
    ),
    "flat checkpoint, sealed again": Reader(
        "flat", lambda folder: _resumed(folder, "flat"),
        repair=_resealed("flat", "checkpoint.json"), finite=False,
    ),
    **{
        f"table, {name}": Reader(f"table{'' if name == 'moses' else '.' + name}",
                                 _table("" if name == "moses" else f".{name}"))
        for name in TABLE_FORMATS
    },
    "names of scores": Reader(
        "table.columns.json", lambda folder: PhraseTable.load(folder / "table").scores
    ),
    "bins": Reader("rich.bins.json", lambda folder: Binning.load(folder / "rich.bins.json")),
    "rule use": Reader(
        "rule-use", lambda folder: read_rule_use(folder / "rule-use"),
        rf".*\|\|\|.*\|\|\|[ \t]*{NUMBER}",
    ),
    "reordering table": Reader("reordering", _reordering),
    "n-best list": Reader("list", lambda folder: read_nbest([folder / "list"])),
    "n-best list, other keys": Reader(
        "list.flat",
        lambda folder: read_nbest(
            [folder / "list.flat"],
            fields=RecordFields.parse(["text=t", "features=p", "refs=r"]),
        ),
    ),
    "n-best list, JSONL": Reader(
        "lists.jsonl", lambda folder: read_nbest([folder / "lists.jsonl"])
    ),
    "n-best list, gz": Reader(
        "lists.jsonl.gz", lambda folder: read_nbest([folder / "lists.jsonl.gz"])
    ),
    "hypergraph": Reader("forest", lambda folder: read_moses(folder / "forest")),
    "hypergraph, cdec": Reader("forest.json", lambda folder: read_cdec(folder / "forest.json")),
    "hypergraphs, cdec": Reader("forests.json", _forests("forests.json")),
    "hypergraphs, a folder": Reader("hypergraphs", _forests("hypergraphs")),
    "stored forests": Reader("forests", _forests("forests")),
    "stored forests, sealed again": Reader(
        "forests", _forests("forests"), repair=_resealed("forests", "forests.json")
    ),
    "stored hypergraph": Reader("graph", lambda folder: Hypergraph.load(folder / "graph")),
    "stored hypergraph, sealed again": Reader(
        "graph", lambda folder: Hypergraph.load(folder / "graph"),
        repair=_resealed("graph", "hypergraph.json"),
    ),
    "stored dictionary": Reader("entries", lambda folder: _pairs(folder / "entries")),
    "stored dictionary, sealed again": Reader(
        "entries", lambda folder: _pairs(folder / "entries"),
        repair=_resealed("entries", "dictionary.json"),
    ),
    "result of tuning": Reader(
        "result.json", lambda folder: TuningResult.load(folder / "result.json")
    ),
    "FEATSTAT": Reader("FEATSTAT", _statistics),
    "SCORESTAT": Reader("SCORESTAT", _statistics),
    "stored list": Reader("stored", _used_list),
    "stored list, sealed again": Reader(
        "stored", _used_list, repair=_resealed("stored", "nbest.json"), finite=False
    ),
    "decoder's models": Reader("decoder", _translated),
    "decoder's models, sealed again": Reader(
        "decoder", _translated, repair=_resealed("decoder", "decoder.json"), finite=False
    ),
    "references": Reader("ref", lambda folder: read_references([folder / "ref"])),
    **{
        f"weights, {name}": Reader(name, lambda folder, name=name: Weights.load(folder / name))
        for name in ("weights.txt", "weights.travatar", "weights.moses", "weights.json")
    },
    "moses.ini": Reader("moses.ini", lambda folder: Weights.load(folder / "moses.ini")),
    "moses.ini, kept": Reader(
        "moses.ini", lambda folder: read_moses_ini(folder / "moses.ini").dense()
    ),
    "moses.ini of a decoder": Reader("moses.decoder.ini", _moses_decoder),
    "sparse weights": Reader("sparse", lambda folder: Weights.load(folder / "moses.ini")),
    "state of an optimizer": Reader(
        "state.npz", lambda folder: read_online_state(folder / "state.npz", SPACE), finite=False
    ),
    "weights of an iteration": Reader(
        "x.iteration1.json", lambda folder: IterationFiles(folder, "x").read_step(1)
    ),
    "epochs": Reader("epochs.jsonl", lambda folder: read_curves(folder / "epochs.jsonl")),
    "folder of a run": Reader("run", _tuned),
    "run.toml": Reader("run.toml", lambda folder: read_config(folder / "run.toml")),
    "decoder.toml": Reader(
        "decoder.toml", lambda folder: read_decoder_config(folder / "decoder.toml")
    ),
}  # fmt: skip
