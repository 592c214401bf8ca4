"""Public functions and classes that say what to type instead of what they don't understand."""

import inspect
import re
from collections.abc import Callable, Mapping, Sequence
from functools import update_wrapper
from types import FunctionType
from typing import Any, NoReturn, TypeVar, cast

from ..errors import UnknownAttributeError, UsageError, WrongTypeError, did_you_mean, pluralize
from .keywords import near_keywords

__all__ = ["ExplainedClass", "public", "public_as"]

_Item = TypeVar("_Item", bound=Callable[..., Any])
_MAKERS = re.compile(r"from_(?!keys|scored_keys|json|bytes)\w+|load|fit|of")  # class methods
_ATTRIBUTES = {  # names in other libraries, and those here that they may mean
    **dict.fromkeys(("write", "dump", "to_file", "to_disk", "save_to", "export"), ("save",)),
    **dict.fromkeys(("read", "open", "from_file", "from_disk", "load_from"), ("load",)),
    **dict.fromkeys(("df", "to_df", "to_dataframe", "dataframe"), ("to_pandas",)),
    **dict.fromkeys(("predict", "transform", "viterbi", "align_pairs"), ("align", "translate")),
    **dict.fromkeys(("to_dict", "dict"), ("as_dict",)),
    **dict.fromkeys(("domain", "y"), ("labels", "domains")),
    **dict.fromkeys(("sparse", "largest", "nlargest"), ("top",)),
    **dict.fromkeys(("source_vocab", "src_vocab"), ("source_vocabulary",)),
    **dict.fromkeys(("target_vocab", "tgt_vocab"), ("target_vocabulary",)),
    **dict.fromkeys(("src", "sources"), ("source",)),
    **dict.fromkeys(("tgt", "trg", "targets"), ("target",)),
    **dict.fromkeys(
        ("predict_domains", "predict_proba", "classify", "domain_probabilities"),
        ("domain_posteriors",),
    ),
    "decode": ("translate",),
    "translation": ("translations",),
}


def public(item: _Item) -> _Item:
    """Have a function, or the methods of a class, explain calls that don't fit.

    A keyword that it lacks raises UsageError with the nearest one, other misfits WrongTypeError
    with what is expected. An attribute that a class lacks raises UnknownAttributeError. Nothing is
    looked at before Python refuses the call.
    """
    if not inspect.isclass(item):
        return cast("_Item", _explained(cast("FunctionType", item), item.__name__))
    for name in dir(item):
        member = inspect.getattr_static(item, name)
        kind = type(member) if isinstance(member, classmethod | staticmethod) else None
        function = member.__func__ if kind else member
        if not isinstance(function, FunctionType) or not _is_ours(function, name, item):
            continue
        label = item.__name__ if name == "__init__" else f"{item.__name__}.{name}"
        remedy = _makers(item) if name == "__init__" else ""
        explained = _explained(function, label, remedy)
        setattr(item, name, kind(explained) if kind else explained)
    if not any("__getattr__" in vars(one) for one in item.__mro__):  # its metaclass may have one
        setattr(item, "__getattr__", _refuse_attribute)  # noqa: B010
    return item


def public_as(name: str) -> Callable[[_Item], _Item]:
    """As :func:`public` does, for a function that users know by another name."""

    def explained(function: _Item) -> _Item:
        return cast("_Item", _explained(cast("FunctionType", function), name))

    return explained


def _is_ours(function: FunctionType, name: str, owner: type) -> bool:
    """Whether a function is a public method of the project, or makes an object of a class of it."""
    if name == "__init__":
        return name in vars(owner)
    return not name.startswith("_") and str(function.__module__).startswith("isogloss.")


def _makers(owner: type) -> str:
    """The class methods that make objects."""
    names = [name for name in dir(owner) if _MAKERS.fullmatch(name)]
    methods = [
        name for name in names if isinstance(inspect.getattr_static(owner, name), classmethod)
    ]
    *others, last = [f"{owner.__name__}.{name}" for name in methods] or [""]
    return f"{', '.join(others)} or {last}" if others else last


def _explained(function: FunctionType, label: str, remedy: str = "") -> FunctionType:
    """The function, whose calls that Python refuses raise errors of the project."""

    def called(*given, **named):  # type: ignore[no-untyped-def]
        try:
            return function(*given, **named)
        except TypeError:
            refuse(function, label, remedy, given, named)
            raise

    refuse = _refuse
    # its globals are those of the function: tools ask them where it is from
    copy = FunctionType(
        called.__code__, function.__globals__, function.__name__, None, called.__closure__
    )
    update_wrapper(copy, function)
    copy.__kwdefaults__ = function.__kwdefaults__
    return copy


def _refuse(
    function: FunctionType,
    label: str,
    remedy: str,
    given: Sequence[object],
    named: Mapping[str, object],
) -> None:
    """Raise an error where the arguments don't fit the function; otherwise it was another one."""
    signature = inspect.signature(function)
    try:
        signature.bind(*given, **named)
    except TypeError:
        pass
    else:
        return
    every = {name: one for name, one in signature.parameters.items() if name not in ("self", "cls")}
    unknown = [name for name in named if name not in signature.parameters]
    if unknown and not any(one.kind is one.VAR_KEYWORD for one in every.values()):
        raise UsageError(
            f"{label} has no argument {unknown[0]!r}; {near_keywords(unknown[0], list(every))}"
        ) from None
    form = f"{label}({', '.join(map(_shown, every.values()))})"
    advice = f"use {remedy or form}"
    first = len(signature.parameters) - len(every)  # self
    placed = [name for name, one in every.items() if one.kind is one.POSITIONAL_OR_KEYWORD]
    if len(given) - first > len(placed):
        most = pluralize(len(placed), "argument")
        raise WrongTypeError(
            f"{label} takes at most {most} without a name, got {len(given) - first}; {advice}"
        ) from None
    twice = [name for name in placed[: len(given) - first] if name in named]
    if twice:
        raise WrongTypeError(f"{label} got {twice[0]!r} twice; {advice}") from None
    missing = [
        name
        for name in [*placed[max(len(given) - first, 0) :], *(set(every) - set(placed))]
        if name not in named and every[name].default is inspect.Parameter.empty
    ]
    if missing:  # not so if a method is called on its class
        raise WrongTypeError(f"{label} needs {missing[0]!r}; {advice}") from None


def _shown(parameter: inspect.Parameter) -> str:
    """A parameter in the form of a call: optional ones in brackets."""
    if parameter.kind is parameter.VAR_KEYWORD:
        return "..."
    if parameter.kind is parameter.KEYWORD_ONLY:
        return (
            f"[{parameter.name}=]" if parameter.default is not parameter.empty else parameter.name
        )
    return parameter.name if parameter.default is parameter.empty else f"[{parameter.name}]"


def _refuse_attribute(self: object, name: str) -> NoReturn:
    """Raise UnknownAttributeError for an attribute that an object lacks, with the nearest one."""
    text = f"{type(self).__name__!r} object has no attribute {name!r}"
    raise UnknownAttributeError(text + _meant_attribute(name, self))


def _refuse_class_attribute(kind: type, name: str) -> NoReturn:
    """Raise UnknownAttributeError for an attribute that a class lacks, with the nearest one."""
    text = f"type object {kind.__name__!r} has no attribute {name!r}"
    raise UnknownAttributeError(text + _meant_attribute(name, kind, f"{kind.__name__}."))


def _meant_attribute(name: str, owner: object, place: str = "") -> str:
    """What may be meant by an attribute that there is not, behind a message; else empty."""
    if name.startswith("_"):
        return ""
    known = [other for other in dir(owner) if not other.startswith("_")]
    meant = [other for other in _ATTRIBUTES.get(name, ()) if other in known]
    near = f"use {place}{meant[0]}" if meant else did_you_mean(name, known)
    return f"; {near}" if near else ""


class ExplainedClass(type):
    """A class that explains attributes which it lacks, as its objects do by :func:`public`."""


# for type checkers a class with this method has every attribute
setattr(ExplainedClass, "__getattr__", _refuse_class_attribute)  # noqa: B010
