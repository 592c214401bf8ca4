"""Training text of a run: parts of a mixture, seeds, and the texts with gold links."""

import string
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from isogloss.align.arrays.ragged import offsets_of, row_numbers
from isogloss.align.errors import DataError, pluralize
from isogloss.align.files.numerals import is_whole
from isogloss.align.links.gold_links import GoldLinks
from isogloss.align.text.bitext import Bitext
from isogloss.align.text.corpus import Corpus
from isogloss.align.text.labels import check_seed_size, match_labels
from isogloss.align.text.length_limit import LengthLimit
from isogloss.align.text.readers import read_bitext, read_gold, read_lines, read_sentences
from isogloss.align.text.vocabulary import Vocabulary

from .config import EvaluationPart, RunConfig, Selection, TrainingPart

__all__ = ["Mixture", "clean_sentences", "read_mixture", "selected_sentences"]

_PUNCTUATION = frozenset(string.punctuation + "¿¡«»“”‘’…–—")


@dataclass(frozen=True)
class Mixture:
    """The bitext of a run.

    bitext: training pairs, then the evaluation texts
    true_domains: name or "-" per pair, as far as the index tells
    spans: (name, gold file, first line, number of lines) of each text with gold links
    """

    bitext: Bitext
    true_domains: tuple[str, ...]
    spans: tuple[tuple[str, Path, int, int], ...]

    @property
    def lengths(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Words of each source and target sentence: int64[num_pairs]."""
        return self.bitext.source.lengths, self.bitext.target.lengths

    def judged(self, sample: NDArray[np.int64]) -> "Iterator[JudgedPairs]":
        """The pairs of each text with gold links.

        sample: int64[m], pairs of the gold sample, which are left out, and texts without others
        """
        for name, file, first, count in self.spans:
            rows = np.setdiff1d(np.arange(first, first + count), sample)
            if len(rows) or not count:
                gold = read_gold(file, num_pairs=count)[rows - first]
                yield JudgedPairs(name, file, rows, rows - first, gold)


class JudgedPairs(NamedTuple):
    """Pairs with gold links.

    name, file: of the text and its gold links
    rows, lines: int64[n], numbers of the pairs in the whole text and in this one
    """

    name: str
    file: Path
    rows: NDArray[np.int64]
    lines: NDArray[np.int64]
    gold: GoldLinks


def clean_sentences(path: Path, config: RunConfig) -> list[list[str]]:
    """Sentences of a file under the run's settings for case and punctuation."""
    sentences = read_sentences(path, lowercase=config.lowercase)
    if config.strip_punctuation:
        return [
            [word for word in words if not _PUNCTUATION.issuperset(word)] for words in sentences
        ]
    return sentences


def selected_sentences(selection: Selection, config: RunConfig) -> list[list[str]]:
    """Source sentences of a selection, under the same settings."""
    sentences = clean_sentences(selection.source, config)
    return sentences[: selection.limit] if selection.limit else sentences


class _Part(NamedTuple):
    """Some of the pairs: what they are, the domain that training sees, and the true one."""

    bitext: Bitext
    shown: Sequence[str]
    true: Sequence[str]


def read_mixture(config: RunConfig) -> Mixture:
    """Read all parts of the training text.

    Raises DataError for parts of different length, a line outside of its file, an unknown domain.
    """
    parts = [
        _index_part(part.index, config) if part.index else _file_part(part, config)
        for part in config.training
    ]
    spans = []
    num_pairs = sum(len(part.bitext) for part in parts)
    for text in config.evaluation:
        if text.source is not None and text.target is not None:
            bitext = _read_pairs(text.source, text.target, config)
            unknown = ["-"] * len(bitext)
            parts.append(_Part(bitext, unknown, unknown))
            spans.append((text.name, text.gold, num_pairs, len(bitext)))
            num_pairs += len(bitext)
        else:
            spans.append((text.name, text.gold, 0, _gold_lines(text, num_pairs)))
    shown = [domain for part in parts for domain in part.shown]
    counts = Counter(shown)
    domains = tuple(sorted(counts.keys() - {"-"}))
    for domain in domains:
        check_seed_size(counts[domain], domain, str(config.training[0].index or "labels"))
    bitext = Bitext(
        _joined([part.bitext.source for part in parts]),
        _joined([part.bitext.target for part in parts]),
        match_labels(shown, domains),
        domains,
    )
    true_domains = tuple(domain for part in parts for domain in part.true)
    return Mixture(bitext, true_domains, tuple(spans))


def _joined(corpora: Sequence[Corpus]) -> Corpus:
    """The sentences of all corpora; words have ids in order of first appearance, as if read so."""
    corpus = Corpus.joined(corpora)
    ids, first = np.unique(corpus.tokens, return_index=True)
    words = corpus.vocabulary.words
    ordered = [words[word] for word in ids[np.argsort(first)].tolist()]
    return corpus.to_vocabulary(Vocabulary(ordered))


def _gold_lines(text: EvaluationPart, available: int) -> int:
    lines = text.lines or len(read_lines(text.gold))
    if lines > available:
        raise DataError(
            f"the file has {pluralize(lines)} of gold alignments",
            f"at most {available}, one per sentence pair",
            file=text.gold,
        )
    return lines


def _read_pairs(source: Path, target: Path, config: RunConfig) -> Bitext:
    """Two line-aligned files under the run's settings for case, punctuation and length."""
    limit = config.longest_pair
    if not config.strip_punctuation:
        return read_bitext(source, target, lowercase=config.lowercase, max_length=limit)
    bitext = read_bitext(source, target, lowercase=config.lowercase)
    bitext = Bitext.unlabeled(*(_filtered(side, ~_marks(side)) for side in _sides(bitext)))
    long = _too_long(bitext, limit, f"{source}, {target}")
    sides = (_filtered(side, ~long[row_numbers(side.offsets)]) for side in _sides(bitext))
    return Bitext.unlabeled(*sides)


def _sides(bitext: Bitext) -> Iterator[Corpus]:
    yield bitext.source
    yield bitext.target


def _marks(corpus: Corpus) -> NDArray[np.bool_]:
    """bool[num_tokens]: tokens that are punctuation."""
    words = corpus.vocabulary.words
    is_mark = np.array([_PUNCTUATION.issuperset(word) for word in words], bool)
    return is_mark[corpus.tokens]


def _too_long(bitext: Bitext, max_length: int, files: str) -> NDArray[np.bool_]:
    """bool[num_pairs]: pairs that are taken as empty, of which a warning tells."""
    limit = LengthLimit(max_length)
    lengths = zip(bitext.source.lengths.tolist(), bitext.target.lengths.tolist(), strict=True)
    exceeded = [
        limit.exceeded(source, target, line) for line, (source, target) in enumerate(lengths, 1)
    ]
    limit.warn(files)
    return np.array(exceeded, bool)


def _filtered(corpus: Corpus, kept: NDArray[np.bool_]) -> Corpus:
    """The sentences with some of their tokens only. kept: bool[num_tokens]"""
    rows = row_numbers(corpus.offsets)[kept]
    offsets = offsets_of(np.bincount(rows, minlength=len(corpus)))
    return Corpus(corpus.tokens[kept], offsets, corpus.vocabulary)


def _file_part(part: TrainingPart, config: RunConfig) -> _Part:
    assert part.source is not None and part.target is not None
    bitext = _read_pairs(part.source, part.target, config)
    if part.labels is None:
        shown = [part.domain] * len(bitext)
    else:
        shown = [line.strip() or "-" for line in read_lines(part.labels)]
        if len(shown) != len(bitext):
            raise DataError(
                f"the file has {pluralize(len(shown), 'label')}",
                f"{len(bitext)}, one per sentence pair",
                file=part.labels,
                line=min(len(shown), len(bitext)) + 1,
            )
    return _Part(bitext, shown, shown)


def _index_part(index: Path, config: RunConfig) -> _Part:
    """Lines picked by an index; file prefixes are relative to the folder above the index's."""
    bitexts: dict[str, Bitext] = {}
    picked: list[tuple[str, int]] = []
    shown, true = [], []
    for number, line in enumerate(read_lines(index), start=1):
        columns = line.split("\t")
        if len(columns) != 4 or not is_whole(columns[2]) or columns[3] not in ("0", "1"):
            raise DataError(
                f"the line {line!r} is malformed",
                "prefix, domain, line and seed (0 or 1), separated by tabs",
                file=index,
                line=number,
            )
        prefix, domain, row, seed = columns
        if prefix not in bitexts:
            base = _below(prefix, index, number)
            names = [base.with_name(f"{base.name}.{code}.gz") for code in config.languages]
            bitexts[prefix] = _read_pairs(names[0], names[1], config)
        if int(row) >= len(bitexts[prefix]):
            raise DataError(
                f"the line names line {row} of {prefix}",
                f"a line below {len(bitexts[prefix])}",
                file=index,
                line=number,
            )
        picked.append((prefix, int(row)))
        shown.append(domain if seed == "1" else "-")
        true.append(domain)
    return _Part(_picked(bitexts, picked), shown, true)


def _below(prefix: str, index: Path, line: int) -> Path:
    """The prefix of files in the folder above an index's. Raises DataError for one elsewhere."""
    if Path(prefix).is_absolute() or ".." in Path(prefix).parts:
        raise DataError(
            f"the prefix {prefix!r} points outside the folder",
            f"files below {index.parent.parent}",
            file=index,
            line=line,
            remedy="Move the files there, or list them in separate [[train]] tables",
        )
    return index.parent.parent / prefix


def _picked(bitexts: dict[str, Bitext], picked: Sequence[tuple[str, int]]) -> Bitext:
    """The pairs of several bitexts that are named by bitext and row, in that order."""
    if not picked:
        return Bitext.unlabeled(Corpus.from_sentences([]), Corpus.from_sentences([]))
    starts = offsets_of([len(bitext) for bitext in bitexts.values()])[:-1].tolist()
    start_of = dict(zip(bitexts, starts, strict=True))
    rows = np.array([start_of[name] + row for name, row in picked], np.int64)
    whole = Bitext.unlabeled(
        Corpus.joined([bitext.source for bitext in bitexts.values()]),
        Corpus.joined([bitext.target for bitext in bitexts.values()]),
    )
    return whole.select(rows)
