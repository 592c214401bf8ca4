"""Tune feature weights: a decoder, n-best lists, metrics and optimizers.

The names most programs need; see docs/explanation/data-model.md for the types. A name is loaded
when it is first used, so that a program pays only for what it does.
"""

from importlib import import_module
from typing import TYPE_CHECKING

from isogloss.align.package import refuse_calls, refuse_name

if TYPE_CHECKING:
    from .decoder.language_model_files import read_language_model
    from .decoder.model import Decoder, DecoderSettings
    from .examples import Examples
    from .experiment import tune_nbest
    from .forest.hypergraph import Hypergraph
    from .forest.reader import read_forests
    from .methods import OPTIMIZERS
    from .metrics.names import metric_named as metric
    from .metrics.scoring import Score, score
    from .nbest.types import NBest, read_nbest
    from .online.decoder_loop import tune_decoder
    from .references import References, read_references
    from .results import TuningResult
    from .significance import paired_bootstrap
    from .weights.weights import Weights

_HOMES = {
    "Decoder": "decoder.model.Decoder",
    "DecoderSettings": "decoder.model.DecoderSettings",
    "Examples": "examples.Examples",
    "Hypergraph": "forest.hypergraph.Hypergraph",
    "NBest": "nbest.types.NBest",
    "OPTIMIZERS": "methods.OPTIMIZERS",
    "References": "references.References",
    "Score": "metrics.scoring.Score",
    "TuningResult": "results.TuningResult",
    "Weights": "weights.weights.Weights",
    "metric": "metrics.names.metric_named",
    "paired_bootstrap": "significance.paired_bootstrap",
    "read_forests": "forest.reader.read_forests",
    "read_language_model": "decoder.language_model_files.read_language_model",
    "read_nbest": "nbest.types.read_nbest",
    "read_references": "references.read_references",
    "score": "metrics.scoring.score",
    "tune_decoder": "online.decoder_loop.tune_decoder",
    "tune_nbest": "experiment.tune_nbest",
}

__all__ = [
    "OPTIMIZERS",
    "Decoder",
    "DecoderSettings",
    "Examples",
    "Hypergraph",
    "NBest",
    "References",
    "Score",
    "TuningResult",
    "Weights",
    "metric",
    "paired_bootstrap",
    "read_forests",
    "read_language_model",
    "read_nbest",
    "read_references",
    "score",
    "tune_decoder",
    "tune_nbest",
]


if not TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        if name not in _HOMES:
            refuse_name(__name__, name, __all__)
        module, _, attribute = _HOMES[name].rpartition(".")
        return getattr(import_module(f"{__name__}.{module}"), attribute)


def __dir__() -> list[str]:
    return sorted(__all__)


refuse_calls(__name__, "tune_nbest(examples) or tune_decoder(decoder, sentences, references)")
