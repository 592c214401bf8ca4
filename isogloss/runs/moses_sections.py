"""Sections of a moses.ini: which of them a decoder may have, and what their values say."""

import math
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import TypeVar

from isogloss.align.execution import MAX_THREADS, processors
from isogloss.align.files.numerals import is_whole, parse_number, parse_whole
from isogloss.align.files.text_io import split_tokens

__all__ = [
    "BEFORE_2013",
    "FIXED",
    "IGNORED",
    "LISTS",
    "PARTS",
    "READ",
    "SHORT",
    "share",
    "switch",
    "thread_count",
    "whole",
    "words_of",
]

T = TypeVar("T")

READ = {
    "feature", "weight", "weight-file", "distortion-limit", "stack", "beam-threshold", "threads",
    "cube-pruning-pop-limit", "ttable-limit", "n-best-list", "report-segmentation",
    "alignment-output-file", "output-search-graph", "output-search-graph-hypergraph",
    "include-segmentation-in-n-best", "print-alignment-info-in-n-best",
}  # fmt: skip
_TRUE, _FALSE = ("1", "true", "yes", "y"), ("0", "false", "no", "n")  # as Moses reads them
# sections that may say what this decoder does, and nothing else
FIXED = {
    "input-factors": ("0",),
    "output-factors": ("0",),
    "mapping": ("0 T 0", "T 0"),
    "decoding-graph-backoff": ("0",),
    "inputtype": ("0",),
    "xml-input": ("exclude", "pass-through"),
    "search-algorithm": ("0", "1"),
    "max-phrase-length": ("20",),
    **dict.fromkeys(
        (
            "drop-unknown", "mark-unknown", "mbr", "minimum-bayes-risk", "lminimum-bayes-risk",
            "consensus-decoding", "monotone-at-punctuation", "phrase-drop-allowed",
            "disable-discarding", "report-all-factors", "early-discarding-threshold",
            "stack-diversity", "cube-pruning-diversity", "translation-option-threshold",
            "continue-partial-translation",
        ),
        _FALSE,
    ),
}  # fmt: skip
# sections of which no translation depends
IGNORED = {
    "verbose", "v", "show-weights", "labeled-n-best-list", "n-best-factor", "persistent-cache-size",
    "minphr-memory", "minlexr-memory", "max-chart-span", "cube-pruning-lazy-scoring",
}  # fmt: skip
# names of options on Moses's command line, of which it reads nothing in a file
SHORT = {
    "s": "stack", "ttl": "ttable-limit", "dl": "distortion-limit", "b": "beam-threshold",
    "cbp": "cube-pruning-pop-limit", "th": "threads", "wf": "weight-file", "du": "drop-unknown",
    "xi": "xml-input", "t": "report-segmentation", "osg": "output-search-graph",
}  # fmt: skip
LISTS = {"feature", "weight", "weight-file", "n-best-list", "output-search-graph-hypergraph"}
PARTS = {"input-factors", "output-factors", "mapping", "decoding-graph-backoff"}  # a line each
BEFORE_2013 = {"ttable-file", "lmodel-file", "distortion-file", "weight-l", "weight-t", "weight-d"}


def whole(text: str) -> int:
    """A whole number. Raises ValueError for another text."""
    with suppress(ValueError):
        return parse_whole(text)
    raise ValueError("an integer")


def words_of(parse: Callable[[Sequence[str]], T]) -> Callable[[str], T]:
    """What parses a text by its words."""
    return lambda text: parse(split_tokens(text))


def switch(text: str) -> bool:
    """Whether something is switched on, as nothing says, too. Raises ValueError."""
    if text.lower() not in ("", *_TRUE, *_FALSE):
        raise ValueError("true or false")
    return text.lower() not in _FALSE


def share(text: str) -> float:
    """A ratio, 0 for none. Raises ValueError for another text."""
    value = math.nan
    with suppress(ValueError):
        value = parse_number(text)
    if not 0.0 <= value < 1.0:
        raise ValueError("a ratio below 1, such as 1e-5, or 0 for none")
    return value


def thread_count(text: str) -> int | None:
    """A number of threads; "all" is as many as there are processors."""
    if text == "all":
        return min(processors(), MAX_THREADS)
    if not is_whole(text) or not 1 <= int(text) <= MAX_THREADS:
        raise ValueError(f"a number of threads between 1 and {MAX_THREADS}, or all")
    return int(text)
