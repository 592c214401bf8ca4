"""The picture that a plot is written to."""

from dataclasses import dataclass

from ...options import option, output_file
from ...plots.drawing import image_format

__all__ = ["ImageOptions"]


@dataclass(frozen=True)
class ImageOptions:
    """Where a picture goes.

    output: .png, .svg or .pdf
    """

    output: str = option("-o", metavar="FILE", parse=output_file)

    def check(self) -> None:
        """Raise UsageError, before the work, for a suffix that is no image's."""
        image_format(self.output)
