"""What is installed, and whether its kernels are compiled."""

import sys
from importlib.metadata import version
from pathlib import Path

import numba

import align.kernels
from align.kernel_cache import KernelCacheError, cache_folder
from align.shipped_kernels import account, processor

from .. import __version__
from ..compilation.signatures import parse_line, read_list

__all__ = ["installation"]


def installation() -> dict[str, str]:
    """Versions, processor, and what is known of compiled kernels, in words, by what it is of."""
    if getattr(numba.config, "DISABLE_JIT", 0):
        kernels = {"kernels": "run as plain Python, as NUMBA_DISABLE_JIT is set"}
    else:
        kernels = _kernels()
    return {
        "isogloss": f"{__version__} in {Path(align.__file__).parents[1]}",
        "Python": sys.version.split()[0],
        "Numba": f"{numba.__version__}, NumPy {version('numpy')}",
        "processor": processor(),
        **kernels,
    }


def _kernels() -> dict[str, str]:
    told = {"compiled kernels": account()}
    try:
        told["others are kept in"] = str(cache_folder(Path(align.kernels.__file__).parent))
        entries = [parse_line(line, number) for number, line in enumerate(read_list(), 1)]
        ready = sum(entry.kernel.is_on_disk(entry.signature) for entry in entries)
    except KernelCacheError as error:
        return {**told, "others are kept in": f"nowhere: {error}"}
    remedy = "" if ready == len(entries) else "; isogloss compile makes the others"
    return {**told, "ready": f"{ready} of {len(entries)} kernels{remedy}"}
