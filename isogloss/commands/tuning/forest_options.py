"""Options of tuning from forests that are there."""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import product
from pathlib import Path

from isogloss.align.errors import UsageError
from isogloss.tune.methods import OPTIMIZERS, Optimizer

from ...options import option
from .loop_options import LOOP_OPTIONS

__all__ = [
    "FOREST_FILE_OPTIONS",
    "NO_EFFECT_ON_FORESTS",
    "ForestOptions",
    "check_outside",
    "method_of_forests",
]

# options that have no effect without --forests
FOREST_FILE_OPTIONS = ("held_out_forests",)
# and those that have none with it
NO_EFFECT_ON_FORESTS = (
    "score_files", "held_out", "fields", "per_item", "bleu_smoothing", "oracle_document",
    "max_memory", "tmpdir",
    *(name for name in LOOP_OPTIONS if name not in ("approximation", "forest_density")),
)  # fmt: skip


@dataclass(frozen=True)
class ForestOptions:
    """Tuning from forests that are there, without a decoder.

    forests: tune on saved hypergraphs: a folder of `isogloss decode --forests`, a folder of Moses
        hypergraphs or cdec JSON files, or a JSON Lines file
    held_out_forests: held-out hypergraphs, which select the best epoch and run
    """

    forests: str | None = option(default=None, metavar="FORESTS")
    held_out_forests: str | None = option(default=None, metavar="FORESTS")


def check_outside(outputs: Iterable[str | None], folders: Iterable[str | None]) -> None:
    """Raise UsageError for an output in a folder of forests: it would be taken for one of them."""
    for output, folder in product(filter(None, outputs), filter(None, folders)):
        if Path(folder).resolve() in Path(output).resolve().parents:
            raise UsageError(
                f"{output} is in {folder}, an input of this command; choose another output file"
            )


def method_of_forests(name: str) -> Optimizer:
    """An optimizer by its name. Raises UsageError for one that is for n-best lists alone."""
    taking = [method.name for method in OPTIMIZERS.values() if method.takes_forests]
    if name not in taking:
        raise UsageError(
            f"--optimizer {name} needs n-best lists; --forests can be used with {', '.join(taking)}"
        )
    return OPTIMIZERS[name]
