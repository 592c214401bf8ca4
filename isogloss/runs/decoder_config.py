"""The decoder of `isogloss tune --decoder`, as a TOML file says."""

from dataclasses import dataclass
from pathlib import Path

from align.errors import DataError, UsageError
from features.extraction.reordering import ReorderingModel
from tune.decoder.model import DecoderSettings

from .reordering import parse_reordering
from .toml_section import Section, read_toml, resolve_path

__all__ = ["DecoderConfig", "read_decoder_config"]


@dataclass(frozen=True)
class DecoderConfig:
    """The decoder of `isogloss tune --decoder`: its files and limits.

    weights: to start from; None = the decoder's section
    reordering: models with their tables
    """

    phrase_table: Path
    language_model: Path
    reordering: tuple[tuple[ReorderingModel, Path], ...]
    weights: Path | None
    settings: DecoderSettings


def read_decoder_config(path: str | Path) -> DecoderConfig:
    """Read the TOML file of a decoder: a table [decoder] with files and limits.

    Raises DataError for a syntax error, an unknown key or a value out of range.
    """
    path = Path(path)
    values = read_toml(path)
    section = Section(values.get("decoder", {}), "decoder", path, path.resolve().parent)
    table = section.path("phrase_table", required=True)
    language_model = section.path("language_model", required=True)
    weights = section.path("weights")
    root = path.resolve().parent
    try:
        named = [parse_reordering(text) for text in section.take("reordering", ())]
        reordering = tuple((model, resolve_path(file, root)) for model, file in named)
    except UsageError as error:
        raise DataError(f"[decoder] {error}", file=path) from error
    settings = section.options(DecoderSettings, DecoderSettings())
    section.done()
    assert table is not None and language_model is not None
    return DecoderConfig(table, language_model, reordering, weights, settings)
