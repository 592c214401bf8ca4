"""Outputs and references as `isogloss score` and `isogloss compare` take them."""

from dataclasses import dataclass

from align.errors import DataError, UsageError
from align.files.text_io import read_lines
from align.text.bitext_formats import check_line_counts
from tune.metrics.names import METRICS, metric_named
from tune.metrics.protocol import Metric
from tune.references import MOST_SENTENCES, References, read_references

from ...options import option

__all__ = ["METRICS_OF_TEXT", "ReferenceOptions"]

METRICS_OF_TEXT = tuple(name for name in METRICS if ":" not in name)  # columns are of lists


@dataclass(frozen=True)
class ReferenceOptions:
    """What outputs are scored against, and by which metrics.

    refs: references
    lowercase: lowercase outputs and references
    """

    refs: tuple[str, ...] = option(metavar="REF")
    lowercase: bool = False
    metric: str = option(
        default="bleu", metavar="NAME,...", text=f"of {', '.join(METRICS_OF_TEXT)}"
    )

    def read_references(self) -> References:
        """The references. Raises DataError for an empty file."""
        references = read_references(self.refs, lowercase=self.lowercase)
        if not len(references):
            raise DataError("no line", "a reference per line", file=self.refs[0])
        return references

    def read_output(self, file: str, references: References) -> list[str]:
        """An output, a line per reference. Raises DataError for another number of lines."""
        lines = read_lines(file, most=MOST_SENTENCES)
        if not lines:
            raise DataError("no line", "a translation per line", file=file)
        check_line_counts(self.refs[0], len(references), file, len(lines))
        return [line.lower() for line in lines] if self.lowercase else lines

    def metrics(self) -> list[Metric]:
        """The metrics, each once. Raises UsageError for an unknown one."""
        names = list(dict.fromkeys(name.strip() for name in self.metric.split(",")))
        for name in names:
            if name not in METRICS_OF_TEXT:
                raise UsageError(
                    f"metric {name!r}; expected one of {', '.join(METRICS_OF_TEXT)}, or several "
                    "with commas between"
                )
        return [metric_named(name) for name in names]
