"""What IPython runs first: shell cells print their output in one piece, as plain text."""

import os
import subprocess

from IPython.core.magic import register_cell_magic

for name in ("CLICOLOR", "CLICOLOR_FORCE", "FORCE_COLOR"):  # what a notebook asks for
    os.environ.pop(name, None)


@register_cell_magic  # type: ignore[untyped-decorator]
def bash(line: str, cell: str) -> None:
    """Run a cell by bash; IPython's own magic breaks the output every 100 bytes."""
    done = subprocess.run(
        ["bash", "-ec", cell], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    print(done.stdout, end="")  # noqa: T201
    done.check_returncode()
