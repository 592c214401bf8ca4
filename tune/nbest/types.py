"""N-best lists: hypotheses of many sentences, features over one space."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from align.sparse_rows import Ragged
from align.text.string_array import Texts
from features.space import FeatureSpace, is_sparse

from ..kernels.best import first_best
from ..references import References
from .lines import parse_features
from .reader import NBestReader
from .rows import HypothesisRows
from .writer import format_hypothesis, nbest_lines

__all__ = ["NBest", "build_nbest", "format_hypothesis", "parse_features", "read_nbest"]


@dataclass(frozen=True)
class NBest:
    """Hypotheses of sentences 0..n-1.

    sentence_offsets: int64[num_sentences + 1], hypotheses of each sentence
    texts: hypotheses as they stand in the list
    rows: their feature vectors over ``space``; entries of a row in the order of the list
    columns: further numbers of each hypothesis by name, float64[num_hypotheses]: metrics of others
    names: ids of the sentences as they stand in the list; None where they are their numbers
    references: where the list holds them
    sources: what was translated, one per sentence, where the list holds it
    """

    sentence_offsets: NDArray[np.int64]
    texts: Texts
    rows: Ragged
    space: FeatureSpace
    columns: Mapping[str, NDArray[np.float64]] = field(default_factory=dict)
    names: tuple[str, ...] | None = None
    references: References | None = None
    sources: Texts | None = None

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

    def part(self, first: int, last: int) -> "NBest":
        """Sentences ``first`` to ``last``; texts, features and columns are views."""
        bounds = self.sentence_offsets[first : last + 1]
        begin, end = int(bounds[0]), int(bounds[-1])
        places = self.texts.offsets[begin : end + 1]
        own = np.arange(first, last)
        return NBest(
            bounds - begin,
            Texts(self.texts.content[places[0] : places[-1]], places - places[0]),
            self.rows.part(begin, end),
            self.space,
            {name: values[begin:end] for name, values in self.columns.items()},
            tuple(map(str, own.tolist())) if self.names is None else self.names[first:last],
            None if self.references is None else self.references.select(own),
            None if self.sources is None else self.sources.select(own),
        )

    def best(self, weights: NDArray[np.float64]) -> NDArray[np.int64]:
        """Number of the best hypothesis of each sentence, -1 where it has none; ties: the first."""
        return np.asarray(first_best(self.rows.scores(weights), self.sentence_offsets))

    def lines(
        self,
        order: Sequence[NDArray[np.int64]],
        scores: NDArray[np.float64],
        form: str = "",
    ) -> Iterator[str]:
        """The list as text, re-scored and in a new order, see ``tune.nbest.writer.nbest_lines``.

        order: hypotheses of each sentence; scores: float64[num_hypotheses]
        form: ``moses`` or ``jsonl``; by default what holds all that the list has
        """
        return nbest_lines(self, order, scores, form)


def read_nbest(paths: Sequence[str | Path], num_sentences: int = 0) -> NBest:
    """Read and merge n-best lists: Moses', cdec's or JSONL, each told by its content.

    Hypotheses are grouped by sentence, those of a sentence in the order in which they were read;
    repeated ones (same text, same features) are kept once. With ``num_sentences`` ids lie below it.
    What is an error and what a warning is said in docs/file-formats.md.

    Raises DataError naming file and line for what can't be read; warns (DataWarning) of unsorted
    ids, sentences without hypotheses and dense features that are missing.
    """
    reader = NBestReader(num_sentences)
    parts = list(reader.blocks(paths))
    facts = reader.facts()
    rows = HypothesisRows.joined(parts)
    rows = replace(rows, sentences=facts.sentences(rows.sentences))
    del parts
    kept = rows.distinct(np.arange(len(rows)))
    counts = np.bincount(rows.sentences[kept], minlength=facts.num_sentences)
    features = rows.rows.select(kept)
    columns = rows.columns[kept]
    return NBest(
        np.append(0, np.cumsum(counts)),
        rows.texts.select(kept),
        Ragged(facts.ids[features.ids], features.values, features.offsets),
        facts.space,
        {name: columns[:, k].copy() for k, name in enumerate(facts.columns)},
        facts.names,
        facts.references,
        facts.sources,
    )


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
