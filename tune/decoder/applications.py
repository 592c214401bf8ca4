"""Translations as templates see them, for features that no search can have."""

from collections.abc import Sequence

from isogloss.features.table.phrase_table import PhraseTable
from isogloss.features.table.rules import rule_range
from isogloss.features.templates.likeliest_domain import likeliest_domains
from isogloss.features.templates.protocol import Application, Rule

from .derivations import Derivations
from .model import Decoder

__all__ = ["rule_applications"]


def rule_applications(
    decoder: Decoder,
    sentence: Sequence[str],
    derivations: Derivations,
    number: int,
    domain_scores: str = "",
) -> list[Application]:
    """The rules that one of a sentence's translations is made of, in the order of the target.

    :class:`isogloss.features.templates.apply.DerivationFeatures` names features of them, also those
    of templates that look at the words of the neighbor. Copied words and fixed translations are
    rules of count -1.

    sentence: its words; domain_scores: as for
        :func:`isogloss.features.templates.protocol.table_rules`
    """
    target = decoder.text(derivations, number).split()
    applications = []
    for begin, end, first, stop, rule in derivations.phrases(number):
        if rule >= 0:
            applied = _rule(decoder.table, rule, domain_scores)
        else:
            applied = Rule(tuple(sentence[begin:end]), tuple(target[first:stop]), count=-1.0)
        applications.append(Application(applied, begin))
    return applications


def _rule(table: PhraseTable, number: int, domain_scores: str) -> Rule:
    entry, domain = table[number], ""
    if domain_scores:
        domains, best = likeliest_domains(rule_range(table, number, number + 1), domain_scores)
        domain = domains[best[0]] if best[0] >= 0 else ""
    source, target = tuple(entry.source.split(" ")), tuple(entry.target.split(" "))
    return Rule(source, target, entry.links, entry.counts[2], domain)
