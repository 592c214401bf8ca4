"""Training text of a run: parts of a mixture, seeds, and the texts with hand links."""

import string
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from align.errors import DataError
from align.text.corpus import Bitext, Corpus
from align.text.length_limit import LengthLimit
from align.text.readers import (
    check_line_counts,
    check_seed_size,
    match_labels,
    read_lines,
    read_sentences,
)

from .config import EvaluationPart, RunConfig, TrainingPart

__all__ = ["Mixture", "clean_sentences", "read_mixture"]

Sentences = list[list[str]]
_PUNCTUATION = frozenset(string.punctuation + "¿¡«»“”‘’…–—")


@dataclass(frozen=True)
class Mixture:
    """The bitext of a run.

    bitext: training pairs, then the evaluation texts; true_domains: name or "-" per pair, as far
    as the index tells; spans: (name, gold file, first line, number of lines) of each text with
    hand links.
    """

    bitext: Bitext
    true_domains: tuple[str, ...]
    spans: tuple[tuple[str, Path, int, int], ...]


def clean_sentences(path: Path, config: RunConfig) -> Sentences:
    """Sentences of a file under the run's settings for case and punctuation."""
    sentences = read_sentences(path, lowercase=config.lowercase)
    if config.strip_punctuation:
        return [
            [word for word in words if not _PUNCTUATION.issuperset(word)] for words in sentences
        ]
    return sentences


def read_mixture(config: RunConfig) -> Mixture:
    """Read all parts of the training text.

    Raises DataError for parts of different length, a line outside of its file, an unknown domain.
    """
    source: Sentences = []
    target: Sentences = []
    shown: list[str] = []
    true: list[str] = []
    for part in config.training:
        rows = _index_part(part, config) if part.index else _file_part(part, config)
        source.extend(rows[0])
        target.extend(rows[1])
        shown.extend(rows[2])
        true.extend(rows[3])
    spans = []
    for text in config.evaluation:
        if text.source is not None and text.target is not None:
            left, right = _sides(text.source, text.target, config)
            spans.append((text.name, text.gold, len(source), len(left)))
            source.extend(left)
            target.extend(right)
            shown.extend(["-"] * len(left))
            true.extend(["-"] * len(left))
        else:
            spans.append((text.name, text.gold, 0, _gold_lines(text, len(source))))
    domains = tuple(sorted(set(shown) - {"-"}))
    for domain in domains:
        check_seed_size(shown.count(domain), domain, str(config.training[0].index or "labels"))
    bitext = Bitext(
        Corpus.from_sentences(source),
        Corpus.from_sentences(target),
        match_labels(shown, domains),
        domains,
    )
    return Mixture(bitext, tuple(true), tuple(spans))


def _gold_lines(text: EvaluationPart, available: int) -> int:
    lines = text.lines or len(read_lines(text.gold))
    if lines > available:
        raise DataError(
            f"{lines} lines of hand links", f"at most {available} pairs", file=text.gold
        )
    return lines


def _sides(source: Path, target: Path, config: RunConfig) -> tuple[Sentences, Sentences]:
    left, right = clean_sentences(source, config), clean_sentences(target, config)
    check_line_counts(source, len(left), target, len(right))
    limit = LengthLimit(config.longest_pair)
    for row, (words, others) in enumerate(zip(left, right, strict=True)):
        if limit.exceeded(len(words), len(others), row + 1):
            left[row], right[row] = [], []
    limit.warn(f"{source}, {target}")
    return left, right


Rows = tuple[Sentences, Sentences, Sequence[str], Sequence[str]]


def _file_part(part: TrainingPart, config: RunConfig) -> Rows:
    assert part.source is not None and part.target is not None
    left, right = _sides(part.source, part.target, config)
    shown = [part.domain] * len(left)
    if part.labels is not None:
        shown = [line.strip() or "-" for line in read_lines(part.labels)]
        if len(shown) != len(left):
            raise DataError(
                f"{len(shown)} labels",
                f"{len(left)}, one per sentence pair",
                file=part.labels,
                line=min(len(shown), len(left)) + 1,
            )
    return left, right, shown, shown


def _index_part(part: TrainingPart, config: RunConfig) -> Rows:
    """Lines picked by an index; file prefixes are relative to the folder above the index's."""
    assert part.index is not None
    files: dict[str, tuple[Sentences, Sentences]] = {}
    rows: tuple[Sentences, Sentences, list[str], list[str]] = ([], [], [], [])
    for number, line in enumerate(read_lines(part.index), start=1):
        fields = line.split("\t")
        if len(fields) != 4 or not fields[2].isdecimal() or fields[3] not in ("0", "1"):
            raise DataError(
                repr(line), "prefix, domain, line and seed (0 or 1) with tabs between",
                file=part.index, line=number,
            )  # fmt: skip
        prefix, domain, place, seed = fields
        if prefix not in files:
            base = part.index.parent.parent / prefix
            names = [base.with_name(f"{base.name}.{code}.gz") for code in config.languages]
            files[prefix] = _sides(names[0], names[1], config)
        left, right = files[prefix]
        if int(place) >= len(left):
            raise DataError(
                f"line {place} of {prefix}", f"a line below {len(left)}",
                file=part.index, line=number,
            )  # fmt: skip
        rows[0].append(left[int(place)])
        rows[1].append(right[int(place)])
        rows[2].append(domain if seed == "1" else "-")
        rows[3].append(domain)
    return rows
