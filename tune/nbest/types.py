"""N-best lists: hypotheses of many sentences, with features over one space."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from isogloss.align.errors import check_listed
from isogloss.align.files.tables.columns import Column
from isogloss.align.files.tables.tabular import Tabular
from isogloss.align.ragged import offsets_of, slice_rows
from isogloss.align.sparse_rows import Ragged
from isogloss.align.text.string_array import Texts
from isogloss.features.space import FeatureSpace

from ..kernels.best import first_best
from ..references import References
from .reader import NBestReader
from .records.fields import RecordFields
from .records.originals import Originals
from .rows import HypothesisRows
from .table import hypothesis_columns

__all__ = ["Hypothesis", "NBest", "parse_nbest", "read_nbest"]

_SHOWN_TEXT, _SHOWN_FEATURES = 60, 5  # characters and features of a hypothesis in a repr


class Hypothesis(NamedTuple):
    """One translation of a sentence.

    text: as it stands in the list
    features: values by name in the order of the list; those of a name that comes twice add up
    columns: further numbers by name, the metrics that a JSONL list holds
    """

    text: str
    features: dict[str, float]
    columns: dict[str, float]

    def __repr__(self) -> str:
        cut = "..." if len(self.text) > _SHOWN_TEXT else ""
        values = [f"{name}={value:g}" for name, value in self.features.items()]
        more = ["..."] if len(values) > _SHOWN_FEATURES else []
        metrics = [f"{name}={value:g}" for name, value in self.columns.items()]
        parts = [repr(self.text[:_SHOWN_TEXT]) + cut, *values[:_SHOWN_FEATURES], *more, *metrics]
        return f"Hypothesis({', '.join(parts)})"


@dataclass(frozen=True)
class NBest(Tabular):
    """Hypotheses of sentences 0..n-1.

    sentence_offsets: int64[num_sentences + 1], hypotheses of each sentence
    texts: hypotheses as they stand in the list
    rows: their feature vectors over ``space``; entries of a row in the order of the list
    columns: further numbers of each hypothesis by name, float64[num_hypotheses]: metrics of others
    names: ids of the sentences as they stand in the list; None where they are their numbers
    references: where the list holds them
    sources: what was translated, one per sentence, where the list holds it
    places: int32[num_hypotheses], from 0 on among those of the sentence as they were read, with
        repeated ones; None where that isn't known
    originals: records of JSON as they were given, where they are kept
    """

    sentence_offsets: NDArray[np.int64]
    texts: Texts
    rows: Ragged
    space: FeatureSpace
    columns: Mapping[str, NDArray[np.float64]] = field(default_factory=dict)
    names: tuple[str, ...] | None = None
    references: References | None = None
    sources: Texts | None = None
    places: NDArray[np.int32] | None = None
    originals: Originals | None = None

    def __post_init__(self) -> None:
        if self.sentence_offsets[-1] != len(self.texts) or len(self.rows) != len(self.texts):
            raise ValueError("one text and one feature row per hypothesis")

    def __len__(self) -> int:
        return len(self.sentence_offsets) - 1

    def __getitem__(self, sentence: int) -> list[Hypothesis]:
        """The hypotheses of one sentence. Raises IndexError where there is no such sentence."""
        if not -len(self) <= sentence < len(self):
            raise IndexError(f"sentence {sentence} of {len(self)}")
        return [self._hypothesis(row) for row in self.hypotheses(sentence % len(self))]

    def __iter__(self) -> Iterator[list[Hypothesis]]:
        return (self[sentence] for sentence in range(len(self)))

    def __repr__(self) -> str:
        num_dense = self.space.num_dense
        sizes = (
            f"{len(self):,} sentences, {len(self.texts):,} hypotheses, {num_dense:,} dense and "
            f"{len(self.space) - num_dense:,} sparse features"
        )
        first = f"; first: {self._hypothesis(0)!r}" if len(self.texts) else ""
        return f"NBest({sizes}{first})"

    def _hypothesis(self, row: int) -> Hypothesis:
        begin, end = self.rows.offsets[row : row + 2].tolist()
        features: dict[str, float] = {}
        for number, value in zip(
            self.rows.ids[begin:end].tolist(), self.rows.values[begin:end].tolist(), strict=True
        ):
            name = self.space.names[number]
            features[name] = features.get(name, 0.0) + value
        columns = {name: float(values[row]) for name, values in self.columns.items()}
        return Hypothesis(self.texts[row], features, columns)

    def table_columns(self) -> dict[str, Column]:
        """Columns of :func:`hypothesis_columns`, a row per hypothesis."""
        return hypothesis_columns(
            self.sentence_offsets, self.names, self.texts, self.rows, self.space, self.columns
        )

    def hypotheses(self, sentence: int) -> range:
        """Numbers of the hypotheses of one sentence."""
        begin, end = self.sentence_offsets[sentence : sentence + 2].tolist()
        return range(begin, end)

    def sentence_rows(self, sentence: int) -> Ragged:
        """Feature vectors of the hypotheses of one sentence."""
        hypotheses = self.hypotheses(sentence)
        return self.rows.part(hypotheses.start, hypotheses.stop)

    def part(self, first: int, last: int) -> "NBest":
        """Sentences ``first`` to ``last``; texts, features and columns are views."""
        rows, offsets = slice_rows(self.sentence_offsets, first, last)
        begin, end = int(rows.start), int(rows.stop)
        sentences = np.arange(first, last)
        return NBest(
            offsets,
            self.texts.part(begin, end),
            self.rows.part(begin, end),
            self.space,
            {name: values[rows] for name, values in self.columns.items()},
            tuple(map(str, sentences.tolist())) if self.names is None else self.names[first:last],
            None if self.references is None else self.references.select(sentences),
            None if self.sources is None else self.sources.select(sentences),
            None if self.places is None else self.places[rows],
            self.originals and self.originals.part(sentences, begin, end),
        )

    def best(self, weights: NDArray[np.float64]) -> NDArray[np.int64]:
        """Number of the best hypothesis of each sentence, of equal ones the first: int64[S].

        -1 where a sentence has none. weights: float64[num_features]
        """
        return np.asarray(first_best(self.rows.scores(weights), self.sentence_offsets))

    def ranked(self, scores: NDArray[np.float64], size: int = 0) -> list[NDArray[np.int64]]:
        """Hypotheses of each sentence, int64[n] each, best first, of equal ones the first first.

        scores: float64[num_hypotheses]; size: how many are kept of a sentence, 0 = all
        """
        order = []
        for sentence in range(len(self)):
            rows = self.hypotheses(sentence)
            by_score = rows.start + np.argsort(-scores[rows.start : rows.stop], kind="stable")
            order.append(by_score[: size or None])
        return order


def read_nbest(
    paths: Sequence[str | Path],
    num_sentences: int = 0,
    fields: RecordFields | None = None,
    *,
    keep_records: bool = False,
) -> NBest:
    """Read and merge n-best lists: Moses', cdec's, JSONL or what fairseq prints, each recognised
    by its content.

    Hypotheses are grouped by sentence, those of a sentence in the order in which they were read;
    repeated ones (same text, same features) are kept once. With ``num_sentences`` ids lie below it.
    What is an error and what a warning is said in docs/file-formats.md.

    fields: which keys hold what in JSONL that is not ours
    keep_records: keep records of JSON as they are, so that :func:`.writer.nbest_lines` writes all
        of their keys

    Raises DataError naming file and line for what can't be read; warns (DataWarning) of unsorted
    ids, sentences without hypotheses and dense features that are missing. Raises TextError for the
    name of one file in place of a list.
    """
    check_listed(paths, "files of n-best lists", "a list of them: [file]")
    return _merged(NBestReader(num_sentences, fields, keep_records=keep_records), paths)


def parse_nbest(text: str, name: str) -> NBest:
    """N-best lists of a text, in any form of :func:`read_nbest`, which says what is an error.

    Records of JSON are kept as they are.

    name: what the text is called in messages
    """
    block = text.replace("\r\n", "\n").removesuffix("\n")
    blocks = [block.encode()] if block else []
    reader = NBestReader(blocks=lambda name, longest: iter(blocks), keep_records=True)
    return _merged(reader, [name])


def _merged(reader: NBestReader, paths: Sequence[str | Path]) -> NBest:
    parts = list(reader.blocks(paths))
    facts = reader.facts()
    rows = HypothesisRows.joined(parts)
    rows = replace(rows, sentences=facts.sentences(rows.sentences))
    del parts
    kept, places = rows.distinct(np.arange(len(rows)))
    counts = np.bincount(rows.sentences[kept], minlength=facts.num_sentences)
    features = rows.rows.select(kept)
    columns = rows.columns[kept]
    return NBest(
        offsets_of(counts),
        rows.texts.select(kept),
        Ragged(facts.ids[features.ids], features.values, features.offsets),
        facts.space,
        {name: columns[:, k].copy() for k, name in enumerate(facts.columns)},
        facts.names,
        facts.references,
        facts.sources,
        places.astype(np.int32),
        None
        if facts.frames is None
        else Originals(rows.originals.select(kept), facts.frames, facts.score),
    )
