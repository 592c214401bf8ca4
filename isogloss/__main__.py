"""`python -m isogloss`, and the program `isogloss`."""

import sys
from typing import NoReturn


def run() -> NoReturn:
    """Entry point."""
    try:
        from .program import main

        sys.exit(main(alone=False))
    except KeyboardInterrupt:  # while it starts; afterwards main says which command was stopped
        sys.stderr.write("isogloss: interrupted\n")
        sys.exit(130)


if __name__ == "__main__":
    run()
