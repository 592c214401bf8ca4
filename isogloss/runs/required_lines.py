"""What translations must hold, from files with a line for each sentence."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from isogloss.align.errors import DataError, pluralize
from isogloss.align.files.text_io import read_lines, split_tokens
from isogloss.tune.decoder.model import Required
from isogloss.tune.decoder.rule_options import FixedTranslation

__all__ = ["RequiredFiles", "fixed_translations"]

_ENTRY = re.compile(r"([0-9]{1,6})(?:-([0-9]{1,6}))?=(.*)")


@dataclass(frozen=True)
class RequiredFiles:
    """Files that say what translations must hold; None = nothing.

    prefixes: what they begin with; references: what they are; fixed_translations: of of some words
    """

    prefixes: str | None = None
    references: str | None = None
    fixed_translations: str | None = None

    def lines(self) -> Iterator[Required]:
        """What the translation of each sentence must hold, as many as the files have lines.

        Raises DataError for files of different lengths, and as :func:`fixed_translations` does.
        """
        named = [file for file in (self.prefixes, self.references, self.fixed_translations) if file]
        opened = {file: iter(read_lines(file)) for file in named}
        number = 0
        while named:
            number += 1
            lines = {file: next(opened[file], None) for file in named}
            ended = [file for file, line in lines.items() if line is None]
            if len(ended) == len(named):
                return
            if ended:
                other = next(file for file in named if file not in ended)
                raise DataError(
                    f"the file has {pluralize(number - 1)}, fewer than {other}; both must have the "
                    "same number of lines",
                    file=ended[0],
                )
            words = tuple(split_tokens(lines.get(self.references or self.prefixes or "") or ""))
            fixed = lines.get(self.fixed_translations or "") or ""
            yield Required(
                words,
                self.references is not None,
                tuple(fixed_translations(fixed, self.fixed_translations or "", number)),
            )


def fixed_translations(text: str, file: str, line: int) -> Iterator[FixedTranslation]:
    """The translations of a line such as ``0-1=the house ||| 4=and``; words are counted from 0.

    Raises DataError for anything else, with the file and the line.
    """
    for entry in text.split("|||") if text.strip() else ():
        match = _ENTRY.fullmatch(entry.strip())
        if match is None:
            raise DataError(
                f"the entry {entry.strip()!r} is malformed",
                "FIRST-LAST=WORDS or WORD=WORDS, separated by |||",
                file=file,
                line=line,
            )
        begin = int(match[1])
        end = int(match[2] or begin) + 1
        yield FixedTranslation(begin, end, tuple(split_tokens(match[3])))
