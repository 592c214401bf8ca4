"""What looks wrong with labels and links, and what training costs."""

import os
from collections.abc import Iterator

from isogloss.align.errors import pluralize
from isogloss.align.links.files.link_check import LinkCheck, LinkProblem

from .labels import LabelCounts
from .rules import Rule, rule
from .survey import Tally
from .training_cost import TrainingCost

__all__ = ["cost_text", "judge_cost", "judge_labels", "judge_links"]

_SMALL_SEED = 100  # labeled pairs; fewer tell little about a domain


def judge_labels(labels: LabelCounts, pairs: int) -> Iterator[Rule]:
    """A wrong number of labels, lines that are none, domains with few pairs."""
    if labels.lines != pairs:
        yield rule(
            "label-count",
            "warning",
            f"there {'is' if labels.lines == 1 else 'are'} {pluralize(labels.lines, 'label')} for "
            f"{pluralize(pairs, 'pair')}; align fails",
            "Write one domain name per pair, or - for unknown",
        )
    if labels.bad.lines:
        yield rule(
            "bad-labels",
            "warning",
            f"{pluralize(labels.bad.lines, 'line', 'does')} not contain exactly one name; align "
            "fails there",
            "Write - for an unknown domain, and use no whitespace in names",
            labels.bad,
        )
    for domain, number in labels.domains.items():
        if number == 1:
            yield rule(
                "single-label",
                "warning",
                f"the domain {domain} has only 1 labeled pair; align fails",
                f"Label at least {_SMALL_SEED}, preferably hundreds, or omit the domain",
            )
        elif number < _SMALL_SEED:
            yield rule(
                "few-labels",
                "warning",
                f"the domain {domain} has only {pluralize(number, 'labeled pair')}",
                f"Label at least {_SMALL_SEED}, preferably hundreds, or omit the domain",
            )
    if not labels.domains:
        yield rule(
            "no-labels",
            "warning",
            "no pair is labeled",
            "Label some pairs; without labels, align trains a single-domain model",
        )


def judge_links(links: LinkCheck) -> Iterator[Rule]:
    """Links that are malformed, out of range or repeated, and pairs without any."""
    if links.lines != links.pairs:
        yield rule(
            "link-count",
            "warning",
            f"the links have {pluralize(links.lines)} for {pluralize(links.pairs, 'pair')}",
            "Pass the links of this text",
        )
    hint = links.hint[:1].upper() + links.hint[1:]
    explained = "out of range" if links.out_of_range else "malformed"
    kinds = (
        ("malformed", links.malformed),
        ("out of range", links.out_of_range),
        ("repeated", links.repeated),
    )
    for kind, number in kinds:
        if number:
            lines = [problem.line for problem in links.problems if _kind(problem) == kind]
            yield rule(
                f"links-{kind.replace(' ', '-')}",
                "warning",
                f"{pluralize(number, 'link', 'is')} {kind}",
                hint if kind == explained and hint else "List them with `isogloss check`",
                Tally(number, list(dict.fromkeys(lines))),
            )
    if links.without_links:
        yield rule(
            "no-links",
            "note",
            f"{pluralize(links.without_links, 'pair', 'has')} words on both sides but no links",
            "Check whether these pairs are translations",
            Tally(links.without_links, list(links.first_without_links)),
        )


def _kind(problem: LinkProblem) -> str:
    return problem.kind if problem.kind in ("malformed", "out of range") else "repeated"


def cost_text(cost: TrainingCost) -> str:
    """Memory and CPU time of training, in words."""
    return f"training takes about {cost.megabytes:,.0f} MB and {_duration(cost.cpu_seconds)} of CPU"


def judge_cost(cost: TrainingCost) -> Iterator[Rule]:
    """A cost that is beyond the memory of this machine."""
    memory = _physical_megabytes()
    if memory and cost.megabytes > 0.8 * memory:
        yield rule(
            "cost",
            "warning",
            f"{cost_text(cost)}; this machine has {memory:,.0f} MB",
            "Train on a part of the pairs and use `isogloss apply` for the rest, or drop the "
            "longest pairs first",
        )


def _physical_megabytes() -> float:
    """Memory of this machine, 0 where the system does not tell."""
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") / 1e6
    except (AttributeError, OSError, ValueError):
        return 0.0


def _duration(seconds: float) -> str:
    if seconds < 120:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 7200 else f"{seconds / 3600:.1f} h"
