"""isogloss weights convert: weights of any format in another one."""

from dataclasses import dataclass
from pathlib import Path

from isogloss.align.errors import UsageError, pluralize, some_names
from isogloss.align.files.outputs import is_stream
from isogloss.features.space import is_sparse
from isogloss.tune.weights.formats import (
    WEIGHT_FORMATS,
    sparse_weights_file,
    update_moses_ini,
    write_weights_as,
)
from isogloss.tune.weights.moses_ini import read_moses_ini
from isogloss.tune.weights.weights import Weights

from ...console import Console
from ...options import Command, option, positional
from ..shared import MessageOptions, message_options, output_option

__all__ = ["CONVERT", "ConvertOptions", "run"]


@dataclass(frozen=True)
class ConvertOptions:
    """Options of `isogloss weights convert`.

    weights: feature weights: JSON, text or moses.ini; - = standard input
    output: converted weights (default: stdout)
    to: output format (default: json for stdout and *.json, else `NAME value` lines)
    ini: write this moses.ini with the new weights, with sparse ones in FILE.sparse-weights;
        required for -o NAME.ini
    """

    weights: str = positional("WEIGHTS")
    output: str | None = output_option()
    to: str | None = option(default=None, choices=WEIGHT_FORMATS)
    ini: str | None = option(default=None, metavar="INI")
    common: MessageOptions = message_options()

    @property
    def output_suffixes(self) -> tuple[str, ...]:
        """Suffixes of what is written beside plain text."""
        return ("json",) if self.to in (None, "json") else ()

    @property
    def named_outputs(self) -> list[Path]:
        """The file that may be written beside ``output``."""
        if not self.ini or self.output is None or is_stream(self.output):
            return []
        return [sparse_weights_file(self.output)]


def run(options: ConvertOptions, console: Console) -> None:
    """Read weights of any format and write them in another one."""
    if options.ini:
        _update_ini(options, options.ini, console)
        return
    if options.output is not None and options.output.endswith(".ini"):
        raise UsageError(
            f"{options.output} must contain models as well as weights. Pass --ini MOSES.INI, the "
            "file whose weights are replaced, or choose a name without .ini"
        )
    weights = Weights.load(options.weights)
    if options.to is None:
        weights.save(options.output, keep_zeros=True)
    else:
        _warn_of_left_out(weights, options.to, console)
        write_weights_as(weights, options.output, options.to)


def _update_ini(options: ConvertOptions, ini: str, console: Console) -> None:
    if options.to not in (None, "moses"):
        raise UsageError(f"--ini writes a moses.ini and cannot be used with --to {options.to}")
    if options.output in (None, "-"):
        raise UsageError(
            "--ini needs -o FILE, because sparse weights are written to a file next to it"
        )
    assert options.output is not None
    from isogloss.tune.decoder.named_weights import (
        weights_for_moses,  # with the decoder, for this alone
    )

    given = read_moses_ini(ini)
    weights = weights_for_moses(Weights.load(options.weights), given)
    kept, sparse = update_moses_ini(given, weights, options.output)
    if kept:
        names = some_names(kept)
        console.info(
            f"{ini}: the weights of {names} are unchanged, because {options.weights} does not "
            "contain them"
        )
    if sparse:
        console.info(f"sparse weights: {sparse}")


def _warn_of_left_out(weights: Weights, format: str, console: Console) -> None:
    sparse = sum(map(is_sparse, weights))
    if format == "moses" and sparse:
        console.error(
            f"warning: {pluralize(sparse, 'sparse weight', 'is')} omitted; pass --to moses-sparse "
            "to write sparse weights, or --ini to write both kinds"
        )
    if format == "moses-sparse" and sparse < len(weights):
        console.error(
            f"warning: {pluralize(len(weights) - sparse, 'dense weight', 'is')} omitted; pass --to "
            "moses to write dense weights, or --ini to write both kinds"
        )


CONVERT = Command(
    ConvertOptions,
    run,
    (
        "isogloss weights convert weights.json --to moses",
        "isogloss weights convert weights.json --ini moses.ini -o tuned.ini",
    ),
    line="convert weights to the format of another program",
    first={
        "output": ("output", "to", "ini"),
        "running": ("quiet",),
    },
)
