"""Training by a group of members, on one machine or several: EM over shards of the text.

Each member has a shard, of which it looks up what meets, and the lexical rows of some source words,
of which it adds up the counts of all shards and makes the M-step. Tables go from the members that
have them to the shards that need them, and counts back; who asks has the text, the posteriors of
its pairs, the jumps, and the tables of NULL. Counts are whole numbers, so results are the same for
any number of members: those of one machine.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..arrays.ragged import offsets_of, select_rows
from ..errors import UsageError
from ..execution.groups import Group
from ..lexicon.tables import LexicalEntries
from ..links.known_links import KnownLinks
from ..model.cooccurrence import PairIndex, cell_offsets, even_ranges
from ..model.kernels.estimation import Smoothing, StemmedWords
from ..model.kernels.gather import LinkCounts
from ..model.kernels.transitions import JumpCounts
from ..model.likelihoods import PAIRS
from ..model.parameters import Parameters
from ..model.trained_text import Iteration
from ..text.bitext import Bitext
from ..text.corpus import Corpus
from ..text.vocabulary import Vocabulary
from .counts import Counts
from .e_step import Expected
from .em import Trainer
from .m_step import column_totals, estimate_nulls, stem_ranges
from .member import Member
from .rows import ShardRows

__all__ = ["ShardedTrainer", "numbered_by_stem", "shard_edges"]


_NO_LINKS = np.zeros((1, 1, 2), np.int64)  # the members have them


@dataclass
class ShardedTrainer(Trainer):
    """A trainer that has a group do the steps.

    group: of members, class Member
    """

    group: Group = field(kw_only=True)
    _order: NDArray[np.int64] = field(init=False, repr=False)
    _words_sent: StemmedWords = field(init=False, repr=False)
    _edges: list[tuple[int, int]] = field(init=False)
    _bounds: list[int] = field(init=False)
    _sizes: list[int] = field(init=False)

    def _index_words(self) -> None:
        if self.external_links is not None:
            raise UsageError("external links can't be used with a cluster; leave one of them out")
        group, size = self.group, self.group.size
        text, words = numbered_by_stem(self.bitext, self.words)
        self._order, self._words_sent = self.words.order, words
        running = np.bincount(text.source.tokens, minlength=len(words.source))
        ranges = stem_ranges(running, words, size)
        self._bounds = [0, *(last for _, last in ranges)]
        self._edges = shard_edges(self.bitext, size)
        parts = [
            group.ask(
                member, Member.read, text.select(slice(first, last)), self.options,
                self._part_of_known_links(first, last), self._bounds, parts=size,
            )
            for member, (first, last) in enumerate(self._edges)
        ]  # fmt: skip
        sent = group.share(words)
        self._sizes = group.results(
            [
                group.ask(member, Member.merge, sent, *own, *(part[member] for part in parts))
                for member, own in enumerate(ranges)
            ]
        )
        # the members have the rows: here none are
        self.index = PairIndex(np.zeros(len(words.source) + 1, np.int64), np.zeros(0, np.int32))

    def _part_of_known_links(self, first: int, last: int) -> KnownLinks | None:
        if self.known_links is None:
            return None
        return replace(self.known_links, links=self.known_links.links.part(first, last - first))

    def _ask_all(self, task: Callable[..., Any], *arguments: Any) -> list[Any]:
        """What each member makes of the same task."""
        group = self.group
        return group.results([group.ask(k, task, *arguments) for k in range(group.size)])

    def _ask_for_all(self, task: Callable[..., Any]) -> list[list[Any]]:
        """What each member has for each: by member that is given something, then who gives it."""
        given = [self.group.ask(k, task, parts=self.group.size) for k in range(self.group.size)]
        return [list(own) for own in zip(*given, strict=True)]

    def _sent(self) -> Parameters:
        """The parameters but for those of pairs of words; source words are numbered by stem."""
        order, own = np.append(self._order, -1), self.parameters
        return replace(
            own, null_source=own.null_source[:, order], source_class=own.source_class[order]
        )

    def expect(self, stage: str, log_weights: NDArray[np.float64]) -> Expected:
        """The E-step of all shards; the members have the counts of links.

        log_weights: float64[2, num_pairs, D]
        """
        group, sent = self.group, self.group.share(self._sent())
        asked = []
        for member, tables in enumerate(self._ask_for_all(Member.tables)):
            own = np.ascontiguousarray(log_weights[:, slice(*self._edges[member])])
            given = stage, sent, own, self._units, *tables
            asked.append(group.ask(member, Member.expect, *given, parts=group.size + 1))
        added = [
            group.ask(member, Member.add_up, stage, self._units, *(part[member] for part in asked))
            for member in range(group.size)
        ]
        found: list[Expected] = group.results([part[-1] for part in asked])
        group.results(added)
        return Expected(
            np.concatenate([part.posterior for part in found]),
            self._total([part.counts for part in found]),
            [objective for part in found for objective in part.objectives],
        )

    def _total(self, parts: Sequence[Counts]) -> Counts:
        """Counts of all shards but those of links, with source words numbered as here."""
        order = np.append(self._order, -1)
        source, target = (
            np.sum([getattr(part.lexical, name) for part in parts], axis=0)
            for name in ("null_source", "null_target")
        )
        nulls = np.empty_like(source)
        nulls[:, order] = source
        jumps = (np.sum(arrays, axis=0) for arrays in zip(*(x.jumps for x in parts), strict=True))
        return Counts(LinkCounts(_NO_LINKS, nulls, target, self._units), JumpCounts(*jumps))

    def _add_known(
        self, dictionary: LexicalEntries, each: NDArray[np.int64], counts: Counts
    ) -> None:
        known = np.flatnonzero(dictionary.source > 0)
        source = _ranks(self._order)[dictionary.source[known]]
        self._ask_all(Member.add_known, source, dictionary.target[known], each[known])

    def _estimate_lexical(self, counts: Counts, smoothing: Smoothing) -> None:
        sums, sizes = (sum(parts) for parts in zip(*self._ask_all(Member.column_sums), strict=True))
        totals = column_totals(sums, sizes, self._units, self._words_sent)
        self._ask_all(Member.estimate, self.group.share(totals), smoothing)
        estimate_nulls(self.parameters, counts.lexical, smoothing)

    def _find_rare(self, counts: Counts, threshold: float) -> Callable[[], None]:
        return partial(self._drop_rows, self._ask_all(Member.find_rare, threshold))

    def _drop_rows(self, kept: list[int]) -> None:
        self._report_pruning(sum(kept), sum(self._sizes))
        self._forget(self._ask_for_all(Member.drop_rare))
        self._sizes = kept

    def _forget(self, masks: Sequence[Sequence[Any]]) -> None:
        """Have the shards drop what has been dropped from rows."""
        group = self.group
        group.results([group.ask(k, Member.forget, *own) for k, own in enumerate(masks)])

    def split(self, num_domains: int) -> None:
        """Give each domain a copy of the tables."""
        super().split(num_domains)
        self._ask_all(Member.split, num_domains)

    def log_likelihoods(
        self, stage: str, rows: NDArray[np.int64] | None = None
    ) -> NDArray[np.float64]:
        """log P(f | e, D) and log P(e | f, D) of all pairs, or some: float64[2, num_pairs, D].

        rows: int64[num_pairs], numbers of the pairs
        """
        group, sent = self.group, self.group.share(self._sent())
        tables = self._ask_for_all(Member.tables)
        asked = [
            group.ask(member, Member.log_likelihoods, stage, sent, *own)
            for member, own in enumerate(tables)
        ]
        whole: NDArray[np.float64] = np.concatenate(group.results(asked), axis=1)
        return whole if rows is None else whole[:, rows]

    def state(self) -> tuple[Parameters, PairIndex]:
        """Parameters with all tables, and the index of their pairs of words."""
        rows = self._ask_all(Member.rows)
        offsets = offsets_of(np.concatenate([own.sizes for own, _ in rows]))
        entries, row_offsets = select_rows(offsets, _ranks(self._order))
        columns = np.concatenate([own.columns for own, _ in rows])[entries]
        table = np.concatenate([own for _, own in rows])[entries]
        never_met = np.zeros((1, *table.shape[1:]), np.float32)
        lexical = np.concatenate([table, never_met])
        return replace(self.parameters, lexical=lexical), PairIndex(row_offsets, columns)

    def restore(self, parameters: Parameters, index: PairIndex, trace: list[Iteration]) -> None:
        """Go on from a state that was saved."""
        entries, offsets = select_rows(index.row_offsets, self._order)
        columns, table = index.columns[entries], parameters.lexical[entries]
        group, size = self.group, self.group.size
        masks = []
        for member, (first, last) in enumerate(pairwise(self._bounds)):
            own = slice(offsets[first], offsets[last])
            rows = ShardRows(np.diff(offsets[first : last + 1]), columns[own])
            masks.append(group.ask(member, Member.restore, rows, table[own], parts=size))
        self._forget(list(zip(*masks, strict=True)))
        self.parameters = replace(parameters, lexical=parameters.lexical[-1:].copy())
        self.trace = trace


def numbered_by_stem(bitext: Bitext, words: StemmedWords) -> tuple[Bitext, StemmedWords]:
    """A text whose source words are numbered stem after stem, and its words."""
    order, corpus = words.order, bitext.source
    spellings = corpus.vocabulary.words
    source = Corpus(
        _ranks(order)[corpus.tokens], corpus.offsets,
        Vocabulary(spellings[number] for number in order[1:].tolist()),
    )  # fmt: skip
    numbered = words._replace(
        order=np.arange(len(order)), source=words.source[order],
        source_share=words.source_share[order],
    )  # fmt: skip
    return replace(bitext, source=source), numbered


def _ranks(order: NDArray[np.int64]) -> NDArray[np.int32]:
    """Where each word stands in an order: int32[n]."""
    ranks = np.empty(len(order), np.int32)
    ranks[order] = np.arange(len(order), dtype=np.int32)
    return ranks


def shard_edges(bitext: Bitext, parts: int) -> list[tuple[int, int]]:
    """Ranges of sentence pairs of about as many cells; they begin at multiples of PAIRS."""
    begins = np.append(np.arange(0, len(bitext), PAIRS), len(bitext))
    offsets = cell_offsets(bitext)[begins]
    return [(int(begins[first]), int(begins[last])) for first, last in even_ranges(offsets, parts)]
