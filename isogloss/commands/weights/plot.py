"""isogloss plot: weights, tuning runs, and the metric along a direction, drawn."""

from ...options import Command
from ..shared import NoOptions
from .plot_l1_path import PLOT_L1_PATH
from .plot_surface import PLOT_SURFACE
from .plot_tuning import PLOT_TUNING
from .plot_weights import PLOT_WEIGHTS

__all__ = ["COMMAND"]

COMMAND = Command(
    NoOptions,
    None,
    (
        "isogloss plot weights weights.json rich.bins.json --score 'p(e|f)' -o weights.svg",
        "isogloss plot tuning run1 run2 -o tuning.svg",
    ),
    actions={
        "weights": PLOT_WEIGHTS,
        "tuning": PLOT_TUNING,
        "surface": PLOT_SURFACE,
        "l1-path": PLOT_L1_PATH,
    },
)
