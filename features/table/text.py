"""Lines of a table as columns, and columns as lines: fields, numbers, links; Moses' form.

A form of tables (:class:`TableForm`) takes lines apart into :class:`RuleColumns` and puts lines
together from :class:`RuleTexts`; the other forms are in :mod:`features.table.grammars`. Lines are
taken by the thousand: split once, numbers converted together, and gone through one by one only
where something is wrong, to say which line it is.
"""

import math
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from align.errors import UsageError
from align.files.text_io import split_fields, split_tokens
from align.sparse_rows import Ragged

from ..space import is_sparse

__all__ = [
    "MOSES",
    "SCALES",
    "MosesForm",
    "RuleColumns",
    "RuleFault",
    "RuleTexts",
    "Scale",
    "TableForm",
    "check_phrases",
    "count_rows",
    "entry_texts",
    "format_numbers",
    "line_columns",
    "link_rows",
    "number_rows",
    "scale_named",
    "sparse_rows",
    "split_lines",
    "to_columns",
    "with_blank",
]

BAR = " ||| "
LOG_FLOOR = -100.0  # what Moses and this decoder take for the logarithm of 0
_SMALLEST = math.exp(LOG_FLOOR)
_LARGEST_LOG = 700.0  # a double holds e^700
_WIDEST = 256  # target positions of a link in a rule: id = source * 256 + target
_LINKS = re.compile(r"(?:\d{1,7}-\d{1,7}(?: (?!$)|$))*", re.ASCII)


class RuleFault(Exception):
    """A rule that can't be read; who knows the file and its lines makes a DataError of it.

    row: of the lines that were given; seen, expected, remedy: as in DataError
    """

    def __init__(self, row: int, seen: str, expected: str, remedy: str = "") -> None:
        super().__init__(seen)
        self.row, self.seen, self.expected, self.remedy = row, seen, expected, remedy


@dataclass(frozen=True)
class RuleColumns:
    """Rules as they were read, n of them.

    source, target: str[n], phrases, a blank between words
    scores: float64[n, num_scores], probabilities or what else decoders take the logarithm of
    links: phrase-internal links; id = source position * 256 + target position
    counts: float64[n, 3], c(e), c(f), c(f, e); 0 where not given
    sparse: sparse features, ids into ``sparse_names``
    score_names: names that stand in the lines; None where they don't
    properties: str[n], what stands behind the sparse features; None where nothing does
    labels: str[n], left-hand sides that tell equal rules apart; None where there are none
    """

    source: Sequence[str]
    target: Sequence[str]
    scores: NDArray[np.float64]
    links: Ragged
    counts: NDArray[np.float64]
    sparse: Ragged
    sparse_names: tuple[str, ...]
    score_names: tuple[str, ...] | None = None
    properties: Sequence[str] | None = None
    labels: Sequence[str] | None = None


@dataclass(frozen=True)
class RuleTexts:
    """The fields of n rules as text.

    source, target, links, counts, sparse, properties: str[n]; links are ``i-j ...``, sparse
        features are entries of the form
    scores: str[num_scores][n], a column per name in ``score_names``
    """

    source: Sequence[str]
    target: Sequence[str]
    score_names: tuple[str, ...]
    scores: Sequence[Sequence[str]]
    links: Sequence[str]
    counts: Sequence[str]
    sparse: Sequence[str]
    properties: Sequence[str]


@dataclass(frozen=True)
class Scale:
    """How a number in a file stands for a score: as itself, or as its logarithm times ``factor``.

    factor: 0.0 = the score itself; else the number is ``factor * ln(score)``
    """

    factor: float = 0.0

    def scores(self, numbers: NDArray[np.float64]) -> NDArray[np.float64]:
        """Scores of numbers; logarithms below -700 are taken for -700."""
        if not self.factor:
            return numbers
        return np.asarray(np.exp(np.maximum(numbers / self.factor, -_LARGEST_LOG)))

    def numbers(self, scores: NDArray[np.float64]) -> NDArray[np.float64]:
        """Numbers that stand for scores; 0 is taken for e^-100, as decoders do."""
        floored = np.where(scores == 0.0, _SMALLEST, scores)
        return floored if not self.factor else np.asarray(self.factor * np.log(floored))

    def texts(self, scores: NDArray[np.float64]) -> list[str]:
        """Scores as text: six significant digits, as Moses prints; of logarithms ten.

        So the six digits of a score can be had back from its logarithm.
        """
        if not self.factor:
            return format_numbers(self.numbers(scores))
        return list(map("{:.10g}".format, self.numbers(scores).tolist()))

    def check(self, numbers: NDArray[np.float64]) -> None:
        """Raise RuleFault for the first row of numbers (float64[n, k]) that stands for no score."""
        bad = numbers <= 0.0 if not self.factor else numbers / self.factor > _LARGEST_LOG
        if bad.any():
            row, column = np.argwhere(bad)[0].tolist()
            if self.factor:
                raise RuleFault(
                    row, f"score {numbers[row, column]:g}", f"logarithms up to {_LARGEST_LOG:g}"
                )
            raise RuleFault(
                row,
                f"score {numbers[row, column]:g}",
                "a probability, or another score above 0: decoders take its logarithm",
                "Where the scores are logarithms themselves, say so with --scale log",
            )


SCALES = {
    "probability": Scale(),
    "log": Scale(1.0),
    "-log": Scale(-1.0),
    "log10": Scale(1.0 / math.log(10.0)),
    "-log10": Scale(-1.0 / math.log(10.0)),
}


class TableForm(ABC):
    """A form of table files."""

    name: str
    source_field: int  # which field holds the source phrase

    @abstractmethod
    def parse(self, lines: Sequence[str]) -> RuleColumns:
        """Take lines apart. Raises RuleFault for the first line that is not of the form."""

    @abstractmethod
    def original(self, lines: Sequence[str], score_names: tuple[str, ...]) -> RuleTexts:
        """The fields, as they stand, of lines that :meth:`parse` took with these scores."""

    @abstractmethod
    def score_texts(self, name: str, scores: NDArray[np.float64]) -> list[str]:
        """A column of scores as the form shows it."""

    @abstractmethod
    def sparse_entry(self, name: str, value: float) -> str:
        """A sparse feature."""

    @abstractmethod
    def join(self, texts: RuleTexts) -> Iterator[str]:
        """Put lines together."""

    def source(self, line: str) -> str:
        """The source phrase of a line, for lines of the same file to be compared by it."""
        place = self.source_field
        fields = line.split(BAR, place + 1)
        if "\t" in line or len(fields) < place + 2:
            fields = split_fields(line.replace("\t", " "))
        text = fields[place] if len(fields) > place else ""
        return " ".join(split_tokens(text)) if "  " in text or text[:1] == " " else text


def line_columns(
    lines: Sequence[str], least: int, most: int, form: str, verbatim: int = 99
) -> list[Sequence[str]]:
    """Fields of lines as columns, ``most`` of them, one blank between words.

    Fields that a line lacks at its end are empty. ``verbatim`` is the first field whose blanks are
    kept.

    Raises RuleFault for a line with fewer than ``least`` fields, or more that are not empty.
    """
    flat = _flat_fields(lines)
    if flat is not None:
        size = flat.index("\n")
        ends = flat[size :: size + 1]
        if least <= size <= most and len(ends) == len(lines) == ends.count("\n"):
            empty = [""] * len(lines)
            return [flat[k :: size + 1] if k < size else empty for k in range(most)]
    return list(to_columns(split_lines(lines, verbatim), least, most, form))


def _flat_fields(lines: Sequence[str]) -> list[str] | None:
    """The fields of all lines, a line feed as a field behind each line's; split at once.

    Empty fields at the end of a line may be left out. None where blanks are not single, or bars
    stand at words.
    """
    text = "\n".join(["", *lines, ""])
    if "  " in text or "\t" in text or "\n " in text or " \n" in text:
        return None
    text = text.replace(" ||| |||\n", "\n").replace(" |||\n", "\n")
    while "||| |||" in text:  # an empty field: both of its bars get blanks of their own
        text = text.replace("||| |||", "|||  |||")
    flat = text[1:].replace("\n", f"{BAR}\n{BAR}").split(BAR)[:-1]
    return flat if text.count("|||") == len(flat) - 2 * len(lines) else None


def split_lines(lines: Sequence[str], verbatim: int = 99) -> list[list[str]]:
    """Fields of each line, one blank between words; a last empty field may be missing.

    ``verbatim`` is the first field whose blanks are kept.
    """
    flat = _flat_fields(lines)
    if flat is not None:
        ends = [-1, *(place for place, field in enumerate(flat) if field == "\n")]
        return [flat[begin + 1 : end] for begin, end in pairwise(ends)]
    return [
        [
            field if number >= verbatim else " ".join(split_tokens(field))
            for number, field in enumerate(split_fields(line.replace("\t", " ")))
        ]
        for line in lines
    ]


def to_columns(fields: list[list[str]], least: int, most: int, form: str) -> list[tuple[str, ...]]:
    """One column per field, as :func:`line_columns` gives them.

    Raises RuleFault as it does.
    """
    for row, line in enumerate(fields):
        while len(line) > most and not line[-1]:
            line.pop()
        if not least <= len(line) <= most:
            raise RuleFault(
                row,
                f"{len(line)} field{'s' * (len(line) != 1)} in {BAR.join(line)[:120]!r}",
                form,
                "Is there a ||| inside of a phrase? Write &#124; for each of its bars"
                if len(line) > most
                else "",
            )
    return list(zip(*(line + [""] * (most - len(line)) for line in fields), strict=True))


def check_phrases(sides: Sequence[Sequence[str]], form: str) -> None:
    """Raise RuleFault where a side holds an empty phrase."""
    for side in sides:
        if "" in side:
            raise RuleFault(side.index(""), "an empty phrase", form)


def _numbers(text: str) -> list[float]:
    """Numbers of a field. Raises ValueError with the one that is wrong."""
    values = []
    for token in text.split(" ") if text else []:
        try:
            values.append(float(token))
        except ValueError:
            raise ValueError(token) from None
        if not (math.isfinite(values[-1]) and token.isascii() and "_" not in token):
            raise ValueError(token)
    return values


def _even_numbers(texts: Sequence[str]) -> NDArray[np.float64] | None:
    """The numbers of texts that all hold the same number of finite ones: float64[n, k]."""
    width = texts[0].count(" ") + 1
    joined = " \n ".join(texts)
    if not joined.isascii() or "_" in joined:
        return None
    tokens = joined.split(" ")
    ends = tokens[width :: width + 1]
    if len(tokens) != (width + 1) * len(texts) - 1 or ends.count("\n") != len(ends):
        return None
    del tokens[width :: width + 1]
    try:
        values = np.fromiter(map(float, tokens), np.float64, len(tokens))
    except ValueError:
        return None
    return values.reshape(len(texts), width) if np.isfinite(values).all() else None


def number_rows(texts: Sequence[str], form: str) -> NDArray[np.float64]:
    """The numbers of each text: float64[n, k], the same k for all.

    Raises RuleFault for a text without numbers or with more or fewer than the first, and for what
    is no finite number.
    """
    values = _even_numbers(texts)
    if values is not None:
        return values
    width = texts[0].count(" ") + 1
    for row, text in enumerate(texts):
        try:
            number = len(_numbers(text))
        except ValueError as error:
            raise RuleFault(
                row,
                f"{str(error)!r} among the scores {text[:120]!r}",
                f"finite numbers there: {form}",
                "Is there a ||| inside of a phrase? Write &#124; for each of its bars",
            ) from None
        if not text or number != width:
            raise RuleFault(
                row,
                f"{number} scores",
                f"{width} as in the lines before" if row else f"scores there: {form}",
            )
    raise AssertionError("a fault that no row has")


def _distinct(texts: Sequence[str]) -> tuple[list[str], NDArray[np.int64]]:
    """The distinct texts, and the number of each text among them: int64[n]."""
    distinct = list(dict.fromkeys(texts))
    number = {text: k for k, text in enumerate(distinct)}
    return distinct, np.fromiter(map(number.__getitem__, texts), np.int64, len(texts))


def _by_text(
    texts: Sequence[str],
    read: Callable[[str], Iterable[tuple[int, float]]],
    seen: str,
    expected: str,
) -> Ragged:
    """Rows that ``read`` makes of texts, of equal ones once.

    Raises RuleFault where ``read`` raises ValueError.
    """
    distinct, numbers = _distinct(texts)
    rows = []
    for number, text in enumerate(distinct):
        try:
            rows.append(read(text))
        except ValueError as error:
            raise RuleFault(
                int(np.argmax(numbers == number)), f"{seen} {str(error) or text[:120]!r}", expected
            ) from None
    if len(distinct) == len(texts):
        return Ragged.from_rows(rows)
    return Ragged.from_rows(rows).select(numbers)


def _links_of(text: str) -> list[tuple[int, float]]:
    if not _LINKS.fullmatch(text):
        raise ValueError
    places = list(map(int, text.replace("-", " ").split()))
    pairs = list(zip(places[::2], places[1::2], strict=True))
    if any(right >= _WIDEST for _, right in pairs):
        raise ValueError
    return [(left * _WIDEST + right, 1.0) for left, right in pairs]


def link_rows(texts: Sequence[str]) -> Ragged:
    """Links of fields ``i-j ...``. Raises RuleFault for another form."""
    return _by_text(texts, _links_of, "links", "i-j ..., positions in source and target, from 0")


def sparse_rows(
    texts: Sequence[str], entries: Callable[[str], Iterable[tuple[str, str]]], expected: str
) -> tuple[Ragged, tuple[str, ...]]:
    """Sparse features of fields, and their names; ``entries`` gives name and value.

    Raises RuleFault for what is no finite number, and for a name without an underscore.
    """
    numbers: dict[str, int] = {}

    def read(text: str) -> list[tuple[int, float]]:
        row = []
        for name, value in entries(text) if text else ():
            if not is_sparse(name):
                raise ValueError(f"{name!r}, which has no underscore")
            row.append((numbers.setdefault(name, len(numbers)), _numbers(value)[0]))
        return row

    return _by_text(texts, read, "sparse feature", expected), tuple(numbers)


def count_rows(texts: Sequence[str]) -> NDArray[np.float64]:
    """Up to three counts per field: float64[n, 3], 0 where there are fewer.

    Raises RuleFault for what is no finite number.
    """
    even = _even_numbers(texts)
    if even is not None and even.shape[1] == 3:
        return even
    distinct, numbers = _distinct(texts)
    table = np.zeros((len(distinct), 3))
    for number, text in enumerate(distinct):
        try:
            values = _numbers(text)[:3]
        except ValueError:
            raise RuleFault(
                int(np.argmax(numbers == number)), f"counts {text[:120]!r}", "finite numbers"
            ) from None
        table[number, : len(values)] = values
    return np.asarray(table[numbers])


def format_numbers(values: NDArray[np.float64]) -> list[str]:
    """Six significant digits each, as Moses prints."""
    return list(map("{:.6g}".format, values.tolist()))


_MOSES_FORM = (
    "source ||| target ||| scores ||| i-j links ||| counts ||| NAME value ... ||| {{properties}}"
)


def _moses_entries(text: str) -> Iterator[tuple[str, str]]:
    tokens = text.split(" ")
    if len(tokens) % 2:
        raise ValueError
    return zip(tokens[::2], tokens[1::2], strict=True)


@dataclass(frozen=True)
class MosesForm(TableForm):
    """Moses' phrase tables; links and all behind them may be missing.

    A score is a probability or another number above 0 whose logarithm decoders take, as indicators
    are (1 and 2.718). With another ``scale`` the numbers in the file are logarithms.
    """

    scale: Scale = SCALES["probability"]

    name = "moses"
    source_field = 0

    def parse(self, lines: Sequence[str]) -> RuleColumns:
        """Take lines apart; the properties keep their blanks."""
        columns = line_columns(lines, 3, 7, _MOSES_FORM, verbatim=6)
        source, target, scores, links, counts, sparse, properties = columns
        check_phrases((source, target), _MOSES_FORM)
        numbers = number_rows(scores, _MOSES_FORM)
        self.scale.check(numbers)
        rows, names = sparse_rows(
            sparse, _moses_entries, "NAME value ..., an underscore in each name"
        )
        return RuleColumns(
            source,
            target,
            self.scale.scores(numbers),
            link_rows(links),
            count_rows(counts),
            rows,
            names,
            properties=properties if any(properties) else None,
        )

    def original(self, lines: Sequence[str], score_names: tuple[str, ...]) -> RuleTexts:
        """The fields as they stand."""
        columns = line_columns(lines, 3, 7, _MOSES_FORM, verbatim=6)
        source, target, scores, links, counts, sparse, properties = columns
        width = scores[0].count(" ") + 1
        tokens = " ".join(scores).split(" ")
        each = [tokens[k::width] for k in range(width)]
        return RuleTexts(source, target, score_names, each, links, counts, sparse, properties)

    def score_texts(self, name: str, scores: NDArray[np.float64]) -> list[str]:
        """As the scale says."""
        return self.scale.texts(scores)

    def sparse_entry(self, name: str, value: float) -> str:
        """``NAME value``."""
        return f"{name} {value:g}"

    def join(self, texts: RuleTexts) -> Iterator[str]:
        """Lines as Moses writes them."""
        fields = (texts.links, texts.counts, texts.sparse, texts.properties)
        columns = (texts.source, texts.target, zip(*texts.scores, strict=True))
        for source, target, scores, links, counts, sparse, properties in zip(
            *columns, *map(with_blank, fields), strict=True
        ):
            yield (
                f"{source} ||| {target} ||| {' '.join(scores)} |||{links} |||{counts} |||"
                f"{sparse} |||{properties}"
            )


def with_blank(texts: Sequence[str]) -> list[str]:
    """A blank before each text that is not empty, so that empty fields take one blank only."""
    return [f" {text}" if text else "" for text in texts]


def entry_texts(rows: Ragged, show: Callable[[int, float], str]) -> list[str]:
    """The entries of each row as text, a blank between them."""
    if not len(rows.ids):
        return [""] * len(rows)
    shown = list(map(show, rows.ids.tolist(), rows.values.tolist()))
    bounds = rows.offsets.tolist()
    return [" ".join(shown[begin:end]) for begin, end in pairwise(bounds)]


MOSES = MosesForm()


def scale_named(name: str) -> Scale:
    """A scale of :data:`SCALES`. Raises UsageError for another name."""
    if name not in SCALES:
        raise UsageError(f"scale {name!r}; expected one of {', '.join(SCALES)}")
    return SCALES[name]
