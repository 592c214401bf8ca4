"""What a report says of weights: their templates, the largest ones."""

from collections.abc import Iterator

from isogloss.tune.weights.summary import extremes, summarize_templates
from isogloss.tune.weights.weights import Weights

from ..report import Note, Part, Table

__all__ = ["weight_tables"]


def weight_tables(weights: Weights, title: str, limit: int = 10) -> Iterator[Part]:
    """Number and mass of the weights of each template, and the largest of either sign."""
    rows = [
        (
            summary.template, f"{summary.weights:,}", f"{summary.active:,}", f"{summary.mass:.3f}",
            f"{summary.largest:.3f}", f"{summary.smallest:.3f}",
        )
        for summary in summarize_templates(weights)
    ]  # fmt: skip
    columns = ("template", "weights", "not 0", "sum of |w|", "largest", "smallest")
    if rows:
        yield Table(f"{title} by template", columns, rows)
    positive, negative = extremes(weights, limit)
    if not positive and not negative:
        yield Note(f"{title}: all are 0, so that each hypothesis has the same score.")
        return
    largest = [(one.name, f"{one.weight:+.4f}") for one in (*positive, *reversed(negative))]
    yield Table(f"{title}: largest positive and negative", ("feature", "weight"), largest)
