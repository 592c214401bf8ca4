"""Segments of files that name the languages of their sides: which are read, and which way round."""

from pathlib import Path

from ...errors import DataError, pluralize, warn
from .languages import Languages, is_language

__all__ = ["UNTOLD", "SegmentCounts"]

UNTOLD = "?"  # a language that a file doesn't name


class SegmentCounts:
    """What was seen and left out in the segments read so far.

    languages: that are asked for, None = those of the file
    """

    def __init__(self, path: str | Path, languages: Languages | None) -> None:
        self.path, self.languages = path, languages
        self.segments = self.kept = self.lacking = self.first_lacking = self.other = 0
        self._seen: dict[Languages, None] = {}  # source and target, in order of appearance

    def error(self, seen: str, expected: str = "", remedy: str = "") -> DataError:
        """A DataError about the file."""
        return DataError(seen, expected, file=self.path, remedy=remedy)

    def direction(self, source: str, target: str) -> bool | None:
        """Whether sides of two languages are to be exchanged; None where others are asked for.

        Raises DataError for a second pair of languages where none is asked for.
        """
        self._seen.setdefault((source, target))
        if self.languages is None:
            if any(len({*codes} - {UNTOLD}) > 1 for codes in zip(*self._seen, strict=True)):
                raise self.error(
                    f"the languages are {self._pairs()}", "one pair of languages, or the "
                    "two languages to read",
                    remedy='Pass them, source first: `languages=("en", "es")`',
                )  # fmt: skip
            return False
        for swapped, wanted in enumerate((self.languages, self.languages[::-1])):
            if all(
                code == UNTOLD or is_language(code, language)
                for code, language in zip((source, target), wanted, strict=True)
            ):
                return bool(swapped)
        return None

    def _pairs(self) -> str:
        return ", ".join("-".join(pair) for pair in self._seen)

    def lacks(self) -> None:
        """Count the last segment as one without a translation."""
        self.lacking += 1
        self.first_lacking = self.first_lacking or self.segments

    def check(self) -> None:
        """Raise DataError where no segment was kept, else warn of those that weren't."""
        languages = "-".join(self.languages or ())
        if self.segments and self.other == self.segments:
            raise self.error(
                f"no segment is in the languages {languages}; the languages are {self._pairs()}",
                remedy="Choose one of these pairs (`languages=...`)",
            )
        if self.segments and not self.kept:
            raise self.error("no segment has a translation", "segments in two languages")
        total = pluralize(self.segments, "segment")
        if self.other:
            warn(f"{self.path}: {self.other} of {total} are not in {languages} and are skipped")
        if self.lacking:
            warn(
                f"{self.path}: the translation is missing in {self.lacking} of {total} (first: "
                f"segment {self.first_lacking}); such segments are skipped"
            )
