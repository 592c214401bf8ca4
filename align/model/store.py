"""Model folder: arrays that can be memory-mapped, and a header that is written last.

The header holds a checksum of each file and of itself. Opening a model verifies all but the two
files that grow with the pairs of words, which it does not read.
"""

import json
from collections.abc import Sequence
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import IsoglossError, ModelError
from ..files.checksums import file_sums, find_damage, is_intact, raise_damage, seal
from ..files.writers import atomic_file, atomic_folder, write_array
from ..language_model.arpa import read_arpa, write_arpa
from ..language_model.ngrams import NgramModel
from ..language_model.stored_ngrams import StoredNgrams
from ..text.vocabulary import Vocabulary
from .cooccurrence import PairIndex
from .em import Iteration
from .latent_domain import DomainLanguageModels
from .model import AlignmentModel
from .parameters import AlignerOptions, Parameters

__all__ = ["FORMAT_VERSION", "check_replaceable", "format_version", "load_model", "save_model"]

KIND = "isogloss alignment model"
FORMAT_VERSION = (2, 1)  # a new major version can't be read by older programs
CHECKSUMS = (2, 1)  # the version from which on there are any
HEADER = "model.json"
REMEDY = "Bring the folder back from a copy, or train again"
MAPPED = ("index.columns.npy", "lexical.npy")  # opening doesn't read these
LARGE = 1 << 20  # bytes from which on that makes a difference
_SIDES = ("source", "target")
_TABLES = tuple(field.name for field in fields(Parameters))


def check_replaceable(folder: str | Path, overwrite: bool) -> None:
    """Raise ModelError where a model can't be saved: the folder exists and may not be replaced,
    or is something else than a model folder.
    """
    folder = Path(folder)
    if not folder.exists():
        return
    if not overwrite:
        raise ModelError(f"{folder} exists; choose another folder or pass --overwrite")
    if not folder.is_dir() or (any(folder.iterdir()) and not (folder / HEADER).exists()):
        raise ModelError(f"{folder} is no model folder and is not replaced; choose another name")


def save_model(model: AlignmentModel, folder: str | Path, *, overwrite: bool = False) -> None:
    """Write a model folder; it appears under its name only when complete.

    Raises ModelError where the folder exists, unless ``overwrite``, and OutputError where it can't
    be written, such as on a full disk; an older model is kept until the new one is complete.
    """
    check_replaceable(folder, overwrite)
    with atomic_folder(folder) as part:
        _write(model, part)
        check_replaceable(folder, overwrite)


def _write(model: AlignmentModel, part: Path) -> None:
    arrays: dict[str, Any] = {
        "index.row_offsets": model.index.row_offsets,
        "index.columns": model.index.columns,
        "log_prior": model.log_prior,
    }
    for side, vocabulary in zip(
        _SIDES, (model.source_vocabulary, model.target_vocabulary), strict=True
    ):
        arrays[f"{side}.words"], arrays[f"{side}.offsets"] = vocabulary.to_bytes()
    arrays |= {name: getattr(model.parameters, name) for name in _TABLES}
    for name, array in arrays.items():
        write_array(array, part / f"{name}.npy")
    if model.language_models is not None:
        for side in _SIDES:
            for domain, ngrams in enumerate(getattr(model.language_models, side)):
                write_arpa(ngrams, part / f"{side}.{domain}.arpa")
    header = {
        "kind": KIND,
        "version": list(FORMAT_VERSION),
        "domains": list(model.domains),
        "language_models": model.language_models is not None,
        "options": asdict(model.options),
        "trace": [asdict(iteration) for iteration in model.trace],
        "arrays": {name: [str(array.dtype), list(array.shape)] for name, array in arrays.items()},
        "files": file_sums(part),
    }
    with atomic_file(part / HEADER) as stream:
        stream.write(seal(header))


def _read_header(folder: Path) -> dict[str, Any]:
    path = folder / HEADER
    if not path.exists():
        raise ModelError(f"{folder} is no model folder: it has no {HEADER}")
    try:
        text = path.read_bytes()
        header: dict[str, Any] = json.loads(text)
        kind, (major, minor) = header["kind"], header["version"]
        sealed = "checksum" in header or (major, minor) >= CHECKSUMS
    except (OSError, ValueError, KeyError, TypeError, IndexError) as error:
        raise ModelError(f"{path} is damaged ({error}). {REMEDY}") from error
    if kind != KIND:
        raise ModelError(f"{path} is of kind {kind!r}; expected {KIND!r}")
    if major != FORMAT_VERSION[0]:
        raise ModelError(
            f"{path} has format version {major}; this program reads {FORMAT_VERSION[0]}. "
            + ("Update isogloss" if major > FORMAT_VERSION[0] else "Train the model again")
        )
    if sealed and not is_intact(text):
        raise ModelError(f"{path} has changed since it was written. {REMEDY}")
    return header


def format_version(folder: str | Path) -> tuple[int, int]:
    """Major and minor version of a model folder's format. Raises ModelError as load_model does."""
    major, minor = _read_header(Path(folder))["version"]
    return major, minor


def load_model(folder: str | Path, *, verify: bool = False) -> AlignmentModel:
    """Open a model folder; large arrays are memory-mapped.

    All that is read is verified. With ``verify`` so are the tables of word pairs, which otherwise
    are held against their size, type and shape only: damage inside them gives wrong results, but
    no look-up outside of an array. Folders before format 2.1 hold no checksums; with ``verify``
    their word pairs must at least be in order, and their probabilities be numbers.

    Raises ModelError for a folder that is missing, unfinished, damaged or of another version.
    """
    folder = Path(folder)
    header = _read_header(folder)
    try:
        sums = header.get("files", {})
        large = {name for name, own in sums.items() if name in MAPPED and own["bytes"] > LARGE}
        damage = find_damage(folder, sums, size_only=() if verify else large)
        raise_damage(folder, damage, REMEDY)
        model = _build(folder, header)
        _check_fit(model)
        if verify:
            _check_word_pairs(model)
    except ModelError:
        raise
    except (KeyError, TypeError, ValueError, AttributeError, IsoglossError) as error:
        path = folder / HEADER
        raise ModelError(f"{path} does not fit its folder ({error!r}). {REMEDY}") from error
    return model


def _known_options(header: dict[str, Any]) -> AlignerOptions:
    """The options; those that a newer minor version added are passed over."""
    options = dict(header["options"])
    if tuple(header["version"]) < CHECKSUMS:
        options["jump_classes"] = 0  # there were none
    if header["version"][1] > FORMAT_VERSION[1]:
        names = {one.name for one in fields(AlignerOptions)}
        options = {name: value for name, value in options.items() if name in names}
    return AlignerOptions(**options)


def _read_array(path: Path, dtype: str, shape: list[int]) -> Any:
    try:
        # copy on write: kernels are compiled for arrays that can be written to, as in training
        array = np.load(path, mmap_mode="c")
    except Exception as error:  # numpy evaluates the header of the file, whatever stands there
        raise ModelError(f"{path} is missing or damaged ({error}). {REMEDY}") from error
    if str(array.dtype) != dtype or list(array.shape) != shape or not array.flags.c_contiguous:
        raise ModelError(
            f"{path} holds {array.dtype}{list(array.shape)}; the header says {dtype}{shape}. "
            + REMEDY
        )
    return array


def _build(folder: Path, header: dict[str, Any]) -> AlignmentModel:
    arrays = {
        name: _read_array(folder / f"{name}.npy", *form) for name, form in header["arrays"].items()
    }
    vocabularies = [
        Vocabulary.from_bytes(np.asarray(arrays[f"{side}.words"]), arrays[f"{side}.offsets"])
        for side in _SIDES
    ]
    if tuple(header["version"]) < CHECKSUMS:
        _add_word_classes(arrays, vocabularies)
    models = None
    if header["language_models"]:
        models = DomainLanguageModels(*(_models(folder, side, header) for side in _SIDES))
    return AlignmentModel(
        vocabularies[0],
        vocabularies[1],
        PairIndex(np.asarray(arrays["index.row_offsets"]), np.asarray(arrays["index.columns"])),
        Parameters(*(np.asarray(arrays[name]) for name in _TABLES)),
        tuple(header["domains"]),
        np.asarray(arrays["log_prior"]),
        _known_options(header),
        models,
        tuple(Iteration.from_json(one) for one in header["trace"]),
    )


def _models(folder: Path, side: str, header: dict[str, Any]) -> Sequence[NgramModel]:
    """Language models of a side; files without checksums are read at once."""
    paths = [folder / f"{side}.{domain}.arpa" for domain in range(len(header["domains"]))]
    if tuple(header["version"]) < CHECKSUMS:
        return tuple(read_arpa(path) for path in paths)
    checksums = tuple(header["files"][path.name]["crc32"] for path in paths)
    order = header["options"]["language_model_order"]
    return StoredNgrams(tuple(path.resolve() for path in paths), checksums, order)


def _add_word_classes(arrays: dict[str, Any], vocabularies: list[Vocabulary]) -> None:
    """Jumps did not depend on word classes before format 2.1: all words are in one class."""
    arrays["jump"] = arrays["jump"][:, :, np.newaxis]
    for side, vocabulary in zip(_SIDES, vocabularies, strict=True):
        arrays[f"{side}_class"] = np.zeros(len(vocabulary) + 1, np.int32)


def _check_fit(model: AlignmentModel) -> None:
    """What kernels rely on, as far as it can be told without reading the tables of word pairs.

    Raises ValueError where arrays don't fit together, whatever the header says.
    """
    index, tables, domains = model.index, model.parameters, len(model.domains)
    types = len(model.source_vocabulary), len(model.target_vocabulary)
    _, sharing, classes, _ = tables.jump.shape
    buckets = 2 * model.options.window + 3
    ends, falls = index.row_offsets[[0, -1]].tolist(), (np.diff(index.row_offsets) < 0).any()
    shapes: list[tuple[NDArray[Any], type, tuple[int, ...]]] = [
        (index.row_offsets, np.int64, (types[0] + 1,)),
        (index.columns, np.int32, (len(index),)),
        (tables.lexical, np.float32, (len(index) + 1, domains, 2)),
        (tables.null_source, np.float32, (domains, types[0] + 1)),
        (tables.null_target, np.float32, (domains, types[1] + 1)),
        (tables.jump, np.float64, (2, 1 if sharing == 1 else domains, classes, buckets)),
        (tables.start, np.float64, (2, sharing, buckets)),
        (tables.source_class, np.int32, (types[0] + 1,)),
        (tables.target_class, np.int32, (types[1] + 1,)),
        (model.log_prior, np.float64, (domains,)),
    ]
    for array, dtype, shape in shapes:
        if array.dtype != dtype or array.shape != shape:
            raise ValueError(f"{array.dtype}{array.shape} where {np.dtype(dtype)}{shape} is due")
    if ends != [0, len(index)] or falls:
        raise ValueError("rows of the index that overlap or lie outside of it")
    for own in (tables.source_class, tables.target_class):
        if own.min() < 0 or own.max() >= classes:
            raise ValueError(f"word classes outside of 0 to {classes - 1}")
    for table in (tables.null_source, tables.null_target, tables.jump, tables.start):
        _check_weights(table)
    if np.isnan(model.log_prior).any():
        raise ValueError("a domain's prior that is no number")


def _check_weights(table: NDArray[Any]) -> None:
    if table.size and not 0.0 <= table.min() <= table.max() < np.inf:  # nor NaN
        raise ValueError("weights that are negative or no numbers")


def _check_word_pairs(model: AlignmentModel) -> None:
    """Raise ValueError where the tables of word pairs can't be right; reads all of them."""
    columns, first = model.index.columns, model.index.row_offsets[1:-1]
    rising = np.ones(len(columns) + 1, bool)
    rising[1:-1] = columns[1:] > columns[:-1]
    rising[first] = True  # where another row begins
    types = len(model.target_vocabulary)
    if not rising.all() or (columns <= 0).any() or (columns >= types).any():
        raise ValueError("word pairs that are out of order")
    _check_weights(model.parameters.lexical)
    if model.parameters.lexical[-1].any():
        raise ValueError("a probability for pairs that were never seen")
