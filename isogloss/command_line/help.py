"""Help in two steps: the options that most people need, and all of them."""

import argparse
import re
import sys
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NoReturn

__all__ = ["FIRST_SCREEN", "CommandParser", "HelpFormatter", "with_typed_names"]

FIRST_SCREEN = 15  # options that the first screen shows at most

_FEW = 6  # choices that an error lists
_MEANT = {  # what names of other commands may mean in one that lacks them
    "--format": ("--to",), "--to": ("--format",), "--limit": ("--top", "--table-limit"),
    "--weights": ("--initial-weights",), "--posteriors": ("--domain-posteriors",),
    "--domains": ("--label-names", "--domain-features"), "--examples": ("--show-examples",),

    "--top": ("--limit", "--table-limit"), "--threshold": ("--ratio", "--posterior-threshold"),
}  # fmt: skip

# what argparse makes of `isogloss.options.not_allowed`
_NOT_ALLOWED = re.compile(r"argument ([^:]+): (must be .*)", re.DOTALL)

Groups = Mapping[str, Sequence[str]]


def with_typed_names(message: str, typed: Mapping[str, str]) -> str:
    """A message that names options as they were typed; quoted commands stay as they are.

    typed: see :meth:`CommandParser.typed_names`
    """
    parts = message.split("`")
    for name, other in typed.items():
        pattern = rf"(?<![\w-]){re.escape(name)}(?![\w-])"
        parts[::2] = [re.sub(pattern, other, part) for part in parts[::2]]
    return "`".join(parts)


class HelpFormatter(argparse.RawDescriptionHelpFormatter):
    """Wraps texts between words, and leaves options such as ``--help-all`` in one piece."""

    def _split_lines(self, text: str, width: int) -> list[str]:
        return textwrap.wrap(" ".join(text.split()), width, break_on_hyphens=False)


class CommandParser(argparse.ArgumentParser):
    """A parser whose ``--help`` shows some options, and ``--help-all`` all of them.

    first: names of the options of the first screen by heading; empty for one without options
    chooser: an option, such as ``optimizer``, whose value chooses groups: those whose headings
        begin with ``for --optimizer`` and hold the value are shown after it was given
    given: the arguments that are parsed
    """

    def __init__(self, *, add_help: bool = True, **more: Any) -> None:
        super().__init__(add_help=False, **more)
        self.first: Groups = {}
        self.chooser = ""
        self.given: Sequence[str] = ()
        self._shows_help: argparse.Action | None = None
        if add_help:
            self._shows_help = self.add_argument(
                "-h", "--help", action=_Help, nargs=0, help="show this help and exit"
            )

    def add_help_all(self) -> None:
        """Add the option that shows all options; hidden if the first screen shows them."""
        text = "show all options and exit" if self.first else argparse.SUPPRESS
        self.add_argument("--help-all", action=_HelpAll, nargs=0, help=text)
        if self.first and self._shows_help is not None:
            self._shows_help.help = "show the main options and exit"

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """As argparse does; the arguments are kept for messages."""
        self.given = sys.argv[1:] if args is None else list(args)
        return super().parse_known_args(args, namespace)

    def typed_names(self) -> dict[str, str]:
        """Other names of the options that were given, and how each was typed: --output, as -o."""
        typed: dict[str, str] = {}
        for name, action in self._given_options():
            if not isinstance(action, argparse.BooleanOptionalAction):
                others = [other for other in action.option_strings if other != name]
                typed |= dict.fromkeys(("/".join(action.option_strings), *others), name)
                typed.pop(name, None)
        return typed

    def _given_options(self) -> Iterator[tuple[str, argparse.Action]]:
        """The options that were given by a name that they have, in their order."""
        for word in self.given:
            if word == "--":
                return
            for name in (word, word.partition("=")[0], word[:2]):
                if name.startswith("-") and name in self._option_string_actions:
                    yield name, self._option_string_actions[name]
                    break

    def error(self, message: str) -> NoReturn:
        """End the program with a line, which names the help in place of the whole usage."""
        if message.startswith("the following arguments are required"):
            message = self._unrecognized() or message
        message = with_typed_names(message, self.typed_names())
        if out_of_range := _NOT_ALLOWED.fullmatch(message):
            self.exit(2, f"{self.prog}: {out_of_range[1]} {out_of_range[2]}\n")
        self.exit(2, f"{self.prog}: {message}; see {self.prog} --help\n")

    def _unrecognized(self) -> str:
        """What is said of the first option that there is not; empty if there are all."""
        for word in self.given:
            name = word.partition("=")[0]
            if not name.startswith("--") or name == "--":
                continue
            if name not in self._option_string_actions and not self._get_option_tuples(name):
                near = self.near_options(name)
                return f"unrecognized arguments: {word}{f' ({near})' if near else ''}"
        return ""

    def near_options(self, name: str) -> str:
        """A question with the options whose names are like one that there is not."""
        from isogloss.align.errors import did_you_mean  # not for each --help

        name = name.partition("=")[0]
        for meant in _MEANT.get(name, ()):
            if meant in self._option_string_actions:
                return f"did you mean {meant}?"
        return did_you_mean(name, self._option_string_actions)

    def _get_option_tuples(self, option_string: str) -> list[Any]:
        """Options that begin as given: of several the plural, so that ``--ref`` is ``--refs``."""
        found: list[Any] = super()._get_option_tuples(option_string)
        plural = f"{option_string.partition('=')[0]}s"
        return [one for one in found if one[1] == plural] or found

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        """As argparse does, with the choices that are near instead of many."""
        if action.choices is None or value in action.choices:
            return
        from isogloss.align.errors import did_you_mean  # not for each --help

        choices = list(map(str, action.choices))
        near = did_you_mean(str(value), choices) if len(choices) > _FEW else ""
        hint = near or f"choose from {', '.join(choices)}"
        raise argparse.ArgumentError(action, f"invalid choice: {value!r} ({hint})")

    def _print_message(self, message: str, file: Any = None) -> None:
        """Fail if the help can't be written, and leave nothing for a terminal to obey."""
        if message and (file := file or sys.stderr) is not None:
            if file.isatty():
                from isogloss.align.files.outputs import on_a_terminal  # not for each --help

                message = on_a_terminal(message)
            file.write(message)
            file.flush()

    def first_screen(self) -> str:
        """The help with the main options, and those of the optimizer that was given."""
        if self._subparsers is not None:
            return self.format_help()
        by_name = {action.dest: action for action in self._actions}
        formatter = self._get_formatter()
        placed = [action for action in self._actions if not action.option_strings]
        words = [formatter._format_args(action, action.dest) for action in placed]
        words += ["[options]"] if self.first else []
        formatter.add_usage(" ".join(("%(prog)s", *words)), [], [])
        formatter.add_text(self.description)
        sections = [("arguments", placed)] if placed else []
        sections += [(title, [by_name[name] for name in self.first[title]]) for title in self.first]
        for title, actions in [*sections, *self._chosen_groups()]:
            formatter.start_section(title)
            formatter.add_arguments(actions)
            formatter.end_section()
        formatter.add_text(self.epilog)
        if self.first:
            formatter.add_text("\n".join(self._more()))
        return formatter.format_help()

    def _more(self) -> Iterator[str]:
        """Where the other options are shown."""
        count = sum(bool(action.option_strings) for action in self._actions)
        yield f"all {count} options: {self.prog} --help-all"
        if self.chooser:
            option = f"--{self.chooser}"
            yield f"options of one {self.chooser}: {self.prog} {option} NAME --help"

    def _chosen_groups(self) -> list[tuple[str, list[argparse.Action]]]:
        """The options that belong to the chosen value alone, under one heading."""
        option = f"--{self.chooser}"
        pairs = zip(self.given, self.given[1:], strict=False)
        value = next((after for before, after in pairs if before == option), None)
        if not self.chooser or value is None:
            return []
        prefix = f"for {option} "
        actions = [
            action
            for group in self._action_groups
            if (group.title or "").startswith(prefix)
            and value in (group.title or "").removeprefix(prefix).split(", ")
            for action in group._group_actions
        ]
        return [(f"for {option} {value}", actions)]


class _Help(argparse.Action):
    """Shows the first screen and ends the program."""

    def __call__(self, parser: argparse.ArgumentParser, *rest: Any) -> None:
        text = parser.first_screen() if isinstance(parser, CommandParser) else parser.format_help()
        parser._print_message(text, sys.stdout)
        parser.exit()


class _HelpAll(argparse.Action):
    """Shows all options and ends the program."""

    def __call__(self, parser: argparse.ArgumentParser, *rest: Any) -> None:
        parser._print_message(parser.format_help(), sys.stdout)
        parser.exit()
