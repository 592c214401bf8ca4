"""Keywords of functions and options: unknown ones raise an error with what was meant."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields, replace
from typing import Any, TypeVar, cast

from ..errors import UsageError, check_argument, did_you_mean

__all__ = ["changed_options", "chosen_options", "near_keywords"]

_Options = TypeVar("_Options")
_SYNONYMS = {  # names in other libraries, and here
    **dict.fromkeys(("label", "domain", "domains", "y"), ("labels", "domains")),
    **dict.fromkeys(
        ("combination", "symmetrization", "symmetrize", "method", "sym"), ("heuristic",)
    ),
    **dict.fromkeys(("n_jobs", "jobs", "num_threads", "workers"), ("threads",)),
    **dict.fromkeys(("learning_rate", "lr", "eta"), ("rate",)),
    **dict.fromkeys(("n", "k", "best", "limit"), ("top", "nbest_size")),
    **dict.fromkeys(("verbose", "progress"), ("report", "callbacks")),
    **dict.fromkeys(("weights", "start", "init", "initial"), ("initial_weights",)),
    "random_state": ("seed",),
    "supervision": ("known_links",),
    "iterations": ("epochs",),
}


def changed_options(
    options: _Options, changes: Mapping[str, Any], others: Iterable[str] | None = None
) -> _Options:
    """Options, a dataclass, with other values of some fields.

    others: arguments beside them, for the message

    Raises UsageError for a name that is no field; the dataclass checks the values.
    """
    known = [field.name for field in fields(options)]  # type: ignore[arg-type]
    unknown = [name for name in changes if name not in known]
    if unknown:
        raise UsageError(
            f"unknown option {unknown[0]!r}; {near_keywords(unknown[0], known, list(others or ()))}"
        )
    return replace(options, **changes)  # type: ignore[type-var]


def near_keywords(name: str, known: Sequence[str], others: Sequence[str] = ()) -> str:
    """The arguments that a name may mean, by what other libraries call them, too."""
    every = [*others, *known]
    alike = [other for other in _SYNONYMS.get(name, ()) if other in every]
    if alike:
        return f"did you mean {alike[0]}?"
    near = did_you_mean(name, known) or did_you_mean(name, others)
    return near or f"expected one of {', '.join(every)}"


def chosen_options(
    given: object,
    defaults: _Options,
    changes: Mapping[str, Any],
    example: str,
    name: str = "options",
    others: Iterable[str] | None = None,
) -> _Options:
    """Return the options that a function was given, or the defaults, with changes by keyword.

    example, name: keywords, and the argument, for the message about what are no options
    others: arguments beside the options

    Raises WrongTypeError for options of another type, UsageError as :func:`changed_options` does.
    """
    kind = type(defaults)
    if given is None:
        return changed_options(defaults, changes, others)
    check_argument(given, kind, name, kind.__name__, f"keywords, such as {example}")
    return changed_options(cast("_Options", given), changes, others)
