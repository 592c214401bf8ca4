"""Files with another tokenization of a text, as options name them."""

from collections.abc import Iterator
from typing import NamedTuple

from isogloss.align.errors import UsageError
from isogloss.align.files.text_io import iter_lines, split_tokens
from isogloss.align.text.recognition.recognition import check_text
from isogloss.align.text.retokenization.token_styles import STYLES, open_style

from ..console import Console

__all__ = ["TokenFile", "open_tokens"]

_CHARACTERS = "characters"


class TokenFile(NamedTuple):
    """Tokens of each sentence, and how they are written; no tokens stand for the characters."""

    name: str
    style: str
    sentences: Iterator[list[str]] | None


def open_tokens(text: str, option: str, console: Console) -> TokenFile:
    """Open FILE or STYLE:FILE; ``characters:`` is the characters of a text that stands elsewhere.

    Raises UsageError for a style without a file. option: that names it
    """
    style, colon, file = text.partition(":")
    if not colon or style not in STYLES:
        style, file = "", text
    if not file:
        if style != _CHARACTERS:
            raise UsageError(
                f"{option} {text!r} has no file name; only characters: can be used without a file"
            )
        return TokenFile("", _CHARACTERS, None)
    check_text(file)
    found, sentences = open_style(map(split_tokens, iter_lines(file)), style)
    console.info(f"{file}: read as {found}")
    return TokenFile(file, found, sentences)
