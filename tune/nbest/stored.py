"""The arrays of a stored n-best list: what its folder holds, written and read."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from isogloss.align.arrays.sparse_rows import Ragged
from isogloss.align.files.numerals import parse_number
from isogloss.align.files.records import Text
from isogloss.align.files.stored_folder import FolderFormat, NewFolder, StoredFolder
from isogloss.align.text.string_array import Texts
from isogloss.features.space import FeatureSpace

from ..references import References
from .facts import ListFacts
from .lists import HypothesisLists
from .records.originals import Originals
from .sentence_ids import NumberId

__all__ = ["NBEST_FORMAT", "read_stored", "write_facts", "write_stored"]

Lists = TypeVar("Lists", bound=HypothesisLists)


class _Content(Struct):
    """What a list's header holds beside the arrays."""

    # columns: the names of its metrics; score: key of new scores, where records are kept

    columns: list[Text]
    score: Text = "score"


NBEST_FORMAT = FolderFormat(
    kind="isogloss n-best list",
    name="folder of n-best lists",
    header="nbest.json",
    version=(1, 2),
    remedy="Store the lists again",
    outdated="Store the lists again",
    unread=("texts.content.npy", "rows.values.npy"),
    content=_Content,
)


def read_stored(kind: type[Lists], folder: str | Path, *, verify: bool = False) -> Lists:
    """Open a stored list; its arrays are mapped, not read into memory.

    kind: the class of what is returned; verify: compare all bytes with their checksums

    Raises ModelError for a folder that is missing, unfinished, damaged or of another version.
    """
    return NBEST_FORMAT.read(folder, partial(_build, kind), verify=verify)


def write_stored(
    lists: HypothesisLists, folder: str | Path, *, overwrite: bool | None = None
) -> None:
    """Write lists that are in memory to a folder that :func:`read_stored` opens.

    Raises ModelError where the folder exists, unless ``overwrite``, and OutputError where it can't
    be written.
    """
    with NBEST_FORMAT.write(folder, overwrite=overwrite) as new:
        arrays: dict[str, NDArray[Any]] = {
            "sentence_offsets": lists.sentence_offsets,
            "texts.content": lists.texts.content, "texts.offsets": lists.texts.offsets,
            "rows.ids": lists.rows.ids, "rows.values": lists.rows.values,
            "rows.offsets": lists.rows.offsets,
        }  # fmt: skip
        arrays |= {f"column.{k}": values for k, values in enumerate(lists.columns.values())}
        if lists.places is not None:
            arrays["places"] = lists.places
        frames, score = None, "score"
        if lists.originals is not None:
            frames, score = lists.originals.frames, lists.originals.score
            hypotheses = lists.originals.hypotheses
            arrays |= {
                "originals.content": hypotheses.content, "originals.offsets": hypotheses.offsets
            }  # fmt: skip
        new.write_arrays(arrays)
        new.values["columns"], new.values["score"] = list(lists.columns), score
        _write_sentences(lists.space, lists.names, lists.references, lists.sources, frames, new)


def write_facts(facts: ListFacts, new: NewFolder) -> None:
    """Write what is known of the sentences and the features."""
    new.values["columns"], new.values["score"] = list(facts.columns), facts.score
    _write_sentences(facts.space, facts.names, facts.references, facts.sources, facts.frames, new)


def _write_sentences(
    space: FeatureSpace,
    names: Sequence[str] | None,
    references: References | None,
    sources: Texts | None,
    frames: Texts | None,
    new: NewFolder,
) -> None:
    texts = {
        "features": Texts.from_strings(space), "sources": sources,
        "frames": frames,
    }  # fmt: skip
    if names is not None:
        texts["names"] = Texts.from_strings(names)
        are_numbers = np.array([isinstance(name, NumberId) for name in names])
        new.write_arrays({"names.numbers": are_numbers})
    if references is not None:
        texts["references"] = references.texts
        new.write_arrays({"references.sentences": references.offsets})
    for name, strings in texts.items():
        if strings is not None:
            new.write_arrays(
                {f"{name}.content": strings.content, f"{name}.offsets": strings.offsets}
            )


def _build(kind: type[Lists], stored: StoredFolder) -> Lists:
    """The list of a folder. Raises ValueError for arrays that don't fit together."""
    texts = _texts(stored, "texts")
    assert texts is not None
    space = FeatureSpace(_texts(stored, "features") or ())
    ids = stored.typed("rows.ids", np.int32, None)
    if len(ids) and not 0 <= ids.min() <= ids.max() < len(space):
        raise ValueError(f"numbers of features are outside 0 to {len(space) - 1}")
    rows = Ragged(
        ids,
        stored.finite("rows.values", np.float32, len(ids)),
        stored.offsets("rows.offsets", len(ids), len(texts)),
    )
    sentence_offsets = stored.offsets("sentence_offsets", len(texts))
    count = len(sentence_offsets) - 1
    columns = {
        name: stored.finite(f"column.{k}", np.float64, len(texts))
        for k, name in enumerate(stored.header["columns"])
    }
    names, references = _texts(stored, "names", count), _texts(stored, "references")
    return kind(
        sentence_offsets,
        texts,
        rows,
        space,
        columns,
        None if names is None else _names(names, stored),
        None if references is None else References(
            references, stored.offsets("references.sentences", len(references), count)
        ),
        _texts(stored, "sources", count),
        stored.typed("places", np.int32, len(texts)) if "places.npy" in stored.files else None,
        _originals(stored, len(texts), count),
    )  # fmt: skip


def _originals(stored: StoredFolder, num_hypotheses: int, count: int) -> Originals | None:
    """Records as they were given, None where a folder has none."""
    hypotheses = _texts(stored, "originals", num_hypotheses)
    frames = _texts(stored, "frames", count)
    if hypotheses is None or frames is None:
        return None
    return Originals(hypotheses, frames, stored.header["score"])


def _texts(stored: StoredFolder, name: str, count: int | None = None) -> Texts | None:
    """Strings of a folder, None where it has none of that name. count: of them, None = any"""
    if name != "texts" and f"{name}.content.npy" not in stored.files:
        return None
    content = stored.typed(f"{name}.content", np.uint8, None)
    return Texts(content, stored.offsets(f"{name}.offsets", len(content), count))


def _names(names: Texts, stored: StoredFolder) -> tuple[str, ...]:
    """Ids of sentences. Raises ValueError for a number that is none."""
    if "names.numbers.npy" not in stored.files:  # before 1.1
        return tuple(names)
    are_numbers = stored.typed("names.numbers", np.bool_, len(names)).tolist()
    for name, is_number in zip(names, are_numbers, strict=True):
        if is_number:
            parse_number(name)
    return tuple(
        NumberId(name) if is_number else name
        for name, is_number in zip(names, are_numbers, strict=True)
    )
