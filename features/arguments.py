"""What is said of an argument of another type than a function takes."""

from isogloss.align.errors import WrongTypeError, shown

__all__ = ["check_argument"]


def check_argument(
    value: object, kinds: type | tuple[type, ...], name: str, what: str, remedy: str = ""
) -> None:
    """Raise WrongTypeError for an argument of another type.

    Parameters
    ----------
    value : object
        The argument.
    kinds : type or tuple of type
        What it must be.
    name, what, remedy : str
        For the message: the argument, what it must be, and what to type instead.

    Examples
    --------
    >>> check_argument(1, str, "name", "a string")
    Traceback (most recent call last):
    isogloss.align.errors.WrongTypeError: name must be a string, not 1
    """
    if not isinstance(value, kinds):
        hint = f"; use {remedy}" if remedy else ""
        raise WrongTypeError(f"{name} must be {what}, not {shown(value)}{hint}")
