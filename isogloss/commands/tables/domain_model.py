"""An aligner's model whose domains add scores to a phrase table."""

from typing import TYPE_CHECKING

from ...console import Console

if TYPE_CHECKING:
    from isogloss.align.model.model import AlignmentModel

__all__ = ["load_domain_model"]


def load_domain_model(
    path: str, console: Console, *, named: bool = False, hint: str = ""
) -> "AlignmentModel | None":
    """Load a model; print a line and return None if it has one domain, unless that is named.

    hint: ends the line, with ``{0}`` for the domain
    """
    from isogloss.align.model.model import AlignmentModel  # a third of a second, for --model alone

    model = AlignmentModel.load(path)
    if named or len(model.domains) > 1:
        return model
    more = hint.format(model.domains[0])
    console.info(f"{path} has one domain, so no domain scores are added{more}")
    return None
