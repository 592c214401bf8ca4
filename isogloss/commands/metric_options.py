"""The metric of n-best lists, as several commands take it."""

from dataclasses import dataclass

from isogloss.tune.metrics.bleu import DOCUMENTS, REFERENCE_LENGTHS, SMOOTHINGS
from isogloss.tune.metrics.names import METRICS, metric_named
from isogloss.tune.metrics.protocol import Metric

from ..options import option

__all__ = ["MetricOptions", "metric_option"]


def metric_option() -> str:
    """The field ``metric`` of a command's options."""
    name: str = option(default="bleu", metavar="NAME", text=f"metric: {', '.join(METRICS)}")
    return name


@dataclass(frozen=True)
class MetricOptions:
    """A metric, and what it depends on.

    bleu_smoothing: smoothing of sentence-level BLEU (default: lin-och)
    reference_length: reference length in the brevity penalty of BLEU (default: closest)
    oracle_document: BLEU gain of mira within its oracle document (default: cherry-foster); chiang
        also implies --document-decay 0.9 and --background model
    """

    metric: str = metric_option()
    bleu_smoothing: str | None = option(default=None, choices=SMOOTHINGS)
    reference_length: str | None = option(default=None, choices=REFERENCE_LENGTHS)
    oracle_document: str | None = option(default=None, choices=DOCUMENTS)

    def read(self) -> Metric:
        """The metric. Raises UsageError for an unknown one, and an option that it doesn't have."""
        given = {
            "smoothing": self.bleu_smoothing,
            "reference_length": self.reference_length,
            "document": self.oracle_document,
        }
        return metric_named(self.metric, **{name: v for name, v in given.items() if v})
