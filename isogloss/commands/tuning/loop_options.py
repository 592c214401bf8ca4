"""Options of tuning with a decoder in the loop."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from isogloss.align.errors import MAX_HYPOTHESES, UsageError
from isogloss.tune.methods import OPTIMIZERS
from isogloss.tune.online.options import ONLINE_OPTIMIZERS, DecoderTuningOptions

from ...console import Console
from ...options import Bounds, option
from ...tuning.loops.batch_loop import BatchOptions

if TYPE_CHECKING:
    from isogloss.tune.optimizers.structured.decoded import ForestChoices

    from ...tuning.loops.decoder_tuning import DecoderFiles
    from ...tuning.loops.translation_sources import TranslationSource

__all__ = [
    "CLUSTER_OPTIONS",
    "COMMAND_OPTIONS",
    "LIST_OPTIONS",
    "LOOP_OPTIONS",
    "OWN_DECODER_OPTIONS",
    "LoopOptions",
    "refusals",
]

# options that have no effect with a decoder
LIST_OPTIONS = ("score_files", "held_out", "fields", "per_item")
# those that have none but with optimizers of forests
FOREST_OPTIONS = ("approximation", "forest_density")
CLUSTER_OPTIONS = ("cluster",)  # of learners on a cluster
# those that have none without it
LOOP_OPTIONS = (
    "dev", "held_out_dev", "nbest_size", "loop", "decoder_iterations", "loop_tolerance",
    "decoder_timeout", "decoder_retries", "accumulate_nbest", "state_templates", "plugin",
    *FOREST_OPTIONS, *CLUSTER_OPTIONS,
)  # fmt: skip
# with a decoder's command
OWN_DECODER_OPTIONS = ("state_templates", "plugin")
# with our decoder
COMMAND_OPTIONS = ("decoder_timeout", "decoder_retries")
_ITERATIONS = (("decoder_iterations", "loop_tolerance"), "needs --loop batch or forests")
_LISTS = (("folds", "max_memory", "tmpdir"), "needs --loop batch")
_SEARCHED = (("accumulate_nbest", "nbest_size"), "cannot be used with forests")
_ACCUMULATED = (("accumulate_nbest",), "needs --loop online")
_FORESTS = (FOREST_OPTIONS, "needs --loop online and --optimizer hinge or risk")
_HOPE = (("approximation",), "needs --optimizer hinge or risk")


def refusals(kind: str, structured: bool) -> list[tuple[tuple[str, ...], str]]:
    """Options that have no effect in a loop, and why.

    kind: online, batch or forests; structured: whether the optimizer learns from forests
    """
    if kind == "batch":
        return [_ACCUMULATED, _FORESTS]
    if kind == "forests":
        return [_SEARCHED, _LISTS, _HOPE]
    return [_ITERATIONS, _LISTS, _SEARCHED if structured else _FORESTS]


@dataclass(frozen=True)
class LoopOptions:
    """Tuning with a decoder.

    decoder: tune with the built-in decoder of this TOML file or moses.ini
    state_templates: state feature templates, such as lo, instead of those in the decoder file;
        repeatable
    plugin: Python file or entry point of an installed package with your own templates for
        --state-templates; the code is executed
    decoder_command: tune with an external decoder in a batch loop: command that reads weights and
        writes an n-best list, such as 'moses -f {weights} -i {source} -n-best-list {nbest} {size}'
        (docs/howto/tune.md)
    decoder_timeout: time limit of --decoder-command, in seconds (default: no limit)
    decoder_retries: number of retries of a failed --decoder-command
    dev: development set: source text to translate
    held_out_dev: held-out source text, which selects the best epoch or iteration
    nbest_size: n-best list size per sentence
    loop: tuning loop: online = update after each mini-batch, batch = learn from the n-best lists of
        all iterations, forests = learn from the hypergraphs of all iterations (mert) (default:
        online if the optimizer supports it, else batch)
    accumulate_nbest: learn from the n-best lists of all epochs, not only the last one (online loop)
    approximation: BLEU in the search for hope and fear (hinge; risk with --temperature 0): rerank
        the hypergraph, or linear approximation
    forest_density: prune each hypergraph to X edges per edge of its best derivation (default: no
        pruning; 50 with --loop forests)
    cluster: run the --workers of hinge on a Ray cluster: HOST:PORT, auto, or local (processes of
        this machine); every node needs isogloss[distributed] and the decoder's files
    decoder_iterations: maximum number of iterations (batch and forest loops)
    loop_tolerance: convergence tolerance: stop when no weight changes by more than this fraction of
        the largest weight (batch and forest loops)
    """

    decoder: str | None = option(default=None, metavar="FILE")
    state_templates: tuple[str, ...] = option(default=(), metavar="SPEC", append=True)
    plugin: str | None = option(default=None, metavar="FILE.py|NAME")
    decoder_command: str | None = option(default=None, metavar="CMD")
    decoder_timeout: float = option(default=0.0, parse=Bounds(0.0, 1e9), metavar="SECONDS")
    decoder_retries: int = option(default=0, parse=Bounds(0, 1000), metavar="N")
    dev: str | None = option(default=None, metavar="SRC")
    held_out_dev: str | None = option(default=None, metavar="SRC")
    nbest_size: int = option(
        default=DecoderTuningOptions.nbest_size, parse=Bounds(1, MAX_HYPOTHESES), metavar="N"
    )
    loop: Literal["online", "batch", "forests"] | None = option(default=None)
    accumulate_nbest: bool = False
    approximation: Literal["rerank", "linear"] = option(default="rerank")
    forest_density: float | None = option(default=None, parse=Bounds(1.0, 1e9), metavar="X")
    cluster: str | None = option(default=None, metavar="ADDRESS|local")
    decoder_iterations: int = option(
        default=BatchOptions.iterations, parse=Bounds(1, 10_000), metavar="N"
    )
    loop_tolerance: float = option(
        default=BatchOptions.least_change, parse=Bounds(0.0, 1.0), metavar="X"
    )

    def kind(self, optimizer: str) -> str:
        """Which loop it is: online, batch, or forests.

        Raises UsageError for an optimizer that can't learn in the one that was asked for.
        """
        if self.decoder_command and self.loop in ("online", "forests"):
            raise UsageError(
                f"--decoder-command needs --loop batch; --loop {self.loop} needs --decoder"
            )
        structured = [name for name, method in OPTIMIZERS.items() if method.structured]
        online = [*ONLINE_OPTIMIZERS, *structured]
        if self.loop == "online" and optimizer not in online:
            raise UsageError(
                f"--optimizer {optimizer} needs whole lists; --loop online can be used with "
                f"{', '.join(online)}"
            )
        if self.loop == "forests" and optimizer != "mert":
            raise UsageError(
                f"--loop forests needs --optimizer mert, not {optimizer}; "
                f"{' and '.join(structured)} learn from forests with --loop online"
            )
        if self.decoder_command:
            return "batch"
        return self.loop or ("online" if optimizer in online else "batch")

    @property
    def forests(self) -> "ForestChoices":
        """How forests are made for an optimizer that learns from them."""
        from isogloss.tune.optimizers.structured.decoded import ForestChoices

        return ForestChoices(self.approximation, self.forest_density)

    @property
    def batch(self) -> BatchOptions:
        """Options of the batch loop."""
        return BatchOptions(self.nbest_size, self.decoder_iterations, self.loop_tolerance)

    def source(self, weights: str | None, console: Console) -> "TranslationSource | None":
        """The command that translates, None where our decoder does. weights: to start from"""
        if not (self.decoder_command and weights):
            return None
        from ...tuning.loops.decoder_command import CommandOptions, DecoderCommand

        command = CommandOptions(
            self.decoder_command, weights, self.decoder_timeout, self.decoder_retries
        )
        return DecoderCommand(command, console)

    def files(
        self,
        refs: Sequence[str],
        held_out_refs: Sequence[str],
        weights: str | None,
        *,
        lowercase: bool,
    ) -> "DecoderFiles":
        """The files that the loop reads. Raises UsageError where one is missing."""
        flag = "--decoder" if self.decoder else "--decoder-command"
        if not self.dev:
            raise UsageError(f"{flag} needs --dev SRC")
        if not refs:
            raise UsageError(f"{flag} needs --refs REF")
        if self.decoder_command and not weights:
            raise UsageError(f"{flag} needs --initial-weights FILE")
        if bool(self.held_out_dev) != bool(held_out_refs):
            raise UsageError("--held-out-dev SRC and --held-out-refs REF go together; pass both")
        from ...tuning.loops.decoder_tuning import DecoderFiles

        return DecoderFiles(
            self.decoder, self.dev, refs, self.held_out_dev, held_out_refs, weights, lowercase,
            self.state_templates, self.plugin,
        )  # fmt: skip
