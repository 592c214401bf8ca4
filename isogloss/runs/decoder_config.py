"""A decoder's files and limits, as a TOML file or a moses.ini says them, and the decoder itself."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from isogloss.align.errors import DataError, UsageError
from isogloss.align.files.outputs import real_path
from isogloss.features.bins.binning import bins_of
from isogloss.features.extraction.reordering import ReorderingModel
from isogloss.features.table.phrase_table import PhraseTable
from isogloss.features.table.phrases import phrases_of
from isogloss.features.table.sidecar import sidecars
from isogloss.features.templates.plugins import load_templates
from isogloss.features.templates.protocol import StateTemplate
from isogloss.features.templates.specs import parse_templates
from isogloss.tune.decoder.language_model import NgramTable
from isogloss.tune.decoder.language_model_files import read_language_model
from isogloss.tune.decoder.model import Decoder, DecoderSettings
from isogloss.tune.decoder.named_weights import (
    MosesGroups,
    decoder_prefixes,
    moses_groups,
    named_weights,
    weights_by_group,
)
from isogloss.tune.decoder.reordering import ReorderingTable
from isogloss.tune.decoder.source_phrases import LONGEST_PHRASE
from isogloss.tune.decoder.stored_models import MODELS_FORMAT, DecoderModels, open_models
from isogloss.tune.weights.weights import Weights

from .reordering import parse_reordering
from .toml_section import Section, read_toml, resolve_path

__all__ = ["DecoderConfig", "ModelFile", "read_decoder_config", "state_templates"]

_OTHERS_SAVED = "Save the models again from the files of the moses.ini, or correct its line"


@dataclass(frozen=True)
class ModelFile:
    """The file of a language model. order: what it is said to be; None = whatever the file has"""

    path: Path
    order: int | None = None

    def read(self) -> NgramTable:
        """The model. Raises DataError as the reader does, and for another order than said."""
        model = read_language_model(self.path)
        self.check(model, self.path, "Correct the order, or the file that is named")
        return model

    def check(self, model: NgramTable, file: Path, remedy: str) -> None:
        """Raise DataError for a model, of some file, of another order than said."""
        if self.order is not None and model.order != self.order:
            raise DataError(
                f"the language model has order {model.order}",
                f"order {self.order}, as configured",
                file=file,
                remedy=remedy,
            )


@dataclass(frozen=True)
class DecoderConfig:
    """A decoder's files and limits.

    phrase_table: a file, or a folder of `isogloss decode --save`, which holds all models
    reordering: models with their tables
    templates: state templates that count during the search
    weights: their file; None = Moses's starting weights
    moses_names: names that its feature functions have, by those of Moses's training
    """

    phrase_table: Path
    language_models: tuple[ModelFile, ...]
    reordering: tuple[tuple[ReorderingModel, Path], ...] = ()
    weights: Path | None = None
    settings: DecoderSettings = field(default_factory=DecoderSettings)
    moses_names: Mapping[str, str] = field(default_factory=dict)
    templates: tuple[StateTemplate, ...] = ()

    @property
    def files(self) -> list[Path]:
        """The files that it reads, or the folder of saved models."""
        tables = [self.phrase_table, *sidecars(self.phrase_table)]
        models = [model.path for model in self.language_models]
        others = [file for _, file in self.reordering]
        return [*tables, *models, *others, *([self.weights] if self.weights else [])]

    @property
    def is_saved(self) -> bool:
        """Whether the phrase table is a folder, which holds the other models, too."""
        return MODELS_FORMAT.is_at(self.phrase_table)

    def models(self, sentences: Sequence[Sequence[str]] | None = None) -> DecoderModels:
        """The models of the decoder. sentences: those that it will translate; None = any

        Raises DataError for files that can't be read, or don't fit together, and ModelError for a
        damaged folder.
        """
        if self.is_saved:
            models = open_models(self.phrase_table)
            self._check_saved(models)
            return models
        sources = None if sentences is None else phrases_of(sentences, LONGEST_PHRASE)
        try:
            table = PhraseTable.load(self.phrase_table, sources=sources, keep_text=False)
        except DataError:
            if sources is None:
                raise
            # a text may hold no word of the table; what is wrong with a table is told again
            table = PhraseTable.load(self.phrase_table, keep_text=False)
        reordering = [ReorderingTable.read(file, model, table) for model, file in self.reordering]
        return DecoderModels(table, [file.read() for file in self.language_models], reordering)

    def _check_saved(self, models: DecoderModels) -> None:
        """Raise DataError for saved models that a moses.ini says to be others."""
        # How many there are shows by the weights that they have.
        for said, model in zip(self.language_models, models.language_models, strict=False):
            said.check(model, self.phrase_table, _OTHERS_SAVED)
        for (kind, _), table in zip(self.reordering, models.reordering, strict=False):
            if table.model != kind:
                raise DataError(
                    f"the reordering model is {table.model}",
                    f"{kind}, as configured",
                    file=self.phrase_table,
                    remedy=_OTHERS_SAVED,
                )

    def open(self, sentences: Sequence[Sequence[str]] | None = None) -> Decoder:
        """The decoder. Raises errors as :meth:`models` does."""
        models = self.models(sentences)
        return Decoder(
            models.table, models.language_models, self.settings, models.reordering, self.templates
        )

    def groups(self, decoder: Decoder) -> MosesGroups:
        """Features of the decoder by Moses's names, those of the moses.ini first, in its order."""
        groups = moses_groups(decoder)
        named = {
            name: groups.pop(usual) for usual, name in self.moses_names.items() if usual in groups
        }
        return named | groups

    def weights_to_write(self, decoder: Decoder, weights: Weights) -> Weights:
        """Weights under the names of the moses.ini, where the decoder is one of a moses.ini."""
        return weights_by_group(weights, self.groups(decoder)) if self.moses_names else weights

    def prefixes(self, decoder: Decoder, given: Sequence[str], valued: bool) -> tuple[str, ...]:
        """Prefixes of the decoder's features, for those of the moses.ini; see decoder_prefixes."""
        return decoder_prefixes(
            decoder.space.names, given, self.groups(decoder), valued=valued,
            moses_first=bool(self.moses_names), scores=decoder.table.score_names,
            sparse=decoder.table.sparse_names,
        )  # fmt: skip

    def read_weights(self, decoder: Decoder, *, others: bool = False) -> Weights:
        """The weights for the decoder: those of scores that have become bins are of their bins.

        others: with those of sparse features that the decoder doesn't have, such as those of rules
            for other texts

        Raises DataError as named_weights does, and for a file of bins that is needed and can't be
        read.
        """
        if self.weights is None:
            usual = self._binned(decoder, decoder.starting_weights())
            return usual.covering(decoder.space) if others else usual.to_space(decoder.space)
        given = self._binned(decoder, Weights.load(self.weights))
        return named_weights(decoder, given, self.weights, self.groups(decoder), others=others)

    def _binned(self, decoder: Decoder, weights: Weights) -> Weights:
        if all(name in decoder.space for name in weights):
            return weights
        binning = bins_of(self.phrase_table)
        return (
            weights
            if binning is None
            else weights.with_bin_weights(binning, decoder.table.score_names)
        )


def read_decoder_config(
    path: str | Path, templates: Sequence[str] = (), plugin: str | None = None
) -> DecoderConfig:
    """Read the TOML file of a decoder: a table [decoder] with files and limits.

    templates: specifications of state templates in place of those of the file
    plugin: where the user's own are

    Raises DataError for a syntax error, an unknown key or a value out of range.
    """
    path = Path(path)
    values = read_toml(path)
    section = Section(values.get("decoder", {}), "decoder", path, real_path(path).parent)
    table = section.path("phrase_table", required=True)
    models = section.paths("language_models")
    saved = table is not None and MODELS_FORMAT.is_at(table)
    language_model = section.path("language_model", required=not (models or saved))
    if models and language_model:
        raise DataError(
            "[decoder] has both language_model and language_models",
            "one of them",
            file=path,
            remedy="Use language_model for one file, or language_models for several",
        )
    weights = section.path("weights")
    root = real_path(path).parent
    given = state_templates(templates, plugin) if templates else ()
    try:
        named = [parse_reordering(text) for text in section.take("reordering", ())]
        reordering = tuple((model, resolve_path(file, root)) for model, file in named)
        specs = section.take("state_templates", ())
        chosen = given or state_templates(specs, plugin)
    except UsageError as error:
        raise DataError(f"[decoder] {error}", file=path) from error
    settings = section.options(DecoderSettings, DecoderSettings())
    section.done()
    assert table is not None
    files = (language_model,) if language_model else models
    if saved and (files or reordering):
        raise DataError(
            f"[decoder] phrase_table {table} is a folder that contains all models",
            "no language_model, language_models or reordering with it",
            file=path,
        )
    return DecoderConfig(
        table, tuple(map(ModelFile, files)), reordering, weights, settings, templates=chosen
    )


def state_templates(specs: Sequence[str], plugin: str | None = None) -> tuple[StateTemplate, ...]:
    """Templates that count during the search. plugin: where the user's own are

    Raises UsageError as parse_templates and load_templates do, for templates of rules, and for a
    place of own templates of which none is named.
    """
    if plugin and not specs:
        raise UsageError(
            f"templates from {plugin} have no effect without a state template; pass one with "
            "--state-templates, or with state_templates in the decoder file"
        )
    plugins = load_templates(plugin) if plugin else {}
    templates = parse_templates(specs, plugins=plugins)
    for template in templates:
        if not isinstance(template, StateTemplate):
            raise UsageError(
                f"template {template.spec!r} is a rule template; expected a state template such as "
                "lo. `isogloss features --add` writes rule features into the phrase table"
            )
    return tuple(template for template in templates if isinstance(template, StateTemplate))
