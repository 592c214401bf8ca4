"""What weights learned on different sets have in common, and which words they are for.

Green, Wang, Cer & Manning (2013), Tables 6 and 7.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from isogloss.align.errors import DataError
from isogloss.features.feature_names import unescape_word

from .summary import template_of
from .weights import Weights

__all__ = ["Overlap", "count_tokens", "count_words", "feature_overlap", "target_words"]


@dataclass(frozen=True)
class Overlap:
    """|A|, |B| and |A and B| of the weights other than 0 of one template, or of several."""

    template: str
    first: int
    second: int
    both: int

    @property
    def jaccard(self) -> float:
        """|A and B| / |A or B|; 0 where both are empty."""
        union = self.first + self.second - self.both
        return self.both / union if union else 0.0


def feature_overlap(
    first: Weights,
    second: Weights,
    templates: Mapping[str, Iterable[str]] | None = None,
) -> list[Overlap]:
    """Overlap of each template, by name (Table 6).

    templates: names to show, and the templates (:func:`isogloss.tune.weights.summary.template_of`)
    that each is the sum of; default: every one on its own
    """
    in_first, in_second = (
        {name for name, value in weights.items() if value != 0.0} for weights in (first, second)
    )
    sets = in_first, in_second, in_first & in_second
    counts = [Counter(map(template_of, names)) for names in sets]
    if templates is None:
        templates = {name: (name,) for name in sorted(counts[0] | counts[1])}
    return [
        Overlap(name, *(sum(count[template] for template in summed) for count in counts))
        for name, summed in templates.items()
    ]


def target_words(name: str) -> tuple[str, ...]:
    """The target words of a sparse feature: those of the last part of its name.

    That is so for PT, AL and lex, for Moses' ``PP_f~f~~e~e`` and ``WT_f~e``.
    A name whose escapes are damaged holds no words.
    """
    part = name.rpartition("_")[2]
    template = template_of(name)
    if template.upper() in ("PP", "WT") and "~" in part:
        part = part.partition("~~" if template.upper() == "PP" else "~")[2]
    try:
        return tuple(map(unescape_word, part.split("~"))) if part else ()
    except DataError:
        return ()


def count_words(weights: Weights, words: Sequence[str], templates: Iterable[str]) -> list[int]:
    """Number of features with a weight other than 0 whose target side holds each word (Table 7).

    templates: those to count in, such as PT, whose features are the rules
    """
    counted = frozenset(templates)
    counts: Counter[str] = Counter()
    for name, value in weights.items():
        if value != 0.0 and template_of(name) in counted:
            counts.update(set(target_words(name)))
    return [counts[word] for word in words]


def count_tokens(sentences: Iterable[Sequence[str]], words: Sequence[str]) -> list[int]:
    """How often each word occurs in a text (Table 7)."""
    counts: Counter[str] = Counter()
    for sentence in sentences:
        counts.update(sentence)
    return [counts[word] for word in words]
