"""Doctor: what a bitext is like, what is likely to go wrong with it, and what training costs."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from isogloss.align.links.files.link_check import LinkCheck, check_links

from ..report import format_table
from .examination import Examination, LineBlock, examine
from .findings import Finding, judge
from .labels import LabelCounts, count_labels
from .misalignment import length_correlation
from .survey import MOST_LINES
from .text_rules import SideForms
from .training_cost import TrainingCost, training_cost

if TYPE_CHECKING:
    from rich.table import Table

__all__ = [
    "Diagnosis",
    "SideFigures",
    "diagnose",
    "findings_table",
    "format_figures",
    "format_findings",
]

_LONGEST = 3
_PROBLEMS = 10  # of links that are described
_QUANTILES = {"shortest": 0.0, "median": 0.5, "90 %": 0.9, "99 %": 0.99, "longest": 1.0}


@dataclass(frozen=True)
class SideFigures:
    """Figures of one side.

    hapaxes: types that occur once; uppercase, scripts: shares among the letters; lengths: tokens
    per line by quantile; longest: (line, tokens) of the longest lines.
    """

    lines: int
    tokens: int
    types: int
    hapaxes: int
    blank_lines: int
    characters: int
    uppercase: float
    scripts: dict[str, float]
    lengths: dict[str, int]
    longest: tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class Diagnosis:
    """All figures and findings.

    correlation: of the log lengths of both sides, None where it can't be told.
    """

    pairs: int
    source: SideFigures
    target: SideFigures
    correlation: float | None
    repeated_pairs: int
    identical_pairs: int
    estimate: TrainingCost
    labels: LabelCounts | None
    links: LinkCheck | None
    findings: tuple[Finding, ...]


def diagnose(
    blocks: Iterable[LineBlock],
    *,
    labels: Iterable[str] | None = None,
    links: Iterable[str] | None = None,
    lowercase: bool = False,
    forms: SideForms = ((), ()),
) -> Diagnosis:
    """Read a bitext once, then its labels and links, and say what they are like.

    blocks: lines of both sides as bytes, see :func:`isogloss.doctor.examination.blocks_of`.
    labels: a domain name or ``-`` per line; links: Pharaoh text; lowercase: count types as align
    does with that option. forms: what the file of each side was recognized as
    """
    seen = examine(blocks, lowercase)
    label_counts = None if labels is None else count_labels(labels)
    lengths = [side.astype(np.int64) for side in seen.pair_lengths]
    link_check = None
    if links is not None:
        link_check = check_links(links, lengths[0], lengths[1], limit=MOST_LINES)
    # the out-domain comes on top
    domains = len(label_counts.domains) + 1 if label_counts and label_counts.domains else 1
    cost = training_cost(seen.cells, seen.type_pairs, domains)
    correlation = length_correlation(*seen.pair_lengths) if seen.pairs else np.nan
    return Diagnosis(
        pairs=seen.pairs,
        source=_side_figures(seen, 0),
        target=_side_figures(seen, 1),
        correlation=None if np.isnan(correlation) else round(correlation, 4),
        repeated_pairs=seen.repeated.lines,
        identical_pairs=seen.identical.lines,
        estimate=cost,
        labels=label_counts,
        links=link_check and link_check.shortened(_PROBLEMS),
        findings=judge(seen, cost, label_counts, link_check, forms),
    )


def _side_figures(seen: Examination, number: int) -> SideFigures:
    side, lengths = seen.sides[number], seen.lengths[number]
    types = side.lexicon.types(number)
    order = np.argsort(-lengths, kind="stable")[:_LONGEST]
    quantiles = {
        name: int(np.quantile(lengths, share, method="lower")) if len(lengths) else 0
        for name, share in _QUANTILES.items()
    }
    return SideFigures(
        lines=side.lines,
        tokens=side.tokens,
        types=len(types),
        hapaxes=int((types == 1).sum()),
        blank_lines=side.blank.lines,
        characters=side.characters,
        uppercase=round(side.uppercase(), 4),
        scripts={name: round(share, 4) for name, share in list(side.scripts().items())[:3]},
        lengths=quantiles,
        longest=tuple(zip((order + 1).tolist(), lengths[order].tolist(), strict=True)),
    )


def format_figures(diagnosis: Diagnosis) -> str:
    """The tables: both sides, what training costs, labels."""
    columns = [_side_column(side) for side in (diagnosis.source, diagnosis.target)]
    rows = [(name, columns[0][name], columns[1][name]) for name in columns[0]]
    correlation = "-" if diagnosis.correlation is None else diagnosis.correlation
    pairs = [
        ("pairs", diagnosis.pairs),
        ("duplicate pairs", _share(diagnosis.repeated_pairs, diagnosis.pairs)),
        ("same text on both sides", _share(diagnosis.identical_pairs, diagnosis.pairs)),
        ("correlation of log lengths", correlation),
        ("cells (sum of J * I)", diagnosis.estimate.cells),
        ("estimated pairs of word types", diagnosis.estimate.type_pairs),
        ("domains to train", diagnosis.estimate.domains),
        ("estimated memory to train (MB)", diagnosis.estimate.megabytes),
        ("estimated CPU time to train (s)", diagnosis.estimate.cpu_seconds),
    ]
    text = format_table("Sides", ("", "source", "target"), rows)
    text += "\n" + format_table("Pairs", ("", ""), pairs)
    if diagnosis.labels:
        labels = [*diagnosis.labels.domains.items(), ("not labeled", diagnosis.labels.unlabeled)]
        if diagnosis.labels.bad.lines:
            labels.append(("malformed or empty", diagnosis.labels.bad.lines))
        text += "\n" + format_table("Labels", ("domain", "pairs"), labels)
    return text


def _side_column(side: SideFigures) -> dict[str, str]:
    return {
        "lines": str(side.lines),
        "tokens": str(side.tokens),
        "types": str(side.types),
        "types that occur once": _share(side.hapaxes, side.types),
        "blank lines": str(side.blank_lines),
        **{
            f"tokens per line, {name.replace(' %', '%')}": str(length)
            for name, length in side.lengths.items()
        },
        "longest lines": ", ".join(str(line) for line, _ in side.longest),
        "uppercase letters": f"{100 * side.uppercase:.1f}%",
        "scripts": ", ".join(
            f"{name.lower()} {100 * share:.0f}%"
            for name, share in side.scripts.items()
            if share > 0.01
        ),
    }


def _share(part: int, whole: int) -> str:
    return f"{part} ({100 * part / whole:.1f}%)" if whole else "0"


def format_findings(findings: Iterable[Finding]) -> str:
    """A line for what was seen, and one for what to do about it."""
    lines = []
    for finding in findings:
        lines.append(f"{finding.level:7}  {finding.topic}: {finding.text}{finding.where}")
        if finding.remedy:
            lines.append(f"         {finding.remedy}")
    return "Findings\n" + "\n".join(lines) + "\n"


_COLORS = {"warning": "bold red", "note": "yellow", "ok": "green"}


def findings_table(findings: Iterable[Finding]) -> "Table":
    """The same for a terminal."""
    from rich.table import Table
    from rich.text import Text

    table = Table(title="Findings", title_justify="left", box=None, pad_edge=False)
    for column in ("level", "about", "seen", "what to do"):
        table.add_column(column, overflow="fold")
    for finding in findings:
        cells = (finding.level, finding.topic, finding.text + finding.where, finding.remedy)
        table.add_row(*map(Text, cells), style=_COLORS[finding.level])
    return table
