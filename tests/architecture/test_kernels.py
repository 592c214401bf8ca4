"""Rules of the house, read from the source code."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("align", "features", "tune", "isogloss")
KERNELS = sorted(ROOT.glob("*/kernels/*.py"))
MODULES = sorted(path for package in PACKAGES for path in (ROOT / package).rglob("*.py"))
ALLOWED = {"numpy", "numba", "typing", "numpy.typing", "collections", "heapq"}


def name_of(path: Path) -> str:
    return str(path.relative_to(ROOT))


def functions(tree: ast.AST) -> Iterator[ast.FunctionDef]:
    return (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef))


def is_jit(decorator: ast.expr) -> bool:
    called = decorator.func if isinstance(decorator, ast.Call) else decorator
    name = called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", "")
    return name in ("njit", "jit", "vectorize", "guvectorize")


def test_the_kernels_are_found() -> None:
    assert {"align", "features", "tune"} <= {path.parts[-3] for path in KERNELS}


@pytest.mark.parametrize("path", KERNELS, ids=name_of)
def test_every_compiled_function_frees_the_lock_and_is_cached(path: Path) -> None:
    wrong = []
    for function in functions(ast.parse(path.read_text())):
        for decorator in filter(is_jit, function.decorator_list):
            keywords = {
                key.arg: getattr(key.value, "value", None)
                for key in getattr(decorator, "keywords", [])
            }
            if not (keywords.get("nogil") is True and keywords.get("cache") is True):
                wrong.append(function.name)
            if "parallel" in keywords or "fastmath" in keywords:
                wrong.append(function.name)  # sums in another order: results would differ
    assert wrong == []


@pytest.mark.parametrize("path", KERNELS, ids=name_of)
def test_kernels_import_arrays_and_kernels_only(path: Path) -> None:
    """Which package may use another one's kernels is for import-linter to say."""
    siblings = {other.stem for other in path.parent.glob("*.py")}
    kernels = {".".join(other.relative_to(ROOT).with_suffix("").parts) for other in KERNELS}
    wrong = []
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            wrong += [alias.name for alias in node.names if alias.name not in ALLOWED]
        elif isinstance(node, ast.ImportFrom):
            good = node.module in (
                siblings if node.level == 1 else ALLOWED | kernels if not node.level else ()
            )
            wrong += [] if good else [f"{'.' * node.level}{node.module}"]
    assert wrong == []


def undocumented(body: list[ast.stmt], owner: str) -> Iterator[str]:
    for node in body:
        if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            continue
        if node.name.startswith("_") or _is_overload(node):
            continue
        if not ast.get_docstring(node):
            yield f"{owner}{node.name}"
        if isinstance(node, ast.ClassDef):
            yield from undocumented(node.body, f"{owner}{node.name}.")


def _is_overload(node: ast.stmt) -> bool:
    names = {getattr(decorator, "id", "") for decorator in getattr(node, "decorator_list", [])}
    return "overload" in names


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_what_is_public_is_documented(path: Path) -> None:
    tree = ast.parse(path.read_text())
    assert list(undocumented(tree.body, "")) == []
    if path.read_text().strip():
        assert ast.get_docstring(tree)
