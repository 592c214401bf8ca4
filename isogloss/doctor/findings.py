"""What doctor makes of the figures: a finding and a remedy for each thing that looks wrong."""

from dataclasses import dataclass

from isogloss.align.links.files.link_check import LinkCheck

from .examination import Examination
from .labels import LabelCounts
from .misalignment import shifted_lines
from .pair_rules import (
    LONG,
    LOPSIDED,
    judge_alignment,
    judge_languages,
    judge_lengths,
    judge_line_counts,
    judge_repetitions,
)
from .rules import SHOWN_LINES
from .text_rules import (
    STOPPING_FORMS,
    SideForms,
    judge_blanks,
    judge_characters,
    judge_encoding,
    judge_forms,
    judge_tokens,
    refused_sides,
)
from .training_cost import TrainingCost
from .training_rules import cost_text, judge_cost, judge_labels, judge_links

__all__ = ["LEVELS", "Finding", "judge"]

LEVELS = ("warning", "note", "ok")
_STOPPING = frozenset({
    "no-pairs", "line-count", "source-not-utf8", "target-not-utf8", "source-bars", "target-bars",
    "label-count", "bad-labels", "single-label",
})  # fmt: skip


@dataclass(frozen=True)
class Finding:
    """One thing that was looked at.

    level: "warning" = likely to spoil the result or to stop the work, "note" = good to know, "ok";
    topic: what it is about; text: what was seen; remedy: what to do; name: short, none of "ok"
    count: lines (or links) where it was seen; lines: their numbers, the first MOST_LINES
    """

    level: str
    topic: str
    text: str
    remedy: str = ""
    name: str = ""
    count: int = 0
    lines: tuple[int, ...] = ()

    @property
    def stops_align(self) -> bool:
        """Whether align fails on the input because of it."""
        return self.name in _STOPPING or self.name in STOPPING_FORMS

    @property
    def where(self) -> str:
        """The first lines in parentheses, or nothing."""
        shown = ", ".join(map(str, self.lines[:SHOWN_LINES]))
        return f" (first: line {shown})" if shown else ""


def judge(
    seen: Examination,
    cost: TrainingCost,
    labels: LabelCounts | None,
    links: LinkCheck | None,
    forms: SideForms = ((), ()),
) -> tuple[Finding, ...]:
    """All findings, warnings first; a topic without any has one of level "ok"."""
    shifts = shifted_lines(*seen.pair_lengths)
    topics = [
        ("form", "a sentence per line on both sides", judge_forms(seen, forms)),
        ("lines", "both sides have the same number of lines", judge_line_counts(seen, shifts)),
        ("encoding", "UTF-8 without byte order mark, Unix line ends", judge_encoding(seen)),
        ("characters", "no unusual characters", judge_characters(seen)),
        ("blanks", "no blank lines, single spaces between tokens", judge_blanks(seen)),
        ("tokens", "punctuation is split off, casing is consistent", judge_tokens(seen, forms)),
        ("lengths", f"at most {LONG} tokens, length ratio at most {LOPSIDED}", judge_lengths(seen)),
        ("repetitions", "no duplicate pairs, no copied sentences", judge_repetitions(seen)),
        ("alignment", "the lengths of both sides correlate", judge_alignment(seen, shifts)),
        ("languages", "each side is in one language", judge_languages(seen)),
    ]
    if labels is not None:
        topics.append(
            ("labels", "one per pair, enough for each domain", judge_labels(labels, seen.pairs))
        )
    if links is not None:
        topics.append(("links", "each link once and inside its pair", judge_links(links)))
    topics.append(("cost", cost_text(cost), judge_cost(cost)))
    refused = refused_sides(forms) or (" ",)
    findings: list[Finding] = []
    for topic, good, rules in topics:
        bad = [
            Finding(rule.level, topic, rule.text, rule.remedy, rule.name, rule.places, rule.lines)
            for rule in rules
            if topic == "form" or not rule.name.startswith(refused)
        ]
        findings += bad or [Finding("ok", topic, good)]
    return tuple(sorted(findings, key=lambda finding: LEVELS.index(finding.level)))
