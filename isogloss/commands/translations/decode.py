"""isogloss decode: text translated with a phrase table, language models and weights."""

import sys
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from pathlib import Path

from isogloss.align.errors import MAX_HYPOTHESES, UsageError, pluralize, warn
from isogloss.align.text.readers import sentence_blocks
from isogloss.features.bins.binning import bins_of
from isogloss.tune.decoder.forest import ForestMaker
from isogloss.tune.decoder.lines import HypothesisLines, link_line, segmented_line
from isogloss.tune.decoder.model import FIXED_FEATURES, Decoder
from isogloss.tune.decoder.search_graph import search_graph_lines
from isogloss.tune.decoder.stored_models import MODELS_FORMAT, save_models
from isogloss.tune.results import Advance, pass_over
from isogloss.tune.weights.weights import Weights

from ...console import Console
from ...options import NUMBERS, Bounds, Command, option, output_folder, positional
from ...runs.moses_decoder import MosesDecoder
from ...runs.output_files import HypergraphFiles, NBestFile, parse_words
from ...runs.required_lines import RequiredFiles
from ...runs.table_words import WordCheck
from ..line_outputs import chosen_output, open_outputs, output_beside, shown_beside
from ..shared import DEFAULT_THREADS, ConfiguredOptions, configured_options, output_option
from .forest_outputs import ForestOutputs
from .searches import Search, Sentences
from .system import SystemOptions

__all__ = ["COMMAND", "DecodeOptions", "run"]

MAX_FILTERED = 10_000  # sentences of a file for which a table is read; for more all of it is
BLOCK = 16  # sentences per thread that are translated before more are read


@dataclass(frozen=True)
class DecodeOptions(SystemOptions):
    """Options of `isogloss decode`.

    input: text to translate, one sentence per line; - = standard input, translated line by line
        (default: -; with --save: none)
    input_file: text to translate, instead of INPUT (Moses option)
    save: save all models to a fast-loading folder; load them with --phrase-table DIR
    overwrite: replace existing folders of --save, --forests and --hypergraphs
    output: translations (default: stdout, unless a list, links or graphs go there)
    n_best: write an n-best list in Moses format
    n_best_list: write an n-best list; `distinct` removes duplicate translations (Moses option)
    all_derivations: list every derivation of a translation in the n-best list
    n_best_segmentation: write source and target spans of the phrases in the n-best list, as 0-1=0-2
    n_best_alignment: write word alignments in the n-best list
    alignment: write the word alignment of each translation, as 0-0 1-2
    prefix: required prefix of each translation, one per line
    constraint: required translation of each sentence, one per line (forced decoding)
    fixed_translations: required translations of source spans, one line per sentence, such as
        0-1=the house ||| 4=and
    search_graph: write the search graphs in Moses text format
    forests: write the search hypergraphs with their features, for `tune --forests`
    forest_density: prune each hypergraph to N edges per edge of its best translation (default: no
        pruning)
    hypergraphs: write the search hypergraphs in Moses text format, one file per sentence, such as
        0.gz
    segmentation: write the source span of each phrase after it, as |0-1|
    """

    input: str | None = positional("INPUT", default=None)
    input_file: str | None = option("-i", "-input-file", default=None, metavar="FILE")
    save: str | None = option(default=None, metavar="DIR", parse=output_folder)
    overwrite: bool = False
    output: str | None = output_option()
    n_best: str | None = option(default=None, metavar="FILE:SIZE")
    n_best_list: tuple[str, ...] = option("-n-best-list", default=(), metavar="FILE SIZE")
    all_derivations: bool = False
    n_best_segmentation: bool = option(
        "-include-segmentation-in-n-best", "--include-segmentation-in-n-best", default=False
    )
    n_best_alignment: bool = option(
        "-print-alignment-info-in-n-best", "--print-alignment-info-in-n-best", default=False
    )
    alignment: str | None = option(
        "-alignment-output-file", "--alignment-output-file", default=None, metavar="LINKS"
    )  # fmt: skip
    prefix: str | None = option(default=None, metavar="FILE")
    constraint: str | None = option("-constraint", default=None, metavar="FILE")
    fixed_translations: str | None = option(default=None, metavar="FILE")
    search_graph: str | None = option(
        "-osg", "-output-search-graph", "--output-search-graph", default=None, metavar="GRAPH"
    )  # fmt: skip
    forests: str | None = option(default=None, metavar="DIR", parse=output_folder)
    forest_density: float | None = option(
        default=None, metavar="N", parse=Bounds(1.0, NUMBERS[float].high)
    )
    hypergraphs: tuple[str, ...] = option(
        "-output-search-graph-hypergraph", "--output-search-graph-hypergraph",
        default=(), metavar="true gz DIR",
    )  # fmt: skip
    segmentation: bool = option(
        "-t", "-report-segmentation", "--report-segmentation", default=False
    )
    common: ConfiguredOptions = configured_options()

    @property
    def line_outputs(self) -> tuple[str | None, ...]:
        """Where lines go, None = nowhere: translations, their links, n-best lists, search graphs.

        Raises UsageError as output_beside does.
        """
        return output_beside(self.output, self._other_outputs), *self._other_outputs

    @property
    def _other_outputs(self) -> tuple[str | None, ...]:
        """Where lines beside translations go, as they are named."""
        told = self.decoder
        return told.alignment, told.n_best and told.n_best.file, told.search_graph

    @property
    def named_outputs(self) -> tuple[str, ...]:
        """The files that are written beside ``output``, as options or the moses.ini name them."""
        return tuple(file for file in self._other_outputs if file and file != "-")

    @property
    def named_folders(self) -> tuple[str, ...]:
        """The folders that are written beside that of ``forests``."""
        texts = self.forest_outputs.texts
        return (texts.folder,) if texts else ()

    @property
    def forest_outputs(self) -> ForestOutputs:
        """Where forests are written to. Raises UsageError for a density without any."""
        texts = self.decoder.hypergraphs
        outputs = ForestOutputs(self.forests, self.overwrite, texts, self.source or "-")
        if self.forest_density is not None and not outputs.wanted:
            raise UsageError(
                "--forest-density has no effect without forests; pass --forests as well"
            )
        return outputs

    @property
    def named_inputs(self) -> tuple[str, ...]:
        """The files that are read, as options or the moses.ini name them."""
        return tuple(map(str, self.decoder.config.files))

    @property
    def source(self) -> str | None:
        """What is translated. Raises UsageError where it is named twice."""
        if self.input and self.input_file:
            raise UsageError(
                f"INPUT {self.input} and --input-file {self.input_file} exclude each other; pass "
                "one of them"
            )
        return self.input or self.input_file

    @cached_property
    def decoder(self) -> MosesDecoder:
        """The decoder and its outputs: those of the moses.ini, with what is given here.

        Raises UsageError for what is no list, and what goes together with nothing; errors as
        :meth:`system` does.
        """
        if self.prefix and self.constraint:
            raise UsageError("--prefix and --constraint exclude each other; pass one of them")
        told = self.system()
        n_best = self._list()
        if n_best is None and told.n_best:
            chosen_output(None, told.n_best.file, self.config)
            n_best = told.n_best
        if n_best and self.all_derivations:
            n_best = n_best._replace(distinct=False)
        return replace(
            told,
            threads=self.common.threads or told.threads or DEFAULT_THREADS,
            n_best=n_best,
            segmentation=self.segmentation or told.segmentation,
            alignment=chosen_output(self.alignment, told.alignment, self.config),
            search_graph=chosen_output(self.search_graph, told.search_graph, self.config),
            hypergraphs=self._hypergraphs(told),
            list_segmentation=self.n_best_segmentation or told.list_segmentation,
            list_alignment=self.n_best_alignment or told.list_alignment,
        )

    def _hypergraphs(self, told: MosesDecoder) -> HypergraphFiles | None:
        """The folder of hypergraphs, None for none. Raises UsageError as chosen_output does."""
        if not self.hypergraphs:
            if told.hypergraphs:
                chosen_output(None, told.hypergraphs.folder, self.config)
            return told.hypergraphs
        return parse_words("--hypergraphs", self.hypergraphs, HypergraphFiles.parse)

    def _list(self) -> NBestFile | None:
        """The n-best list, None for none. Raises UsageError for anything but a file and a size."""
        if self.n_best_list:
            if self.n_best:
                raise UsageError("--n-best and --n-best-list exclude each other; pass one of them")
            return parse_words("--n-best-list", self.n_best_list, NBestFile.parse)
        if not self.n_best:
            return None
        file, _, size = self.n_best.rpartition(":")
        try:
            return NBestFile.parse((file, size, "distinct") if file else ())
        except ValueError:
            raise UsageError(
                f"--n-best must be FILE:SIZE with SIZE between 1 and {MAX_HYPOTHESES}, got "
                f"{self.n_best!r}"
            ) from None


def run(options: DecodeOptions, console: Console) -> None:
    """Translate text, one line out per line in."""
    told = options.decoder
    only_saves = options.save is not None and options.source is None
    outputs = () if only_saves else options.line_outputs
    options.forest_outputs.check()
    if told.ignored:
        ignored = ", ".join(f"[{name}]" for name in told.ignored)
        one = len(told.ignored) == 1
        sections, they = ("section", "it does") if one else ("sections", "they do")
        console.info(
            f"{options.config}: the {sections} {ignored} {'is' if one else 'are'} ignored, because "
            f"{they} not affect translations"
        )
    threads = told.threads or DEFAULT_THREADS
    if options.save is not None:
        _save(told, options.save, overwrite=options.overwrite)
        if told.config.templates:
            warn(
                f"state templates are not saved in {options.save}; pass --state-templates again "
                f"with --phrase-table {options.save}"
            )
        if only_saves:
            return
        told = replace(told, config=replace(told.config, phrase_table=Path(options.save)))
    _translate(options, told, outputs, threads, console)


def _save(told: MosesDecoder, folder: str, *, overwrite: bool) -> None:
    """Write the models, and the table's bins with them."""
    MODELS_FORMAT.check_replaceable(folder, overwrite)
    binning, models = bins_of(told.config.phrase_table), told.config.models()
    save_models(models, folder, overwrite=overwrite, binning=binning)


def _translate(
    options: DecodeOptions,
    told: MosesDecoder,
    outputs: Sequence[str | None],
    threads: int,
    console: Console,
) -> None:
    """Translate the input. outputs: where lines go"""
    file = options.source or "-"
    blocks = sentence_blocks(file, most=BLOCK * threads, lowercase=options.lowercase)
    sentences = None
    if file != "-" and not told.config.is_saved:
        blocks, sentences = _first_sentences(blocks)
    decoder = told.config.open(sentences)
    weights = told.config.read_weights(decoder)
    check = WordCheck(told.config, decoder, file, is_filtered=sentences is not None)
    if sentences is not None:
        check.add(sentences)
        check.tell()
    required = RequiredFiles(options.prefix, options.constraint, options.fixed_translations)
    asked = required.lines() if required != RequiredFiles() else None
    maker = _forest_maker(options, decoder, weights)
    forest = maker.forest if maker else None
    search = Search(decoder, weights, told.n_best, file, asked, options.fixed_translations, forest)
    text = segmented_line if told.segmentation else Decoder.text
    hypotheses = _hypothesis_lines(decoder, told, by_moses=options.config is not None)
    number = untranslated = 0
    shown = shown_beside("-" if "-" in outputs else options.output, console)
    with (
        open_outputs(*outputs) as (texts, links, lists, graphs),
        options.forest_outputs.open(maker.space if maker else ()) as forests,
        _progress(shown, sentences) as advance,
    ):
        for block in blocks:
            check.add(block)
            for found, best, graph in search.translations(block, number + 1, threads):
                texts(text(decoder, best, 0) if len(best) else "" for _ in range(1))
                links(link_line(decoder, best) if len(best) else "" for _ in range(1))
                lists(hypotheses.lines(number, best))
                graphs(search_graph_lines(decoder, found, number))
                forests(graph)
                number += 1
                untranslated += len(best) == 0
                advance(1)
        search.end(number)
    check.tell()
    if untranslated:
        warn(
            f"{untranslated:,} of {pluralize(number, 'sentence')} "
            f"{'has' if untranslated == 1 else 'have'} no translation that meets the requirements; "
            "the output lines are empty. Raise --stack-size, --table-limit or --distortion-limit"
        )


def _forest_maker(options: DecodeOptions, decoder: Decoder, weights: Weights) -> ForestMaker | None:
    """What makes forests, under the names that hypotheses have; None where none are wanted."""
    if not options.forest_outputs.wanted:
        return None
    groups = options.decoder.config.groups(decoder) if options.config is not None else None
    return ForestMaker.of(decoder, weights, groups, options.forest_density)


def _first_sentences(
    blocks: Iterator[Sentences],
) -> tuple[Iterator[Sentences], Sentences | None]:
    """The same blocks, and all of their sentences if there are not too many."""
    read: list[Sentences] = []
    for block in blocks:
        read.append(block)
        if sum(map(len, read)) > MAX_FILTERED:
            return chain(read, blocks), None
    return iter(read), list(chain.from_iterable(read))


def _hypothesis_lines(decoder: Decoder, told: MosesDecoder, *, by_moses: bool) -> HypothesisLines:
    """Lines under the decoder's names, or those of the moses.ini and without what isn't tuned."""
    groups = None
    if by_moses:
        groups = {
            name: features
            for name, features in told.config.groups(decoder).items()
            if features[0] not in FIXED_FEATURES
        }
    return HypothesisLines(decoder, groups, told.list_segmentation, told.list_alignment)


def _progress(console: Console, sentences: Sentences | None) -> AbstractContextManager[Advance]:
    """How many sentences are done, of how many where that is known; nothing to who types them."""
    if sentences is None and sys.stdin is not None and sys.stdin.isatty():
        return nullcontext(pass_over)
    if sentences is None:
        return console.rows("decoding")
    return console.progress("decoding", len(sentences))


def _next_step(options: DecodeOptions) -> Sequence[str]:
    if options.forests:
        return ["tune", "--forests", options.forests, "--refs", "REF", "-o", "weights.json"]
    lists = options.decoder.n_best
    if lists is not None and lists.file != "-":
        return ["tune", lists.file, "--refs", "REF", "-o", "weights.json"]
    return ["score", options.output or "TRANSLATION", "--refs", "REF"]


COMMAND = Command(
    DecodeOptions,
    run,
    (
        "isogloss decode test.en --phrase-table rich.gz --lm lm.arpa.gz --weights w.json -o out",
        "isogloss decode -f moses.ini -n-best-list list.gz 100 distinct < test.en > out",
    ),
    next_step=_next_step,
    first={
        "models": ("phrase_table", "lm", "reordering", "config", "weights"),
        "search": ("stack_size", "distortion_limit", "pop_limit"),
        "output": ("output", "n_best", "alignment", "save"),
        "running": ("lowercase", "threads", "quiet"),
    },
)
