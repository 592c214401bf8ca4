"""Results in rows, as the commands that look at weights write them."""

from dataclasses import dataclass
from typing import Literal

from ..shared import output_option

__all__ = ["RowsOptions", "split_names"]


@dataclass(frozen=True)
class RowsOptions:
    """Where rows go, and how.

    format: output format (default: text on a terminal, else tsv)
    output: output table (default: stdout)
    """

    format: Literal["text", "tsv", "json"] | None = None
    output: str | None = output_option()


def split_names(text: str) -> list[str]:
    """The names of ``NAME,NAME``."""
    return [name for name in text.split(",") if name]
