"""What is installed, and whether its kernels are compiled."""

import sys
import warnings
from importlib.metadata import PackageNotFoundError, version

import numba

from isogloss.align.kernel_cache import (
    PACKAGE,
    KernelCacheError,
    KernelCacheWarning,
    OtherFolderWarning,
    cache_folder,
    is_tested,
    refused_folder,
)
from isogloss.align.language_model.scoring import kenlm_module
from isogloss.align.shipped_kernels import account, processor

from .. import __version__
from ..compilation.signatures import parse_line, read_list

__all__ = ["installation"]


def installation() -> dict[str, str]:
    """Versions, processor, and what is known of compiled kernels, in words, by what it is of."""
    if getattr(numba.config, "DISABLE_JIT", 0):
        kernels = {"kernels": "not compiled, because NUMBA_DISABLE_JIT is set"}
    else:
        kernels = _kernels()
    return {
        "isogloss": f"{__version__} in {PACKAGE.parent}",
        "Python": sys.version.split()[0],
        "Numba": f"{numba.__version__}, NumPy {version('numpy')}",
        "KenLM": _kenlm(),
        "processor": processor(),
        **kernels,
    }


def _kenlm() -> str:
    """The distribution that the module ``kenlm`` comes from, or what is done without it."""
    installed = next(filter(None, map(_release, ("camel-kenlm", "kenlm"))), "")
    if kenlm_module() is not None:
        return installed or "installed, version unknown"
    state = f"{installed} cannot be loaded" if installed else "not installed"
    return f"{state} (optional; it does not change scores)"


def _release(distribution: str) -> str:
    """Name and version of a distribution, empty where it is not installed."""
    try:
        return f"{distribution} {version(distribution)}"
    except PackageNotFoundError:
        return ""


def _kernels() -> dict[str, str]:
    remedy = "; `isogloss compile` compiles the others"
    try:
        kept_in = str(cache_folder(PACKAGE / "align" / "kernels"))
        if refused := refused_folder():
            kept_in += f", because NUMBA_CACHE_DIR ({refused}) cannot be written to"
    except KernelCacheError as error:
        kept_in, remedy = f"nowhere: {error}", "; the others are compiled in each run"
    places = {"compiled kernels": account(), "cache of other kernels": kept_in}
    if not is_tested():
        return places
    entries = [parse_line(line, number) for number, line in enumerate(read_list(), 1)]
    with warnings.catch_warnings():
        for told_here in (KernelCacheWarning, OtherFolderWarning):
            warnings.simplefilter("ignore", told_here)
        ready = sum(entry.kernel.is_on_disk(entry.signature) for entry in entries)
    told = f"{ready} of {len(entries)} kernels{remedy if ready < len(entries) else ''}"
    return {**places, "ready": told}
