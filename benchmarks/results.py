"""Scores of systems on gold texts: printed, compared, kept for a file."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from mixtures import Gold, Mixture
from numpy.typing import NDArray
from scores import bootstrap, score, sentence_counts

from isogloss.align import Links

__all__ = ["COLUMNS", "HEURISTICS", "OURS", "Results", "name_of", "print_claims", "print_means"]

HEURISTICS = ("intersection", "grow-diag-final", "grow-diag-final-and")
OURS = "ours"  # links of mean posterior 0.5 or more
COLUMNS = (*HEURISTICS, OURS)
BEST = "best"  # the best column of a system on the text itself

# system and column less system and column
CLAIMS = (
    ("best-flat", OURS, "eflomal", BEST),
    ("best-latent", OURS, "best-flat", OURS),
    ("paper-all", "grow-diag-final", "paper-flat", "grow-diag-final"),
    ("smoothed-all", "grow-diag-final", "paper-flat", "grow-diag-final"),
    ("smoothed-all", "grow-diag-final-and", "paper-flat", "grow-diag-final-and"),
    ("shuffled-all", "grow-diag-final", "paper-flat", "grow-diag-final"),
)

Counts = NDArray[np.int64]


@dataclass
class Results:
    """What was found on some gold texts.

    counts: system, text -> column -> per-sentence counts, see scores.py
    tests: names of the texts on which no setting was chosen
    record: everything, for --json
    """

    counts: dict[tuple[str, str], dict[str, Counts]] = field(default_factory=dict)
    tests: list[str] = field(default_factory=list)
    record: dict[str, Any] = field(default_factory=dict)

    def add(self, system: str, mixture: Mixture, columns: dict[str, Links]) -> None:
        """Score links of all gold texts and print AER, precision and recall of each column."""
        for column, links in columns.items():
            for gold, own in mixture.by_gold(links):
                counts = sentence_counts(own, gold.links)
                self.counts.setdefault((system, gold.text.name), {})[column] = counts
        for gold in mixture.gold.values():
            shown = []
            for column, counts in self.counts[system, gold.text.name].items():
                ratios = score(counts)
                values = [100 * value for value in (ratios.aer, ratios.precision, ratios.recall)]
                shown.append("{:6.2f} {:5.1f} {:5.1f}".format(*values))
                self.note(values, "aer precision recall", system, gold.text.name, column)
            print(f"  {system:13} {name_of(gold):24} {' | '.join(shown)}", flush=True)

    def note(self, value: Any, *keys: str) -> None:
        """Keep a value for --json."""
        place = self.record
        for key in keys[:-1]:
            place = place.setdefault(key, {})
        place[keys[-1]] = value

    def find(self, system: str, text: str, column: str) -> Counts | None:
        """Counts of a system on a text, of the column of least AER for "best"; None = not run."""
        own = self.counts.get((system, text), {})
        if column == BEST and own:
            return min(own.values(), key=lambda counts: score(counts).aer)
        return own.get(column)

    @classmethod
    def merged(cls, parts: Iterable["Results"]) -> "Results":
        """Those of several set-ups, without their records."""
        whole = cls()
        for part in parts:
            whole.counts |= part.counts
            whole.tests += part.tests
        return whole


def name_of(gold: Gold) -> str:
    """Short name of a gold text, with a star where settings were chosen on it."""
    return gold.text.name.removesuffix("/test") + (" *" if gold.text.dev else "")


def print_claims(results: Results) -> None:
    """Differences on each test text and on average, with their intervals."""
    print("  differences of AER, 95 % intervals by paired bootstrap of sentence pairs")
    for system, column, other, other_column in CLAIMS:
        found = {
            text: (results.find(system, text, column), results.find(other, text, other_column))
            for text in results.tests
        }
        pairs = {text: (a, b) for text, (a, b) in found.items() if a is not None and b is not None}
        if not pairs:
            continue
        claim = f"{system} ({column}) - {other} ({other_column})"
        print(f"  {claim}")
        cases = {text: [pair] for text, pair in pairs.items()}
        if len(pairs) > 1:
            cases[f"mean of {len(pairs)}"] = list(pairs.values())
        for text, own in cases.items():
            difference = bootstrap(own)
            print(f"    {text:34} {difference}")
            results.note(vars(difference), "differences", claim, text)


def print_means(results: Results) -> None:
    """Mean AER over the test texts: each column, and the best column of each text."""
    columns = (*COLUMNS, BEST)
    print(f"  mean AER over {len(results.tests)} texts: {', '.join(COLUMNS)}, best of each text")
    for system in dict.fromkeys(system for system, _ in results.counts):
        means = []
        for column in columns:
            found = [results.find(system, text, column) for text in results.tests]
            errors = [100 * score(counts).aer for counts in found if counts is not None]
            means.append(float(np.mean(errors)) if len(errors) == len(found) else None)
        print(f"  {system:13} {' '.join('      -' if x is None else f'{x:7.2f}' for x in means)}")
        results.note(dict(zip(columns, means, strict=True)), "mean AER", system)
