"""Metrics: statistics first, score second."""

from .names import METRICS, metric_named
from .oracle_document import OracleDocument
from .protocol import Metric

__all__ = ["METRICS", "Metric", "OracleDocument", "metric_named"]
