"""What benchmarks have in common: options, figures to a file, errors as one line."""

import argparse
import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from isogloss.align import IsoglossError
from isogloss.align.files.writers import write_lines

__all__ = ["parse_common", "run_program"]


def parse_common(
    parser: argparse.ArgumentParser, arguments: Sequence[str] | None, data: Path
) -> argparse.Namespace:
    """All options of a benchmark, with --threads, --json and --data beside its own.

    data: folder of the real data, unless another one is given. Ends the program for a wrong option.
    """
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all figures")
    parser.add_argument("--data", type=Path, default=data, help="folder (default: %(default)s)")
    options = parser.parse_args(arguments)
    if options.threads < 1:
        parser.error(f"--threads {options.threads}; expected at least 1")
    return options


def run_program(
    name: str, options: argparse.Namespace, run: Callable[[argparse.Namespace], dict[str, Any]]
) -> dict[str, Any]:
    """Print the tables, and write all figures to ``options.json``; returns them.

    Ends the program with a message where ``run`` raises IsoglossError.
    """
    try:
        record = run(options)
        if options.json:
            write_lines([json.dumps(record, indent=1)], options.json)
        return record
    except IsoglossError as error:
        sys.exit(f"{name}: {error}")
