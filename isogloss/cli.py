"""The program: `isogloss COMMAND ...`."""

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from typing import NoReturn

from align.errors import IsoglossError, UsageError
from align.symmetrize import HEURISTICS

from . import __version__, commands
from .console import Console

__all__ = ["build_parser", "main"]

Handler = Callable[[argparse.Namespace, Console], None]
_Add = Callable[[argparse.ArgumentParser], None]


def _common() -> argparse.ArgumentParser:
    common = argparse.ArgumentParser(add_help=False)
    group = common.add_argument_group("for every command")
    group.add_argument("--seed", type=int, default=1, help="random seed (default: 1)")
    group.add_argument(
        "--threads",
        type=_positive,
        default=min(2, os.cpu_count() or 1),
        help="threads; they never change a result (default: %(default)s)",
    )
    group.add_argument("-q", "--quiet", action="store_true", help="only warnings and errors")
    group.add_argument("-v", "--verbose", action="store_true", help="a line per iteration")
    return common


def _positive(text: str) -> int:
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError(f"{text} is below 1")
    return value


def _pair(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("source", metavar="SRC", help="source text, one sentence per line")
    parser.add_argument("target", metavar="TGT", help="target text, line-aligned with SRC")
    parser.add_argument("--lowercase", action="store_true", help="lowercase both sides")


def _output(parser: argparse.ArgumentParser, what: str = "result") -> None:
    parser.add_argument("-o", "--output", metavar="FILE", help=f"{what} (default: stdout)")


def _demo(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--out", default="isogloss-demo", help="folder (default: %(default)s)")
    _rerun(parser)


def _rerun(parser: argparse.ArgumentParser) -> None:
    group = parser.add_mutually_exclusive_group()
    group.add_argument("--resume", action="store_true", help="go on with a run that was stopped")
    group.add_argument("--overwrite", action="store_true", help="start again in a folder in use")


def _run(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("config", metavar="CONFIG.toml", help="see examples/ and docs/pipeline.md")
    parser.add_argument("--out", help="folder, instead of the configuration's")
    _rerun(parser)


def _align(parser: argparse.ArgumentParser) -> None:
    _pair(parser)
    _output(parser, "symmetrised links")
    parser.add_argument("--links", dest="output", metavar="FILE", help="same as -o")
    parser.add_argument("--labels", metavar="FILE", help="a domain name or - per pair")
    parser.add_argument(
        "--seed-sample",
        metavar="NAME=SRC,TGT",
        action="append",
        default=[],
        help="pairs known to be of a domain; may be given again",
    )
    parser.add_argument("--domains", help="names that the labels may hold, with commas between")
    parser.add_argument("--preset", choices=("paper", "best"), default="best")
    parser.add_argument("--model", metavar="DIR", help="keep the model in this new folder")
    parser.add_argument("--overwrite", action="store_true", help="replace the model folder")
    parser.add_argument("--forward", metavar="FILE", help="links that explain each source word")
    parser.add_argument("--reverse", metavar="FILE", help="links that explain each target word")
    parser.add_argument("--posteriors", metavar="FILE", help="P(domain) of each pair, TSV")
    _heuristic(parser)
    _threshold(parser)
    parser.add_argument(
        "--agreement",
        action="store_true",
        help="let the directions learn from the links they agree on (HMM stage)",
    )
    group = parser.add_argument_group("model (default: the preset's)")
    group.add_argument("--model1-iterations", type=int)
    group.add_argument("--hmm-iterations", type=int)
    group.add_argument("--null-probability", type=float)
    group.add_argument("--jump-smoothing", type=float)
    group.add_argument("--domain-smoothing", type=float)
    group.add_argument("--language-model-order", type=int)
    group.add_argument("--decoding-weights", choices=("side", "pair", "hard"))


def _heuristic(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--heuristic", default="grow-diag-final-and", choices=(*HEURISTICS, "intersect")
    )


def _threshold(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--posterior-threshold",
        type=float,
        metavar="T",
        help="links whose posterior, averaged over both directions, reaches T (try 0.5), instead "
        "of a heuristic on the best paths",
    )


def _apply(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("model", metavar="MODEL", help="folder that align --model wrote")
    _pair(parser)
    _output(parser, "links")
    _heuristic(parser)
    _threshold(parser)


def _symmetrize(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("forward", metavar="FORWARD")
    parser.add_argument("reverse", metavar="REVERSE", help="also as source-target positions")
    _heuristic(parser)
    _output(parser, "links")


def _evaluate(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("links", metavar="LINKS")
    parser.add_argument("gold", metavar="GOLD", help="i-j sure, ipj possible; 0-based")
    parser.add_argument("--skip", type=int, default=0, help="lines of LINKS before the text")
    parser.add_argument("--json", action="store_true")


def _lexicon(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("model", metavar="MODEL")
    parser.add_argument("--domain", help="default: all domains, averaged by their prior")
    parser.add_argument("--direction", choices=("s2t", "t2s"), default="s2t")
    parser.add_argument("--format", choices=("tsv", "moses"), default="tsv")
    parser.add_argument("--min-prob", type=float, default=1e-4)
    _output(parser)


def _extract(parser: argparse.ArgumentParser) -> None:
    _pair(parser)
    parser.add_argument("links", metavar="LINKS")
    parser.add_argument("-o", "--output", metavar="TABLE", required=True)
    parser.add_argument("--max-length", type=int, default=7)


def _features(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("table", metavar="TABLE")
    parser.add_argument("-o", "--output", metavar="TABLE", required=True)
    parser.add_argument("--add", default="", help="sparse templates: pt,al")
    parser.add_argument("--model", metavar="DIR", help="aligner model, for domain features")
    parser.add_argument("--domains", help="domains to add a feature for (default: all)")
    parser.add_argument(
        "--discretize",
        metavar="NAME:BITS",
        action="append",
        default=[],
        help="replace a score by indicators of 2^BITS bins of even population",
    )
    parser.add_argument("--keep", action="store_true", help="keep the discretised score as well")
    parser.add_argument("--filter-for", metavar="FILE", help="only rules that this text can use")
    parser.add_argument("--lowercase", action="store_true", help="lowercase that text")
    parser.add_argument("--limit", type=int, default=0, help="rules per source phrase")


def _language_model(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("text", metavar="TEXT")
    parser.add_argument("-o", "--output", metavar="ARPA", required=True)
    parser.add_argument("--order", type=int, default=3)
    parser.add_argument("--lowercase", action="store_true")


def _decode(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("input", metavar="INPUT")
    parser.add_argument("--phrase-table", metavar="FILE", required=True)
    parser.add_argument("--lm", metavar="FILE", required=True, help="ARPA, plain or gz")
    parser.add_argument("--weights", metavar="FILE", help="default: Moses' starting weights")
    _output(parser, "translations")
    parser.add_argument("--n-best", metavar="FILE:SIZE", help="n-best list in Moses' format")
    _search(parser)
    parser.add_argument("--lowercase", action="store_true")


def _search(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--stack-size", type=int, default=100)
    parser.add_argument("--distortion-limit", type=int, default=6)
    parser.add_argument("--table-limit", type=int, default=20)


def _tune(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("nbest", metavar="NBEST", nargs="*", help="n-best lists to tune on")
    parser.add_argument("--refs", metavar="REF", nargs="+", required=True)
    parser.add_argument("--decoder", metavar="CONFIG.toml", help="tune with this decoder instead")
    parser.add_argument("--dev", metavar="SRC", help="source text for --decoder")
    parser.add_argument("--optimizer", choices=("adagrad-pro",), default="adagrad-pro")
    parser.add_argument("--metric", choices=("bleu",), default="bleu")
    parser.add_argument("-o", "--output", metavar="WEIGHTS", help="default: stdout")
    parser.add_argument("--weights", metavar="FILE", help="weights to start from")
    parser.add_argument("--epochs", type=_positive, default=0)
    parser.add_argument("--nbest-size", type=_positive, default=100)
    parser.add_argument("--rate", type=float)
    parser.add_argument("--l1", type=float)
    parser.add_argument("--batch-size", type=int)
    parser.add_argument("--pairs", type=int)
    parser.add_argument("--gamma", type=int)
    parser.add_argument("--threshold", type=float)
    parser.add_argument("--loss", choices=("logistic", "hinge"))
    parser.add_argument("--lowercase", action="store_true", help="lowercase source and references")


def _rerank(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("nbest", metavar="NBEST", nargs="+")
    parser.add_argument("--weights", metavar="FILE", required=True)
    _output(parser, "best hypotheses, one line per sentence")


# name: (handler, options, one line, two examples)
COMMANDS: dict[str, tuple[Handler, _Add, str, tuple[str, str]]] = {
    "demo": (
        commands.demo, _demo, "run the whole pipeline on the bundled data",
        ("isogloss demo --out demo-out", "isogloss demo --out demo-out --resume"),
    ),
    "run": (
        commands.run, _run, "run the whole pipeline on the files of a configuration",
        ("isogloss run examples/en-es-medical.toml",
         "isogloss run examples/en-fr-hansards.toml --resume"),
    ),
    "align": (
        commands.align, _align, "learn word alignment from a bitext and align it",
        ("isogloss align corpus.en corpus.es --model m -o links",
         "isogloss align mix.en.gz mix.es.gz --seed-sample legal=law.en,law.es --posteriors p.tsv"),
    ),
    "apply": (
        commands.apply, _apply, "align other text with a learned model",
        ("isogloss apply m new.en new.es -o links",
         "isogloss apply m new.en new.es --heuristic intersection"),
    ),
    "symmetrize": (
        commands.symmetrize_files, _symmetrize, "combine the links of two directions",
        ("isogloss symmetrize forward reverse --heuristic grow-diag-final-and -o links",
         "isogloss symmetrize forward.gz reverse.gz --heuristic union"),
    ),
    "evaluate": (
        commands.evaluate_files, _evaluate, "precision, recall, F1 and AER against hand links",
        ("isogloss evaluate links gold", "isogloss evaluate links gold --skip 20000 --json"),
    ),
    "lexicon": (
        commands.lexicon, _lexicon, "write lexical translation probabilities",
        ("isogloss lexicon m --domain legal -o legal.tsv",
         "isogloss lexicon m --direction s2t --format moses -o lex.f2e"),
    ),
    "extract": (
        commands.extract, _extract, "extract and score phrase pairs",
        ("isogloss extract corpus.en corpus.es links -o phrase-table.gz",
         "isogloss extract corpus.en corpus.es links -o table.gz --max-length 5"),
    ),
    "features": (
        commands.features, _features, "add features to a phrase table",
        ("isogloss features table.gz -o rich.gz --add pt,al --model m --filter-for dev.en",
         "isogloss features table.gz -o binned.gz --discretize 'p(e|f):4'"),
    ),
    "lm": (
        commands.language_model, _language_model, "estimate a Kneser-Ney language model",
        ("isogloss lm corpus.es -o lm.arpa.gz --order 3", "isogloss lm corpus.es -o lm.arpa"),
    ),
    "decode": (
        commands.decode, _decode, "translate text",
        ("isogloss decode test.en --phrase-table rich.gz --lm lm.arpa.gz --weights w.json -o out",
         "isogloss decode test.en --phrase-table t.gz --lm lm.arpa --n-best list.gz:100 -o out"),
    ),
    "tune": (
        commands.tune, _tune, "learn weights from n-best lists, or with the decoder in the loop",
        ("isogloss tune list1.gz list2.gz --refs ref0 ref1 -o weights.json",
         "isogloss tune --decoder decoder.toml --dev dev.en --refs dev.es -o weights.json"),
    ),
    "rerank": (
        commands.rerank, _rerank, "pick the best hypotheses of n-best lists",
        ("isogloss rerank list.gz --weights weights.json -o best.txt",
         "isogloss rerank list.gz --weights weights.json > best.txt"),
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


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; returns 0, 1 (data or run error), 2 (usage) or 130 (interrupted)."""
    try:
        options = build_parser().parse_args(arguments)
    except SystemExit as stop:
        return int(stop.code or 0)
    console = Console(-1 if options.quiet else 1 if options.verbose else 0)
    try:
        with console.warnings():
            options.handler(options, console)
            sys.stdout.flush()
    except UsageError as error:
        console.error(f"isogloss {options.command}: {error}")
        return 2
    except IsoglossError as error:
        console.error(f"isogloss {options.command}: {error}")
        return 1
    except OSError as error:
        if isinstance(error, BrokenPipeError):
            return _close_quietly()
        console.error(f"isogloss {options.command}: {error}")
        return 1
    except KeyboardInterrupt:
        console.error(f"isogloss {options.command}: interrupted")
        return 130
    return 0


def _close_quietly() -> int:
    """The reader of our output went away; don't complain about it at exit either."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0


def run() -> NoReturn:
    """Entry point of `python -m isogloss`."""
    sys.exit(main())
