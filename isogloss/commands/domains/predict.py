"""isogloss domains predict: P(domain) of each sentence pair, and the share of each domain."""

from dataclasses import dataclass

from isogloss.align.domains.summary import format_instance_weights, summarize
from isogloss.align.files.writers import write_lines
from isogloss.align.model.domain_posterior import format_posteriors
from isogloss.align.model.model import AlignmentModel

from ...console import Console
from ...domains.tables import format_summary
from ...options import Command, group, option, positional
from ..model_text import DomainTextOptions
from ..shared import CommonOptions, common_options, output_option

__all__ = ["PREDICT", "PredictOptions", "run"]


@dataclass(frozen=True)
class PredictOptions:
    """Options of `isogloss domains predict`.

    model: model folder written by `train` or `align --model`
    output: P(domain) of each sentence pair as TSV, not calibrated: mostly close to 0 or 1, even if
        the domain is wrong (default: stdout)
    instance_weights_of: write P(DOMAIN) of each sentence pair, one number per line, as for Moses
        --instance-weights-file
    """

    model: str = positional("MODEL")
    text: DomainTextOptions = group(DomainTextOptions)
    output: str | None = output_option()
    instance_weights_of: str | None = option(default=None, metavar="DOMAIN")
    common: CommonOptions = common_options()


def run(options: PredictOptions, console: Console) -> None:
    """P(D | f, e) of a text as a table; the shares of the domains go to stderr."""
    model = AlignmentModel.load(options.model)
    domain = options.instance_weights_of
    number = model.domain_number(domain) if domain else 0
    text = options.text.read(model, options.common.threads, console)
    lines = (
        format_instance_weights(text.posterior[:, number])
        if domain
        else format_posteriors(model.domains, text.posterior)
    )
    write_lines(lines, options.output)
    console.info(format_summary(summarize(text.bitext, text.posterior), model.domains))


PREDICT = Command(
    PredictOptions,
    run,
    (
        "isogloss domains predict m new.en new.es -o domains.tsv",
        "isogloss domains predict m corpus.en corpus.es --instance-weights-of legal -o weights",
    ),
    line="predict the domain of each sentence pair",
    first={
        "input": ("lowercase", "max_length", "format", "langs"),
        "output": ("output", "instance_weights_of"),
        "running": ("threads", "quiet"),
    },
)
