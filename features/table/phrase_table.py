"""PhraseTable: rules sorted by source phrase, a block of a table or all of it; files of them."""

import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, count, islice, pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from align.errors import DataError, UsageError
from align.files.text_io import line_blocks, read_lines
from align.files.writers import write_described, write_lines
from align.ragged import offsets_of, row_numbers, run_starts
from align.sparse_rows import Ragged
from align.text.corpus import Corpus
from align.text.vocabulary import Vocabulary

from ..space import is_sparse
from .rule_texts import rule_texts
from .text import MOSES, RuleColumns, RuleFault, TableForm

__all__ = [
    "LONGEST_LINE",
    "MOSES_SCORES",
    "Origin",
    "PhraseTable",
    "RuleBuilder",
    "columns_file",
    "format_rules",
    "phrase_texts",
    "phrases_of",
    "read_phrase_table",
    "read_score_names",
    "restrict_features",
    "select_rules",
    "sort_rules",
    "source_order",
    "write_phrase_table",
    "write_tables",
]

# the order of Moses' phrase table
MOSES_SCORES = ("p(f|e)", "lex(f|e)", "p(e|f)", "lex(e|f)")
LONGEST_LINE = 1 << 24  # bytes; a longer line is damage
BAR = " ||| "
_BLOCK = 1 << 16  # rules read or formatted at a time; bounds memory
_COMPRESSED = (".gz", ".bz2", ".xz", ".zst")


@dataclass(frozen=True)
class PhraseTable:
    """Translation rules.

    source, target: the distinct phrases of each side, as corpora
    rule_source, rule_target: int32[num_rules], phrase numbers; equal sources are neighbours. Files
        have rules in the byte order of ``source ||| target |||`` (the C locale's)
    scores: float64[num_rules, num_scores], probabilities, or other numbers whose logarithms
        decoders take
    score_names: their names, without underscores
    links: phrase-internal links; id = source position * 256 + target position
    counts: float64[num_rules, 3], c(e), c(f), c(f, e); 0 where the file has none
    sparse: sparse features, ids into sparse_names
    sparse_names: their names, with underscores
    properties: str[num_rules], what stands behind the sparse features in the file; None = nothing
    origin: the text the rules were read from; None = they weren't, or it isn't kept
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
    properties: NDArray[np.object_] | None = None
    origin: "Origin | None" = None

    def __post_init__(self) -> None:
        num_rules = len(self.rule_source)
        if self.scores.shape != (num_rules, len(self.score_names)):
            raise ValueError("one column of scores per name")
        if not np.isfinite(self.scores).all():
            raise ValueError("scores are finite")
        if len(self.links.offsets) != num_rules + 1 or len(self.sparse.offsets) != num_rules + 1:
            raise ValueError("links and sparse features have one row per rule")
        if self.properties is not None and len(self.properties) != num_rules:
            raise ValueError("one text of properties per rule")
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


@dataclass(frozen=True)
class Origin:
    """The lines that rules were read from: what is as it was is written in their digits.

    form: of the lines
    lines: str[num_rules]
    rules: what was read from them; a value of the table that still equals it has its text
    """

    form: TableForm
    lines: NDArray[np.object_]
    rules: PhraseTable

    def select(self, table: PhraseTable, chosen: PhraseTable, keep: NDArray[np.int64]) -> "Origin":
        """The given lines; ``chosen`` are those rules of ``table``, whose columns are shared."""
        columns = {
            name: getattr(chosen, name)
            if getattr(self.rules, name) is getattr(table, name)
            else _chosen(getattr(self.rules, name), keep)
            for name in _PER_RULE
        }
        return Origin(self.form, self.lines[keep], replace(self.rules, **columns))


_PER_RULE = (
    "rule_source", "rule_target", "scores", "links", "counts", "sparse", "properties",
)  # fmt: skip


def _chosen(column: Any, keep: NDArray[np.int64]) -> Any:
    if column is None:
        return None
    return column.select(keep) if isinstance(column, Ragged) else column[keep]


def select_rules(table: PhraseTable, keep: NDArray[np.int64]) -> PhraseTable:
    """The rules ``keep`` (rising numbers), over the same phrases."""
    columns = {name: _chosen(getattr(table, name), keep) for name in _PER_RULE}
    chosen = replace(table, **columns, origin=None)
    if table.origin is None:
        return chosen
    return replace(chosen, origin=table.origin.select(table, chosen, keep))


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


def sort_rules(table: PhraseTable) -> PhraseTable:
    """The rules in the byte order of ``source ||| target |||``."""
    ranks = []
    for phrases in (table.source, table.target):
        texts = phrase_texts(phrases)
        rank = np.empty(len(texts), np.int64)
        rank[sorted(range(len(texts)), key=lambda k: texts[k] + BAR)] = np.arange(len(texts))
        ranks.append(rank)
    order = np.lexsort((ranks[1][table.rule_target], ranks[0][table.rule_source]))
    source = table.source.select(np.argsort(ranks[0]))
    # numbered anew, and in order whatever rows are taken
    numbered = replace(
        table, source=source, rule_source=np.zeros(len(table), np.int32), origin=None
    )
    rule_source = ranks[0][table.rule_source[order]].astype(np.int32)
    result = replace(select_rules(numbered, order), rule_source=rule_source)
    if table.origin is None or table.origin.rules.rule_source is not table.rule_source:
        return result
    origin = table.origin.select(table, result, order)
    if origin.rules.source is table.source:
        origin = replace(origin, rules=replace(origin.rules, source=source))
    return replace(result, origin=origin)


def columns_file(path: str | Path) -> Path:
    """Name of the sidecar that names the score columns: ``TABLE.columns.json``."""
    path = Path(path)
    return Path(f"{path.with_suffix('') if path.suffix in _COMPRESSED else path}.columns.json")


def phrase_texts(phrases: Corpus) -> list[str]:
    """Each phrase as text."""
    words = phrases.vocabulary.words
    tokens, bounds = phrases.tokens.tolist(), phrases.offsets.tolist()
    text = [words[token] for token in tokens]
    return [" ".join(text[a:b]) for a, b in pairwise(bounds)]


def format_rules(table: PhraseTable, form: TableForm = MOSES) -> Iterator[str]:
    """Lines of a form; those of Moses hold source, target, scores, links, counts, sparse features.

    What was read from a file of the same form and has not changed since has the file's digits, and
    an unchanged rule its line.

    Raises DataError for a score below 0, or where there is none.
    """
    if _unchanged(table, form):
        assert table.origin is not None
        yield from table.origin.lines
        return
    if not table.score_names:
        raise DataError("no score is left", "one score or more per rule")
    if (table.scores < 0.0).any():
        rule, column = np.argwhere(table.scores < 0.0)[0].tolist()
        raise DataError(
            f"{table.score_names[column]} = {table.scores[rule, column]:g} in rule {rule + 1}",
            "scores above 0: decoders take their logarithm",
        )
    source, target = phrase_texts(table.source), phrase_texts(table.target)
    for begin in range(0, len(table), _BLOCK):  # Python's own lists of millions of rules are large
        rows = np.arange(begin, min(begin + _BLOCK, len(table)))
        block = table if len(rows) == len(table) else select_rules(table, rows)
        yield from form.join(rule_texts(block, form, source, target))


def _unchanged(table: PhraseTable, form: TableForm) -> bool:
    """Whether the lines that the rules were read from are still theirs."""
    if table.origin is None or table.origin.form != form:
        return False
    before = table.origin.rules
    return (
        table.source is before.source
        and table.target is before.target
        and table.score_names == before.score_names
        and table.sparse_names == before.sparse_names
        and all(_equal(getattr(table, name), getattr(before, name)) for name in _PER_RULE)
    )


def _equal(column: Any, other: Any) -> bool:
    if column is other or column is None or other is None:
        return column is other
    if isinstance(column, Ragged):
        return column.equals(other)
    return np.array_equal(column, other)


def write_phrase_table(table: PhraseTable, path: str | Path, form: TableForm = MOSES) -> None:
    """Write a table (compressed by its suffix) and the sidecar with the column names.

    Raises DataError where its source phrases are out of order (:func:`sort_rules` helps), and as
    :func:`format_rules` does; OutputError where it can't be written.
    """
    write_tables([table], path, form)


def write_tables(
    blocks: Iterable[PhraseTable],
    path: str | Path,
    form: TableForm = MOSES,
    advance: Callable[[int], None] = lambda count: None,
) -> None:
    """Write the blocks of a table one after the other, and the sidecar; ``-`` is standard output.

    ``advance`` is told the number of rules of each block that is done.

    Raises DataError for no block, for blocks of different scores, and as
    :func:`write_phrase_table` does.
    """
    rest = iter(blocks)
    first = next(rest, None)
    if first is None:
        raise DataError("no rule", "rules to write", file=path)
    lines = _checked_lines(chain([first], rest), path, form, advance)
    if str(path) == "-":
        write_lines(lines, path)
    else:
        names = {"scores": list(first.score_names)}
        write_described(lines, path, names, columns_file(path))


def _checked_lines(
    blocks: Iterable[PhraseTable],
    path: str | Path,
    form: TableForm,
    advance: Callable[[int], None],
) -> Iterator[str]:
    """Text of some thousands of lines at a time."""
    before: PhraseTable | None = None
    last, total = "", 0
    for table in blocks:
        if before is not None and table.score_names != before.score_names:
            raise DataError(
                f"a block with the scores {', '.join(table.score_names)}",
                f"{', '.join(before.score_names)} as in the blocks before",
                file=path,
            )
        order = source_order(table, last)
        if order.fall is not None:
            raise DataError(
                f"source phrase {order.phrase!r} after {order.previous!r}",
                "the C locale's order of `source |||`",
                file=path,
                remedy="Sort the rules first (features.table.phrase_table.sort_rules)",
            )
        lines = format_rules(table, form)
        while part := list(islice(lines, 4096)):
            yield "\n".join(part)
        advance(len(table))
        total += len(table)
        before, last = table, order.phrase
    if not total:
        raise DataError("no rule is left", "rules to write", file=path)


@dataclass(frozen=True)
class SourceOrder:
    """Whether source phrases rise; as Python and the C locale compare text, code by code.

    fall: the rule at which they don't, None = they do
    phrase, previous: the source phrase there and the one before it; else the last one and ""
    """

    fall: int | None
    phrase: str
    previous: str


def source_order(table: PhraseTable, before: str = "") -> SourceOrder:
    """Look at the order of source phrases, of which the first is to stand behind ``before``."""
    return _order_of(phrase_texts(table.source), table.rule_source, before)


def _order_of(sources: list[str], rules: NDArray[np.int32], before: str) -> SourceOrder:
    for row in run_starts(rules).tolist():
        phrase = sources[rules[row]]
        if before and not before + BAR < phrase + BAR:
            return SourceOrder(row, phrase, before)
        before = phrase
    return SourceOrder(None, before, "")


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

    Raises DataError where the sidecar has another number of columns than the table, or a name with
    an underscore.
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
        if any(map(is_sparse, names)):
            raise DataError(
                f"the name {next(filter(is_sparse, names))!r}",
                "names without underscores: with one, a feature is sparse",
                file=sidecar,
            )
        return names
    extra = tuple(f"score.{k}" for k in range(len(MOSES_SCORES), num_scores))
    return (MOSES_SCORES + extra)[:num_scores]


class RuleBuilder:
    """Brings the rules of lines together as a table: all of a file, or a block of it."""

    def __init__(self, path: str | Path, form: TableForm) -> None:
        self._path, self._form = path, form
        # phrases and names are numbered in order of first appearance
        self._sources: defaultdict[str, int] = defaultdict(count().__next__)
        self._targets: defaultdict[str, int] = defaultdict(count().__next__)
        self._names: defaultdict[str, int] = defaultdict(count().__next__)
        self._rules: list[NDArray[np.int64]] = []  # line, source, target, label: int64[4, n]
        self._labels: defaultdict[str, int] = defaultdict(count().__next__)
        self._parts: list[RuleColumns] = []
        self._lines: list[Sequence[str]] = []

    def __len__(self) -> int:
        return sum(map(len, self._lines))

    def add(self, lines: Sequence[str], numbers: Sequence[int]) -> None:
        """Take lines apart; ``numbers`` are their places in the file, from 1.

        Raises DataError for the first line that is not of the form, or has other scores than the
        lines before.
        """
        try:
            part = self._form.parse(lines)
            self._check_scores(part)
        except RuleFault as fault:
            raise DataError(
                fault.seen, fault.expected, file=self._path, line=numbers[fault.row],
                remedy=fault.remedy,
            ) from None  # fmt: skip
        columns = [np.array(numbers, np.int64)]
        for known, texts in (
            (self._sources, part.source),
            (self._targets, part.target),
            (self._labels, part.labels),
        ):
            if texts is None:
                columns.append(np.zeros(len(lines), np.int64))
            else:
                columns.append(np.fromiter(map(known.__getitem__, texts), np.int64, len(lines)))
        self._rules.append(np.stack(columns))
        ids = np.array([self._names[name] for name in part.sparse_names], np.int32)
        sparse = replace(part.sparse, ids=ids[part.sparse.ids] if len(ids) else part.sparse.ids)
        # the phrases are numbered now: don't keep their text
        self._parts.append(replace(part, source=(), target=(), labels=None, sparse=sparse))
        self._lines.append(lines)

    def _check_scores(self, part: RuleColumns) -> None:
        if not self._parts:
            return
        first = self._parts[0]
        if part.score_names != first.score_names:
            raise RuleFault(
                0, f"the scores {', '.join(part.score_names or ())}",
                f"{', '.join(first.score_names or ())} as in the lines before",
            )  # fmt: skip
        if part.scores.shape[1] != first.scores.shape[1]:
            raise RuleFault(
                0,
                f"{part.scores.shape[1]} scores",
                f"{first.scores.shape[1]} as in the lines before",
            )

    def order(self, before: str = "") -> SourceOrder:
        """Whether the lines' source phrases rise from ``before`` on; see :class:`SourceOrder`."""
        rules = np.concatenate([part[1] for part in self._rules])
        return _order_of(list(self._sources), rules.astype(np.int32), before)

    def line(self, rule: int) -> int:
        """Line number of a rule, in the order in which they were added."""
        return int(np.concatenate([part[0] for part in self._rules])[rule])

    def build(self, keep_text: bool = True) -> PhraseTable:
        """The table; rules are brought together by source phrase where the file was unsorted.

        Raises DataError for links outside of their phrases and for a rule that comes twice.
        """
        rules = np.hstack(self._rules)
        self._check_repetition(rules)
        parts = self._parts
        scores = np.concatenate([part.scores for part in parts])
        table = PhraseTable(
            _phrases(self._sources),
            _phrases(self._targets),
            np.zeros(len(scores), np.int32),  # in order, whatever the lines' order is
            rules[2].astype(np.int32),
            scores,
            parts[0].score_names or read_score_names(self._path, scores.shape[1]),
            Ragged.joined([part.links for part in parts]),
            np.concatenate([part.counts for part in parts]),
            Ragged.joined([part.sparse for part in parts]),
            tuple(self._names),
            self._properties(),
        )
        rule_source = rules[1].astype(np.int32)
        self._check_links(table, rules)
        lines = np.empty(len(scores), np.object_) if keep_text else None
        if lines is not None:
            lines[:] = list(chain.from_iterable(self._lines))
        if (np.diff(rule_source) < 0).any():
            order = np.argsort(rule_source, kind="stable")
            table, rule_source = select_rules(table, order), rule_source[order]
            lines = lines if lines is None else lines[order]
        table = replace(table, rule_source=rule_source)
        return table if lines is None else replace(table, origin=Origin(self._form, lines, table))

    def _properties(self) -> NDArray[np.object_] | None:
        if all(part.properties is None for part in self._parts):
            return None
        result = np.full(len(self), "", np.object_)
        begin = 0
        for part, lines in zip(self._parts, self._lines, strict=True):
            if part.properties is not None:
                result[begin : begin + len(lines)] = np.array(part.properties, np.object_)
            begin += len(lines)
        return result

    def _check_repetition(self, rules: NDArray[np.int64]) -> None:
        keys = (rules[1] * len(self._targets) + rules[2]) * max(len(self._labels), 1) + rules[3]
        order = np.argsort(keys, kind="stable")
        twice = np.flatnonzero(np.diff(keys[order]) == 0)
        if not len(twice):
            return
        later = int(order[twice + 1].min())
        earlier = int(np.argmax(keys == keys[later]))
        source, target = list(self._sources)[rules[1, later]], list(self._targets)[rules[2, later]]
        raise DataError(
            f"the rule {source[:60]!r} ||| {target[:60]!r}, which stands in line "
            f"{rules[0, earlier]} already",
            "each rule once",
            file=self._path,
            line=int(rules[0, later]),
            remedy="Keep one of the two lines",
        )

    def _check_links(self, table: PhraseTable, rules: NDArray[np.int64]) -> None:
        rule = row_numbers(table.links.offsets)
        sizes = table.source.lengths[rules[1]], table.target.lengths[rules[2]]
        bad = (table.links.ids >> 8 >= sizes[0][rule]) | (table.links.ids & 255 >= sizes[1][rule])
        if bad.any():
            place = int(np.argmax(bad))
            link, row = int(table.links.ids[place]), rule[place]
            raise DataError(
                f"link {link >> 8}-{link & 255} in a rule of {sizes[0][row]} and "
                f"{sizes[1][row]} words",
                "links inside the phrases, source-target, from 0",
                file=self._path,
                line=int(rules[0, row]),
            )


def _phrases(texts: Iterable[str]) -> Corpus:
    """A corpus of phrases, a blank between words."""
    texts = list(texts)
    offsets = offsets_of([text.count(" ") + 1 for text in texts])
    words = " ".join(texts).split(" ")
    ids: defaultdict[str, int] = defaultdict(count(1).__next__)
    tokens = np.fromiter(map(ids.__getitem__, words), np.int32, len(words))
    return Corpus(tokens, offsets, Vocabulary(ids))


def read_phrase_table(
    path: str | Path,
    *,
    sources: frozenset[str] | None = None,
    limit: int = 0,
    form: TableForm = MOSES,
    keep_text: bool = True,
) -> PhraseTable:
    """Read a whole phrase table, plain or compressed, into memory.

    With ``sources`` only rules whose source phrase is in it are kept (see :func:`phrases_of`);
    with ``limit`` at most so many per source phrase, the highest p(e|f) first (third score).
    ``keep_text`` keeps the lines, so that what isn't changed is written as it stands: some 200
    bytes per rule.

    Raises DataError naming the line for a wrong number of fields or scores, a bad number, a score
    that has no logarithm, a link outside of the phrases, a rule that comes twice, a line of more
    than 16 MiB; UsageError for a limit below 0.
    """
    if limit < 0:
        raise UsageError(f"limit {limit}; expected 0 (none) or more rules per source phrase")
    builder = RuleBuilder(path, form)
    for numbers, lines in wanted_lines(path, form, sources):
        builder.add(lines, numbers)
    if not len(builder):
        raise no_rule(path)
    table = builder.build(keep_text)
    return _limit_rules(table, limit) if limit else table


def wanted_lines(
    path: str | Path,
    form: TableForm = MOSES,
    sources: frozenset[str] | None = None,
    longest: int = LONGEST_LINE,
) -> Iterator[tuple[Sequence[int], list[str]]]:
    """Lines of a table, of these source phrases only where given, and their numbers from 1.

    Raises DataError as :func:`align.files.text_io.line_blocks` does.
    """
    done = 0
    for lines in line_blocks(path, longest=longest):
        numbers: Sequence[int] = range(done + 1, done + len(lines) + 1)
        done += len(lines)
        if sources is not None:
            chosen = [k for k, line in enumerate(lines) if form.source(line) in sources]
            numbers, lines = [numbers[k] for k in chosen], [lines[k] for k in chosen]
        if lines:
            yield numbers, lines


def no_rule(path: str | Path) -> DataError:
    """The error for a table without rules, or without those that an input needs."""
    return DataError(
        "no rule", "rules for the given input", file=path, remedy="Is it the right table?"
    )


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
