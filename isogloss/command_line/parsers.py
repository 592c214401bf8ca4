"""The command line: which commands there are, and a parser of them. A command is loaded by name."""

import argparse
from collections.abc import Sequence
from importlib import import_module
from typing import Any, NamedTuple

from .. import __version__
from ..options import Command, add_options
from .help import CommandParser, HelpFormatter

__all__ = ["COMMANDS", "Entry", "has_option", "load_command", "parser_of", "program_parser"]

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
    "run": Entry("pipeline.run", "run the pipeline of a configuration file"),
    "report": Entry("tuning.report", "write a page about a run, a tuning run or a model"),
    "doctor": Entry(
        "bitexts.doctor",
        "check a bitext or the installation for problems before training",
    ),
    "split": Entry("bitexts.split", "split a bitext into training, tuning and test sets"),
    "train": Entry("bitexts.train", "train a word alignment model on a bitext"),
    "align": Entry("bitexts.align", "train a model on a bitext, and align the bitext with it"),
    "apply": Entry("bitexts.apply", "align text with a trained model"),
    "merge": Entry("links.merge", "merge the links of the parts of a text"),
    "symmetrize": Entry("links.symmetrize", "symmetrize s2t and t2s alignments"),
    "evaluate": Entry(
        "links.evaluate", "compute precision, recall, F1 and AER against gold alignments"
    ),
    "check": Entry(
        "links.check", "check alignments against their text, or a stored model for damage"
    ),
    "view": Entry("links.view", "show alignments in a page that opens in a browser, or as text"),
    "retokenize": Entry("links.retokenize", "convert alignments to another tokenization"),
    "convert": Entry("links.convert", "convert links and gold alignments to other file formats"),
    "project": Entry("links.project", "project annotations to the other side of a bitext"),
    "lexicon": Entry("models.lexicon", "write lexical translation probabilities"),
    "eflomal-priors": Entry(
        "models.priors", "compute eflomal priors from a bitext and its alignments"
    ),
    "domains": Entry(
        "domains.domains", "predict the domain of each sentence pair, or compare domains"
    ),
    "concordance": Entry(
        "domains.concordance", "show words and phrases in context, with translations by domain"
    ),
    "dictionary": Entry("models.dictionary", "extract bilingual terms for each domain"),
    "lm": Entry("models.lm", "estimate a Kneser-Ney language model"),
    "classes": Entry("models.classes", "learn word classes, as mkcls does"),
    "extract": Entry("tables.extract", "extract and score phrase pairs"),
    "features": Entry("tables.features", "add features to a phrase table"),
    "prune": Entry("tables.prune", "prune a phrase table by significance, rank, score or count"),
    "decode": Entry("translations.decode", "translate text"),
    "serve": Entry("translations.serve", "serve alignment, translation and reranking over HTTP"),
    "score": Entry("translations.score", "score translations against references"),
    "compare": Entry("translations.compare", "test whether systems differ significantly"),
    "tune": Entry(
        "tuning.tune", "tune feature weights on n-best lists, on hypergraphs or with a decoder"
    ),
    "reproduce": Entry("tuning.reproduce", "reproduce a tuning run and compare the files"),
    "rerank": Entry("tuning.rerank", "rerank n-best lists"),
    "weights": Entry("weights.weights", "convert, summarize or compare feature weights"),
    "plot": Entry("weights.plot", "plot feature weights, tuning runs or metric surfaces"),
    "docs": Entry("docs", "open the documentation in a browser"),
    "compile": Entry("compile", "compile all kernels ahead of time"),
    "completion": Entry("completion", "write a shell completion script"),
}


def load_command(name: str) -> Command:
    """A command, from the module that it stands in."""
    module = import_module(f"isogloss.commands.{COMMANDS[name].module}")
    command: Command = module.COMMAND
    return command


def _formatted(examples: Sequence[str]) -> str:
    return "examples:\n" + "\n".join(f"  {example}" for example in examples)


def program_parser(*, whole: bool = False) -> argparse.ArgumentParser:
    """The program's parser. whole: with the options of every command, for which all are loaded"""
    parser = CommandParser(
        prog="isogloss",
        description="Word alignment, phrase features and tuning for bitexts of mixed domains.",
        epilog=_formatted(_EXAMPLES),
        formatter_class=HelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"isogloss {__version__}")
    commands = _add_subparsers(parser, "command")
    for name, entry in COMMANDS.items():
        below = commands.add_parser(name, help=entry.line, add_help=whole)
        if whole:
            parser_of(load_command(name), f"isogloss {name}", entry.line, below)
    return parser


def _add_subparsers(parser: argparse.ArgumentParser, name: str) -> Any:
    """Parsers below one, which its help lists before its options."""
    below = parser.add_subparsers(title=f"{name}s", dest=name, metavar=name.upper(), required=True)
    groups = parser._action_groups
    groups.insert(0, groups.pop())
    return below


def parser_of(
    command: Command, name: str, line: str, parser: CommandParser | None = None
) -> CommandParser:
    """The parser of a command. name: with the program's, such as ``isogloss weights show``"""
    parser = parser or CommandParser(prog=name)
    parser.first, parser.chooser = command.first, command.chooser
    parser.add_help_all()
    parser.description = line[0].upper() + line[1:] + "."
    parser.formatter_class = HelpFormatter
    if command.examples:
        parser.epilog = _formatted(command.examples)
    parser.set_defaults(chosen=command, chosen_parser=parser, trailing=())
    if command.options is not None:
        parser.set_defaults(trailing=tuple(add_options(parser, command.options)))
    if command.actions:
        actions = _add_subparsers(parser, "action")
        for action, below in command.actions.items():
            action_parser = actions.add_parser(action, help=below.line)
            parser_of(below, f"{name} {action}", below.line, action_parser)
    return parser


def has_option(words: Sequence[str], name: str) -> bool:
    """Whether a command has an option. words: of a command line, such as ``weights show w``"""
    parser: argparse.ArgumentParser = parser_of(load_command(words[0]), words[0], words[0])
    for word in words[1:]:
        actions = (one for one in parser._actions if isinstance(one, argparse._SubParsersAction))
        below = next(actions, None)
        if below is not None and word in below.choices:
            parser = below.choices[word]
    return name in parser._option_string_actions
