"""N-best lists on disk: a folder of arrays that are mapped into memory, for lists larger than it.

It is written in two steps. Hypotheses are written as they are read, block by block; then those of a
range of sentences at a time, as many as fit in memory, are brought in order and repeated ones left
out.
"""

import shutil
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isogloss.align.arrays.ragged import offsets_of
from isogloss.align.arrays.sparse_rows import Ragged
from isogloss.align.errors import DataError, OptionError, pluralize
from isogloss.align.files.growing_arrays import GrowingArrays, growing_arrays, map_array
from isogloss.align.files.writers import write_array
from isogloss.align.text.string_array import Texts

from .facts import ListFacts
from .reader import NBestReader
from .records.fields import RecordFields
from .records.originals import Keeping
from .rows import HypothesisRows
from .sentence_ids import (
    check_sentence_names,
    number_names,
    warn_of_gaps,
    warn_of_lost_references,
    whole_numbers,
)
from .stored import NBEST_FORMAT, read_stored, write_facts
from .types import NBest

__all__ = ["NBEST_FORMAT", "is_stored_nbest", "open_nbest", "store_nbest"]


MEMORY = 1 << 30
_CHUNK = 1 << 20  # sentence numbers looked at at a time


def store_nbest(
    paths: Sequence[str | Path],
    folder: str | Path,
    *,
    num_sentences: int = 0,
    max_memory: int = MEMORY,
    overwrite: bool = False,
    fields: RecordFields | None = None,
    keep_records: bool | Keeping = False,
) -> None:
    """Write what :func:`.types.read_nbest` would give to a folder, in bounded memory.

    max_memory: bytes for the hypotheses that are brought in order at a time, beside the program,
        the names of the features, and what a sentence takes by itself: id, source, references. The
        hypotheses of one sentence always are.

    fields: which keys hold what in JSONL that is not ours
    keep_records: as in read_nbest

    On disk the folder takes up to twice its size while it is written; it appears under its name
    only when complete. Warns and raises as read_nbest does; ModelError where the folder exists,
    unless ``overwrite``, and OutputError where it can't be written, such as on a full disk.
    """
    if max_memory < 1:
        raise OptionError("max_memory", "at least 1 byte", max_memory)
    with NBEST_FORMAT.write(folder, overwrite=overwrite) as new:
        raw = new.path / "raw"
        raw.mkdir()
        reader = NBestReader(num_sentences, fields, keeping=Keeping.of(keep_records))
        _write_raw(reader, paths, raw)
        facts = reader.facts()
        _number_sentences(raw, facts)
        rows = _open_raw(raw, len(facts.columns))
        repeats = reader.keeping.repeats
        _write_sorted(rows, facts, max_memory, new.path, keep_repeats=repeats)
        shutil.rmtree(raw)
        write_facts(facts, new)


def is_stored_nbest(folder: str | Path) -> bool:
    """Whether this is a folder that :func:`store_nbest` wrote."""
    return NBEST_FORMAT.is_at(folder)


def _begin_hypotheses(arrays: GrowingArrays) -> None:
    """Begin the arrays of texts and features."""
    for name, dtype in (
        ("texts.content", np.uint8), ("rows.ids", np.int32), ("rows.values", np.float32)
    ):  # fmt: skip
        arrays.begin(name, dtype)
    arrays.begin_offsets("texts.offsets")
    arrays.begin_offsets("rows.offsets")


def _write_raw(reader: NBestReader, paths: Sequence[str | Path], folder: Path) -> None:
    """Write the hypotheses of lists in the order in which they are read."""
    with growing_arrays(folder) as arrays:
        arrays.begin("sentences", np.int64)
        arrays.begin("hashes", np.uint64)
        arrays.begin("columns", np.float64)
        _begin_hypotheses(arrays)
        _begin_originals(arrays)
        for block in reader.blocks(paths):
            arrays.append("sentences", block.sentences)
            arrays.append("hashes", block.hashes)
            arrays.append("columns", block.columns)
            _append(arrays, block.texts, block.rows)
            _append_originals(arrays, block.originals)


def _begin_originals(arrays: GrowingArrays) -> None:
    arrays.begin("originals.content", np.uint8)
    arrays.begin_offsets("originals.offsets")


def _append_originals(arrays: GrowingArrays, originals: Texts) -> None:
    arrays.append("originals.content", originals.content)
    arrays.append_offsets("originals.offsets", originals.offsets)


def _append(arrays: GrowingArrays, texts: Texts, rows: Ragged) -> None:
    """Append texts and features of hypotheses."""
    arrays.append("texts.content", texts.content)
    arrays.append_offsets("texts.offsets", texts.offsets)
    arrays.append("rows.ids", rows.ids)
    arrays.append("rows.values", rows.values)
    arrays.append_offsets("rows.offsets", rows.offsets)


def _number_sentences(folder: Path, facts: ListFacts) -> None:
    """Put the sentences of hypotheses in place of what their blocks said."""
    if not len(facts.records):
        return
    read = map_array(folder / "sentences.npy")
    with growing_arrays(folder) as arrays:
        arrays.begin("sentences", np.int64)
        for begin in range(0, len(read), _CHUNK):
            arrays.append("sentences", facts.sentences(read[begin : begin + _CHUNK]))


def _open_raw(folder: Path, num_columns: int) -> HypothesisRows:
    def array(name: str) -> NDArray[Any]:
        return map_array(folder / f"{name}.npy")

    sentences = array("sentences")
    return HypothesisRows(
        sentences,
        Texts(array("texts.content"), array("texts.offsets")),
        Ragged(array("rows.ids"), array("rows.values"), array("rows.offsets")),
        array("columns").reshape(len(sentences), num_columns),
        array("hashes"),
        Texts(array("originals.content"), array("originals.offsets")),
    )


def _ranges(sizes: dict[int, int], most: int, count: int) -> Iterator[tuple[int, int]]:
    """Ranges of sentences whose hypotheses fit in ``most`` bytes, or of one sentence."""
    low = size = 0
    for sentence in sorted(sizes):
        if size and size + sizes[sentence] > most:
            yield low, sentence
            low, size = sentence, 0
        size += sizes[sentence]
    yield low, count


def _between(sentences: NDArray[np.int64], low: int, high: int) -> NDArray[np.int64]:
    """Rows of the hypotheses of sentences from ``low`` on and below ``high``: int64[m]."""
    # sentences: int64[num_hypotheses]
    rows = []
    for begin in range(0, len(sentences), _CHUNK):
        part = sentences[begin : begin + _CHUNK]
        rows.append(begin + np.flatnonzero((part >= low) & (part < high)))
    return np.concatenate(rows)


def _write_sorted(
    rows: HypothesisRows,
    facts: ListFacts,
    max_memory: int,
    folder: Path,
    *,
    keep_repeats: bool,
) -> None:
    """Write the hypotheses by sentence, without repeated ones unless these are kept."""
    counts = np.zeros(facts.num_sentences, np.int64)
    with growing_arrays(folder) as arrays:
        _begin_hypotheses(arrays)
        arrays.begin("places", np.int32)
        if facts.frames is not None:
            _begin_originals(arrays)
        for k in range(len(facts.columns)):
            arrays.begin(f"column.{k}", np.float64)
        for low, high in _ranges(facts.sizes, max_memory, facts.num_sentences):
            between = _between(rows.sentences, low, high)
            kept, places = rows.distinct(between, keep_repeats=keep_repeats)
            counts += np.bincount(rows.sentences[kept], minlength=facts.num_sentences)
            texts, features = rows.texts.select(kept), rows.rows.select(kept)
            features = Ragged(facts.ids[features.ids], features.values, features.offsets)
            _append(arrays, texts, features)
            arrays.append("places", places.astype(np.int32))
            if facts.frames is not None:
                _append_originals(arrays, rows.originals.select(kept))
            for k in range(len(facts.columns)):
                arrays.append(f"column.{k}", rows.columns[kept, k])
    write_array(offsets_of(counts), folder / "sentence_offsets.npy")


def open_nbest(folder: str | Path, num_sentences: int = 0, *, verify: bool = False) -> NBest:
    """Open a folder of :func:`store_nbest`; its arrays are mapped, not read into memory.

    With ``num_sentences`` there are so many, the last ones perhaps without hypotheses, as where
    :func:`.types.read_nbest` reads the lists.

    All is verified but the texts and the values of the features: the values are finite, and of
    neither more than the size is compared; with ``verify`` they are verified, too.

    Raises ModelError for a folder that is missing, unfinished, damaged or of another version, and
    DataError for one of more than ``num_sentences``, or of fewer where ids are names. With
    ``num_sentences`` it warns (DataWarning) of sentences without hypotheses.
    """
    lists = read_stored(NBest, folder, verify=verify)
    return _with_sentences(lists, num_sentences, Path(folder)) if num_sentences else lists


def _with_sentences(lists: NBest, num_sentences: int, folder: Path) -> NBest:
    """The list with sentences without hypotheses at its end. Warns and raises as open_nbest."""
    names, count = lists.names, len(lists)
    named = names is not None and not np.array_equal(whole_numbers(names), np.arange(count))
    if names is not None and named:
        check_sentence_names(names, num_sentences, lambda record: (folder, 0))
    if count > num_sentences:
        raise DataError(
            f"the list has hypotheses for {pluralize(count, 'sentence')}",
            f"at most {num_sentences}, the number of references or lines",
            file=folder,
        )
    offsets = _longer(lists.sentence_offsets, num_sentences - count)
    warn_of_gaps(np.flatnonzero(offsets[1:] == offsets[:-1]), names if named else None)
    if count == num_sentences:
        return lists
    if lists.references is not None:
        warn_of_lost_references(num_sentences - count, count)
    return replace(
        lists,
        sentence_offsets=offsets,
        names=names and number_names(names, np.arange(count), num_sentences),
        references=None,
        sources=lists.sources and _with_empty(lists.sources, num_sentences - count),
        originals=lists.originals
        and replace(
            lists.originals, frames=_with_empty(lists.originals.frames, num_sentences - count)
        ),
    )


def _with_empty(texts: Texts, more: int) -> Texts:
    """Texts with so many empty ones at the end."""
    return Texts(texts.content, _longer(texts.offsets, more))


def _longer(offsets: NDArray[np.int64], more: int) -> NDArray[np.int64]:
    """Offsets with so many empty spans at the end."""
    return np.append(offsets, np.repeat(offsets[-1], more))
