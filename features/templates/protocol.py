"""What a template is: something that names features of a rule, or of a rule after another."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Protocol, runtime_checkable

from ..feature_names import phrase_name
from ..table.phrase_table import PhraseTable
from ..table.phrases import phrase_texts
from .likeliest_domain import likeliest_domains

__all__ = ["Application", "Rule", "RuleTemplate", "StateTemplate", "Template", "table_rules"]


@dataclass(frozen=True)
class Rule:
    """A translation rule as templates see it.

    source, target: its words
    links: inner links, (source position, target position)
    count: c(f, e), 0 where it is not known
    domain: the likeliest one, empty where none is
    """

    source: tuple[str, ...]
    target: tuple[str, ...]
    links: tuple[tuple[int, int], ...] = ()
    count: float = 0.0
    domain: str = ""

    @cached_property
    def name(self) -> str:
        """The rule as two parts of a name, ``la~casa_the~house``."""
        return f"{phrase_name(self.source)}_{phrase_name(self.target)}"

    @property
    def deleted(self) -> list[str]:
        """Source words without a link."""
        return _others(self.source, {j for j, _ in self.links})

    @property
    def inserted(self) -> list[str]:
        """Target words without a link."""
        return _others(self.target, {i for _, i in self.links})


def _others(words: Sequence[str], excluded: set[int]) -> list[str]:
    return [word for position, word in enumerate(words) if position not in excluded]


@dataclass(frozen=True)
class Application:
    """A rule applied to the source words from ``begin`` on."""

    rule: Rule
    begin: int

    @property
    def end(self) -> int:
        """The position after the last word."""
        return self.begin + len(self.rule.source)


@runtime_checkable
class RuleTemplate(Protocol):
    """Features that a rule has wherever it is used."""

    def rule_features(self, rule: Rule) -> Iterable[str]:
        """Names; a name that comes twice counts twice."""
        ...


@runtime_checkable
class StateTemplate(Protocol):
    """Features that depend on the rule applied before, in the order of the target.

    Of a template that says ``of_orientation = True``, only the orientation of the two phrases
    matters, beside the rule that a feature describes: a decoder can search with such a one.
    """

    def state_features(
        self, application: Application, previous: Application | None
    ) -> Iterable[tuple[Rule, str]]:
        """Names, each with the rule that it describes; ``previous`` is None at the start."""
        ...


Template = RuleTemplate | StateTemplate


def table_rules(table: PhraseTable, domain_scores: str = "") -> Iterator[Rule]:
    """The rules of a table, in order.

    domain_scores: columns whose largest is the rule's domain, see :func:`likeliest_domains`;
        empty: domains are not looked for
    """
    source = [tuple(text.split(" ")) for text in phrase_texts(table.source)]
    target = [tuple(text.split(" ")) for text in phrase_texts(table.target)]
    ids = [(k >> 8, k & 255) for k in table.links.ids.tolist()]
    links = (tuple(ids[a:b]) for a, b in pairwise(table.links.offsets.tolist()))
    names, numbers = [""], [0] * len(table)
    if domain_scores:
        domains, best = likeliest_domains(table, domain_scores)
        names, numbers = [*domains, ""], best.tolist()
    columns = (table.rule_source.tolist(), table.rule_target.tolist(), links)
    for left, right, rule_links, count, number in zip(
        *columns, table.counts[:, 2].tolist(), numbers, strict=True
    ):
        yield Rule(source[left], target[right], rule_links, count, names[number])
