"""Names of sparse features: TEMPLATE_part_part; parts are phrases, word~word; all reversible.

Nothing in a name is a blank, ``|``, ``=`` or ``:``, so that it stands unharmed in a phrase table,
in an n-best list (``NAME= value``) and among weights (``NAME value``) of Moses.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from urllib.parse import unquote

import numpy as np
from numpy.typing import NDArray

from isogloss.align.errors import DataError, UsageError

from .space import escape, starting_with

__all__ = [
    "UNKNOWN",
    "FeatureName",
    "escape_word",
    "feature_name",
    "is_template_name",
    "parse_feature_name",
    "phrase_name",
    "unescape_word",
    "whole_name",
    "with_prefix",
]

# what words below a template's threshold become; no word of a text holds a blank
UNKNOWN = " UNK"
_MARK = "UNK"  # how that is written
_END = " "  # of a prefix that is a whole name; no name holds a blank
_ESCAPED_MARK = "%55NK"  # how the word spelled so is written

# beside what `escape` replaces: what other programs split lines and fields at, or is not printed
_HAZARDS = re.compile(r"[\s|\x00-\x1f\x7f]")
_TEMPLATE = re.compile(r"[^\s_~%=:|@\0]+")


def _percent(match: re.Match[str]) -> str:
    return "".join(f"%{byte:02X}" for byte in match[0].encode())


def escape_word(word: str) -> str:
    """A word as it stands in a name: what has a meaning there or to Moses is written %XX, UTF-8.

    UNKNOWN is written ``UNK``, and the word UNK ``%55NK``.
    """
    if word.isalnum():
        return _ESCAPED_MARK if word == _MARK else word
    return _MARK if word == UNKNOWN else _HAZARDS.sub(_percent, escape(word))


def unescape_word(text: str) -> str:
    """The word that :func:`escape_word` has escaped. Raises DataError where %XX are no UTF-8."""
    if text == _MARK:
        return UNKNOWN
    try:
        return unquote(text, errors="strict") if "%" in text else text
    except UnicodeDecodeError:
        raise DataError(f"a feature name contains {text!r}", "%XX escapes of UTF-8 bytes") from None


def phrase_name(words: Sequence[str]) -> str:
    """Words as a part of a name, ``la~casa``; no words are an empty part."""
    return "~".join(map(escape_word, words))


@dataclass(frozen=True)
class FeatureName:
    """A name taken apart; ``str()`` puts it together.

    template: ``PT``, ``AL.classes``; a dense feature's whole name
    parts: phrases, each its words, unescaped; an empty one is no word
    domain: of a domain-crossed feature, else empty
    """

    template: str
    parts: tuple[tuple[str, ...], ...] = ()
    domain: str = ""

    def __str__(self) -> str:
        head = f"{self.template}@{escape_word(self.domain)}" if self.domain else self.template
        return "_".join([head, *map(phrase_name, self.parts)])


def feature_name(template: str, *parts: str | Sequence[str]) -> str:
    """Name of a feature; a part is a word or a sequence of words, escaped here.

    Raises ValueError for a template name with a character of meaning in names.
    """
    if not is_template_name(template):
        raise ValueError(
            f"template name {template!r} must not contain whitespace or any of _ ~ % = : | @"
        )
    return "_".join(
        [template, *(escape_word(p) if isinstance(p, str) else phrase_name(p) for p in parts)]
    )


def is_template_name(text: str) -> bool:
    """Whether it can be the template of a feature name."""
    return _TEMPLATE.fullmatch(text) is not None


def parse_feature_name(name: str) -> FeatureName:
    """Take a name apart: ``AL_la_`` is AL with the phrases (la) and ().

    Raises DataError where escapes are damaged.
    """
    head, *rest = name.split("_")
    template, _, domain = head.partition("@")
    parts = tuple(tuple(map(unescape_word, part.split("~"))) if part else () for part in rest)
    return FeatureName(template, parts, unescape_word(domain))


def whole_name(name: str) -> str:
    """A prefix that fits this name and no longer one."""
    return f"{name}{_END}"


def with_prefix(names: Sequence[str], prefixes: Iterable[str], option: str) -> NDArray[np.bool_]:
    """Which features have a name with one of the prefixes: bool[len(names)].

    A prefix that :func:`whole_name` has made fits its name alone.

    Raises UsageError for a prefix that no name has. option: who gave it, for the message
    """
    result = np.zeros(len(names), np.bool_)
    for prefix in prefixes:
        whole = prefix.removesuffix(_END)
        fitting = starting_with(names, whole)
        if whole != prefix:
            found = np.flatnonzero(fitting)
            fitting[found] = [names[k] == whole for k in found.tolist()]
        if not fitting.any():
            shown = ", ".join(names[:4])
            raise UsageError(
                f"`{option}={whole}` matches no feature; the features are {shown}, ..."
            )
        result |= fitting
    return result
