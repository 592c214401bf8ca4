"""Features of templates rule by rule, with dictionaries: no arrays, no columns, no sharing."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from isogloss.align.arrays.sparse_rows import Ragged
from isogloss.align.text.corpus import Corpus
from isogloss.features.table.phrase_table import PhraseTable

RARE = None  # what a rare word, or one without class, becomes


class Rule(NamedTuple):
    source: tuple[str, ...]
    target: tuple[str, ...]
    links: tuple[tuple[int, int], ...]
    count: float
    domains: Mapping[str, float] = {}  # score of each


class Template(NamedTuple):
    """What a specification says; what a word becomes comes from two functions."""

    kinds: tuple[str, ...]  # of the features, in order
    source: Callable[[str], str | None] = lambda word: word
    target: Callable[[str], str | None] = lambda word: word
    suffix: str = ""
    crossed: bool = False
    minimum: float = 0.0


def escaped(word: str | None) -> str:
    if word is RARE:
        return "UNK"
    if word == "UNK":
        return "%55NK"
    text = ""
    for character in word:
        special = character.isspace() or character in "%_~=:|\0"
        code = character.encode().hex().upper()
        text += "".join(f"%{code[k : k + 2]}" for k in range(0, len(code), 2)) if special else (
            character
        )  # fmt: skip
    return text


def names(rule: Rule, template: Template) -> Iterator[str]:
    """The names a rule has, before any cut-off."""
    source = [escaped(template.source(word)) for word in rule.source]
    target = [escaped(template.target(word)) for word in rule.target]
    best = max(rule.domains.values(), default=0.0)
    likeliest = [name for name, score in rule.domains.items() if score == best]
    if template.crossed and len(likeliest) != 1:
        return
    mark = template.suffix + (f"@{escaped(likeliest[0])}" if template.crossed else "")
    deleted = [w for j, w in enumerate(source) if j not in [link[0] for link in rule.links]]
    inserted = [w for i, w in enumerate(target) if i not in [link[1] for link in rule.links]]
    for kind in template.kinds:
        if kind == "pt":
            yield f"PT{mark}_{'~'.join(source)}_{'~'.join(target)}"
        if kind == "links":
            yield from (f"AL{mark}_{source[j]}_{target[i]}" for j, i in rule.links)
        if kind == "deleted":
            yield from (f"AL{mark}_{word}_" for word in deleted)
        if kind == "inserted":
            yield from (f"AL{mark}__{word}" for word in inserted)
        if kind == "e":
            yield from (f"LexE{mark}_{word}" for word in target)
        if kind == "fe":
            yield from (f"LexFE{mark}_{source[j]}_{target[i]}" for j, i in rule.links)
        if kind == "null":
            yield from (f"LexNull{mark}_{word}" for word in inserted)
        if kind == "shape":
            yield f"Shape{mark}_{len(source)}-{len(target)}"
        if kind == "source length":
            yield f"SourceLength{mark}_{len(source)}"
        if kind == "target length":
            yield f"TargetLength{mark}_{len(target)}"


def features(rules: Sequence[Rule], templates: Iterable[Template]) -> list[dict[str, float]]:
    """Features of each rule with their counts, in the order they fire."""
    rows: list[dict[str, float]] = [{} for _ in rules]
    for template in templates:
        counts = [Counter(names(rule, template)) for rule in rules]
        for row, counted in zip(rows, counts, strict=True):
            for name, value in counted.items():
                total = sum(r.count for r, c in zip(rules, counts, strict=True) if name in c)
                if total >= template.minimum:
                    row[name] = float(value)
    return rows


def reordering(derivation: Sequence[tuple[Sequence[str], Sequence[str], int]]) -> Counter[str]:
    """LO of rules (source, target, first source position) in the order of the target."""
    counts: Counter[str] = Counter()
    spans = [set(range(begin, begin + len(source))) for source, _, begin in derivation]
    rules = [
        f"{'~'.join(map(escaped, source))}_{'~'.join(map(escaped, target))}"
        for source, target, _ in derivation
    ]
    for number, span in enumerate(spans):
        before = spans[number - 1] if number else {-1}
        classes = ["discontinuous", "nonmonotone"]
        if min(span) == max(before) + 1:
            classes = ["monotone"]
        elif number and max(span) + 1 == min(before):
            classes = ["swap", "nonmonotone"]
        for name in classes:
            counts[f"LO_{name}-previous_{rules[number]}"] += 1
            if number:
                counts[f"LO_{name}-next_{rules[number - 1]}"] += 1
    return counts


def table_of(rules: Sequence[Rule]) -> PhraseTable:
    """The rules, which are sorted by source, as a table; scores are those of the domains."""
    sources = {rule.source: None for rule in rules}
    targets = {rule.target: None for rule in rules}
    domains = tuple(rules[0].domains) if rules else ()
    rows = [[rule.domains[name] for name in domains] for rule in rules]
    return PhraseTable(
        source=Corpus.from_sentences(list(sources)),
        target=Corpus.from_sentences(list(targets)),
        rule_source=np.array([list(sources).index(rule.source) for rule in rules], np.int32),
        rule_target=np.array([list(targets).index(rule.target) for rule in rules], np.int32),
        scores=np.array(rows, np.float64).reshape(len(rules), len(domains)),
        score_names=tuple(f"DomainLex.{escaped(name)}" for name in domains),
        links=Ragged.from_rows([(j * 256 + i, 1.0) for j, i in rule.links] for rule in rules),
        counts=np.array([[9, 9, rule.count] for rule in rules], np.float64).reshape(-1, 3),
        sparse=Ragged.empty(len(rules)),
        sparse_names=(),
    )


def rows_of(table: PhraseTable) -> list[dict[str, float]]:
    """Sparse features of each rule, in the table's order; each name at most once."""
    rows: list[dict[str, float]] = []
    for begin, end in pairwise(table.sparse.offsets.tolist()):
        ids = table.sparse.ids[begin:end].tolist()
        values = table.sparse.values[begin:end].tolist()
        rows.append({table.sparse_names[k]: v for k, v in zip(ids, values, strict=True)})
        assert len(rows[-1]) == len(ids)
    return rows
