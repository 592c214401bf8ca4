"""Pictures by Matplotlib, which is imported here only, and only when one is drawn."""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from isogloss.align.errors import UsageError
from isogloss.align.files.writers import atomic_file

__all__ = ["IMAGE_FORMATS", "PictureStyle", "color_of", "drawing", "image_format", "show_legend"]

IMAGE_FORMATS = ("png", "svg", "pdf")
_PALETTE = 10  # colors before they come again
# text stays text, which can be searched and set in another font
_SETTINGS = {
    "svg.hashsalt": "isogloss",
    "svg.fonttype": "none",
    "pdf.fonttype": 42,
    "path.simplify": False,
}
_METADATA = {
    "png": {"Software": None},
    "svg": {"Date": None, "Creator": None},
    "pdf": {"CreationDate": None, "Creator": None, "Producer": None},
}


@dataclass(frozen=True)
class PictureStyle:
    """What a picture looks like; None stands for the plot's own.

    size: width and height in inches; font: name of a family that is installed
    font_size: in points; title: above the picture
    x_label, y_label: of the lowest axis of x, and of the highest axis of y
    """

    size: tuple[float, float] | None = None
    font: str | None = None
    font_size: float | None = None
    title: str | None = None
    x_label: str | None = None
    y_label: str | None = None


def image_format(path: str | Path) -> str:
    """png, svg or pdf, by the suffix of a file's name. Raises UsageError for another one."""
    suffix = Path(path).suffix.lower().removeprefix(".")
    if suffix not in IMAGE_FORMATS:
        raise UsageError(
            f"the name of an image must end in .{', .'.join(IMAGE_FORMATS)}, got {path}"
        )
    return suffix


@contextmanager
def drawing(
    path: str | Path, style: PictureStyle, size: tuple[float, float] = (6.4, 4.0)
) -> Iterator[Any]:
    """An empty figure, written to ``path`` when the block ends well.

    It is drawn with Matplotlib's own settings, not with the user's; the same drawing gives the
    same bytes. Its first axes are the highest, its last ones the lowest.

    size: in inches, where the style has none

    Raises UsageError where Matplotlib is not installed, for a font that is not, and as
    :func:`image_format` does.
    """
    suffix = image_format(path)
    try:
        matplotlib = import_module("matplotlib")
        figures = import_module("matplotlib.figure")
    except ImportError as error:
        raise UsageError("a plot needs Matplotlib: pip install isogloss[plot]") from error
    with matplotlib.rc_context(), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing from", category=UserWarning)
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(_SETTINGS | _font_settings(style))
        figure = figures.Figure(figsize=style.size or size, dpi=150, layout="constrained")
        yield figure
        _write_labels(figure, style)
        with atomic_file(path) as stream:
            figure.savefig(stream, format=suffix, metadata=_METADATA[suffix])


def _font_settings(style: PictureStyle) -> dict[str, Any]:
    """Matplotlib's settings for the text of a picture."""
    settings: dict[str, Any] = {}
    if style.font is not None:
        fonts = import_module("matplotlib.font_manager")
        try:
            fonts.findfont(style.font, fallback_to_default=False)
        except ValueError:
            raise UsageError(
                "font must be an installed family, such as DejaVu Serif, which comes with "
                f"Matplotlib, got {style.font!r}"
            ) from None
        settings["font.family"] = style.font
    if style.font_size is not None:
        settings["font.size"] = style.font_size
    return settings


def _write_labels(figure: Any, style: PictureStyle) -> None:
    if style.title is not None:
        figure.suptitle(style.title, parse_math=False)
    if style.x_label is not None:
        figure.axes[-1].set_xlabel(style.x_label, parse_math=False)
    if style.y_label is not None:
        figure.axes[0].set_ylabel(style.y_label, parse_math=False)


def color_of(number: int) -> str:
    """The color of a line, by its number, as Matplotlib names them."""
    return f"C{number % _PALETTE}"


def show_legend(axes: Any) -> None:
    """A legend, if there is something to say; labels are no formulas."""
    if axes.get_legend_handles_labels()[0]:
        # beside the lines: looking for free space among thousands of them is slow
        legend = axes.legend(fontsize="small", loc="upper left", bbox_to_anchor=(1.0, 1.0))
        for text in legend.get_texts():
            text.set_parse_math(False)
