"""Links carried over from one tokenization of a text to another: words, subwords, characters.

Tokens are matched by the characters that they cover, blanks and the markers of tokenizers left
out, so any two tokenizations of one text will do. A new pair of tokens is linked where some link
of the old ones covers both: a word's link goes to all pairs of its pieces, and two words are
linked if any of their pieces are. See docs/howto/guided-alignment.md.
"""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice, pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ...arrays.ragged import offsets_of, positions_within, row_numbers, run_starts
from ...errors import DataError
from ...files.numerals import parse_number
from ...links.links import Links, format_links, parse_links
from .token_maps import Files, Folding, Sentences, TokenMap, map_tokens

__all__ = [
    "Tokenizations",
    "format_scored_links",
    "parse_scores",
    "remap_links",
    "retokenize_lines",
    "score_value",
]

_BLOCK = 4096  # sentence pairs at a time; bounds memory, changes no result


def remap_links(
    links: Links,
    source: TokenMap | None,
    target: TokenMap | None,
    scores: NDArray[np.float64] | None = None,
) -> tuple[Links, NDArray[np.int64]]:
    """Links between the new tokens; a side without a map keeps its tokens.

    scores: float64[num_links], of the old links; default: their probabilities, where they have any.
    Returns the new links and, int64[num_new_links], the old link that each comes from: the one
    with the highest score where there are several, the first where there are no scores.

    Raises DataError for another number of sentences and for a link outside of its sentence.
    """
    pair = row_numbers(links.offsets)
    if source is not None:
        source.check_range(links, links.source, "source")
    if target is not None:
        target.check_range(links, links.target, "target")
    first_source, count_source = _images(source, links.source, pair)
    first_target, count_target = _images(target, links.target, pair)
    images = offsets_of(count_source * count_target)
    row, place = row_numbers(images), positions_within(images)
    new_source = first_source[row] + place // count_target[row]
    new_target = first_target[row] + place % count_target[row]
    spread = [int(column.max(initial=0)) + 1 for column in (new_source, new_target)]
    key = (pair[row] * spread[0] + new_source) * spread[1] + new_target
    rank = links.probability if scores is None else scores
    order = np.argsort(key, kind="stable") if rank is None else np.lexsort((-rank[row], key))
    kept = order[run_starts(key[order])]
    origin = row[kept]
    moved = Links(
        new_source[kept].astype(np.int32),
        new_target[kept].astype(np.int32),
        offsets_of(np.bincount(pair[origin], minlength=len(links))),
        None if links.probability is None else links.probability[origin],
    )
    return moved, origin


def _images(
    tokens: TokenMap | None,
    positions: NDArray[np.int32],
    pair: NDArray[np.int64],
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """First new token and how many, int64[num_links] each, for one side of the links."""
    if tokens is None:
        return positions.astype(np.int64), np.ones(len(positions), np.int64)
    rows = tokens.offsets[pair] + positions
    return tokens.first[rows].astype(np.int64), tokens.count[rows].astype(np.int64)


def parse_scores(lines: Iterable[str], links: Links, file: str | Path | None = None) -> list[str]:
    """Scores of ``links`` as their file has them (``i-j:score``), one per link; "" for none.

    Of a link given twice the higher score counts, a link without a score being the lowest.
    ``i-j:score:score`` is read too; its first score is compared.

    Raises DataError for a score that is no number.
    """
    scores: list[str] = []
    for number, line in enumerate(lines):
        best: dict[tuple[int, int], str] = {}
        for token in line.split():
            position, _, score = token.partition(":")
            left, _, right = position.partition("-")
            link = int(left), int(right)
            try:
                value = score_value(score)
            except ValueError:
                raise DataError(
                    f"the score of {token!r} is invalid",
                    "a number after the colon, as in 3-4:0.87",
                    file=file,
                    line=number + 1,
                    remedy="Remove the scores or use numbers",
                ) from None
            if link not in best or value > score_value(best[link]):
                best[link] = score
        scores.extend(best[link] for link in links[number])
    return scores


def score_value(score: str) -> float:
    """Number to compare a link's score by: the first of several; -inf for no score.

    Raises ValueError for text that is no number.
    """
    first = score.partition(":")[0]
    return parse_number(first) if first else -math.inf


def format_scored_links(links: Links, scores: Sequence[str]) -> Iterator[str]:
    """Pharaoh text with the scores that are not empty, one line per pair, without line ends."""
    source, target = links.source.tolist(), links.target.tolist()
    for begin, end in pairwise(links.offsets.tolist()):
        yield " ".join(
            f"{source[k]}-{target[k]}:{scores[k]}" if scores[k] else f"{source[k]}-{target[k]}"
            for k in range(begin, end)
        )


@dataclass
class Tokenizations:
    """Two tokenizations of one side of a text, read as the links are.

    old, new: tokens of each sentence; None = the characters of the other one.
    styles, files: of both, see :func:`map_tokens`.
    """

    old: Sentences | None
    new: Sentences | None
    styles: tuple[str, str] = ("plain", "plain")
    files: Files = (None, None)
    folding: Folding = field(default_factory=Folding)

    def __post_init__(self) -> None:
        self.old, self.new = (None if side is None else iter(side) for side in (self.old, self.new))

    def map_next(self, number: int, first_line: int) -> TokenMap:
        """Match the next ``number`` sentences. Raises DataError as :func:`map_tokens` does."""
        old, new = (
            None if side is None else list(islice(side, number)) for side in (self.old, self.new)
        )
        return map_tokens(
            old, new, styles=self.styles, files=self.files, folding=self.folding,
            first_line=first_line,
        )  # fmt: skip


def retokenize_lines(
    lines: Iterable[str],
    source: Tokenizations | None,
    target: Tokenizations | None,
    file: str | Path | None = None,
) -> Iterator[str]:
    """Pharaoh text between the new tokens, one line per line of links, in bounded memory.

    Scores (``i-j:score``) are kept; where several old links meet in a new one, the highest.

    Raises DataError for what is no link, links that are not of the text, texts that differ.
    """
    rest = iter(lines)
    first_line = 1
    while True:
        block = list(islice(rest, _BLOCK))
        number = len(block) or 1  # one sentence more than there are links is an error, too
        maps = [
            None if side is None else side.map_next(number, first_line) for side in (source, target)
        ]
        if not block and not any(len(side) for side in maps if side is not None):
            return
        yield from _remap_block(block, maps[0], maps[1], file, first_line)
        first_line += len(block)


def _remap_block(
    block: Sequence[str],
    source: TokenMap | None,
    target: TokenMap | None,
    file: str | Path | None,
    first_line: int,
) -> Iterator[str]:
    try:
        links = parse_links(block, file)
        scores = parse_scores(block, links, file) if any(":" in line for line in block) else None
    except DataError as error:
        assert error.line is not None
        raise DataError(
            error.seen, error.expected, file=file, line=error.line + first_line - 1,
            remedy=error.remedy,
        ) from None  # fmt: skip
    if scores is None:
        yield from format_links(remap_links(links, source, target)[0])
    else:
        values = np.array([score_value(score) for score in scores])
        moved, origin = remap_links(links, source, target, values)
        yield from format_scored_links(moved, [scores[row] for row in origin.tolist()])
