"""Pictures by Matplotlib, which is imported here only, and only when one is drawn."""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any

from align.errors import UsageError
from align.files.writers import atomic_file

__all__ = ["IMAGE_FORMATS", "drawing", "image_format"]

IMAGE_FORMATS = ("png", "svg", "pdf")
_STYLE = {"svg.hashsalt": "isogloss", "svg.fonttype": "none", "path.simplify": False}
_METADATA = {
    "png": {"Software": None},
    "svg": {"Date": None, "Creator": None},
    "pdf": {"CreationDate": None, "Creator": None, "Producer": None},
}


def image_format(path: str | Path) -> str:
    """png, svg or pdf, by the suffix of a file's name. Raises UsageError for another one."""
    suffix = Path(path).suffix.lower().removeprefix(".")
    if suffix not in IMAGE_FORMATS:
        raise UsageError(f"{path}; expected a name in .{', .'.join(IMAGE_FORMATS)}")
    return suffix


@contextmanager
def drawing(path: str | Path, size: tuple[float, float] = (6.4, 4.0)) -> Iterator[Any]:
    """An empty figure of ``size`` inches, written to ``path`` when the block ends well.

    It is drawn with Matplotlib's own settings, not with the user's; the same drawing gives the
    same bytes.

    Raises UsageError where Matplotlib is not installed, and as :func:`image_format` does.
    """
    suffix = image_format(path)
    try:
        matplotlib = import_module("matplotlib")
        figures = import_module("matplotlib.figure")
    except ImportError as error:
        raise UsageError("a plot needs Matplotlib: pip install isogloss[plot]") from error
    with matplotlib.rc_context(), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing from", category=UserWarning)
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(_STYLE)
        figure = figures.Figure(figsize=size, dpi=150, layout="constrained")
        yield figure
        with atomic_file(path) as stream:
            figure.savefig(stream, format=suffix, metadata=_METADATA[suffix])
