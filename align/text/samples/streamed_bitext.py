"""A bitext that is larger than memory: read as often as needed, block after block, never held."""

import warnings
from collections.abc import Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from itertools import islice, zip_longest
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ...errors import DataError, DataWarning, pluralize, shown_file
from ...files.records import is_name
from ...files.text_io import iter_lines
from ..bitext import PART, Bitext
from ..formats.opening import open_pairs
from ..formats.pair import Pair, PairStream
from ..pair_collector import LABEL_COLUMN, LABEL_LINE, PairCollector, PairSettings
from .drawn_rows import draw_rows

__all__ = ["StreamedBitext", "TextPart", "labeled_pairs"]

_UNLABELED = "-"


def labeled_pairs(pairs: Iterator[Pair], labels: str | Path) -> Iterator[Pair]:
    """The same pairs, each with a line of a file as its label: a domain, or ``-``.

    Raises DataError for a line that is no name, and another number of lines than there are pairs.
    """
    lines = iter_lines(labels)
    for number, (pair, line) in enumerate(zip_longest(pairs, lines), start=1):
        if pair is None or line is None:
            raise DataError(
                "there are fewer labels than pairs"
                if line is None
                else "there are more labels than pairs",
                "one per sentence pair",
                file=labels,
                line=number,
                remedy="Use - for a pair whose domain is unknown",
            )
        domain = line.strip(" \t")
        if not is_name(domain):
            raise DataError(
                f"the label {domain!r} is malformed",
                "one domain name, or -, per line",
                file=labels,
                line=number,
                remedy="Use - for an unknown domain, and remove spaces from names",
            )
        yield pair._replace(label=domain)


@dataclass(frozen=True)
class TextPart:
    """Consecutive pairs of a bitext.

    first: number of the first one; bitext: over vocabularies of its own, without labels
    labels: domain of each pair, ``-`` where it is unknown; empty where the text has no labels
    texts: both sides of each pair as they are written
    """

    first: int
    bitext: Bitext
    labels: list[str]
    texts: list[tuple[str, str]]


@dataclass(frozen=True)
class StreamedBitext:
    """A bitext in files that can be read more than once.

    settings: how they are read; ``labels`` names labels that are inside
    labels: a file with a domain, or ``-``, for each pair
    """

    source: str | Path
    target: str | Path | None
    settings: PairSettings
    labels: str | Path | None = None

    @property
    def _is_labeled(self) -> bool:
        return self.labels is not None or self.settings.labels is not None

    def draw(
        self, size: int, seed: int, required: NDArray[np.int64] | None = None
    ) -> tuple[NDArray[np.int64], int]:
        """Draw ``size`` pairs: all that have a label or are required, and others at random.

        Pairs without words on one side, or with too many words, are drawn only if they have a
        label or are required.

        required: int64[n], numbers of pairs, increasing

        Returns their numbers, int64[num_drawn], increasing, and the number of all pairs. Raises
        DataError as :func:`isogloss.align.read_bitext` does.
        """
        always = np.zeros(0, np.int64) if required is None else required
        return draw_rows(self._flags(always), size, seed)

    def _flags(
        self, always: NDArray[np.int64]
    ) -> Iterator[tuple[NDArray[np.bool_], NDArray[np.bool_]]]:
        """Whether pairs of each block must be drawn, and may be: bool[n] each."""
        first = 0
        for pairs in self._blocks(told=True):
            is_required, is_allowed = self._block_flags(pairs)
            begin, end = np.searchsorted(always, [first, first + len(pairs)])
            is_required[always[begin:end] - first] = True
            yield is_required, is_allowed
            first += len(pairs)

    def _block_flags(self, pairs: list[Pair]) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Whether pairs have a label, and whether they can be learned from: bool[n] each."""
        labeled = np.zeros(len(pairs), np.bool_)
        if self._is_labeled:
            labeled[:] = [self._label(pair) != _UNLABELED for pair in pairs]
        most = self.settings.max_length or np.inf
        usable = [
            not (pair.source.isspace() or pair.target.isspace())
            and len(pair.source) > 0 and len(pair.target) > 0
            and max(pair.source.count(" "), pair.target.count(" ")) < most
            for pair in pairs
        ]  # fmt: skip
        return labeled, np.array(usable, np.bool_)

    def _label(self, pair: Pair) -> str:
        inside = self.settings.labels == LABEL_COLUMN and self.labels is None
        found = pair.links if inside else pair.label
        return (found or "").strip(" \t") or _UNLABELED

    def count(self) -> int:
        """The number of pairs. Raises DataError as :func:`isogloss.align.read_bitext` does."""
        return sum(map(len, self._blocks(told=True)))

    def head(self) -> Bitext:
        """The first pairs, at most PART."""
        sides = self._collector()
        for pair in next(self._blocks(), []):
            sides.add(pair)
        return sides.bitext()

    def select(self, rows: NDArray[np.int64], num_pairs: int) -> tuple[Bitext, list[str]]:
        """Read some of the pairs, which have increasing numbers.

        rows: int64[n]; num_pairs: how many there were when they were counted

        Returns the pairs, without labels, and the domain of each as in :class:`TextPart`. Raises
        DataError where the text has changed.
        """
        sides, first = self._collector(), 0
        for pairs in self._blocks():
            begin, end = np.searchsorted(rows, [first, first + len(pairs)])
            for row in (rows[begin:end] - first).tolist():
                sides.add(pairs[row])
            first += len(pairs)
        self._check_count(first, num_pairs)
        labels = sides.labels
        return sides.bitext(), labels

    def parts(
        self, num_pairs: int, skipped: int = 0, rows: range | None = None
    ) -> Iterator[TextPart | None]:
        """Consecutive pairs, at most PART of them at a time; warns at the end of what is odd.

        num_pairs: how many there were when they were counted
        skipped: number of parts that are passed over, None standing for each
        rows: numbers of the pairs; None = all

        Raises DataError where the text has changed.
        """
        rows = range(num_pairs) if rows is None else rows
        sides, first, number = self._collector(), 0, 0
        for pairs in self._blocks():
            begin = max(rows.start - first, 0)
            some = pairs[begin : max(rows.stop - first, 0)]
            if some and number < skipped:
                yield None
            elif some:
                for pair in some:
                    sides.add(pair)
                labels = sides.labels
                texts = [(pair.source, pair.target) for pair in some]
                yield TextPart(first + begin, sides.bitext(), labels, texts)
            number += bool(some)
            first += len(pairs)
        self._check_count(first, num_pairs)
        sides.warn()

    def _collector(self) -> PairCollector:
        settings = self.settings
        if self.labels is not None:
            settings = replace(settings, labels=LABEL_LINE)
        with self._opened(look=False) as stream:
            counted, files = stream.counted, stream.files
        return PairCollector(self.source, self.target, settings, counted, files)

    def _opened(self, *, look: bool) -> AbstractContextManager[PairStream]:
        settings = self.settings
        return open_pairs(
            self.source, self.target, format=settings.format, asked=settings.asked, look=look
        )

    def _blocks(self, *, told: bool = False) -> Iterator[list[Pair]]:
        """The pairs, PART at a time. told: whether to warn of what is odd about the files"""
        with self._opened(look=told) as stream:
            pairs = stream.pairs
            if self.labels is not None:
                pairs = labeled_pairs(pairs, self.labels)
            while True:
                with warnings.catch_warnings():
                    if not told:
                        warnings.simplefilter("ignore", DataWarning)
                    block = list(islice(pairs, PART))
                if not block:
                    return
                yield block

    def _check_count(self, found: int, expected: int) -> None:
        if found != expected:
            raise DataError(
                f"the text has {pluralize(found, 'sentence pair')}",
                f"{expected} as when it was read before",
                file=shown_file(self.source),
                remedy="Make sure that no program writes the text, and try again",
            )
