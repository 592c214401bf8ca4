"""Templates of users: code, and so run only where its file or package is named by itself.

A specification comes from a TOML file or a line of text that may be another's; it chooses among
templates, and never says what is imported.
"""

import importlib.util
import inspect
import sys
from collections.abc import Mapping
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

from isogloss.align.errors import UsageError

__all__ = ["ENTRY_POINTS", "load_templates"]

ENTRY_POINTS = "isogloss.templates"
_METHODS = ("rule_features", "state_features")


def load_templates(place: str | Path) -> Mapping[str, type]:
    """The templates of a file of Python, or of an installed package, by the names of their classes.

    place: a file that ends in .py, which is run; or the name of an entry point of the group
        ``isogloss.templates``: a class, which is then called as the entry point is, or a module

    Raises UsageError for what can't be loaded, and where there is no template.
    """
    if str(place).endswith(".py"):
        found = _templates_of(_run(Path(place)))
    else:
        found = _installed(str(place))
    if not found:
        raise UsageError(
            f"{place} contains no template; expected a class with a method {' or '.join(_METHODS)}"
        )
    return found


def _run(file: Path) -> Any:
    """The module that a file makes."""
    name = f"own_templates_{file.stem}"  # like no other module's
    specification = importlib.util.spec_from_file_location(name, file)
    assert specification is not None and specification.loader is not None
    module = sys.modules[name] = importlib.util.module_from_spec(specification)
    try:
        specification.loader.exec_module(module)
    except Exception as error:  # whatever the user's code may raise
        raise _not_loaded(str(file), error) from error
    return module


def _installed(name: str) -> Mapping[str, type]:
    points = {point.name: point for point in entry_points(group=ENTRY_POINTS)}
    if name not in points:
        known = ", ".join(sorted(points)) or "none is installed"
        raise UsageError(
            f"plugin {name!r} was not found; expected a file ending in .py, or the name of an "
            f"entry point in {ENTRY_POINTS} ({known})"
        )
    try:
        made = points[name].load()
    except Exception as error:  # whatever the package's code may raise
        raise _not_loaded(name, error) from error
    return _templates_of(made) if inspect.ismodule(made) else _only_templates({name: made})


def _not_loaded(place: str, error: Exception) -> UsageError:
    return UsageError(f"templates from {place} cannot be loaded ({type(error).__name__}: {error})")


def _templates_of(module: Any) -> Mapping[str, type]:
    """The templates that a module itself defines."""
    own = {
        name: value
        for name, value in vars(module).items()
        if not name.startswith("_") and getattr(value, "__module__", None) == module.__name__
    }
    return _only_templates(own)


def _only_templates(values: Mapping[str, Any]) -> Mapping[str, type]:
    """Those that are classes with one of the two methods."""
    return {
        name: value
        for name, value in values.items()
        if isinstance(value, type)
        and sum(callable(getattr(value, method, None)) for method in _METHODS) == 1
    }
