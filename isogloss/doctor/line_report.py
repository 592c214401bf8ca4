"""A table with a row for each line that a finding names."""

from collections.abc import Iterable, Iterator, Sequence

from .examination import LineBlock
from .findings import Finding
from .survey import MOST_LINES

__all__ = ["HEADER", "line_report", "shortened_findings"]

HEADER = ("finding", "line", "source", "target")


def line_report(findings: Iterable[Finding], blocks: Iterable[LineBlock]) -> Iterator[list[str]]:
    """The header and the rows, by line; those of a line in the order of the findings.

    blocks: all lines of both sides again
    """
    names: dict[int, list[str]] = {}
    for finding in findings:
        for line in finding.lines:
            names.setdefault(line, []).append(finding.name)
    yield list(HEADER)
    first = 1
    for block in blocks:
        size = max(map(len, block))
        for line in range(first, first + size):
            if line in names:
                sides = [_text(side, line - first) for side in block]
                for name in names.pop(line):
                    yield [name, str(line), *sides]
        first += size
    for line, found in sorted(names.items()):  # of labels or links that are more than the pairs
        for name in found:
            yield [name, str(line), "", ""]


def _text(lines: Sequence[bytes], number: int) -> str:
    """A line as text, where the side has it; what is not UTF-8 becomes U+FFFD."""
    return lines[number].decode(errors="replace") if number < len(lines) else ""


def shortened_findings(findings: Iterable[Finding]) -> list[Finding]:
    """Findings with fewer lines than were seen, so that a list of lines is not complete."""
    return [one for one in findings if one.lines and len(one.lines) == MOST_LINES < one.count]
