"""Model folder: arrays that can be memory-mapped, and a header that is written last."""

import json
import os
import shutil
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

import numpy as np

from .cooccurrence import PairIndex
from .em import Iteration
from .errors import IsoglossError, ModelError
from .language_model import read_arpa, write_arpa
from .latent_domain import DomainLanguageModels
from .model import AlignmentModel
from .parameters import AlignerOptions, Parameters
from .vocabulary import Vocabulary

__all__ = ["FORMAT_VERSION", "check_replaceable", "load_model", "prepare_folder", "save_model"]

KIND = "isogloss alignment model"
FORMAT_VERSION = (2, 0)  # a new major version can't be read by older programs
HEADER = "model.json"
_SIDES = ("source", "target")
_TABLES = tuple(field.name for field in fields(Parameters))


def prepare_folder(folder: str | Path, *, overwrite: bool = False) -> Path:
    """A new empty folder beside ``folder`` to be filled and renamed.

    Raises ModelError where ``folder`` exists, unless ``overwrite``, and where it is something
    else than a model folder.
    """
    folder = Path(folder)
    check_replaceable(folder, overwrite)
    part = folder.with_name(f".{folder.name}.{os.getpid()}.part")
    shutil.rmtree(part, ignore_errors=True)
    part.mkdir(parents=True)
    return part


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

    Raises ModelError where the folder exists, unless ``overwrite``.
    """
    folder = Path(folder)
    part = prepare_folder(folder, overwrite=overwrite)
    try:
        _write(model, part)
        check_replaceable(folder, overwrite)
        if folder.exists():
            shutil.rmtree(folder)
        part.rename(folder)
    except BaseException:
        shutil.rmtree(part, ignore_errors=True)
        raise


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
        np.save(part / f"{name}.npy", array)
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
    }
    (part / HEADER).write_text(json.dumps(header, indent=1) + "\n", encoding="utf-8")


def _read_header(folder: Path) -> dict[str, Any]:
    path = folder / HEADER
    if not path.exists():
        raise ModelError(f"{folder} is no model folder: it has no {HEADER}")
    try:
        header: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        kind, (major, _) = header["kind"], header["version"]
    except (ValueError, KeyError, TypeError, IndexError) as error:
        raise ModelError(f"{path} is damaged ({error})") from error
    if kind != KIND:
        raise ModelError(f"{path} is of kind {kind!r}; expected {KIND!r}")
    if major != FORMAT_VERSION[0]:
        raise ModelError(
            f"{path} has format version {major}; this program reads {FORMAT_VERSION[0]}. "
            + ("Update isogloss" if major > FORMAT_VERSION[0] else "Train the model again")
        )
    return header


def load_model(folder: str | Path) -> AlignmentModel:
    """Open a model folder; large arrays are memory-mapped.

    Raises ModelError for a folder that is missing, unfinished, damaged or of another version.
    """
    folder = Path(folder)
    header = _read_header(folder)
    try:
        return _build(folder, header)
    except ModelError:
        raise
    except (KeyError, TypeError, ValueError, IsoglossError) as error:
        raise ModelError(f"{folder / HEADER} does not fit its folder ({error!r})") from error


def _known_options(header: dict[str, Any]) -> AlignerOptions:
    """The options; those that a newer minor version added are passed over."""
    options = dict(header["options"])
    if header["version"][1] > FORMAT_VERSION[1]:
        names = {one.name for one in fields(AlignerOptions)}
        options = {name: value for name, value in options.items() if name in names}
    return AlignerOptions(**options)


def _check_shapes(header: dict[str, Any], parameters: Parameters) -> None:
    domains = len(header["domains"])
    found = {
        parameters.lexical.shape[1], len(parameters.null_source), len(parameters.null_target)
    }  # fmt: skip
    if found != {domains} or parameters.jump.shape[1] not in (1, domains):
        raise ValueError(f"{domains} domains, but arrays of {sorted(found)}")


def _build(folder: Path, header: dict[str, Any]) -> AlignmentModel:
    arrays: dict[str, Any] = {}
    for name, (dtype, shape) in header["arrays"].items():
        path = folder / f"{name}.npy"
        try:
            # copy on write: kernels are compiled for arrays that can be written to, as in training
            arrays[name] = np.load(path, mmap_mode="c")
        except (OSError, ValueError, EOFError) as error:
            raise ModelError(f"{path} is missing or truncated ({error})") from error
        if str(arrays[name].dtype) != dtype or list(arrays[name].shape) != shape:
            raise ModelError(
                f"{path} holds {arrays[name].dtype}{list(arrays[name].shape)}; the header says "
                f"{dtype}{shape}"
            )
    vocabularies = [
        Vocabulary.from_bytes(np.asarray(arrays[f"{side}.words"]), arrays[f"{side}.offsets"])
        for side in _SIDES
    ]
    parameters = Parameters(*(np.asarray(arrays[name]) for name in _TABLES))
    _check_shapes(header, parameters)
    models = None
    if header["language_models"]:
        domains = range(len(header["domains"]))
        models = DomainLanguageModels(
            *(
                tuple(read_arpa(folder / f"{side}.{domain}.arpa") for domain in domains)
                for side in _SIDES
            )
        )
    return AlignmentModel(
        vocabularies[0],
        vocabularies[1],
        PairIndex(np.asarray(arrays["index.row_offsets"]), np.asarray(arrays["index.columns"])),
        parameters,
        tuple(header["domains"]),
        np.asarray(arrays["log_prior"]),
        _known_options(header),
        models,
        tuple(
            Iteration.from_json(one) for one in header["trace"]
        ),
    )
