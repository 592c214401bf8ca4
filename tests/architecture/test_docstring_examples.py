"""Examples of docstrings print what they say."""

import doctest
from importlib import import_module

import pytest

from tests.architecture.reading import INNER, ROOT, Module, modules

EXAMPLES = [
    module for module in modules(ROOT, "features", "tune", "isogloss") if ">>> " in module.text
]


def name_of(module: Module) -> str:
    """Its name as it is imported: the folders of a checkout are subpackages."""
    return f"isogloss.{module.name}" if module.name.partition(".")[0] in INNER else module.name


@pytest.mark.parametrize("module", EXAMPLES, ids=name_of)
def test_examples(
    module: Module, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path_factory.mktemp("examples")
    monkeypatch.chdir(folder)
    monkeypatch.setattr("tempfile.tempdir", str(folder))
    result = doctest.testmod(import_module(name_of(module)), optionflags=doctest.ELLIPSIS)
    assert result.attempted > 0
    assert result.failed == 0
