"""extract on a Ray cluster that loses a node, and clusters and folders that are not there."""

import re
import time
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from isogloss.align.errors import UsageError
from isogloss.features.extraction.rule_store import RuleShards
from tests.cli.tables.small_text import MANY_OPTIONS, by_name, contents, run
from tests.naive.workers import simulated_nodes


@pytest.fixture
def nodes() -> Iterator[Any]:
    """A cluster of two simulated nodes of one processor, and a head without."""
    with simulated_nodes(2) as cluster:
        yield cluster


@pytest.mark.thorough
@pytest.mark.parametrize(
    "call", ["rule_store.shard_bounds", "cluster_tables.store_mapped"], ids=["counting", "scoring"]
)
def test_a_node_is_lost(
    long_text: Path,
    nodes: Any,
    call: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Before its worker is given something to do; the other node does it."""
    run(long_text, *MANY_OPTIONS, output="one/table.gz")
    (long_text / "shared").mkdir()
    module, _, name = f"isogloss.features.extraction.{call}".rpartition(".")
    function = getattr(import_module(module), name)

    def lose(*arguments: Any) -> Any:
        nodes.remove_node(max(nodes.worker_nodes, key=id), allow_graceful=False)
        ray = import_module("ray")
        while sum(node["Alive"] for node in ray.nodes()) > 2:  # the head and the other one
            time.sleep(0.1)
        time.sleep(2.0)  # its worker ends when it finds its node gone
        return function(*arguments)

    monkeypatch.setattr(f"{module}.{name}", lose)
    place = ["--cluster", nodes.address, "--threads=1", "--tmpdir", long_text / "shared"]
    run(long_text, *MANY_OPTIONS, *place, output="two/table.gz")
    assert len(nodes.worker_nodes) == 1
    said = capsys.readouterr().err
    assert re.search("a worker was lost on node .*: the others do its work", said)
    assert by_name(long_text / "two") == by_name(long_text / "one")
    assert list((long_text / "shared").iterdir()) == []


def test_a_folder_that_a_node_does_not_see(tmp_path: Path) -> None:
    message = (
        r"none cannot be read on node .* of the cluster \(No such file or directory\); pass "
        r"--tmpdir with a folder that all nodes share"
    )
    with pytest.raises(UsageError, match=message):
        _ = RuleShards(tmp_path / "none").text


def test_what_is_refused(long_text: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("ray", reason="Ray isn't installed; pip install isogloss[distributed]")
    before = contents(long_text)
    run(long_text, "--nodes=2", status=2)
    assert "--nodes has no effect without --cluster" in capsys.readouterr().err
    run(long_text, "--cluster=localhost:1", status=2)
    assert "no Ray cluster is reachable at localhost:1" in capsys.readouterr().err
    assert contents(long_text) == before
