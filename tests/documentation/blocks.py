"""The blocks of a page that are run: commands with their output, Python code with what it prints.

``console``: lines that begin with ``$ `` are commands for bash (``> `` continues one), the others
are their standard output and standard error. ``python``: code, in one namespace per page; a
``text`` block directly below is what it prints. In what is expected, a line ``...`` stands for any
lines and ``...`` within a line for any characters. Commands that end in ``&`` run until the page
is done. ``sh``: commands that aren't run; ``<!-- not run: REASON -->`` above the block says why.
"""

import io
import os
import re
import signal
import subprocess
import sys
import warnings
from collections.abc import Iterator
from contextlib import redirect_stdout, suppress
from itertools import chain
from pathlib import Path

from sybil import Example, Sybil
from sybil.parsers.markdown import CodeBlockParser

__all__ = ["blocks_not_run", "evaluate_page", "pattern"]

PRINTED = "(printed)"  # what the last Python block printed, and where it ends
GROUPS = "(groups)"  # process groups of commands in the background
PROGRAMS = "(programs)"  # where commands that are waited for find `isogloss`
INSTALLED = Path(sys.executable).parent
NOT_RUN = re.compile(
    r"(?:^<!-- (?:not run: )?(?P<reason>.+) -->\n+)?^```(?:sh|bash)\n(?P<word>[\w.-]+)", re.M
)
PROMPT, MORE = "$ ", "> "


def evaluate_page(page: Path, folder: Path, programs: Path = INSTALLED) -> int:
    """Run the blocks of a page in a folder, in order; the number of blocks that were run.

    programs: the folder that has the program `isogloss` of commands that are waited for

    Raises sybil's SybilFailure with the line of the page for another output.
    """
    before = Path.cwd()
    groups: list[int] = []
    os.chdir(folder)
    try:
        count = 0
        for example in SYBIL.parse(page).examples():
            example.namespace |= {GROUPS: groups, PROGRAMS: programs}
            example.evaluate()
            count += 1
    finally:
        os.chdir(before)
        for group in groups:
            with suppress(ProcessLookupError):
                os.killpg(group, signal.SIGTERM)
    return count


def blocks_not_run(text: str) -> Iterator[tuple[str, str]]:
    """Each block of a page that isn't run: its first word, and why, if that is said."""
    for match in NOT_RUN.finditer(text):
        yield match["word"], match["reason"] or ""


def pattern(expected: str) -> re.Pattern[str]:
    """What an output must match as a whole."""
    lines = [
        r"(?:.*\n)*?" if line.strip() == "..." else
        re.escape(line.rstrip()).replace(re.escape("..."), ".*?") + r"[ \t]*\n"
        for line in expected.splitlines()
    ]  # fmt: skip
    return re.compile("".join(lines))


def difference(expected: str, printed: str) -> str:
    """What a failure says; empty where the output is as expected."""
    printed = printed if not printed or printed.endswith("\n") else f"{printed}\n"
    if pattern(expected).fullmatch(printed):
        return ""
    return f"expected:\n{expected}\nprinted:\n{printed}"


def commands(block: str) -> Iterator[tuple[str, str]]:
    """Each command of a block, and what it is to print."""
    command, expected = "", ""
    for line in chain(block.splitlines(), [PROMPT]):
        if line.startswith(PROMPT):
            if command:
                yield command, expected
            command, expected = line.removeprefix(PROMPT), ""
        elif line.startswith(MORE.rstrip()) and not expected:
            command += "\n" + line.removeprefix(MORE.rstrip()).removeprefix(" ")
        else:
            expected += f"{line}\n"


def run_console(example: Example) -> str | None:
    variables = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("PYTEST", "PYTHONUNBUFFERED"))
    }
    environment = variables | {"COLUMNS": "80", "LC_ALL": "C.UTF-8"}
    for command, expected in commands(example.parsed):
        in_background = command.endswith("&")
        programs = INSTALLED if in_background else example.namespace[PROGRAMS]
        environment["PATH"] = f"{programs}:{INSTALLED}:{os.environ['PATH']}"
        with subprocess.Popen(
            ["bash", "-c", command], env=environment, text=True, encoding="utf-8",
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL,
            start_new_session=in_background,
        ) as process:  # fmt: skip
            if in_background:
                example.namespace[GROUPS].append(process.pid)
            printed, _ = process.communicate()
        if told := difference(expected, printed):
            return f"$ {command}\n(exit status {process.returncode})\n{told}"
    return None


def run_python(example: Example) -> None:
    printed = io.StringIO()
    code = compile("\n" * (example.line) + example.parsed, str(example.path), "exec")
    namespace = example.namespace
    with redirect_stdout(printed), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # they go to stderr, as on a terminal
        exec(code, namespace)
    namespace[PRINTED] = example.region.end, printed.getvalue()


def compare_text(example: Example) -> str | None:
    """Hold a block of text against what the Python block directly above has printed."""
    end, printed = example.namespace.pop(PRINTED, (None, ""))
    if end is None or example.document.text[end : example.region.start].strip():
        return None
    return difference(example.parsed, printed) or None


SYBIL = Sybil(
    parsers=[
        CodeBlockParser("console", run_console), CodeBlockParser("python", run_python),
        CodeBlockParser("text", compare_text),
    ],
    pattern="*.md",
)  # fmt: skip
