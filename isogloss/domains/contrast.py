"""The words that two domains translate most differently, as rows and as text."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isogloss.align.domains.contrast import (
    HALF_CONTEXTS,
    HALF_OCCURRENCES,
    Contrast,
    LinkedWords,
    contrast,
    expected_occurrences,
    find_example,
    sample_contexts,
)
from isogloss.align.errors import UsageError
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
    evidence: what the words' evidence was counted on
    rows: word, score, divergence and, by domain, evidence, translations and perhaps an example
    """

    domains: tuple[str, str]
    direction: str
    evidence: str
    rows: list[Row]

    def values(self) -> Row:
        """All of it, for JSON."""
        return {
            "domains": list(self.domains),
            "direction": self.direction,
            "evidence": self.evidence,
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
            if "links" in domain:
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
                    f"{word} {p:.2f}{_count(domain, word)}"
                    for word, p in domain["translations"].items()
                )
                for domain in domains
            ),
        ]


def _count(domain: Row, word: str) -> str:
    return f" ({domain['links'][word]:.0f})" if "links" in domain else ""


def contrast_domains(
    model: AlignmentModel,
    domains: tuple[str, str],
    direction: str,
    *,
    limit: int,
    text: DomainText | None = None,
    examples: bool = False,
    threads: int = 1,
) -> ContrastTable:
    """The words that two domains translate most differently, the clearest first.

    limit: words; text: what their evidence is counted on, by default the seed samples; it is
        aligned, and only translations with links in a domain are shown as the domain's
    examples: add a pair of the text for each word and domain

    Raises UsageError for a domain that the model does not have, and for a model without language
    models where no text is given.
    """
    numbers = [model.domain_number(name) for name in domains]
    evidence, half = _evidence(model, text, direction)
    first, second = (model.lexicon(direction, name) for name in domains)
    linked = None if text is None else _linked(model, text, numbers, direction, threads)
    words = contrast(
        first,
        second,
        evidence[numbers],
        half=half,
        smoothing=model.options.domain_smoothing,
        limit=limit,
        linked=linked,
    )
    vocabularies = first.given_vocabulary.words, first.generated_vocabulary.words
    rows = _rows(words, domains, vocabularies)
    if linked is not None:
        _add_links(rows, words, domains, vocabularies[1], linked)
    if text is not None and examples:
        _add_examples(rows, words, text, dict(zip(domains, numbers, strict=True)), direction)
    source = "contexts in the seed samples" if text is None else "expected occurrences in the text"
    return ContrastTable(domains, direction, source, rows)


def _linked(
    model: AlignmentModel, text: DomainText, domains: Sequence[int], direction: str, threads: int
) -> LinkedWords:
    """The links of a text, counted in some domains."""
    links = model.align(text.bitext, threads=threads, posterior=text.posterior)
    sides = text.encoded.source, text.encoded.target
    given, generated = sides if direction == "s2t" else sides[::-1]
    return LinkedWords.of(links, given, generated, text.posterior[:, domains], direction)


def _evidence(
    model: AlignmentModel, text: DomainText | None, direction: str
) -> tuple[NDArray[np.float64], float]:
    """Evidence of each domain and given word, and the evidence that counts half.

    The first is float64[num_domains, num_types].
    """
    side = "source" if direction == "s2t" else "target"
    if text is not None:
        occurrences = expected_occurrences(getattr(text.encoded, side), text.posterior)
        return occurrences, HALF_OCCURRENCES
    if model.language_models is None or model.language_models.source[0].order < 2:
        raise UsageError(
            "the model has no language models to take the words' evidence from; give a text, "
            "SRC TGT"
        )
    vocabulary = getattr(model, f"{side}_vocabulary")
    return sample_contexts(getattr(model.language_models, side), vocabulary), HALF_CONTEXTS


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
