"""What is known of a kind of file."""

from typing import NamedTuple

__all__ = ["Kind"]


class Kind(NamedTuple):
    """A kind of file.

    level: "error" = no sentences can be read from it; "warning" = they are read, but mean something
        else; "note" = they are read as they are meant
    what: behind "the file is" or "the lines are"; remedy: what to do
    is_read: whether some command reads it, so that an error in such a file needs no explanation
    elsewhere: what to do where the file is a list, weights or links, if that is something else
    """

    level: str
    what: str
    remedy: str
    is_read: bool = False
    elsewhere: str = ""
