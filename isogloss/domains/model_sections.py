"""What a report says of a model: options, likelihoods, domains and how they translate words."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from isogloss.align.domains.summary import summarize
from isogloss.align.model.model import AlignmentModel

from ..pages.report import Example, Examples, Note, Part, Section, Table
from ..pages.sections.alignments import likelihood_charts
from .contrast import contrast_domains
from .domain_text import DomainText
from .tables import entropy_rows

__all__ = ["domain_section", "model_section"]

_MOST = 10_000  # sentence pairs that contrasts are counted on
_WORDS = 6  # of a domain
_TRANSLATIONS = 3
_NO_SCORE = "0.00"  # of a word that is translated alike


def model_section(model: AlignmentModel, title: str, files: Sequence[Path]) -> Section:
    """Size, options and likelihoods of a model."""
    options = {
        name: value for name, value in vars(model.options).items() if not isinstance(value, dict)
    }
    size = Table(
        "Model",
        ("", ""),
        [
            ("domains", ", ".join(model.domains)),
            ("source word types", f"{len(model.source_vocabulary) - 1:,}"),
            ("target word types", f"{len(model.target_vocabulary) - 1:,}"),
            ("word pairs", f"{len(model.index):,}"),
            ("iterations", str(len(model.trace))),
        ],
        text_columns=2,
    )
    table = Table(
        "Options", ("option", "value"), list(options.items()), text_columns=2, folded=True
    )
    return Section(title, [size, *likelihood_charts(model.trace), table], files)


def domain_section(
    model: AlignmentModel, text: DomainText | None, files: Sequence[Path], threads: int
) -> Section:
    """Shares, entropies and contrasts of the domains of a model; nothing of a single domain."""
    parts: list[Part] = []
    if len(model.domains) > 1:
        if text is not None:
            parts += _shares(model, text)
            parts += _contrasts(model, text, threads)
        parts += _entropies(model, text)
    return Section("Domains", parts, files)


def _shares(model: AlignmentModel, text: DomainText) -> Iterator[Part]:
    summary = summarize(text.bitext, text.posterior)
    rows = [
        (name, f"{100 * share:.1f}", f"{count:,}")
        for name, share, count in zip(
            model.domains, summary.share.tolist(), summary.count.tolist(), strict=True
        )
    ]
    yield Table(
        f"Domains of {summary.num_pairs:,} sentence pairs",
        ("domain", "share (%)", "pairs by most likely domain"),
        rows,
    )
    yield Note(
        f"The mean entropy of P(domain) is {summary.entropy:.3f} bits. These "
        "probabilities are not calibrated: most are close to 0 or 1, even if the domain is wrong."
    )


def _entropies(model: AlignmentModel, text: DomainText | None) -> Iterator[Part]:
    rows = [
        (row["domain"], row["direction"], f"{row['bits']:.3f}", f"{row['bits_all_words']:.3f}")
        for row in entropy_rows(model, text)
    ]
    columns = ("domain", "direction", "bits, words of the domain", "bits, all words")
    yield Table("Conditional entropy of the lexical tables", columns, rows, text_columns=2)


def _contrasts(model: AlignmentModel, text: DomainText, threads: int) -> Iterator[Part]:
    """The words that each domain translates most differently from all others, with examples."""
    size = min(len(text.bitext), _MOST)
    some = DomainText(text.bitext[:size], text.encoded[:size], text.posterior[:size])
    for name in model.domains[:-1]:  # without the out-domain
        table = contrast_domains(
            model, (name,), "s2t", some, limit=_WORDS, examples=True, threads=threads
        )
        rows = [row for row in table.rows if _shown_score(row) != _NO_SCORE]
        if not rows:
            yield Note(f"No word is translated differently in {name}.")
            continue
        yield Table(
            f"Words translated differently in {name}",
            ("word", name, table.domains[1], "score"),
            list(_contrast_rows(table.domains, rows)),
            text_columns=3,
        )
        examples = list(_contrast_examples(table.domains, rows))
        yield Examples(f"Examples of {name}", examples, folded=True)
    if size < len(text.bitext):
        yield Note(f"These words were counted on the first {size:,} sentence pairs.")


def _shown_score(row: Mapping[str, Any]) -> str:
    return f"{row['score']:.2f}"


def _contrast_rows(
    domains: Sequence[str], rows: Sequence[Mapping[str, Any]]
) -> Iterator[Sequence[object]]:
    for row in rows:
        sides = [
            ", ".join(
                f"{word} {p:.2f}"
                for word, p in list(row["domains"][name]["translations"].items())[:_TRANSLATIONS]
            )
            for name in domains
        ]
        yield row["word"], *sides, _shown_score(row)


def _contrast_examples(
    domains: Sequence[str], rows: Sequence[Mapping[str, Any]]
) -> Iterator[Example]:
    for row in rows:
        for name in domains:
            example = row["domains"][name].get("example")
            if example:
                title = f"{row['word']}, {name}, line {example['line']}"
                yield Example(title, [("source", example["source"]), ("target", example["target"])])
