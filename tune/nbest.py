"""N-best lists: Moses and cdec text in and out, features over one space."""

import re
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from align.errors import DataError, DataWarning
from align.readers import read_lines, split_fields, split_tokens
from align.texts import Texts
from features.ragged import Ragged
from features.space import FeatureSpace, is_sparse

from .kernels.best import first_best
from .references import References

__all__ = ["NBest", "format_hypothesis", "read_nbest"]

_LARGEST = float(np.finfo(np.float32).max)
_PAIR = re.compile(r"^(\S+)=(\S+)$")


@dataclass(frozen=True)
class NBest:
    """Hypotheses of sentences 0..n-1.

    sentence_offsets: int64[num_sentences + 1], hypotheses of each sentence
    texts: hypotheses as they stand in the list
    rows: their feature vectors over ``space``
    columns: further numbers of each hypothesis by name, float64[num_hypotheses]: metrics of others
    names: ids of the sentences as they stand in the list; None where they are their numbers
    references: where the list holds them
    """

    sentence_offsets: NDArray[np.int64]
    texts: Texts
    rows: Ragged
    space: FeatureSpace
    columns: Mapping[str, NDArray[np.float64]] = field(default_factory=dict)
    names: tuple[str, ...] | None = None
    references: References | None = None

    def __post_init__(self) -> None:
        if self.sentence_offsets[-1] != len(self.texts) or len(self.rows) != len(self.texts):
            raise ValueError("one text and one feature row per hypothesis")

    def __len__(self) -> int:
        return len(self.sentence_offsets) - 1

    def hypotheses(self, sentence: int) -> range:
        """Numbers of the hypotheses of one sentence."""
        begin, end = self.sentence_offsets[sentence : sentence + 2].tolist()
        return range(begin, end)

    def sentence_rows(self, sentence: int) -> Ragged:
        """Feature vectors of the hypotheses of one sentence."""
        own = self.hypotheses(sentence)
        return self.rows.part(own.start, own.stop)

    def best(self, weights: NDArray[np.float64]) -> NDArray[np.int64]:
        """Number of the best hypothesis of each sentence, -1 where it has none; ties: the first."""
        return np.asarray(first_best(self.rows.scores(weights), self.sentence_offsets))


def parse_features(text: str) -> Iterator[tuple[str, float]]:
    """(name, value) of a feature field, Moses' or cdec's.

    Moses: ``LM0= -1.2 TM0= a b c twi_fish= 1``; several values of one name are called
    ``TM0.0``, ``TM0.1``. cdec and Joshua: ``name=value``. Raises ValueError for anything else.
    """
    name = ""
    values: list[float] = []

    def flush() -> Iterator[tuple[str, float]]:
        if name:
            if not values:
                raise ValueError(f"{name!r} has no value")
            if len(values) == 1:
                yield name, values[0]
            else:
                yield from ((f"{name}.{k}", value) for k, value in enumerate(values))

    for token in split_tokens(text):
        pair = _PAIR.match(token)
        if token.endswith("="):
            yield from flush()
            name, values = token[:-1], []
        elif pair:
            yield from flush()
            name, values = "", []
            yield pair[1], float(pair[2])
        elif name:
            values.append(float(token))
        else:
            raise ValueError(f"{token!r} has no name before it")
    yield from flush()


def read_nbest(paths: Sequence[str | Path], num_sentences: int = 0) -> NBest:
    """Read and merge n-best lists, ``id ||| hypothesis ||| features ||| score``.

    Hypotheses are grouped by id whatever their order (a warning tells of unsorted ids) and
    repeated ones (same text, same features) are kept once. With ``num_sentences`` ids must lie
    below it.

    Raises DataError naming file and line for a wrong number of fields, a bad id or feature.
    """
    found: dict[int, dict[tuple[str, tuple[tuple[str, float], ...]], None]] = {}
    for path in paths:
        previous, unsorted = 0, False
        for number, line in enumerate(read_lines(path), start=1):
            sentence, text, pairs = _parse_line(line, path, number, num_sentences)
            unsorted, previous = unsorted or sentence < previous, sentence
            found.setdefault(sentence, {})[(text, pairs)] = None
        if unsorted:
            warnings.warn(f"{path}: sentence ids are not sorted", DataWarning, stacklevel=2)
    if not found:
        raise DataError("no hypothesis", "an n-best list", file=paths[0] if paths else None)
    count = num_sentences or max(found) + 1
    if count > 1000 + 100 * len(found):
        raise DataError(
            f"sentence id {count - 1}, but hypotheses of {len(found)} sentences only",
            "ids counted from 0",
            file=paths[0],
        )
    gaps = [k for k in range(count) if k not in found]
    if gaps:
        warnings.warn(
            f"{len(gaps)} sentences have no hypothesis (first: {gaps[0]})",
            DataWarning,
            stacklevel=2,
        )
    return build_nbest([list(found.get(k, {})) for k in range(count)])


def _parse_line(
    line: str, path: str | Path, number: int, num_sentences: int
) -> tuple[int, str, tuple[tuple[str, float], ...]]:
    fields = split_fields(line)
    try:
        if len(fields) < 3:
            raise ValueError(f"{len(fields)} fields")
        sentence = int(fields[0])
        if sentence < 0 or (num_sentences and sentence >= num_sentences):
            raise ValueError(f"sentence id {sentence}, while there are {num_sentences} sentences")
        pairs = tuple(parse_features(fields[2]))
        if not all(abs(value) <= _LARGEST for _, value in pairs):  # false for NaN as well
            raise ValueError("a feature value that is not finite in single precision")
    except ValueError as error:
        raise DataError(
            str(error),
            "id ||| hypothesis ||| NAME= value ... ||| score",
            file=path,
            line=number,
        ) from None
    return sentence, fields[1], pairs


def build_nbest(
    sentences: Iterable[Sequence[tuple[str, Sequence[tuple[str, float]]]]],
) -> NBest:
    """NBest of (text, features) hypotheses; the space holds the names seen, dense ones first."""
    rows = list(sentences)
    names = dict.fromkeys(name for own in rows for _, pairs in own for name, _ in pairs)
    space = FeatureSpace(sorted(names, key=is_sparse))
    ids: list[int] = []
    values: list[float] = []
    bounds = [0]
    for own in rows:
        for _, pairs in own:
            ids.extend(space.id(name) for name, _ in pairs)
            values.extend(value for _, value in pairs)
            bounds.append(len(ids))
    return NBest(
        np.cumsum([0, *map(len, rows)]).astype(np.int64),
        Texts.from_strings(text for own in rows for text, _ in own),
        Ragged(np.array(ids, np.int32), np.array(values, np.float32), np.array(bounds)),
        space,
    )


def format_hypothesis(
    sentence: int, text: str, features: Iterable[tuple[str, float]], score: float
) -> str:
    """One line of Moses' n-best format."""
    shown = " ".join(f"{name}= {value:.6g}" for name, value in features)
    return f"{sentence} ||| {text} ||| {shown} ||| {score:.6g}"
