"""Lists of words that are left out of a result."""

from isogloss.align.errors import DataError, pluralize
from isogloss.align.files.text_io import iter_lines

__all__ = ["read_stopwords"]


def read_stopwords(path: str | None) -> frozenset[str]:
    """The words of a file in lower case; none without a file.

    Raises DataError for a line of several words.
    """
    words = set[str]()
    for number, line in enumerate(iter_lines(path) if path else (), start=1):
        found = line.split()
        if len(found) > 1:
            raise DataError(
                f"the line has {pluralize(len(found), 'word')}",
                "one word per line",
                file=path,
                line=number,
                remedy="Pass a file of single words to --stopwords",
            )
        words.update(map(str.lower, found))
    return frozenset(words)
