"""Training on a Ray cluster: the bytes of one machine, also where workers and nodes are lost."""

import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import isogloss as ig
from isogloss.align import Workers
from isogloss.align.execution.cluster import LOCAL
from isogloss.align.execution.cluster_groups import ClusterGroup, WorkerLostError
from isogloss.align.model.parameters import AlignerOptions
from isogloss.align.training.checkpoint import Checkpoint, fingerprint
from isogloss.align.training.storage import TrainingStorage
from tests.naive.workers import end_process

pytestmark = [
    pytest.mark.thorough,
    pytest.mark.filterwarnings("ignore::isogloss.align.errors.DataWarning"),
]
DATA = Path(__file__).resolve().parents[4] / "data"
PAIRS = 2500  # three shards at most
OPTIONS = AlignerOptions(model1_iterations=2, hmm_iterations=2, shared_iterations=3, jump_classes=5)
ASKED = 46  # asks of the training below by two workers, at least
KILLED = [*((True, number) for number in range(1, ASKED, 5)), (False, 3), (False, 17), (False, 40)]


@pytest.fixture(scope="module")
def text() -> ig.Bitext:
    labels = DATA / "train.labels.gz"
    return ig.read_bitext(DATA / "train.en.gz", DATA / "train.es.gz", labels=labels)[:PAIRS]


@pytest.fixture(scope="module")
def wanted(text: ig.Bitext, tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    return stored(ig.train(text, options=OPTIONS), tmp_path_factory.mktemp("one") / "model")


def stored(model: ig.AlignmentModel, folder: Path) -> dict[str, bytes]:
    """All files of a model."""
    model.save(folder)
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


@pytest.fixture
def killing(monkeypatch: pytest.MonkeyPatch) -> Callable[[int], list[int]]:
    """Has the process of a worker end at an ask of that number; returns the number of each ask."""

    def arm(number: int) -> list[int]:
        whole, asked = ClusterGroup.ask, list[int]()

        def ask(group: ClusterGroup, member: int, *arguments: Any, **parts: int) -> Any:
            asked.append(len(asked))
            if len(asked) == number:
                whole(group, number % group.size, end_process)
            return whole(group, member, *arguments, **parts)

        monkeypatch.setattr(ClusterGroup, "ask", ask)
        return asked

    return arm


def test_workers_give_the_bytes_of_threads(
    started: Any, text: ig.Bitext, wanted: dict[str, bytes], tmp_path: Path,
    killing: Callable[[int], list[int]],
) -> None:  # fmt: skip
    asked = killing(0)
    model = ig.train(text, options=OPTIONS, threads=Workers(LOCAL, 2))
    assert stored(model, tmp_path / "model") == wanted
    assert len(asked) >= ASKED


@pytest.mark.parametrize(("saved", "number"), KILLED)
def test_a_worker_that_is_killed(
    saved: bool, number: int, started: Any, text: ig.Bitext, wanted: dict[str, bytes],
    tmp_path: Path, killing: Callable[[int], list[int]],
) -> None:  # fmt: skip
    """Training goes on from the last checkpoint, or begins anew."""
    killing(number)
    place = Checkpoint(tmp_path / "state", fingerprint(text, OPTIONS)) if saved else None
    said: list[str] = []
    model = ig.train(
        text, options=OPTIONS, threads=Workers(LOCAL, 2), report=said.append,
        storage=TrainingStorage(place),
    )  # fmt: skip
    assert stored(model, tmp_path / "model") == wanted
    lost = [k for k, line in enumerate(said) if line.startswith("a worker was lost on node ")]
    assert len(lost) == 1
    done = sum(" iteration " in line for line in said[: lost[0]])
    resumed = [line for line in said if line.startswith("resuming after")]
    assert len(resumed) <= (saved and done > 0)
    again = sum(" iteration " in line for line in said) - 4
    # an iteration is told before its state is saved, for which all workers are asked
    assert again in ((0, 1) if saved else (done,))


def test_workers_that_are_lost_again_and_again(
    started: Any, text: ig.Bitext, monkeypatch: pytest.MonkeyPatch
) -> None:
    def ask(group: ClusterGroup, *arguments: Any, parts: int = 0) -> Any:
        return whole(group, 0, end_process, parts=parts)

    whole = ClusterGroup.ask
    monkeypatch.setattr(ClusterGroup, "ask", ask)
    said: list[str] = []
    with pytest.raises(WorkerLostError, match=r"a worker was lost on node .*, then resume the run"):
        ig.train(text, options=OPTIONS, threads=Workers(LOCAL, 1, losses=2), report=said.append)
    assert sum("training goes on without it" in line for line in said) == 2


@pytest.mark.parametrize("iterations", [1, 3])
def test_who_asks_is_killed_and_resumed(
    iterations: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By other numbers of workers; model and links are those of one machine."""
    pytest.importorskip("ray", reason="Ray isn't installed; pip install isogloss[distributed]")
    monkeypatch.chdir(tmp_path)
    names = [str(DATA / f"train.{name}.gz") for name in ("en", "es")]
    plain = [sys.executable, "-m", "isogloss", "align", *names, "-q", "--model1-iterations", "2",
             "--hmm-iterations", "2", "--model"]  # fmt: skip
    subprocess.run([*plain, "one", "-o", "one.links"], check=True)
    given = [*plain, "other", "-o", "other.links", "--cluster", "local"]
    with subprocess.Popen([*given, "--nodes", "2", "--threads", "1"]) as process:
        while not (tmp_path / "other.checkpoint" / f"iteration-{iterations}").exists():
            assert process.poll() is None
        process.send_signal(signal.SIGKILL)
    subprocess.run([*given, "--nodes", "1", "--threads", "2", "--resume"], check=True)
    assert Path("other.links").read_bytes() == Path("one.links").read_bytes()
    for path in Path("one").iterdir():
        assert Path("other", path.name).read_bytes() == path.read_bytes()
