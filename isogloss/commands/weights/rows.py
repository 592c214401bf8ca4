"""Results in rows, as the commands that look at weights write them."""

from dataclasses import dataclass
from typing import Literal

from isogloss.align.files.writers import uncompressed_name

from ..shared import output_option

__all__ = ["RowsOptions", "split_names"]


@dataclass(frozen=True)
class RowsOptions:
    """Where rows go, and how.

    to: output format (default: text on a terminal, json for *.json, else tsv)
    output: output table (default: stdout)
    """

    to: Literal["text", "tsv", "json"] | None = None
    output: str | None = output_option()

    @property
    def written_format(self) -> Literal["text", "tsv", "json"] | None:
        """The format that is asked for, by the name of the file if by nothing else."""
        is_json = uncompressed_name(self.output or "").lower().endswith(".json")
        return "json" if is_json and self.to is None else self.to


def split_names(text: str) -> list[str]:
    """The names of ``NAME,NAME``."""
    return [name for name in text.split(",") if name]
