"""Metrics by name."""

from collections.abc import Callable
from dataclasses import fields
from functools import partial
from typing import Any

from isogloss.align.errors import UsageError

from .bleu import Bleu
from .chrf import Chrf
from .column import Column
from .error_rates import Cer, Ter, Wer
from .protocol import Metric

__all__ = ["METRICS", "metric_named"]

_COLUMN = "column:"
_KNOWN: dict[str, Callable[..., Metric]] = {
    "bleu": Bleu,
    "ter": Ter,
    "chrf": Chrf,
    "chrf++": partial(Chrf, word_order=2),
    "wer": Wer,
    "cer": Cer,
}
METRICS = (*_KNOWN, "column:NAME", "column:NAME:lower")  # names as shown to users


def metric_named(name: str, **options: Any) -> Metric:
    """The metric of a name: bleu, ter, chrf, chrf++, wer, cer, column:NAME, column:NAME:lower.

    options: fields of the metric's class, for example ``smoothing="nakov"`` of Bleu.

    Raises UsageError for unknown names and options, and for values out of range.
    """
    if name.startswith(_COLUMN):
        metric: Metric = Column.parse(name.removeprefix(_COLUMN))
        known: list[str] = []
    elif name in _KNOWN:
        metric = _KNOWN[name]()
        known = [field.name for field in fields(metric)]  # type: ignore[arg-type]
    else:
        raise UsageError(
            f"metric {name!r}; expected one of {', '.join(METRICS)}. Scores of that name which "
            f"stand in the list count by {_COLUMN}{name}"
        )
    wrong = [option for option in options if option not in known]
    if wrong:
        raise UsageError(
            f"metric {name!r} has no option {wrong[0]!r}; expected "
            f"{', '.join(known) if known else 'none'}"
        )
    return _KNOWN[name](**options) if options else metric
