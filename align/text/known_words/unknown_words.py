"""How many words of a text a model lacks, and what would explain that.

The limits are those of text of five languages and six domains (docs/howto/prepare-corpus.md).
"""

from collections import Counter
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass

__all__ = ["ENOUGH", "Fit", "Model", "exchanged", "exchanged_warning", "fit_text", "fit_warning"]

ENOUGH = 100  # words of a text, below which nothing is told
# what explains the unknown words: least share of them, and of all words
_RECASED = (0.3, 0.025)  # text like the model's has 0.26, or 0.024 where there are more
_GLUED = (0.25, 0.02)  # 0.08 and 0.005 in tokenized text
_EXCHANGED = 0.1  # of the words, known to the other side: 0.18 or more where sides are exchanged
_CASED = 0.01  # share of types with capitals in a model in lower case: letters that were missed
_SIDES = ("source", "target")
_MARKS = ".,;:!?…\"'`()[]{}«»“”„‘’‚¿¡–—،؛؟।॥。、！？：；「」『』（）"


@dataclass(frozen=True)
class Fit:
    """How the words of a text fit those of a model; all counts are of running words.

    words: all; unknown: those that the model lacks
    recased, glued: of these, how many it knows in another casing, and without the punctuation that
        sticks to them; with the most frequent one, and the word that is known
    other_side: words that the model's other side knows
    frequent: the most frequent unknown words with a letter, or the most frequent ones
    in_lowercase: whether hardly any word of the model has a capital
    """

    words: int
    unknown: int
    recased: int
    recased_example: tuple[str, str]
    glued: int
    glued_example: tuple[str, str]
    other_side: int
    frequent: tuple[str, ...]
    in_lowercase: bool = False

    @property
    def share(self) -> float:
        """Of the words that are unknown."""
        return self.unknown / max(self.words, 1)

    def explained(self, count: int, limits: tuple[float, float]) -> bool:
        """Whether so many words are many of the unknown ones, and of all."""
        of_unknown, of_all = limits
        return count >= of_unknown * self.unknown and count >= of_all * self.words


@dataclass(frozen=True)
class Model:
    """What messages call a model, and what to do where words are unknown to it for no reason seen.

    name: such as ``the model``
    most: share of unknown words that is not told; 0.07 in text like the model's, or 0.15 where that
        was made from 2,000 pairs
    """

    name: str
    remedy: str
    most: float = 0.2


def fit_text(counts: Mapping[str, int], known: Set[str], other_side: Set[str]) -> Fit:
    """Hold the words of a text against those of a model.

    counts: how often each word stands in the text; known: words of this side of the model
    """
    unknown = {word: count for word, count in counts.items() if word not in known}
    by_lower = {word.lower(): word for word in sorted(known)} if unknown else {}
    recased, glued = Counter[tuple[str, str]](), Counter[tuple[str, str]]()
    for word, count in unknown.items():
        bare = word.strip(_MARKS)
        if word.lower() in by_lower:
            recased[word, by_lower[word.lower()]] += count
        elif bare != word and (bare in known or bare.lower() in by_lower):
            glued[word, bare] += count
    first = sorted(
        unknown, key=lambda word: (not any(map(str.isalpha, word)), -unknown[word], word)
    )
    return Fit(
        sum(counts.values()),
        sum(unknown.values()),
        recased.total(),
        _most(recased),
        glued.total(),
        _most(glued),
        sum(count for word, count in counts.items() if word in other_side),
        tuple(first[:3]),
        bool(recased) and sum(word != word.lower() for word in known) <= _CASED * len(known),
    )


def _most(counts: Counter[tuple[str, str]]) -> tuple[str, str]:
    return min(counts, key=lambda pair: (-counts[pair], pair), default=("", ""))


def exchanged(fits: tuple[Fit, ...]) -> bool:
    """Whether the other side of a model knows clearly more words of a text than its own does.

    fits: of the source side, or of both sides
    """
    words = sum(fit.words for fit in fits)
    known = words - sum(fit.unknown for fit in fits)
    more = sum(fit.other_side for fit in fits) - known
    return words >= ENOUGH and more > _EXCHANGED * words


def exchanged_warning(
    own: Sequence[float], other: Sequence[float], names: Sequence[str], remedy: str
) -> str:
    """What is wrong where the sides of a text are swapped.

    own, other: share of each side's words that the model has on that side, and on the other one
    names: of the sides of the text; remedy: what to do
    """
    sides = "; ".join(
        f"the model has {_percent(own[k])} of the words of {name} on its {sides[0]} side and "
        f"{_percent(other[k])} on its {sides[1]} side"
        for k, (name, sides) in enumerate(zip(names, (_SIDES, _SIDES[::-1]), strict=True))
    )
    return f"the sides look swapped: {sides}. {remedy}"


def fit_warning(fit: Fit, text: str, model: Model) -> str:
    """What is wrong with a text that fits a model badly, and what to do; else nothing.

    Of fewer words than ENOUGH only the capitals are told that a model in lowercase lacks.

    text: what it is called
    """
    if fit.words < ENOUGH and not fit.in_lowercase:
        return ""
    seen = f"{text}: {_percent(fit.share)} of the words are unknown to {model.name}"
    if fit.explained(fit.recased, _RECASED):
        word, known = fit.recased_example
        remedy = "Use the casing of the training text"
        if known == word.lower():
            remedy = "Lowercase it (`lowercase=True`)"
        return (
            f"{seen}, {_percent(fit.recased / fit.unknown)} of them only because of letter case, "
            f"such as {word!r} for {known!r}. {remedy}"
        )
    if fit.words < ENOUGH:
        return ""
    if fit.explained(fit.glued, _GLUED):
        word, known = fit.glued_example
        return (
            f"{seen}, {_percent(fit.glued / fit.unknown)} of them because of attached punctuation, "
            f"such as {word!r} for {known!r}. Tokenize the text like the training text of the "
            "model, for example with sacremoses"
        )
    if fit.share > model.most:
        return f"{seen}, such as {', '.join(map(repr, fit.frequent))}. {model.remedy}"
    return ""


def _percent(share: float) -> str:
    return f"{100 * share:.0f}%"
