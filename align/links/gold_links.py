"""GoldLinks: links made by people; what shows that they don't fit their text, or some links."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import overload

import numpy as np
from numpy.typing import NDArray

from ..arrays.equality import ComparedByContent
from ..arrays.ragged import row_numbers
from ..arrays.row_choice import Rows
from ..errors import DataError, WrongTypeError, check_argument, pluralize
from ..execution.calls import ExplainedClass, public
from ..files.outputs import check_unused
from ..files.writers import write_lines
from .formats.burrito import TokenIds, read_token_ids
from .formats.gold_formats import (
    BURRITO,
    Columns,
    IdFiles,
    framed,
    gold_text,
    read_gold_keys,
    recognized,
)
from .formats.kernels.pharaoh import PAIR_SHIFT, SOURCE_SHIFT
from .formats.pharaoh import check_num_pairs, first_shown
from .formats.tables import lines_of_links
from .links import Links

__all__ = [
    "SHIFTS",
    "GoldLinks",
    "format_gold",
    "gold_hint",
    "link_lines",
    "links_of",
    "outside_of_text",
    "parse_gold",
]

_GOLD = "gold alignments"
_ENOUGH = 50  # sure links, below which nothing is said
SHIFTS = 5  # lines by which gold links may have been moved
# of the sure links: another reading of gold links finds that many times as many, and so many more.
# Of the right reading, the best other one has at most 0.53 of the links (15,000 links of 11 sets)
_TIMES, _MORE = 1.5, 0.15
_HARDLY_ANY = 0.2  # links of one text find 0.05 to 0.14 of another's


@public
@dataclass(frozen=True, eq=False, repr=False)
class GoldLinks(ComparedByContent, metaclass=ExplainedClass):
    """Links that people made, to score others by.

    ``gold[3]`` is a pair of lists, the sure and the possible links of a sentence pair;
    ``gold[10:20]``, ``gold[mask]`` and ``gold[[4, 2]]`` are gold links of some pairs.

    Parameters
    ----------
    sure : Links
        Links that must be found.
    possible : Links
        The sure links, and others that count as no error.

    Raises
    ------
    WrongTypeError
        If they aren't Links.
    DataError
        If they have different numbers of sentence pairs.

    Examples
    --------
    >>> import isogloss as ig
    >>> gold = ig.GoldLinks.from_pairs([[(0, 0)], [(0, 1)]], [[(1, 1)], []])
    >>> gold[0]
    ([(0, 0)], [(0, 0), (1, 1)])
    >>> ig.evaluate([[(0, 0), (1, 1)], []], gold).recall
    0.5
    """

    sure: Links
    possible: Links

    def __post_init__(self) -> None:
        for links, role in ((self.sure, "sure links"), (self.possible, "possible links")):
            check_argument(links, Links, role, "Links", "GoldLinks.from_pairs(lists)")
        if len(self.sure) != len(self.possible):
            raise DataError(
                f"the sure links are for {pluralize(len(self.sure), 'sentence pair')}, but the "
                f"possible links are for {len(self.possible)}",
            )

    @classmethod
    def load(
        cls,
        path: str | Path,
        *,
        format: str | None = None,
        num_pairs: int | None = None,
        ids: IdFiles | None = None,
    ) -> "GoldLinks":
        """Read gold alignments from a file.

        Parameters
        ----------
        path : str or Path
            Plain or compressed text; ``-`` is standard input.
        format : {"pharaoh", "talp", "naacl", "xl-wa", "ctfalign", "burrito"}, optional
            None recognizes the format by the first line, and talp by a name in .talp.

            - pharaoh: ``0-0 1p2``; ``i-j`` is a sure link, ``ipj`` and ``i?j`` are possible.
            - talp: as pharaoh, with positions counted from 1.
            - naacl: one link per line, ``1 3 4 S``: numbers of sentence, source word and target
              word from 1, and S (sure, the default) or P (possible).
            - xl-wa: source sentence, target sentence and links, separated by tabs.
            - ctfalign: JSON objects with ``text_a``, ``text_b`` and ``labels``.
            - burrito: Scripture Burrito alignment JSON, whose records name words by token ids.
        num_pairs : int, optional
            Number of sentence pairs, which only the format naacl does not state. None ends at the
            last pair with a link.
        ids : (str or Path, str or Path), optional
            For burrito: files with the token ids of the source words and of the target words, one
            line per sentence pair, separated by spaces.

        Returns
        -------
        GoldLinks

        Raises
        ------
        DataError
            If the file can't be read, a line is malformed, or token ids are missing.
        OptionError
            If the format is unknown.

        Examples
        --------
        >>> import isogloss as ig
        >>> with open("gold", "w") as file:
        ...     _ = file.write("1 1 1 S\\n1 2 3 P\\n")
        >>> ig.GoldLinks.load("gold")[0]
        ([(0, 0)], [(0, 0), (1, 2)])
        """
        return parse_gold(lines_of_links(path), path, format, num_pairs, ids)

    def save(
        self,
        path: str | Path | None,
        *,
        overwrite: bool | None = None,
        format: str = "pharaoh",
        texts: Iterable[tuple[str, str]] | None = None,
        ids: IdFiles | None = None,
    ) -> None:
        """Write the gold alignments as text.

        Parameters
        ----------
        path : str, Path or None
            Compressed if it ends in .gz, .bz2, .xz or .zst; ``-`` and None are standard output.
        overwrite : bool, optional
            Whether an existing file or folder is replaced, or else an error. Default: a file is
            replaced, a folder is an error.
        format : {"pharaoh", "talp", "naacl", "xl-wa", "ctfalign", "burrito"}, default "pharaoh"
            As for :meth:`load`. In naacl and burrito, pairs without links are missing. In xl-wa,
            ctfalign and burrito, all links must be sure.
        texts : iterable of (str, str), optional
            Source and target sentence of each pair, for xl-wa and ctfalign.
        ids : (str or Path, str or Path), optional
            Token ids for burrito, as for :meth:`load`.

        Raises
        ------
        ModelError
            If the path exists and may not be replaced.
        OutputError
            If the file can't be written.
        DataError
            If the format can't hold possible links, or the sentences don't fit the links.
        UsageError
            If the format is unknown, or needs texts or ids.

        Examples
        --------
        >>> import isogloss as ig
        >>> gold = ig.GoldLinks.from_pairs([[(0, 0)]], [[(1, 2)]])
        >>> gold.save("-")
        0-0 1p2
        >>> gold.save("-", format="naacl")
        0001 1 1 S
        0001 2 3 P
        """
        check_unused(path, overwrite)
        token_ids = None if ids is None else read_token_ids(*ids)
        write_lines(format_gold(self, format, texts, token_ids), path)

    @classmethod
    def from_pairs(
        cls,
        sure: Iterable[Iterable[Sequence[int]]],
        possible: Iterable[Iterable[Sequence[int]]] | None = None,
    ) -> "GoldLinks":
        """Build gold links from lists of (source, target), one list per sentence pair.

        Parameters
        ----------
        sure : iterable of iterables of (int, int)
            Links that must be found.
        possible : iterable of iterables of (int, int), default None
            Links that count as no error; the sure ones are added.

        Returns
        -------
        GoldLinks

        Raises
        ------
        WrongTypeError
            If they hold something other than links.
        DataError
            If they have different numbers of sentence pairs, or a position is negative.
        """
        first = links_of(sure, "sure links")
        if possible is None:
            return cls(first, first)
        gold = cls(first, links_of(possible, "possible links"))
        keys = np.concatenate([first.keys(), gold.possible.keys()])
        return cls(first, Links.from_keys(keys, len(gold)))

    @overload
    def __getitem__(self, number: int) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]: ...
    @overload
    def __getitem__(self, number: Rows) -> "GoldLinks": ...
    def __getitem__(
        self, number: int | Rows
    ) -> "tuple[list[tuple[int, int]], list[tuple[int, int]]] | GoldLinks":
        if isinstance(number, int | np.integer):
            return self.sure[int(number)], self.possible[int(number)]
        return GoldLinks(self.sure.select(number), self.possible.select(number))

    def __iter__(self) -> Iterator[tuple[list[tuple[int, int]], list[tuple[int, int]]]]:
        return (self[number] for number in range(len(self)))

    def __len__(self) -> int:
        return len(self.sure)

    def __repr__(self) -> str:
        more = len(self.possible.source) - len(self.sure.source)
        first = f"; first: {first_shown(self.sure[0])}" if len(self) else ""
        return (
            f"GoldLinks({len(self):,} sentence pairs, {len(self.sure.source):,} sure links and "
            f"{more:,} possible-only{first})"
        )


def links_of(given: object, role: str) -> Links:
    """Links as they are, or made of what :meth:`Links.from_pairs` takes. role: for messages

    Raises WrongTypeError for gold links, and as :meth:`Links.from_pairs` does.
    """
    if isinstance(given, GoldLinks):
        raise WrongTypeError(
            f"{role} must be Links, not GoldLinks; pass gold.sure or gold.possible"
        )
    return given if isinstance(given, Links) else Links.from_pairs(given)  # type: ignore[arg-type]


def parse_gold(
    lines: Iterable[str],
    file: str | Path | None = None,
    format: str | None = None,
    num_pairs: int | None = None,
    ids: IdFiles | None = None,
) -> GoldLinks:
    """Read gold links in any format. format, num_pairs, ids: see :meth:`GoldLinks.load`

    Raises DataError for malformed lines and missing ids.
    """
    sure, possible, number = read_gold_keys(lines, file, format, num_pairs, ids)
    check_num_pairs(number, file)
    return GoldLinks(*(Links.from_keys(np.array(keys, np.int64), number)
                       for keys in (sure, possible)))  # fmt: skip


def format_gold(
    gold: GoldLinks,
    format: str = "pharaoh",
    texts: Iterable[tuple[str, str]] | None = None,
    ids: tuple[TokenIds, TokenIds] | None = None,
    origin: str = "isogloss",
) -> Iterator[str]:
    """Lines of gold alignments without line ends, as :meth:`GoldLinks.save` writes them.

    origin: for burrito, who or what made the links
    """
    keys = gold.sure.keys()
    every = Links.from_keys(np.concatenate([keys, gold.possible.keys()]), len(gold))
    columns = Columns(every.source, every.target, every.offsets, np.isin(every.keys(), keys))
    if ids is not None and format == BURRITO:
        ids[0].check_size(len(gold))
    return framed(format, gold_text(columns, format, texts, 0, ids, origin))


def link_lines(
    lines: Iterable[str],
    path: str | Path,
    num_pairs: int | None = None,
    ids: IdFiles | None = None,
) -> Iterator[str]:
    """The links of a file's lines as Pharaoh text; lines of Pharaoh as they stand.

    num_pairs, ids: see :meth:`GoldLinks.load`

    Raises DataError for malformed lines of another format, and missing ids.
    """
    format, lines = recognized(lines, path)
    if format == "pharaoh":
        return iter(lines)
    return format_gold(parse_gold(lines, path, format, num_pairs, ids))


def gold_hint(links: Links, gold: GoldLinks, name: str = _GOLD) -> str:
    """What would explain that links find few of the sure gold links, and what to do; else nothing.

    Both have the same number of sentence pairs. name: what is said in place of gold alignments
    """
    keys, sure = links.keys(), gold.sure
    if len(sure.source) < _ENOUGH or not len(keys):
        return ""
    pair, source, target = _columns(sure)

    def found(
        pair: NDArray[np.int64], source: NDArray[np.int64], target: NDArray[np.int64]
    ) -> float:
        inside = (pair >= 0) & (pair < len(gold)) & (source >= 0) & (target >= 0)
        moved = pair << PAIR_SHIFT | source << SOURCE_SHIFT | target
        return float(np.isin(moved[inside], keys).sum() / len(pair))

    here = found(pair, source, target)
    readings = {
        "with source and target swapped": found(pair, target, source),
        "if their positions are decreased by 1; they look 1-based": found(
            pair, source - 1, target - 1
        ),
        "if their positions are increased by 1; the other links look 1-based": found(
            pair, source + 1, target + 1
        ),
        "with source and target swapped and positions decreased by 1": found(
            pair, target - 1, source - 1
        ),
    }
    shifts = [by for by in range(-SHIFTS, SHIFTS + 1) if by]
    moved = {by: found(pair + by, source, target) for by in shifts}
    for by, share in moved.items():
        where = f"{pluralize(abs(by))} {'later' if by > 0 else 'earlier'}"
        readings[f"if they are moved {where}; a line is probably missing or extra"] = share
    best = max(readings, key=lambda reading: readings[reading])
    sort, others = ("sure gold links", "links") if name == _GOLD else (name, "links of this model")
    seen = f"{_percent(here)} of the {sort} are among the {others}"
    if readings[best] >= max(_TIMES * here, here + _MORE):
        return f"{seen}, but {_percent(readings[best])} match {best}. Correct one of the files"
    chance = float(np.mean([*moved.values()]))
    if here < min(_HARDLY_ANY, 2 * chance):
        return (
            f"{seen}, and {_percent(chance)} are expected by chance: the {name} seem to belong to "
            "another text, or to one with different tokenization or order"
        )
    return ""


def outside_of_text(
    gold: GoldLinks, source_lengths: NDArray[np.int64], target_lengths: NDArray[np.int64]
) -> NDArray[np.int64]:
    """The lines, from 0, of gold links outside of their pairs, a line for each: int64[n].

    source_lengths, target_lengths: int64[num_pairs], words of each sentence; a pair with an empty
    side has lost its words, and is passed over
    """
    pair, source, target = _columns(gold.possible)
    outside = (source >= source_lengths[pair]) | (target >= target_lengths[pair])
    outside &= (source_lengths[pair] > 0) & (target_lengths[pair] > 0)
    return pair[outside]


def _columns(links: Links) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Sentence pair, source and target of each link: int64[n] each."""
    pair = row_numbers(links.offsets).astype(np.int64)
    return pair, links.source.astype(np.int64), links.target.astype(np.int64)


def _percent(share: float) -> str:
    return f"{100 * share:.0f}%"
