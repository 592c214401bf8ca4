"""Links that are looked at beside their text, in whatever format their file has."""

import warnings

from isogloss.align.errors import DataError, DataWarning
from isogloss.align.links.links import Links
from isogloss.align.text.bitext import Bitext
from isogloss.align.text.readers import read_links

__all__ = ["read_links_of"]


def read_links_of(bitext: Bitext, file: str, *, scored: bool | None = None) -> Links:
    """Read the links of a text. scored: see :meth:`Links.load`

    Links that fit only if they are counted from 1, as in Talp, are read so, with a DataWarning.
    Raises DataError for links of another text.
    """
    links = read_links(file, scored=scored)
    if _fits(links, bitext) or not (links.source.all() and links.target.all()):
        links.check_range(bitext.source.lengths, bitext.target.lengths, file)
        return links
    lower = Links(links.source - 1, links.target - 1, links.offsets, links.probability)
    if not _fits(lower, bitext):
        links.check_range(bitext.source.lengths, bitext.target.lengths, file)
    message = f"{file} is read as talp, because its positions are counted from 1"
    warnings.warn(f"{message}; give it a name in .talp", DataWarning, stacklevel=2)
    return lower


def _fits(links: Links, bitext: Bitext) -> bool:
    try:
        links.check_range(bitext.source.lengths, bitext.target.lengths)
    except DataError:
        return False
    return True
