"""PhraseTable: rules sorted by source phrase; Moses text in and out."""

import json
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice, pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from align.corpus import Corpus
from align.errors import DataError, UsageError
from align.readers import raw_lines, read_lines, split_fields, split_tokens
from align.writers import write_described

from .ragged import Ragged

__all__ = [
    "MOSES_SCORES",
    "PhraseTable",
    "columns_file",
    "phrase_texts",
    "phrases_of",
    "read_phrase_table",
    "restrict_features",
    "select_rules",
    "write_phrase_table",
]

# the order of Moses' phrase table
MOSES_SCORES = ("p(f|e)", "lex(f|e)", "p(e|f)", "lex(e|f)")
BAR = " ||| "
_BLOCK = 1 << 16  # rules formatted at a time; bounds memory


@dataclass(frozen=True)
class PhraseTable:
    """Translation rules.

    source, target: the distinct phrases of each side, as corpora
    rule_source, rule_target: int32[num_rules], phrase numbers; rules stand in the byte order of
        ``source ||| target |||`` (the C locale's), so equal sources are neighbours
    scores: float64[num_rules, num_scores], as in the file: probabilities, not logarithms
    score_names: their names
    links: phrase-internal links; id = source position * 256 + target position
    counts: float64[num_rules, 3], c(e), c(f), c(f, e)
    sparse: sparse features, ids into sparse_names
    """

    source: Corpus
    target: Corpus
    rule_source: NDArray[np.int32]
    rule_target: NDArray[np.int32]
    scores: NDArray[np.float64]
    score_names: tuple[str, ...]
    links: Ragged
    counts: NDArray[np.float64]
    sparse: Ragged
    sparse_names: tuple[str, ...]

    def __post_init__(self) -> None:
        num_rules = len(self.rule_source)
        if self.scores.shape != (num_rules, len(self.score_names)):
            raise ValueError("one column of scores per name")
        if not np.isfinite(self.scores).all():
            raise ValueError("scores are finite")
        if len(self.links.offsets) != num_rules + 1 or len(self.sparse.offsets) != num_rules + 1:
            raise ValueError("links and sparse features have one row per rule")
        if (np.diff(self.rule_source) < 0).any():
            raise ValueError("rules are sorted by source phrase")

    def __len__(self) -> int:
        return len(self.rule_source)

    def with_scores(self, names: Sequence[str], columns: NDArray[np.float64]) -> "PhraseTable":
        """The table with more columns of scores."""
        return replace(
            self,
            scores=np.hstack([self.scores, columns]),
            score_names=(*self.score_names, *names),
        )

    def with_sparse(self, names: Sequence[str], rows: Ragged) -> "PhraseTable":
        """The table with more sparse features; ``rows.ids`` count from 0 in ``names``."""
        return replace(
            self,
            sparse=self.sparse.beside(rows, len(self.sparse_names)),
            sparse_names=(*self.sparse_names, *names),
        )


def select_rules(table: PhraseTable, keep: NDArray[np.int64]) -> PhraseTable:
    """The rules ``keep`` (rising numbers), over the same phrases."""
    return replace(
        table,
        rule_source=table.rule_source[keep],
        rule_target=table.rule_target[keep],
        scores=table.scores[keep],
        links=table.links.select(keep),
        counts=table.counts[keep],
        sparse=table.sparse.select(keep),
    )


def restrict_features(table: PhraseTable, scores: Sequence[str]) -> PhraseTable:
    """The table with the named scores only, without sparse features."""
    columns = [table.score_names.index(name) for name in scores]
    return replace(
        table,
        scores=table.scores[:, columns],
        score_names=tuple(scores),
        sparse=Ragged.empty(len(table)),
        sparse_names=(),
    )


def columns_file(path: str | Path) -> Path:
    """Name of the sidecar that names the score columns: ``TABLE.columns.json``."""
    return Path(f"{str(path).removesuffix('.gz')}.columns.json")


def phrase_texts(phrases: Corpus) -> list[str]:
    """Each phrase as text."""
    words = phrases.vocabulary.words
    tokens, bounds = phrases.tokens.tolist(), phrases.offsets.tolist()
    text = [words[token] for token in tokens]
    return [" ".join(text[a:b]) for a, b in pairwise(bounds)]


def format_score(value: float) -> str:
    """Six significant digits, as Moses prints."""
    return f"{value:.6g}"


def format_rules(table: PhraseTable) -> Iterator[str]:
    """Lines of Moses text: source, target, scores, links, counts, sparse features."""
    source, target = phrase_texts(table.source), phrase_texts(table.target)
    for begin in range(0, len(table), _BLOCK):  # Python's own lists of millions of rules are large
        yield from _format_block(table, slice(begin, begin + _BLOCK), source, target)


def _format_block(
    table: PhraseTable, rules: slice, source: list[str], target: list[str]
) -> Iterator[str]:
    links = _row_texts(table.links, rules, lambda link, _: f"{link >> 8}-{link & 255}")
    names = table.sparse_names
    sparse = _row_texts(table.sparse, rules, lambda number, value: f"{names[number]} {value:g}")
    columns = (
        table.rule_source[rules].tolist(),
        table.rule_target[rules].tolist(),
        table.scores[rules].tolist(),
        links,
        table.counts[rules].tolist(),
        sparse,
    )
    for left, right, scores, inner, counts, extra in zip(*columns, strict=True):
        closing = f"{extra} |||" if extra else "|||"
        yield (
            f"{source[left]} ||| {target[right]} ||| {' '.join(map(format_score, scores))} ||| "
            f"{inner} ||| {' '.join(map(format_score, counts))} ||| {closing}"
        )


def _row_texts(
    entries: Ragged, rows: slice, show: Callable[[int, float], str]
) -> Iterator[str]:
    """The entries of each row as text."""
    bounds = entries.offsets[rows.start : rows.stop + 1]
    part = slice(bounds[0], bounds[-1])
    shown = list(map(show, entries.ids[part].tolist(), entries.values[part].tolist()))
    for begin, end in pairwise((bounds - bounds[0]).tolist()):
        yield " ".join(shown[begin:end])


def write_phrase_table(table: PhraseTable, path: str | Path) -> None:
    """Write Moses text (gz where the name says so) and the sidecar with the column names."""
    lines = format_rules(table)
    blocks = iter(lambda: list(islice(lines, 4096)), [])
    write_described(
        map("\n".join, blocks), path, {"scores": list(table.score_names)}, columns_file(path)
    )


def _read_sidecar(path: Path) -> tuple[str, ...]:
    try:
        names = json.loads("\n".join(read_lines(path)))["scores"]
        if not isinstance(names, list) or len(set(names)) != len(names):
            raise ValueError("names are a list without repetition")
        return tuple(str(name) for name in names)
    except (ValueError, KeyError, TypeError) as error:
        raise DataError(
            f"no column names ({error})", '{"scores": [NAME, ...]}', file=path
        ) from error


def read_score_names(path: str | Path, num_scores: int) -> tuple[str, ...]:
    """Names of the score columns: the sidecar's, else Moses' four and ``score.N``.

    Raises DataError where the sidecar has another number of columns than the table.
    """
    sidecar = columns_file(path)
    if sidecar.exists():
        names = _read_sidecar(sidecar)
        if len(names) != num_scores:
            raise DataError(
                f"{len(names)} column names, but the table has {num_scores} scores",
                "one name per column",
                file=sidecar,
            )
        return names
    extra = tuple(f"score.{k}" for k in range(len(MOSES_SCORES), num_scores))
    return (MOSES_SCORES + extra)[:num_scores]




def _number(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise ValueError(text)
    return value


def _parse_links(text: str, lengths: Sequence[int]) -> list[tuple[int, float]]:
    links = []
    for link in split_tokens(text):
        left, right = map(int, link.split("-"))
        if not (0 <= left < min(lengths[0], 256) and 0 <= right < min(lengths[1], 256)):
            raise ValueError(link)
        links.append((left * 256 + right, 1.0))
    return links


class _TableBuilder:
    """Collects the rules of a text table."""

    def __init__(self, path: str | Path) -> None:
        self.path = path
        self.sources: dict[str, int] = {}
        self.targets: dict[str, int] = {}
        self.names: dict[str, int] = {}
        self.rule_source: list[int] = []
        self.rule_target: list[int] = []
        self.scores: list[list[float]] = []
        self.links: list[list[tuple[int, float]]] = []
        self.counts: list[list[float]] = []
        self.sparse: list[list[tuple[int, float]]] = []

    def add(self, number: int, fields: list[str]) -> None:
        """Take one line apart."""
        try:
            scores = [_number(value) for value in split_tokens(fields[2])]
            if not scores or min(scores) < 0.0:
                raise ValueError
            lengths = [text.count(" ") + 1 for text in fields[:2]]
            links = _parse_links(fields[3], lengths) if len(fields) > 3 else []
            counts = [_number(value) for value in split_tokens(fields[4])] if fields[4:] else []
            sparse = split_tokens(fields[5]) if len(fields) > 5 else []
            pairs = [
                (self.names.setdefault(name, len(self.names)), _number(value))
                for name, value in zip(sparse[::2], sparse[1::2], strict=True)
            ]
        except (ValueError, IndexError):
            raise DataError(
                f"{BAR.join(fields)[:120]!r}",
                "source ||| target ||| scores ||| i-j links ||| counts ||| NAME value ..., with "
                "scores that are probabilities and links inside the phrases",
                file=self.path,
                line=number,
            ) from None
        if self.scores and len(scores) != len(self.scores[0]):
            raise DataError(
                f"{len(scores)} scores",
                f"{len(self.scores[0])} as in the lines before",
                file=self.path,
                line=number,
            )
        self.rule_source.append(self.sources.setdefault(fields[0], len(self.sources)))
        self.rule_target.append(self.targets.setdefault(fields[1], len(self.targets)))
        self.scores.append(scores)
        self.links.append(links)
        self.counts.append([*counts, 0.0, 0.0, 0.0][:3])
        self.sparse.append(pairs)

    def build(self) -> PhraseTable:
        """The table; rules are brought together by source phrase where the file was unsorted."""
        rule_source = np.array(self.rule_source, np.int32)
        table_scores = np.array(self.scores, np.float64).reshape(len(self.scores), -1)
        order = np.argsort(rule_source, kind="stable")
        table = PhraseTable(
            Corpus.from_sentences([text.split(" ") for text in self.sources]),
            Corpus.from_sentences([text.split(" ") for text in self.targets]),
            rule_source[order],
            np.array(self.rule_target, np.int32)[order],
            table_scores[order],
            read_score_names(self.path, table_scores.shape[1]),
            Ragged.from_rows(self.links),
            np.array(self.counts, np.float64).reshape(-1, 3)[order],
            Ragged.from_rows(self.sparse),
            tuple(self.names),
        )
        if (order == np.arange(len(order))).all():
            return table
        return replace(
            table, links=table.links.select(order), sparse=table.sparse.select(order)
        )


def read_phrase_table(
    path: str | Path, *, sources: frozenset[str] | None = None, limit: int = 0
) -> PhraseTable:
    """Read a Moses phrase table, plain or compressed.

    With ``sources`` only rules whose source phrase is in it are kept (see :func:`phrases_of`);
    with ``limit`` at most so many per source phrase, the highest p(e|f) first (third score).

    Raises DataError naming the line for a wrong number of fields or scores, a bad number, a score
    that is no probability or a link outside of the phrases; UsageError for a limit below 0.
    """
    if limit < 0:
        raise UsageError(f"limit {limit}; expected 0 (none) or more rules per source phrase")
    builder = _TableBuilder(path)
    for number, raw in enumerate(raw_lines(path), start=1):
        try:
            line = raw.decode()
        except UnicodeDecodeError:
            raise DataError(
                "bytes that are not UTF-8", "UTF-8 text", file=path, line=number
            ) from None
        source, _, rest = line.partition(BAR)
        if sources is None or source in sources:
            builder.add(number, [source.strip(" "), *split_fields(rest)])
    if not builder.scores:
        raise DataError(
            "no rule", "rules for the given input", file=path, remedy="Is it the right table?"
        )
    table = builder.build()
    return _limit_rules(table, limit) if limit else table


def _limit_rules(table: PhraseTable, limit: int) -> PhraseTable:
    score = table.scores[:, min(2, table.scores.shape[1] - 1)]
    order = np.lexsort((table.rule_target, -score, table.rule_source))
    groups = table.rule_source[order]
    starts = np.searchsorted(groups, groups)
    keep = order[np.arange(len(order)) - starts < limit]
    return select_rules(table, np.sort(keep))


def phrases_of(sentences: Iterable[Sequence[str]], max_length: int = 7) -> frozenset[str]:
    """All phrases up to a length that occur in the sentences: the rules an input can use."""
    found: set[str] = set()
    for words in sentences:
        for begin in range(len(words)):
            for end in range(begin + 1, min(begin + max_length, len(words)) + 1):
                found.add(" ".join(words[begin:end]))
    return frozenset(found)
