"""Small changes of a module's source, one at a time: each ought to be noticed by some test.

Comparisons, constants by one, operators, ``and`` and ``or``, a dropped ``not`` or minus, removed
statements, swapped arguments and branches, loops of one round, min for max and the like. Decorators
and annotations stay as they are, and so do assertions and the texts of messages.
"""

import ast
import random
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

__all__ = ["Module", "Mutant"]

_COMPARISONS: dict[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.Lt: (ast.LtE, ast.GtE), ast.LtE: (ast.Lt, ast.Gt), ast.Gt: (ast.GtE, ast.LtE),
    ast.GtE: (ast.Gt, ast.Lt), ast.Eq: (ast.NotEq,), ast.NotEq: (ast.Eq,), ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,), ast.In: (ast.NotIn,), ast.NotIn: (ast.In,),
}  # fmt: skip
_OPERATORS: dict[type[ast.operator], tuple[type[ast.operator], ...]] = {
    ast.Add: (ast.Sub, ast.Mult), ast.Sub: (ast.Add,), ast.Mult: (ast.Add, ast.Div),
    ast.Div: (ast.Mult,), ast.FloorDiv: (ast.Mult, ast.Div), ast.Mod: (ast.FloorDiv,),
    ast.Pow: (ast.Mult,), ast.BitAnd: (ast.BitOr,), ast.BitOr: (ast.BitAnd,),
    ast.BitXor: (ast.BitOr,), ast.LShift: (ast.RShift,), ast.RShift: (ast.LShift,),
}  # fmt: skip
_PAIRS = (
    ("min", "max"), ("minimum", "maximum"), ("argmin", "argmax"), ("any", "all"), ("left", "right"),
    ("floor", "ceil"), ("zeros", "ones"), ("first", "last"),
)  # fmt: skip
_OTHER = {**dict(_PAIRS), **{last: first for first, last in _PAIRS}}
_IN_ANY_ORDER = {"min", "max", "minimum", "maximum", "isinstance", "zip", "hypot"}
_REMOVED = (
    ast.Expr, ast.AugAssign, ast.Raise, ast.Return, ast.Break, ast.Continue, ast.Delete,
)  # fmt: skip
_JUMPS = (ast.Return, ast.Raise, ast.Break, ast.Continue)
_KEPT = {"decorator_list", "annotation", "returns", "type_params"}  # fields of a node
_Function = ast.FunctionDef | ast.AsyncFunctionDef
_Named = _Function | ast.ClassDef


@dataclass(frozen=True)
class _Place:
    """A node of a tree, or one of a list of them: what it belongs to, and where it stands."""

    parent: ast.AST
    field: str
    number: int | None  # in the list
    statement: ast.stmt  # the innermost one around it, or itself
    scope: str  # names of classes and functions around it

    @property
    def node(self) -> Any:
        """What stands there."""
        found = getattr(self.parent, self.field)
        return found if self.number is None else found[self.number]

    def put(self, node: ast.AST) -> None:
        """Have another node stand there."""
        if self.number is None:
            setattr(self.parent, self.field, node)
        else:
            getattr(self.parent, self.field)[self.number] = node


@dataclass(frozen=True)
class Mutant:
    """A change of a module: the line, the function, and what the statement was and becomes."""

    line: int
    scope: str
    before: str
    after: str
    source: str  # of the whole module

    @property
    def name(self) -> tuple[str, str, str]:
        """What it is known by: lines shift. What looks the same in a function has one name."""
        return self.scope, self.before, self.after


class Module:
    """The source of a module, and its changes."""

    def __init__(self, source: str) -> None:
        self._tree = ast.parse(source)

    @property
    def source(self) -> str:
        """The source as mutants have it, without comments."""
        return ast.unparse(self._tree)

    @cached_property
    def _changes(self) -> list[tuple[_Place, list[ast.AST]]]:
        found = ((place, list(_changes(place.node))) for place in _places(self._tree))
        return [(place, nodes) for place, nodes in found if nodes and not _is_end(place)]

    def drawn(self, count: int, seed: str) -> list[Mutant]:
        """Changes of as many places, or of all there are: one of each, in the order of the file."""
        choice = random.Random(seed)
        numbers = range(len(self._changes))
        chosen = [self._changes[k] for k in choice.sample(numbers, min(count, len(numbers)))]
        mutants = [self._mutant(place, choice.choice(changes)) for place, changes in chosen]
        return sorted(mutants, key=lambda mutant: mutant.line)

    def all(self) -> Iterator[Mutant]:
        """Every change of every place."""
        for place, changes in self._changes:
            for node in changes:
                yield self._mutant(place, node)

    def _mutant(self, place: _Place, node: ast.AST) -> Mutant:
        original = place.node
        ast.copy_location(node, original)
        before = ast.unparse(place.statement)
        place.put(node)
        changed = node if original is place.statement else place.statement
        after, source = ast.unparse(changed), self.source
        place.put(original)
        line = getattr(original, "lineno", place.statement.lineno)
        return Mutant(line, place.scope, *_difference(before, after), source)


def _places(tree: ast.Module) -> Iterator[_Place]:
    """All nodes but what is said in _KEPT, imports and docstrings."""

    def below(parent: ast.AST, statement: ast.stmt | None, scope: str) -> Iterator[_Place]:
        for field, value in ast.iter_fields(parent):
            nodes = value if isinstance(value, list) else [value]
            for k, node in enumerate(nodes if field not in _KEPT else ()):
                if isinstance(node, ast.AST) and not _is_passive(node):
                    inner = node if isinstance(node, ast.stmt) else statement
                    number = k if isinstance(value, list) else None
                    assert inner is not None
                    yield _Place(parent, field, number, inner, scope)
                    name = f".{node.name}" if isinstance(node, _Named) else ""
                    yield from below(node, inner, f"{scope}{name}".lstrip("."))

    return below(tree, None, "")


def _is_end(place: _Place) -> bool:
    """Whether it is the last thing that a function does: without it, every call gives None."""
    return isinstance(place.node, ast.Return) and isinstance(place.parent, _Function)


def _is_passive(node: ast.AST) -> bool:
    """Whether no change of a statement is of interest: imports, docstrings, __all__."""
    match node:
        case ast.Import() | ast.ImportFrom() | ast.Expr(value=ast.Constant()):
            return True
        case ast.Assign(targets=[ast.Name(id="__all__" | "__slots__")]):
            return True
    return False


def _changes(node: ast.AST) -> Iterator[ast.AST]:
    """What may stand in place of a node."""
    if isinstance(node, ast.stmt):
        yield from _other_statements(node)
    elif isinstance(node, ast.Call):
        yield from _other_calls(node)
    else:
        yield from _other_expressions(node)


def _other_statements(node: ast.stmt) -> Iterator[ast.stmt]:
    if isinstance(node, _REMOVED) or _is_said_again(node):
        yield ast.Pass()
    match node:
        case ast.If() if not isinstance(node.test, ast.UnaryOp):  # whose "not" may be dropped
            yield ast.If(ast.UnaryOp(ast.Not(), node.test), node.body, node.orelse)
        case ast.For() | ast.While() if not isinstance(node.body[-1], _JUMPS):
            yield _with(node, body=[*node.body, ast.Break()])
        case ast.Continue():
            yield ast.Break()
        case ast.AugAssign():
            for operator in _OPERATORS.get(type(node.op), ()):
                yield _with(node, op=operator())


def _is_said_again(node: ast.stmt) -> bool:
    """Whether what is assigned was there before: without the statement, nothing is missing."""
    if not isinstance(node, ast.Assign):
        return False
    names = {inner.id for inner in ast.walk(node.value) if isinstance(inner, ast.Name)}
    return all(
        isinstance(target, ast.Attribute | ast.Subscript)
        or (isinstance(target, ast.Name) and target.id in names)
        for target in node.targets
    )


def _other_calls(node: ast.Call) -> Iterator[ast.expr]:
    name = getattr(node.func, "attr", getattr(node.func, "id", ""))
    if name in _OTHER:
        key = "attr" if isinstance(node.func, ast.Attribute) else "id"
        yield _with(node, func=_with(node.func, **{key: _OTHER[name]}))
    match node.args:
        case [first, second, *others] if name not in _IN_ANY_ORDER:
            starred = any(isinstance(argument, ast.Starred) for argument in (first, second))
            if not starred and ast.dump(first) != ast.dump(second):
                yield _with(node, args=[second, first, *others])


def _other_expressions(node: ast.AST) -> Iterator[ast.AST]:
    match node:
        case ast.Compare():
            for k, operator in enumerate(node.ops):
                for other in _COMPARISONS[type(operator)]:
                    yield _with(node, ops=[*node.ops[:k], other(), *node.ops[k + 1 :]])
        case ast.BinOp():
            for kind in _OPERATORS.get(type(node.op), ()):
                yield _with(node, op=kind())
        case ast.BoolOp():
            yield _with(node, op=ast.Or() if isinstance(node.op, ast.And) else ast.And())
        case ast.UnaryOp(op=ast.Not() | ast.USub() | ast.Invert()):
            yield node.operand
        case ast.IfExp():
            yield ast.IfExp(node.test, node.orelse, node.body)
        case ast.comprehension(ifs=[_, *_]):
            yield _with(node, ifs=[])
        case ast.Constant(value=bool(value)):
            yield ast.Constant(not value)
        case ast.Constant(value=int(value) | float(value)):
            yield ast.Constant(value + 1)
            yield ast.Constant(value - 1)
        case ast.Constant(value=str(value)) if value in _OTHER:
            yield ast.Constant(_OTHER[value])


def _with(node: Any, **fields: Any) -> Any:
    """A node with other fields."""
    return type(node)(**{**{name: getattr(node, name) for name in node._fields}, **fields})


def _difference(before: str, after: str) -> tuple[str, str]:
    """The lines of a statement that differ; what is added stands behind the first line."""
    old, new = before.splitlines(), after.splitlines()
    while old and new and old[-1] == new[-1]:
        old.pop()
        new.pop()
    shared = 0
    while old[shared:] and new[shared:] and old[shared] == new[shared]:
        shared += 1
    texts = ["; ".join(line.strip() for line in lines[shared:]) for lines in (old, new)]
    if not texts[0]:
        head = before.splitlines()[0]
        texts = [head, f"{head} ... {texts[1]}"]
    return texts[0], texts[1]
