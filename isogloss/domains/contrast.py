"""The words that two domains translate most differently, as rows and as text."""

from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isogloss.align.domains.contrast import (
    Contrast,
    LinkedWords,
    contrast,
    expected_occurrences,
    find_example,
)
from isogloss.align.lexicon.tables import LexicalTable
from isogloss.align.model.model import AlignmentModel

from ..report import table_lines
from .domain_text import DomainText

__all__ = ["ContrastTable", "contrast_domains"]

Row = dict[str, Any]
_OTHERS = "others"  # all domains but one
_LEAST = 1e-300  # in place of no occurrence


@dataclass(frozen=True)
class ContrastTable:
    """Words that two domains translate differently.

    domains: both names
    direction: "s2t" compares t(target | source), "t2s" t(source | target)
    rows: word, score, divergence and, by domain, occurrences, translations and perhaps an example
    """

    domains: tuple[str, str]
    direction: str
    rows: list[Row]

    def values(self) -> Row:
        """All of it, for JSON."""
        return {
            "domains": list(self.domains),
            "direction": self.direction,
            "occurrences": "expected occurrences in the text",
            "words": self.rows,
        }

    def flat_rows(self) -> list[Row]:
        """The rows of a TSV: translations as `word p word p`, words hold no blanks."""
        return [self._flat(row) for row in self.rows]

    def _flat(self, row: Row) -> Row:
        flat: Row = {key: row[key] for key in ("word", "score", "divergence")}
        by_domain = {name: row["domains"][name] for name in self.domains}
        for name, domain in by_domain.items():
            flat[f"occurrences.{name}"] = domain["occurrences"]
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
        columns = ("word", "score", "occurrences", *self.domains)
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
            " / ".join(f"{domain['occurrences']:.0f}" for domain in domains),
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
    domains: tuple[str, ...],
    direction: str,
    text: DomainText,
    *,
    limit: int,
    examples: bool = False,
    stopwords: Set[str] = frozenset(),
    threads: int = 1,
) -> ContrastTable:
    """The words that two domains translate most differently, the clearest first.

    domains: two, or one that is held against all others together
    text: the words' occurrences are counted on it, best on the training text; it is aligned, and
        only translations with links in a domain are shown as the domain's
    limit: words; examples: add a pair of the text for each word and domain
    stopwords: words that are left out, in lower case

    Raises UsageError for a domain that the model does not have.
    """
    given = text.encoded.source if direction == "s2t" else text.encoded.target
    occurrences = expected_occurrences(given, text.posterior)
    names, tables, posterior = _two_sides(model, domains, direction, occurrences, text)
    first, second = tables
    left_out = [word.lower() in stopwords for word in first.given_vocabulary.words]
    linked = _linked(model, text, posterior, direction, threads)
    words = contrast(
        first,
        second,
        np.where(left_out, 0.0, expected_occurrences(given, posterior)),
        smoothing=model.options.domain_smoothing,
        limit=limit,
        linked=linked,
    )
    vocabularies = first.given_vocabulary.words, first.generated_vocabulary.words
    rows = _rows(words, names, vocabularies)
    _add_links(rows, words, names, vocabularies[1], linked)
    if examples:
        shares = dict(zip(names, posterior.T, strict=True))
        _add_examples(rows, words, text, shares, direction)
    return ContrastTable(names, direction, rows)


def _two_sides(
    model: AlignmentModel,
    domains: tuple[str, ...],
    direction: str,
    occurrences: NDArray[np.float64],
    text: DomainText,
) -> tuple[tuple[str, str], tuple[LexicalTable, LexicalTable], NDArray[np.float64]]:
    """Names, tables and P(side | f, e) of what is held against each other."""
    # The posteriors are float64[num_pairs, 2].
    # occurrences: float64[D, num_given_types]; the table of all others has, for each word, those of
    #   the domains by the share of its occurrences that each has of them
    numbers = [model.domain_number(name) for name in domains]
    first = model.lexicon(direction, domains[0])
    if len(domains) == 2:
        second = model.lexicon(direction, domains[1])
        return (domains[0], domains[1]), (first, second), text.posterior[:, numbers]
    rest = [number for number in range(len(model.domains)) if number not in numbers]
    shares = occurrences[rest] / np.maximum(occurrences[rest].sum(0), _LEAST)
    mixed = np.zeros(len(first.given))
    for number, share in zip(rest, shares, strict=True):
        mixed += share[first.given] * model.lexicon(direction, model.domains[number]).probability
    others = replace(first, probability=mixed.astype(np.float32))
    posterior = [text.posterior[:, numbers[0]], text.posterior[:, rest].sum(1)]
    return (domains[0], _OTHERS), (first, others), np.stack(posterior, axis=1)


def _linked(
    model: AlignmentModel,
    text: DomainText,
    posterior: NDArray[np.float64],
    direction: str,
    threads: int,
) -> LinkedWords:
    """The links of a text, counted on both sides. posterior: float64[num_pairs, 2]"""
    links = model.align(text.bitext, threads=threads, posterior=text.posterior)
    sides = text.encoded.source, text.encoded.target
    given, generated = sides if direction == "s2t" else sides[::-1]
    return LinkedWords.of(links, given, generated, posterior, direction)


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
                    "occurrences": round(float(words.occurrences[side, row]), 1),
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
    shares: dict[str, NDArray[np.float64]],
    direction: str,
) -> None:
    """Add to each word and domain a pair in which the word occurs, or None."""
    # shares: P(D | f, e) of each pair by name
    sides = (text.encoded.source, text.encoded.target)
    given, generated = sides if direction == "s2t" else sides[::-1]
    for number, (word, row) in enumerate(zip(words.words.tolist(), rows, strict=True)):
        for side, (name, posterior) in enumerate(shares.items()):
            translations = words.translations[side][number]
            example = find_example(given, generated, posterior, word, translations)
            row["domains"][name]["example"] = example and {
                "line": example.pair + 1,
                "probability": round(example.probability, 6),
                **text.words(example.pair),
            }
