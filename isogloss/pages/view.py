"""ig.view: alignments as a page."""

from pathlib import Path

from isogloss.align.errors import check_argument
from isogloss.align.execution.calls import public
from isogloss.align.files.writers import write_lines
from isogloss.align.links.gold_links import GoldLinks
from isogloss.align.links.links import Links
from isogloss.align.model.model import AlignmentModel
from isogloss.align.text.bitext import Bitext

from .viewer import AlignmentView

__all__ = ["view"]


@public
def view(
    bitext: Bitext,
    links: Links,
    output: str | Path,
    *,
    other: Links | None = None,
    gold: GoldLinks | None = None,
    model: AlignmentModel | None = None,
    edit: bool = False,
    title: str = "Word alignments",
    threads: int = 1,
) -> None:
    """Write sentence pairs and their links as an HTML page.

    The page is one file. It opens without a network, shows links as curves or as a matrix, and can
    search, filter and sort sentence pairs.

    Parameters
    ----------
    bitext : Bitext
        At most 200,000 sentence pairs.
    links : Links
        Links of the same sentence pairs.
    output : str or Path
        The page; an existing file is replaced.
    other : Links, default None
        Links to compare with.
    gold : GoldLinks, default None
        Gold alignments, for the alignment error rate and to color correct links.
    model : AlignmentModel, default None
        Adds the domain of each pair, lexical probabilities, and the confidence of links without
        probabilities.
    edit : bool, default False
        Let links be changed in the page and saved as gold alignments.
    title : str, default "Word alignments"
    threads : int, default 1
        Does not affect the page.

    Raises
    ------
    DataError
        If links are of another text.
    UsageError
        If there are too many sentence pairs.
    OutputError
        If the file can't be written.

    Examples
    --------
    >>> import isogloss as ig
    >>> bitext = ig.Bitext.from_pairs([("the house", "la casa")])
    >>> ig.view(bitext, ig.Links.from_pairs([[(0, 0), (1, 1)]]), "view.html")
    """
    check_argument(bitext, Bitext, "bitext", "a Bitext", "Bitext.from_sentences(source, target)")
    check_argument(links, Links, "links", "Links", "Links.from_pairs(lists)")
    shown = AlignmentView(bitext, links, other, gold, model, edit=edit, title=title)
    write_lines([shown.page(threads).html()], output)
