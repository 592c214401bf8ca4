"""Options of the aligner, and the parameters of one direction."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .cooccurrence import Cells
from .corpus import Bitext
from .errors import UsageError
from .kernels.text import DirectedText, JumpColumns, LexicalColumns

__all__ = ["PRESETS", "AlignerOptions", "Direction", "directed_texts"]


@dataclass(frozen=True)
class AlignerOptions:
    """How to train and decode; docs/algorithms/alignment.md tells each choice beside its equation.

    model1_iterations, hmm_iterations: EM iterations of each stage.
    window: jump distances in [-window, window] have a parameter each; longer ones share a tail.
    null_probability: chance that a generated word comes from the empty word (HMM).
    jump_smoothing: share of the uniform distribution in each jump.
    lexical_floor: least lexical probability that a look-up gives.
    domain_smoothing: pseudo-counts by which each row of a domain's lexical table leans towards
        the table of all domains; 0 = as printed in the paper.
    shared_jumps: one jump table for all domains instead of one each.
    language_model_order: order of the domain language models; 0 = none.
    language_model_sides: "both", "source", "target".
    out_sample: pairs in the pseudo sample of the out-domain; 0 = the mean size of the seeds.
    agreement: HMM stage; the link counts of both directions are the product of their posteriors
        (Liang et al. 2006), so that they learn from links they agree on.
    decoding_weights: domain weights in eq. 5, "side": P(D | e) as printed, "pair": P(D | f, e),
        "hard": the most likely domain of P(D | e) alone.
    """

    model1_iterations: int = 5
    hmm_iterations: int = 3
    window: int = 5
    null_probability: float = 0.2
    jump_smoothing: float = 0.1
    lexical_floor: float = 1e-7
    domain_smoothing: float = 10.0
    shared_jumps: bool = True
    language_model_order: int = 3
    language_model_sides: str = "both"
    out_sample: int = 0
    agreement: bool = False
    decoding_weights: str = "pair"

    def __post_init__(self) -> None:
        checks = [
            (self.model1_iterations >= 1, "model1_iterations", "at least 1"),
            (self.hmm_iterations >= 0, "hmm_iterations", "at least 0"),
            (1 <= self.window <= 100, "window", "from 1 to 100"),
            (0.0 < self.null_probability < 1.0, "null_probability", "between 0 and 1"),
            (0.0 <= self.jump_smoothing <= 1.0, "jump_smoothing", "from 0 to 1"),
            (1e-30 <= self.lexical_floor < 1e-3, "lexical_floor", "from 1e-30 to 0.001"),
            (self.domain_smoothing >= 0.0, "domain_smoothing", "at least 0"),
            (0 <= self.language_model_order <= 6, "language_model_order", "from 0 to 6"),
            (self.language_model_sides in ("both", "source", "target"), "language_model_sides",
             "both, source or target"),
            (self.out_sample >= 0, "out_sample", "at least 0"),
            (self.decoding_weights in ("side", "pair", "hard"), "decoding_weights",
             "side, pair or hard"),
        ]  # fmt: skip
        for good, name, expected in checks:
            if not good:
                raise UsageError(f"{name} = {getattr(self, name)!r}; expected {expected}")

    def replace(self, **changes: Any) -> "AlignerOptions":
        """A copy with some fields changed."""
        return replace(self, **changes)


PRESETS = {
    "paper": AlignerOptions(domain_smoothing=0.0, shared_jumps=False, decoding_weights="side"),
    "best": AlignerOptions(),
}


@dataclass
class Direction:
    """Parameters of one direction, for each domain.

    lexical: float32[D, num_type_pairs + 1], t(generated | state, D); the last entry stays 0
    null: float32[D, num_generated_types], t(generated | NULL, D)
    jump, start: float64[D, 2 * window + 3], unnormalised jump weights by bucket (see
        ``JumpColumns``), from a word and from before the first word
    """

    lexical: NDArray[np.float32]
    null: NDArray[np.float32]
    jump: NDArray[np.float64]
    start: NDArray[np.float64]

    def lexical_columns(self, domain: int, floor: float) -> LexicalColumns:
        """What a kernel needs of the lexical table of one domain."""
        return LexicalColumns(self.lexical[domain], self.null[domain], floor)

    def jump_columns(self, domain: int, options: AlignerOptions) -> JumpColumns:
        """What a kernel needs of the jumps of one domain."""
        return JumpColumns(
            self.jump[domain],
            self.start[domain],
            options.null_probability,
            options.jump_smoothing,
        )

    @classmethod
    def uniform(cls, domains: int, pairs: int, types: int, window: int) -> "Direction":
        """Uniform lexical tables; jumps that fall off with their distance from +1.

        The paper starts the HMM's jumps from nothing in particular; a mild preference for
        monotone links spares EM an iteration.
        """
        distance = np.abs(np.arange(-window - 1, window + 2) - 1.0)
        jump = np.tile(1.0 / (1.0 + distance) ** 2, (domains, 1))
        start = jump.copy()
        start[:, : window + 2] = 1e-9  # nothing stands before the first word
        jump /= jump.sum(1, keepdims=True)
        start /= start.sum(1, keepdims=True)
        lexical = np.full((domains, pairs + 1), 1.0 / types, np.float32)
        lexical[:, -1] = 0.0  # pairs that never met
        return cls(
            lexical,
            np.full((domains, types), 1.0 / types, np.float32),
            jump,
            start,
        )


def directed_texts(bitext: Bitext, cells: Cells) -> tuple[DirectedText, DirectedText]:
    """The bitext read as P(source | target) and as P(target | source), sharing its cells."""
    source, target = bitext.source, bitext.target
    return (
        DirectedText(
            source.tokens, source.offsets, target.offsets, cells.pair_ids, cells.offsets, True
        ),
        DirectedText(
            target.tokens, target.offsets, source.offsets, cells.pair_ids, cells.offsets, False
        ),
    )
