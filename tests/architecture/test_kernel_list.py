"""Every kernel that Python calls is on the list of those that are compiled ahead."""

import ast
from collections.abc import Iterator
from importlib import import_module
from types import ModuleType
from typing import Any

from isogloss.align.kernels.lazy import Kernel
from isogloss.compilation.signatures import kernel_of, read_list
from tests.architecture.reading import PACKAGES, ROOT, Module, base, modules

# kernels that no command calls, and why they are there
NOT_OF_COMMANDS = {
    "isogloss.tune.decoder.kernels.ngram.score_sentence": "NgramTable.score, for programs",
    "isogloss.tune.forest.kernels.inside.derivations": "count_derivations, for programs",
    "isogloss.tune.forest.kernels.inside.probabilities": "tune.forest.inference, for programs",
}


def imported_names(module: Module) -> Iterator[tuple[str, Any]]:
    """What a module imports from folders of kernels, anywhere in it, by the names it uses."""
    for node in module.nodes:
        if not isinstance(node, ast.ImportFrom):
            continue
        origin = base(module, node)
        for alias in node.names:
            name = f"{origin}.{alias.name}"
            if "kernels" in name.split("."):
                holder = import_module(origin)
                is_module = not hasattr(holder, alias.name)
                value = import_module(name) if is_module else getattr(holder, alias.name)
                yield alias.asname or alias.name, value


def kernels_of(module: Module) -> Iterator[Kernel]:
    """The kernels that a module imports, or reads of a module that it imports."""
    names = dict(imported_names(module))
    for value in names.values():
        if isinstance(value, Kernel):
            yield value
    for node in module.nodes:
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            holder = names.get(node.value.id)
            value = getattr(holder, node.attr, None) if isinstance(holder, ModuleType) else None
            if isinstance(value, Kernel):
                yield value


def test_every_kernel_that_python_calls_is_on_the_list() -> None:
    """Else an installation with compiled kernels compiles it when a command calls it first."""
    called = {
        f"{kernel.__module__}.{kernel.py_func.__name__}"
        for module in modules(ROOT, *PACKAGES)
        if not module.is_kernel
        for kernel in kernels_of(module)
    }
    assert len(called) > 90
    missing = called - set(map(kernel_of, read_list()))
    assert missing == set(NOT_OF_COMMANDS), "a command's test that calls it adds it to the list"
