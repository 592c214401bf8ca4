"""Elements of an XML stream as they end, in bounded memory."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from lxml import etree

from ...errors import DataError

__all__ = ["XmlElements"]


class XmlElements:
    """Elements of some names; no DTD, no network, no entities but XML's own.

    kind: of file, for messages
    """

    def __init__(self, path: str | Path, tags: Iterable[str], kind: str) -> None:
        self._path, self._kind = path, kind
        self._pull = etree.XMLPullParser(
            events=("end",),
            tag=tuple(tags),
            load_dtd=False,
            no_network=True,
            resolve_entities=False,
            huge_tree=True,
            remove_comments=True,
            remove_pis=True,
        )

    def read(self, blocks: Iterable[bytes]) -> Iterator[Any]:
        """Each element; it and what stands before it are dropped from memory afterwards.

        Raises DataError for malformed XML.
        """
        for block in blocks:
            try:
                self._pull.feed(block)
            except etree.XMLSyntaxError as error:
                raise self._malformed(error) from error
            # lxml forgets an error that it meets in the middle of a block
            if self._pull.feed_error_log.filter_from_fatals():
                raise self._malformed()
            for _, element in self._pull.read_events():
                yield element
                element.clear()
                while element.getprevious() is not None:
                    del element.getparent()[0]

    def root(self) -> str:
        """Name of the outermost element, at the end of the stream. Raises DataError."""
        try:
            return str(etree.QName(self._pull.close()).localname)
        except etree.XMLSyntaxError as error:
            raise self._malformed(error) from error

    def _malformed(self, error: Any = None) -> DataError:
        logged = self._pull.feed_error_log.filter_from_fatals()
        message, line = (logged[0].message, logged[0].line) if logged else (error.msg, error.lineno)
        return DataError(
            f"the XML is malformed ({message})",
            f"well-formed {self._kind}",
            file=self._path,
            line=max(line, 1),
            remedy="Export it again, or set `format=...`",
        )
