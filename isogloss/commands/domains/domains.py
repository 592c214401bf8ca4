"""isogloss domains: which domain each sentence pair is of, and what tells domains apart."""

from dataclasses import dataclass

from ...options import Command
from ..shared import CommonOptions, common_options
from .contrast import CONTRAST
from .entropy import ENTROPY
from .predict import PREDICT
from .summary import SUMMARY
from .translations import TRANSLATIONS
from .typical import TYPICAL

__all__ = ["COMMAND", "DomainsOptions"]


@dataclass(frozen=True)
class DomainsOptions:
    """Options that every action of `isogloss domains` has, before its name."""

    common: CommonOptions = common_options()


COMMAND = Command(
    DomainsOptions,
    None,
    (
        "isogloss domains predict m new.en new.es -o domains.tsv",
        "isogloss domains contrast m legal,medical corpus.en corpus.es --show-examples",
    ),
    actions={
        "predict": PREDICT, "summary": SUMMARY, "typical": TYPICAL, "contrast": CONTRAST,
        "translations": TRANSLATIONS, "entropy": ENTROPY,
    },
)  # fmt: skip
