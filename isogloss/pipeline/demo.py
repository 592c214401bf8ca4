"""The configuration of `isogloss demo`: the bundled bitext."""

import shutil
from pathlib import Path

from isogloss.align.errors import UsageError
from isogloss.align.files.outputs import output_path
from isogloss.align.files.writers import atomic_folder

from .config import RunConfig, config_from_values

__all__ = ["bundled_folder", "copy_sample", "demo_config"]


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


def copy_sample(folder: str | Path) -> list[str]:
    """Copy the files of the sample to a new folder, and return their names.

    Raises UsageError if the folder exists.
    """
    place = output_path(folder)
    if place.exists():
        raise UsageError(f"{folder} exists; choose another folder for the bundled data")
    files = sorted(file for file in bundled_folder().iterdir() if file.is_file())
    with atomic_folder(place) as made:
        for file in files:
            shutil.copyfile(file, made / file.name)
    return [file.name for file in files]


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
        "test": {
            "source": "test.en",
            "references": ["test.es.ref0", "test.es.ref1"],
            "domains": "test.domains",
        },
    }
    return config_from_values(values, data / "demo")
