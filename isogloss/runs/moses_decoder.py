"""A decoder as a moses.ini says it: files, limits, weights, and what is written besides.

A section that asks for what this decoder doesn't do is an error, unless it changes no translation.
Where one is missing, Moses's default holds.
"""

import math
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from isogloss.align.errors import DataError, OptionError, UsageError, warn
from isogloss.align.files.numerals import is_whole
from isogloss.align.files.text_io import split_tokens
from isogloss.features.extraction.reordering import ReorderingModel
from isogloss.tune.decoder.model import MAX_RULES, DecoderSettings
from isogloss.tune.decoder.named_weights import (
    LANGUAGE_MODELS,
    PENALTIES,
    REORDERING,
    TABLE,
    usual_names,
)
from isogloss.tune.weights.moses_ini import MosesFeature, MosesIni, read_moses_ini

from .decoder_config import DecoderConfig, ModelFile
from .moses_sections import (
    BEFORE_2013,
    FIXED,
    IGNORED,
    LISTS,
    PARTS,
    READ,
    SHORT,
    share,
    switch,
    thread_count,
    whole,
    words_of,
)
from .output_files import HypergraphFiles, NBestFile

__all__ = ["POP_LIMIT", "MosesDecoder", "read_moses_decoder", "rule_limit"]

T = TypeVar("T")

STACK_SIZE, DISTORTION_LIMIT, BEAM, TABLE_LIMIT = 200, 6, 1e-5, 20  # Moses's defaults
POP_LIMIT = 1000  # of cube pruning
# options of features that are of no consequence here: for tuning, or for how Moses keeps a file
_HARMLESS = frozenset(
    {
        "name", "num-features", "tuneable", "tuneable-components", "verbosity", "lazyken", "load",
        "cache-size",
    }
)  # fmt: skip
_FACTORS = {"factor", "input-factor", "output-factor"}  # there is one only, 0
_OPTIONS = {
    TABLE: frozenset({"path", "table-limit"}),
    REORDERING: frozenset({"path", "type"}),
    **dict.fromkeys(LANGUAGE_MODELS, frozenset({"path", "order"})),
    **dict.fromkeys(PENALTIES, frozenset[str]()),
}
_BINARY = {
    "PhraseDictionaryCompact", "PhraseDictionaryBinary", "PhraseDictionaryOnDisk", "ProbingPT",
    "PhraseDictionaryDynSuffixArray", "Mmsapt",
}  # fmt: skip
_LEAVE_OUT = "Remove it to decode without it"
_ONE_STEP = "Decode with Moses, or train a system on words alone, without factors and further steps"
_TEXT_TABLE = f"Use the text table that it was made from: {TABLE} path=phrase-table.gz"


@dataclass(frozen=True)
class MosesDecoder:
    """What a moses.ini says of a decoder and of its outputs.

    threads: None = it doesn't say
    segmentation: show source spans in translations; alignment: file of their word links
    search_graph: file of all that the search found
    list_segmentation, list_alignment: put phrases and word links in the n-best list
    hypergraphs: folder of the same with features
    ignored: its sections that change nothing here
    """

    config: DecoderConfig
    threads: int | None = None
    n_best: NBestFile | None = None
    segmentation: bool = False
    alignment: str | None = None
    search_graph: str | None = None
    list_segmentation: bool = False
    list_alignment: bool = False
    hypergraphs: HypergraphFiles | None = None
    ignored: tuple[str, ...] = ()


def read_moses_decoder(path: str | Path, *, needs_language_model: bool = True) -> MosesDecoder:
    """Read a moses.ini. needs_language_model: whether it must name one

    Paths in it are from the working folder, as Moses has them, or else from its own folder.

    Raises DataError with file and line for a section, a feature or an option of one that asks for
    what this decoder doesn't do, a value that can't be read, and a file that isn't there.
    """
    return _Reader(read_moses_ini(path), needs_language_model).decoder()


class _Reader:
    """Reads sections and features of a moses.ini."""

    def __init__(self, ini: MosesIni, needs_language_model: bool) -> None:
        self._ini, self._needs_language_model = ini, needs_language_model
        self._lines = {name: line for line, name in ini.sections()}
        self._features = list(ini.features())

    def error(self, seen: str, expected: str, line: int, remedy: str = "") -> DataError:
        return DataError(seen, expected, file=self._ini.path, line=line, remedy=remedy)

    def decoder(self) -> MosesDecoder:
        """All that it says, checked."""
        for name, line in self._lines.items():
            self._check_section(name, line)
        for feature in self._features:
            self._check_feature(feature)
        config = self._config()
        self._check_weights()
        return MosesDecoder(
            config,
            self._value("threads", thread_count, None),
            self._value("n-best-list", words_of(NBestFile.parse), None, joined=True),
            self._flag("report-segmentation"),
            self._value("alignment-output-file", str, None),
            self._value("output-search-graph", str, None),
            self._flag("include-segmentation-in-n-best"),
            self._flag("print-alignment-info-in-n-best"),
            self._value(
                "output-search-graph-hypergraph", words_of(HypergraphFiles.parse), None, joined=True
            ),
            tuple(name for name in self._lines if name in IGNORED),
        )

    def _config(self) -> DecoderConfig:
        tables, reordering = self._of_kind(TABLE), self._of_kind(REORDERING)
        models = self._of_kind(*LANGUAGE_MODELS)
        for found, kind in ((tables, TABLE), (models, "KENLM")):
            if not found:
                if kind == "KENLM" and not self._needs_language_model:
                    continue
                line = self._lines.get("feature", 1)
                raise self.error(
                    f"there is no {kind} below [feature]", f"{kind} path=...", line,
                    "Add the line; `isogloss decode` also takes --lm FILE" if kind == "KENLM"
                    else "Add the line",
                )  # fmt: skip
        if len(tables) > 1:
            raise self.error(
                f"there is a second {TABLE}", "one phrase table", tables[1].line,
                "Merge the tables into one with the scores of both",
            )  # fmt: skip
        return DecoderConfig(
            self._file(tables[0]),
            tuple(ModelFile(self._file(model), self._count(model, "order")) for model in models),
            tuple((self._model(feature), self._file(feature)) for feature in reordering),
            self._ini.path,
            self._settings(tables[0]),
            {usual: name for name, usual in usual_names(self._features).items()},
        )

    def _settings(self, table: MosesFeature) -> DecoderSettings:
        limit = self._count(table, "table-limit")
        if limit is None:
            limit = self._value("ttable-limit", whole, TABLE_LIMIT)
        threshold = self._value("beam-threshold", share, BEAM)
        cubes = self._value("search-algorithm", whole, 0) == 1
        try:
            return DecoderSettings(
                self._value("stack", whole, STACK_SIZE),
                self._value("distortion-limit", whole, DISTORTION_LIMIT),
                math.log(threshold) if threshold else 0.0,
                self._value("cube-pruning-pop-limit", whole, POP_LIMIT) if cubes else 0,
                table_limit=rule_limit(limit),
            )
        except UsageError as error:
            raise DataError(str(error), file=self._ini.path) from error

    def _of_kind(self, *kinds: str) -> list[MosesFeature]:
        return [feature for feature in self._features if feature.kind in kinds]

    def _value(
        self, section: str, parse: Callable[[str], T], default: T, *, joined: bool = False
    ) -> T:
        """The value that a section's first line is, as in Moses, or that all are together."""
        if section not in self._lines:
            return default
        lines = list(self._ini.section(section)) or [(self._lines[section], "")]
        number, text = lines[0]
        if joined:
            text = " ".join(line for _, line in lines)
        try:
            return parse(text)
        except ValueError as error:
            seen = repr(text) if text else "nothing"
            raise self.error(f"there is {seen} below [{section}]", str(error), number) from None

    def _warn_of_more(self, section: str) -> None:
        """Warn of lines after the one that counts."""
        lines = [] if section in LISTS | PARTS | IGNORED else list(self._ini.section(section))
        for number, text in lines:
            if text != lines[0][1]:
                self._warn_of(number, f"{text!r} below [{section}]", "only the first line counts")

    def _warn_of(self, line: int, what: str, why: str) -> None:
        """Warn of what Moses takes no notice of."""
        warn(f"{self._ini.path}, line {line}: {what} has no effect, because {why}, as in Moses")

    def _flag(self, section: str) -> bool:
        """Whether a section switches something on: an empty one does."""
        return self._value(section, switch, False)

    def _other(self, section: str) -> tuple[int, str] | None:
        """The first line of a section that asks for what this decoder doesn't do."""
        lines = list(self._ini.section(section))
        for place, (line, text) in enumerate(lines if section in PARTS else lines[:1]):
            if place or " ".join(split_tokens(text)) not in FIXED[section]:
                return line, text
        return None if lines else (self._lines[section], "")

    def _check_section(self, name: str, line: int) -> None:
        other = self._other(name) if name in FIXED else None
        if name in READ | IGNORED or (name in FIXED and other is None):
            self._warn_of_more(name)
            return
        if name in SHORT:
            why = f"only the full name [{SHORT[name]}] is read in a file"
            self._warn_of(line, f"the section [{name}]", why)
            return
        if name in BEFORE_2013:
            raise self.error(
                f"the section [{name}] is outdated", "a moses.ini with [feature]", line,
                "Write its models as lines of [feature]; this format is from before 2013",
            )  # fmt: skip
        if other is not None:
            filled = f"there is {other[1]!r} below [{name}]"
            only = " or ".join(FIXED[name]) + (" in one line" if name in PARTS else "")
            raise self.error(
                filled if other[1] else f"the section [{name}] is empty",
                f"{only}, the only value that this decoder supports",
                other[0], _ONE_STEP if name in PARTS and other[1] else _LEAVE_OUT,
            )  # fmt: skip
        raise self.error(
            f"this decoder does not support the section [{name}]",
            f"one of {', '.join(sorted(READ))}",
            line, _LEAVE_OUT,
        )  # fmt: skip

    def _check_feature(self, feature: MosesFeature) -> None:
        if feature.kind not in _OPTIONS:
            raise self.error(
                f"this decoder does not support the feature {feature.kind}",
                f"one of {', '.join(_OPTIONS)}", feature.line,
                _TEXT_TABLE if feature.kind in _BINARY else _LEAVE_OUT,
            )  # fmt: skip
        for key, value in feature.options.items():
            if key in _FACTORS and value != "0":
                raise self.error(
                    f"this decoder does not support {key}={value}",
                    f"{key}=0, the words alone",
                    feature.line,
                )
            if key not in _OPTIONS[feature.kind] | _HARMLESS | _FACTORS:
                raise self.error(
                    f"this decoder does not support {key}={value} of {feature.kind}",
                    f"no other keys than {', '.join(sorted(_OPTIONS[feature.kind]))}", feature.line,
                    _LEAVE_OUT,
                )  # fmt: skip
        for other in self._features:
            if other.line < feature.line and feature.name == other.name:
                seen = f"there is a second feature {feature.name} (first: line {other.line})"
                raise self.error(seen, "a different name for each feature: name=...", feature.line)
        if feature.kind in PENALTIES and self._of_kind(feature.kind)[0] is not feature:
            raise self.error(f"there is a second {feature.kind}", "one", feature.line, _LEAVE_OUT)

    def _check_weights(self) -> None:
        """Features and weights of the same names; an unknown word's penalty may have none."""
        weights, names = self._ini.dense(), {feature.name for feature in self._features}
        for feature in self._features:
            if feature.name not in weights and feature.kind != "UnknownWordPenalty":
                raise self.error(
                    f"{feature.kind} has no weights",
                    f"{feature.name}= and its weights below [weight]",
                    feature.line,
                )
        for name, given in weights.items():
            if name not in names:
                raise self.error(
                    f"there are weights for {name}, which is not a feature",
                    f"weights for {', '.join(sorted(names))}",
                    given.line,
                )

    def _count(self, feature: MosesFeature, key: str) -> int | None:
        """A whole number from 0 on that an option says, None where it says nothing."""
        text = feature.options.get(key)
        if text is None:
            return None
        if not is_whole(text):
            raise self.error(
                f"{key}={text} is not a number", f"a number, such as {key}=5", feature.line
            )
        return int(text)

    def _model(self, feature: MosesFeature) -> ReorderingModel:
        try:
            model = ReorderingModel.parse(feature.options.get("type", ""))
        except UsageError as error:
            raise self.error(str(error), "", feature.line) from error
        size = self._count(feature, "num-features")
        if size not in (None, len(model.feature_names)):
            raise self.error(
                f"the model {model} has num-features={size}",
                f"num-features={len(model.feature_names)}",
                feature.line,
            )
        return model

    def _file(self, feature: MosesFeature) -> Path:
        """The file of a feature; as Moses does, one whose name goes on with .gz is taken, too."""
        text = feature.options.get("path", "")
        for folder in (Path(), self._ini.path.parent):
            for path in (folder / text, folder / f"{text}.gz"):
                with suppress(OSError, ValueError):  # too long for a name, a NUL in it
                    if text and path.exists():
                        self._check_plain(feature, path)
                        return path
        raise self.error(
            f"the file of path={text} does not exist", f"the file of {feature.name}", feature.line,
            "Paths are relative to the working folder or to the folder of the moses.ini",
        )  # fmt: skip

    def _check_plain(self, feature: MosesFeature, path: Path) -> None:
        """Raise DataError for a pipe or a device, which may be without an end."""
        if not (path.is_file() or path.is_dir()):
            raise self.error(
                f"path={feature.options['path']} is a pipe or device", "a regular file",
                feature.line,
                "Write its content to a file, and use the path of that file",
            )  # fmt: skip


def rule_limit(limit: int) -> int:
    """A limit of rules as Moses takes it, 0 for all. Raises OptionError for one below."""
    if limit < 0:
        raise OptionError("table_limit", "at least 1, or 0 for all", limit)
    return limit or MAX_RULES
