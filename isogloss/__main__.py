"""`python -m isogloss`, and the program `isogloss`."""

import sys
from typing import NoReturn


def run() -> NoReturn:
    """Entry point."""
    try:
        try:
            from .program import main
        except RuntimeError as error:  # there is no place for compiled kernels
            sys.exit(f"isogloss: {error}")
        sys.exit(main())
    except KeyboardInterrupt:  # while it starts; afterwards main says which command was stopped
        sys.stderr.write("isogloss: interrupted\n")
        sys.exit(130)


if __name__ == "__main__":
    run()
