"""One HTML file: a template, its data, styles and scripts; its policy allows nothing else."""

import gzip
from base64 import b64encode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from importlib.resources import files
from typing import Any

import msgspec
import numpy as np
from markupsafe import Markup
from numpy.typing import NDArray

from isogloss.align.files.tables.html import visible
from isogloss.align.version import __version__

__all__ = ["Page", "packed", "packed_columns"]

_LIBRARY = "vendor/htm-preact.js"
_LEVEL = 4  # of gzip: 6 takes thrice the time for a file smaller by 7 %


@dataclass(frozen=True)
class Page:
    """A page before it is written.

    template: its name, without suffix
    styles, scripts: names of files in ``static``, besides those that all pages have
    data: what scripts find as JSON, by the id of its element
    chunks: texts of :func:`packed_columns`, in the order in which scripts unpack them
    texts: texts of :func:`packed` that scripts find by the id of an element
    content: what the template shows
    """

    template: str
    title: str
    subtitle: str = ""
    styles: Sequence[str] = ()
    scripts: Sequence[str] = ()
    data: Mapping[str, Any] = field(default_factory=dict)
    chunks: Sequence[str] = ()
    texts: Mapping[str, str] = field(default_factory=dict)
    content: Mapping[str, Any] = field(default_factory=dict)

    def html(self) -> str:
        """The text of the file."""
        from jinja2 import Environment, PackageLoader, StrictUndefined  # only where a page is made

        styles = [_static(name) for name in ("page.css", *self.styles)]
        scripts = [_static(name) for name in (_LIBRARY, *self.scripts)] if self.scripts else []
        environment = Environment(
            loader=PackageLoader("isogloss.pages"), autoescape=True, undefined=StrictUndefined,
            trim_blocks=True, lstrip_blocks=True,
        )  # fmt: skip
        environment.filters["visible"] = visible
        return environment.get_template(f"{self.template}.html.j2").render(
            title=self.title,
            subtitle=self.subtitle,
            version=__version__,
            policy=_policy(styles, scripts),
            styles=styles,
            scripts=scripts,
            data={id: _json(value) for id, value in self.data.items()},
            chunks=self.chunks,
            texts=self.texts,
            **self.content,
        )


def packed(value: Any) -> str:
    """JSON of a value, compressed by gzip, in base64: the same text at any time."""
    return _compressed(msgspec.json.encode(value))


def packed_columns(columns: Mapping[str, Sequence[str] | NDArray[np.int32 | np.uint16]]) -> str:
    """Columns, compressed by gzip, in base64.

    A line of JSON has the name, the kind and the number of bytes of each column. The columns
    follow: lines of text, or numbers with the least byte first.
    """
    header, parts = [], []
    for name, column in columns.items():
        if isinstance(column, np.ndarray):
            kind = {"u": "Uint16", "i": "Int32"}[column.dtype.kind]
            part = column.astype({"Uint16": "<u2", "Int32": "<i4"}[kind]).tobytes()
        else:
            kind, part = "lines", "\n".join(column).encode("utf-8")
        header.append((name, kind, len(part)))
        parts.append(part)
    return _compressed(b"".join([msgspec.json.encode(header), b"\n", *parts]))


def _compressed(data: bytes) -> str:
    compressed = gzip.compress(data, compresslevel=_LEVEL, mtime=0)
    return b64encode(compressed).decode("ascii")


def _json(value: Any) -> Markup:
    """JSON that ends no element: ``<`` stands only in strings, where its number means the same."""
    text = msgspec.json.encode(value).decode("utf-8")
    return Markup(text.replace("<", "\\u003c"))


def _static(name: str) -> Markup:
    """A file of ours, as it stands. The tests look that none holds the end of an element."""
    return Markup(files("isogloss.pages").joinpath("static", name).read_text("utf-8"))


def _policy(styles: Sequence[str], scripts: Sequence[str]) -> str:
    """A Content-Security-Policy: the given styles and scripts, drawings made here, nothing else."""

    def hashes(texts: Sequence[str]) -> str:
        digests = (sha256(text.encode("utf-8")).digest() for text in texts)
        return " ".join(f"'sha256-{b64encode(one).decode('ascii')}'" for one in digests) or "'none'"

    return (
        f"default-src 'none'; script-src {hashes(scripts)}; style-src {hashes(styles)}; "
        "img-src data: blob:; base-uri 'none'; form-action 'none'"
    )
