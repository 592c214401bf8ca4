"""How often words occur, from a text or from a list of counts made elsewhere."""

from collections import defaultdict
from pathlib import Path

from isogloss.align.errors import DataError
from isogloss.align.files.numerals import parse_number
from isogloss.align.files.text_io import iter_lines, split_tokens

__all__ = ["read_word_counts"]


def read_word_counts(path: str | Path, *, lowercase: bool = False) -> dict[str, float]:
    """Count the words of a text, or read ``word TAB count`` lines: word to count.

    It is a list where its first line has a tab. Counts of a word that comes twice add up. Memory is
    that of the words.

    Raises DataError for a file without words and, naming the line, for one of a list that isn't a
    word and a number of 0 or more.
    """
    counts: defaultdict[str, float] = defaultdict(float)
    is_list = False
    for number, line in enumerate(iter_lines(path), start=1):
        text = line.lower() if lowercase else line
        is_list = is_list or (number == 1 and "\t" in text)
        if not is_list:
            for word in split_tokens(text):
                counts[word] += 1.0
            continue
        word, _, count = text.partition("\t")
        try:
            value = parse_number(count.strip())
        except ValueError:
            value = -1.0
        if value < 0.0 or split_tokens(word) != [word]:
            raise DataError(
                f"the line {line[:120]!r} is malformed",
                "word<TAB>count, as in the first line",
                file=path,
                line=number,
            )
        counts[word] += value
    if not counts:
        raise DataError("the file is empty", "a text, or lines word<TAB>count", file=path)
    return dict(counts)
