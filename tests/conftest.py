"""Fixtures for all tests."""

import gc
import os
import signal
import subprocess
import sys
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, settings

# no test is timed: compilation and a busy machine are not the fault of code. Seeds are fixed:
# what passes here passes elsewhere. Nothing is shrunk, which can take five minutes
settings.register_profile(
    "isogloss",
    deadline=None,
    database=None,
    derandomize=True,
    phases=[Phase.explicit, Phase.generate],
    max_examples=20,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.register_profile("thorough", settings.get_profile("isogloss"), max_examples=50)
# for --hypothesis-profile: other seeds each time, with a line that repeats a failure; and the
# smallest example that fails
settings.register_profile(
    "fresh", settings.get_profile("thorough"), derandomize=False, print_blob=True
)
settings.register_profile("shrink", settings.get_profile("thorough"), phases=list(Phase))
# kernels that run as plain Python are slow, and tried on few examples
settings.register_profile("interpreted", settings.get_profile("isogloss"), max_examples=5)
settings.load_profile("interpreted" if os.environ.get("NUMBA_DISABLE_JIT") else "isogloss")


# tests of the repository itself: its structure, pages, wheels and benchmarks; and of a browser
OF_THE_REPOSITORY = [
    *map(Path(__file__).with_name, ("architecture", "browser", "documentation")),
    Path(__file__).parent / "unit" / "benchmarks",
]  # fmt: skip


def is_of_the_repository(path: Path) -> bool:
    """Whether a test file belongs to the thorough tier as a whole."""
    return any(path.is_relative_to(folder) for folder in OF_THE_REPOSITORY)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What is of the repository itself belongs to the thorough tier."""
    thorough = {path for path in {item.path for item in items} if is_of_the_repository(path)}
    for item in items:
        if item.path in thorough:
            item.add_marker(pytest.mark.thorough)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """A run of the default tests doesn't even load them."""
    is_default = config.option.markexpr == "not thorough"
    return True if is_default and collection_path in OF_THE_REPOSITORY else None


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Tests and modules stay to the end: no search for garbage goes through them."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()
        gc.collect()
        gc.freeze()


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """One more worker than processors: some tests wait for something."""
    return (os.cpu_count() or 1) + 1


COMPILING = pytest.StashKey[subprocess.Popen[bytes]]()


def pytest_sessionstart(session: pytest.Session) -> None:
    """Tests that wait for something leave a processor idle: kernels are compiled meanwhile.

    Only beside workers of pytest-xdist, and of low priority. A worker that needs a kernel which is
    being compiled waits for it; any other one it compiles itself.
    """
    config = session.config
    alone = hasattr(config, "workerinput") or not config.getoption("numprocesses", None)
    if not alone and not os.environ.get("NUMBA_DISABLE_JIT"):
        compiling = config.stash[COMPILING] = subprocess.Popen(
            [sys.executable, "-m", "isogloss", "compile", "--jobs", "1", "--quiet"],
            cwd=config.rootpath, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL, start_new_session=True,
        )  # fmt: skip
        os.setpriority(os.PRIO_PROCESS, compiling.pid, 5)


def pytest_sessionfinish(session: pytest.Session) -> None:
    """End what still compiles."""
    compiling = session.config.stash.get(COMPILING, None)
    if compiling is not None and compiling.poll() is None:
        os.killpg(compiling.pid, signal.SIGTERM)
        compiling.wait()


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """Folder of the real data: $ISOGLOSS_DATA, or ../shared/data beside the repository."""
    default = Path(__file__).resolve().parents[2] / "shared" / "data"
    folder = Path(os.environ.get("ISOGLOSS_DATA", default))
    if not folder.is_dir():
        pytest.skip(f"no data in {folder}; set ISOGLOSS_DATA to the folder of the real data")
    return folder


@pytest.fixture
def from_a_terminal() -> Iterator[None]:
    """Signals are those of a program that a shell starts in the foreground, also for its children.

    A shell that starts one in the background has it ignore Ctrl-C, and nohup SIGHUP.
    """
    as_usual = {
        signal.SIGTERM: signal.SIG_DFL,
        signal.SIGHUP: signal.SIG_DFL,
        signal.SIGINT: signal.default_int_handler,
    }
    before = {number: signal.signal(number, handler) for number, handler in as_usual.items()}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.fixture(scope="session")
def kenlm() -> Any:
    """KenLM's module."""
    return pytest.importorskip("kenlm", reason="KenLM isn't installed; pip install camel-kenlm")


@pytest.fixture(scope="module")
def started() -> Iterator[Any]:
    """A cluster of this machine, for all tests of a module."""
    ray = pytest.importorskip(
        "ray", reason="Ray isn't installed; pip install isogloss[distributed]"
    )
    ray.init(
        "local", num_cpus=2, include_dashboard=False, log_to_driver=False, logging_level="ERROR",
        object_store_memory=1 << 27,
    )  # fmt: skip
    yield ray
    ray.shutdown()
