"""Records of JSON that hold n-best lists otherwise than ours: which of their keys hold what."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from isogloss.align.errors import OptionError, UsageError, check_argument, did_you_mean

__all__ = [
    "TEXTS",
    "FieldFault",
    "GivenFields",
    "NullFault",
    "RecordFields",
    "given_fields",
    "value_at",
    "with_value_at",
]

_KEYS = ("id", "src", "refs", "hyps", "text", "features", "metrics")
_PAIRS = re.compile(rf",(?=({'|'.join(_KEYS)})=)")
_NUMBERS = "features", "metrics"
TEXTS = ("translation_text", "generated_text", "summary_text", "text")  # keys of Hugging Face
_FORM = f"KEY=NAME, where KEY is one of {', '.join(_KEYS)}, such as text=translation features=score"


class FieldFault(Exception):
    """A record that doesn't have what its fields say."""


class NullFault(FieldFault):
    """A record that has null where its fields say that a number is."""


@dataclass(frozen=True)
class RecordFields:
    """Names of the keys of records; ``a.b`` stands for the key b of an object below a.

    names: by our keys; features, metrics: keys of numbers, which have the same names here
    metrics_may_lack: whether hypotheses may have no metrics
    per_item: how many lines or records in a row are one sentence, whatever its id; 0 = as ids say
    """

    names: Mapping[str, str]
    features: tuple[str, ...] = ()
    metrics: tuple[str, ...] = ()
    metrics_may_lack: bool = False
    per_item: int = 0

    @classmethod
    def parse(cls, texts: Sequence[str], per_item: int | None = None) -> "RecordFields | None":
        """Fields of ``KEY=NAME``; those of numbers are ``features=NAME,NAME``. None for nothing.

        Raises UsageError for another form, an unknown key and one that comes twice.
        """
        if not texts and not per_item:
            return None
        given: dict[str, str | list[str]] = {}
        for text in texts:
            key, _, name = text.partition("=")
            pairs = _PAIRS.sub(" ", text)
            if pairs != text:
                raise UsageError(
                    f"--fields {text!r} must have spaces between its pairs, not commas. Pass "
                    f"--fields {pairs}"
                )
            if key not in _KEYS or not name or key in given:
                fault = "is repeated" if key in given else "is malformed"
                raise UsageError(f"--fields {text!r} {fault}; expected {_FORM}")
            given[key] = list(filter(None, name.split(","))) if key in _NUMBERS else name
        return replace(cls.of(given), per_item=per_item or 0)

    @classmethod
    def of(cls, given: Mapping[str, str | Sequence[str]]) -> "RecordFields":
        """Fields of a dict: the name of each key, or, of features and metrics, a list of names.

        Raises UsageError for an unknown key, WrongTypeError for names that are no strings.
        """
        names: dict[str, str] = {}
        numbers: dict[str, tuple[str, ...]] = {}
        for key, value in given.items():
            if key not in _KEYS:
                near = did_you_mean(str(key), _KEYS) or f"expected one of {', '.join(_KEYS)}"
                raise UsageError(f"unknown key {key!r} of fields; {near}")
            listed = value if key in _NUMBERS and not isinstance(value, str) else [value]
            check_argument(listed, Sequence, f"fields[{key!r}]", "a list of names")
            for name in listed:
                check_argument(name, str, f"fields[{key!r}]", "the name of a key")
            if key in _NUMBERS:
                numbers[key] = tuple(map(str, listed))
            else:
                names[key] = str(value)
        return cls(names, numbers.get("features", ()), numbers.get("metrics", ()))

    def name(self, key: str) -> str:
        """The name of what is called ``key`` in our records."""
        return self.names.get(key, key)

    def record(self, value: Any, number: int) -> dict[str, Any]:
        """A record of ours: ``{"id": ..., "src": ..., "refs": [...], "hyps": [...]}``.

        value: an object with a list of hypotheses, which are objects or texts; with a list of
            texts, and lists of numbers beside it; or a hypothesis itself, with the id of its
            sentence; or a list of hypotheses
        number: of the record, from 0 on: its id where it has none, but is a whole sentence; divided
            by per_item, the id of each record

        Raises FieldFault for another.
        """
        if self.per_item:
            number //= self.per_item
        if isinstance(value, list):
            return {"id": number, "hyps": list(self._hypotheses(value, {}))}
        if not isinstance(value, dict):
            raise FieldFault("the record is neither an object nor a list")
        hyps, text = value_at(value, self.name("hyps")), self._text(value)
        record: dict[str, Any] = {}
        if isinstance(hyps, list) or isinstance(text, list):
            listed = hyps if isinstance(hyps, list) else text
            record = {"id": number, "hyps": list(self._hypotheses(listed, value))}
        elif isinstance(text, str):
            record = {"hyps": [self._hypothesis(value, value)]}
        else:
            raise FieldFault(
                f'the record has neither a list "{self.name("hyps")}" nor strings '
                f'"{self.name("text")}"'
            )
        for key in ("id", "src", "refs"):
            found = value_at(value, self.name(key))
            if found is not None:
                record[key] = [found] if key == "refs" and isinstance(found, str) else found
        return record | {"id": number} if self.per_item else record

    def _text(self, value: Mapping[str, Any]) -> Any:
        """The text of a hypothesis, or the texts of a sentence, below its key."""
        names = [self.names["text"]] if "text" in self.names else ["text", *TEXTS]
        return next((found for name in names if (found := value_at(value, name)) is not None), None)

    def _hypotheses(
        self, values: Sequence[Any], beside: Mapping[str, Any]
    ) -> Iterator[dict[str, Any]]:
        """Hypotheses of a list; numbers of texts alone stand in lists beside it."""
        for place, value in enumerate(values):
            if isinstance(value, dict):
                yield self._hypothesis({**value, "text": self._text(value)}, value)
                continue
            numbers: dict[str, Any] = {}
            for name in (*self.features, *self.metrics):
                column = value_at(beside, name)
                if not isinstance(column, list) or len(column) != len(values):
                    raise FieldFault(f'"{name}" is not a list of {len(values)} numbers')
                numbers[name] = column[place]
            yield self._hypothesis({"text": value}, numbers)

    def _hypothesis(self, value: Mapping[str, Any], numbers: Mapping[str, Any]) -> dict[str, Any]:
        """A hypothesis of ours. numbers: hold its features and metrics"""
        text = value.get("text") if "text" in value else self._text(value)
        result: dict[str, Any] = {"text": text}
        for key, names in (("features", self.features), ("metrics", self.metrics)):
            if not names:
                result[key] = value.get(key)
                continue
            found = _numbers_below({name: value_at(numbers, name) for name in names})
            if key == "metrics" and self.metrics_may_lack:
                found = {name: number for name, number in found.items() if number is not None}
            lacking = [name for name, number in found.items() if number is None]
            if lacking and (null := _null_at(numbers, lacking[0])):
                raise NullFault(f'"{null}" of a hypothesis is null')
            if lacking:
                raise FieldFault(f'a hypothesis has no "{lacking[0]}"')
            result[key] = found
        return result


GivenFields = RecordFields | Mapping[str, Any]
"""Fields, or a dict of names by key, such as ``{"text": "translation", "features": ["lm"]}``."""


def given_fields(given: GivenFields | None) -> RecordFields | None:
    """Return fields as :class:`RecordFields`; of a dict, hypotheses may lack all metrics.

    Raises WrongTypeError for what are none.
    """
    if given is None or isinstance(given, RecordFields):
        return given
    expected = 'a dict of names by key, such as {"text": "translation", "features": ["score"]}'
    check_argument(given, Mapping, "fields", expected)
    per_item = given.get("per_item", 0)
    check_argument(per_item, int, "fields['per_item']", "a number of lines per sentence")
    if per_item < 0:
        raise OptionError("fields['per_item']", "at least 0", per_item)
    fields = RecordFields.of({key: given[key] for key in given if key != "per_item"})
    return replace(fields, metrics_may_lack=True, per_item=per_item)


def value_at(value: Mapping[str, Any], name: str) -> Any:
    """What stands below a key, or below keys with dots between; None for nothing."""
    if name in value:
        return value[name]
    first, dot, rest = name.partition(".")
    below = value.get(first) if dot else None
    return value_at(below, rest) if isinstance(below, dict) else None


def _null_at(value: Mapping[str, Any], name: str) -> str:
    """The key with null that a name leads to; empty for none."""
    first, dot, rest = name.partition(".")
    if name in value or (dot and first in value and value[first] is None):
        key = name if name in value else first
        return key if value[key] is None else ""
    below = value.get(first) if dot else None
    null = _null_at(below, rest) if isinstance(below, dict) else ""
    return null and f"{first}.{null}"


def with_value_at(value: Mapping[str, Any], name: str, new: Any) -> dict[str, Any]:
    """An object with something else where :func:`value_at` finds what stands there."""
    first, _, rest = name.partition(".")
    if name in value or not isinstance(value.get(first), dict):
        return {**value, name: new}
    return {**value, first: with_value_at(value[first], rest, new)}


def _numbers_below(found: Mapping[str, Any]) -> dict[str, Any]:
    """Numbers by name; those of an object are called as it and their key: ``scores.prm``."""
    result: dict[str, Any] = {}
    for name, value in found.items():
        below = value if isinstance(value, dict) else None
        result |= {name: value} if below is None else {f"{name}.{key}": below[key] for key in below}
    return result
