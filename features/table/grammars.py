"""Tables of other decoders: cdec's and Joshua's grammars, Phrasal's phrase tables.

Grammars have lines ``[X] ||| source ||| target ||| features ||| i-j links``; nonterminals such as
``[X,1]`` are words like others. Features without an underscore are dense: each rule has them, and
they become scores by the rule of :class:`Cdec` or :class:`Joshua`. Those with one are sparse, as in
Moses, and keep their values. A left-hand side other than ``[X]`` becomes a property
``{{LHS [NP]}}``, a tree of cdec ``{{TreeFragment ...}}``.
"""

import re
from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from isogloss.align.errors import UsageError

from ..space import is_sparse
from .columns import (
    RuleFault,
    check_phrases,
    count_rows,
    line_columns,
    link_rows,
    number_rows,
    sparse_rows,
    with_blank,
)
from .formats import (
    MOSES,
    SCALES,
    MosesFormat,
    RuleColumns,
    RuleTexts,
    Scale,
    TableFormat,
    scale_named,
)

__all__ = ["TABLE_FORMATS", "Cdec", "Grammar", "Joshua", "Phrasal", "table_format"]

_LABEL = "[X]"  # the left-hand side that needs no mention
_PROPERTY = re.compile(r"\{\{(LHS|TreeFragment) ((?:(?!\{\{(?:LHS|TreeFragment) |\}\}).)*)\}\}")
_FEATURES = "NAME=value ..., an underscore in the name of each sparse feature"


class Grammar(TableFormat):
    """What grammars of cdec and Joshua have in common."""

    source_field = 1
    unlabeled: str | None  # name of a value without one, before its number; None = the sidecar's

    @property
    @abstractmethod
    def line_format(self) -> str:
        """What a line looks like, for messages."""

    @abstractmethod
    def score_scale(self, name: str) -> Scale:
        """How the value of a dense feature stands for its score."""

    @abstractmethod
    def score_name(self, shown: str) -> str:
        """Name of the score of a dense feature that is called ``shown`` in the file."""

    def feature_name(self, shown: str) -> str:
        """Name of a sparse feature that is called ``shown`` in the file."""
        return shown

    def parse(self, lines: Sequence[str]) -> RuleColumns:
        """Parse lines."""
        columns = line_columns(lines, 4, 6, self.line_format)
        labels, source, target, features, links, last = columns
        check_phrases((labels, source, target), self.line_format)
        names, dense, sparse = self._split_features(features)
        numbers = number_rows(dense, self.line_format)
        scores = np.empty_like(numbers)
        for column in range(numbers.shape[1]):
            values = numbers[:, column : column + 1]
            scale = self.score_scale(names[column] if names else "")
            scale.check(values)
            scores[:, column : column + 1] = scale.scores(values)
        rows, sparse_names = sparse_rows(sparse, _entries, _FEATURES)
        properties, counts = self._last_field(labels, last)
        return RuleColumns(
            source,
            target,
            scores,
            link_rows(links),
            count_rows(counts),
            rows,
            tuple(map(self.feature_name, sparse_names)),
            tuple(names) or None,
            properties if any(properties) else None,
            labels,
        )

    def original(self, lines: Sequence[str], score_names: tuple[str, ...]) -> RuleTexts:
        """The fields as they stand."""
        columns = line_columns(lines, 4, 6, self.line_format)
        labels, source, target, features, links, last = columns
        _, dense, sparse = self._split_features(features)
        tokens = " ".join(dense).split(" ")
        width = len(score_names)
        properties, counts = self._last_field(labels, last)
        each = [tokens[k::width] for k in range(width)]
        return RuleTexts(source, target, score_names, each, links, counts, sparse, properties)

    def _split_features(self, texts: Sequence[str]) -> tuple[list[str], list[str], list[str]]:
        """Names of the dense features ([] = they have none), their values, the sparse features."""
        names: list[str] = []
        rows = ([], [])  # type: tuple[list[str], list[str]]
        for row, text in enumerate(texts):
            dense, sparse = self._one_rule(text)
            present = [] if self.unlabeled is None and "" in dense else list(dense)
            if not row:
                names = present
            elif names != present:
                if sorted(names) != sorted(present):
                    raise RuleFault(
                        row,
                        f"the dense features are {', '.join(present)[:120] or 'unnamed'}",
                        f"{', '.join(names)[:120] or 'no names'}, as in previous lines: every rule "
                        "must have all dense features",
                        "Sparse features need an underscore in their names",
                    )
                dense = {name: dense[name] for name in names}
            rows[0].append(" ".join(dense.values()))
            rows[1].append(" ".join(sparse))
        return names, *rows

    def _one_rule(self, text: str) -> tuple[dict[str, str], list[str]]:
        """Dense values by name and sparse features; values without a name follow each other."""
        dense: dict[str, str] = {}
        sparse = []
        bare = []
        for token in text.split(" ") if text else ():
            shown, equals, value = token.partition("=")
            name = self.score_name(shown)
            if not equals:
                bare.append(token)
            elif is_sparse(name):
                sparse.append(token)
            else:
                dense[name] = value
        if bare and self.unlabeled is None:
            dense = {"": " ".join([*bare, *dense.values()])}
        elif bare:
            dense = {f"{self.unlabeled}{k}": value for k, value in enumerate(bare)} | dense
        return dense, sparse

    @abstractmethod
    def _last_field(
        self, labels: Sequence[str], last: Sequence[str]
    ) -> tuple[Sequence[str], Sequence[str]]:
        """Properties and counts of rules, from their labels and their sixth field."""

    def score_texts(self, name: str, scores: NDArray[np.float64]) -> list[str]:
        """A column of scores as text, in the scale of its feature.

        scores: float64[n]
        """
        return self.score_scale(name).texts(scores)

    def sparse_entry(self, name: str, value: float) -> str:
        """``NAME=value``."""
        return f"{name.replace('=', '%3D')}={value:g}"

    def _joined(self, texts: RuleTexts, shown: Sequence[str], last: Sequence[str]) -> Iterator[str]:
        """Lines; ``shown`` stands before each score, ``last`` is the sixth field."""
        labels = [_property(text, "LHS") or _LABEL for text in texts.properties]
        scores = zip(*([name + value for value in column]
                       for name, column in zip(shown, texts.scores, strict=True)),
                     strict=True)  # fmt: skip
        columns = (labels, texts.source, texts.target, scores, with_blank(texts.sparse))
        for label, source, target, dense, sparse, links, end in zip(
            *columns, with_blank(texts.links), last, strict=True
        ):
            rest = f"{sparse} |||{links}" + (f" ||| {end}" if end else "")
            yield f"{label} ||| {source} ||| {target} ||| {' '.join(dense)}{rest}"


def _entries(text: str) -> Iterator[tuple[str, str]]:
    for token in text.split(" "):
        name, _, value = token.partition("=")
        if not value:
            raise ValueError(token)
        yield name, value


def _property(text: str, key: str) -> str:
    if not text:
        return ""
    return next((value for name, value in _PROPERTY.findall(text) if name == key), "")


# cdec's extractor gives probabilities as -log10 and counts as log10(1 + n)
_CDEC_SCALES = {
    **dict.fromkeys(
        (
            "p(f|e)", "lex(f|e)", "p(e|f)", "lex(e|f)",
            "EgivenFCoherent", "CoherenceProb", "MaxLexEgivenF", "MaxLexFgivenE",
        ),
        SCALES["-log10"],
    ),
    "SampleCountF": SCALES["log10"],
    "CountEF": SCALES["log10"],
}  # fmt: skip
_CDEC_NAMES = {
    "FgivenE": "p(f|e)", "LexFgivenE": "lex(f|e)", "EgivenF": "p(e|f)", "LexEgivenF": "lex(e|f)",
}  # fmt: skip
_CDEC_SHOWN = {name: shown for shown, name in _CDEC_NAMES.items()}


@dataclass(frozen=True)
class Cdec(Grammar):
    """Grammars of cdec.

    Values of Moses' four (FgivenE, LexFgivenE, EgivenF, LexEgivenF) and of the probabilities of
    cdec's extractor are -log10 of the score, its counts are log10, and all else is ln: the score of
    IsSingletonF=1 is e, as in Moses' tables, and a decoder's feature has the file's value. A value
    without a name is called PhraseModel.0, PhraseModel.1 ... (cdec says PhraseModel_0).

    scale: for all features; None = as above
    """

    scale: Scale | None = None

    name = "cdec"
    unlabeled = "PhraseModel."
    line_format = "[X] ||| source ||| target ||| NAME=value ... ||| i-j links ||| tree"

    def score_scale(self, name: str) -> Scale:
        """The scale of a feature, by its name; see the class."""
        return self.scale or _CDEC_SCALES.get(name, SCALES["log"])

    def score_name(self, shown: str) -> str:
        """Moses' names for the four scores that have one, else the name in the file."""
        if shown.startswith("PhraseModel_") and shown[12:].isdecimal():
            return f"PhraseModel.{shown[12:]}"
        return _CDEC_NAMES.get(shown, shown)

    def feature_name(self, shown: str) -> str:
        """The name with its semicolons, which cdec separates features by, unescaped."""
        return shown.replace("%3B", ";")

    def _split_features(self, texts: Sequence[str]) -> tuple[list[str], list[str], list[str]]:
        return super()._split_features([" ".join(text.replace(";", " ").split()) for text in texts])

    def _last_field(
        self, labels: Sequence[str], last: Sequence[str]
    ) -> tuple[Sequence[str], Sequence[str]]:
        trees = (f"{{{{TreeFragment {tree}}}}}" if tree else "" for tree in last)
        pairs = zip(map(_label_property, labels), trees, strict=True)
        return [" ".join(filter(None, pair)) for pair in pairs], [""] * len(labels)

    def sparse_entry(self, name: str, value: float) -> str:
        """``NAME=value``."""
        return super().sparse_entry(name.replace(";", "%3B"), value)

    def join(self, texts: RuleTexts) -> Iterator[str]:
        """The lines; cdec's have no field for counts."""
        shown = [
            f"{_CDEC_SHOWN.get(name, name).replace('PhraseModel.', 'PhraseModel_')}="
            for name in texts.score_names
        ]
        return self._joined(
            texts, shown, [_property(text, "TreeFragment") for text in texts.properties]
        )


def _label_property(label: str) -> str:
    return "" if label == _LABEL else f"{{{{LHS {label}}}}}"


@dataclass(frozen=True)
class Joshua(Grammar):
    """Grammars of Joshua; behind the links may stand counts, as where a Moses table was converted.

    Dense values are -ln of the score, with names or without. They are written without, as Joshua
    takes the negative of those, which is ln of the score again; the sidecar has the names.
    """

    scale: Scale = field(default=SCALES["-log"])

    name = "joshua"
    unlabeled = None
    line_format = "[X] ||| source ||| target ||| scores, or NAME=value ... ||| i-j links ||| counts"

    def score_scale(self, name: str) -> Scale:
        """The same scale for all features."""
        return self.scale

    def score_name(self, shown: str) -> str:
        """The name in the file."""
        return shown

    def _last_field(
        self, labels: Sequence[str], last: Sequence[str]
    ) -> tuple[Sequence[str], Sequence[str]]:
        return [_label_property(label) for label in labels], last

    def join(self, texts: RuleTexts) -> Iterator[str]:
        """The lines, with counts where there are any."""
        return self._joined(texts, [""] * len(texts.scores), texts.counts)


_PHRASAL_LINE = "source ||| target ||| (links of each source word) ... ||| (...) ... ||| scores"


@dataclass(frozen=True)
class Phrasal(MosesFormat):
    """Phrase tables of Phrasal: ``(1,2)`` lists the target positions of a source word.

    Scores are natural logarithms. There are no fields for counts, sparse features and properties.
    """

    scale: Scale = field(default=SCALES["log"])

    name = "phrasal"

    def _moses_lines(self, lines: Sequence[str]) -> list[str]:
        """The same rules in Moses' format, the links of source words as i-j."""
        columns = line_columns(lines, 5, 5, _PHRASAL_LINE)
        source, target, links, reverse, scores = columns
        forward = _by_words(links, source)
        backward = _by_words(reverse, target)
        for row, (links_of_source, links_of_target) in enumerate(
            zip(forward, backward, strict=True)
        ):
            if sorted(links_of_source) != sorted((j, i) for i, j in links_of_target):
                raise RuleFault(row, f"links {links[row]} and {reverse[row]} differ", "equal links")
        # in Moses' order, by target word
        ordered = (sorted((i, j) for j, i in pairs) for pairs in forward)
        shown = (" ".join(f"{j}-{i}" for i, j in pairs) for pairs in ordered)
        return [
            f"{f} ||| {e} ||| {values} ||| {pairs} |||"
            for f, e, values, pairs in zip(source, target, scores, shown, strict=True)
        ]

    def parse(self, lines: Sequence[str]) -> RuleColumns:
        """Parse lines."""
        return super().parse(self._moses_lines(lines))

    def original(self, lines: Sequence[str], score_names: tuple[str, ...]) -> RuleTexts:
        """The fields as they stand, links as i-j."""
        return super().original(self._moses_lines(lines), score_names)

    def join(self, texts: RuleTexts) -> Iterator[str]:
        """The lines, as Phrasal reads them."""
        if any(texts.sparse):
            raise UsageError("Phrasal tables cannot contain sparse features; choose another format")
        scores = zip(*texts.scores, strict=True)
        columns = (texts.source, texts.target, texts.links, scores)
        for source, target, links, dense in zip(*columns, strict=True):
            pairs = [tuple(map(int, link.split("-"))) for link in links.split(" ") if link]
            forward = _listed(((j, i) for j, i in pairs), source.count(" ") + 1)
            backward = _listed(((i, j) for j, i in pairs), target.count(" ") + 1)
            yield f"{source} ||| {target} ||| {forward} ||| {backward} ||| {' '.join(dense)}"


_WORD_LINKS = re.compile(r"\((?:\d{1,7}(?:,\d{1,7})*)?\)", re.ASCII)


def _by_words(texts: Sequence[str], phrases: Sequence[str]) -> list[list[tuple[int, int]]]:
    """(position, linked position) of each text ``() (0) (1,2)``, one bracket per word."""
    result = []
    for row, (text, phrase) in enumerate(zip(texts, phrases, strict=True)):
        words = text.split(" ")
        if len(words) != phrase.count(" ") + 1 or not all(map(_WORD_LINKS.fullmatch, words)):
            seen = f"the links {text[:120]!r} are malformed"
            raise RuleFault(row, seen, f"one bracket per word: {_PHRASAL_LINE}")
        each = enumerate(words)
        result.append([(k, int(n)) for k, word in each for n in word[1:-1].split(",") if n])
    return result


def _listed(pairs: Iterator[tuple[int, int]], size: int) -> str:
    words: list[list[str]] = [[] for _ in range(size)]
    for position, other in sorted(pairs):
        words[position].append(str(other))
    return " ".join(f"({','.join(word)})" for word in words)


TABLE_FORMATS: Mapping[str, TableFormat] = {
    format.name: format for format in (MOSES, Cdec(), Joshua(), Phrasal())
}


def table_format(name: str, scale: str | None = None) -> TableFormat:
    """A format of :data:`TABLE_FORMATS`; ``scale`` says what its numbers are of the scores.

    Raises UsageError for a format or a scale that is not known.
    """
    if name not in TABLE_FORMATS:
        raise UsageError(f"unknown format {name!r}; expected one of {', '.join(TABLE_FORMATS)}")
    format = TABLE_FORMATS[name]
    return format if scale is None else replace(format, scale=scale_named(scale))  # type: ignore[type-var]
