"""The configuration of `isogloss demo`: the bundled bitext."""

from pathlib import Path

from isogloss.align.files.outputs import output_path

from .config import RunConfig, config_from_values

__all__ = ["bundled_folder", "demo_config"]


def bundled_folder() -> Path:
    """The folder of the sample that comes with the library.

    Raises FileNotFoundError where there is none.
    """
    package = Path(__file__).resolve().parents[1]
    for folder in (package / "data", package.parent / "data"):
        if (folder / "train.en.gz").is_file():
            return folder
    raise FileNotFoundError(
        f"the sample data is not in {package / 'data'} or {package.parent / 'data'}; create it in "
        "a clone of the repository with: python -m data.generate --out DIR"
    )


def demo_config(out: Path, seed: int, threads: int) -> RunConfig:
    """The pipeline on the bundled English-Spanish data."""
    data = bundled_folder()
    values = {
        "run": {"root": str(data), "out": str(output_path(out)), "seed": seed, "threads": threads},
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
