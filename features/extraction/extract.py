"""From word links to a scored phrase table (Koehn, Och & Marcu 2003; the scores of Moses)."""

from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import gettempdir
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isogloss.align.arrays.equality import ComparedByContent
from isogloss.align.arrays.sparse_rows import Ragged
from isogloss.align.errors import WrongTypeError, check_argument
from isogloss.align.execution.calls import public
from isogloss.align.execution.keywords import chosen_options
from isogloss.align.files.outputs import naming_output
from isogloss.align.files.parts import scratch_folder
from isogloss.align.links.links import Links
from isogloss.align.text.bitext import Bitext

from ..table.phrase_table import PhraseTable
from ..table.sidecar import MOSES_SCORES
from .count_features import add_count_features
from .counts import PreparedBitext, RuleCounts
from .domain_scores import DomainCounts, add_domain_scores, add_label_features
from .domain_weights import DomainWeights
from .extraction_options import ExtractionOptions
from .kernels.counting import unpack_links
from .reordering import proportional_smoothing, reordering_scores
from .rule_store import RuleStore
from .smoothing import GoodTuring, KneserNey, RelativeFrequency
from .word_table import WordTable, lexical_scores, word_table

__all__ = [
    "DomainWeights",
    "ExtractedBlock",
    "PreparedExtraction",
    "extract",
    "extract_blocks",
    "made_folder",
]


@dataclass(frozen=True, eq=False)
class ExtractedBlock(ComparedByContent):
    """Consecutive rules of a table, and their scores in each reordering model.

    reordering: float64[num_rules, columns], or [num_source_phrases, columns] for models that are
        conditioned on the source phrase alone
    num_rules: of all blocks
    """

    table: PhraseTable
    reordering: tuple[NDArray[np.float64], ...] = field(default=())
    num_rules: int = 0


def _links_of(signatures: NDArray[np.uint64]) -> Ragged:
    """Phrase-internal links of each rule, from their bits."""
    offsets = np.empty(len(signatures) + 1, np.int64)
    size = unpack_links(signatures, np.empty(0, np.int32), offsets)
    ids = np.empty(size, np.int32)
    unpack_links(signatures, ids, offsets)
    return Ragged(ids, np.ones(size, np.float32), offsets)


def _word_tables(
    bitext: Bitext,
    links: Links,
    weights: NDArray[np.float64] | None = None,
    general: tuple[WordTable, WordTable] | None = None,
    smoothing: float = 0.0,
) -> tuple[WordTable, WordTable]:
    """w(source | target) and w(target | source)."""
    backward, forward = general or (None, None)
    return (
        word_table(bitext.source, bitext.target, links, weights, backward, smoothing),
        word_table(bitext.target, bitext.source, links.reversed(), weights, forward, smoothing),
    )


@dataclass(frozen=True)
class Scorer:
    """Turns the counts of a shard into scores.

    label_names: of the domains that sentences are labeled with
    words: w(source | target) and w(target | source); domain_words: those of each domain
    orientations: float64[kinds, 2, 4], sums over all rules; empty where they aren't needed
    """

    options: ExtractionOptions
    label_names: tuple[str, ...]
    estimator: RelativeFrequency | GoodTuring | KneserNey
    words: tuple[WordTable, WordTable]
    domains: tuple[str, ...]
    domain_words: tuple[tuple[WordTable, WordTable], ...]
    orientations: NDArray[np.float64]

    def block(
        self, text: PreparedBitext, shard: RuleCounts, totals: NDArray[np.float64]
    ) -> ExtractedBlock:
        """The scored rules of a shard; totals: float64[num_target_phrases, K + 1], see RuleStore"""
        source, target = text.source.texts(shard.source), text.target.texts(shard.target)
        links = _links_of(shard.signatures)
        types_source = np.bincount(shard.rule_source, minlength=len(source)).astype(np.float64)
        sums = [np.bincount(shard.rule_source, counts, len(source)) for counts in shard.counts.T]
        of_source = np.stack(sums, axis=1)[shard.rule_source].astype(np.float64, copy=False)
        of_target = totals[shard.rule_target]
        count, count_f, count_e = shard.counts[:, 0], of_source[:, 0], of_target[:, 0]
        types = types_source[shard.rule_source], of_target[:, -1]
        lex_fe, lex_ef = lexical_scores(
            (source, shard.rule_source), (target, shard.rule_target), links, self.words
        )
        table = PhraseTable(
            source, target, shard.rule_source, shard.rule_target,
            np.stack([self._estimate(count, count_e, types[1], types[0]), lex_fe,
                      self._estimate(count, count_f, *types), lex_ef], 1),
            MOSES_SCORES, links, np.stack([count_e, count_f, count], 1), Ragged.empty(len(shard)),
            (),
        )  # fmt: skip
        table = add_count_features(table, self.options.count_features)
        if self.options.count_bins is not None:
            table = self.options.count_bins.dense(table)
        if self.options.sparse_count_bins is not None:
            table = self.options.sparse_count_bins.sparse(table)
        table = self._add_domains(table, shard.counts, of_source, of_target)
        if self.options.moses_precision:
            ours = np.isin(table.score_names, self.options.count_features)
            table = replace(table, scores=np.where(ours, table.scores, _single(table.scores)))
        return ExtractedBlock(table, self._reordering(shard, text.used_kinds))

    def _estimate(
        self,
        count: NDArray[np.float64],
        total: NDArray[np.float64],
        types_given: NDArray[np.float64],
        types_generated: NDArray[np.float64],
    ) -> NDArray[np.float64]:
        columns = count, total, types_given, types_generated
        if isinstance(self.estimator, RelativeFrequency):
            return self.estimator.probability(*columns)
        # Moses discounts in float32, which shows in the sixth digit
        single = [column.astype(np.float32) for column in columns]
        return self.estimator.probability(*single).astype(np.float64)

    def _add_domains(
        self,
        table: PhraseTable,
        counts: NDArray[np.float64],
        of_source: NDArray[np.float64],
        of_target: NDArray[np.float64],
    ) -> PhraseTable:
        by_domain = slice(1, 1 + len(self.domains))
        table = add_domain_scores(
            table,
            self.domains,
            DomainCounts(counts[:, by_domain], of_source[:, by_domain], of_target[:, by_domain]),
            self.domain_words,
            self.options.domain_smoothing,
        )
        labeled = counts[:, 1 + len(self.domains) :]
        return add_label_features(table, self.label_names, labeled, self.options.label_features)

    def _reordering(self, shard: RuleCounts, kinds: list[int]) -> tuple[NDArray[np.float64], ...]:
        results = []
        for model in self.options.reordering:
            kind = kinds.index(model.kernel_kind)
            smoothing: float | NDArray[np.float64] = self.options.reordering_smoothing
            if self.options.proportional_smoothing:
                weight = self.options.reordering_smoothing
                smoothing = proportional_smoothing(model, weight, self.orientations[kind])
            counts = shard.orientations[:, kind]
            results.append(reordering_scores(counts, model, shard.rule_source, smoothing))
        return tuple(results)


def _single(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """Scores in single precision; what is above 0 stays so."""
    floor = np.where(scores > 0.0, float(np.finfo(np.float32).tiny), 0.0)
    result: NDArray[np.float64] = np.maximum(scores, floor).astype(np.float32).astype(np.float64)
    return result


@contextmanager
def made_folder(given: Path | None) -> Iterator[Path]:
    """A folder for parts. given: where; None = the system's"""
    with ExitStack() as made:
        with naming_output(given or gettempdir()):
            folder = made.enter_context(scratch_folder(given))
        yield folder


def _check_text(bitext: object, links: object) -> None:
    """Raise WrongTypeError for what is no text, or no links."""
    if isinstance(bitext, Links) and isinstance(links, Bitext):
        raise WrongTypeError("bitext and links are swapped; use extract(bitext, links)")
    remedy = (
        "read_bitext(source, target), or Bitext.from_sentences(source, target) for text in memory"
    )
    check_argument(bitext, Bitext, "bitext", "a Bitext", remedy)
    remedy = "read_links(file) or model.align(bitext)"
    check_argument(links, Links, "links", "Links", remedy)


def _chosen(options: object, changes: Mapping[str, Any]) -> ExtractionOptions:
    return chosen_options(options, ExtractionOptions(), changes, "max_phrase_length=5")


@dataclass(frozen=True)
class PreparedExtraction:
    """A text to extract from, and what its rules are scored by.

    words: w(source | target) and w(target | source); domain_words: those of each domain
    """

    text: PreparedBitext
    options: ExtractionOptions
    label_names: tuple[str, ...]
    words: tuple[WordTable, WordTable]
    domains: tuple[str, ...]
    domain_words: tuple[tuple[WordTable, WordTable], ...]

    @classmethod
    def of(
        cls,
        bitext: Bitext,
        links: Links,
        options: ExtractionOptions,
        weights: DomainWeights | None,
    ) -> "PreparedExtraction":
        """Raises what :func:`extract_blocks` raises."""
        _check_text(bitext, links)
        weights = weights or DomainWeights()
        columns = weights.columns(bitext, bool(options.label_features))
        kinds = 0
        for model in options.reordering:
            kinds |= 1 << model.kernel_kind
        text = PreparedBitext.of(
            bitext, links, options.max_phrase_length, columns, kinds, options.moses_orientations
        )
        words = _word_tables(bitext, links)
        if options.moses_precision:
            words = words[0].rounded(), words[1].rounded()
        domain_words = tuple(
            _word_tables(bitext, links, columns[:, 1 + k], words, options.domain_smoothing)
            for k in range(len(weights.domains))
        )
        return cls(text, options, bitext.domains, words, weights.domains, domain_words)

    def scorer(self, store: RuleStore) -> "Scorer":
        """What scores the rules of a store."""
        return Scorer(
            self.options, self.label_names,
            self.options.smoothing.estimate(store.counts_of_counts), self.words, self.domains,
            self.domain_words,
            store.orientations if self.options.proportional_smoothing else np.empty(0),
        )  # fmt: skip


def extract_blocks(
    bitext: Bitext,
    links: Links,
    options: ExtractionOptions | None = None,
    weights: DomainWeights | None = None,
    scratch_folder: Path | None = None,
) -> Iterator[ExtractedBlock]:
    """All phrase pairs consistent with the links, scored, in the byte order of their text.

    Blocks follow each other as the lines of the table do; a source phrase is in one block only.
    Phrase pairs take ``options.max_memory`` at most: more are counted in parts, which wait in
    ``scratch_folder`` (default: the system's). The result doesn't depend on the parts.

    p(f|e) = c(f, e) / c(e), p(e|f) = c(f, e) / c(f), or discounted; lex(f|e) and lex(e|f) use the
    most frequent phrase-internal links of the rule and the lexical tables counted from ``links``;
    f is the source phrase, e the target phrase.

    Raises DataError for links outside of their pair and weights that are not above 0, UsageError
    for a length over 8 and for features of labels that the text lacks, OutputError where the parts
    can't be written.
    """
    prepared = PreparedExtraction.of(bitext, links, _chosen(options, {}), weights)
    with made_folder(scratch_folder) as folder:
        store = RuleStore(prepared.text, prepared.options.max_memory, folder)
        if not sum(store.sizes):
            return
        scorer = prepared.scorer(store)
        for shard, totals in store:
            if len(shard):
                block = scorer.block(prepared.text, shard, totals)
                yield replace(block, num_rules=sum(store.sizes))


@public
def extract(
    bitext: Bitext,
    links: Links,
    options: ExtractionOptions | None = None,
    weights: DomainWeights | None = None,
    **changes: Any,
) -> PhraseTable:
    """Extract all phrase pairs consistent with the links as a scored table in memory.

    :func:`extract_blocks` doesn't need that memory and also gives the scores of
    ``options.reordering``; ``options.max_memory`` has no effect here.

    Parameters
    ----------
    bitext : Bitext
        The text.
    links : Links
        Links of its sentence pairs.
    options : ExtractionOptions, optional
        Default: ``ExtractionOptions()``.
    weights : DomainWeights, optional
        How much each sentence pair counts; default: 1.
    **changes
        Single options by name, such as ``max_phrase_length=5``.

    Returns
    -------
    PhraseTable

    Raises
    ------
    DataError
        If links are outside of their pair, or weights are not above 0.
    UsageError
        If there is no such option, a value is out of range, or the text lacks the labels that
        features are of.
    WrongTypeError
        If an argument is of another type.

    Examples
    --------
    >>> from isogloss.align import Bitext, Links
    >>> bitext = Bitext.from_pairs([("the house", "la casa"), ("the garden", "el jardín")])
    >>> links = Links.from_pairs([[(0, 0), (1, 1)], [(0, 0), (1, 1)]])
    >>> table = extract(bitext, links, max_phrase_length=1)
    >>> print(table["house"][0])
    house ||| casa ||| 1 1 1 1
    """
    options = replace(_chosen(options, changes), reordering=(), max_memory=1 << 62)
    for block in extract_blocks(bitext, links, options, weights):
        return block.table
    return PhraseTable(
        bitext.source.select(np.zeros(0, np.int64)), bitext.target.select(np.zeros(0, np.int64)),
        np.zeros(0, np.int32), np.zeros(0, np.int32), np.zeros((0, 4)), MOSES_SCORES,
        Ragged.empty(0), np.zeros((0, 3)), Ragged.empty(0), (),
    )  # fmt: skip
