"""Metrics: statistics first, score second."""

from .names import METRICS, metric_named
from .protocol import Metric

__all__ = ["METRICS", "Metric", "metric_named"]
