"""eflomal's priors: counts of links, fertilities and jumps as text, out and in.

eflomal calls forward what explains each target word by a source word; here, as in
`AlignmentModel.align_directions`, forward links explain each source word. So its F lines are
counted on our reverse links and its R lines on our forward links.
"""

import math
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..arrays.equality import ComparedByContent
from ..arrays.ragged import per_entry, row_numbers, run_lengths, run_starts
from ..errors import DataError, warn
from ..files.numerals import is_whole, parse_number
from ..files.writers import write_lines
from ..links.links import Links
from ..text.bitext import Bitext
from ..text.corpus import Corpus
from ..text.readers import read_lines
from ..text.vocabulary import NULL, Vocabulary
from .tables import LexicalEntries

__all__ = [
    "FertilityPriors",
    "JumpPriors",
    "Priors",
    "count_priors",
    "format_priors",
    "read_priors",
    "write_priors",
]

NULL_WORD = "<NULL>"
_LAYOUTS = {
    "LEX": "LEX<TAB>source<TAB>target<TAB>alpha",
    "FERF": "FERF<TAB>source<TAB>fertility<TAB>alpha",
    "FERR": "FERR<TAB>target<TAB>fertility<TAB>alpha",
    "HMMF": "HMMF<TAB>jump<TAB>alpha",
    "HMMR": "HMMR<TAB>jump<TAB>alpha",
}
_LARGEST = 1 << 30  # of a jump or fertility


@dataclass(frozen=True, eq=False, repr=False)
class FertilityPriors(ComparedByContent):
    """How often words have a number of links (their fertility).

    word, fertility: int32[n], unique and sorted; weight: float64[n], pseudo-counts
    num_unknown: entries left out because the vocabulary lacks their word
    """

    word: NDArray[np.int32]
    fertility: NDArray[np.int32]
    weight: NDArray[np.float64]
    num_unknown: int = 0

    def __repr__(self) -> str:
        return f"FertilityPriors({len(self.weight):,} words and fertilities)"


@dataclass(frozen=True, eq=False, repr=False)
class JumpPriors(ComparedByContent):
    """How often the state moves by how many positions.

    jump: int32[n], unique and rising; weight: float64[n], pseudo-counts
    """

    jump: NDArray[np.int32]
    weight: NDArray[np.float64]

    def __repr__(self) -> str:
        return f"JumpPriors({len(self.weight):,} jumps)"


@dataclass(frozen=True, eq=False, repr=False)
class Priors(ComparedByContent):
    """The content of a file of eflomal priors, over the vocabularies of a bitext.

    lexical: LEX, links of (source, target)
    source_fertility, target_fertility: FERF, FERR
    source_jumps: HMMF, moves over source positions from one target word to the next
    target_jumps: HMMR, moves over target positions from one source word to the next
    """

    lexical: LexicalEntries
    source_fertility: FertilityPriors
    target_fertility: FertilityPriors
    source_jumps: JumpPriors
    target_jumps: JumpPriors

    def __repr__(self) -> str:
        fertilities = len(self.source_fertility.weight) + len(self.target_fertility.weight)
        jumps = len(self.source_jumps.weight) + len(self.target_jumps.weight)
        return (
            f"Priors({len(self.lexical):,} pairs of words, {fertilities:,} fertilities, "
            f"{jumps:,} jumps)"
        )


def count_priors(bitext: Bitext, forward: Links, reverse: Links) -> Priors:
    """Count what eflomal-makepriors counts, given our reverse links as its forward ones.

    forward: links that explain each source word; reverse: links that explain each target word.
    Symmetrized links may stand for either. Links of a pair count once. LEX and FERF, HMMF are
    counted on ``reverse``, FERR and HMMR on ``forward``. A pair without links, or with an empty
    side, adds one jump from before its first word to behind its last one, as it does there.

    Raises DataError for links that do not fit the text; DataWarning where the two seem swapped.
    """
    for links in (forward, reverse):
        links.check_range(bitext.source.lengths, bitext.target.lengths)
    if _explains_targets(forward) and _explains_targets(reverse.reversed()):
        warn(
            "the t2s links have one link per target word and the s2t links one per source word, "
            "so they look swapped; eflomal and fast_align call s2t links forward"
        )
    source = _tokens(bitext.source, reverse, reverse.source)
    target = _tokens(bitext.target, reverse, reverse.target)
    by_target = reverse.reversed()
    return Priors(
        LexicalEntries.collect(source, target, np.ones(len(source))),
        _fertilities(bitext.source, reverse),
        _fertilities(bitext.target, forward.reversed()),
        _jumps(by_target, bitext.source.lengths),
        _jumps(forward, bitext.target.lengths),
    )


def _tokens(corpus: Corpus, links: Links, positions: NDArray[np.int32]) -> NDArray[np.int32]:
    """int32[num_links], the word at one end of each link."""
    return np.asarray(corpus.tokens[per_entry(corpus.offsets[:-1], links.offsets) + positions])


def _explains_targets(links: Links) -> bool:
    """Whether each target word has one link at most, but some source word has several."""
    pair = row_numbers(links.offsets)
    ends = [np.unique(pair << 32 | side) for side in (links.source, links.target)]
    return len(ends[1]) == len(pair) > len(ends[0])


def _fertilities(corpus: Corpus, links: Links) -> FertilityPriors:
    """Links per linked word; ``links.source`` are positions in ``corpus``."""
    first = per_entry(corpus.offsets[:-1], links.offsets)
    positions, counts = np.unique(first + links.source, return_counts=True)
    return _fertility_priors(corpus.tokens[positions], counts, np.ones(len(positions)))


def _fertility_priors(
    words: ArrayLike, fertilities: ArrayLike, weights: ArrayLike
) -> FertilityPriors:
    entries = LexicalEntries.collect(words, fertilities, weights)
    return FertilityPriors(entries.source, entries.target, entries.weight, entries.num_unknown)


def _jumps(links: Links, state_lengths: NDArray[np.int64]) -> JumpPriors:
    """Moves of the state from one explained word to the next, from -1 and to the end."""
    # ``links.source`` are explained positions, ``links.target`` states. Of a word with several
    # states the first is moved to, and the last is moved away from.
    pair = row_numbers(links.offsets)
    begins, ends = _runs(pair << 32 | links.source)
    first, last, group = links.target[begins], links.target[ends], pair[begins]
    opens, closes = _runs(group)
    before = np.append(-1, last[:-1])[: len(group)]
    before[opens] = -1
    final = np.full(len(links), -1, np.int64)
    final[group[closes]] = last[closes]
    jumps, counts = np.unique(
        np.concatenate([first - before, state_lengths - final]), return_counts=True
    )
    return JumpPriors(jumps.astype(np.int32), counts.astype(np.float64))


def _runs(values: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The first and the last place of each run of equal values: int64[num_runs] each."""
    starts = run_starts(values)
    return starts, starts + run_lengths(starts, len(values)) - 1


def format_priors(
    priors: Priors, source_vocabulary: Vocabulary, target_vocabulary: Vocabulary
) -> Iterator[str]:
    """Lines LEX, FERF, FERR, HMMF, HMMR, each kind sorted; words by code point, six digits."""
    (source, source_rank), (target, target_rank) = (
        _sorted_words(vocabulary) for vocabulary in (source_vocabulary, target_vocabulary)
    )
    entries = priors.lexical
    order = np.lexsort((target_rank[entries.target], source_rank[entries.source]))
    columns = (
        column[order].tolist() for column in (entries.source, entries.target, entries.weight)
    )
    for left, right, weight in zip(*columns, strict=True):
        yield f"LEX\t{source[left]}\t{target[right]}\t{weight:g}"
    for kind, fertility, words, rank in (
        ("FERF", priors.source_fertility, source, source_rank),
        ("FERR", priors.target_fertility, target, target_rank),
    ):
        order = np.lexsort((fertility.fertility, rank[fertility.word]))
        rows = (column[order].tolist() for column in (
            fertility.word, fertility.fertility, fertility.weight
        ))  # fmt: skip
        for word, number, weight in zip(*rows, strict=True):
            yield f"{kind}\t{words[word]}\t{number}\t{weight:g}"
    for kind, jumps in (("HMMF", priors.source_jumps), ("HMMR", priors.target_jumps)):
        for jump, weight in zip(jumps.jump.tolist(), jumps.weight.tolist(), strict=True):
            yield f"{kind}\t{jump}\t{weight:g}"


def _sorted_words(vocabulary: Vocabulary) -> tuple[tuple[str, ...], NDArray[np.int64]]:
    """The words by id, NULL spelled eflomal's way, and the place of each in their order."""
    words = (NULL_WORD, *vocabulary.words[1:])
    rank = np.empty(len(words), np.int64)
    rank[sorted(range(len(words)), key=words.__getitem__)] = np.arange(len(words))
    return words, rank


def write_priors(bitext: Bitext, forward: Links, reverse: Links, path: str | Path | None) -> None:
    """Count priors and write them to a file (gz by its suffix), or to stdout for None and ``-``.

    Raises DataError as :func:`count_priors` does.
    """
    priors = count_priors(bitext, forward, reverse)
    lines = format_priors(priors, bitext.source.vocabulary, bitext.target.vocabulary)
    write_lines(lines, path)


def read_priors(
    path: str | Path,
    source_vocabulary: Vocabulary,
    target_vocabulary: Vocabulary,
    *,
    lowercase: bool = False,
) -> Priors:
    """Read priors for a text; entries with a word that its vocabularies lack are left out, counted.

    ``<NULL>`` is the empty word (id 0). Entries that come twice, or that lowercasing makes equal,
    add up.

    Raises DataError for a line of another format, with its number.
    """
    columns: dict[str, tuple[list[int], list[int], list[float]]] = defaultdict(lambda: ([], [], []))
    encode: dict[str, tuple[Callable[[str], int], ...]] = {
        "LEX": (source_vocabulary.get, target_vocabulary.get),
        "FERF": (source_vocabulary.get, int),
        "FERR": (target_vocabulary.get, int),
        "HMMF": (int,),
        "HMMR": (int,),
    }
    for number, line in enumerate(read_lines(path), start=1):
        kind, *keys, weight = _fields(line, path, number)
        ids = [
            NULL
            if key == NULL_WORD and number_of is not int
            else number_of(key.lower() if lowercase else key)
            for number_of, key in zip(encode[kind], keys, strict=True)
        ]
        first, second, weights = columns[kind]
        first.append(ids[0])
        second.append(ids[-1])
        weights.append(float(weight))
    return Priors(
        LexicalEntries.collect(*columns["LEX"]),
        _fertility_priors(*columns["FERF"]),
        _fertility_priors(*columns["FERR"]),
        _jump_priors(*columns["HMMF"]),
        _jump_priors(*columns["HMMR"]),
    )


def _jump_priors(jumps: list[int], _: list[int], weights: list[float]) -> JumpPriors:
    unique, inverse = np.unique(np.array(jumps, np.int32), return_inverse=True)
    total = np.bincount(inverse, weights, minlength=len(unique)).astype(np.float64)
    return JumpPriors(unique, total)


def _fields(line: str, path: str | Path, number: int) -> list[str]:
    """The fields of a line whose format and numbers are right."""
    fields = line.split("\t")
    layout = _LAYOUTS.get(fields[0])
    if layout is None or len(fields) != layout.count("<TAB>") + 1 or "" in fields:
        raise DataError(
            f"the line {line!r} is malformed",
            layout or f"a line starting with {', '.join(_LAYOUTS)}",
            file=path,
            line=number,
            remedy="Separate the fields by one tab",
        )
    try:
        weight = parse_number(fields[-1])
    except ValueError:
        weight = math.nan
    if not 0.0 <= weight < math.inf:
        seen = f"alpha is {fields[-1]!r}"
        raise DataError(seen, "a number of at least 0", file=path, line=number)
    if fields[0] != "LEX":
        name, text = ("jump", fields[1]) if len(fields) == 3 else ("fertility", fields[2])
        digits = text.removeprefix("-") if name == "jump" else text
        if not is_whole(digits, _LARGEST):
            raise DataError(f"{name} is {text!r}", "an integer", file=path, line=number)
    return fields
