"""Metrics by name."""

from collections.abc import Callable
from dataclasses import fields
from functools import partial
from typing import Any

from isogloss.align.errors import OptionError, UsageError, check_argument, did_you_mean
from isogloss.align.execution.calls import public_as

from .bleu import Bleu
from .chrf import Chrf
from .column import COLUMN, Column
from .error_rates import Cer, Ter, Wer
from .protocol import Metric

__all__ = ["METRICS", "given_metric", "metric_named"]

_KNOWN: dict[str, Callable[..., Metric]] = {
    "bleu": Bleu,
    "ter": Ter,
    "chrf": Chrf,
    "chrf++": partial(Chrf, word_order=2),
    "wer": Wer,
    "cer": Cer,
}
METRICS = (*_KNOWN, "column:NAME", "column:NAME:lower")  # names as shown to users


def given_metric(metric: Metric | str) -> Metric:
    """Return a metric that is given as an object or by name.

    Parameters
    ----------
    metric : Metric or str

    Returns
    -------
    Metric

    Raises
    ------
    UsageError
        If there is no metric of that name.
    WrongTypeError
        If the argument is of another type.

    Examples
    --------
    >>> given_metric("ter").name
    'ter'
    """
    if isinstance(metric, str):
        return metric_named(metric)
    if not isinstance(getattr(metric, "num_statistics", None), int):
        check_argument(metric, (), "metric", "a name such as 'bleu', or a Metric", "metric('bleu')")
    return metric


@public_as("metric")
def metric_named(name: str, **options: Any) -> Metric:
    """Return the metric of a name.

    Parameters
    ----------
    name : str
        bleu, ter, chrf, chrf++, wer or cer in any letter case, column:NAME or column:NAME:lower.
    **options
        Fields of the metric's class, such as ``smoothing="nakov"`` of Bleu.

    Returns
    -------
    Metric

    Raises
    ------
    UsageError
        If there is no such metric or option, or a value is out of range.
    WrongTypeError
        If the name is not a string.

    Examples
    --------
    >>> metric_named("bleu", smoothing="nakov")
    Bleu(smoothing='nakov', reference_length='closest', document='cherry-foster')
    """
    check_argument(name, str, "the name of a metric", "a string such as 'bleu'")
    known_as = name.lower()
    if name.startswith(COLUMN):
        metric: Metric = Column.parse(name.removeprefix(COLUMN))
        known: list[str] = []
    elif known_as in _KNOWN:
        metric = _KNOWN[known_as]()
        known = [field.name for field in fields(metric)]  # type: ignore[arg-type]
    else:
        near = did_you_mean(known_as, _KNOWN)
        remedy = f"; {near}" if near else f". To use scores in the list, pass {COLUMN}{name}"
        raise OptionError("metric", f"one of {', '.join(METRICS)}", name, remedy)
    wrong = [option for option in options if option not in known]
    if wrong:
        raise UsageError(
            f"metric {name!r} has no option {wrong[0]!r}; its options are "
            f"{', '.join(known) if known else 'none'}"
        )
    return _KNOWN[known_as](**options) if options else metric
