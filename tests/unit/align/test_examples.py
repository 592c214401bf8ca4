"""Examples in docstrings print what they say. ``model`` is trained on the sample text."""

import doctest
import importlib
import warnings
from pathlib import Path

import pytest

from isogloss.align import AlignmentModel, read_bitext, train
from tests.architecture.reading import ROOT, modules

NAMES = [module.name for module in modules(ROOT, "align") if ">>> " in module.text]


@pytest.fixture(scope="module")
def model() -> AlignmentModel:
    files = [ROOT / "data" / f"train.{name}.gz" for name in ("en", "es", "labels")]
    return train(read_bitext(files[0], files[1], labels=files[2]))


@pytest.mark.parametrize("name", NAMES)
def test_examples(
    name: str, model: AlignmentModel, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "data").symlink_to(ROOT / "data")
    monkeypatch.chdir(tmp_path)  # where examples may write
    module = importlib.import_module(name)
    told: list[str] = []
    finder, runner = doctest.DocTestFinder(), doctest.DocTestRunner(verbose=False)
    for test in finder.find(module, name, extraglobs={"model": model}):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ResourceWarning)  # files left to the collector
            runner.run(test, out=told.append)
    assert runner.tries > 0
    assert runner.failures == 0, "".join(told)
