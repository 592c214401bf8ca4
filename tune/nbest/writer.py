"""N-best lists as text: Moses' lines, or JSONL; texts, names and numbers as they were read."""

import json
import re
from collections.abc import Iterable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from isogloss.align.errors import DataError, OptionError
from isogloss.align.files.text_io import FIELD_SEPARATOR, split_tokens

from .lists import HypothesisLists
from .named_lines import is_name
from .records.originals import dumped
from .sentence_ids import NumberId

__all__ = ["FORMS", "format_hypothesis", "group_heads", "nbest_lines", "shortest_numbers"]

FORMS = ("moses", "jsonl")
_ELEMENT = re.compile(r"(.+)\.(0|[1-9][0-9]*)", re.DOTALL)
_BLANKS = re.compile(r"[ \t\r\n]")


def shortest_numbers(values: NDArray[np.float32]) -> list[str]:
    """The shortest decimal numbers that are read as the same singles; 1 for 1.0.

    values: float32[n]
    """
    return [text.removesuffix(".0") for text in values.astype(str).tolist()]


def format_hypothesis(
    sentence: int,
    text: str,
    features: Iterable[tuple[str, float | Sequence[float]]],
    score: float,
    more: Sequence[str] = (),
) -> str:
    """One line of Moses' n-best format, numbers with six digits as Moses prints them.

    features: names, each with its value or values; more: fields behind the score
    """
    shown = " ".join(f"{name}= {_shown(values)}" for name, values in features)
    return " ||| ".join((f"{sentence}", text, shown, f"{score:.6g}", *more))


def _shown(values: float | Sequence[float]) -> str:
    if isinstance(values, Sequence):
        return " ".join(f"{value:.6g}" for value in values)
    return f"{values:.6g}"


def nbest_lines(
    lists: HypothesisLists,
    order: Sequence[NDArray[np.int64]],
    scores: NDArray[np.float64],
    format: str = "",
) -> Iterator[str]:
    """Lines of a list with new scores and in a new order.

    order: int64[n] for each sentence, its hypotheses as they are to be written
    scores: float64[num_hypotheses]
    format: ``moses``, or ``jsonl``, which holds names of sentences, sources, references and
        metrics, too; by default JSONL for lists that have these, and lines with names for lists
        that have no more than names, if these are read as names in lines

    Lists that keep their records are written as they were given, with all keys, in the new order
    and with the new scores; as ours where lists of several forms were merged.

    What is read again is what was written; Moses' format has no place for sentences without
    hypotheses. Raises UsageError for another format, and DataError for a text or name that Moses'
    format can't hold.
    """
    if not format and _are_named_lines(lists):
        return _moses(lists, order, scores, lists.names)
    format = format or ("jsonl" if lists.names is not None or lists.columns else "moses")
    if format not in FORMS:
        raise OptionError("format", " or ".join(FORMS), format)
    return (_moses if format == "moses" else _json)(lists, order, scores)


def _are_named_lines(lists: HypothesisLists) -> bool:
    """Whether lists are as lines with names of sentences hold them, and no records."""
    beside = (lists.sources, lists.references, lists.originals)
    if lists.names is None or lists.columns or any(one is not None for one in beside):
        return False
    named = all(is_name(name) and not isinstance(name, NumberId) for name in lists.names)
    whole = not any(map(_BLANKS.search, lists.space))
    return (
        named and whole and not any(FIELD_SEPARATOR in split_tokens(text) for text in lists.texts)
    )


def _moses(
    lists: HypothesisLists,
    order: Sequence[NDArray[np.int64]],
    scores: NDArray[np.float64],
    names: Sequence[str] | None = None,
) -> Iterator[str]:
    heads = group_heads(lists.space.names)
    for name in lists.space:
        if _BLANKS.search(name) or not name:
            raise DataError(
                f"the feature name {name!r} contains whitespace",
                "names without whitespace",
                remedy="Write JSONL",
            )
    for sentence, hypotheses in enumerate(order):
        for k in hypotheses.tolist():
            text = lists.texts[k]
            if FIELD_SEPARATOR in split_tokens(text):
                raise DataError(
                    f"the hypothesis {text!r} contains {FIELD_SEPARATOR!r}", "text without it",
                    remedy="Write JSONL",
                )  # fmt: skip
            features = _moses_features(lists, heads, k)
            shown = sentence if names is None else names[sentence]
            yield f"{shown} ||| {text} ||| {features} ||| {scores[k]:.6g}"


def group_heads(names: Sequence[str]) -> dict[int, tuple[str, int]]:
    """Name and number of values of each group of which all elements are there, by the first one.

    ``TM0.0`` and ``TM0.1`` are a group unless there is a feature ``TM0`` beside them.
    """
    ids = {name: number for number, name in enumerate(names)}
    result = {}
    for number, name in enumerate(names):
        element = _ELEMENT.fullmatch(name)
        if element and element[2] == "0" and element[1] not in ids:
            size = 1
            while ids.get(f"{element[1]}.{size}") == number + size:
                size += 1
            if size > 1:
                result[number] = element[1], size
    return result


def _moses_features(lists: HypothesisLists, heads: dict[int, tuple[str, int]], row: int) -> str:
    begin, end = lists.rows.offsets[row : row + 2].tolist()
    ids = lists.rows.ids[begin:end].tolist()
    values = shortest_numbers(lists.rows.values[begin:end])
    shown: list[str] = []
    at = 0
    while at < len(ids):
        name, size = heads.get(ids[at], ("", 1))
        if size > 1 and ids[at : at + size] == list(range(ids[at], ids[at] + size)):
            shown.append(f"{name}= {' '.join(values[at : at + size])}")
        else:
            size = 1
            shown.append(f"{lists.space.names[ids[at]]}= {values[at]}")
        at += size
    return " ".join(shown)


def _json(
    lists: HypothesisLists, order: Sequence[NDArray[np.int64]], scores: NDArray[np.float64]
) -> Iterator[str]:
    for sentence, hypotheses in enumerate(order):
        numbers, by_number = hypotheses.tolist(), scores[hypotheses].tolist()
        if lists.originals:
            lines = lists.originals.lines(sentence, numbers, by_number)
            if lines is not None:
                yield from lines
                continue
        name = lists.names[sentence] if lists.names else sentence
        record: dict[str, object] = {"id": json.loads(name) if isinstance(name, NumberId) else name}
        if lists.sources is not None:
            record["src"] = lists.sources[sentence]
        if lists.references is not None:
            record["refs"] = lists.references.of(sentence)
        record["hyps"] = [
            _json_hypothesis(lists, k, score) for k, score in zip(numbers, by_number, strict=True)
        ]
        yield dumped(record)


def _json_hypothesis(lists: HypothesisLists, row: int, score: float) -> dict[str, object]:
    begin, end = lists.rows.offsets[row : row + 2].tolist()
    values = shortest_numbers(lists.rows.values[begin:end])
    features: dict[str, float] = {}
    for number, value in zip(lists.rows.ids[begin:end].tolist(), values, strict=True):
        name = lists.space.names[number]
        features[name] = features.get(name, 0.0) + float(value)  # a sparse one may come twice
    result: dict[str, object] = {"text": lists.texts[row], "features": features}
    if lists.columns:
        result["metrics"] = {name: float(column[row]) for name, column in lists.columns.items()}
    result["score"] = score
    return result
