"""The first pairs of the sample, for commands that need real text but not all of it."""

import gzip
from pathlib import Path

__all__ = ["PAIRS", "few", "write_first_pairs"]

PAIRS = 1200
_SAMPLE = Path(__file__).resolve().parents[2] / "data"
_NAMES = ("train.en.gz", "train.es.gz", "train.labels.gz", "train.en-es.gold.gz")


def write_first_pairs(folder: Path) -> None:
    """Write the files of the sample that a model is trained on, with so many lines each."""
    for name in _NAMES:
        with gzip.open(_SAMPLE / name) as whole, gzip.open(folder / name, "w", 1) as part:
            part.writelines(line for line, _ in zip(whole, range(PAIRS), strict=False))


def few(folder: Path, configuration: str) -> str:
    """A configuration of the sample that reads what is trained on in the folder."""
    return configuration.replace('"train.', f'"{folder}/train.')
