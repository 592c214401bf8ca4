"""Sparse rule features (Green et al. 2013): PT, an indicator per rule, and AL, its inner links."""

from collections.abc import Callable, Iterator, Sequence

from align.errors import UsageError

from .phrase_table import PhraseTable, phrase_texts
from .ragged import Ragged
from .space import escape

__all__ = ["TEMPLATES", "add_templates", "alignment_features", "rule_indicator"]

Link = tuple[int, int]
Template = Callable[[Sequence[str], Sequence[str], Sequence[Link]], Iterator[str]]


def _phrase(words: Sequence[str]) -> str:
    return "~".join(map(escape, words))


def rule_indicator(
    source: Sequence[str], target: Sequence[str], links: Sequence[Link]
) -> Iterator[str]:
    """PT: one feature per rule, ``PT_la~casa_the~house``."""
    yield f"PT_{_phrase(source)}_{_phrase(target)}"


def alignment_features(
    source: Sequence[str], target: Sequence[str], links: Sequence[Link]
) -> Iterator[str]:
    """AL: each inner link, ``AL_casa_house``, and each deleted source word, ``AL_la_``."""
    for j, i in links:
        yield f"AL_{escape(source[j])}_{escape(target[i])}"
    linked = {j for j, _ in links}
    for j, word in enumerate(source):
        if j not in linked:
            yield f"AL_{escape(word)}_"


TEMPLATES: dict[str, Template] = {"pt": rule_indicator, "al": alignment_features}


def add_templates(table: PhraseTable, names: Sequence[str]) -> PhraseTable:
    """The table with the sparse features of the named templates, counted per rule.

    Raises UsageError for an unknown template.
    """
    unknown = [name for name in names if name not in TEMPLATES]
    if unknown:
        raise UsageError(f"template {unknown[0]!r}; expected one of {', '.join(TEMPLATES)}")
    templates = [TEMPLATES[name] for name in names]
    numbers: dict[str, int] = {}
    sources = [text.split(" ") for text in phrase_texts(table.source)]
    targets = [text.split(" ") for text in phrase_texts(table.target)]
    ids, bounds = table.links.ids.tolist(), table.links.offsets.tolist()

    def rows() -> Iterator[list[tuple[int, float]]]:
        pairs = zip(table.rule_source.tolist(), table.rule_target.tolist(), strict=True)
        for rule, (left, right) in enumerate(pairs):
            links = [(k >> 8, k & 255) for k in ids[bounds[rule] : bounds[rule + 1]]]
            counts: dict[int, float] = {}
            for template in templates:
                for name in template(sources[left], targets[right], links):
                    number = numbers.setdefault(name, len(numbers))
                    counts[number] = counts.get(number, 0.0) + 1.0
            yield list(counts.items())

    entries = Ragged.from_rows(rows())
    return table.with_sparse(list(numbers), entries)
