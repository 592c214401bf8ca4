"""The viewer: sentence pairs with their links in one page."""

from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isogloss.align.arrays.ragged import slice_rows
from isogloss.align.errors import UsageError
from isogloss.align.links.gold_links import GoldLinks
from isogloss.align.links.links import Links
from isogloss.align.model.model import AlignmentModel
from isogloss.align.text.bitext import Bitext
from isogloss.align.text.corpus import Corpus

from .page import Page, packed, packed_columns
from .partners import MOST_PARTNERS, word_partners

__all__ = ["MOST_PAIRS", "AlignmentView", "too_many"]

MOST_PAIRS = 200_000  # of a page
_CHUNK = 2_000  # pairs
_NAMED = ("source", "target", "links", "other")
_SCRIPTS = (
    "data.js", "pattern.js", "measures.js", "draw.js", "exports.js", "pair.js", "printed.js",
    "viewer.js",
)  # fmt: skip


@dataclass(frozen=True)
class AlignmentView:
    """What a page shows.

    other: links to compare with; gold: gold alignments; all are of the same sentence pairs
    model: predicts the domain of each pair, and the probability of links without one
    lines: int64[num_pairs], the numbers of the pairs, from 1; None = in their order
    edit: whether links can be changed and saved as gold alignments
    names: of the source and of the target; link_names: of both links, empty = none
    """

    bitext: Bitext
    links: Links
    other: Links | None = None
    gold: GoldLinks | None = None
    model: AlignmentModel | None = None
    lines: NDArray[np.int64] | None = None
    edit: bool = False
    title: str = "Word alignments"
    names: tuple[str, str] = ("source", "target")
    link_names: tuple[str, str] = ("", "")

    def __post_init__(self) -> None:
        if len(self.bitext) > MOST_PAIRS:
            raise too_many(f"{len(self.bitext):,}")
        lengths = (self.bitext.source.lengths, self.bitext.target.lengths)
        self.links.check_range(*lengths)
        if self.other is not None:
            self.other.check_range(*lengths)
        if self.gold is not None:
            self.gold.possible.check_range(*lengths)

    def page(self, threads: int = 1) -> Page:
        """The page."""
        links, posterior = self.links, None
        if self.model is not None:
            posterior = self.model.domain_posteriors(self.bitext, threads)
            if links.probability is None:
                links = self.model.with_confidence(self.bitext, links, threads, posterior)
        columns = _columns(links, self.other, self.gold)
        chunks = [packed_columns(chunk) for chunk in self._chunks(columns, posterior)]
        domains = () if self.model is None else self.model.domains
        partners = word_partners(
            self.bitext,
            columns["gold"][0] if self.edit and "gold" in columns else links,
            posterior if len(domains) > 1 else None,
            self.model,
            None if self.edit else MOST_PARTNERS,  # any can become the most frequent one
        )
        sizes = {name: len(links.source) for name, (links, _) in columns.items()}
        meta = {
            "pairs": len(self.bitext),
            "domains": domains,
            "links": sizes,
            "scored": {"links": links.probability is not None, "other": False},
            "names": dict(zip(_NAMED, (*self.names, *self.link_names), strict=True)),
            "numbering": "Line",
            "edit": self.edit,
            "fingerprint": sha256("".join(chunks).encode("ascii")).hexdigest()[:16],
        }
        return Page(
            template="viewer",
            title=self.title,
            subtitle=f"{len(self.bitext):,} sentence pairs",
            styles=("viewer.css",),
            scripts=_SCRIPTS,
            data={"meta": meta},
            texts={"partners": packed(partners.columns(self.bitext))},
            chunks=chunks,
        )

    def _chunks(
        self,
        columns: dict[str, tuple[Links, NDArray[np.uint16] | None]],
        posterior: NDArray[np.float64] | None,
    ) -> Iterator[dict[str, Any]]:
        """Consecutive sentence pairs."""
        sides = {"source": self.bitext.source, "target": self.bitext.target}
        lines = np.arange(1, len(self.bitext) + 1) if self.lines is None else self.lines
        for first in range(0, len(self.bitext), _CHUNK):
            end = min(first + _CHUNK, len(self.bitext))
            chunk: dict[str, Any] = {"line": _differences(lines[first:end]).astype(np.int32)}
            for name, corpus in sides.items():
                chunk[name] = list(_texts(corpus, first, end))
                chunk[f"{name}_words"] = corpus.lengths[first:end].astype(np.uint16)
            if posterior is not None:
                rows = posterior[first:end]
                chunk["domain"] = rows.argmax(axis=1).astype(np.uint16)
                chunk["domain_probability"] = _thousandths(rows.max(axis=1))
                if self.edit:
                    chunk["posterior"] = _thousandths(rows.ravel())
            for name, (links, values) in columns.items():
                chunk |= _part(name, links, values, first, end)
            yield chunk


def too_many(got: str) -> UsageError:
    """For more pairs than a page shows. got: how many there are"""
    return UsageError(
        f"a page shows at most {MOST_PAIRS:,} sentence pairs, got {got}. "
        "Select some with `first=...` or `sample=...`"
    )


def _columns(
    links: Links, other: Links | None, gold: GoldLinks | None
) -> dict[str, tuple[Links, NDArray[np.uint16] | None]]:
    """Links by the name that scripts know them by, with a whole number each, or none."""
    scores = links.probability
    thousandths = None if scores is None else _thousandths(scores)
    columns = {"links": (links.unscored(), thousandths)}
    if other is not None:
        columns["other"] = (other.unscored(), None)
    if gold is not None:
        keys = np.concatenate([gold.sure.keys(), gold.possible.keys()])
        every = Links.from_keys(keys, len(gold))
        columns["gold"] = (every, np.isin(every.keys(), gold.sure.keys()).astype(np.uint16))
    return columns


def _texts(corpus: Corpus, first: int, end: int) -> Iterator[str]:
    words = corpus.vocabulary.words
    rows, offsets = slice_rows(corpus.offsets, first, end)
    tokens = [words[token] for token in corpus.tokens[rows].tolist()]
    for begin, stop in zip(offsets[:-1].tolist(), offsets[1:].tolist(), strict=True):
        yield " ".join(tokens[begin:stop])


def _part(
    name: str, links: Links, values: NDArray[np.uint16] | None, first: int, end: int
) -> dict[str, NDArray[np.uint16]]:
    """The columns of some pairs: how many links each has, their positions, their values."""
    rows, offsets = slice_rows(links.offsets, first, end)
    part = {
        f"{name}.n": np.diff(offsets).astype(np.uint16),
        f"{name}.i": _differences(links.source[rows]).astype(np.uint16),
        f"{name}.j": _differences(links.target[rows]).astype(np.uint16),
    }
    return part if values is None else part | {f"{name}.v": values[rows]}


def _differences(values: NDArray[Any]) -> NDArray[np.int64]:
    """From the value before, and of the first from 0; modulo 65,536 as uint16."""
    differences = values.astype(np.int64)
    differences[1:] -= values[:-1]
    return differences


def _thousandths(values: NDArray[Any]) -> NDArray[np.uint16]:
    thousandths: NDArray[np.uint16] = np.rint(1000 * values).astype(np.uint16)
    return thousandths
