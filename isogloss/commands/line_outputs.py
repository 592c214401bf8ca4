"""Files of lines that are written as they come: named by who calls it, whole when they appear."""

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path

from isogloss.align.errors import UsageError
from isogloss.align.files.outputs import real_path
from isogloss.align.files.writers import atomic_files, encode_line, write_lines

from ..console import Console
from .link_tables import TableColumns, link_table

__all__ = ["Write", "chosen_output", "open_outputs", "output_beside", "shown_beside"]

Write = Callable[[Iterable[str]], None]
_STDOUT = ("-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1")


@contextmanager
def open_outputs(
    *paths: str | None, tables: Mapping[str, TableColumns] | None = None
) -> Iterator[list[Write]]:
    """What writes lines to each output: stdout (-) as they come, or a file that isn't there before
    all are whole; where there is none, lines are not even made.

    tables: columns of those outputs that are tables of links
    """
    files = [path for path in paths if path is not None and path != "-"]
    with ExitStack() as opened:
        streams = opened.enter_context(atomic_files(*files))
        by_name = dict(zip(files, streams, strict=True))
        sinks = {
            name: opened.enter_context(link_table(by_name[name], name, columns))
            for name, columns in (tables or {}).items()
        }

        def write(path: str | None, lines: Iterable[str]) -> None:
            if path == "-":
                write_lines(lines, path)
            elif path in sinks:
                sinks[path].add(lines)
            elif path is not None:
                by_name[path].writelines(map(encode_line, lines))

        yield [partial(write, path) for path in paths]


def shown_beside(lines: str | None, console: Console) -> Console:
    """What shows progress while lines go to an output: nothing where both are on the terminal."""
    on_terminal = lines in (None, "-") and sys.stdout is not None and sys.stdout.isatty()
    return Console(-1) if on_terminal else console


def output_beside(given: str | None, others: Sequence[str | None]) -> str | None:
    """The output given, else stdout; none where one of the others goes there, as in Moses.

    Raises UsageError for two outputs on stdout.
    """
    number = sum(output in _STDOUT for output in (given, *others))
    if number > 1:
        raise UsageError(
            f"{number} outputs are written to standard output; pass files for all but one"
        )
    return given or ("-" if number == 0 else None)


def chosen_output(given: str | None, named: str | None, config: str | None) -> str | None:
    """The output given, else the one that a moses.ini names, None for none.

    Raises UsageError where the moses.ini, which may be a stranger's, names what is there already
    or lies outside of the working folder. config: the moses.ini
    """
    if given or not named or named == "-":
        return given or named
    if not _is_new_below(named, real_path(Path.cwd())):
        raise UsageError(
            f"{config} names the output {named}, which is not a new file in the working folder; "
            "pass it on the command line with --alignment, --search-graph or --n-best"
        )
    return named


def _is_new_below(name: str, folder: Path) -> bool:
    """Whether nothing is there of a name that leads into a folder."""
    try:
        whole = real_path(name)
        is_there = Path(name).is_symlink() or whole.exists()
    except (OSError, ValueError):  # too long, or with a NUL
        return False
    return not is_there and whole.is_relative_to(folder)
