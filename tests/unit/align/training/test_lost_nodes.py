"""Training on a Ray cluster of simulated nodes, one of which is lost."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import isogloss as ig
from isogloss.align.execution.groups import Workers
from isogloss.align.model.parameters import AlignerOptions

pytestmark = pytest.mark.thorough
DATA = Path(__file__).resolve().parents[4] / "data"
OPTIONS = AlignerOptions(model1_iterations=2, hmm_iterations=2, jump_classes=5)


@pytest.fixture
def nodes() -> Iterator[Any]:
    """A cluster of three simulated nodes of one processor, and a head without."""
    pytest.importorskip("ray", reason="Ray isn't installed; pip install isogloss[distributed]")
    from ray.cluster_utils import Cluster

    patient = {"health_check_timeout_ms": 60_000}  # a busy machine's nodes answer late
    settings = {"num_cpus": 0, "include_dashboard": False, "_system_config": patient}
    cluster = Cluster(initialize_head=True, head_node_args=settings)
    for _ in range(3):
        cluster.add_node(num_cpus=1, object_store_memory=1 << 27)
    yield cluster
    cluster.shutdown()


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
