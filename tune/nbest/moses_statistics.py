"""Moses's FEATSTAT and SCORESTAT files: features, and metric statistics, of n-best lists as text.

Moses's extractor writes them, and its optimizers read them; they hold neither texts nor references.
Names are those of the list they were made from: ``TM_0``, ``TM_1`` there are ``TM.0``, ``TM.1``
here, and ``LM_0`` without an ``LM_1`` is ``LM``.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, zip_longest
from math import isfinite
from operator import le
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from isogloss.align.arrays.ragged import offsets_of
from isogloss.align.arrays.sparse_rows import Ragged
from isogloss.align.errors import DataError, pluralize
from isogloss.align.files.text_io import iter_lines, split_tokens
from isogloss.align.files.writers import atomic_files, encode_line
from isogloss.align.text.string_array import Texts
from isogloss.features.space import FeatureSpace, is_sparse

from .lines import finite_single, read_number
from .rows import HypothesisRows
from .types import NBest
from .writer import group_heads, shortest_numbers

__all__ = ["read_moses_statistics", "write_moses_statistics"]

_ELEMENT = re.compile(r"(.+)_(0|[1-9][0-9]*)")
_COUNTS = "counts: non-negative integers, with no more matches than n-grams"
_SAME_STATISTICS = ("BLEU", "WER")  # in Moses and here
_WHOLE = re.compile(r"[0-9]{1,18}")


@dataclass(frozen=True)
class _Block:
    """The hypotheses of a sentence in one of the files."""

    # line: of the first hypothesis; rows: tokens of each
    # head: what follows the numbers in the block's first line

    sentence: int
    width: int
    head: tuple[str, ...]
    line: int
    rows: list[list[str]]


def _blocks(path: str | Path, kind: str) -> Iterator[_Block]:
    """Blocks ``KIND_TXT_BEGIN_0 sentence rows width ...`` to ``KIND_TXT_END_0`` of a file."""
    lines = enumerate(iter_lines(path), start=1)
    for number, line in lines:
        mark, *head = split_tokens(line) or [""]
        if mark != f"{kind}_TXT_BEGIN_0" or not all(map(_WHOLE.fullmatch, [*head, "", "", ""][:3])):
            binary = mark.startswith(f"{kind}_BIN")
            raise DataError(
                "the file is binary" if binary else f"the line {line!r} is malformed",
                f"{kind}_TXT_BEGIN_0 SENTENCE HYPOTHESES WIDTH ...",
                file=path,
                line=number,
                remedy="Run the Moses extractor without --binary" if binary else "",
            )
        sentence, size, width = map(int, head[:3])
        rows = [split_tokens(row) for _, row in islice(lines, size)]
        last, end = next(lines, (number, ""))
        if split_tokens(end) != [f"{kind}_TXT_END_0"]:
            raise DataError(
                f"the line {end!r} is malformed",
                f"{kind}_TXT_END_0 after {pluralize(size, 'hypothesis')}", file=path, line=last,
                remedy="Check that the file is complete",
            )  # fmt: skip
        yield _Block(sentence, width, tuple(head[3:]), number + 1, rows)


def _are_finite(values: Sequence[float]) -> bool:
    return all(map(isfinite, values))


def _are_counts(values: Sequence[float]) -> bool:
    whole = all(0.0 <= value < 2.0**53 and value == int(value) for value in values)
    return whole and all(map(le, values[:8:2], values[1:8:2]))


def _matrix(
    block: _Block,
    path: str | Path,
    good: Callable[[Sequence[float]], bool] = _are_finite,
    expected: str = "finite numbers",
) -> NDArray[np.float64]:
    """The first ``width`` numbers of each row, float64[n, width]."""
    # Raises DataError with the line.
    # good: whether the numbers of a row can stand there; expected: what can
    wanted = f"{pluralize(block.width, 'value')} ({expected})"
    if any(len(row) < block.width for row in block.rows[:1]):  # before memory is taken
        seen = f"the line has {pluralize(len(block.rows[0]), 'number')}"
        raise DataError(seen, wanted, file=path, line=block.line)
    result = np.empty((len(block.rows), block.width))
    for k, row in enumerate(block.rows):
        try:
            values = list(map(read_number, row[: block.width]))
            if len(values) < block.width or not good(values):
                raise ValueError(f"the line {' '.join(row)!r} is malformed")
        except ValueError as error:
            raise DataError(str(error), wanted, file=path, line=block.line + k) from None
        result[k] = values
    return result


def _dense_names(names: Sequence[str]) -> list[str]:
    """Names of the list that Moses's extractor numbered."""
    elements = [_ELEMENT.fullmatch(name) for name in names]
    sizes = Counter(element[1] for element in elements if element)
    result = []
    for name, element in zip(names, elements, strict=True):
        if element is None:
            result.append(name)
        else:
            result.append(element[1] if sizes[element[1]] == 1 else f"{element[1]}.{element[2]}")
    return result


class _Reader:
    """Brings the blocks of feature files together with those of score files."""

    def __init__(self, metric: str) -> None:
        self.metric = metric
        self.names: dict[str, int] = {}
        self.dense: tuple[str, ...] | None = None
        self.width: int | None = None
        self.sentences: list[int] = []
        self.ids: list[NDArray[np.int32]] = []
        self.values: list[NDArray[np.float32]] = []
        self.lengths: list[int] = []
        self.statistics: list[NDArray[np.float64]] = []

    def add(self, features: _Block, scores: _Block, paths: tuple[str | Path, str | Path]) -> None:
        """Add the hypotheses of a sentence. Raises DataError."""
        self._check_form(features, scores, paths)
        matrix = _matrix(features, paths[0])
        for k, row in enumerate(features.rows):
            try:
                ids, values = self._entries(row[features.width :])
                for value in matrix[k].tolist():
                    finite_single(value, "dense")
            except ValueError as error:
                raise DataError(
                    str(error), "the dense values, then NAME_x=value for each sparse feature",
                    file=paths[0], line=features.line + k,
                ) from None  # fmt: skip
            self.ids.append(np.array([*range(features.width), *ids], np.int32))
            self.values.append(np.append(matrix[k], values).astype(np.float32))
            self.lengths.append(features.width + len(ids))
            self.sentences.append(features.sentence)
        counts = (_are_counts, _COUNTS) if self.metric == "BLEU" else ()
        self.statistics.append(_matrix(scores, paths[1], *counts))

    def _entries(self, tokens: list[str]) -> tuple[list[int], list[float]]:
        """Numbers and values of sparse features. Raises ValueError."""
        ids, values = [], []
        for token in tokens:
            name, _, value = token.rpartition("=")
            if not is_sparse(name):
                raise ValueError(f"the sparse feature {token!r} is malformed")
            values.append(finite_single(read_number(value), name))
            ids.append(self.names.setdefault(name, len(self.names)))
        return ids, values

    def _check_form(
        self, features: _Block, scores: _Block, paths: tuple[str | Path, str | Path]
    ) -> None:
        for one, other, what in (
            (features.sentence, scores.sentence, "number of the sentence"),
            (len(features.rows), len(scores.rows), "number of hypotheses"),
        ):
            if one != other:
                raise DataError(
                    f"the {what} is {other}", f"{one}, as in {paths[0]}, line {features.line - 1}",
                    file=paths[1], line=scores.line - 1, remedy="Pass files of the same run",
                )  # fmt: skip
        if scores.head != (self.metric,):
            seen = " ".join(scores.head)[:80]
            remedy = "Run the extractor with this metric, or pass its metric (`metric=...`)"
            if seen in _SAME_STATISTICS:
                remedy = f"Pass the metric of the statistics (`metric={seen.lower()!r}`)"
            raise DataError(
                f"the metric of the statistics is {seen!r}", self.metric,
                file=paths[1], line=scores.line - 1, remedy=remedy,
            )  # fmt: skip
        dense = tuple(_dense_names(features.head))
        if self.dense is None:
            self.dense, self.width = dense, scores.width
            self.names = {name: k for k, name in enumerate(dense)}
        if dense != self.dense or len(dense) != features.width or len(self.names) < len(dense):
            raise DataError(
                f"the block has {pluralize(features.width, 'value')} of the features "
                f"{' '.join(features.head)!r}",
                f"{pluralize(len(self.dense), 'distinct name')}, the same in all blocks",
                file=paths[0], line=features.line - 1,
            )  # fmt: skip
        if scores.width != self.width:
            raise DataError(
                f"the block has {pluralize(scores.width, 'statistic')}",
                f"{self.width}, as in earlier blocks",
                file=paths[1], line=scores.line - 1,
            )  # fmt: skip


def read_moses_statistics(
    features: Sequence[str | Path], scores: Sequence[str | Path], *, metric: str = "BLEU"
) -> tuple[NBest, NDArray[np.float64]]:
    """Read feature files and the score files beside them, in Moses's text form.

    features, scores: as many files of each, which belong together in turn, such as those of several
        iterations, which are merged; hypotheses with the same features and statistics are kept once
    metric: Moses's name of the one that all statistics are of

    Returns lists whose texts are empty, and the statistics, float64[num_hypotheses, k]: of BLEU
    match and total of orders 1 to 4 and the length of the reference, as ``Bleu`` has them.

    Raises DataError naming file and line for what can't be read or doesn't fit together.
    """
    if len(features) != len(scores):
        raise DataError(
            f"{pluralize(len(scores), 'score file', 'is')} given",
            f"{len(features)}, one per feature file",
        )
    reader = _Reader(metric)
    for paths in zip(features, scores, strict=True):
        blocks = zip_longest(_blocks(paths[0], "FEATURES"), _blocks(paths[1], "SCORES"))
        for feature_block, score_block in blocks:
            if feature_block is None or score_block is None:
                raise DataError(
                    f"the number of sentences differs from that in {paths[0]}", file=paths[1],
                    remedy="Pass files of the same run",
                )  # fmt: skip
            reader.add(feature_block, score_block, paths)
    if not reader.sentences:
        raise DataError(
            "the files have no hypothesis",
            "blocks written by the Moses extractor",
            file=features[0] if features else None,
        )
    last = max(reader.sentences)
    if last >= 1000 + 100 * len(reader.sentences):
        raise DataError(
            f"the sentence id {last} is too large for "
            f"{pluralize(len(reader.sentences), 'hypothesis')}",
            "ids that count from 0", file=features[0],
        )  # fmt: skip
    return _merged(reader)


def _merged(reader: _Reader) -> tuple[NBest, NDArray[np.float64]]:
    statistics = np.concatenate(reader.statistics)
    names = sorted(reader.names, key=is_sparse)
    ids = np.empty(len(names), np.int32)
    ids[[reader.names[name] for name in names]] = np.arange(len(names))
    rows = HypothesisRows.of(
        np.array(reader.sentences, np.int64),
        # statistics stand where texts do, so that hypotheses that differ in them are told apart
        Texts(
            statistics.view(np.uint8).reshape(-1),
            np.arange(len(statistics) + 1) * statistics.itemsize * statistics.shape[1],
        ),
        Ragged(
            ids[np.concatenate(reader.ids)],
            np.concatenate(reader.values),
            offsets_of(reader.lengths),
        ),
    )
    kept, _ = rows.distinct(np.arange(len(rows)))
    offsets = offsets_of(np.bincount(rows.sentences[kept]))
    texts = Texts(np.zeros(0, np.uint8), np.zeros(len(kept) + 1, np.int64))
    return NBest(offsets, texts, rows.rows.select(kept), FeatureSpace(names)), statistics[kept]


def write_moses_statistics(
    lists: NBest,
    statistics: NDArray[np.float64],
    features: str | Path,
    scores: str | Path,
    *,
    metric: str = "BLEU",
) -> None:
    """Write lists as Moses's optimizers read them: both files or neither.

    statistics: float64[num_hypotheses, k]; metric: Moses's name of it

    Dense features that a hypothesis lacks are 0. Sentences without hypotheses are left out. Raises
    OutputError where the files can't be written.
    """
    with atomic_files(features, scores) as (feature_file, score_file):
        feature_file.writelines(map(encode_line, _feature_lines(lists)))
        score_file.writelines(map(encode_line, _score_lines(lists, statistics, metric)))


def _moses_names(space: FeatureSpace) -> list[str]:
    """What Moses's extractor calls the dense features."""
    names = [f"{name}_0" for name in space.names[: space.num_dense]]
    for first, (name, size) in group_heads(space.names[: space.num_dense]).items():
        names[first : first + size] = [f"{name}_{k}" for k in range(size)]
    return names


def _feature_lines(lists: NBest) -> Iterator[str]:
    dense = lists.space.num_dense
    head = " ".join([str(dense), *_moses_names(lists.space)])
    for sentence in range(len(lists)):
        hypotheses = lists.hypotheses(sentence)
        if not len(hypotheses):
            continue
        yield f"FEATURES_TXT_BEGIN_0 {sentence} {len(hypotheses)} {head} "
        rows = lists.sentence_rows(sentence)
        for k in range(len(rows)):
            values = np.zeros(dense, np.float32)
            sparse: dict[int, np.float32] = {}
            features = rows.part(k, k + 1)
            for number, value in zip(features.ids.tolist(), features.values, strict=True):
                if number < dense:
                    values[number] = value
                else:
                    sparse[number] = sparse.get(number, np.float32(0.0)) + value
            shown = shortest_numbers(np.array(list(sparse.values()), np.float32))
            entries = zip(sparse, shown, strict=True)
            more = [f"{lists.space.names[number]}={value}" for number, value in entries]
            yield " ".join([*shortest_numbers(values), *more]) + " "
        yield "FEATURES_TXT_END_0"


def _score_lines(lists: NBest, statistics: NDArray[np.float64], metric: str) -> Iterator[str]:
    for sentence in range(len(lists)):
        hypotheses = lists.hypotheses(sentence)
        if not len(hypotheses):
            continue
        yield f"SCORES_TXT_BEGIN_0 {sentence} {len(hypotheses)} {statistics.shape[1]} {metric}"
        for row in statistics[hypotheses.start : hypotheses.stop].tolist():
            yield " ".join(repr(value).removesuffix(".0") for value in row) + " "
        yield "SCORES_TXT_END_0"
