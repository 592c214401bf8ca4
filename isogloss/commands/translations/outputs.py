"""Outputs and references as `isogloss score` and `isogloss compare` take them."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from isogloss.align.arrays.ragged import offsets_of
from isogloss.align.arrays.sparse_rows import Ragged
from isogloss.align.errors import DataError, UsageError, pluralize
from isogloss.align.text.markup.sgm import read_sentence_lines
from isogloss.align.text.recognition.recognition import NAMES_OF_LINES, check_text
from isogloss.align.text.string_array import Texts
from isogloss.features.space import FeatureSpace
from isogloss.tune.metrics.casing import sees_case, warn_of_casing
from isogloss.tune.metrics.column import Column
from isogloss.tune.metrics.names import METRICS, metric_named
from isogloss.tune.metrics.protocol import Metric
from isogloss.tune.nbest.types import NBest, parse_nbest, read_nbest
from isogloss.tune.references import MAX_SENTENCES, References
from isogloss.tune.utterance_ids import UtteranceIds, utterance_ids

from ...console import Console
from ...options import group, option
from ...runs.list_references import ReferenceFiles
from ..shared import ListFields

__all__ = ["Output", "ReferenceOptions"]

_LIST = ".jsonl"
_LINKS = re.compile(r"\s*\d+[-p]\d+(:\S+)?(\s+\d+[-p]\d+(:\S+)?)*\s*")
_MOSES_LIST = re.compile(r"\S+ \|\|\| .*\|\|\|")  # id ||| hypothesis ||| features
_SHOWN = 100  # texts that are looked at

_TOLD = (*NAMES_OF_LINES, "links", "gold-links")  # forms that are told elsewhere


@dataclass(frozen=True)
class Output:
    """What a system makes of a text.

    file: where it stands; lists: one hypothesis of each sentence
    references: those that stand with it
    ids: of utterances that its lines seem to have
    """

    file: str
    lists: NBest
    references: References | None = None
    ids: UtteranceIds | None = None

    @classmethod
    def chosen(
        cls, file: str, lists: NBest, rows: Sequence[int], references: References | None = None
    ) -> "Output":
        """A hypothesis of each sentence of n-best lists.

        rows: its number in the lists, -1 = the sentence has none: an empty one
        references: default: those that the lists hold
        """
        chosen = np.array(rows, np.int64)
        filled = chosen >= 0
        kept = chosen[filled]
        features = lists.rows.select(kept)
        lengths = np.zeros(len(chosen), np.int64)
        lengths[filled] = np.diff(features.offsets)
        columns = {name: np.full(len(chosen), np.nan) for name in lists.columns}
        for name, values in lists.columns.items():
            columns[name][filled] = values[kept]
        single = NBest(
            np.arange(len(chosen) + 1),
            Texts.from_strings(lists.texts[row] if row >= 0 else "" for row in rows),
            Ragged(features.ids, features.values, offsets_of(lengths)),
            lists.space,
            columns,
            lists.names,
        )
        return cls(file, single, lists.references if references is None else references)

    @property
    def lowercased(self) -> "Output":
        """The same in lower case."""
        lists = self.lists
        texts = Texts.from_strings(text.lower() for text in lists.texts)
        lower = NBest(
            lists.sentence_offsets, texts, lists.rows, lists.space, lists.columns, lists.names
        )
        references = self.references
        return Output(self.file, lower, references.lowercased() if references else None, self.ids)


@dataclass(frozen=True)
class ReferenceOptions:
    """What outputs are scored against, and by which metrics.

    refs: reference translations, one file per reference (default: from the JSONL list)
    lowercase: lowercase translations and references
    """

    refs: tuple[str, ...] = option(default=(), metavar="REF")
    lowercase: bool = False
    metric: str = option(
        default="bleu",
        metavar="NAME,...",
        text=f"metrics: {', '.join(METRICS)}; the last two average scores in JSONL lists",
    )
    lists: ListFields = group(ListFields)

    def metrics(self) -> list[Metric]:
        """The metrics, each once. Raises UsageError for an unknown one."""
        given = [metric_named(name.strip()) for name in self.metric.split(",")]
        return list({metric.name: metric for metric in given}.values())

    def read_output(self, file: str) -> Output:
        """An output: text, a line per sentence, or the first hypotheses of an n-best list.

        A JSONL list is a file called so (``.jsonl``, compressed or not); by a column, or with
        --fields, any file is one. A list of Moses is known by its lines.

        Raises DataError for a file without a line, and for a sentence without a hypothesis where a
        column of it is to count.
        """
        by_column = any(isinstance(metric, Column) for metric in self.metrics())
        fields = self.lists.mapping
        moses = ""
        if not (by_column or fields or _LIST in Path(file).suffixes[-2:]):
            lines = read_sentence_lines(file, MAX_SENTENCES)
            if not lines:
                raise DataError("the file is empty", "one translation per line", file=file)
            if not (_MOSES_LIST.match(lines[0]) and _MOSES_LIST.match(lines[-1])):
                check_text(file, known=_TOLD)
                texts, count = Texts.from_strings(lines), len(lines)
                lists = NBest(np.arange(count + 1), texts, Ragged.empty(count), FeatureSpace([]))
                return self._as_asked(Output(file, lists, ids=utterance_ids(lines, file)))
            moses = "\n".join([*lines, ""])  # a pipe can't be read again
        try:
            lists = parse_nbest(moses, file) if moses else read_nbest([file], fields=fields)
        except DataError as error:
            if not by_column:
                raise
            raise DataError(f"the n-best list cannot be read ({error.fault})",
                f"a JSONL list, for {self.metric}"
            , file=file, line=error.line, remedy=error.remedy) from error  # fmt: skip
        rows = _firsts(lists)
        if by_column and -1 in rows:
            sentence = rows.index(-1)
            raise DataError(
                f"sentence {lists.names[sentence] if lists.names else sentence} has no hypothesis",
                f"at least one per sentence, for {self.metric}",
                file=file,
            )
        return self._as_asked(Output.chosen(file, lists, rows))

    def _as_asked(self, output: Output) -> Output:
        return output.lowercased if self.lowercase else output

    def references_of(self, outputs: Sequence[Output], console: Console) -> References | None:
        """The references that all outputs are scored against: those named, else those with them.

        None where no metric needs any. Warns (DataWarning) where one side alone is in lower case.

        Raises DataError for an output that holds word links, where outputs, or outputs and
        references, differ in length, and where outputs hold different references; UsageError where
        there are none.
        """
        files, first = ReferenceFiles.read(self.refs) if self.refs else None, outputs[0]
        for output in outputs:
            if _are_links(output.lists.texts):
                raise DataError(
                    "the file contains word links",
                    "translations",
                    file=output.file,
                    remedy="`isogloss evaluate LINKS GOLD` evaluates word links",
                )
            if files is not None and files.num_sentences:
                _check_length(output, self.refs[0], files.num_sentences, "reference line")
            _check_length(output, first.file, len(first.lists), "sentence in both files")
        if files is not None:
            named = files.of([output.lists for output in outputs], console.info)
            _check_length(first, self.refs[0], len(named), "reference line")
            _check_ids(outputs, named)
            named = named.lowercased() if self.lowercase else named
            self._warn_of_casing(outputs, named, ", ".join(self.refs))
            return named
        with_references = [output for output in outputs if output.references is not None]
        lacking = [metric for metric in self.metrics() if not isinstance(metric, Column)]
        if not with_references:
            if lacking:
                raise UsageError(
                    f"{lacking[0].name} needs references; pass --refs REF, or JSONL lists with "
                    "references"
                )
            return None
        given = with_references[0]
        for output in with_references[1:]:
            if not _are_same(output.references, given.references):
                raise DataError(
                    f"the references differ from those in {given.file}",
                    "the same references in both",
                    file=output.file,
                    remedy="Pass the references by --refs REF",
                )
        if given.references is not None:
            self._warn_of_casing(outputs, given.references, f"the references in {given.file}")
        return given.references

    def _warn_of_casing(
        self, outputs: Sequence[Output], references: References, origin: str
    ) -> None:
        """As :func:`warn_of_casing`, of each output; nothing if case doesn't count."""
        if self.lowercase or not any(map(sees_case, self.metrics())):
            return
        for output in outputs:
            warn_of_casing(output.lists.texts, references.texts, (output.file, origin))


def _firsts(lists: NBest) -> list[int]:
    """The number of the first hypothesis of each sentence, -1 if there is none."""
    first = lists.sentence_offsets[:-1]
    rows: list[int] = np.where(np.diff(lists.sentence_offsets) > 0, first, -1).tolist()
    return rows


def _check_length(output: Output, other: str, lines: int, each: str) -> None:
    """Raise DataError where an output has not one translation per line of another file."""
    if len(output.lists) != lines:
        raise DataError(
            f"the file has {pluralize(len(output.lists), 'translation')}, but {other} has "
            f"{pluralize(lines)}",
            f"one translation per {each}",
            file=output.file,
            remedy="Look for a missing or duplicated line break in one of them",
        )


def _check_ids(outputs: Sequence[Output], references: References) -> None:
    """Raise DataError for utterance ids in outputs; warn of those that references have as words."""
    for ids in (output.ids for output in outputs if output.ids):
        if not ids.are_in(references.texts):
            raise ids.error()
        ids.warn()


def _are_links(texts: Sequence[str]) -> bool:
    """Whether texts are links of words as Pharaoh writes them, and nothing else."""
    shown = [text for text in texts if text.strip()][:_SHOWN]
    return bool(shown) and all(map(_LINKS.fullmatch, shown))


def _are_same(first: References | None, second: References | None) -> bool:
    if first is None or second is None:
        return first is second
    texts = list(first.texts) == list(second.texts)
    return texts and np.array_equal(first.offsets, second.offsets)
