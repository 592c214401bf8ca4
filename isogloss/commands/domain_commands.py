"""What a model says about words and domains: lexicon, priors, domains."""

import argparse
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from align import AlignmentModel, Bitext, UsageError
from align.domains.contrast import (
    HALF_CONTEXTS,
    HALF_OCCURRENCES,
    Contrast,
    contrast,
    expected_occurrences,
    find_example,
    sample_contexts,
)
from align.domains.summary import DomainSummary, format_instance_weights, summarize, typical_pairs
from align.files.writers import write_lines
from align.lexicon.eflomal_priors import write_priors
from align.lexicon.formats import write_lexicon
from align.lexicon.tables import conditional_entropy, coverage
from align.model.latent_domain import format_posteriors
from align.model.store import load_model
from align.text.readers import read_bitext, read_links

from ..console import Console
from ..report import format_table, write_rows
from .bitext_options import bitext_form

__all__ = ["domains", "lexicon", "priors"]

Options = argparse.Namespace
_Row = dict[str, Any]


def lexicon(options: Options, console: Console) -> None:
    """Write a lexical table in the format of another program."""
    model = load_model(options.model)
    write_lexicon(
        model.lexicon(options.direction, options.domain),
        options.output,
        options.format,
        options.min_prob,
        model=Path(options.model).resolve().name,
        domain=options.domain,
    )


def priors(options: Options, console: Console) -> None:
    """Count eflomal priors on a text and its links."""
    target, *files = options.target, options.forward, options.reverse
    if files[1] is None:  # SRC FORWARD REVERSE, a bitext in one file
        target, files = None, [target, files[0]]
    if None in files:
        raise UsageError("give both FORWARD and REVERSE; symmetrised links may be given twice")
    bitext = read_bitext(options.source, target, **bitext_form(options))
    links = []
    for path in files:
        links.append(read_links(path))
        links[-1].check_range(bitext.source.lengths, bitext.target.lengths, path)
    write_priors(bitext, links[0], links[1], options.output)


def domains(options: Options, console: Console) -> None:
    """P(D | f, e) of a text, or what tells the domains of a model apart."""
    if options.json and not (options.summary or options.top or options.contrast or options.entropy):
        raise UsageError("--json goes with --summary, --top, --contrast or --entropy")
    if options.summary and (options.top or options.contrast or options.entropy):
        raise UsageError("--summary goes with the posteriors or with --instance-weights")
    if options.examples and not (options.contrast and options.source):
        raise UsageError("--examples goes with --contrast and a text, SRC TGT")
    if not (options.source or options.contrast or options.entropy):
        raise UsageError("give a text, SRC TGT, or --contrast A,B, or --entropy")
    model = load_model(options.model)
    if options.contrast:
        _contrast(options, console, model)
    elif options.entropy:
        _entropy(options, model)
    elif options.top:
        _top(options, model)
    else:
        _posteriors(options, console, model)


@dataclass(frozen=True)
class _Text:
    """A bitext in its own words, the same in the model's, and P(D | f, e) of each pair.

    own, coded: a word that the model does not know is -1 in the second only
    posterior: float64[num_pairs, D]
    """

    own: Bitext
    coded: Bitext
    posterior: NDArray[np.float64]

    @classmethod
    def read(cls, options: Options, model: AlignmentModel) -> "_Text":
        form = bitext_form(options) | {"max_length": options.max_length}
        own = read_bitext(options.source, options.target, **form)
        coded = Bitext.unlabelled(
            own.source.over(model.source_vocabulary),
            own.target.over(model.target_vocabulary),
        )
        return cls(own, coded, model.domain_posteriors(coded, options.threads))

    def words(self, pair: int) -> dict[str, str]:
        """Both sides of a pair as text."""
        own = self.own
        return {
            "source": " ".join(own.source.words(pair)),
            "target": " ".join(own.target.words(pair)),
        }


def _posteriors(options: Options, console: Console, model: AlignmentModel) -> None:
    weights = options.instance_weights
    number = model.domain_number(weights) if weights else 0
    text = _Text.read(options, model)
    if options.output or not (options.summary and options.json):
        lines = (
            format_instance_weights(text.posterior[:, number])
            if weights
            else format_posteriors(model.domains, text.posterior)
        )
        write_lines(lines, options.output)
    if options.summary:
        _show_summary(options, console, model, summarize(text.own, text.posterior))


def _show_summary(
    options: Options, console: Console, model: AlignmentModel, summary: DomainSummary
) -> None:
    shares = zip(model.domains, summary.share.tolist(), summary.count.tolist(), strict=True)
    if options.json:
        value = {
            "pairs": summary.num_pairs,
            "empty_pairs": summary.num_unusable,
            "entropy_bits": round(summary.entropy, 4),
            "domains": {
                name: {"share": round(share, 6), "pairs": count} for name, share, count in shares
            },
        }
        write_lines([_as_json(value)], None)
        return
    rows = [(name, f"{100 * share:.2f} %", count) for name, share, count in shares]
    console.error(
        format_table("", ("domain", "expected share", "pairs"), rows)
        + f"{summary.num_pairs} pairs, mean entropy {summary.entropy:.4f} bits"
        + (f"; {summary.num_unusable} with an empty side left out" if summary.num_unusable else "")
    )


def _top(options: Options, model: AlignmentModel) -> None:
    """The most typical pairs of one domain, or of each."""
    names = (options.domain,) if options.domain else model.domains
    numbers = {name: model.domain_number(name) for name in names}
    text = _Text.read(options, model)
    rows = []
    for name, number in numbers.items():
        pairs, scores = typical_pairs(text.own, text.posterior, number, options.top)
        for pair, score in zip(pairs.tolist(), scores.tolist(), strict=True):
            rows.append(
                {
                    "domain": name,
                    "line": pair + 1,
                    "probability": round(float(text.posterior[pair, number]), 6),
                    "log_odds_per_word": round(score, 4),
                    **text.words(pair),
                }
            )
    _write(options, rows, rows, lambda: _pairs_as_text(rows))


def _pairs_as_text(rows: list[_Row]) -> Iterator[str]:
    for row in rows:
        yield f"{row['domain']}, line {row['line']}, log-odds per word {row['log_odds_per_word']}"
        yield f"  {row['source']}"
        yield f"  {row['target']}"


def _entropy(options: Options, model: AlignmentModel) -> None:
    """H of each table in bits per word, under the domain's own words and under those of all."""
    text = _Text.read(options, model) if options.source else None
    rows: list[_Row] = []
    for direction in ("s2t", "t2s"):
        given = _given(direction)
        own = all_words = None
        if text:
            own = expected_occurrences(getattr(text.coded, given), text.posterior)
            all_words = own.sum(0)
        for number, name in enumerate(model.domains):
            table = model.lexicon(direction, name)
            types = np.ones(len(table.given_vocabulary))
            types[0] = 0.0
            rows.append(
                {
                    "domain": name,
                    "direction": direction,
                    "bits": conditional_entropy(table, types if own is None else own[number]),
                    "bits_all_words": conditional_entropy(
                        table, types if all_words is None else all_words
                    ),
                    "covered": coverage(table, types if all_words is None else all_words),
                    "weights": "text" if text else "types",
                }
            )
    rounded = [{k: round(v, 4) if isinstance(v, float) else v for k, v in r.items()} for r in rows]
    _write(options, rounded, rounded, lambda: _table_lines(rounded))


def _given(direction: str) -> str:
    return "source" if direction == "s2t" else "target"


def _table_lines(rows: list[_Row]) -> list[str]:
    return format_table("", list(rows[0]), [list(row.values()) for row in rows]).splitlines()


def _contrast(options: Options, console: Console, model: AlignmentModel) -> None:
    """The words that two domains translate most differently."""
    names = options.contrast.split(",")
    if len(names) != 2 or names[0] == names[1]:
        raise UsageError(f"--contrast {options.contrast!r}; expected two domains, A,B")
    numbers = [model.domain_number(name) for name in names]
    direction = options.direction
    text = _Text.read(options, model) if options.source else None
    evidence, half = _evidence(model, text, direction)
    first, second = (model.lexicon(direction, name) for name in names)
    found = contrast(
        first, second, evidence[numbers], half=half,
        smoothing=model.options.domain_smoothing, limit=options.limit,
    )  # fmt: skip
    if not len(found):
        console.error(f"warning: no word has evidence in both {names[0]} and {names[1]}")
    words = (first.given_vocabulary.words, first.generated_vocabulary.words)
    rows = _contrast_rows(found, names, words)
    if text and options.examples:
        _add_examples(rows, found, text, dict(zip(names, numbers, strict=True)), direction)
    value = {
        "domains": names,
        "direction": direction,
        "evidence": "expected occurrences in the text" if text else "contexts in the seed samples",
        "words": rows,
    }
    flat = [_flat(row, names) for row in rows]
    _write(options, value, flat, lambda: _contrast_text(rows, names))


def _evidence(
    model: AlignmentModel, text: _Text | None, direction: str
) -> tuple[NDArray[np.float64], float]:
    """Evidence of each domain and given word, and the evidence that counts half."""
    side = _given(direction)
    if text:
        return expected_occurrences(getattr(text.coded, side), text.posterior), HALF_OCCURRENCES
    if model.language_models is None or model.language_models.source[0].order < 2:
        raise UsageError(
            "the model has no language models to take the words' evidence from; give a text, "
            "SRC TGT"
        )
    vocabulary = getattr(model, f"{side}_vocabulary")
    return sample_contexts(getattr(model.language_models, side), vocabulary), HALF_CONTEXTS


def _contrast_rows(
    found: Contrast, names: Sequence[str], words: tuple[Sequence[str], Sequence[str]]
) -> list[_Row]:
    given, generated = words
    return [
        {
            "word": given[word],
            "score": round(float(found.score[row]), 4),
            "divergence": round(float(found.divergence[row]), 4),
            "domains": {
                name: {
                    "evidence": round(float(found.evidence[side, row]), 1),
                    "translations": {
                        generated[own]: round(p, 4) for own, p in found.translations[side][row]
                    },
                }
                for side, name in enumerate(names)
            },
        }
        for row, word in enumerate(found.words.tolist())
    ]


def _add_examples(
    rows: list[_Row], found: Contrast, text: _Text, numbers: dict[str, int], direction: str
) -> None:
    """Add to each word and domain a pair in which the word occurs, or None."""
    sides = (text.coded.source, text.coded.target)
    given, generated = sides if direction == "s2t" else sides[::-1]
    for place, (word, row) in enumerate(zip(found.words.tolist(), rows, strict=True)):
        for side, (name, number) in enumerate(numbers.items()):
            best = found.translations[side][place]
            example = find_example(given, generated, text.posterior[:, number], word, best)
            row["domains"][name]["example"] = example and {
                "line": example.pair + 1,
                "probability": round(example.probability, 6),
                **text.words(example.pair),
            }


def _flat(row: _Row, names: Sequence[str]) -> _Row:
    """A row of the TSV: translations as `word p word p`, words hold no blanks."""
    flat: _Row = {key: row[key] for key in ("word", "score", "divergence")}
    for name in names:
        flat[f"evidence.{name}"] = row["domains"][name]["evidence"]
    for name in names:
        pairs = row["domains"][name]["translations"].items()
        flat[f"translations.{name}"] = " ".join(f"{word} {p:.4f}" for word, p in pairs)
    for name in names:
        if "example" in row["domains"][name]:
            example = row["domains"][name]["example"] or {}
            for key in ("line", "source", "target"):
                flat[f"{key}.{name}"] = example.get(key, "")
    return flat


def _contrast_text(rows: list[_Row], names: Sequence[str]) -> Iterator[str]:
    """An aligned table; below each word its examples."""
    columns = ("word", "score", "evidence", *names)
    cells = []
    for row in rows:
        own = [row["domains"][name] for name in names]
        cells.append(
            [
                row["word"],
                f"{row['score']:.2f}",
                " / ".join(f"{one['evidence']:.0f}" for one in own),
                *(_translations(one["translations"]) for one in own),
            ]
        )
    header, *lines = format_table("", columns, cells).splitlines()
    yield header
    for line, row in zip(lines, rows, strict=True):
        yield line
        for name in names:
            example = row["domains"][name].get("example")
            if example:
                yield f"    {name}: {example['source']}"
                yield f"    {' ' * len(name)}  {example['target']}"


def _translations(found: dict[str, float]) -> str:
    return " ".join(f"{word} {p:.2f}" for word, p in found.items())


def _write(
    options: Options, value: Any, rows: list[_Row], text: Callable[[], Iterator[str] | list[str]]
) -> None:
    write_rows(value, rows, text, options.output, "json" if options.json else None)


def _as_json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, indent=1)
