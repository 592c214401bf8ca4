"""A template with what is the same for all: rewritten words, domain-crossed names, a cut-off."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from inspect import unwrap
from reprlib import repr as shortened
from traceback import extract_tb
from typing import ParamSpec, TypeVar

import numpy as np
from numpy.typing import NDArray

from isogloss.align.errors import IsoglossError, UsageError

from ..feature_names import escape_word, is_template_name
from ..table.phrase_table import PhraseTable
from .blocks import (
    BlockTemplate,
    Entries,
    FeatureHits,
    Labels,
    OrientationTemplate,
    RuleBlock,
)
from .likeliest_domain import DOMAIN_SCORES, likeliest_domains
from .protocol import Application, Rule, RuleTemplate, StateTemplate, table_rules
from .word_maps import WordMaps, needed_counts

__all__ = ["RuleVariant", "StateVariant", "feature_sums", "least_frequent"]

_Of = ParamSpec("_Of")
_Named = TypeVar("_Named")
_UNFIT = re.compile(r"[\s|=:\0]")  # what Moses does not read back, see features/feature_names.py


def feature_sums(
    parts: Iterable[Entries], counts: NDArray[np.float64]
) -> Iterator[tuple[str, float]]:
    """Names, each with the sum of c(f, e) over the rules that it fires on, once each.

    counts: float64[num_rules], c(f, e)
    """
    for part in parts:
        sums = np.bincount(part.feature, counts[part.rule], minlength=len(part.names))
        yield from zip(part.names, sums.tolist(), strict=True)


def least_frequent(sums: Mapping[str, float], minimum: float) -> frozenset[str]:
    """Names whose sum is ``minimum`` at least; sums of fractions are rounded."""
    return frozenset(name for name, value in sums.items() if round(value, 6) >= minimum)


def _renamed(name: str, spec: str, suffix: str, domain: str) -> str:
    """A name with the marks of a variant; checked, as templates may be the user's own."""
    template, mark, rest = name.partition("_") if isinstance(name, str) else ("", "", "")
    if not (mark and is_template_name(template)) or _UNFIT.search(rest):
        raise UsageError(
            f"template {spec!r} returns the feature name {name!r}; expected TEMPLATE_PART without "
            "whitespace, | = and :, as returned by feature_name"
        )
    return (
        f"{template}{suffix}@{escape_word(domain)}_{rest}"
        if domain
        else (f"{template}{suffix}_{rest}")
    )


def _named(
    spec: str, method: Callable[_Of, Iterable[_Named]], *of: _Of.args, **more: _Of.kwargs
) -> Iterator[_Named]:
    """What a template names. Raises UsageError for what the user's own raises, with its place."""
    try:
        yield from method(*of, **more)
    except (IsoglossError, MemoryError):
        raise
    except Exception as error:  # whatever the user's code may raise
        said = " ".join([f"{type(error).__name__}:", *str(error).split()]).removesuffix(":")
        raise UsageError(
            f"template {spec!r} raised {said}{_place(error, method)}; it must return feature "
            "names. Correct or remove the template"
        ) from error


def _place(error: Exception, method: Callable[..., object]) -> str:
    """The file and line of a method that an error passed through, in brackets, or nothing."""
    code = getattr(unwrap(method), "__code__", None)
    file = code.co_filename if code else None
    lines = [at.lineno for at in extract_tb(error.__traceback__) if at.filename == file]
    return f" ({file}, line {lines[-1]})" if lines else ""


def _pair(spec: str, named: object) -> tuple[Rule, str]:
    """The rule and the name that a state template gives; the name is checked elsewhere."""
    if isinstance(named, tuple | list) and len(named) == 2 and isinstance(named[0], Rule):
        return named[0], named[1]
    raise UsageError(
        f"template {spec!r} returns {shortened(named)}; expected pairs of a rule and a feature "
        "name. Correct or remove the template"
    )


@dataclass(frozen=True)
class RuleVariant:
    """A rule template with the options of a specification; it is a rule template itself.

    template: what is varied
    spec: how messages call it
    word_maps: what the template sees instead of words
    domain_scores: columns whose largest is the domain that names are crossed with, see
        :func:`isogloss.features.templates.likeliest_domain.likeliest_domains`; empty: names aren't
        crossed
    minimum: least sum of c(f, e) over the rules that a feature fires on
    kept: names of the features that reach the minimum, None before :class:`TemplateFeatures` has
        counted, or where the rule's own count decides
    """

    template: RuleTemplate
    spec: str
    word_maps: WordMaps = field(default_factory=WordMaps)
    domain_scores: str = ""
    minimum: float = 0.0
    kept: frozenset[str] | None = None

    @property
    def is_of_one_rule(self) -> bool:
        """Whether each feature fires on one rule only, so that this one's count is the sum."""
        return not self.word_maps and getattr(self.template, "one_rule", False)

    @property
    def needs_fit(self) -> bool:
        """Whether features are to be counted before it can be used."""
        return self.minimum > 0 and self.kept is None and not self.is_of_one_rule

    def rule_features(self, rule: Rule) -> Iterator[str]:
        """Names that the rule has."""
        if (self.domain_scores and not rule.domain) or (
            self.is_of_one_rule and rule.count < self.minimum
        ):
            return
        domain = rule.domain if self.domain_scores else ""
        mapped = self.word_maps.of(rule)
        for plain_name in _named(self.spec, self.template.rule_features, mapped):
            name = _renamed(plain_name, self.spec, self.word_maps.suffix, domain)
            if self.kept is None or name in self.kept:
                yield name

    def entries(self, table: PhraseTable, block: RuleBlock) -> list[Entries]:
        """The features of a table's rules; ``block`` holds them, their words mapped."""
        if self.minimum and self.kept is None:
            needed_counts(table)
        if not isinstance(self.template, BlockTemplate):
            return [self._called(table)]
        parts = list(self._fired(self.template, table, block))
        return parts if self.kept is None else [part.keep(self.kept) for part in parts]

    def _fired(
        self, template: BlockTemplate, table: PhraseTable, block: RuleBlock
    ) -> Iterator[Entries]:
        domains = likeliest_domains(table, self.domain_scores) if self.domain_scores else None
        for plain_hits in template.block_features(block):
            hits = replace(plain_hits, template=f"{plain_hits.template}{self.word_maps.suffix}")
            if self.minimum and self.is_of_one_rule:
                hits = hits.select(table.counts[hits.rule, 2] >= self.minimum)
            yield hits.crossed(*domains) if domains else hits.entries()

    def _called(self, table: PhraseTable) -> Entries:
        numbers: dict[str, int] = {}
        rows: list[tuple[int, int, int]] = []
        for row, rule in enumerate(table_rules(table, self.domain_scores)):
            for name, count in Counter(self.rule_features(rule)).items():
                rows.append((row, numbers.setdefault(name, len(numbers)), count))
        columns = np.array(rows, np.int64).reshape(-1, 3).T
        return Entries(list(numbers), *columns)


@dataclass(frozen=True)
class StateVariant:
    """A state template with the options of a specification; it is a state template itself.

    template, spec, word_maps: as in :class:`RuleVariant`
    crossed: names are crossed with the domain of the rule that they describe; without: no feature
    minimum: least c(f, e) of that rule
    """

    template: StateTemplate
    spec: str
    word_maps: WordMaps = field(default_factory=WordMaps)
    crossed: bool = False
    minimum: float = 0.0

    def state_features(
        self, application: Application, previous: Application | None
    ) -> Iterator[tuple[Rule, str]]:
        """Names, each with the rule that it describes."""
        if self.word_maps:
            application = replace(application, rule=self.word_maps.of(application.rule))
            if previous is not None:
                previous = replace(previous, rule=self.word_maps.of(previous.rule))
        named = _named(self.spec, self.template.state_features, application, previous)
        for rule, name in map(partial(_pair, self.spec), named):
            if rule.count >= self.minimum and (rule.domain or not self.crossed):
                domain = rule.domain if self.crossed else ""
                yield rule, _renamed(name, self.spec, self.word_maps.suffix, domain)

    def orientation_features(
        self, table: PhraseTable
    ) -> Iterator[tuple[FeatureHits, Labels, NDArray[np.bool_]]]:
        """Features by the neighbors' orientation, for a template that works on blocks of rules.

        Hits, the first parts of their names, and when they fire: bool[n, 2, 3], see
        :class:`isogloss.features.templates.blocks.OrientationTemplate`.
        """
        assert isinstance(self.template, OrientationTemplate)
        domains, numbers = likeliest_domains(table, DOMAIN_SCORES) if self.crossed else ((), None)
        block = RuleBlock.build(table, self.word_maps.source, self.word_maps.target)
        for plain_hits, fires in self.template.orientation_features(block):
            hits = replace(plain_hits, template=f"{plain_hits.template}{self.word_maps.suffix}")
            kept = table.counts[hits.rule, 2] >= self.minimum
            if numbers is not None:
                kept &= numbers[hits.rule] >= 0
            if not kept.all():
                hits, fires = hits.select(kept), fires[kept]
            yield hits, hits.heads(domains, numbers), fires
