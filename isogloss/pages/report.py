"""The page of a report: sections of text, tables, charts, drawings and sentences side by side."""

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import quote

from isogloss.align.errors import DataError, ModelError
from isogloss.align.files.tables.drawing import DrawnLink, pair_svg

from .charts import Chart
from .page import Page

__all__ = [
    "Drawing",
    "Example",
    "Examples",
    "Note",
    "Part",
    "Section",
    "Table",
    "readable_section",
    "report_page",
    "unreadable",
]


@dataclass(frozen=True)
class Note:
    """A sentence or two."""

    text: str
    kind: str = "note"


@dataclass(frozen=True)
class Table:
    """A table; the first ``text_columns`` hold text, the others numbers.

    columns: their names, empty where rows say enough; rows: cells, as they are shown
    folded: only the caption is shown, until it is clicked
    """

    caption: str
    columns: Sequence[str]
    rows: Sequence[Sequence[object]]
    text_columns: int = 1
    folded: bool = False
    kind: str = "table"


@dataclass(frozen=True)
class Example:
    """A sentence with what became of it.

    title: which one it is; rows: (what, text) one below the other
    """

    title: str
    rows: Sequence[tuple[str, str]]


@dataclass(frozen=True)
class Examples:
    """Sentences under a title; folded: only the title is shown, until it is clicked."""

    caption: str
    examples: Sequence[Example]
    folded: bool = False
    kind: str = "examples"


@dataclass(frozen=True)
class Drawing:
    """A sentence pair with its links."""

    title: str
    source: Sequence[str]
    target: Sequence[str]
    links: Sequence[DrawnLink]
    kind: str = "drawing"

    @property
    def svg(self) -> str:
        """The drawing, whose words are escaped."""
        return pair_svg(self.source, self.target, self.links)


Part = Note | Table | Chart | Examples | Drawing


@dataclass(frozen=True)
class Section:
    """Figures of one kind; files: that they come from."""

    title: str
    parts: Sequence[Part]
    files: Sequence[Path] = field(default_factory=tuple)


def readable_section(title: str, parts: Iterable[Part], files: Sequence[Path] = ()) -> Section:
    """A section up to the first part whose file is missing or damaged, which a note then names.

    files: that it comes from; those that are there are linked
    """
    drawn: list[Part] = []
    try:
        drawn.extend(parts)
    except (DataError, ModelError) as error:
        drawn.append(unreadable(error))
    return Section(title, drawn, [file for file in files if file.exists()])


def unreadable(error: DataError | ModelError) -> Note:
    """What stands in place of figures whose file is missing or damaged."""
    return Note(f"This is left out: {error}.")


def report_page(title: str, sections: Sequence[Section], output: Path) -> Page:
    """A page with a table of contents. output: where it is written, links start there"""
    shown = [section for section in sections if section.parts]
    return Page(
        template="report",
        title=title,
        styles=("report.css",),
        content={
            "sections": shown,
            "links": [[_link(file, output) for file in section.files] for section in shown],
        },
    )


def _link(file: Path, output: Path) -> tuple[str, str]:
    """Address and name of a file, from the folder of the page."""
    relative = Path(os.path.relpath(file.absolute(), output.absolute().parent)).as_posix()
    return quote(os.fsencode(relative)), file.name
