"""A concordance: each occurrence of a word or phrase with its links, by translation and domain."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isogloss.align.arrays.ragged import offsets_of, positions_within, row_numbers
from isogloss.align.errors import UsageError, did_you_mean
from isogloss.align.files.tables.sheets import Numeral
from isogloss.align.lexicon.tables import LexicalTable
from isogloss.align.links.links import Links
from isogloss.align.text.corpus import Corpus

from ..report import table_lines
from .domain_text import DomainText
from .lexical_probabilities import probability_of, translations_of

__all__ = [
    "NO_LINK",
    "Concordance",
    "Line",
    "TranslationCounts",
    "concordance",
    "independence_p_value",
]

NO_LINK = "(no link)"
_LEAST = 0.5  # expected occurrences of a word that is in a domain

Row = dict[str, Any]


@dataclass(frozen=True)
class Line:
    """One occurrence: number of the pair from 0, its likeliest domain, and both sides.

    places: positions of the words of the phrase; partners: of the words that they are linked to
    """

    pair: int
    domain: str
    posterior: float
    source: tuple[str, ...]
    target: tuple[str, ...]
    places: tuple[int, ...]
    partners: tuple[int, ...]


@dataclass(frozen=True)
class TranslationCounts:
    """What a phrase is linked to in some of its occurrences.

    expected: float64[num_domains], occurrences weighted by P(domain) of their pair
    p_value: of the log-likelihood ratio against the other translations, over the domains; None
        where the word has no test
    probability: P(translation | word) of the model in general and in each domain; empty for
        phrases, words that the model does not know, and without a link
    """

    text: str
    count: int
    expected: NDArray[np.float64]
    p_value: float | None
    lines: tuple[Line, ...]
    probability: tuple[float, ...] = ()


@dataclass(frozen=True)
class Concordance:
    """All occurrences of a word or phrase.

    direction: s2t if it is one of the source
    p_value: that translations do not depend on the domain; None where that can't be tested
    """

    word: str
    direction: str
    domains: tuple[str, ...]
    translations: tuple[TranslationCounts, ...]
    p_value: float | None

    @property
    def count(self) -> int:
        """Number of occurrences."""
        return sum(one.count for one in self.translations)

    @property
    def in_domains(self) -> NDArray[np.bool_]:
        """Whether the word occurs in each domain, bool[num_domains]."""
        return _in_domains(np.stack([one.expected for one in self.translations]))

    @property
    def has_probability(self) -> bool:
        """Whether a translation has probabilities."""
        return any(one.probability for one in self.translations)

    @property
    def given(self) -> str:
        """What the probabilities of the translations are called."""
        return "p(t|s)" if self.direction == "s2t" else "p(s|t)"

    @property
    def most(self) -> NDArray[np.float64]:
        """Occurrences of the most frequent translation of each domain, float64[num_domains]."""
        most: NDArray[np.float64] = np.max([one.expected for one in self.translations], axis=0)
        return most

    @property
    def untested(self) -> str:
        """Why there is no p-value; empty where there is one."""
        if self.p_value is not None:
            return ""
        if len(self.translations) == 1:
            return "the word has a single translation"
        names = [name for name, there in zip(self.domains, self.in_domains, strict=True) if there]
        return f"the word occurs in {names[0]} only" if names else "the word is too rare"

    def values(self) -> Row:
        """All of it, for JSON."""
        return {
            "word": self.word,
            "direction": self.direction,
            "occurrences": self.count,
            "p": self.p_value,
            "translations": [
                {
                    "translation": one.text,
                    "occurrences": one.count,
                    "domains": {
                        name: round(float(value), 2)
                        for name, value in zip(self.domains, one.expected, strict=True)
                    },
                    "p": one.p_value,
                    "probability": one.probability[0] if one.probability else None,
                    "domain_probabilities": dict(
                        zip(self.domains, one.probability[1:], strict=False)
                    ),
                    "lines": [self._line(line) for line in one.lines],
                }
                for one in self.translations
            ],
        }

    def _line(self, line: Line) -> Row:
        words = {"source": line.source, "target": line.target}
        own, other = ("source", "target") if self.direction == "s2t" else ("target", "source")
        marked = {own: set(line.places), other: set(line.partners)}
        return {
            "line": line.pair + 1,
            "domain": line.domain,
            "posterior": Numeral(f"{line.posterior:.3f}"),
            **{side: _marked(words[side], marked[side]) for side in words},
        }

    def rows(self) -> Iterator[Row]:
        """The rows of a sheet: one per line shown."""
        for one in self.translations:
            for line in one.lines:
                yield {"word": self.word, "translation": one.text, **self._line(line)}

    def count_rows(self) -> Iterator[Row]:
        """The rows of a sheet: one per translation, the most frequent first."""
        for rank, one in enumerate(self.translations, start=1):
            yield {
                "word": self.word,
                "rank": rank,
                "translation": one.text,
                "count": one.count,
                "share": Numeral(f"{one.count / self.count:.4f}"),
                **{
                    f"occurrences.{name}": Numeral(f"{value:.2f}")
                    for name, value in zip(self.domains, one.expected.tolist(), strict=True)
                },
                "p": _p_text(one.p_value, ""),
                "word_p": _p_text(self.p_value, ""),
                **{
                    name: Numeral(f"{value:.4f}") if value is not None else ""
                    for name, value in zip(
                        ("probability", *(f"probability.{name}" for name in self.domains)),
                        one.probability or (None,) * (1 + len(self.domains)),
                        strict=True,
                    )
                },
            }

    def text(self) -> Iterator[str]:
        """A table of the translations, and the lines of each."""
        columns = ["translation", "count", *self.domains, "p", self.given]
        cells = [
            [one.text, str(one.count), *(f"{value:.1f}" for value in one.expected),
             _p_text(one.p_value, "-"), f"{one.probability[0]:.3f}" if one.probability else "-"]
            for one in self.translations
        ]  # fmt: skip
        p_value = _p_text(self.p_value, "-")
        test = f"p {p_value} ({self.untested})" if self.untested else f"p {p_value}"
        yield f"{self.word}: {self.count} occurrences, {test}"
        yield from table_lines(columns, cells)
        for one in self.translations:
            yield ""
            yield f"{one.text} ({one.count})"
            for line in one.lines:
                row = self._line(line)
                yield f"  {row['line']} {row['domain']}: {row['source']} ||| {row['target']}"


def _p_text(value: float | None, none: str) -> str:
    return none if value is None else Numeral(f"{value:.3g}")


def _in_domains(expected: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Domains with half an occurrence or more. expected: float64[num_translations, num_domains]"""
    found: NDArray[np.bool_] = expected.sum(axis=0) >= _LEAST
    return found


def _marked(words: tuple[str, ...], places: set[int]) -> str:
    return " ".join(f"[{word}]" if k in places else word for k, word in enumerate(words))


def concordance(
    text: DomainText,
    links: Links,
    domains: tuple[str, ...],
    word: str,
    direction: str = "s2t",
    *,
    limit: int = 20,
    tables: Sequence[LexicalTable] = (),
) -> Concordance:
    """Collect the occurrences of a word, the most frequent translations first.

    word: or several words, separated by spaces: the contiguous phrase, whose translation is made of
        all words that it is linked to
    links: of the sentence pairs of the text
    tables: of :func:`~.lexical_probabilities.lexical_tables`, for the same direction
    limit: lines of each translation; those of the highest P(domain) come first, domain by domain

    Raises UsageError for a word or phrase that the text lacks.
    """
    links = links if direction == "s2t" else links.reversed()
    own, other = (text.bitext.source, text.bitext.target)[:: 1 if direction == "s2t" else -1]
    phrase = word.split()
    places = _occurrences(own, phrase)
    pair = row_numbers(own.offsets)[places]
    position = places - own.offsets[pair]
    partners = [
        _partners(links, number, at, at + len(phrase))
        for number, at in zip(pair.tolist(), position.tolist(), strict=True)
    ]
    names = [_joined(other, *one) for one in zip(pair.tolist(), partners, strict=True)]
    forms, numbers = np.unique(names, return_inverse=True)
    expected = np.zeros((len(forms), len(domains)))
    np.add.at(expected, numbers, text.posterior[pair])
    count = np.bincount(numbers, minlength=len(forms))
    is_tested = len(forms) > 1 and _in_domains(expected).sum() > 1
    known = translations_of(text, tables, direction, int(places[0]), len(phrase))
    encoded = text.encoded.target if direction == "s2t" else text.encoded.source
    found = []
    for number in np.lexsort((forms, -count)).tolist():
        rows = np.flatnonzero(numbers == number)
        first = int(rows[0])
        rows = rows[_spread(text.posterior[pair[rows]], limit)]
        lines = tuple(
            _line(
                text, domains, int(pair[row]),
                tuple(range(position[row], position[row] + len(phrase))), partners[row],
            )
            for row in rows.tolist()
        )  # fmt: skip
        others = expected.sum(axis=0) - expected[number]
        p_value = independence_p_value(np.stack([expected[number], others])) if is_tested else None
        found.append(
            TranslationCounts(
                str(forms[number]),
                int(count[number]),
                expected[number],
                p_value,
                lines,
                probability_of(known, encoded, int(pair[first]), partners[first]),
            )
        )
    p_value = independence_p_value(expected) if is_tested else None
    return Concordance(" ".join(phrase), direction, domains, tuple(found), p_value)


def _occurrences(corpus: Corpus, phrase: Sequence[str]) -> NDArray[np.int64]:
    """Places of the first word of a phrase among the tokens of a side; none overlap."""
    if not phrase:
        raise UsageError("a word of a concordance is empty; pass a word, or a phrase in quotes")
    tokens, last = corpus.tokens, len(corpus.tokens) - len(phrase)
    for word in phrase:
        if corpus.vocabulary.get(word) < 0 or not (tokens == corpus.vocabulary.get(word)).any():
            near = did_you_mean(word, corpus.vocabulary.words)
            raise UsageError(f"the text does not contain {word!r}" + (f" ({near})" if near else ""))
    places = np.flatnonzero(tokens == corpus.vocabulary.get(phrase[0]))
    places = places[places <= last]
    for by, word in enumerate(phrase):
        places = places[tokens[places + by] == corpus.vocabulary.get(word)]
    pair = row_numbers(corpus.offsets)
    places = places[pair[places] == pair[places + len(phrase) - 1]]
    kept, end = list[int](), 0
    for place in places.tolist():
        if place >= end:
            kept.append(place)
            end = place + len(phrase)
    if not kept:
        raise UsageError(
            f"the text does not contain the phrase {' '.join(phrase)!r}; its words occur only apart"
        )
    return np.array(kept, np.int64)


def _partners(links: Links, pair: int, begin: int, end: int) -> tuple[int, ...]:
    """Positions of the words that those of a phrase are linked to, each once, in their order."""
    rows = slice(links.offsets[pair], links.offsets[pair + 1])
    inside = (links.source[rows] >= begin) & (links.source[rows] < end)
    found: list[int] = np.unique(links.target[rows][inside]).tolist()
    return tuple(found)


def _joined(corpus: Corpus, pair: int, places: tuple[int, ...]) -> str:
    words = corpus.words(pair)
    return " ".join(words[place] for place in places) or NO_LINK


def _line(
    text: DomainText,
    domains: tuple[str, ...],
    pair: int,
    places: tuple[int, ...],
    partners: tuple[int, ...],
) -> Line:
    best = int(text.posterior[pair].argmax())
    return Line(
        pair,
        domains[best],
        float(text.posterior[pair, best]),
        tuple(text.bitext.source.words(pair)),
        tuple(text.bitext.target.words(pair)),
        places,
        partners,
    )


def _spread(posterior: NDArray[np.float64], limit: int) -> NDArray[np.int64]:
    """Some rows, as many of each domain as there are."""
    # The surest first, in the order of the text.
    # posterior: float64[num_rows, num_domains]
    best = posterior.argmax(axis=1)
    order = np.lexsort((np.arange(len(best)), -posterior.max(axis=1), best))
    rank = np.empty(len(best), np.int64)
    rank[order] = positions_within(offsets_of(np.bincount(best, minlength=posterior.shape[1])))
    chosen = np.lexsort((np.arange(len(best)), best, rank))[:limit]
    return chosen[np.lexsort((chosen, best[chosen]))]


def independence_p_value(counts: NDArray[np.float64]) -> float:
    """P-value of the test that rows and columns are independent (Dunning 1993).

    The statistic 2 sum n log(n / e) is compared with the chi-squared distribution of (R - 1)(C - 1)
    degrees of freedom, of the rows and columns that are not empty. Counts may be expected ones.

    counts: float64[R, C], at least 0
    """
    from scipy.special import chdtrc, xlogy  # not for each --help

    counts = counts[counts.sum(axis=1) > 0][:, counts.sum(axis=0) > 0]
    freedom = (counts.shape[0] - 1) * (counts.shape[1] - 1)
    if freedom < 1:
        return 1.0
    rows, columns = counts.sum(axis=1, keepdims=True), counts.sum(axis=0, keepdims=True)
    expected = rows * columns / counts.sum()
    statistic = 2 * (xlogy(counts, counts) - xlogy(counts, expected)).sum()
    return float(chdtrc(freedom, max(0.0, float(statistic))))
