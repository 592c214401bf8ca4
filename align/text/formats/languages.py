"""Languages of a bitext, and the columns that hold its sides."""

from ...errors import OptionError

__all__ = ["Languages", "is_language", "parse_columns", "parse_languages"]

Languages = tuple[str, str]


def is_language(code: str, wanted: str) -> bool:
    """Whether ``code`` is the language ``wanted`` or a variety of it: ``en-GB`` is ``en``."""
    code, wanted = (text.lower().replace("_", "-") for text in (code, wanted))
    return code == wanted or code.startswith(wanted + "-")


def parse_languages(text: str) -> Languages:
    """Two language codes, source first: ``en-es``, or ``en-GB,es-ES`` with regions.

    Raises UsageError for another form, or where one code is a variety of the other.
    """
    codes = text.split("," if "," in text else "-")
    if len(codes) != 2 or not all(codes):
        raise OptionError("langs", "two codes such as en-es, or en-GB,es-ES with regions", text)
    source, target = codes
    if is_language(source, target) or is_language(target, source):
        raise OptionError("langs", "two different languages", text)
    return source, target


def parse_columns(text: str) -> tuple[str, str]:
    """Two names of columns, source first: ``en,fr``. Raises UsageError for another form."""
    source, _, target = text.partition(",")
    if not source or not target or "," in target:
        raise OptionError("columns", "two names such as en,fr", text)
    return source, target
