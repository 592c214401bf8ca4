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
from isogloss.align.errors import OptionError, UsageError, WrongTypeError, check_argument
from isogloss.align.execution.calls import ExplainedClass, public
from isogloss.align.execution.keywords import chosen_options
from isogloss.align.files.outputs import naming_output
from isogloss.align.files.parts import scratch_folder
from isogloss.align.links.links import Links
from isogloss.align.text.bitext import Bitext

from ..table.phrase_table import PhraseTable
from ..table.sidecar import MOSES_SCORES
from .count_features import CountBins, add_count_features
from .counts import PreparedBitext, RuleCounts, RuleStore
from .domain_scores import DomainCounts, LabelFeature, add_domain_scores, add_label_features
from .domain_weights import DomainWeights
from .kernels.counting import unpack_links
from .kernels.phrase_pairs import STRIDE
from .reordering import ReorderingModel, proportional_smoothing, reordering_scores
from .smoothing import GoodTuring, KneserNey, RelativeFrequency, Smoothing, parse_smoothing
from .word_table import WordTable, lexical_scores, word_table

__all__ = [
    "DENSE_FEATURES",
    "LEAST_MEMORY",
    "DomainWeights",
    "ExtractedBlock",
    "ExtractionOptions",
    "extract",
    "extract_blocks",
]

# with the four scores, the eight of the model ADAGRAD_PRO, and a decoder's distance, language
# model, word and phrase penalties and unknown words the dense features of Green et al. (2013)
DENSE_FEATURES = ("RuleCount", "UniqueRule")
LEAST_MEMORY = 1 << 20
MAX_COUNTS = 1e12  # that are added to those of a text


@public
@dataclass(frozen=True)
class ExtractionOptions(metaclass=ExplainedClass):
    """Options of :func:`extract`.

    Parameters
    ----------
    max_phrase_length : int, default 7
        Maximum number of words of a phrase, 1 to 8.
    smoothing : Smoothing, default Smoothing.NONE
        How p(f|e) and p(e|f) are estimated, or its name.
    reordering : tuple of ReorderingModel, optional
        Lexicalized reordering models to estimate.
    reordering_smoothing : float, default 0.5
        Pseudo-count added to each count of an orientation.
    proportional_smoothing : bool, default False
        Distribute the pseudo-counts as the orientations of the whole table.
    moses_orientations : bool, default True
        Determine orientations as Moses does; False: as Galley and Manning (2008) define them.
    count_features : tuple of str, optional
        Count features to add as scores.
    count_bins, sparse_count_bins : CountBins, optional
        Limits of indicators of low counts, as scores and as sparse features.
    label_features : tuple of LabelFeature, optional
        Features of the domain labels of sentences.
    domain_smoothing : float, default 1.0
        Pseudo-counts that smooth the scores of a domain towards those of all domains.
    moses_precision : bool, default True
        Round lexical probabilities to seven decimals, and scores to single precision, as Moses
        does.
    max_memory : int, default 128 MiB
        Bytes for phrase pairs; more are counted in several passes.

    Raises
    ------
    UsageError
        If a value is out of range.

    Examples
    --------
    >>> import isogloss as ig
    >>> ig.ExtractionOptions(max_phrase_length=5).max_phrase_length
    5
    """

    max_phrase_length: int = 7
    smoothing: Smoothing = Smoothing.NONE
    reordering: tuple[ReorderingModel, ...] = ()
    reordering_smoothing: float = 0.5
    proportional_smoothing: bool = False
    moses_orientations: bool = True
    count_features: tuple[str, ...] = ()
    count_bins: CountBins | None = None
    sparse_count_bins: CountBins | None = None
    label_features: tuple[LabelFeature, ...] = ()
    domain_smoothing: float = 1.0
    moses_precision: bool = True
    max_memory: int = 128 << 20

    def __post_init__(self) -> None:
        object.__setattr__(self, "smoothing", parse_smoothing(self.smoothing))
        check_argument(self.max_phrase_length, int, "max_phrase_length", "an integer")
        if not 1 <= self.max_phrase_length <= STRIDE:
            expected = f"between 1 and {STRIDE}"
            raise OptionError("max_phrase_length", expected, self.max_phrase_length)
        if self.max_memory < LEAST_MEMORY:
            raise OptionError("max_memory", f"at least {LEAST_MEMORY} bytes", self.max_memory)
        if not 0.0 < self.domain_smoothing <= MAX_COUNTS:
            expected = "above 0 and at most 1e12"
            raise OptionError("domain_smoothing", expected, self.domain_smoothing)
        if not 0.0 <= self.reordering_smoothing <= MAX_COUNTS:
            expected = "between 0 (none) and 1e12"
            raise OptionError("reordering_smoothing", expected, self.reordering_smoothing)
        if len(set(self.label_features)) != len(self.label_features):
            raise UsageError(f"label features must be unique, got {', '.join(self.label_features)}")


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
class _Scorer:
    """Turns the counts of a shard into scores."""

    text: PreparedBitext
    bitext: Bitext
    options: ExtractionOptions
    estimator: RelativeFrequency | GoodTuring | KneserNey
    words: tuple[WordTable, WordTable]
    domains: tuple[str, ...]
    domain_words: tuple[tuple[WordTable, WordTable], ...]
    orientations: NDArray[np.float64]

    def block(self, shard: RuleCounts, totals: NDArray[np.float64]) -> ExtractedBlock:
        """The scored rules of a shard; totals: see RuleStore."""
        source, target = self.text.source.texts(shard.source), self.text.target.texts(shard.target)
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
        return ExtractedBlock(table, self._reordering(shard))

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
        return add_label_features(table, self.bitext.domains, labeled, self.options.label_features)

    def _reordering(self, shard: RuleCounts) -> tuple[NDArray[np.float64], ...]:
        results = []
        for model in self.options.reordering:
            kind = self.text.used_kinds.index(model.kernel_kind)
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
def _folder(given: Path | None) -> Iterator[Path]:
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
    _check_text(bitext, links)
    options, weights = _chosen(options, {}), weights or DomainWeights()
    labels = bool(options.label_features)
    columns = weights.columns(bitext, labels)
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
    with _folder(scratch_folder) as folder:
        store = RuleStore(text, options.max_memory, folder)
        if not sum(store.sizes):
            return
        estimator = options.smoothing.estimate(store.counts_of_counts)
        scorer = _Scorer(
            text, bitext, options, estimator, words, weights.domains, domain_words,
            store.orientations,
        )  # fmt: skip
        for shard, totals in store:
            if len(shard):
                yield replace(scorer.block(shard, totals), num_rules=sum(store.sizes))


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
