"""The words that two domains translate most differently, as rows and as text."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from isogloss.align.domains.contrast import (
    Contrast,
    LinkedWords,
    contrast,
    expected_occurrences,
    find_example,
)
from isogloss.align.model.model import AlignmentModel

from ..report import table_lines
from .domain_text import DomainText

__all__ = ["ContrastTable", "contrast_domains"]

Row = dict[str, Any]


@dataclass(frozen=True)
class ContrastTable:
    """Words that two domains translate differently.

    domains: both names
    direction: "s2t" compares t(target | source), "t2s" t(source | target)
    rows: word, score, divergence and, by domain, evidence, translations and perhaps an example
    """

    domains: tuple[str, str]
    direction: str
    rows: list[Row]

    def values(self) -> Row:
        """All of it, for JSON."""
        return {
            "domains": list(self.domains),
            "direction": self.direction,
            "evidence": "expected occurrences in the text",
            "words": self.rows,
        }

    def flat_rows(self) -> list[Row]:
        """The rows of a TSV: translations as `word p word p`, words hold no blanks."""
        return [self._flat(row) for row in self.rows]

    def _flat(self, row: Row) -> Row:
        flat: Row = {key: row[key] for key in ("word", "score", "divergence")}
        by_domain = {name: row["domains"][name] for name in self.domains}
        for name, domain in by_domain.items():
            flat[f"evidence.{name}"] = domain["evidence"]
        for name, domain in by_domain.items():
            pairs = domain["translations"].items()
            flat[f"translations.{name}"] = " ".join(f"{word} {p:.4f}" for word, p in pairs)
        for name, domain in by_domain.items():
            pairs = domain["links"].items()
            flat[f"links.{name}"] = " ".join(f"{word} {count:.1f}" for word, count in pairs)
        for name, domain in by_domain.items():
            if "example" in domain:
                example = domain["example"] or {}
                for key in ("line", "source", "target"):
                    flat[f"{key}.{name}"] = example.get(key, "")
        return flat

    def lines(self) -> Iterator[str]:
        """An aligned table; below each word its examples."""
        columns = ("word", "score", "evidence", *self.domains)
        header, *lines = table_lines(columns, list(map(self._cells, self.rows)))
        yield header
        for line, row in zip(lines, self.rows, strict=True):
            yield line
            for name in self.domains:
                example = row["domains"][name].get("example")
                if example:
                    yield f"    {name}: {example['source']}"
                    yield f"    {' ' * len(name)}  {example['target']}"

    def _cells(self, row: Row) -> list[str]:
        domains = [row["domains"][name] for name in self.domains]
        return [
            row["word"],
            f"{row['score']:.2f}",
            " / ".join(f"{domain['evidence']:.0f}" for domain in domains),
            *(
                " ".join(
                    f"{word} {p:.2f} ({domain['links'][word]:.0f})"
                    for word, p in domain["translations"].items()
                )
                for domain in domains
            ),
        ]


def contrast_domains(
    model: AlignmentModel,
    domains: tuple[str, str],
    direction: str,
    text: DomainText,
    *,
    limit: int,
    examples: bool = False,
    threads: int = 1,
) -> ContrastTable:
    """The words that two domains translate most differently, the clearest first.

    text: the words' evidence is counted on it, best on the training text; it is aligned, and only
        translations with links in a domain are shown as the domain's
    limit: words; examples: add a pair of the text for each word and domain

    Raises UsageError for a domain that the model does not have.
    """
    numbers = [model.domain_number(name) for name in domains]
    given = text.encoded.source if direction == "s2t" else text.encoded.target
    evidence = expected_occurrences(given, text.posterior)
    first, second = (model.lexicon(direction, name) for name in domains)
    linked = _linked(model, text, numbers, direction, threads)
    words = contrast(
        first,
        second,
        evidence[numbers],
        smoothing=model.options.domain_smoothing,
        limit=limit,
        linked=linked,
    )
    vocabularies = first.given_vocabulary.words, first.generated_vocabulary.words
    rows = _rows(words, domains, vocabularies)
    _add_links(rows, words, domains, vocabularies[1], linked)
    if examples:
        _add_examples(rows, words, text, dict(zip(domains, numbers, strict=True)), direction)
    return ContrastTable(domains, direction, rows)


def _linked(
    model: AlignmentModel, text: DomainText, domains: Sequence[int], direction: str, threads: int
) -> LinkedWords:
    """The links of a text, counted in some domains."""
    links = model.align(text.bitext, threads=threads, posterior=text.posterior)
    sides = text.encoded.source, text.encoded.target
    given, generated = sides if direction == "s2t" else sides[::-1]
    return LinkedWords.of(links, given, generated, text.posterior[:, domains], direction)


def _rows(
    words: Contrast, names: Sequence[str], vocabularies: tuple[Sequence[str], Sequence[str]]
) -> list[Row]:
    given, generated = vocabularies
    return [
        {
            "word": given[word],
            "score": round(float(words.score[row]), 4),
            "divergence": round(float(words.divergence[row]), 4),
            "domains": {
                name: {
                    "evidence": round(float(words.evidence[side, row]), 1),
                    "translations": {
                        generated[translation]: round(p, 4)
                        for translation, p in words.translations[side][row]
                    },
                }
                for side, name in enumerate(names)
            },
        }
        for row, word in enumerate(words.words.tolist())
    ]


def _add_links(
    rows: list[Row],
    words: Contrast,
    names: Sequence[str],
    generated: Sequence[str],
    linked: LinkedWords,
) -> None:
    """Add to each word and domain the expected links of its translations."""
    for number, (word, row) in enumerate(zip(words.words, rows, strict=True)):
        for side, name in enumerate(names):
            other = np.array([k for k, _ in words.translations[side][number]], np.int32)
            counts = linked.count(side, np.full(len(other), word), other).tolist()
            row["domains"][name]["links"] = {
                generated[k]: round(count, 1) for k, count in zip(other, counts, strict=True)
            }


def _add_examples(
    rows: list[Row],
    words: Contrast,
    text: DomainText,
    numbers: dict[str, int],
    direction: str,
) -> None:
    """Add to each word and domain a pair in which the word occurs, or None."""
    sides = (text.encoded.source, text.encoded.target)
    given, generated = sides if direction == "s2t" else sides[::-1]
    for number, (word, row) in enumerate(zip(words.words.tolist(), rows, strict=True)):
        for side, (name, domain) in enumerate(numbers.items()):
            translations = words.translations[side][number]
            posterior = text.posterior[:, domain]
            example = find_example(given, generated, posterior, word, translations)
            row["domains"][name]["example"] = example and {
                "line": example.pair + 1,
                "probability": round(example.probability, 6),
                **text.words(example.pair),
            }
