"""How each benchmark ends: figures to a file where asked for, errors as one line."""

import argparse
import json
import sys
from collections.abc import Callable
from typing import Any

from align import IsoglossError
from align.files.writers import write_lines

__all__ = ["run_program"]


def run_program(
    name: str, options: argparse.Namespace, run: Callable[[argparse.Namespace], dict[str, Any]]
) -> None:
    """Print the tables, and write all figures to ``options.json``.

    Ends the program with a message where ``run`` raises IsoglossError.
    """
    try:
        record = run(options)
        if options.json:
            write_lines([json.dumps(record, indent=1)], options.json)
    except IsoglossError as error:
        sys.exit(f"{name}: {error}")
