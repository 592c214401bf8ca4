"""Files to extract from."""

import random

import pytest

from tests.cli.tables.small_text import (
    LABELS,
    LINKS,
    SOURCE,
    TARGET,
    write,
)


@pytest.fixture
def folder(tmp_path):
    write(tmp_path / "f", SOURCE)
    write(tmp_path / "e", TARGET)
    write(tmp_path / "links", LINKS)
    write(tmp_path / "labels", LABELS)
    write(tmp_path / "posteriors", ["law\tit", "1\t0", "0.75\t0.25", "0\t1", "0.5\t0.5"])
    write(tmp_path / "weights", ["1", "0.5", "0.25", "2"])
    return tmp_path


@pytest.fixture
def long_text(tmp_path):
    """Several thousand phrase pairs of few words."""
    rng = random.Random(1)
    source, target, links = [], [], []
    for _ in range(250):
        size = rng.randint(4, 9)
        source.append(" ".join(rng.choice("abcdefghijkl") for _ in range(size)))
        target.append(" ".join(rng.choice("mnopqrst") for _ in range(size)))
        order = sorted(range(size), key=lambda k: k + rng.random() * 2)
        links.append(" ".join(f"{j}-{i}" for j, i in enumerate(order) if rng.random() < 0.8))
    write(tmp_path / "f", source)
    write(tmp_path / "e", target)
    write(tmp_path / "links", links)
    write(tmp_path / "weights", [f"{rng.random() + 0.01:.3f}" for _ in range(250)])
    shares = [rng.random() for _ in range(250)]
    write(tmp_path / "posteriors", ["law\tit", *(f"{p:.4f}\t{1 - p:.4f}" for p in shares)])
    write(tmp_path / "labels", [rng.choice(["law", "it", "-"]) for _ in range(250)])
    return tmp_path
