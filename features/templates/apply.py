"""Sparse features by templates (Green et al. 2013; Chiang 2012): of tables, and of derivations.

See docs/reference/templates.md for the templates, their names, and how to write one.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

from isogloss.align.errors import DataError, UsageError, check_argument
from isogloss.align.execution.calls import public
from isogloss.align.lexicon.word_classes import WordClasses

from ..feature_names import UNKNOWN, FeatureName, feature_name, parse_feature_name
from ..table.phrase_table import PhraseTable
from .blocks import Entries, RuleBlock
from .protocol import Application, Rule, RuleTemplate, StateTemplate, Template, table_rules
from .specs import TEMPLATES, parse_templates, split_specs
from .variants import RuleVariant, StateVariant, feature_sums, least_frequent
from .word_maps import Frequencies, WordMaps, bitext_frequencies, corpus_frequencies

__all__ = [
    "TEMPLATES",
    "UNKNOWN",
    "Application",
    "DerivationFeatures",
    "FeatureName",
    "Rule",
    "RuleTemplate",
    "RuleVariant",
    "StateTemplate",
    "StateVariant",
    "Template",
    "TemplateFeatures",
    "add_templates",
    "bitext_frequencies",
    "corpus_frequencies",
    "feature_name",
    "parse_feature_name",
    "parse_templates",
    "split_specs",
    "table_rules",
]

DEFAULT_SPECS = ("pt", "al")


class TemplateFeatures:
    """Adds the features of rule templates to tables, block by block.

    Raises UsageError for a state template: a table has no derivations.
    """

    def __init__(self, templates: Iterable[Template]) -> None:
        self.templates = tuple(map(_rule_variant, templates))

    @property
    def needs_fit(self) -> bool:
        """Whether features must be counted first."""
        return any(variant.needs_fit for variant in self.templates)

    def fit(self, blocks: Iterable[PhraseTable]) -> "TemplateFeatures":
        """Count the features that have a cut-off, as ``apply`` needs it.

        Memory is that of their names; PT needs none, as the rule's own count decides.

        Raises DataError for a rule without count.
        """
        variants = self.templates
        counted = [variant for variant in variants if variant.needs_fit]
        sums: list[dict[str, float]] = [{} for _ in counted]
        for table in blocks if counted else ():
            block_of = _blocks(table)
            for variant, totals in zip(counted, sums, strict=True):
                parts = variant.entries(table, block_of(variant.word_maps))
                for name, value in feature_sums(parts, table.counts[:, 2]):
                    totals[name] = totals.get(name, 0.0) + value
        kept = iter(sums)
        return TemplateFeatures(
            replace(variant, kept=least_frequent(next(kept), variant.minimum))
            if variant.needs_fit
            else variant
            for variant in variants
        )

    def apply(self, table: PhraseTable) -> PhraseTable:
        """The table, or block of a table, with the features of its rules, counted per rule.

        Raises UsageError before ``fit``, where it is needed, where domains are asked for and the
        table has no scores per domain, or where two templates name the same feature; DataError
        where the table has one already, or a rule lacks the count that a cut-off needs.
        """
        if self.needs_fit:
            raise UsageError("templates with min= must be fitted; call fit() before apply()")
        block_of = _blocks(table)
        parts: list[Entries] = []
        owner: dict[str, str] = dict.fromkeys(table.sparse_names, "")
        for variant in self.templates:
            for part in variant.entries(table, block_of(variant.word_maps)):
                _claim(part.names, variant.spec, owner)
                parts.append(part)
        return table.with_sparse(*Entries.joined(parts, len(table)))


def _rule_variant(template: Template) -> RuleVariant:
    if isinstance(template, RuleVariant):
        return template
    if isinstance(template, RuleTemplate):
        return RuleVariant(template, type(template).__name__)
    spec = template.spec if isinstance(template, StateVariant) else type(template).__name__
    raise UsageError(
        f"template {spec!r} depends on the previous phrase; a phrase table allows only rule "
        "templates"
    )


def _blocks(table: PhraseTable) -> Callable[[WordMaps], RuleBlock]:
    """Blocks of the table's rules; templates that see the same words share one."""
    made: dict[WordMaps, RuleBlock] = {}

    def block(word_maps: WordMaps) -> RuleBlock:
        key = replace(word_maps, suffix="")
        if key not in made:
            made[key] = RuleBlock.build(table, key.source, key.target)
        return made[key]

    return block


def _claim(names: Sequence[str], spec: str, owner: dict[str, str]) -> None:
    """Note which template has made the names; no name comes from two."""
    if not owner.keys().isdisjoint(names):
        name = next(name for name in names if name in owner)
        if owner[name]:
            raise UsageError(
                f"templates {owner[name]!r} and {spec!r} both produce the feature {name!r}; each "
                "feature must come from one template"
            )
        raise DataError(
            f"the table already has the feature {name!r}",
            f"a table without features of the template {spec!r}",
            remedy="Remove the template",
        )
    owner.update(dict.fromkeys(names, spec))


@public
def add_templates(
    table: PhraseTable,
    templates: str | Sequence[str] = DEFAULT_SPECS,
    *,
    classes: Mapping[str, WordClasses] | None = None,
    frequencies: Frequencies | None = None,
    plugins: Mapping[str, type] | None = None,
) -> PhraseTable:
    """Return the table with the sparse features of templates, counted per rule.

    Parameters
    ----------
    table : PhraseTable
    templates : str or list of str, default ("pt", "al")
        Specifications, such as ``"pt,lex(f,e):unk=100"``; docs/reference/templates.md lists them.
    classes : dict of WordClasses, optional
        Word classes by side, ``source`` and ``target``, for templates with ``classes=``.
    frequencies : Frequencies, optional
        Frequencies of the words, for templates with ``unk=``.
    plugins : dict of type, optional
        Templates of your own by name.

    Returns
    -------
    PhraseTable

    Raises
    ------
    UsageError
        If there is no such template or option.
    DataError
        If the table has one of the features, or a rule lacks the count that a cut-off needs.
    WrongTypeError
        If ``table`` is not a PhraseTable.

    Examples
    --------
    >>> from isogloss.align import Bitext, Links
    >>> from isogloss.features import extract
    >>> bitext = Bitext.from_pairs([("the house", "la casa")])
    >>> table = extract(bitext, Links.from_pairs([[(0, 0), (1, 1)]]))
    >>> add_templates(table, "al")["house"][0].features
    {'AL_house_casa': 1.0}
    """
    check_argument(table, PhraseTable, "table", "a PhraseTable", "PhraseTable.load(file)")
    made = parse_templates(templates, classes=classes, frequencies=frequencies, plugins=plugins)
    features = TemplateFeatures(made)
    return (features.fit([table]) if features.needs_fit else features).apply(table)


class DerivationFeatures:
    """Features of whole derivations by rule and state templates; those of rules are remembered.

    Raises UsageError for a template that must be fitted first, see :class:`TemplateFeatures`.
    """

    def __init__(self, templates: Iterable[Template]) -> None:
        templates = tuple(templates)
        for template in templates:
            if isinstance(template, RuleVariant) and template.needs_fit:
                raise UsageError(
                    f"template {template.spec!r} has min=, which needs the features of a table; "
                    "use the templates of TemplateFeatures.fit()"
                )
        self._rule = [template for template in templates if isinstance(template, RuleTemplate)]
        self._state = [template for template in templates if isinstance(template, StateTemplate)]
        self._known: dict[Rule, Mapping[str, int]] = {}

    def of_rule(self, rule: Rule) -> Mapping[str, int]:
        """Features of a rule and their counts; remembered for the next time."""
        counts = self._known.get(rule)
        if counts is None:
            counts = Counter(
                name for template in self._rule for name in template.rule_features(rule)
            )
            self._known[rule] = counts
        return counts

    def of_step(self, application: Application, previous: Application | None) -> Mapping[str, int]:
        """Features of a rule applied after another one (None at the start), and their counts."""
        counts: dict[str, int] = {}
        for template in self._state:
            for _, name in template.state_features(application, previous):
                counts[name] = counts.get(name, 0) + 1
        return counts

    def __call__(self, applications: Iterable[Application]) -> dict[str, float]:
        """Sum over the rules of a derivation, in the order of the target; name to value."""
        total: dict[str, float] = {}
        previous: Application | None = None
        for application in applications:
            for counts in (self.of_rule(application.rule), self.of_step(application, previous)):
                for name, value in counts.items():
                    total[name] = total.get(name, 0.0) + value
            previous = application
        return total
