"""What a page of `isogloss report` shows."""

import re
from html import unescape
from pathlib import Path

__all__ = ["sections_of", "text_of"]


def text_of(page: Path) -> str:
    """The words of a page, a line for each element."""
    html = page.read_text(encoding="utf-8")
    return unescape(re.sub(r"<[^>]*>", "\n", re.sub(r"(?s)<style>.*?</style>", "", html)))


def sections_of(page: Path) -> list[str]:
    titles = re.findall(r'<h2 id="title-\d+">(.*?)</h2>', page.read_text(encoding="utf-8"))
    return [unescape(title) for title in titles]
