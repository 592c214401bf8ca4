"""A block of rules as columns of labels, so that a name is built once for all rules that have it.

A template that works on blocks says which labels come together in which rules (FeatureHits); the
names and their counts per rule follow (Entries).
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from isogloss.align.arrays.ragged import offsets_of, row_numbers, select_rows
from isogloss.align.arrays.sparse_rows import Ragged
from isogloss.align.text.corpus import Corpus
from isogloss.align.text.string_array import Texts

from ..feature_names import escape_word
from ..table.phrase_table import PhraseTable
from .protocol import Rule

__all__ = [
    "NO_WORD",
    "BlockTemplate",
    "Entries",
    "FeatureHits",
    "Labels",
    "OrientationTemplate",
    "RuleBlock",
    "Side",
]

WordMap = Callable[[Sequence[str]], Sequence[str]]


@dataclass(frozen=True)
class Labels:
    """Escaped words or phrases, as they stand in names.

    numbers: int64[n], label of each thing
    texts: the distinct labels
    """

    numbers: NDArray[np.int64]
    texts: Sequence[str]

    @classmethod
    def of(cls, texts: Iterable[str]) -> "Labels":
        """Number texts in order of first appearance."""
        known: dict[str, int] = {}
        numbers = [known.setdefault(text, len(known)) for text in texts]
        return cls(np.array(numbers, np.int64), list(known))

    @classmethod
    def constant(cls, text: str, size: int) -> "Labels":
        """The same label for all."""
        return cls(np.zeros(size, np.int64), (text,))

    def __getitem__(self, which: NDArray[np.int64] | NDArray[np.bool_]) -> "Labels":
        return Labels(self.numbers[which], self.texts)


NO_WORD = ""  # label of a part without words


@dataclass(frozen=True)
class Side:
    """The phrases of one side of a block's rules.

    rule: int64[num_words], rule of each word, rising
    first: int64[num_rules], place of each rule's first word
    words: labels of the words
    linked: bool[num_words], whether the word has an inner link
    distinct: (int64[num_rules], each rule's phrase among those that are used; int64[num_tokens],
        labels of these phrases' words; int64[num_phrases + 1], their offsets; whether no two have
        the same labels)
    """

    rule: NDArray[np.int64]
    first: NDArray[np.int64]
    words: Labels
    linked: NDArray[np.bool_]
    distinct: tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], bool]

    @property
    def lengths(self) -> NDArray[np.int64]:
        """int64[num_rules], words per phrase."""
        return np.bincount(self.rule, minlength=len(self.first))

    @cached_property
    def phrases(self) -> Labels:
        """Labels of the phrases, one per rule."""
        phrase, tokens, offsets, differ = self.distinct
        words = list(map(self.words.texts.__getitem__, tokens.tolist()))
        texts = ["~".join(words[a:b]) for a, b in pairwise(offsets.tolist())]
        return Labels(phrase, texts) if differ else Labels.of(texts)[phrase]

    @classmethod
    def build(
        cls,
        phrases: Corpus,
        rows: NDArray[np.int32],
        links: tuple[NDArray[np.int64], NDArray[np.int64]],
        word_map: WordMap | None,
    ) -> "Side":
        """One side of a block's rules.

        rows: int32[num_rules], the phrase of each rule
        links: (int64[num_links], int64[num_links]), rule and position of each link's word here
        word_map: what words are written as; None = themselves
        """
        used, phrase = _used(rows, len(phrases))
        distinct = phrases.select(used)
        types, tokens = _used(distinct.tokens, len(phrases.vocabulary))
        words = [phrases.vocabulary.words[number] for number in types.tolist()]
        labels = Labels.of(map(escape_word, word_map(words) if word_map else words))
        tokens = labels.numbers[tokens]
        places, offsets = select_rows(distinct.offsets, phrase)
        linked = np.zeros(len(places), np.bool_)
        linked[offsets[links[0]] + links[1]] = True
        return cls(
            row_numbers(offsets),
            offsets[:-1],
            Labels(tokens[places], labels.texts),
            linked,
            (phrase, tokens, distinct.offsets, len(labels.texts) == len(types)),
        )


def _used(ids: NDArray[np.int32], size: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The distinct ids, and the place of each id among them; a block may use few of a table's."""
    present = np.zeros(size, np.bool_)
    present[ids] = True
    return np.flatnonzero(present), (np.cumsum(present) - 1)[ids]


@dataclass(frozen=True)
class RuleBlock:
    """The rules of a block, as templates for blocks see them.

    source, target: their sides
    link_rule: int64[num_links], rule of each inner link, rising
    link_source, link_target: int64[num_links], its words, places in the sides
    """

    source: Side
    target: Side
    link_rule: NDArray[np.int64]
    link_source: NDArray[np.int64]
    link_target: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.source.first)

    @classmethod
    def build(
        cls,
        table: PhraseTable,
        source_words: WordMap | None = None,
        target_words: WordMap | None = None,
    ) -> "RuleBlock":
        """The rules of a table; word maps, if given, are applied before words become labels."""
        rule = row_numbers(table.links.offsets)
        left, right = (table.links.ids >> 8).astype(np.int64), table.links.ids & 255
        source = Side.build(table.source, table.rule_source, (rule, left), source_words)
        target = Side.build(
            table.target, table.rule_target, (rule, right.astype(np.int64)), target_words
        )
        return cls(source, target, rule, source.first[rule] + left, target.first[rule] + right)


@dataclass(frozen=True)
class FeatureHits:
    """Features that fire in rules, a row each time one does.

    template: first part of the names
    rule: int64[n], rising
    parts: the other parts of the names, n labels each
    """

    template: str
    rule: NDArray[np.int64]
    parts: tuple[Labels, ...]

    def select(self, which: NDArray[np.bool_] | NDArray[np.int64]) -> "FeatureHits":
        """The hits that are chosen.

        which: bool[n], or int64[m]
        """
        return FeatureHits(
            self.template, self.rule[which], tuple(part[which] for part in self.parts)
        )

    def crossed(self, domains: Sequence[str], numbers: NDArray[np.int64]) -> "Entries":
        """The entries, under names with the domain of the rule.

        domains: their names
        numbers: int64[num_rules], the domain of each rule; -1 = none, and no feature
        """
        known = self.select(numbers[self.rule] >= 0)
        return known._entries(known.heads(domains, numbers))

    def entries(self) -> "Entries":
        """Each feature once per rule with its count, in the order of firing."""
        return self._entries(self.heads())

    def heads(
        self, domains: Sequence[str] = (), numbers: NDArray[np.int64] | None = None
    ) -> Labels:
        """First parts of the names: the template, crossed with the domain of the rule if given.

        domains: their names; numbers: int64[num_rules], the domain of each rule that has a hit
        """
        if numbers is None:
            return Labels.constant(self.template, len(self.rule))
        heads = [f"{self.template}@{escape_word(domain)}" for domain in domains]
        return Labels(numbers[self.rule], heads)

    def names(self, head: Labels) -> Texts:
        """The name of each row, as text that no string is made of. head: see :meth:`heads`"""
        columns = (head, *self.parts)
        pieces = [Texts.from_strings(head.texts)]
        pieces += [Texts.from_strings(f"_{text}" for text in part.texts) for part in self.parts]
        first = np.cumsum([0, *map(len, pieces)])
        numbers = [column.numbers + begin for column, begin in zip(columns, first, strict=False)]
        joined = Texts.joined(pieces).select(np.stack(numbers, axis=1).reshape(-1))
        return Texts(joined.content, joined.offsets[:: len(columns)].copy())

    def _entries(self, head: Labels) -> "Entries":
        columns = (head, *self.parts)
        keys = np.zeros(len(self.rule), np.int64)
        for column in columns:  # below 2^63: phrases and words have 32-bit ids
            keys = keys * len(column.texts) + column.numbers
        first, feature = _numbered(keys)
        texts = [
            map(column.texts.__getitem__, column.numbers[first].tolist()) for column in columns
        ]
        names = list(map("_".join, zip(*texts, strict=True)))
        first, entry = _numbered(self.rule * len(names) + feature)
        values = np.bincount(entry, minlength=len(first))
        return Entries(names, self.rule[first], feature[first], values)


def _numbered(keys: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Where each distinct key first stands, rising, and the number of each key in that order."""
    _, first, inverse = np.unique(keys, return_index=True, return_inverse=True)
    order = np.argsort(first)
    ranks = np.empty(len(order), np.int64)
    ranks[order] = np.arange(len(order))
    return first[order], ranks[inverse]


@dataclass(frozen=True)
class Entries:
    """Sparse features of a block.

    names: distinct
    rule: int64[n], rising; feature: int64[n], number of a name; value: int64[n], how often
    """

    names: Sequence[str]
    rule: NDArray[np.int64]
    feature: NDArray[np.int64]
    value: NDArray[np.int64]

    def keep(self, names: frozenset[str]) -> "Entries":
        """The features with these names."""
        which = np.fromiter((name in names for name in self.names), np.bool_, len(self.names))
        rows = which[self.feature]
        numbers = np.cumsum(which) - 1
        kept_names = [name for name, kept in zip(self.names, which.tolist(), strict=True) if kept]
        return Entries(kept_names, self.rule[rows], numbers[self.feature[rows]], self.value[rows])

    @staticmethod
    def joined(parts: Sequence["Entries"], num_rules: int) -> tuple[list[str], Ragged]:
        """All names, and each rule's entries, part after part."""
        names: list[str] = []
        features, rules, values = [], [], []
        for part in parts:
            features.append(part.feature + len(names))
            rules.append(part.rule)
            values.append(part.value)
            names.extend(part.names)
        rule = np.concatenate([np.zeros(0, np.int64), *rules])
        order = np.argsort(rule, kind="stable")
        offsets = offsets_of(np.bincount(rule, minlength=num_rules))
        ids = np.concatenate([np.zeros(0, np.int64), *features])[order]
        value = np.concatenate([np.zeros(0, np.int64), *values])[order]
        return names, Ragged(ids.astype(np.int32), value.astype(np.float32), offsets)


@runtime_checkable
class BlockTemplate(Protocol):
    """A rule template that also works on blocks: the same features, many rules at a time."""

    def rule_features(self, rule: Rule) -> Iterable[str]:
        """Names, as of any rule template."""
        ...

    def block_features(self, block: RuleBlock) -> Iterable[FeatureHits]:
        """The same for all rules of a block."""
        ...


@runtime_checkable
class OrientationTemplate(Protocol):
    """A state template of the neighbor's orientation alone that also works on blocks."""

    of_orientation: bool

    def orientation_features(
        self, block: RuleBlock
    ) -> Iterable[tuple[FeatureHits, NDArray[np.bool_]]]:
        """Features of all rules of a block, each with when they fire: bool[n, 2, 3].

        That is with the previous phrase, or with the next one (0, 1), where it is monotone, swapped
        or discontinuous (0, 1, 2). Rules rise, their features stand in the order of firing.
        """
        ...
