"""Training on a Ray cluster of simulated nodes, one of which is lost."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import isogloss as ig
from isogloss.align.execution.groups import Workers
from isogloss.align.model.parameters import AlignerOptions
from tests.naive.workers import simulated_nodes

pytestmark = pytest.mark.thorough
DATA = Path(__file__).resolve().parents[4] / "data"
OPTIONS = AlignerOptions(model1_iterations=2, hmm_iterations=2, jump_classes=5)


@pytest.fixture
def nodes() -> Iterator[Any]:
    """A cluster of three simulated nodes of one processor, and a head without."""
    with simulated_nodes(3) as cluster:
        yield cluster


def test_the_others_go_on(nodes: Any) -> None:
    text = ig.read_bitext(DATA / "train.en.gz", DATA / "train.es.gz")[:3000]
    said: list[str] = []

    def report(line: str) -> None:
        if line.startswith("model1 iteration 2") and len(nodes.worker_nodes) == 3:
            nodes.remove_node(max(nodes.worker_nodes, key=id), allow_graceful=False)
        said.append(line)

    model = ig.train(text, options=OPTIONS, threads=Workers(nodes.address), report=report)
    assert model == ig.train(text, options=OPTIONS)
    assert any(line.startswith("a worker was lost on node ") for line in said)
