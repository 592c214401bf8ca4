"""The decoder that a command line asks for: models, weights and limits of the search."""

from dataclasses import dataclass, replace
from math import log
from pathlib import Path
from typing import Any

from isogloss.align.errors import UsageError

from ...options import Bounds, option
from ...runs.decoder_config import DecoderConfig, ModelFile, state_templates
from ...runs.moses_decoder import POP_LIMIT, MosesDecoder, read_moses_decoder, rule_limit
from ...runs.reordering import parse_reordering

__all__ = ["SystemOptions"]


@dataclass(frozen=True)
class SystemOptions:
    """A decoder: the files of its models, its weights and its limits.

    config: decoder configuration in moses.ini format; other options override it
    phrase_table: phrase table in Moses format, plain or gzip, or a folder of `decode --save`, which
        holds all models
    lm: language model, ARPA (plain or gzip) or KenLM binary; repeatable, as features LM0, LM1 and
        so on
    reordering: reordering table of `extract` or Moses, such as wbe-msd-bidirectional-fe=FILE;
        repeatable
    state_templates: state feature templates, such as lo, with sparse weights; repeatable
    plugin: Python file or entry point of an installed package with your own templates for
        --state-templates; the code is executed
    weights: feature weights (default: from --config, else the initial weights of Moses)
    stack_size: maximum number of hypotheses per stack (default: 100; with --config: 200)
    distortion_limit: maximum reordering distance in source words; -1 = no limit (default: 6)
    table_limit: maximum number of rules per source phrase; 0 = all (default: 20)
    beam_threshold: minimum ratio to the best hypothesis of a stack; 0 = no limit (default: 0; with
        --config: 1e-5)
    pop_limit: cube pruning pop limit per stack; 0 = no cube pruning (default: 0)
    search_algorithm: search algorithm as in Moses: 1 = cube pruning (default pop limit 1000), 0 =
        no cube pruning
    lowercase: lowercase the input
    """

    config: str | None = option("-f", "-config", default=None, metavar="MOSES.INI")
    phrase_table: str | None = option(default=None, metavar="FILE")
    lm: tuple[str, ...] = option(default=(), metavar="FILE", append=True)
    reordering: tuple[str, ...] = option(default=(), metavar="MODEL=FILE", append=True)
    state_templates: tuple[str, ...] = option(default=(), metavar="SPEC", append=True)
    plugin: str | None = option(default=None, metavar="FILE.py|NAME")
    weights: str | None = option(default=None, metavar="FILE")
    stack_size: int | None = option("-s", "-stack", "--stack", default=None, metavar="N")
    distortion_limit: int | None = option(
        "-dl", "-distortion-limit", default=None, metavar="N"
    )  # fmt: skip
    table_limit: int | None = option(
        "-ttl", "-ttable-limit", "--ttable-limit", default=None, metavar="N"
    )
    beam_threshold: float | None = option(
        "-b", "-beam-threshold", default=None, parse=Bounds(0.0, 0.999), metavar="RATIO"
    )
    pop_limit: int | None = option(
        "-cbp", "-cube-pruning-pop-limit", "--cube-pruning-pop-limit", default=None, metavar="N"
    )
    search_algorithm: str | None = option("-search-algorithm", default=None, choices=("0", "1"))
    lowercase: bool = False

    def system(self) -> MosesDecoder:
        """The decoder: that of the moses.ini, with what is given here.

        Raises UsageError where files are missing; DataError as read_moses_decoder does.
        """
        if self.config is not None:
            told = read_moses_decoder(self.config, needs_language_model=not self.lm)
        elif self.phrase_table is None:
            raise UsageError(
                "the decoder has no models; pass --phrase-table and --lm, or --config MOSES.INI"
            )
        else:
            told = MosesDecoder(DecoderConfig(Path(self.phrase_table), ()))
        config = self._config(told.config)
        if self.phrase_table and config.is_saved and (self.lm or self.reordering):
            raise UsageError(
                f"--phrase-table {self.phrase_table} is a folder that contains all models; omit "
                "--lm and --reordering"
            )
        if not (config.language_models or config.is_saved):
            raise UsageError(
                "the decoder has no language model; pass --lm, or a --phrase-table folder of "
                "decode --save"
            )
        return replace(told, config=config)

    def _config(self, told: DecoderConfig) -> DecoderConfig:
        limits: dict[str, Any] = {
            "stack_size": self.stack_size,
            "distortion_limit": self.distortion_limit,
            "table_limit": None if self.table_limit is None else rule_limit(self.table_limit),
            "pop_limit": {"0": 0, "1": self.pop_limit or POP_LIMIT}.get(
                self.search_algorithm or "", self.pop_limit
            ),
            "beam_threshold": self.beam_threshold and log(self.beam_threshold),
        }
        given = {name: value for name, value in limits.items() if value is not None}
        models = [parse_reordering(text) for text in self.reordering]
        return replace(
            told,
            phrase_table=Path(self.phrase_table) if self.phrase_table else told.phrase_table,
            language_models=self._language_models() or told.language_models,
            reordering=tuple((model, Path(file)) for model, file in models) or told.reordering,
            weights=Path(self.weights) if self.weights else told.weights,
            templates=state_templates(self.state_templates, self.plugin),
            settings=replace(told.settings, **given),
        )

    def _language_models(self) -> tuple[ModelFile, ...]:
        return tuple(ModelFile(Path(file)) for file in self.lm)
