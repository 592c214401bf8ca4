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

    config: the decoder of a moses.ini; options given here win
    phrase_table: in Moses' format, plain or gz, or a folder of decode --save, which holds all
        models
    lm: ARPA, plain or gz, or a binary of KenLM; may be given more than once, each is a feature of
        its own: LM0, LM1
    reordering: reordering table of extract or Moses, such as wbe-msd-bidirectional-fe=FILE; may be
        given more than once
    state_templates: state templates that count during the search, such as lo; their weights are
        sparse
    templates_from: templates of your own for --state-templates: a file of Python, or an entry point
    weights: default: those of --config, else Moses' starting weights
    stack_size: hypotheses per stack (default: 100; with --config 200, as in Moses)
    distortion_limit: longest jump, in source words; -1 = any (default: 6)
    table_limit: rules per phrase, 0 = all (default: 20)
    beam_threshold: worst ratio to the best hypothesis of a stack, 0 = any (default: 0; with
        --config 1e-5, as in Moses)
    pop_limit: options placed per stack, best first, as in cube pruning; 0 = all that may matter
        (default: 0)
    search_algorithm: 1 = cube pruning, with a limit of 1000 unless another is given; 0 = none
    lowercase: lowercase the input
    """

    config: str | None = option("-f", "-config", default=None, metavar="MOSES.INI")
    phrase_table: str | None = option(default=None, metavar="FILE")
    lm: tuple[str, ...] = option(default=(), metavar="FILE", append=True)
    reordering: tuple[str, ...] = option(default=(), metavar="MODEL=FILE", append=True)
    state_templates: tuple[str, ...] = option(default=(), metavar="SPEC", append=True)
    templates_from: str | None = option(default=None, metavar="FILE.py|NAME")
    weights: str | None = option(default=None, metavar="FILE")
    stack_size: int | None = option("-s", "-stack", "--stack", default=None)
    distortion_limit: int | None = option("-dl", "-distortion-limit", default=None)
    table_limit: int | None = option("-ttl", "-ttable-limit", "--ttable-limit", default=None)
    beam_threshold: float | None = option(
        "-b", "-beam-threshold", default=None, parse=Bounds(0.0, 0.999)
    )
    pop_limit: int | None = option(
        "-cbp", "-cube-pruning-pop-limit", "--cube-pruning-pop-limit", default=None
    )
    search_algorithm: str | None = option(
        "-search-algorithm", "--search-algorithm", default=None, choices=("0", "1")
    )  # fmt: skip
    lowercase: bool = False

    def system(self) -> MosesDecoder:
        """The decoder: that of the moses.ini, with what is given here.

        Raises UsageError where files are missing; DataError as read_moses_decoder does.
        """
        if self.config is not None:
            told = read_moses_decoder(self.config)
        elif self.phrase_table is None:
            raise UsageError("a decoder needs --phrase-table and --lm, or --config MOSES.INI")
        else:
            told = MosesDecoder(DecoderConfig(Path(self.phrase_table), ()))
        config = self._config(told.config)
        if self.phrase_table and config.is_saved and (self.lm or self.reordering):
            raise UsageError(
                f"--phrase-table {self.phrase_table} is a folder that holds the other models, too; "
                "expected no --lm and --reordering beside it"
            )
        if not (config.language_models or config.is_saved):
            raise UsageError("a decoder needs --lm, or a --phrase-table that --save has written")
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
            templates=state_templates(self.state_templates, self.templates_from),
            settings=replace(told.settings, **given),
        )

    def _language_models(self) -> tuple[ModelFile, ...]:
        return tuple(ModelFile(Path(file)) for file in self.lm)
