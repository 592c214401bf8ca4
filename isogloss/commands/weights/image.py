"""The picture that a plot is written to."""

from dataclasses import dataclass

from align.files.outputs import check_output

from ...options import option
from ...plots.drawing import image_format

__all__ = ["ImageOptions"]


@dataclass(frozen=True)
class ImageOptions:
    """Where a picture goes.

    output: .png, .svg or .pdf
    """

    output: str = option("-o", metavar="FILE")

    def check(self) -> None:
        """Check the name before the work.

        Raises UsageError for a suffix that is no image's, OutputError where the file can't be made.
        """
        image_format(self.output)
        check_output(self.output)
