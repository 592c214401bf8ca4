"""Docstrings of what is public: a purpose, and dtype and shape of every array."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from tests.architecture.reading import PACKAGES, ROOT, Function, Module, modules

DTYPES = (
    "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
    "float32", "float64", "float", "str",
)  # fmt: skip
ARRAY = rf"\b(?P<dtype>{'|'.join(DTYPES)})\[[^\]]+\]"

FORMS = (
    # name: float64[n], meaning; one, other: float64[n] each; name: (int64[n], ...), in one item
    r"(?<![\w.]){name}`*(?:,[^:;]*)?:(?: (?!\w+:)[^;]*?)? ?\(?`*{array}",
    # the counts float64[n], the name (float64[n]), ``name`` of int32[n]
    r"(?<![\w.]){name}`*,? (?:of |is |are |\()?{array}",
)
"""Forms in which a docstring may give the dtype and shape of a parameter or field."""


NUMPYDOC = re.compile(r"ndarray of (\w+), shape \(([^()]*)\)")
"""An array as a section of numpydoc has it: ``name : ndarray of float64, shape (n,)``."""


class Array(NamedTuple):
    """An array of a signature. name: of the parameter or field, or "" for the result."""

    name: str
    dtype: str  # "" where any will do


def _dtypes(annotation: ast.expr, aliases: dict[str, ast.expr]) -> list[str]:
    """Of the arrays in an annotation: of unions and tuples all, but not of what functions take."""
    if isinstance(annotation, ast.Constant) and isinstance(annotation.value, str):
        annotation = ast.parse(annotation.value, mode="eval").body
    if isinstance(annotation, ast.Name):
        below = aliases.get(annotation.id)
        return _dtypes(below, {}) if below is not None else []
    if isinstance(annotation, ast.BinOp):
        return _dtypes(annotation.left, aliases) + _dtypes(annotation.right, aliases)
    if not isinstance(annotation, ast.Subscript):
        return []
    kind = getattr(annotation.value, "id", "")
    if kind == "NDArray":
        name = getattr(annotation.slice, "attr", "").rstrip("_")
        return [name if name in DTYPES else ""]
    if kind in ("tuple", "list", "Sequence", "Iterator", "Iterable"):
        inner = annotation.slice
        parts = inner.elts if isinstance(inner, ast.Tuple) else [inner]
        return [dtype for part in parts for dtype in _dtypes(part, aliases)]
    return []


def _aliases(tree: ast.Module) -> dict[str, ast.expr]:
    """Names of types at the top of a module, such as ``Floats = NDArray[np.float64]``."""
    return {
        node.targets[0].id: node.value
        for node in tree.body
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)
    }


def arrays(node: Function | ast.ClassDef, aliases: dict[str, ast.expr]) -> Iterator[Array]:
    """Arrays among a function's parameters and its result, or a class's public fields."""
    if isinstance(node, ast.ClassDef):
        for field in node.body:
            if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name):
                dtypes = _dtypes(field.annotation, aliases)
                if dtypes and not field.target.id.startswith("_"):
                    yield Array(field.target.id, dtypes[0])
        return
    given = node.args
    for argument in [*given.posonlyargs, *given.args, *given.kwonlyargs]:
        if argument.annotation is not None and (dtypes := _dtypes(argument.annotation, aliases)):
            yield Array(argument.arg, dtypes[0])
    if node.returns is not None and (dtypes := _dtypes(node.returns, aliases)):
        yield Array("", dtypes[0])


def untold(docstring: str, wanted: list[Array]) -> Iterator[str]:
    """Arrays whose dtype and shape a docstring doesn't give, or gives otherwise."""
    docstring = NUMPYDOC.sub(r"\1[\2]", docstring).replace(" : ", ": ")
    text = re.sub(r"\s+", " ", re.sub(r"\n\s*\n", ";", docstring))
    text = re.sub(r"(?<!,) (?=[a-z_]\w*(?:, [a-z_]\w*)*: )", ";", text)  # an item begins
    rest = text
    for array in wanted:
        if not array.name:
            continue
        told: list[re.Match[str]] = []
        for form in FORMS:
            pattern = form.replace("{name}", re.escape(array.name)).replace("{array}", ARRAY)
            told = told or list(re.finditer(pattern, text))
        if not told:
            yield array.name
        elif array.dtype and array.dtype not in {match["dtype"] for match in told}:
            yield f"{array.name} (not {array.dtype})"
        for match in told:
            rest = rest.replace(match[0], "")
    for array in wanted:
        if not array.name:
            told = list(re.finditer(ARRAY, rest))
            if not any(array.dtype in ("", match["dtype"]) for match in told):
                yield "result"


def _is_overload(node: Function) -> bool:
    return any(getattr(decorator, "id", "") == "overload" for decorator in node.decorator_list)


def public(body: list[ast.stmt], owner: str = "") -> Iterator[tuple[str, Function | ast.ClassDef]]:
    """Public functions, classes and methods by their dotted name."""
    for node in body:
        if isinstance(node, Function | ast.ClassDef) and not node.name.startswith("_"):
            if isinstance(node, ast.ClassDef):
                yield f"{owner}{node.name}", node
                yield from public(node.body, f"{owner}{node.name}.")
            elif not _is_overload(node):
                yield f"{owner}{node.name}", node


def lacking(module: Module) -> Iterator[str]:
    """What a module's public docstrings lack, by name."""
    aliases = _aliases(module.tree)
    for name, node in public(module.tree.body):
        docstring = ast.get_docstring(node)
        if docstring is None:
            yield f"{name}: a docstring"
            continue
        for what in untold(docstring, list(arrays(node, aliases))):
            yield f"{name}: {what}"


def test_arrays_have_dtype_and_shape() -> None:
    """Kernels have no annotations but in their named tuples."""
    house = modules(ROOT, *PACKAGES)
    found = {module.path.as_posix(): list(lacking(module)) for module in house}
    assert {path: names for path, names in found.items() if names} == {}


# --- the checker


SOURCE = '''
Floats = NDArray[np.float64]

def good(a: Floats, b: NDArray[np.int32] | None, c: int) -> NDArray[np.bool_]:
    """Which are good: bool[n].

    a: float64[n], a thing
    b: int32[n, 2]
    """

def each(a: Floats, b: "Floats", d: tuple[Floats, Floats]) -> None:
    """Joins the counts b float64[m].

    a, d: float64[n] each
    """

def sections(a: Floats, b: NDArray[np.int32] | None) -> Floats:
    """Have sections.

    Parameters
    ----------
    a : ndarray of float64, shape (n,)
        A thing.
    b : ndarray of int32, shape (n, 2), optional
        Another one.

    Returns
    -------
    ndarray of float64, shape (n,)
    """

def bad(a: Floats, b: NDArray[np.int32], c: Floats) -> tuple[int, Floats]:
    """No shape of a; a result.

    a: float64, some
    b: int64[n]; c: float64[n]
    """

def nothing(a: Floats): ...

def _private(a: Floats): ...

@dataclass
class Columns:
    """Arrays.

    x: float64[n]
    """

    x: Floats
    y: Floats
    _z: Floats

    @property
    def size(self) -> Floats:
        """float64[1]."""
'''


def test_the_checker_sees_what_is_lacking(tmp_path: Path) -> None:
    (tmp_path / "module.py").write_text(SOURCE)
    assert list(lacking(Module(tmp_path, tmp_path / "module.py"))) == [
        "bad: a",
        "bad: b (not int32)",
        "bad: result",
        "nothing: a docstring",
        "Columns: y",
    ]


def private(body: list[ast.stmt]) -> Iterator[Function | ast.ClassDef]:
    """Functions, classes and methods whose name begins with one underscore, wherever they are."""
    for node in body:
        if isinstance(node, Function | ast.ClassDef):
            if node.name.startswith("_") and not node.name.startswith("__"):
                yield node
            yield from private(node.body)


def _holds_options(node: Function | ast.ClassDef) -> bool:
    """Whether a class holds options of a command, whose help texts its docstring has."""
    return isinstance(node, ast.ClassDef) and any(
        isinstance(field, ast.AnnAssign)
        and isinstance(field.value, ast.Call)
        and getattr(field.value.func, "id", "") in ("option", "positional")
        for field in node.body
    )


def test_private_docstrings_are_one_line() -> None:
    """What else is to be said of private parts stands in comments."""
    longer = [
        f"{module.path}:{node.lineno} {node.name}"
        for module in modules(ROOT, *PACKAGES)
        for node in private(module.tree.body)
        if "\n" in (ast.get_docstring(node) or "") and not _holds_options(node)
    ]
    assert longer == []
