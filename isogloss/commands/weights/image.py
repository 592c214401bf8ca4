"""The picture that a plot is written to."""

from dataclasses import dataclass

from isogloss.align.errors import UsageError
from isogloss.align.files.numerals import parse_number

from ...options import Bounds, option, output_file
from ...plot.drawing import PictureStyle, image_format

__all__ = ["ImageOptions"]

_LEAST, _MOST = 1.0, 100.0  # inches


@dataclass(frozen=True)
class ImageOptions:
    """Where a picture goes.

    output: image file: .png, .svg or .pdf
    size: image size in inches
    font: font family of all text, which must be installed
    font_size: font size in points
    title: title of the figure
    x_label: label of the x axis (bottom panel)
    y_label: label of the y axis (top panel)
    """

    output: str = option("-o", metavar="FILE", parse=output_file)
    size: str | None = option(default=None, metavar="WIDTHxHEIGHT")
    font: str | None = option(default=None, metavar="NAME")
    font_size: float | None = option(default=None, parse=Bounds(1.0, 100.0), metavar="N")
    title: str | None = option(default=None, metavar="TEXT")
    x_label: str | None = option(default=None, metavar="TEXT")
    y_label: str | None = option(default=None, metavar="TEXT")

    @property
    def style(self) -> PictureStyle:
        """What the picture looks like. Raises UsageError for a size that is none."""
        size = None if self.size is None else _size(self.size)
        return PictureStyle(size, self.font, self.font_size, self.title, self.x_label, self.y_label)

    def check(self) -> None:
        """Raise UsageError, before the work, for a suffix that is no image's, and a bad size."""
        image_format(self.output)
        _ = self.style


def _size(text: str) -> tuple[float, float]:
    """Width and height of WIDTHxHEIGHT."""
    width, cross, height = text.partition("x")
    try:
        size = parse_number(width), parse_number(height)
    except ValueError:
        size = (0.0, 0.0)
    if not cross or not all(_LEAST <= side <= _MOST for side in size):
        raise UsageError(
            f"--size must be WIDTHxHEIGHT in inches, each between {_LEAST:g} and {_MOST:g}, such "
            f"as 6.4x4, got {text!r}"
        )
    return size
