"""Figures of weights and of tuning; each function returns the axes.

Matplotlib is the extra ``plot``; it is loaded when a picture is first drawn, with its own settings.
``axes.figure.savefig(path)`` writes a picture to a file, as ``isogloss plot`` does.
"""

from importlib import import_module
from typing import TYPE_CHECKING

from isogloss.align.package import refuse_calls, refuse_name

if TYPE_CHECKING:
    from .pictures import l1_path, surface, tuning, weights

__all__ = ["l1_path", "surface", "tuning", "weights"]


if not TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        if name not in __all__:
            refuse_name(__name__, name, __all__)
        return getattr(import_module(f"{__name__}.pictures"), name)


def __dir__() -> list[str]:
    return sorted(__all__)


refuse_calls(__name__, "plot.tuning(result), plot.surface, plot.weights or plot.l1_path")
