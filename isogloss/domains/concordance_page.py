"""The page of a concordance."""

from collections.abc import Sequence

from ..pages.page import Page
from .concordance import Concordance

__all__ = ["concordance_page"]


def concordance_page(words: Sequence[Concordance]) -> Page:
    """A page with a section for each word: its translations by domain, and their lines."""
    return Page(
        template="concordance",
        title=f"Concordance of {', '.join(one.word for one in words)}",
        subtitle="Translations by domain, counted on the links of the text.",
        styles=("concordance.css",),
        content={"words": words},
    )
