"""What a report says of translations: scores by domain, and the sentences that changed most."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from isogloss.tune.metrics.protocol import Metric
from isogloss.tune.metrics.reports import show
from isogloss.tune.significance import paired_bootstrap, score_system

from ..report import Example, Examples, Part, Table

__all__ = ["TranslatedText", "changed_sentences", "score_tables"]


@dataclass(frozen=True)
class TranslatedText:
    """Translations of a text by several systems, the baseline first.

    translations, statistics: by system: texts, and those of the metric,
        float64[num_sentences, num_statistics]
    references: of each sentence
    source: None where it isn't known; domains: of each sentence, None = not known
    lines: numbers of the sentences, from 1
    """

    metric: Metric
    translations: Mapping[str, Sequence[str]]
    statistics: Mapping[str, NDArray[np.float64]]
    references: Sequence[Sequence[str]]
    lines: Sequence[int]
    source: Sequence[str] | None = None
    domains: Sequence[str] | None = None


def score_tables(text: TranslatedText, threads: int, seed: int = 1) -> Iterator[Part]:
    """Scores of each system, of all sentences and by domain, with 95 % intervals."""
    metric = text.metric
    parts = {"all": np.ones(len(text.lines), bool)}
    if text.domains is not None:
        names = np.array(text.domains)
        parts |= {name: names == name for name in dict.fromkeys(text.domains)}
    rows: list[list[str]] = []
    for part, chosen in parts.items():
        baseline: NDArray[np.float64] | None = None
        for system, statistics in text.statistics.items():
            own = statistics[chosen]
            score = score_system(own, metric, seed=seed, threads=threads)
            cells = [part, f"{int(chosen.sum()):,}", system]
            cells.append(f"{show(metric, score.mean)} {_interval(metric, score.interval)}")
            if baseline is None:
                baseline, change = own, ["", ""]
            else:
                test = paired_bootstrap(baseline, own, metric, seed=seed, threads=threads)
                difference = show(metric, test.difference, "+")
                change = [
                    f"{difference} {_interval(metric, test.interval, '+')}", f"{test.p_value:.3f}"
                ]  # fmt: skip
            rows.append(cells + change)
    columns = ("domain", "sentences", "system", f"{metric.name} [95% CI]", "difference", "p")
    yield Table(f"{metric.name} by domain", columns, rows)


def _interval(metric: Metric, bounds: tuple[float, float], sign: str = "-") -> str:
    low, high = bounds
    return f"[{show(metric, low, sign)}, {show(metric, high, sign)}]"


def changed_sentences(
    text: TranslatedText, before: str, after: str, limit: int = 5
) -> Iterator[Part]:
    """The sentences that got better and worse most, both translations side by side."""
    gains = [text.metric.gains(text.statistics[name]) for name in (before, after)]
    change = gains[1] - gains[0]
    best = np.argsort(-change, kind="stable")[:limit]
    worst = np.argsort(change, kind="stable")[:limit]
    for title, rows, sign in (("most improved", best, 1), ("most worsened", worst, -1)):
        chosen = [row for row in rows.tolist() if sign * change[row] > 0]
        if chosen:
            yield Examples(
                f"Sentences {title}, {before} to {after}",
                [_example(text, row, before, after, gains) for row in chosen],
            )


def _example(
    text: TranslatedText,
    row: int,
    before: str,
    after: str,
    gains: Sequence[NDArray[np.float64]],
) -> Example:
    rows = [] if text.source is None else [("source", text.source[row])]
    rows += [
        ("reference" if len(text.references[row]) == 1 else f"reference {number}", reference)
        for number, reference in enumerate(text.references[row], start=1)
    ]
    rows += [(name, text.translations[name][row]) for name in (before, after)]
    domain = "" if text.domains is None else f", {text.domains[row]}"
    title = (
        f"Line {text.lines[row]}{domain}: sentence-level {text.metric.name} "
        f"{100 * gains[0][row]:.1f} to {100 * gains[1][row]:.1f}"
    )
    return Example(title, rows)
