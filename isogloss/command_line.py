"""The command line: which commands there are, and a parser of them. A command is loaded by name."""

import argparse
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import Any, NamedTuple

from . import __version__
from .options import Command, add_options

__all__ = ["COMMANDS", "Entry", "load_command", "parser_of", "program_parser"]

_EXAMPLES = (
    "isogloss demo --out demo-out",
    "isogloss align corpus.en corpus.es --model m -o links",
)


class Entry(NamedTuple):
    """Where a command stands, below the commands, and what it does."""

    module: str
    line: str


COMMANDS: dict[str, Entry] = {
    "demo": Entry("pipeline.demo", "run the whole pipeline on the bundled data"),
    "run": Entry("pipeline.run", "run the whole pipeline on the files of a configuration"),
    "doctor": Entry(
        "bitexts.doctor",
        "look for what may go wrong with a bitext, before aligning it, or at the installation",
    ),
    "sequester": Entry(
        "bitexts.sequester", "draw tuning and test sets from a bitext, before it is aligned"
    ),
    "align": Entry("bitexts.align", "learn word alignment from a bitext and align it"),
    "apply": Entry("bitexts.apply", "align other text with a learned model"),
    "symmetrize": Entry("links.symmetrize", "combine the links of two directions"),
    "evaluate": Entry("links.evaluate", "precision, recall, F1 and AER against gold links"),
    "check": Entry("links.check", "check links against their text, or a model folder for damage"),
    "retokenize": Entry("links.retokenize", "carry links over to subwords, characters or words"),
    "project": Entry("links.project", "carry annotations over to the other side of a bitext"),
    "lexicon": Entry("models.lexicon", "write lexical translation probabilities"),
    "priors": Entry("models.priors", "count eflomal priors on a text and its links"),
    "domains": Entry("models.domains", "say which domain each pair is of, or what differs"),
    "dictionary": Entry(
        "models.dictionary", "list the surest translation pairs of a text and of its domains"
    ),
    "lm": Entry("models.lm", "estimate a Kneser-Ney language model"),
    "classes": Entry("models.classes", "learn word classes from a text, in the form of mkcls"),
    "extract": Entry("tables.extract", "extract and score phrase pairs"),
    "features": Entry("tables.features", "add features to a phrase table"),
    "prune": Entry("tables.prune", "drop rules by significance, rank, score or count"),
    "decode": Entry("translations.decode", "translate text"),
    "serve": Entry("translations.serve", "answer requests to align, decode and rerank over HTTP"),
    "score": Entry("translations.score", "score translations against references"),
    "compare": Entry("translations.compare", "say whether systems differ by more than chance"),
    "tune": Entry(
        "tuning.tune", "learn weights from n-best lists, or with the decoder in the loop"
    ),
    "rerun": Entry("tuning.rerun", "repeat a tuning run from its folder, byte for byte"),
    "rerank": Entry("tuning.rerank", "pick the best hypotheses of n-best lists"),
    "weights": Entry("weights.weights", "convert weights between programs, or look at them"),
    "overlap": Entry("weights.overlap", "active features that sets of weights have in common"),
    "plot": Entry("weights.plot", "draw weights, tuning runs, the metric along a direction"),
    "compile": Entry("compile", "compile all kernels now, not when they are first called"),
    "completion": Entry("completion", "write what a shell needs to complete commands and options"),
}


def load_command(name: str) -> Command:
    """A command, from the module that it stands in."""
    module = import_module(f"{__package__}.commands.{COMMANDS[name].module}")
    command: Command = module.COMMAND
    return command


def _formatted(examples: Sequence[str]) -> str:
    return "examples:\n" + "\n".join(f"  {example}" for example in examples)


class _Parser(argparse.ArgumentParser):
    """One that doesn't pass over it where its help can't be written."""

    def _print_message(self, message: str, file: Any = None) -> None:
        if message and (file := file or sys.stderr) is not None:
            file.write(message)
            file.flush()


def program_parser(*, whole: bool = False) -> argparse.ArgumentParser:
    """The program's parser. whole: with the options of every command, for which all are loaded"""
    parser = _Parser(
        prog="isogloss",
        description="Word alignment, phrase features and tuning for bitexts of mixed domains.",
        epilog=_formatted(_EXAMPLES),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"isogloss {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for name, entry in COMMANDS.items():
        below = commands.add_parser(name, help=entry.line, add_help=whole)
        if whole:
            parser_of(load_command(name), f"isogloss {name}", entry.line, below)
    return parser


def parser_of(
    command: Command, name: str, line: str, parser: argparse.ArgumentParser | None = None
) -> argparse.ArgumentParser:
    """The parser of a command. name: with the program's, such as ``isogloss weights show``"""
    parser = parser or _Parser(prog=name)
    parser.description = line[0].upper() + line[1:] + "."
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    if command.examples:
        parser.epilog = _formatted(command.examples)
    parser.set_defaults(chosen=command, trailing=())
    if command.options is not None:
        parser.set_defaults(trailing=tuple(add_options(parser, command.options)))
    if command.actions:
        actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
        for action, below in command.actions.items():
            action_parser = actions.add_parser(action, help=below.line)
            parser_of(below, f"{name} {action}", below.line, action_parser)
    return parser
