"""The kinds of files that are recognized, and what a file was recognized as."""

import re
import shlex
from pathlib import Path
from typing import NamedTuple

from .kind import Kind
from .program_kinds import PROGRAM_KINDS
from .text_kinds import TEXT_KINDS

__all__ = ["KINDS", "PIECES", "Form", "Kind"]

KINDS = {**TEXT_KINDS, **PROGRAM_KINDS}
PIECES = ("sentencepiece", "bpe", "wordpiece", "byte-pieces", "joiners", "end-pieces")
_INPUT = re.compile(r" (?:< )?FILE\b")
_FILE_WORD = re.compile(r"\bFILE\b")  # in a remedy, the file


class Form(NamedTuple):
    """What a file was recognized as.

    kind: a key of KINDS; seen: how it shows, or empty; line: number of the first line that shows it
    what: in place of that of the kind, where it says more
    encoding: that the file is in, where that is what it was recognized as
    file: that was looked at, empty for a part of one
    """

    kind: str
    seen: str = ""
    line: int | None = None
    what: str = ""
    encoding: str = ""
    file: str = ""

    @property
    def level(self) -> str:
        """That of the kind."""
        return KINDS[self.kind].level

    @property
    def name(self) -> str:
        """What the file is, in words, and how that shows."""
        return f"{self.text} ({self.seen})" if self.seen else self.text

    @property
    def text(self) -> str:
        """The same without what shows it."""
        return self.what or KINDS[self.kind].what

    @property
    def remedy(self) -> str:
        """What to do."""
        if self.encoding:
            return f"Convert it with `iconv -f {self.encoding} -t UTF-8 FILE`"
        return KINDS[self.kind].remedy

    def remedy_for(self, path: str | Path | None, is_text: bool = True) -> str:
        """What to do with a file: the commands name it.

        path: None for a column of a file, so that they read standard input
        is_text: whether it should hold sentences, rather than hypotheses, weights or links
        """
        remedy = (not is_text and KINDS[self.kind].elsewhere) or self.remedy
        if path is None:
            return _INPUT.sub("", remedy)
        named = shlex.quote(str(path))
        return _FILE_WORD.sub(lambda _: named, remedy)
