"""Reordering models of a decoder, as command lines and configurations name them: MODEL=FILE."""

from isogloss.align.errors import OptionError
from isogloss.features.extraction.reordering import ReorderingModel

__all__ = ["parse_reordering"]


def parse_reordering(text: str) -> tuple[ReorderingModel, str]:
    """The model and the file of ``MODEL=FILE``.

    Raises OptionError where a part is missing, and as ReorderingModel.parse does.
    """
    name, _, file = text.partition("=")
    if not file:
        expected = "MODEL=FILE, such as wbe-msd-bidirectional-fe=reordering-table.gz"
        raise OptionError("reordering", expected, text)
    return ReorderingModel.parse(name), file
