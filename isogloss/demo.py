"""The configuration of `isogloss demo`: the bundled bitext."""

from pathlib import Path

from .config import RunConfig, config_from_values
from .sampledata import bundled_folder

__all__ = ["demo_config"]


def demo_config(out: Path, seed: int, threads: int) -> RunConfig:
    """The pipeline on the bundled English-Spanish data."""
    data = bundled_folder()
    values = {
        "run": {"root": str(data), "out": str(out.resolve()), "seed": seed, "threads": threads},
        "train": [{"source": "train.en.gz", "target": "train.es.gz", "labels": "train.labels.gz"}],
        "evaluate": [{"name": "bundled", "gold": "train.en-es.gold.gz"}],
        "tune": {
            "source": "tune.en",
            "references": ["tune.es.ref0", "tune.es.ref1"],
            "epochs": 5,
        },
        "test": {"source": "test.en", "references": ["test.es.ref0", "test.es.ref1"]},
    }
    return config_from_values(values, data / "demo")
