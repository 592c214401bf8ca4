"""Rule templates: PT, AL (Green et al. 2013), lexical features (Chiang 2012), shape and length."""

from collections.abc import Iterator, Sequence

import numpy as np

from isogloss.align.errors import UsageError

from ..feature_names import feature_name
from .blocks import NO_WORD, FeatureHits, Labels, RuleBlock
from .protocol import Rule

__all__ = ["InnerAlignment", "Lexical", "RuleIndicator", "RuleLength", "RuleShape", "chosen"]


def chosen(parts: Sequence[str], known: Sequence[str], default: Sequence[str]) -> frozenset[str]:
    """The parts of a template that are asked for; ``all`` are all, none is the default.

    Raises UsageError for an unknown one.
    """
    for part in parts:
        if part not in known and part != "all":
            raise UsageError(f"unknown option {part!r}; expected one of {', '.join(known)}, all")
    return frozenset(known if "all" in parts else parts or default)


class RuleIndicator:
    """PT: one feature per rule, ``PT_la~casa_the~house`` (Green et al. 2013, section 4.1)."""

    one_rule = True  # no two rules share a feature

    def rule_features(self, rule: Rule) -> Iterator[str]:
        """The rule itself."""
        yield f"PT_{rule.name}"

    def block_features(self, block: RuleBlock) -> Iterator[FeatureHits]:
        """The same for a block."""
        yield FeatureHits("PT", np.arange(len(block)), (block.source.phrases, block.target.phrases))


class InnerAlignment:
    """AL: inner links ``AL_casa_house``, deleted source words ``AL_la_``, inserted ``AL__the``.

    parts: ``links``, ``deleted``, ``inserted``; the first two unless said otherwise, as in Green et
        al. (2013), section 4.1
    """

    def __init__(self, *parts: str) -> None:
        known = ("links", "deleted", "inserted")
        self.parts = chosen(parts, known, known[:2])

    def rule_features(self, rule: Rule) -> Iterator[str]:
        """Links, then deleted, then inserted words."""
        if "links" in self.parts:
            for j, i in rule.links:
                yield feature_name("AL", rule.source[j], rule.target[i])
        if "deleted" in self.parts:
            yield from (feature_name("AL", word, ()) for word in rule.deleted)
        if "inserted" in self.parts:
            yield from (feature_name("AL", (), word) for word in rule.inserted)

    def block_features(self, block: RuleBlock) -> Iterator[FeatureHits]:
        """The same for a block."""
        source, target = block.source, block.target
        if "links" in self.parts:
            yield _links("AL", block)
        if "deleted" in self.parts:
            alone = ~source.linked
            words = source.words[alone]
            yield FeatureHits("AL", source.rule[alone], (words, _no_words(words)))
        if "inserted" in self.parts:
            alone = ~target.linked
            words = target.words[alone]
            yield FeatureHits("AL", target.rule[alone], (_no_words(words), words))


def _links(template: str, block: RuleBlock) -> FeatureHits:
    parts = block.source.words[block.link_source], block.target.words[block.link_target]
    return FeatureHits(template, block.link_rule, parts)


def _no_words(words: Labels) -> Labels:
    return Labels.constant(NO_WORD, len(words.numbers))


class Lexical:
    """lex(e) ``LexE_house``, lex(f, e) ``LexFE_casa_house``, lex(NULL, e) ``LexNull_the``.

    Target words that a rule generates; with each source word linked to them; those without a link
    (Chiang 2012, section 7).

    parts: ``e``, ``fe``, ``null``; all unless said otherwise
    """

    def __init__(self, *parts: str) -> None:
        known = ("e", "fe", "null")
        self.parts = chosen(parts, known, known)

    def rule_features(self, rule: Rule) -> Iterator[str]:
        """Target words, then links, then unlinked target words."""
        if "e" in self.parts:
            yield from (feature_name("LexE", word) for word in rule.target)
        if "fe" in self.parts:
            for j, i in rule.links:
                yield feature_name("LexFE", rule.source[j], rule.target[i])
        if "null" in self.parts:
            yield from (feature_name("LexNull", word) for word in rule.inserted)

    def block_features(self, block: RuleBlock) -> Iterator[FeatureHits]:
        """The same for a block."""
        target = block.target
        if "e" in self.parts:
            yield FeatureHits("LexE", target.rule, (target.words,))
        if "fe" in self.parts:
            yield _links("LexFE", block)
        if "null" in self.parts:
            alone = ~target.linked
            yield FeatureHits("LexNull", target.rule[alone], (target.words[alone],))


class RuleShape:
    """Source and target length together, ``Shape_2-3``."""

    uses_words = False

    def rule_features(self, rule: Rule) -> Iterator[str]:
        """The shape."""
        yield f"Shape_{len(rule.source)}-{len(rule.target)}"

    def block_features(self, block: RuleBlock) -> Iterator[FeatureHits]:
        """The same for a block."""
        source, target = block.source.lengths, block.target.lengths
        width = int(target.max(initial=0)) + 1
        shapes, numbers = np.unique(source * width + target, return_inverse=True)
        texts = [f"{shape // width}-{shape % width}" for shape in shapes.tolist()]
        yield FeatureHits("Shape", np.arange(len(block)), (Labels(numbers, texts),))


class RuleLength:
    """Lengths of the phrases, ``SourceLength_2`` and ``TargetLength_3``.

    parts: ``source``, ``target``; both unless said otherwise
    """

    uses_words = False

    def __init__(self, *parts: str) -> None:
        known = ("source", "target")
        self.parts = chosen(parts, known, known)

    def rule_features(self, rule: Rule) -> Iterator[str]:
        """Source length, then target length."""
        if "source" in self.parts:
            yield f"SourceLength_{len(rule.source)}"
        if "target" in self.parts:
            yield f"TargetLength_{len(rule.target)}"

    def block_features(self, block: RuleBlock) -> Iterator[FeatureHits]:
        """The same for a block."""
        for part, name in (("source", "SourceLength"), ("target", "TargetLength")):
            if part in self.parts:
                lengths = (block.source if part == "source" else block.target).lengths
                texts = list(map(str, range(lengths.max(initial=0) + 1)))
                yield FeatureHits(name, np.arange(len(block)), (Labels(lengths, texts),))
