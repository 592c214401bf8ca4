"""What became of each span of a text that was projected, a line of a table each."""

import re
from collections.abc import Iterator, Sequence

from ...links.projection import STATUSES, Projection
from .characters import span_text
from .sentence import AnnotatedSentence

__all__ = ["REPORT_COLUMNS", "report_lines"]

REPORT_COLUMNS = (
    "line", "begin", "end", "label", "text", "status", "target_begin", "target_end", "target_text",
    "confidence",
)  # fmt: skip
_BREAKS = re.compile(r"[\t\n\r]")


def report_lines(
    block: Sequence[AnnotatedSentence],
    words: Sequence[Sequence[str]],
    found: Projection,
    first: int,
) -> Iterator[str]:
    """A line per span, lost ones included, in the order of the annotations.

    words: of the target; first: line of the first sentence. Words are counted from 0, ends are
    exclusive; where there is no projection, its cells are empty. Text is empty for tags alone.
    """
    projected = iter([span for spans in found.spans for span in spans])
    status, sure = iter(found.status.tolist()), iter(found.source_confidence.tolist())
    for number, (sentence, target) in enumerate(zip(block, words, strict=True)):
        for span in found.source[number]:
            cells = [str(first + number), str(span.start), str(span.end), span.label,
                     span_text(span.parts, sentence.words)]  # fmt: skip
            outcome, confidence = next(status), f"{next(sure):.4f}"
            if STATUSES[outcome] == "projected":
                there = next(projected)
                cells += [STATUSES[outcome], str(there.start), str(there.end),
                          span_text(there.parts, target), confidence]  # fmt: skip
            else:
                known = confidence if STATUSES[outcome] == "low confidence" else ""
                cells += [STATUSES[outcome], "", "", "", known]
            yield "\t".join(_BREAKS.sub(" ", cell) for cell in cells)
