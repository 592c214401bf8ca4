"""What tests of the architecture read from source code: modules, imports, circles, sizes."""

import ast
import re
from collections.abc import Iterator, Mapping
from functools import cache, cached_property
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("align", "features", "tune", "isogloss")  # none imports from one that follows it
INNER = PACKAGES[:3]  # folders beside isogloss/, which has them as subpackages by links
FACES = ("isogloss", *(f"isogloss.{name}" for name in INNER))

Function = ast.FunctionDef | ast.AsyncFunctionDef
Graph = Mapping[str, set[str]]


def marked_block(page: str, mark: str) -> str:
    """The code block of a page that follows ``<!-- MARK -->``."""
    text = (ROOT / page).read_text(encoding="utf-8")
    found = re.search(rf"<!-- {mark} -->\n```\w+\n(.*?)```", text, re.DOTALL)
    assert found, f"{page} has no <!-- {mark} --> before a code block"
    return found[1]


def dotted(path: Path) -> str:
    """The name that a file of the repository is imported by."""
    parts = path.with_suffix("").parts
    return ".".join(("isogloss", *parts) if parts[0] in INNER else parts)


def package_of(name: str) -> str:
    """The folder at the top of the repository that a module stands in."""
    return next((inner for inner in INNER if name.startswith(f"isogloss.{inner}.")), "isogloss")


class Module:
    """A source file of a tree. name: dotted; path: relative to the tree's root."""

    def __init__(self, root: Path, path: Path) -> None:
        self.path = path.relative_to(root)
        self.text = path.read_text(encoding="utf-8")
        parts = dotted(self.path).split(".")
        self.is_package = parts[-1] == "__init__"
        self.name = ".".join(parts[:-1] if self.is_package else parts)

    @cached_property
    def tree(self) -> ast.Module:
        return ast.parse(self.text)

    @property
    def is_kernel(self) -> bool:
        return "kernels" in self.path.parts[:-1]

    @property
    def num_lines(self) -> int:
        return len(self.text.splitlines())

    @cached_property
    def nodes(self) -> list[ast.AST]:
        """All nodes of the tree."""
        return list(ast.walk(self.tree))

    def functions(self) -> Iterator[Function]:
        """Methods and inner functions among them."""
        return (node for node in self.nodes if isinstance(node, Function))


def modules(root: Path, *folders: str) -> list[Module]:
    """All modules of some packages or folders of a tree; those of the repository are read once."""
    read = _house if root == ROOT else _read
    return [module for folder in folders for module in read(root, folder)]


def _read(root: Path, folder: str) -> list[Module]:
    return [Module(root, path) for path in sorted((root / folder).rglob("*.py"))]


_house = cache(_read)


def base(module: Module, node: ast.ImportFrom) -> str:
    """The dotted name that ``from BASE import ...`` means."""
    if not node.level:
        return str(node.module)
    parts = module.name.split(".")
    kept = parts[: len(parts) - node.level + module.is_package]
    return ".".join([*kept, node.module] if node.module else kept)


def imported(module: Module, names: set[str]) -> set[str]:
    """Those of the modules ``names`` that one imports anywhere: in functions and for types, too."""
    result = set()
    for node in module.nodes:
        if isinstance(node, ast.Import):
            result |= {alias.name for alias in node.names} & names
        elif isinstance(node, ast.ImportFrom):
            origin = base(module, node)
            inner = {f"{origin}.{alias.name}" for alias in node.names}
            result |= inner & names
            if origin in names and not inner <= names:
                result.add(origin)
    return result - {module.name}


def import_graph(sources: list[Module]) -> dict[str, set[str]]:
    """Which modules each module imports."""
    return _import_graph(tuple(sources))


@cache
def _import_graph(sources: tuple[Module, ...]) -> dict[str, set[str]]:
    names = {module.name for module in sources}
    return {module.name: imported(module, names) for module in sources}


def room(name: str, folders: set[str]) -> str:
    """The folder that a module stands in, a folder's face in the folder itself.

    Kernels belong to the room around theirs: isogloss.tune.optimizers.lp_mert has
    isogloss.tune.optimizers.lp_mert.kernels.x. What stands in a package itself is a room of its
    own.
    """
    folder = name if name in folders else name.rpartition(".")[0]
    outer = folder.removesuffix(".kernels")
    folder = folder if outer in FACES else outer
    return name if folder in FACES else folder


def room_graph(graph: Graph) -> dict[str, set[str]]:
    """Which rooms each room imports from; the faces of packages belong to no room."""
    folders = {name.rpartition(".")[0] for name in graph}
    result: dict[str, set[str]] = {}
    for name, targets in graph.items():
        if name not in FACES:
            own = room(name, folders)
            below = {room(target, folders) for target in targets if target not in FACES}
            result.setdefault(own, set()).update(below - {own})
    return result


def circle(graph: Graph) -> list[str]:
    """The names along some circle, in order, or none."""
    done: set[str] = set()

    def search(name: str, trail: list[str]) -> list[str]:
        if name in trail:
            return trail[trail.index(name) :]
        if name in done:
            return []
        for target in sorted(graph.get(name, ())):
            if names := search(target, [*trail, name]):
                return names
        done.add(name)
        return []

    for name in sorted(graph):
        if names := search(name, []):
            return names
    return []


class Size(NamedTuple):
    """Something that is larger than it should be. where: FILE or FILE:FUNCTION."""

    where: str
    number: int
    unit: str

    def __str__(self) -> str:
        return f"{self.where}: {self.number} {self.unit}"


def num_parameters(function: Function) -> int:
    """Without self and cls."""
    given = function.args
    every = [*given.posonlyargs, *given.args, *given.kwonlyargs]
    return len(every) - (bool(every) and every[0].arg in ("self", "cls"))


FILE_LINES, FUNCTION_LINES, KERNEL_LINES, PARAMETERS = 400, 60, 90, 8


def docstring_lines(function: ast.FunctionDef) -> int:
    """Lines of a function's docstring."""
    first = function.body[0]
    if ast.get_docstring(function, clean=False) is None:
        return 0
    return int(first.end_lineno or 0) - first.lineno + 1


def too_large(sources: list[Module]) -> Iterator[Size]:
    """Files of over 400 lines, functions of over 60 (kernels 90) besides the docstring, and those
    of over 8 parameters.
    """
    for module in sources:
        path = module.path.as_posix()
        if module.num_lines > FILE_LINES:
            yield Size(path, module.num_lines, "lines")
        for function in module.functions():
            where = f"{path}:{function.name}"
            lines = int(function.end_lineno or 0) - function.lineno + 1 - docstring_lines(function)
            if lines > (KERNEL_LINES if module.is_kernel else FUNCTION_LINES):
                yield Size(where, lines, "lines")
            if (number := num_parameters(function)) > PARAMETERS:
                yield Size(where, number, "parameters")
