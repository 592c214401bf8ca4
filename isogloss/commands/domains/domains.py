"""isogloss domains: which domain each sentence pair is of, and what tells domains apart."""

from ...options import Command
from ..shared import NoOptions
from .contrast import CONTRAST
from .entropy import ENTROPY
from .predict import PREDICT
from .summary import SUMMARY
from .translations import TRANSLATIONS
from .typical import TYPICAL

__all__ = ["COMMAND"]

COMMAND = Command(
    NoOptions,
    None,
    (
        "isogloss domains predict m new.en new.es -o domains.tsv",
        "isogloss domains contrast m legal,medical corpus.en corpus.es --examples",
    ),
    actions={
        "predict": PREDICT, "summary": SUMMARY, "typical": TYPICAL, "contrast": CONTRAST,
        "translations": TRANSLATIONS, "entropy": ENTROPY,
    },
)  # fmt: skip
