"""isogloss weights: weights converted between programs, or looked at."""

from ...options import Command
from ..shared import NoOptions
from .convert import CONVERT
from .overlap import OVERLAP
from .show import SHOW

__all__ = ["COMMAND"]

COMMAND = Command(
    NoOptions,
    None,
    (
        "isogloss weights convert weights.json --ini moses.ini -o tuned.ini",
        "isogloss weights show weights.json --by-template --list list.gz",
    ),
    actions={"convert": CONVERT, "overlap": OVERLAP, "show": SHOW},
)
