"""A decoder's tables and language models in a folder, as arrays that are mapped into memory."""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from isogloss.align.arrays.ragged import per_entry
from isogloss.align.arrays.sparse_rows import Ragged
from isogloss.align.errors import UsageError
from isogloss.align.files.records import Counting, Name, Text
from isogloss.align.files.stored_folder import FolderFormat, NewFolder, StoredFolder
from isogloss.align.language_model.words import MARKERS
from isogloss.align.text.corpus import Corpus
from isogloss.align.text.vocabulary import Vocabulary
from isogloss.features.bins.binning import Binning, bins_file
from isogloss.features.extraction.reordering import ReorderingModel
from isogloss.features.space import FeatureSpace
from isogloss.features.table.phrase_table import PhraseTable

from .kernels.ngram import NgramArrays
from .language_model import LARGEST_LOG, NgramTable, model_columns
from .reordering import ReorderingTable
from .source_phrases import SourcePhrases

__all__ = ["MODELS_FORMAT", "DecoderModels", "open_models", "save_models"]

MAX_MODELS = 64  # of each kind in a folder
LONGEST_NGRAM = 32  # words
_NGRAM_ARRAYS = ("unigrams", "keys", "values", "unigram_bound", "bound", "rise")


class _Content(Struct):
    """What a header holds beside the arrays: names of scores, reordering models, orders."""

    scores: list[Name]
    reordering: list[Text]
    language_models: list[Counting]


MODELS_FORMAT = FolderFormat(
    kind="isogloss decoder models",
    name="folder of decoder models",
    header="decoder.json",
    version=(2, 0),
    remedy="Save it again from the text tables",
    outdated="Save it again from the text tables: the n-gram hashes have changed",
    unread=[
        *(
            f"{name}.npy"
            for name in (
                "source.tokens", "source.offsets", "target.tokens", "target.offsets",
                "rule_source", "rule_target", "scores", "counts", "links.ids", "links.values",
                "links.offsets", "sparse.ids", "sparse.values", "sparse.offsets",
            )
        ),
        *(f"reordering.{k}.npy" for k in range(MAX_MODELS)),
        *(f"lm.{k}.{name}.npy" for k in range(MAX_MODELS) for name in _NGRAM_ARRAYS),
    ],
    content=_Content,
)  # fmt: skip


@dataclass(frozen=True)
class DecoderModels:
    """What a decoder is made of: a phrase table, language models, reordering tables."""

    table: PhraseTable
    language_models: Sequence[NgramTable]
    reordering: Sequence[ReorderingTable] = ()


def save_models(
    models: DecoderModels,
    folder: str | Path,
    *,
    overwrite: bool = False,
    binning: Binning | None = None,
) -> None:
    """Write a decoder's models to a folder that :func:`open_models` maps.

    binning: of scores of the table, kept as a file ``bins.json`` of the folder; see
        :func:`isogloss.features.bins.binning.bins_of`

    Further properties of rules, which a decoder doesn't look at, are left out.

    Raises ModelError where the folder exists, unless ``overwrite``, OutputError where it can't be
    written, and UsageError for more than 64 models of a kind.
    """
    if max(len(models.language_models), len(models.reordering)) > MAX_MODELS:
        raise UsageError(f"a folder can contain at most {MAX_MODELS} models of each kind")
    table = models.table
    with MODELS_FORMAT.write(folder, overwrite=overwrite) as new:
        new.values["scores"] = list(table.score_names)
        new.values["reordering"] = [str(order.model) for order in models.reordering]
        new.values["language_models"] = [model.order for model in models.language_models]
        for name, corpus in (("source", table.source), ("target", table.target)):
            new.write_arrays({f"{name}.tokens": corpus.tokens, f"{name}.offsets": corpus.offsets})
            _write_words(new, f"{name}.words", corpus.vocabulary.words[1:])
        new.write_arrays(
            {
                "rule_source": table.rule_source,
                "rule_target": table.rule_target,
                "scores": table.scores,
                "counts": table.counts,
            }
        )
        for name, rows in (("links", table.links), ("sparse", table.sparse)):
            new.write_arrays(
                {f"{name}.{part.name}": getattr(rows, part.name) for part in fields(rows)}
            )
        _write_words(new, "sparse.names", table.sparse_names)
        if binning is not None:
            binning.save(bins_file(new.path))
        for k, order in enumerate(models.reordering):
            new.write_arrays({f"reordering.{k}": order.logs})
        for k, model in enumerate(models.language_models):
            _write_words(new, f"lm.{k}.words", tuple(model.index))
            arrays = model.arrays
            new.write_arrays({f"lm.{k}.{name}": getattr(arrays, name) for name in _NGRAM_ARRAYS})


def _write_words(new: NewFolder, name: str, words: Sequence[str]) -> None:
    """Words, a line each."""
    text = "".join(f"{word}\n" for word in words)
    if text.count("\n") != len(words):
        raise UsageError(
            f"the table cannot be saved, because one of the {name} contains a line feed"
        )
    new.write_arrays({name: np.frombuffer(text.encode(), np.uint8)})


def open_models(folder: str | Path, *, verify: bool = False) -> DecoderModels:
    """Open a folder of :func:`save_models`; large arrays are mapped, not read into memory.

    Shapes, offsets, ids and numbers are checked; the bytes of large arrays against their checksums
    only with ``verify``.

    Raises ModelError for a folder that is missing, unfinished, damaged or of another version.
    """
    return MODELS_FORMAT.read(folder, _build, verify=verify)


def _build(stored: StoredFolder) -> DecoderModels:
    """The models of a folder. Raises ValueError for arrays that don't fit together."""
    table = _table(stored)
    reordering = []
    for k, name in enumerate(stored.header["reordering"]):
        model = ReorderingModel.parse(name)
        logs = stored.finite(f"reordering.{k}", np.float32, len(table), len(model.columns))
        reordering.append(ReorderingTable(model, logs))
    orders = stored.header["language_models"]
    models = [_ngrams(stored, f"lm.{k}", order) for k, order in enumerate(orders)]
    return DecoderModels(table, models, reordering)


def _table(stored: StoredFolder) -> PhraseTable:
    source, target = _phrases(stored, "source"), _phrases(stored, "target")
    rule_source = stored.typed("rule_source", np.int32, None)
    num_rules = len(rule_source)
    rule_target = stored.typed("rule_target", np.int32, num_rules)
    _check_ids("rule_source", rule_source, len(source))
    _check_ids("rule_target", rule_target, len(target))
    if not SourcePhrases(source).are_distinct:
        raise ValueError("two source phrases are equal")
    scores = stored.finite("scores", np.float64, num_rules, len(stored.header["scores"]))
    if scores.size and scores.min() < 0.0:
        raise ValueError("scores are below 0")
    counts = stored.finite("counts", np.float64, num_rules, 3)
    if counts.size and counts.min() < 0.0:
        raise ValueError("counts are below 0")
    names = tuple(_words(stored, "sparse.names"))
    FeatureSpace((*stored.header["scores"], *names))  # else a ValueError
    links = _rows(stored, "links", num_rules, 1 << 16)
    for phrases, of_rules, at in (
        (source, rule_source, links.ids >> 8),
        (target, rule_target, links.ids & 255),
    ):
        if (at >= per_entry(phrases.lengths[of_rules], links.offsets)).any():
            raise ValueError("links.ids are out of range for their rules")
    return PhraseTable(
        source,
        target,
        rule_source,
        rule_target,
        scores,
        tuple(stored.header["scores"]),
        links,
        counts,
        _rows(stored, "sparse", num_rules, len(names)),
        names,
    )


def _phrases(stored: StoredFolder, name: str) -> Corpus:
    tokens = stored.typed(f"{name}.tokens", np.int32, None)
    _check_ids(f"{name}.tokens", tokens, np.iinfo(np.int32).max)
    words = Vocabulary(_words(stored, f"{name}.words"))
    return Corpus(tokens, stored.offsets(f"{name}.offsets", len(tokens)), words)


def _rows(stored: StoredFolder, name: str, num_rows: int, below: int) -> Ragged:
    ids = stored.typed(f"{name}.ids", np.int32, None)
    _check_ids(f"{name}.ids", ids, below)
    return Ragged(
        ids,
        stored.finite(f"{name}.values", np.float32, len(ids)),
        stored.offsets(f"{name}.offsets", len(ids), num_rows),
    )


def _words(stored: StoredFolder, name: str) -> list[str]:
    text = stored.typed(name, np.uint8, None, mapped=False).tobytes().decode()
    if text and not text.endswith("\n"):
        raise ValueError(f"{name} do not end with a line feed")
    words = text.split("\n")[:-1]
    if any(not word or " " in word or "\t" in word for word in words):
        raise ValueError(f"{name} contain an empty word or whitespace")
    return words


def _check_ids(name: str, ids: NDArray[np.int32], below: int) -> None:
    """Raise ValueError for an id outside of 0 to ``below`` - 1. ids: int32[n]"""
    if len(ids) and not 0 <= ids.min() <= ids.max() < below:
        raise ValueError(f"{name} are outside 0 to {below - 1}")


def _ngrams(stored: StoredFolder, name: str, order: int) -> NgramTable:
    if not 1 <= order <= LONGEST_NGRAM:
        raise ValueError(f"the order of a language model must be 1 to {LONGEST_NGRAM}, got {order}")
    words = _words(stored, f"{name}.words")
    index = {word: number for number, word in enumerate(words)}
    if len(index) != len(words) or words[:1] != [*MARKERS[:1]] or not index.keys() >= {*MARKERS}:
        raise ValueError(f"{name}.words contain a word twice, or lack {' '.join(MARKERS)}")
    keys = stored.typed(f"{name}.keys", np.uint64, None)
    capacity = len(keys)
    if capacity < 2 or capacity & (capacity - 1) or 2 * np.count_nonzero(keys) > capacity:
        raise ValueError(f"{name}.keys is not a hash table that is at most half full")
    shapes: dict[str, tuple[Any, ...]] = {
        "unigrams": (np.float32, len(words), 2),
        "values": (np.float32, capacity, 2),
        "unigram_bound": (np.float32, len(words)),
        "bound": (np.float32, capacity),
    }
    arrays = {part: stored.typed(f"{name}.{part}", *shape) for part, shape in shapes.items()}
    for part, array in arrays.items():
        logs = array if array.ndim == 1 else array[:, 0]
        if np.isnan(array).any() or logs.max() > 0.0 or _beyond(array).any():
            raise ValueError(f"{name}.{part} contains an invalid probability")
    rise = stored.finite(f"{name}.rise", np.float64, 1)
    models = model_columns(index, capacity)
    all_arrays = NgramArrays(keys=keys, models=models, rise=rise, width=order - 1, **arrays)
    return NgramTable(order, index, all_arrays)


def _beyond(logs: NDArray[np.float32]) -> NDArray[np.bool_]:
    """Logarithms that no model has; infinite ones stand for nothing to follow, and for never."""
    beyond: NDArray[np.bool_] = np.isfinite(logs) & (np.abs(logs) > LARGEST_LOG)
    return beyond
