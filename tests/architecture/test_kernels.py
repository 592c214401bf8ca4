"""Rules of the house, read from the source code."""

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from tests.architecture.reading import INNER, PACKAGES, ROOT, dotted

KERNELS = sorted(path for package in INNER for path in (ROOT / package).glob("**/kernels/*.py"))
MODULES = sorted(path for package in PACKAGES for path in (ROOT / package).rglob("*.py"))
ALLOWED = {"numpy", "typing", "numpy.typing", "collections", "heapq"}
VECTOR_CODE = {"llvmlite", "numba.core", "numba.extending"}  # what intrinsics are made of
# Numba's decorator, put off, what it makes of kernels that others call, what it keeps of them, and
# how it makes Python's objects of results
COMPILING = {
    ROOT / "align" / name
    for name in (
        "kernels/boxing.py",
        "kernels/lazy.py",
        "kernels/inner.py",
        "kernels/disk_cache.py",
        "kernels/reporting.py",
        "shipped_kernels.py",
    )
}
INTRINSICS = {  # the only modules that may do without Numba's checks
    ROOT / "align" / name
    for name in (
        "kernels/simd_code.py",
        "kernels/vector_code.py",
        "model/kernels/jump_code.py",
        "model/kernels/step_code.py",
    )
}


@cache
def tree_of(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def name_of(path: Path) -> str:
    return str(path.relative_to(ROOT))


def functions(tree: ast.AST) -> Iterator[ast.FunctionDef]:
    return (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef))


def decorator_name(decorator: ast.expr) -> str:
    called = decorator.func if isinstance(decorator, ast.Call) else decorator
    return called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", "")


def is_jit(decorator: ast.expr) -> bool:
    return decorator_name(decorator) in ("njit", "jit", "vectorize", "guvectorize")


def intrinsics(path: Path) -> list[ast.FunctionDef]:
    return [
        function
        for function in functions(tree_of(path))
        if "intrinsic" in map(decorator_name, function.decorator_list)
    ]


@cache
def imported(path: Path) -> set[str]:
    """Modules that a module imports, those of other packages only."""
    names: set[str] = set()
    for node in ast.walk(tree_of(path)):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and not node.level:
            names.add(str(node.module))
    return names


def test_the_kernels_are_found() -> None:
    assert {"align", "model", "extraction", "pruning", "tune", "decoder", "metrics"} <= {
        path.parts[-3] for path in KERNELS
    }


def wrongly_compiled(path: Path) -> Iterator[str]:
    """Kernels that hold the lock, are not kept, or whose sums may be in another order."""
    for function in functions(tree_of(path)):
        for decorator in filter(is_jit, function.decorator_list):
            keywords = {
                key.arg: getattr(key.value, "value", None)
                for key in getattr(decorator, "keywords", [])
            }
            is_right = keywords.get("nogil") is True and keywords.get("cache") is True
            if not is_right or "parallel" in keywords or "fastmath" in keywords:
                yield f"{name_of(path)}: {function.name}"


def test_every_compiled_function_frees_the_lock_and_is_cached() -> None:
    assert [wrong for path in KERNELS for wrong in wrongly_compiled(path)] == []


def foreign(path: Path, kernels: set[str]) -> Iterator[str]:
    """What a module of kernels imports that is neither arrays nor one of the modules of kernels."""
    allowed = ALLOWED | kernels | (VECTOR_CODE | {"numba"} if path in INTRINSICS else set())
    package = dotted(path.relative_to(ROOT)).split(".")[:-1]
    for node in ast.walk(tree_of(path)):
        names = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            room = package[: len(package) - node.level + 1] if node.level else ()
            names = [".".join([*room, str(node.module)])]
        yield from (f"{name_of(path)}: {name}" for name in names if name not in allowed)


def test_kernels_import_arrays_and_kernels_only() -> None:
    """Which package may use another one's kernels is for import-linter to say."""
    kernels = {dotted(path.relative_to(ROOT)) for path in KERNELS}
    looked_at = [path for path in KERNELS if path not in COMPILING]
    assert [name for path in looked_at for name in foreign(path, kernels)] == []


def test_vector_code_stands_in_its_modules() -> None:
    """Modules below those named, too."""
    users = {
        path
        for path in MODULES
        if any(
            f"{name}.".startswith(f"{maker}.") for maker in VECTOR_CODE for name in imported(path)
        )
    }
    assert INTRINSICS == users - COMPILING
    assert {path for path in MODULES if intrinsics(path)} <= INTRINSICS


def test_every_intrinsic_says_what_it_computes() -> None:
    """In a docstring of whole sentences."""
    named = [function for path in INTRINSICS for function in intrinsics(path)]
    assert len(named) >= 6
    for function in named:
        text = ast.get_docstring(function)
        assert text, function.name
        assert text.strip().endswith("."), function.name


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


def test_what_is_public_is_documented() -> None:
    trees = {name_of(path): tree_of(path) for path in MODULES}
    assert {
        path: names for path, tree in trees.items() if (names := [*undocumented(tree.body, "")])
    } == {}
    assert [path for path, tree in trees.items() if tree.body and not ast.get_docstring(tree)] == []
