"""Codes of languages."""

__all__ = ["is_language"]


def is_language(code: str, wanted: str) -> bool:
    """Whether ``code`` is the language ``wanted`` or a variety of it: ``en-GB`` is ``en``."""
    code, wanted = (text.lower().replace("_", "-") for text in (code, wanted))
    return code == wanted or code.startswith(wanted + "-")
