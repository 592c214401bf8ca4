"""Write the sample data: python -m data.generate [--out DIR] [--seed N]."""

from __future__ import annotations

import argparse
import pathlib

from . import SEED, generate, write


def main() -> None:
    """Generate the sample and write it."""
    parser = argparse.ArgumentParser(prog="python -m data.generate", description=__doc__)
    parser.add_argument(
        "--out",
        type=pathlib.Path,
        default=pathlib.Path("data"),
        help="folder to write to (default: data)",
    )
    parser.add_argument(
        "--seed",
        type=int,
        default=SEED,
        help="another seed makes another sample (default: %(default)s)",
    )
    arguments = parser.parse_args()
    write(generate(arguments.seed), arguments.out)


if __name__ == "__main__":
    main()
