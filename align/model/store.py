"""Model folders: the arrays of an alignment model, mapped when it is opened, and its settings.

Opening a model verifies all files but the two that grow with the pairs of words, which it does not
read.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, fields
from pathlib import Path
from typing import Annotated, Any

import numpy as np
from msgspec import Meta, Struct
from numpy.typing import NDArray

from ..files import stored_folder
from ..files.held_file import HeldFile
from ..files.outputs import real_path
from ..files.records import Finite, Name, Text, Whole, conform, renamed
from ..files.stored_folder import FolderFormat, NewFolder, StoredFolder
from ..language_model.domain_models import DomainLanguageModels
from ..language_model.ngrams import NgramModel
from ..language_model.stored_ngrams import StoredNgrams, arpa_files, write_ngrams
from ..language_model.word_scoring import WordScorer
from ..links.classifier.classifier import LinkClassifier
from ..links.classifier.learning_curve import CurvePoint, LearningCurve
from ..links.classifier.thresholds import Reliability
from ..links.classifier.trees import Trees
from ..text.known_words.text_form import TextForm
from ..text.vocabulary import Vocabulary
from .cooccurrence import PairIndex
from .parameters import AlignerOptions, Parameters, check_prior
from .parts import ModelParts
from .trained_text import Iteration

__all__ = ["MODEL_FORMAT", "read_model", "with_former_names", "with_present_names", "write_model"]

CHECKSUMS = (2, 1)  # the version from which on there are any, and word classes
_RENAMED = (2, 4)  # the version from which on options have their present names and values
_FORMER_NAMES = {
    "combination": "heuristic", "decoding_weights": "domain_weighting",
    "flat_iterations": "shared_iterations", "held_out": "heldout_every",
    "out_sample": "out_domain_size", "out_selection": "out_domain_selection",
    "unlikely_domain": "min_domain_posterior", "window": "jump_window",
}  # fmt: skip
_FORMER_VALUES = {
    "decoding_weights": {"side": "source", "pair": "joint", "hard": "argmax"},
    "out_selection": {"unlike": "dissimilar"},
}


class _Form(Struct):
    """How one side of the text was written that a model was trained on."""

    lowercase: bool
    tokenised: bool | None  # its spelling when forms were first stored


class _Forms(Struct):
    """The same of both sides."""

    source: _Form
    target: _Form


class _Reliability(Struct):
    """How well chances of links tell what is right."""

    brier: Finite
    rows: list[tuple[Finite, Finite, Whole]]


class _Curve(Struct):
    """AER by number of gold sentences, with intervals, and what twice as many would gain."""

    points: Annotated[list[tuple[Whole, Finite, Finite, Finite]], Meta(min_length=1)]
    gain: tuple[Finite, Finite, Finite] | None


class _Classifier(Struct):
    """What a model's header holds of its classifier of links beside the arrays."""

    threshold: Finite
    num_sentences: Whole
    aer_before: Finite
    aer: Finite
    learning_curve: _Curve | list[tuple[Whole, Finite]]  # before format 2.6, AER alone
    before: _Reliability
    after: _Reliability


class _Content(Struct):
    """What a model's header holds beside the arrays."""

    domains: Annotated[list[Name], Meta(min_length=1)]
    language_models: bool
    options: dict[str, bool | Whole | Finite | Text]
    trace: list[Iteration]
    fingerprint: Text = ""
    text: _Forms | None = None
    classifier: _Classifier | None = None


MODEL_FORMAT = FolderFormat(
    kind="isogloss alignment model",
    name="model folder",
    header="model.json",
    version=(2, 6),
    remedy="Restore a backup of the folder, or train the model again",
    outdated="Train the model again",
    sealed_since=CHECKSUMS,
    unread=("index.columns.npy", "lexical.npy"),
    content=_Content,
)
_SIDES = ("source", "target")
_CLASSIFIER = tuple(_Classifier.__struct_fields__)
_TREES = tuple(part.name for part in fields(Trees))
_TABLES = tuple(table.name for table in fields(Parameters))


def write_model(
    model: ModelParts, folder: str | Path, *, overwrite: bool | None = None, fingerprint: str = ""
) -> None:
    """Write a model folder; it appears under its name only when complete.

    fingerprint: of the training that it comes from, see
        :func:`isogloss.align.training.checkpoint.fingerprint`

    Raises ModelError where the folder exists, unless ``overwrite``, and OutputError where it can't
    be written, such as on a full disk; an older model is kept until the new one is complete.
    """
    with MODEL_FORMAT.write(folder, overwrite=overwrite) as new:
        _write(model, new)
        if fingerprint:
            new.values["fingerprint"] = fingerprint


def _write(model: ModelParts, new: NewFolder) -> None:
    arrays: dict[str, NDArray[Any]] = {
        "index.row_offsets": model.index.row_offsets,
        "index.columns": model.index.columns,
        "log_prior": model.log_prior,
    }
    for side, vocabulary in zip(
        _SIDES, (model.source_vocabulary, model.target_vocabulary), strict=True
    ):
        arrays[f"{side}.words"], arrays[f"{side}.offsets"] = vocabulary.to_bytes()
    arrays |= {name: getattr(model.parameters, name) for name in _TABLES}
    if model.classifier is not None:
        arrays |= _classifier_arrays(model.classifier)
        kept = {name: getattr(model.classifier, name) for name in _CLASSIFIER}
        kept |= {name: kept[name]._asdict() for name in ("learning_curve", "before", "after")}
        new.values["classifier"] = kept
    new.write_arrays(arrays)
    if model.language_models is not None:
        for side in _SIDES:
            write_ngrams(getattr(model.language_models, side), new.path, side)
    new.values.update(
        {
            "domains": list(model.domains),
            "language_models": model.language_models is not None,
            "options": asdict(model.options),
            "trace": [asdict(iteration) for iteration in model.trace],
            "text": {side: _stored_form(getattr(model, f"{side}_form")) for side in _SIDES},
        }
    )


def read_model(folder: str | Path, *, verify: bool = False) -> ModelParts:
    """The parts of the model in a folder; large arrays are memory-mapped.

    The folder may be replaced meanwhile, and while the model is in use.

    All that is read is verified. With ``verify`` so are large tables of word pairs, which otherwise
    are checked against their size, type and shape only: damage inside them gives wrong results, but
    no look-up outside of an array. Folders before format 2.1 hold no checksums; with ``verify``
    their word pairs must at least be in order, and their probabilities be numbers.

    Raises ModelError for a folder that is missing, unfinished, damaged or of another version.
    """

    def build(stored: StoredFolder) -> ModelParts:
        model = _build(stored)
        _check_fit(model)
        if verify or model.parameters.lexical.nbytes <= stored_folder.LARGE:
            _check_word_pairs(model)
        return model

    return MODEL_FORMAT.read(folder, build, verify=verify)


def with_former_names(options: Mapping[str, Any]) -> dict[str, Any]:
    """Options under the names and with the values that format 2.2 and training states store."""
    choices = {_FORMER_NAMES[name]: _inverse(values) for name, values in _FORMER_VALUES.items()}
    return renamed(options, _inverse(_FORMER_NAMES), choices)


def with_present_names(options: Mapping[str, Any]) -> dict[str, Any]:
    """Options of before, under the names and with the values that they have now."""
    return renamed(options, _FORMER_NAMES, _FORMER_VALUES)


def _inverse(names: Mapping[str, str]) -> dict[str, str]:
    return {new: old for old, new in names.items()}


def _known_options(stored: StoredFolder) -> AlignerOptions:
    """The options; those that a newer minor version added are passed over."""
    options = dict(stored.header["options"])
    if stored.version < _RENAMED:
        options = with_present_names(options)
    if stored.version < CHECKSUMS:
        options["jump_classes"] = 0  # there were none
    if stored.version > MODEL_FORMAT.version:
        known = {option.name for option in fields(AlignerOptions)}
        options = {name: value for name, value in options.items() if name in known}
    return AlignerOptions(**options)


def _build(stored: StoredFolder) -> ModelParts:
    arrays = {name: stored.array(name) for name in stored.header["arrays"]}
    vocabularies = [
        Vocabulary.from_bytes(arrays[f"{side}.words"], arrays[f"{side}.offsets"]) for side in _SIDES
    ]
    if stored.version < CHECKSUMS:
        _add_word_classes(arrays, vocabularies)
    models = None
    if stored.header["language_models"]:
        models = DomainLanguageModels(*(_language_models(stored, side) for side in _SIDES))
    return ModelParts(
        vocabularies[0],
        vocabularies[1],
        PairIndex(arrays["index.row_offsets"], arrays["index.columns"]),
        Parameters(*(arrays[name] for name in _TABLES)),
        tuple(stored.header["domains"]),
        arrays["log_prior"],
        _known_options(stored),
        models,
        tuple(conform(stored.header["trace"], list[Iteration])),
        *_forms(stored, vocabularies),
        _stored_classifier(stored, arrays),
    )


def _classifier_arrays(classifier: LinkClassifier) -> dict[str, NDArray[Any]]:
    arrays = {f"classifier.{side}_words": getattr(classifier, f"{side}_words") for side in _SIDES}
    for name in ("first", "second"):
        trees = getattr(classifier, name)
        arrays |= {f"classifier.{name}.{part}": getattr(trees, part) for part in _TREES}
    return arrays


def _stored_classifier(
    stored: StoredFolder, arrays: Mapping[str, NDArray[Any]]
) -> LinkClassifier | None:
    """What gold links have taught, None where there were none."""
    header = stored.header.get("classifier")
    if header is None:
        return None
    first, second = (
        Trees(*(arrays[f"classifier.{name}.{part}"] for part in _TREES))
        for name in ("first", "second")
    )
    source, target = (arrays[f"classifier.{side}_words"] for side in _SIDES)
    told = (
        Reliability(header[name]["brier"], tuple(map(tuple, header[name]["rows"])))
        for name in ("before", "after")
    )
    return LinkClassifier(
        first, second, header["threshold"], source, target, header["aer_before"],
        _stored_curve(header), *told,
    )  # fmt: skip


def _stored_curve(header: Mapping[str, Any]) -> LearningCurve:
    """The learning curve; before format 2.6 without intervals, which are taken from 0 to 1."""
    stored = header["learning_curve"]
    if isinstance(stored, list):
        known = [*stored, (header["num_sentences"], header["aer"])]
        return LearningCurve(tuple(CurvePoint(n, aer, 0.0, 1.0) for n, aer in known), None)
    points, gain = stored["points"], stored["gain"]
    curve = tuple(CurvePoint(*point) for point in points)
    return LearningCurve(curve, None if gain is None else tuple(gain))


def _forms(stored: StoredFolder, vocabularies: Sequence[Vocabulary]) -> tuple[TextForm, TextForm]:
    """How both sides of the text were written; before format 2.2 as the words tell."""
    told = stored.header.get("text")
    if told is None:
        return TextForm.of_words(vocabularies[0]), TextForm.of_words(vocabularies[1])
    source, target = (TextForm(told[side]["lowercase"], told[side]["tokenised"]) for side in _SIDES)
    return source, target


def _stored_form(form: TextForm) -> dict[str, bool | None]:
    return {"lowercase": form.lowercase, "tokenised": form.tokenized}


def _language_models(stored: StoredFolder, side: str) -> Sequence[NgramModel]:
    """Language models of a side, one per domain; files without checksums are read at once."""
    paths = arpa_files(stored.path, side, len(stored.header["domains"]))
    if stored.version < CHECKSUMS:
        models = tuple(NgramModel.load(path) for path in paths)
        for model in models:
            WordScorer(model)  # ValueError where sentences can't be scored
        return models
    checksums = tuple(stored.files[path.name]["crc32"] for path in paths)
    order = stored.header["options"]["language_model_order"]
    return StoredNgrams(tuple(HeldFile(real_path(path)) for path in paths), checksums, order)


def _add_word_classes(arrays: dict[str, NDArray[Any]], vocabularies: Sequence[Vocabulary]) -> None:
    """Jumps did not depend on word classes before format 2.1: all words are in one class."""
    arrays["jump"] = arrays["jump"][:, :, np.newaxis]
    for side, vocabulary in zip(_SIDES, vocabularies, strict=True):
        arrays[f"{side}_class"] = np.zeros(len(vocabulary) + 1, np.int32)


def _check_fit(model: ModelParts) -> None:
    """What kernels rely on, as far as it can be told without reading the tables of word pairs."""
    types = len(model.source_vocabulary), len(model.target_vocabulary)
    if len(set(model.domains)) < len(model.domains):
        raise ValueError("domain names must be unique")
    model.parameters.check(model.index, types, len(model.domains), model.options.jump_window)
    if model.parameters.lexical[-1].any():
        raise ValueError("the probability of unseen pairs must be 0")
    if model.log_prior.dtype != np.float64 or model.log_prior.shape != (len(model.domains),):
        raise ValueError(f"there must be one prior for each of the {len(model.domains)} domains")
    check_prior(model.log_prior)
    if model.classifier is not None:
        model.classifier.check(types)


def _check_word_pairs(model: ModelParts) -> None:
    """Raise ValueError where the tables of word pairs can't be right; reads all of them."""
    model.index.check(len(model.target_vocabulary))
    model.parameters.check_lexical(model.index)
