"""Packages that say what to use where they are called like functions."""

import sys
from types import ModuleType
from typing import NoReturn

__all__ = ["refuse_calls"]


def refuse_calls(package: str, remedy: str) -> None:
    """Have a package raise WrongTypeError if it is called, with what to use instead."""

    class Package(ModuleType):
        def __call__(self, *arguments: object, **options: object) -> NoReturn:
            from .errors import WrongTypeError  # takes longer to load than the package

            raise WrongTypeError(f"{package} is a package, not a function; use {remedy}")

    sys.modules[package].__class__ = Package
