"""The program: `isogloss COMMAND ...`."""

import argparse
import os
import sys
from collections.abc import Callable, Sequence

from align.errors import IsoglossError, UsageError
from align.files.writers import naming_output
from align.kernel_cache import advice
from align.text.bitext_formats import BITEXT_FORMATS
from features.extraction.count_features import COUNT_FEATURES
from features.extraction.domain_scores import LabelFeature
from features.extraction.reordering import ADAGRAD_PRO
from features.pruning.prune import UNSEEN
from features.table.feature_list import FEATURE_LIMIT
from features.table.grammars import TABLE_FORMATS
from features.table.scales import SCALES
from tune.methods import OPTIMIZERS
from tune.metrics import METRICS
from tune.metrics.bleu import DOCUMENTS, REFERENCE_LENGTHS, SMOOTHINGS
from tune.weights.formats import WEIGHT_FORMATS

from .. import __version__
from ..comparison import COMPARISON_FORMATS
from ..console import Console, prepare_streams
from . import (
    commands,
    compare_commands,
    extract_commands,
    feature_commands,
    plot_commands,
    prune_commands,
    rerank_commands,
    tune_commands,
    weights_commands,
)
from .tune_options import add_method_options

__all__ = ["build_parser", "main"]

Handler = Callable[[argparse.Namespace, Console], None]
_Add = Callable[[argparse.ArgumentParser], None]


def _common() -> argparse.ArgumentParser:
    common = argparse.ArgumentParser(add_help=False)
    threads = min(2, os.cpu_count() or 1)
    group = common.add_argument_group("for every command")
    group.add_argument("--seed", type=int, default=1, help="random seed (default: 1)")
    group.add_argument(
        "--threads",
        type=_positive,
        default=threads,  # told here, as nested commands have no default of their own
        help=f"threads; they never change a result (default: {threads})",
    )
    group.add_argument("-q", "--quiet", action="store_true", help="only warnings and errors")
    group.add_argument("-v", "--verbose", action="store_true", help="a line per iteration")
    return common


def _positive(text: str) -> int:
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError(f"{text} is below 1")
    return value


def _natural(text: str) -> int:
    value = int(text)
    if value < 0:
        raise argparse.ArgumentTypeError(f"{text} is below 0")
    return value


def _size(text: str) -> int:
    """Bytes of 500M, 12G and the like."""
    number, unit = text.rstrip("bB").strip(), 1
    if number and number[-1].upper() in "KMGT":
        unit, number = 1024 ** ("KMGT".index(number[-1].upper()) + 1), number[:-1]
    try:
        value = int(float(number) * unit)
    except (ValueError, OverflowError):
        raise argparse.ArgumentTypeError(f"{text!r}; expected a size such as 12G") from None
    if value < 1:
        raise argparse.ArgumentTypeError(f"{text} is below 1 byte")
    return value


def _bitext(parser: argparse.ArgumentParser, needed: bool = True) -> None:
    """SRC TGT, or one file that holds both sides."""
    parser.add_argument(
        "source",
        metavar="SRC",
        nargs=None if needed else "?",
        help="source text, or a bitext in one file; - is stdin",
    )
    parser.add_argument(
        "target", metavar="TGT", nargs="?", help="target text, line-aligned with SRC"
    )
    parser.set_defaults(trailing=("source", "target"))
    parser.add_argument("--lowercase", action="store_true", help="lowercase both sides")
    group = parser.add_argument_group("a bitext in one file")
    group.add_argument(
        "--format",
        choices=BITEXT_FORMATS,
        help="lines `source ||| target`, 2 or 3 columns, JSON objects, TMX (default: by content)",
    )
    group.add_argument("--langs", metavar="en-es", help="its languages, source first (TMX, JSON)")


def _output(parser: argparse.ArgumentParser, what: str = "result") -> None:
    parser.add_argument("-o", "--output", metavar="FILE", help=f"{what} (default: stdout)")


def _extract(parser: argparse.ArgumentParser) -> None:
    _bitext(parser)
    parser.add_argument(
        "links", metavar="LINKS", nargs="?", help="default: the third column of SRC, a TSV"
    )
    parser.set_defaults(trailing=("target", "links"))
    parser.add_argument("-o", "--output", metavar="TABLE", required=True, help="- is stdout")
    parser.add_argument(
        "--max-length", type=int, default=7, help="words of a phrase, 1 to 8 (default: 7)"
    )
    parser.add_argument(
        "--smoothing",
        default="none",
        help="of p(f|e) and p(e|f): none, good-turing, kneser-ney or modified-kneser-ney, which "
        "is Moses' --KneserNey (default: none)",
    )
    parser.add_argument(
        "--count-features",
        metavar="NAME,NAME",
        default="",
        help=f"scores besides the four: {', '.join(COUNT_FEATURES)}",
    )
    for sparse in ("", "sparse-"):
        parser.add_argument(
            f"--{sparse}count-bins",
            metavar="N,N",
            help=f"{'sparse' if sparse else 'dense'} indicators of c(f,e) up to each limit, "
            f"such as 1,2,3,5: Moses' --{'Sparse' if sparse else ''}CountBinFeature",
        )
    parser.add_argument(
        "--dense",
        action="store_true",
        help="the dense features of Green et al. (2013): PhrasePenalty, RuleCount, UniqueRule, and "
        f"the reordering table {ADAGRAD_PRO}",
    )
    parser.add_argument(
        "--lexical", metavar="PREFIX", help="write the lexical tables PREFIX.f2e and PREFIX.e2f"
    )
    parser.add_argument(
        "--max-memory",
        type=_size,
        default="450M",
        metavar="SIZE",
        help="phrase pairs are counted in parts, so that the program takes about this; it can't "
        "do with less than 300M and 30 bytes per word (default: %(default)s)",
    )
    parser.add_argument("--tmpdir", metavar="DIR", help="for the parts (default: the system's)")
    group = parser.add_argument_group("lexicalised reordering")
    group.add_argument(
        "--reordering",
        metavar="MODEL[=FILE]",
        action="append",
        default=[],
        help="such as wbe-msd-bidirectional-fe (default file: reordering-table.MODEL beside TABLE)",
    )
    group.add_argument(
        "--reordering-smoothing", type=float, default=0.5, metavar="X",
        help="added to the count of each class (default: %(default)s)",
    )  # fmt: skip
    group.add_argument(
        "--orientations",
        choices=("moses", "definition"),
        default="moses",
        help="as Moses tells them, which misses most blocks that follow, or as Galley & Manning "
        "(2008) define them (default: %(default)s)",
    )
    group.add_argument(
        "--smooth-with-counts",
        action="store_true",
        help="deal it out as the counts of the whole table are",
    )
    group = parser.add_argument_group("domains")
    group.add_argument(
        "--model", metavar="DIR", help="aligner model: scores conditioned on its domains"
    )
    group.add_argument("--posteriors", metavar="FILE", help="the same from P(domain) of each pair")
    group.add_argument(
        "--domain-smoothing", type=float, default=1.0, metavar="M",
        help="counts dealt out by the general probability (default: %(default)s)",
    )  # fmt: skip
    group.add_argument(
        "--instance-weights", metavar="FILE", help="what each sentence pair counts, one per line"
    )
    group.add_argument("--labels", metavar="FILE", help="domain name, or -, of each pair")
    group.add_argument(
        "--label-features",
        metavar="NAME",
        action="append",
        choices=[*LabelFeature],
        default=[],
        help=f"of the labels a rule was seen with: {', '.join(LabelFeature)}",
    )
    _new_features(parser)
    _export(parser.add_argument_group("for a decoder"))


def _new_features(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("features")
    group.add_argument(
        "--add", default="", metavar="SPEC,...", help="sparse templates: pt,al; docs/templates.md"
    )
    for side in ("source", "target"):
        group.add_argument(
            f"--{side}-classes", metavar="FILE", help="word classes for classes= of templates"
        )
    group.add_argument(
        "--discretize",
        metavar="NAME:BITS",
        action="append",
        default=[],
        help="replace a score by indicators of 2^BITS bins of even population, which go to "
        "TABLE.bins.json; also NAME:BITS:overlap=N, :extend=N, :keep",
    )
    group.add_argument("--keep", action="store_true", help="keep discretised scores as well")
    group.add_argument(
        "--population",
        default="rules",
        metavar="rules|tokens|FILE",
        help="what fills the bins: each rule once, as often as it was extracted, or as a file "
        "`source ||| target ||| count` says (default: %(default)s)",
    )
    group.add_argument("--bins", metavar="FILE", help="bins learned before, in place of new ones")


def _export(group: argparse._ArgumentGroup) -> None:
    group.add_argument(
        "--export",
        metavar="DIR",
        help="also write features.tsv (rules of each feature), weights.txt and a moses.ini to "
        "begin with",
    )
    group.add_argument(
        "--feature-limit",
        type=_positive,
        default=FEATURE_LIMIT,
        metavar="N",
        help="sparse features to count there; takes about 200 bytes each (default: %(default)s)",
    )


def _features(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("table", metavar="TABLE", help="- is stdin")
    parser.add_argument("-o", "--output", metavar="TABLE", required=True, help="- is stdout")
    _new_features(parser)
    group = parser.add_argument_group("features of domains")
    group.add_argument("--model", metavar="DIR", help="aligner model, for domain features")
    group.add_argument("--domains", help="domains to add a feature for (default: all)")
    group = parser.add_argument_group("rules to keep")
    group.add_argument("--filter-for", metavar="FILE", help="only rules that this text can use")
    group.add_argument("--lowercase", action="store_true", help="lowercase that text")
    group.add_argument(
        "--max-length",
        type=_positive,
        default=8,
        metavar="N",
        help="longest source phrase to look for in it (default: %(default)s)",
    )
    group.add_argument(
        "--limit",
        "--max-per-source",
        type=int,
        default=0,
        metavar="N",
        help="the N rules of each source phrase with the highest p(e|f)",
    )
    group.add_argument(
        "--ratio",
        "--threshold",
        type=float,
        default=0.0,
        metavar="R",
        help="rules whose p(e|f) is at least R times that of the best one of their source phrase",
    )
    group.add_argument(
        "--min-count", type=float, default=0.0, metavar="C", help="least c(f, e) of a rule"
    )
    group = parser.add_argument_group("files")
    forms, scales = tuple(TABLE_FORMATS), tuple(SCALES)
    group.add_argument("--format", choices=forms, default="moses", help="of the table to read")
    group.add_argument("--to", choices=forms, help="of the table to write (default: the same)")
    group.add_argument(
        "--scale",
        choices=scales,
        help="what the numbers that are read are of the scores (default: by format)",
    )
    group.add_argument(
        "--unsorted", action="store_true", help="sort the table in memory, instead of an error"
    )
    _export(group)


def _decode(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("input", metavar="INPUT", help="one sentence per line; - is stdin")
    parser.add_argument(
        "--phrase-table", metavar="FILE", required=True, help="in Moses' format, plain or gz"
    )
    parser.add_argument("--lm", metavar="FILE", required=True, help="ARPA, plain or gz")
    parser.add_argument("--weights", metavar="FILE", help="default: Moses' starting weights")
    _output(parser, "translations")
    parser.add_argument("--n-best", metavar="FILE:SIZE", help="n-best list in Moses' format")
    _search(parser)
    parser.add_argument("--lowercase", action="store_true", help="lowercase the input")


def _search(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--stack-size", type=int, default=100, help="hypotheses per stack (default: %(default)s)"
    )
    parser.add_argument(
        "--distortion-limit", type=int, default=6, help="longest jump (default: %(default)s)"
    )
    parser.add_argument(
        "--table-limit", type=int, default=20, help="rules per phrase (default: %(default)s)"
    )


def _tune(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "nbest", metavar="NBEST", nargs="*", help="n-best lists: Moses', cdec's, JSONL"
    )
    parser.add_argument(
        "--refs", metavar="REF", nargs="+", default=[], help="references (JSONL has its own)"
    )
    parser.add_argument(
        "--score-files",
        metavar="FILE",
        nargs="+",
        default=[],
        help="Moses's SCORESTAT files, where NBEST are its FEATSTAT files",
    )
    parser.add_argument(
        "--optimizer",
        choices=tuple(OPTIMIZERS),
        default="adagrad-pro",
        help="; ".join(f"{one.name}: {one.line}" for one in OPTIMIZERS.values())
        + " (default: %(default)s)",
    )
    _metric(parser)
    parser.add_argument("-o", "--output", metavar="WEIGHTS", help="default: stdout, or --out's")
    parser.add_argument("-w", "--weights", metavar="FILE", help="weights to start from")
    parser.add_argument(
        "--lowercase",
        action="store_true",
        help="lowercase hypotheses (with --decoder, the source) and references",
    )
    group = parser.add_argument_group("what the gain is worth, and what is kept")
    group.add_argument(
        "--folds",
        type=_natural,
        default=5,
        metavar="K",
        help="folds of sentences: each is judged by weights that had no part of it, and the first "
        "chooses the epoch and run to keep; 0 = learn from all (default: %(default)s)",
    )
    group.add_argument(
        "--runs", type=_positive, default=1, metavar="N", help="trainings with other seeds"
    )
    group.add_argument(
        "--trials", type=_positive, default=1000, help="of both tests (default: %(default)s)"
    )
    group.add_argument(
        "--held-out", metavar="NBEST", nargs="+", default=[], help="lists that choose instead"
    )
    group.add_argument(
        "--held-out-refs",
        metavar="REF",
        nargs="+",
        default=[],
        help="references of --held-out (JSONL has its own)",
    )
    group = parser.add_argument_group("a folder of the run")
    group.add_argument("--out", metavar="FOLDER", help="manifest, epochs, weights, report")
    group.add_argument("--resume", action="store_true", help="go on with an interrupted run")
    group.add_argument("--overwrite", action="store_true", help="start again in FOLDER")
    _mapped(parser)
    group = parser.add_argument_group("with the decoder in the loop")
    group.add_argument("--decoder", metavar="CONFIG.toml", help="tune with this decoder instead")
    group.add_argument("--dev", metavar="SRC", help="source text for --decoder")
    group.add_argument(
        "--nbest-size",
        type=_positive,
        default=100,
        metavar="N",
        help="hypotheses per sentence that it gives (default: %(default)s)",
    )
    add_method_options(parser)


def _mapped(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("lists larger than memory")
    group.add_argument(
        "--max-memory",
        type=_size,
        metavar="SIZE",
        help="bring them in order on disk, with so much memory at a time, and map them",
    )
    group.add_argument("--tmpdir", metavar="DIR", help="where (default: the system's)")


def _metric(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--metric", default="bleu", help=f"{', '.join(METRICS)} (default: %(default)s)"
    )
    parser.add_argument(
        "--bleu-smoothing", choices=SMOOTHINGS, help="of sentence BLEU (default: lin-och)"
    )
    parser.add_argument(
        "--reference-length", choices=REFERENCE_LENGTHS, help="of BLEU (default: closest)"
    )
    parser.add_argument(
        "--oracle-document",
        choices=DOCUMENTS,
        help="whose gains within it mira takes for BLEU (default: cherry-foster)",
    )


def _repeat(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("folder", metavar="FOLDER", help="of a run of `isogloss tune --out`")
    parser.add_argument("--out", metavar="NEW", required=True, help="folder for the new run")
    parser.add_argument("--resume", action="store_true", help="go on with an interrupted one")
    parser.add_argument("--overwrite", action="store_true", help="start again in NEW")
    _mapped(parser)


def _rerank(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("nbest", metavar="NBEST", nargs="+", help="Moses', cdec's, JSONL")
    parser.add_argument(
        "-w",
        "--weights",
        metavar="FILE",
        required=True,
        help="weights that tuning has written, `NAME value` lines or moses.ini",
    )
    parser.add_argument(
        "--sorted", action="store_true", help="write the lists instead, re-scored, best first"
    )
    parser.add_argument(
        "-n", "--n-best", type=_positive, metavar="N", help="hypotheses kept, with --sorted"
    )
    parser.add_argument(
        "--sentences",
        type=_positive,
        metavar="N",
        help="lines of the source, where the last ones may have no hypothesis; ids lie below N",
    )
    _mapped(parser)
    _output(parser, "best hypotheses, one line per sentence")


def _references(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--refs", metavar="REF", nargs="+", required=True, help="references")
    parser.add_argument("--lowercase", action="store_true", help="lowercase outputs and references")
    parser.add_argument(
        "--metric",
        metavar="NAME,...",
        default="bleu",
        help=f"of {', '.join(compare_commands.METRICS_OF_TEXT)} (default: %(default)s)",
    )


def _score(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("hypotheses", metavar="HYP", help="translations, one per line; - is stdin")
    _references(parser)
    parser.add_argument("--json", action="store_true", help="scores and signatures as JSON")


def _compare(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "systems",
        metavar="SYSTEM",
        nargs="+",
        help="FILE, or NAME=FILE,FILE,... for runs with other seeds (also a folder or a pattern); "
        "the first system is the baseline",
    )
    _references(parser)
    parser.add_argument(
        "--test",
        choices=compare_commands.TESTS,
        default="both",
        help="paired bootstrap, approximate randomisation (default: %(default)s)",
    )
    parser.add_argument(
        "--trials",
        type=_positive,
        default=compare_commands.TRIALS,
        metavar="N",
        help="of each test (default: %(default)s)",
    )
    parser.add_argument(
        "--format", choices=COMPARISON_FORMATS, default="text", help="default: %(default)s"
    )
    _output(parser, "table")


def _prune(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("table", metavar="TABLE", help="phrase table to read")
    _bitext(parser, needed=False)
    parser.add_argument(
        "-o", "--output", metavar="TABLE", required=True, help="the rules that stay"
    )
    parser.add_argument(
        "-l",
        "--significance",
        metavar="T",
        help="with SRC TGT, the text that the table was extracted from: rules of at least this "
        "-log p (natural log); a+e drops what is seen once of phrases seen once, a-e keeps it "
        f"(default: {prune_commands.SIGNIFICANCE})",
    )
    parser.add_argument(
        "--unseen",
        choices=UNSEEN,
        default="error",
        help="what becomes of rules that no pair of that text holds (default: %(default)s)",
    )
    parser.add_argument(
        "-n", "--n-best", type=_natural, default=0, metavar="N", help="rules per source phrase"
    )
    parser.add_argument(
        "--ratio",
        type=float,
        default=0.0,
        metavar="R",
        help="rules of at least R times the score of the best one of their source phrase",
    )
    parser.add_argument(
        "--rank-by",
        metavar="NAME",
        default="p(e|f)",
        help="score for these two (default: %(default)s)",
    )
    parser.add_argument("--weights", metavar="FILE", help="instead, the model score by weights")
    parser.add_argument(
        "--min-score", metavar="NAME:X", action="append", default=[], help="least value of a score"
    )
    parser.add_argument(
        "--min-count", type=float, default=0.0, metavar="C", help="least c(f, e) of a rule"
    )
    parser.add_argument("--unsorted", action="store_true", help="sort the table in memory first")


def _actions(
    parser: argparse.ArgumentParser, name: str, actions: dict[str, tuple[_Add, str]]
) -> None:
    """Commands of a command, each with its options and those of every command."""
    shared = _common()
    for action in shared._actions:
        action.default = argparse.SUPPRESS  # what stands before the name holds
    subparsers = parser.add_subparsers(dest=name, metavar=name.upper(), required=True)
    for one, (add, line) in actions.items():
        text = line[0].upper() + line[1:] + "."
        add(subparsers.add_parser(one, help=line, description=text, parents=[shared]))


def _plot(parser: argparse.ArgumentParser) -> None:
    _actions(
        parser,
        "what",
        {
            "weights": (_plot_weights, "learned weights of a discretised score by its values"),
            "tuning": (_plot_tuning, "score and active features by epoch"),
            "surface": (_plot_surface, "the metric by the weight of one feature"),
            "l1-path": (_plot_l1_path, "weights by strength of L1"),
        },
    )


def _image(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("-o", "--output", metavar="FILE", required=True, help=".png, .svg or .pdf")


def _plot_weights(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("weights", metavar="WEIGHTS", help="weights that tuning has written")
    parser.add_argument("bins", metavar="BINS", help="TABLE.bins.json, beside the table")
    parser.add_argument("--feature", metavar="NAME", help="discretised score (default: the one)")
    parser.add_argument("--log-scale", action="store_true", help="logarithmic axis of values")
    _image(parser)


def _plot_tuning(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "runs", metavar="RUN", nargs="+", help="folder of a tuning run, or its epochs.jsonl"
    )
    _image(parser)


def _plot_surface(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("nbest", metavar="NBEST", nargs="+", help="Moses', cdec's, JSONL")
    parser.add_argument(
        "--refs", metavar="REF", nargs="+", default=[], help="where the lists hold none"
    )
    parser.add_argument("--metric", default="bleu", help=f"{', '.join(METRICS)} (default: bleu)")
    parser.add_argument("--weights", metavar="FILE", required=True, help="all other weights")
    parser.add_argument("--feature", metavar="NAME", required=True, help="whose weight changes")
    parser.add_argument(
        "--range",
        metavar="LOW:HIGH",
        help="weights to show, also --range=-1:2 (default: where most changes are)",
    )
    parser.add_argument(
        "--lowercase", action="store_true", help="lowercase hypotheses and references"
    )
    _image(parser)


def _plot_l1_path(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "weights",
        metavar="LAMBDA=WEIGHTS",
        nargs="+",
        help="weights learned with this strength, or the folder of the run",
    )
    parser.add_argument(
        "--top", type=_natural, default=8, metavar="N",
        help="features to name, the largest ones (default: %(default)s)",
    )  # fmt: skip
    _image(parser)


def _weights(parser: argparse.ArgumentParser) -> None:
    _actions(
        parser,
        "action",
        {
            "convert": (_weights_convert, "write weights in the form of another program"),
            "show": (_weights_show, "counts and mass by template, largest weights"),
        },
    )


def _weights_convert(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("weights", metavar="WEIGHTS", help="JSON, text or moses.ini; - is stdin")
    _output(parser)
    parser.add_argument(
        "--to",
        choices=WEIGHT_FORMATS,
        help="default: JSON to stdout and where FILE ends in .json, else `NAME value` lines",
    )
    parser.add_argument(
        "--ini",
        metavar="MOSES.INI",
        help="write this moses.ini with the weights in place of its own; sparse ones go to "
        "FILE.sparse-weights",
    )


def _weights_show(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("weights", metavar="WEIGHTS", help="JSON, text or moses.ini; - is stdin")
    parser.add_argument("--by-template", action="store_true", help="the largest of each template")
    parser.add_argument(
        "--template", metavar="NAME,...", help="only these, such as pt,al; dense = dense features"
    )
    parser.add_argument(
        "--top", type=_natural, default=10, metavar="N",
        help="features of each kind, 0 = all (default: %(default)s)",
    )  # fmt: skip
    parser.add_argument(
        "--list",
        metavar="NBEST",
        nargs="+",
        help="n-best lists: features that never fire there, and those that have no weight",
    )
    _rows(parser)


def _rows(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--format",
        choices=("text", "tsv", "json"),
        help="default: text on a terminal, else tsv",
    )
    _output(parser)


def _overlap(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("weights", metavar="WEIGHTS", nargs="+", help="two files or more")
    parser.add_argument("--template", metavar="NAME,...", help="only these, such as pt,al")
    parser.add_argument(
        "--contrast",
        metavar="A,B",
        help="instead, how many rules (pt, or --template) hold each of these words",
    )
    parser.add_argument(
        "--text",
        metavar="REF,...",
        nargs="+",
        help="with --contrast: references of each set, whose tokens are counted",
    )
    parser.add_argument("--lowercase", action="store_true", help="lowercase the references")
    _rows(parser)


# name: (handler, options, one line, two examples)
COMMANDS: dict[str, tuple[Handler, _Add, str, tuple[str, str]]] = {
    "extract": (
        extract_commands.extract, _extract, "extract and score phrase pairs",
        ("isogloss extract corpus.en corpus.es links -o phrase-table.gz",
         "isogloss extract corpus.en corpus.es links -o table.gz --max-length 5"),
    ),
    "features": (
        feature_commands.features, _features, "add features to a phrase table",
        ("isogloss features table.gz -o rich.gz --add pt,al --model m --filter-for dev.en",
         "isogloss features table.gz -o binned.gz --discretize 'p(e|f):4'"),
    ),
    "prune": (
        prune_commands.prune_table, _prune, "drop rules by significance, rank, score or count",
        ("isogloss prune table.gz corpus.en corpus.es -o small.gz --significance a+e",
         "isogloss prune table.gz -o small.gz --n-best 20 --ratio 0.001 --min-count 2"),
    ),
    "decode": (
        commands.decode, _decode, "translate text",
        ("isogloss decode test.en --phrase-table rich.gz --lm lm.arpa.gz --weights w.json -o out",
         "isogloss decode test.en --phrase-table t.gz --lm lm.arpa --n-best list.gz:100 -o out"),
    ),
    "tune": (
        tune_commands.tune, _tune,
        "learn weights from n-best lists, or with the decoder in the loop",
        ("isogloss tune list1.gz list2.gz --refs ref0 ref1 --optimizer mert -o weights.json",
         "isogloss tune lists.jsonl --metric chrf --runs 3 --out run"),
    ),
    "rerun": (
        tune_commands.rerun, _repeat, "repeat a tuning run from its folder, byte for byte",
        ("isogloss rerun run --out again", "isogloss rerun run --out again --resume"),
    ),
    "rerank": (
        rerank_commands.rerank, _rerank, "pick the best hypotheses of n-best lists",
        ("isogloss rerank list.gz --weights weights.json -o best.txt",
         "isogloss rerank lists.jsonl --weights weights.json --sorted -o sorted.jsonl"),
    ),
    "score": (
        compare_commands.score, _score, "score translations against references",
        ("isogloss score out.txt --refs ref0 ref1 --metric bleu,chrf,ter",
         "isogloss score out.txt.gz --refs ref0 --json"),
    ),
    "compare": (
        compare_commands.compare, _compare, "say whether systems differ by more than chance",
        ("isogloss compare baseline.txt new.txt --refs ref0 ref1 --metric bleu,chrf",
         "isogloss compare base=b1.txt,b2.txt new=n1.txt,n2.txt --refs ref0 --format latex"),
    ),
    "weights": (
        weights_commands.weights, _weights, "convert weights between programs, or look at them",
        ("isogloss weights convert weights.json --ini moses.ini -o tuned.ini",
         "isogloss weights show weights.json --by-template --list list.gz"),
    ),
    "overlap": (
        weights_commands.overlap, _overlap, "active features that sets of weights have in common",
        ("isogloss overlap a.json b.json --template pt",
         "isogloss overlap a.json b.json --contrast program,programme --text a.en b.en"),
    ),
    "plot": (
        plot_commands.plot, _plot, "draw weights, tuning runs, the metric along a direction",
        ("isogloss plot weights weights.json rich.bins.json --feature 'p(e|f)' -o weights.svg",
         "isogloss plot tuning run1 run2 -o tuning.svg"),
    ),
}  # fmt: skip


def build_parser() -> argparse.ArgumentParser:
    """The whole command line."""
    parser = argparse.ArgumentParser(
        prog="isogloss",
        description="Word alignment, phrase features and tuning for bitexts of mixed domains.",
        epilog="examples:\n  isogloss demo --out demo-out\n"
        "  isogloss align corpus.en corpus.es --model m -o links",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"isogloss {__version__}")
    subparsers = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    common = _common()
    for name, (handler, add, line, examples) in COMMANDS.items():
        own = subparsers.add_parser(
            name,
            help=line,
            description=line[0].upper() + line[1:] + ".",
            epilog="examples:\n" + "\n".join(f"  {example}" for example in examples),
            formatter_class=argparse.RawDescriptionHelpFormatter,
            parents=[common],
        )
        add(own)
        own.set_defaults(handler=handler)
    return parser


def _parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    """Options of a command line.

    Many versions of argparse take an optional positional for missing where an option stands before
    it: in `SRC -o LINKS TGT` the target is left over, and put in its place here.
    """
    parser = build_parser()
    options, rest = parser.parse_known_args(arguments)
    for name in getattr(options, "trailing", ()):
        if rest and getattr(options, name) is None and (rest[0] == "-" or rest[0][:1] != "-"):
            setattr(options, name, rest.pop(0))
    if rest:
        parser.error(f"unrecognized arguments: {' '.join(rest)}")
    return options


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; returns 0, 1 (data or run error), 2 (usage) or 130 (interrupted)."""
    prepare_streams()
    try:
        options = _parse(arguments)
    except SystemExit as stop:
        return int(stop.code or 0)
    console = Console(-1 if options.quiet else 1 if options.verbose else 0)
    try:
        with console.warnings():
            options.handler(options, console)
            with naming_output():
                sys.stdout.flush()
    except BrokenPipeError:
        return _close_quietly()
    except KeyboardInterrupt:
        console.error(f"isogloss {options.command}: interrupted")
        return 130
    except Exception as error:
        message = _explained(error)
        if message is None:
            raise
        console.error(f"isogloss {options.command}: {message}")
        return 2 if isinstance(error, UsageError) else 1
    return 0


def _explained(error: Exception) -> str | None:
    """What to tell of an error that is no fault of the program, else None."""
    if isinstance(error, IsoglossError):
        return str(error)
    found = advice(error)
    if found is not None or isinstance(error, OSError):
        return found or str(error)
    if isinstance(error, MemoryError):
        return (
            "out of memory. `isogloss doctor` estimates what a bitext needs and finds sentences "
            "that are too long; align has --max-memory and --max-length"
        )
    return None


def _close_quietly() -> int:
    """The reader of our output went away; don't complain about it at exit either."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0
