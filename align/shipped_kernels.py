"""Compiled kernels that came with the installation, read before Numba's own cache is looked at.

A platform wheel holds the folder ``isogloss/align/compiled``: what Numba keeps on disk of all
kernels, compiled for processors of level x86-64-v3 in place of one machine's own, and a file that
says what it was made for. Where that is what runs here, kernels are read from there and nothing is
compiled. Where it isn't, or a kernel is missing, Numba compiles as ever. Nothing is written to that
folder.
"""

import os
import sys
from functools import cache
from pathlib import Path
from typing import Any

import llvmlite.binding as llvm
import msgspec
import numba

from .errors import DataError
from .files.records import Text, read_json
from .kernel_cache import CALLED, OTHER_CODE, PACKAGE, is_tested, sources_digest, untested

__all__ = [
    "FOLDER",
    "LEVEL",
    "MADE_FOR",
    "OTHER_CODE",
    "PACKAGE",
    "account",
    "made_here",
    "misfit",
    "processor",
    "room_folder",
]

LEVEL = "x86-64-v3"  # processors since 2013 (Intel), 2015 (AMD), as LLVM calls them
FOLDER = Path(__file__).with_name("compiled")
MADE_FOR = "made-for.json"
# what processors of the level have, and an older one may lack
FEATURES = (
    "avx", "avx2", "bmi", "bmi2", "cx16", "f16c", "fma", "lzcnt", "movbe", "popcnt", "sahf",
    "sse3", "sse4.1", "sse4.2", "ssse3", "xsave",
)  # fmt: skip


class _MadeFor(msgspec.Struct):
    """What kernels were made for, as :func:`made_here` gives it."""

    python: Text
    numba: Text
    system: Text
    sources: dict[str, Text]


def made_here() -> dict[str, Any]:
    """What kernels that are compiled now and here are made for: Python, Numba, system, sources."""
    return {
        "python": sys.implementation.cache_tag,
        "numba": str(numba.__version__),
        "system": str(llvm.get_process_triple()),
        "sources": {package: sources_digest(PACKAGE, package) for package in CALLED},
    }


@cache
def misfit(folder: Path = FOLDER) -> str | None:
    """Why the compiled kernels of a folder are not for this process; None where they are."""
    if not (folder / MADE_FOR).is_file():
        return "the installation contains no compiled kernels"
    asked = [name for name in OTHER_CODE if name in os.environ]
    if asked:
        return f"the installed kernels cannot be used because {asked[0]} is set"
    here = made_here()
    try:
        made_for = msgspec.to_builtins(read_json(folder / MADE_FOR, _MadeFor))
        other = [name for name in here if made_for[name] != here[name]]
    except (DataError, OSError):
        return f"{folder / MADE_FOR} is damaged"
    if other:
        name, made = other[0], made_for[other[0]]
        if name == "sources":
            return "the installed kernels were built from other sources"
        return f"the installed kernels are for {name} {made}, not {here[name]}"
    features = llvm.get_host_cpu_features()
    lacking = [name for name in FEATURES if not features.get(name)]
    if lacking:
        return f"the installed kernels need a processor with {', '.join(lacking)}"
    return None


def processor() -> str:
    """What LLVM calls the processor of this machine."""
    return str(llvm.get_host_cpu_name())


def room_folder(file: str) -> Path:
    """Where shipped kernels of a module are, below FOLDER. Raises ValueError for another's."""
    return Path(*Path(file).parent.relative_to(PACKAGE).parts)


def account() -> str:
    """In words, whether compiled kernels of the installation are used, and why not."""
    if not is_tested():
        return f"compiled on this machine by Numba; {untested()}"
    reason = misfit()
    if reason is None:
        return f"loaded from the installation (for {LEVEL} processors)"
    return f"compiled on this machine; {reason}"
