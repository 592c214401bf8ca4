"""Lines ``id ||| hypothesis ||| features`` whose ids are names, such as those of utterances."""

import re
from collections.abc import Iterator
from typing import Any

from isogloss.align.files.text_io import split_fields
from isogloss.features.space import is_sparse

from .kernels.lines import MAX_FIELDS
from .lines import LineFault, line_fault, parse_features

__all__ = ["has_named_lines", "named_records"]

_NAME = re.compile(r"(?=\S*[^\W\d_])[^\s|]{2,}|[0-9]+([-_][0-9]+)+")  # sw02-A_17, 1089-134686-0
_NUMBER = "Use names in all lines, or number the sentences from 0"


def has_named_lines(begin: bytes) -> bool:
    """Whether a list is one of lines whose ids are names, by its first line."""
    fields = split_fields(begin.partition(b"\n")[0].decode())
    return 3 <= len(fields) <= MAX_FIELDS and _NAME.fullmatch(fields[0]) is not None


def named_records(block: str, line: int) -> Iterator[tuple[int, dict[str, Any]]]:
    """A record of JSONL for each line, with the number of the line.

    line: number of the first line

    Raises LineFault with the number of the line for one that can't be read.
    """
    for number, text in enumerate(block.split("\n"), start=line):
        name, *rest = split_fields(text)
        fault = line_fault(" ||| ".join(["0", *rest]))
        if not _NAME.fullmatch(name) and len(rest) > 1:
            raise LineFault(
                number, f"the sentence id {name!r} is not a name, unlike earlier ids", _NUMBER
            )
        if fault is not None:
            raise LineFault(number, fault.seen, fault.remedy)
        features: dict[str, float] = {}
        for feature, value in parse_features(rest[1]):
            features[feature] = value + (features.get(feature, 0.0) if is_sparse(feature) else 0.0)
        yield number, {"id": name, "hyps": [{"text": rest[0], "features": features}]}
