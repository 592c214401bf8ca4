"""Two tokenizations of one text, matched by the characters that their tokens cover."""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise, zip_longest
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ...arrays.ragged import offsets_of, per_entry, row_numbers
from ...errors import DataError, pluralize, warn
from ...links.links import Links
from .token_styles import STYLES, character_spans, token_texts

__all__ = ["Files", "Folding", "Sentences", "TokenMap", "map_tokens"]

_ESCAPED = {
    "&apos;": "'", "&quot;": '"', "&lt;": "<", "&gt;": ">", "&#124;": "|", "&#91;": "[",
    "&#93;": "]", "&bar;": "|", "&bra;": "[", "&ket;": "]", "@-@": "-", "@/@": "/", "&amp;": "&",
}  # fmt: skip
_ESCAPE = re.compile("|".join(map(re.escape, _ESCAPED)))  # what Moses' tokenizer writes
_IGNORED = frozenset(("Cc", "Cf", "Zs", "Zl", "Zp"))  # blanks, controls, formats
_ENOUGH = 20  # sentences with links, to judge by
_REACHED = 0.3  # share of them whose last token has a link, such as a full stop
Sentences = Iterable[Sequence[str]]
Texts = tuple[list[str], list[str]]  # of the tokens of one sentence, old and new
Files = tuple[str | Path | None, str | Path | None]


@dataclass(frozen=True)
class Folding:
    """Differences between two tokenizations of a sentence that are ignored.

    case: letters' case; accents: combining marks (BERT's uncased models strip them).
    Compatibility forms (NFKC, as SentencePiece applies it) never count as a difference.
    """

    case: bool = False
    accents: bool = False

    def __call__(self, text: str) -> str:
        """The characters that are compared, decomposed: pieces fold as their concatenation does."""
        if text.isascii() and text.isprintable():
            return text.casefold() if self.case else text
        text = unicodedata.normalize("NFKD", text)
        if self.case:
            text = unicodedata.normalize("NFKD", text.casefold())
        ignored = _IGNORED | {"Mn"} if self.accents else _IGNORED
        return "".join(
            mark for mark in text
            if mark not in "\u2581\ufffd" and unicodedata.category(mark) not in ignored
        )  # fmt: skip


@dataclass(frozen=True)
class TokenMap:
    """For each token of one tokenization, the tokens of another that share characters with it.

    first, count: int32[num_tokens], the new tokens ``first`` to ``first + count - 1`` of the
        same sentence; count is 0 only where the sentence has no characters.
    offsets: int64[num_sentences + 1], the old tokens of sentence k are rows
        offsets[k]:offsets[k + 1].
    new_counts: int64[num_sentences], the number of new tokens of each sentence.
    file, first_line: where the old tokenization stands, for messages.
    """

    first: NDArray[np.int32]
    count: NDArray[np.int32]
    offsets: NDArray[np.int64]
    new_counts: NDArray[np.int64]
    file: str | Path | None = None
    first_line: int = 1

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def check_range(self, links: Links, positions: NDArray[np.int32], side: str) -> None:
        """Raise DataError where the links leave these sentences.

        Warns (DataWarning) where they seem to be links of the new tokens.

        positions: int32[num_links], their words on this side
        """
        if len(self) != len(links):
            raise DataError(
                f"the {'text ends' if len(self) < len(links) else 'links end'} before this line",
                "one line of links per line of text",
                file=self.file,
                line=self.first_line + min(len(self), len(links)),
                remedy="Pass the text that the links belong to",
            )
        pair = row_numbers(links.offsets)
        lengths = np.diff(self.offsets)
        outside = positions >= lengths[pair]
        if outside.any():
            row = int(np.argmax(outside))
            line = int(pair[row])
            raise DataError(
                f"link {links.source[row]}-{links.target[row]} is out of range: the {side} "
                f"sentence has {pluralize(lengths[line], 'token')}",
                file=self.file,
                line=self.first_line + line,
                remedy=f"All links match TO of --{side} FROM,TO, so FROM and TO look swapped; pass "
                f"--{side} TO,FROM"
                if self._fits_new(positions, pair)
                else "Check whether the sides or the two tokenizations are swapped, with `isogloss "
                "check`",
            )
        finer = (lengths > self.new_counts)[pair]
        beyond = positions >= self.new_counts[pair]
        if len(np.unique(pair[finer])) >= _ENOUGH and not beyond[finer].any():
            warn(
                f"{self.file}: no link is at the last tokens of a sentence, so FROM and TO of "
                f"--{side} FROM,TO look swapped. If the links belong to TO, pass --{side} TO,FROM"
            )

    def _fits_new(self, positions: NDArray[np.int32], pair: NDArray[np.int64]) -> bool:
        """Whether links lie within the new tokens, and reach the last one in many sentences."""
        # positions: int32[num_links]; pair: int64[num_links], their sentences
        left = self.new_counts[pair] - positions
        reached = len(np.unique(pair[left == 1]))
        return bool((left > 0).all()) and reached >= _REACHED * len(np.unique(pair))


def map_tokens(
    old: Sentences | None,
    new: Sentences | None,
    *,
    styles: tuple[str, str] = ("plain", "plain"),
    files: Files = (None, None),
    folding: Folding | None = None,
    first_line: int = 1,
) -> TokenMap:
    """Match two tokenizations of the same sentences, line by line.

    ``None`` instead of sentences stands for the characters of the other side. Sentences are
    compared as they stand first; then without Moses' escapes; then as ``folding`` says.
    styles, files: of the old and the new tokens; first_line: number of the first sentence in them.

    Raises DataError where the texts or the numbers of sentences differ.
    """
    if old is None and new is None:
        raise ValueError("at least one of the two tokenizations is required")
    fold = folding or Folding()
    lengths: tuple[list[int], list[int]] = ([], [])
    tokens: tuple[list[int], list[int]] = ([], [])
    pairs = _paired_texts(old, new, styles, files, first_line)
    for line, texts in enumerate(pairs, start=first_line):
        equal = texts if "".join(texts[0]) == "".join(texts[1]) else _reconcile(*texts, fold)
        if equal is None:
            raise _different_text(texts, styles, files, line, fold)
        for side, side_texts in enumerate(equal):
            lengths[side].extend(map(len, side_texts))
            tokens[side].append(len(side_texts))
    bounds = [offsets_of(counts) for counts in tokens]
    begin, end = character_spans(np.array(lengths[0], np.int64), bounds[0])
    new_begin, new_end = character_spans(np.array(lengths[1], np.int64), bounds[1])
    first = np.searchsorted(new_end, begin, side="right")
    beyond = np.searchsorted(new_begin, end, side="left")
    return TokenMap(
        (first - per_entry(bounds[1][:-1], bounds[0])).astype(np.int32),
        np.maximum(beyond - first, 0).astype(np.int32),
        bounds[0],
        np.diff(bounds[1]),
        files[0] or files[1],
        first_line,
    )


def _paired_texts(
    old: Sentences | None,
    new: Sentences | None,
    styles: tuple[str, str],
    files: Files,
    first_line: int,
) -> Iterator[Texts]:
    if old is None or new is None:
        for tokens in (new if old is None else old) or ():
            texts = token_texts(tokens, styles[old is None])
            characters = list("".join(texts))
            yield (characters, texts) if old is None else (texts, characters)
        return
    for line, (left, right) in enumerate(zip_longest(old, new), start=first_line):
        if left is None or right is None:
            short = int(left is not None)
            raise DataError(
                f"the file ends before this line of {files[1 - short]}",
                file=files[short],
                line=line,
                remedy="Look for a missing or duplicated line break in one of them",
            )
        yield token_texts(left, styles[0]), token_texts(right, styles[1])


def _reconcile(old: list[str], new: list[str], fold: Folding) -> Texts | None:
    """Both sides without escapes, folded where they still differ; None where that doesn't help."""
    texts = _unescape(old), _unescape(new)
    if "".join(texts[0]) == "".join(texts[1]):
        return texts
    folded = [fold(text) for text in texts[0]], [fold(text) for text in texts[1]]
    # marks of one letter may follow each other in either order
    whole = [unicodedata.normalize("NFKD", "".join(pieces)) for pieces in folded]
    return folded if whole[0] == whole[1] else None


def _unescape(texts: list[str]) -> list[str]:
    """Undo Moses' escapes; the last piece that an escape is cut into gets its character."""
    whole = "".join(texts)
    characters = list(whole)
    for escape in _ESCAPE.finditer(whole):
        begin, last = escape.start(), escape.end() - 1
        characters[begin:last] = [""] * (last - begin)
        characters[last] = _ESCAPED[escape[0]]
    bounds = accumulate(map(len, texts), initial=0)
    return ["".join(characters[begin:end]) for begin, end in pairwise(bounds)]


def _different_text(
    texts: Texts, styles: tuple[str, str], files: Files, line: int, fold: Folding
) -> DataError:
    """The error for two texts: where they differ, and an option that would make them equal."""
    old, new = (
        unicodedata.normalize("NFKD", "".join(map(fold, _unescape(side)))) for side in texts
    )
    differs = next(
        (k for k, (a, b) in enumerate(zip(old, new, strict=False)) if a != b),
        min(len(old), len(new)),
    )
    shown = slice(max(differs - 10, 0), differs + 20)
    left, right = (unicodedata.normalize("NFC", side[shown]) for side in (old, new))
    if _reconcile(*texts, Folding(case=True, accents=fold.accents)):
        remedy = "The texts differ only in case: pass --ignore-case"
    elif _reconcile(*texts, Folding(case=True, accents=True)):
        remedy = "The texts differ only in case and accents: pass --ignore-case --ignore-accents"
    else:
        remedy = (
            f"Both files must tokenize the same text. They were read as {styles[0]} and "
            f"{styles[1]}; STYLE:FILE selects another of {', '.join(STYLES)}"
        )
    return DataError(
        f"the texts differ at character {differs + 1} (not counting spaces), {right!r}",
        f"{left!r} as in {files[0]}",
        file=files[1],
        line=line,
        remedy=remedy,
    )
