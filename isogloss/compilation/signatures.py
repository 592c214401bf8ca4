"""Which kernels are called from Python, and with what types: a list that comes with the library.

A line is a kernel and the types of its arguments, in Python's syntax:

    isogloss.align.kernels.cooccurrence.count_columns(int64, float64[C1], (int32[A2, readonly],
    boolean))

Numbers are called as Numba calls them; ``int32[A2, readonly]`` is an array of two dimensions in
any layout (C, F, A) that is not written to; a tuple stands in parentheses, a named one is its
class, called with the types of its fields. Behind ``#`` stands which commands usually call the
kernel, with some options, and how many of their kernels take no longer to compile:

    ...(int64, float64[C1])  # align 3, align --labels 4

Tests of the commands fail where a command calls a kernel that is not on the list; ``python -m
tests.signatures`` writes it again.
"""

import ast
from collections.abc import Iterable, Iterator, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import numba

from isogloss.align.errors import DataError
from isogloss.align.kernels.lazy import Kernel

__all__ = [
    "LIST",
    "KernelTypes",
    "kernel_line",
    "kernel_of",
    "parse_line",
    "read_list",
    "usual_lines",
]

LIST = Path(__file__).with_name("signatures.txt")
_types: Any = numba.types
_Kind = TypeVar("_Kind")


class KernelTypes(NamedTuple):
    """A kernel and types of arguments that it is compiled for."""

    kernel: Kernel
    signature: tuple[Any, ...]


def read_list(path: Path = LIST) -> list[str]:
    """The lines of the list, without their comments. Raises OSError where it is missing."""
    return [line for line, _ in _read(path)]


def usual_lines(arguments: Sequence[str], path: Path = LIST) -> dict[str, list[str]]:
    """Lines of the kernels that a command line usually calls, by kernel, the slowest one last.

    arguments: of the program; the entries count that have most options in common with them
    """
    ranks: dict[str, list[tuple[int, str]]] = {}
    for line, comment in _read(path):
        for entry in filter(None, comment.split(", ")):
            command, _, rank = entry.rpartition(" ")
            ranks.setdefault(command, []).append((int(rank), line))
    given = {argument.partition("=")[0] for argument in arguments}
    fitting = [command for command in ranks if given.issuperset(command.split())]
    lines: dict[str, list[str]] = {}
    for _, line in sorted(ranks[max(fitting, key=_options)] if fitting else ()):
        lines.setdefault(kernel_of(line), []).append(line)
    return lines


def kernel_of(line: str) -> str:
    """The name of a line's kernel, with its module's."""
    return line.partition("(")[0]


def _options(command: str) -> int:
    return len(command.split())


def _read(path: Path) -> Iterator[tuple[str, str]]:
    """Each line, and what stands behind it."""
    for text in path.read_text(encoding="utf-8").splitlines():
        line, _, comment = text.partition("  # ")
        yield line, comment


def kernel_line(kernel: Kernel, signature: Iterable[Any]) -> str:
    """How a kernel and the types of its arguments stand in the list.

    Raises ValueError for a type that there is no way to write.
    """
    return f"{kernel.__module__}.{kernel.py_func.__name__}({', '.join(map(_text, signature))})"


def _text(kind: Any) -> str:
    if isinstance(kind, _types.Array):
        if kind.aligned and isinstance(kind.dtype, (_types.Number, _types.Boolean)):
            readonly = "" if kind.mutable else ", readonly"
            return f"{_text(kind.dtype)}[{kind.layout}{kind.ndim}{readonly}]"
    elif isinstance(kind, _types.BaseNamedTuple):
        named = kind.instance_class
        return f"{named.__module__}.{named.__qualname__}({', '.join(map(_text, kind.types))})"
    elif isinstance(kind, _types.BaseTuple):
        return f"({''.join(f'{_text(part)}, ' for part in kind.types).rstrip(' ')})"
    elif isinstance(kind, _types.Boolean):
        return "boolean"
    elif isinstance(kind, (_types.Number, _types.NoneType)):
        return str(kind)
    raise ValueError(
        f"the type {kind} cannot be written; add it to isogloss/compilation/signatures.py"
    )


def parse_line(line: str, number: int | None = None) -> KernelTypes:
    """The kernel and the types of a line. Raises DataError where it is not one of the list."""
    try:
        call = _checked(ast.parse(line, mode="eval").body, ast.Call)
        kernel = _checked(_named(call.func), Kernel)
        return KernelTypes(kernel, tuple(map(_type, call.args)))
    except (SyntaxError, AttributeError, ImportError, ValueError) as error:
        raise DataError(
            f"the line {line!r} is malformed ({error})",
            "a kernel with the types of its arguments",
            file=LIST,
            line=number,
            remedy="Rewrite the list with: python -m tests.signatures",
        ) from error


def _type(node: ast.expr) -> Any:
    """The type that an expression stands for."""
    if isinstance(node, ast.Name):
        return getattr(_types, node.id)
    if isinstance(node, ast.Subscript):
        layout, *rest = ast.unparse(node.slice).strip("()").split(", ")
        if rest not in ([], ["readonly"]):
            raise ValueError(f"an array that is {', '.join(rest)}")
        return _types.Array(_type(node.value), int(layout[1:]), layout[0], readonly=bool(rest))
    if isinstance(node, ast.Tuple):
        return _types.BaseTuple.from_types(tuple(map(_type, node.elts)))
    call = _checked(node, ast.Call)
    return _types.BaseTuple.from_types(tuple(map(_type, call.args)), _named(call.func))


def _named(node: ast.expr) -> Any:
    """What stands in a module under a name with dots."""
    module, _, name = ast.unparse(node).rpartition(".")
    return getattr(import_module(module), name)


def _checked(value: Any, kind: type[_Kind]) -> _Kind:
    if not isinstance(value, kind):
        raise ValueError(f"{type(value).__name__} in place of {kind.__name__}")
    return value
