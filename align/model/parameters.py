"""Options of the aligner, and the parameters that training estimates."""

from dataclasses import dataclass, replace
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from ..errors import ModelError, check_options, check_types, counts
from ..files.growing_arrays import is_mapped
from ..links.reliability import WeighedEvidence
from ..links.supervision import LinkSupervision
from ..links.symmetrize import HEURISTICS
from ..text.corpus import Bitext
from .cooccurrence import Cells, PairIndex
from .kernels.gather import Lexical, PairedText
from .kernels.transitions import Jumps

__all__ = [
    "COMBINATIONS",
    "DECODING_WEIGHTS",
    "POSTERIOR",
    "PRESETS",
    "AlignerOptions",
    "Parameters",
    "check_prior",
    "check_weights",
    "learned",
    "paired_text",
    "probabilities",
]

POSTERIOR = "posterior"
Number = TypeVar("Number", bound=np.generic)
_PAIRS = 1 << 14  # whose probabilities are looked at at a time
_NO_PROBABILITIES = (
    "the model's tables of word pairs hold numbers that are no probabilities. `isogloss check` of "
    "its folder says more; bring it back from a copy, or train again"
)
_LEAST = 1e-30  # of a weight that is the only one: in single precision it isn't 0
MOST = 1e30  # nothing that is computed from probabilities comes near it
COMBINATIONS = (POSTERIOR, *HEURISTICS)
DECODING_WEIGHTS = ("side", "pair", "hard")


@dataclass(frozen=True)
class AlignerOptions:
    """How to train and decode; docs/algorithms/alignment.md has each choice beside its equation.

    model1_iterations: EM iterations of Model 1.
    hmm_iterations: EM iterations of the HMM.
    flat_iterations: the first so many iterations, of Model 1 and then of the HMM, are of one
        general table, from which the domains then part (the last is always with domains); 0 = the
        domains start from their seed samples alone, as in the paper.
    window: jump distances in [-window, window] have a parameter each; longer ones share a tail.
    final_jumps: sentences end with a jump, too.
    null_probability: chance that a generated word comes from the empty word (HMM).
    jump_smoothing: share of the uniform distribution in each jump.
    lexical_floor: least lexical probability that a look-up gives.
    agreement: HMM stage; the link counts of both directions are the product of their posteriors
        (Liang et al. 2006), so that they learn from links they agree on.
    jump_classes: HMM stage; jumps depend on the class of the word jumped from, classes being
        learned from each side of the bitext, so many of them; 0 = none.
    jump_class_smoothing: pseudo-counts by which the jumps of a class lean towards those of all.
    stem_length: words that share so many first characters share a stem; 0 = no stems.
    stem_smoothing: pseudo-counts by which each row of the general lexical table leans towards
        that of its stems.
    sparse_prior: HMM stage; concentration of the Dirichlet prior on lexical rows, which are then
        estimated by variational Bayes (Riley & Gildea 2012); 0 = none.
    prune: pairs of types whose expected count after Model 1 is below this in both directions are
        dropped; 0 keeps all.
    domain_smoothing: pseudo-counts by which each row of a domain's lexical table leans towards
        the table of all domains; 0 = as printed in the paper.
    domain_temperature: domain posteriors are those of scores divided by this; above 1 they are
        less certain than the model makes them.
    unlikely_domain: a sentence pair is no longer trained under domains whose posterior was below
        this, nor, from the first iteration with domains on, under those that language models
        alone find hopeless; 0 = under all, as in the paper.
    seed_confidence: P(D) of a labelled pair's own domain; 1 = labels are beyond doubt.
    shared_jumps: one jump table for all domains instead of one each.
    language_model_order: order of the domain language models; 0 = none.
    language_model_sides: sides that have one: "both", "source" or "target".
    language_model_refits: how often the domain language models are estimated again, from the
        pairs found so far; 0 = from the seed samples alone, as in the paper.
    out_sample: pairs in the pseudo sample of the out-domain; 0 = the mean size of the seeds.
    out_selection: "burn-in" takes them by P(D_OUT | f, e) after one iteration, as printed,
        "unlike" those that the seeds' language models explain worst per word.
    held_out: every so many-th pair is not learned from, and the likelihood of these is reported
        after each iteration; 0 = none.
    decoding_weights: domain weights in eq. 5, "side": P(D | e) as printed, "pair": P(D | f, e),
        "hard": the most likely domain of P(D | e) alone.
    combination: how the links of both directions become one: "posterior", those of mean posterior
        posterior_threshold or more, or a heuristic on the best paths.
    """

    model1_iterations: int = 5
    hmm_iterations: int = 5
    flat_iterations: int = 9
    window: int = 5
    final_jumps: bool = False
    null_probability: float = 0.1
    jump_smoothing: float = 0.1
    lexical_floor: float = 1e-7
    agreement: bool = True
    jump_classes: int = 50
    jump_class_smoothing: float = 100.0
    stem_length: int = 4
    stem_smoothing: float = 100.0
    sparse_prior: float = 0.0
    prune: float = 0.01
    domain_smoothing: float = 30.0
    domain_temperature: float = 1.0
    unlikely_domain: float = 1e-3
    seed_confidence: float = 1.0
    shared_jumps: bool = True
    language_model_order: int = 3
    language_model_sides: str = "both"
    language_model_refits: int = 1
    out_sample: int = 0
    out_selection: str = "unlike"
    held_out: int = 0
    decoding_weights: str = "pair"
    combination: str = POSTERIOR
    posterior_threshold: float = 0.5

    def __post_init__(self) -> None:
        check_types(self)
        checks = [
            *counts(self, "model1_iterations"),
            *counts(self, "hmm_iterations", "flat_iterations", "language_model_refits", least=0),
            (1 <= self.window <= 100, "window", "from 1 to 100"),
            (0.0 < self.null_probability < 1.0, "null_probability", "between 0 and 1"),
            (0.0 <= self.jump_smoothing <= 1.0, "jump_smoothing", "from 0 to 1"),
            (1e-30 <= self.lexical_floor < 1e-3, "lexical_floor", "from 1e-30 to 0.001"),
            (0 <= self.jump_classes <= 1000, "jump_classes", "from 0 to 1000"),
            (0.0 <= self.jump_class_smoothing <= 1e12, "jump_class_smoothing", "from 0 to 1e12"),
            (self.stem_length >= 0, "stem_length", "at least 0"),
            (0.0 <= self.stem_smoothing <= 1e12, "stem_smoothing", "from 0 to 1e12"),
            (0.0 <= self.sparse_prior <= 1e6, "sparse_prior", "from 0 to 1e6"),
            (self.prune >= 0.0, "prune", "at least 0"),
            (0.0 <= self.domain_smoothing <= 1e12, "domain_smoothing", "from 0 to 1e12"),
            (1e-3 <= self.domain_temperature <= 1e6, "domain_temperature", "from 0.001 to 1e6"),
            (0.0 <= self.unlikely_domain <= 0.5, "unlikely_domain", "from 0 to 0.5"),
            (0.0 < self.seed_confidence <= 1.0, "seed_confidence", "above 0, at most 1"),
            (0 <= self.language_model_order <= 6, "language_model_order", "from 0 to 6"),
            (self.language_model_sides in ("both", "source", "target"), "language_model_sides",
             "both, source or target"),
            (self.out_sample >= 0, "out_sample", "at least 0"),
            (self.out_selection in ("burn-in", "unlike"), "out_selection", "burn-in or unlike"),
            (self.held_out == 0 or self.held_out >= 2, "held_out", "0, or 2 and more"),
            (self.decoding_weights in DECODING_WEIGHTS, "decoding_weights",
             "side, pair or hard"),
            (self.combination in COMBINATIONS, "combination", f"one of {', '.join(COMBINATIONS)}"),
            (0.0 < self.posterior_threshold <= 1.0, "posterior_threshold", "above 0, at most 1"),
        ]  # fmt: skip
        check_options(self, checks)

    @property
    def schedule(self) -> list[tuple[str, int]]:
        """Stage and number of each iteration."""
        return [
            *(("model1", number) for number in range(1, self.model1_iterations + 1)),
            *(("hmm", number) for number in range(1, self.hmm_iterations + 1)),
        ]

    def replace(self, **changes: Any) -> "AlignerOptions":
        """A copy with some fields changed."""
        return replace(self, **changes)


PRESETS = {
    "paper": AlignerOptions(
        hmm_iterations=3,
        flat_iterations=0,
        null_probability=0.2,
        jump_smoothing=0.0,
        agreement=False,
        jump_classes=0,
        stem_length=0,
        prune=0.0,
        domain_smoothing=0.0,
        unlikely_domain=0.0,
        shared_jumps=False,
        language_model_refits=0,
        out_selection="burn-in",
        decoding_weights="side",
        combination="grow-diag-final",
    ),
    "best": AlignerOptions(),
}


@dataclass
class Parameters:
    """Tables of all domains and both directions; 0 is P(source | target), 1 P(target | source).

    lexical: float32[num_type_pairs + 1, D, 2], t(source | target, D) and t(target | source, D);
        the last entry stays 0, for pairs that never met
    null_source, null_target: float32[D, num_types + 1], t(word | NULL, D); the last is of unknown
        words, whose id -1 finds it
    jump: float64[2, K, C, 2 * window + 3], unnormalised jump weights by class of the word jumped
        from and by bucket (see ``Jumps``); K = D, or 1 where domains share them
    start: float64[2, K, 2 * window + 3], the same from before the first word
    source_class, target_class: int32[num_types + 1], class of each word, C of them; the last is of
        unknown words
    """

    lexical: NDArray[np.float32]
    null_source: NDArray[np.float32]
    null_target: NDArray[np.float32]
    jump: NDArray[np.float64]
    start: NDArray[np.float64]
    source_class: NDArray[np.int32]
    target_class: NDArray[np.int32]

    @property
    def num_domains(self) -> int:
        """How many domains have tables."""
        return len(self.null_source)

    def check(self, index: PairIndex, types: tuple[int, int], domains: int, window: int) -> None:
        """Raise ValueError where kernels can't take the tables, or the rows of the index.

        types: of the source and of the target side. The tables of word pairs are not read.
        """
        _, sharing, classes, _ = self.jump.shape
        buckets = 2 * window + 3
        shapes: list[tuple[NDArray[Any], type, tuple[int, ...]]] = [
            (index.row_offsets, np.int64, (types[0] + 1,)),
            (index.columns, np.int32, (len(index),)),
            (self.lexical, np.float32, (len(index) + 1, domains, 2)),
            (self.null_source, np.float32, (domains, types[0] + 1)),
            (self.null_target, np.float32, (domains, types[1] + 1)),
            (self.jump, np.float64, (2, 1 if sharing == 1 else domains, classes, buckets)),
            (self.start, np.float64, (2, sharing, buckets)),
            (self.source_class, np.int32, (types[0] + 1,)),
            (self.target_class, np.int32, (types[1] + 1,)),
        ]
        for array, dtype, shape in shapes:
            if array.dtype != dtype or array.shape != shape:
                raise ValueError(
                    f"{array.dtype}{array.shape} where {np.dtype(dtype)}{shape} is due"
                )
        rows = index.row_offsets
        if rows[[0, -1]].tolist() != [0, len(index)] or (rows[1:] < rows[:-1]).any():
            raise ValueError("rows of the index that overlap or lie outside of it")
        for numbers in (self.source_class, self.target_class):
            if numbers.min() < 0 or numbers.max() >= classes:
                raise ValueError(f"word classes outside of 0 to {classes - 1}")
        for table in (self.null_source, self.null_target):
            check_weights(table, 1.01)  # probabilities, as they are rounded
            check_sums(table.sum(axis=1, dtype=np.float64))
        for weights in (self.jump, self.start):
            check_weights(weights, 1e30)  # counts, whose sums must be finite, too
        if self.jump.min() < _LEAST:
            raise ValueError("a jump weight of 0")  # a sentence may offer nothing else
        if self.start[:, :, window + 2].min() < _LEAST:
            raise ValueError("no way to begin with the first word")

    def check_lexical(self, index: PairIndex) -> None:
        """Raise ValueError where tables of word pairs hold no probabilities; reads all of them."""
        check_weights(self.lexical, 1.01)
        rows = np.flatnonzero(np.diff(index.row_offsets))
        for domain in range(self.lexical.shape[1] if len(index) else 0):
            given_target, given_source = self.lexical[:-1, domain].T
            check_sums(np.bincount(index.columns, given_target))
            begins = index.row_offsets[rows]
            check_sums(np.add.reduceat(given_source, begins, dtype=np.float64))

    def lexical_tables(self, floor: float) -> Lexical:
        """The lexical tables as kernels take them."""
        return Lexical(self.lexical, self.null_source, self.null_target, floor)

    def check_pairs(self, pair_ids: NDArray[np.uint32]) -> None:
        """Raise ModelError where a table that is mapped holds no probabilities for some pairs.

        pair_ids: uint32[n], of pairs of words, as in ``Cells``
        """
        if is_mapped(self.lexical):
            for begin in range(0, len(pair_ids), _PAIRS):
                probabilities(self.lexical.take(pair_ids[begin : begin + _PAIRS], axis=0))

    def jumps(self, options: AlignerOptions) -> Jumps:
        """The jump tables as kernels take them."""
        return Jumps(
            self.jump,
            self.start,
            options.null_probability,
            options.jump_smoothing,
            options.final_jumps,
            self.source_class,
            self.target_class,
        )

    def split(self, domains: int, shared_jumps: bool) -> "Parameters":
        """The same tables for each of several domains."""
        tables = 1 if shared_jumps else domains
        return Parameters(
            np.repeat(self.lexical, domains, axis=1),
            np.repeat(self.null_source, domains, axis=0),
            np.repeat(self.null_target, domains, axis=0),
            np.repeat(self.jump, tables, axis=1),
            np.repeat(self.start, tables, axis=1),
            self.source_class,
            self.target_class,
        )

    @classmethod
    def uniform(
        cls,
        pairs: int,
        classes: tuple[NDArray[np.int32], NDArray[np.int32]],
        window: int,
    ) -> "Parameters":
        """Uniform lexical tables of one domain; jumps that fall off with their distance from +1.

        classes: those of the source and of the target words, int32[num_types + 1] each.

        The paper doesn't say what the HMM's jumps start from; a mild preference for monotone links
        spares EM an iteration.
        """
        source_types, target_types = (len(of_side) - 1 for of_side in classes)
        distance = np.abs(np.arange(-window - 1, window + 2) - 1.0)
        jump = 1.0 / (1.0 + distance) ** 2
        start = jump.copy()
        start[: window + 2] = 1e-9  # no word stands before the first one
        lexical = np.empty((pairs + 1, 1, 2), np.float32)
        lexical[:, 0, 0] = 1.0 / source_types
        lexical[:, 0, 1] = 1.0 / target_types
        lexical[-1] = 0.0  # pairs that never met
        nulls = [
            np.full((1, types + 1), 1.0 / types, np.float32)
            for types in (source_types, target_types)
        ]
        for null in nulls:
            null[:, -1] = 0.0  # unknown words
        num_classes = 1 + max(int(of_side.max()) for of_side in classes)
        return cls(
            lexical,
            nulls[0],
            nulls[1],
            np.tile(jump / jump.sum(), (2, 1, num_classes, 1)),
            np.tile(start / start.sum(), (2, 1, 1)),
            *classes,
        )


def check_weights(table: NDArray[Any], most: float) -> None:
    """Raise ValueError for weights that are negative, above ``most`` or not numbers.

    table: float32[n], or of another type and shape
    """
    if table.size and not 0.0 <= table.min() <= table.max() <= most:  # nor NaN
        raise ValueError(f"weights that are negative or not numbers, or above {most}")


def check_sums(sums: NDArray[Any]) -> None:
    """Raise ValueError where sums of probabilities are above 1.

    sums: float64[n]

    What is too small to be kept, and a domain without any pair, leave less than 1.
    """
    if sums.size and not sums.max() <= 1.01:  # as they are rounded
        raise ValueError("probabilities whose sum is above 1")


def check_prior(log_prior: NDArray[np.float64]) -> None:
    """Raise ValueError where logarithms are not those of a distribution.

    log_prior: float64[D]
    """
    if not log_prior.max() <= 1e-6 or abs(np.exp(log_prior).sum() - 1.0) > 1e-3:  # nor NaN
        raise ValueError("priors of domains that don't sum to 1")


def learned(numbers: NDArray[Number], most: float = MOST) -> NDArray[Number]:
    """The same numbers, float64[n] or of another type and shape, if they can come from a model.

    Large tables of word pairs are not read when a model is opened: this sees what they lead to.

    numbers: float64[n], or of another type and shape; most: that they may be

    Raises ModelError where the tables of the model hold no probabilities.
    """
    if not np.less_equal(numbers, np.float32(most)).all():  # nor NaN
        raise ModelError(_NO_PROBABILITIES)
    return numbers


def probabilities(table: NDArray[Number]) -> NDArray[Number]:
    """The same numbers, float32[n, D, 2] or of another type and shape, if they are probabilities.

    table: float32[n, D, 2], or of another type and shape

    Raises ModelError where they are not.
    """
    try:
        check_weights(table, 1.01)
    except ValueError:
        raise ModelError(_NO_PROBABILITIES) from None
    return table


def paired_text(
    bitext: Bitext,
    cells: Cells,
    supervision: LinkSupervision | None = None,
    evidence: WeighedEvidence | None = None,
) -> PairedText:
    """The bitext, its cells, known links and evidence, as kernels take them."""
    known = np.zeros(0, np.int64), np.zeros(len(bitext) + 1, np.int64), 1.0
    if supervision is not None:
        cells_linked = supervision.cells(bitext.target.lengths)
        known = cells_linked, supervision.links.offsets, 1.0 - supervision.confidence
    if evidence is None:
        evidence = WeighedEvidence.none(len(bitext))
    return PairedText(
        bitext.source.tokens,
        bitext.source.offsets,
        bitext.target.tokens,
        bitext.target.offsets,
        cells.pair_ids,
        cells.offsets,
        *known,
        evidence.cells,
        evidence.kinds,
        evidence.offsets,
        evidence.factors,
        evidence.expected,
    )
