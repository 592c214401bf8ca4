"""isogloss docs: the documentation in a browser."""

import webbrowser
from dataclasses import dataclass
from pathlib import Path

from isogloss.align.errors import UsageError

from ..console import Console, write_stdout
from ..options import Command

__all__ = ["COMMAND", "DocsOptions", "run", "site_folder"]

_BUILD = "pip install -e '.[docs]' && sphinx-build docs docs/_build/html"


@dataclass(frozen=True)
class DocsOptions:
    """Options of `isogloss docs`.

    path: print the path of the front page instead of opening it
    """

    path: bool = False


def site_folder() -> Path | None:
    """The folder of the built site: in the installed package, or in a clone; None if not built."""
    package = Path(__file__).resolve().parents[1]
    folders = (package / "site", package.parent / "docs" / "_build" / "html")
    return next((folder for folder in folders if (folder / "index.html").is_file()), None)


def run(options: DocsOptions, console: Console) -> None:
    """Open the front page of the site, and print where it is."""
    folder = site_folder()
    if folder is None:
        raise UsageError(f"the documentation is not built; in a clone, run: {_BUILD}")
    page = folder / "index.html"
    write_stdout(f"{page}\n")
    if not options.path and not webbrowser.open(page.as_uri()):
        console.error("no browser was found; open this file in a browser")


COMMAND = Command(
    DocsOptions,
    run,
    ("isogloss docs", "isogloss docs --path"),
    first={
        "output": ("path",),
    },
)
