"""Ids of utterances that lines of text begin or end with, as in files of Kaldi and sclite."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from isogloss.align.errors import DataError, warn

__all__ = ["UtteranceIds", "joined_lines", "utterance_ids", "warn_of_ids"]

_NAME = re.compile(  # sw02-A_17, spk/utt.3_1, utt17
    r"(?=\D*\d)(?:[\w./]+(?:-[\w./]+)+|(?=[^_]+_.)[\w./]+)|[A-Za-z]+\d+"
)
_TRN = re.compile(r"\((?=.*\d)[\w./-]+\)")
_FEWEST = 5
_FORMS = (
    (0, _NAME, "begins", "Kaldi", "cut -d' ' -f2-"),
    (-1, _TRN, "ends", "sclite", "sed 's/ *([^)]*)$//'"),
)


@dataclass(frozen=True)
class UtteranceIds:
    """What each line of a file seems to be called.

    words: the id of each line as it stands there, all different
    place: whether the line begins or ends with it; program: writes such files
    remedy: a command that removes the ids
    """

    path: str | Path
    words: tuple[str, ...]
    place: str
    program: str
    remedy: str

    @property
    def names(self) -> list[str]:
        """The ids without parentheses."""
        return [word.strip("()") for word in self.words]

    def are_in(self, texts: Iterable[str]) -> bool:
        """Whether any of the ids is a word of the texts, so that they may be text as well."""
        ids = {word.lower() for word in self.words}
        return any(not ids.isdisjoint(text.lower().split()) for text in texts)

    def error(self) -> DataError:
        """What is raised where the ids would count as words."""
        return DataError(
            f"the line {self.place} with the utterance id {self.words[0]}, as in files of "
            f"{self.program}, but must be text only",
            file=self.path, line=1, remedy=f"To remove the ids, run {self.remedy} {self.path}",
        )  # fmt: skip

    def warn(self) -> None:
        """Warn (DataWarning) that the ids count as words."""
        warn(
            f"{self.path}: each line has an utterance id, such as {min(self.words)}, as in files "
            f"of {self.program}; it counts as a word. To remove the ids, run {self.remedy} "
            f"{self.path}"
        )


def utterance_ids(lines: Sequence[str], path: str | Path) -> UtteranceIds | None:
    """The ids that all lines of a file seem to have; None where some line has none."""
    if len(lines) < _FEWEST:
        return None
    for place, form, verb, program, remedy in _FORMS:
        words: dict[str, None] = {}
        for number, line in enumerate(lines):
            tokens = line.split()
            if len(tokens) < 2 or not form.fullmatch(tokens[place]) or len(words) < number:
                break
            words[tokens[place]] = None
        if len(words) == len(lines):
            return UtteranceIds(path, tuple(words), verb, program, remedy)
    return None


def warn_of_ids(lines: Sequence[str], path: str | Path) -> None:
    """Warn (DataWarning) where each line seems to begin or end with the id of an utterance."""
    if ids := utterance_ids(lines, path):
        ids.warn()


def joined_lines(lines: Sequence[str], names: Sequence[str]) -> list[str] | None:
    """The lines in the order of their names, without them.

    None unless each line begins or ends with one of the names, and each name has one line.
    """
    if len(lines) != len(names):
        return None
    for at_end in (False, True):
        texts: dict[str, str] = {}
        for line in lines:
            parts = line.rsplit(maxsplit=1) if at_end else line.split(maxsplit=1)
            if parts:
                word, text = (parts[-1], parts[:-1]) if at_end else (parts[0], parts[1:])
                texts[word[1:-1] if at_end else word] = "".join(text)
        if texts.keys() == set(names):
            return [texts[name] for name in names]
    return None
