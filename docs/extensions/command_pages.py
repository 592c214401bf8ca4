"""A page for each command of the program, made from its parser."""

import argparse
import re
from collections.abc import Iterator
from pathlib import Path

from sphinx.application import Sphinx

from isogloss.command_line.parsers import COMMANDS, program_parser

PAGE = """# isogloss {name}

```{{argparse}}
:module: command_pages
:func: parser
:prog: isogloss
:path: {name}
```
"""
_MARKUP = re.compile(r"(?<!\\)[|*_](?=\S)")


def parser() -> argparse.ArgumentParser:
    """The whole program's parser, with help texts in which nothing is taken for markup."""
    whole = program_parser(whole=True)
    for below in (whole, *_parsers_below(whole)):
        below.usage = _usage(below)
        for group in below._action_groups:
            group.title = (group.title or "").partition(" (see docs/")[0]
        for action in below._actions:
            if action.help and action.help is not argparse.SUPPRESS:
                action.help = _MARKUP.sub(r"\\\g<0>", action.help)
            if isinstance(action.metavar, str) and action.option_strings:
                names = (f"{name} {action.metavar}" for name in action.option_strings)
                action.option_strings = list(names)
    return whole


def _usage(below: argparse.ArgumentParser) -> str:
    """The command with its positional arguments; options are listed below."""
    options = argparse.ArgumentParser(prog=f"{below.prog} [options]", add_help=False)
    for action in below._actions:
        if not action.option_strings:
            options._add_action(action)
    return options.format_usage().removeprefix("usage: ").strip()


def _parsers_below(above: argparse.ArgumentParser) -> Iterator[argparse.ArgumentParser]:
    for action in above._actions:
        if isinstance(action, argparse._SubParsersAction):
            for below in action.choices.values():
                yield below
                yield from _parsers_below(below)


def write_pages(app: Sphinx) -> None:
    """Write the pages, and leave those alone that are as they were."""
    folder = Path(app.srcdir) / "reference" / "cli" / "generated"
    folder.mkdir(parents=True, exist_ok=True)
    for name in COMMANDS:
        page, text = folder / f"{name}.md", PAGE.format(name=name)
        if not page.exists() or page.read_text(encoding="utf-8") != text:
            page.write_text(text, encoding="utf-8")


def link_commands(_app: Sphinx, docname: str, content: list[str]) -> None:
    """Make the commands of the index links to their pages, which a checkout lacks."""
    if docname == "reference/cli/index":
        content[0] = re.sub(
            r"^\| (`([a-z-]+)`)", r"| [\1](generated/\2.md)", content[0], flags=re.M
        )


def setup(app: Sphinx) -> dict[str, bool]:
    """Connect with Sphinx."""
    app.connect("builder-inited", write_pages)
    app.connect("source-read", link_commands)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
