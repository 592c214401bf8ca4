"""A model with domains."""

import gzip
from pathlib import Path

import pytest

from tests.cli.models.labeled_text import LINES, pair, run

DATA = Path(__file__).parents[3] / "data"


@pytest.fixture(scope="package")
def labeled(tmp_path_factory):
    """The first lines of the bundled training text, and a model with its domains."""
    folder = tmp_path_factory.mktemp("labeled")
    for name in ("train.en", "train.es", "train.labels"):
        lines = gzip.decompress((DATA / f"{name}.gz").read_bytes()).decode().splitlines()
        (folder / name).write_text("\n".join(lines[:LINES]) + "\n", encoding="utf-8")
    run("align", *pair(folder), "--labels", folder / "train.labels", "--model", folder / "m",
        "--t2s", folder / "fwd", "--s2t", folder / "rev", "-o", folder / "links",
        "--posteriors", folder / "posteriors", "-q")  # fmt: skip
    return folder
