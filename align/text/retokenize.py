"""Links carried over from one tokenisation of a text to another: words, subwords, characters.

Tokens are matched by the characters that they cover, blanks and the markers of tokenisers left
out, so any two tokenisations of one text will do. A new pair of tokens is linked where some link
of the old ones covers both: a word's link goes to all pairs of its pieces, and two words are
linked if any of their pieces are. See docs/retokenize.md.
"""

import codecs
import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, chain, islice, pairwise, zip_longest
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ..errors import DataError
from ..links.links import Links, format_links, parse_links

__all__ = [
    "STYLES",
    "Folding",
    "TokenMap",
    "Tokenizations",
    "detect_style",
    "format_scored_links",
    "map_tokens",
    "open_style",
    "parse_scores",
    "remap_links",
    "retokenize_lines",
    "score_value",
    "token_spans",
    "token_texts",
]

STYLES = ("plain", "sentencepiece", "bpe", "wordpiece", "characters")
_SENTENCEPIECE, _BPE, _WORDPIECE = "\u2581", "@@", "##"
_BYTE = re.compile("<0x([0-9A-F]{2})>")  # SentencePiece's pieces for what it has no piece for
_ESCAPED = {
    "&apos;": "'", "&quot;": '"', "&lt;": "<", "&gt;": ">", "&#124;": "|", "&#91;": "[",
    "&#93;": "]", "&bar;": "|", "&bra;": "[", "&ket;": "]", "@-@": "-", "@/@": "/", "&amp;": "&",
}  # fmt: skip
_ESCAPE = re.compile("|".join(map(re.escape, _ESCAPED)))  # what Moses' tokenizer writes
_IGNORED = frozenset(("Cc", "Cf", "Zs", "Zl", "Zp"))  # blanks, controls, formats
_BLOCK = 4096  # sentence pairs at a time; bounds memory, changes no result
_DETECTION_LINES = 10_000
_DETECTION_SHARE = 0.05  # of the lines; a stray ## of a heading is no style


@dataclass(frozen=True)
class Folding:
    """What may differ where two tokenisations of a sentence are not equal as they stand.

    case: letters' case; accents: combining marks (BERT's uncased models strip them).
    Compatibility forms (NFKC, as SentencePiece applies it) never count as a difference.
    """

    case: bool = False
    accents: bool = False

    def __call__(self, text: str) -> str:
        """The characters that count, decomposed: pieces fold as their concatenation does."""
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


def detect_style(sentences: Iterable[Sequence[str]]) -> str:
    """The style whose markers at least a twentieth of the sentences show, else ``plain``."""
    found = dict.fromkeys((_SENTENCEPIECE, _BPE, _WORDPIECE), 0)
    lines = 0
    for tokens in sentences:
        lines += bool(tokens)
        found[_SENTENCEPIECE] += any(token.startswith(_SENTENCEPIECE) for token in tokens)
        found[_BPE] += any(token.endswith(_BPE) and token != _BPE for token in tokens[:-1])
        found[_WORDPIECE] += any(
            token.startswith(_WORDPIECE) and token != _WORDPIECE for token in tokens[1:]
        )
    marker = max(found, key=lambda mark: found[mark])
    if not found[marker] or found[marker] < _DETECTION_SHARE * lines:
        return "plain"
    return {_SENTENCEPIECE: "sentencepiece", _BPE: "bpe", _WORDPIECE: "wordpiece"}[marker]


def open_style(sentences: Iterable[list[str]], style: str = "") -> tuple[str, Iterator[list[str]]]:
    """The style given, or else detected in the first 10,000 sentences; and all sentences."""
    if style:
        return style, iter(sentences)
    rest = iter(sentences)
    head = list(islice(rest, _DETECTION_LINES))
    return detect_style(head), chain(head, rest)


def token_texts(tokens: Sequence[str], style: str = "plain") -> list[str]:
    """What each token adds to the text of its sentence: no blanks, no marker of the style.

    One text per token; ``characters`` gives one per code point instead. A piece that holds only
    part of a character (SentencePiece's bytes) adds nothing, the last of them the character.

    Raises ValueError for an unknown style.
    """
    if style == "plain":
        texts = list(tokens)
    elif style == "sentencepiece":
        texts = [token.replace(_SENTENCEPIECE, "") for token in tokens]
        if any(token.startswith("<0x") for token in texts):
            texts = _decode_bytes(texts)
    elif style == "bpe":
        texts = [
            token[:-2] if token.endswith(_BPE) and token != _BPE else token for token in tokens
        ]
    elif style == "wordpiece":
        texts = [
            token[2:] if number and token.startswith(_WORDPIECE) and token != _WORDPIECE else token
            for number, token in enumerate(tokens)
        ]
    elif style == "characters":
        return list("".join("".join(tokens).split()))
    else:
        raise ValueError(f"style {style!r}; expected one of {', '.join(STYLES)}")
    whole = "".join(texts)
    if whole.split() == [whole]:  # nothing like a no-break space inside
        return texts
    return ["".join(text.split()) for text in texts]


def _decode_bytes(texts: Sequence[str]) -> list[str]:
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    decoded = []
    for text in texts:
        byte = _BYTE.fullmatch(text)
        if byte:
            decoded.append(decoder.decode(bytes.fromhex(byte[1])))
        else:
            decoder.reset()
            decoded.append(text)
    return decoded


def token_spans(tokens: Sequence[str], style: str = "plain") -> tuple[str, NDArray[np.int64]]:
    """Text of a sentence without blanks and markers, and where each token stands in it.

    Returns the text and spans int64[num_tokens, 2], begin and end in code points; neither column
    falls. A token without a character of its own (a lone ``\u2581``) takes the span of the next
    character, at the end of the sentence that of the last one.

    Raises ValueError for an unknown style.
    """
    texts = token_texts(tokens, style)
    lengths = np.fromiter(map(len, texts), np.int64, len(texts))
    return "".join(texts), np.stack(_spans(lengths, np.array([0, len(texts)])), axis=1)


def _spans(
    lengths: NDArray[np.int64], offsets: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Begin and end, int64[num_tokens] each, in the concatenation of all sentences.

    lengths: int64[num_tokens], characters per token; offsets: int64[num_sentences + 1], tokens.
    """
    end = np.cumsum(lengths)
    begin = end - lengths
    empty = np.flatnonzero(lengths == 0)
    if len(empty):
        bounds = np.concatenate(([0], end))[offsets]
        sentence = np.searchsorted(offsets, empty, side="right") - 1
        last, first = bounds[sentence + 1], bounds[sentence]
        end[empty] += begin[empty] < last
        begin[empty] -= (begin[empty] == last) & (first < last)
    return begin, end


@dataclass(frozen=True)
class TokenMap:
    """For each token of one tokenisation, the tokens of another that share characters with it.

    first, count: int32[num_tokens], the new tokens ``first`` to ``first + count - 1`` of the
        same sentence; count is 0 only where the sentence has no characters.
    offsets: int64[num_sentences + 1], the old tokens of sentence k are rows
        offsets[k]:offsets[k + 1].
    file, first_line: where the old tokenisation stands, for messages.
    """

    first: NDArray[np.int32]
    count: NDArray[np.int32]
    offsets: NDArray[np.int64]
    file: str | Path | None = None
    first_line: int = 1

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def check_range(self, links: Links, positions: NDArray[np.int32], side: str) -> None:
        """Raise DataError where ``positions``, a column of ``links``, leave these sentences."""
        if len(self) != len(links):
            raise DataError(
                f"the {'text ends' if len(self) < len(links) else 'links end'} before this line",
                "one line of links per line of text",
                file=self.file,
                line=self.first_line + min(len(self), len(links)),
                remedy="Give the text that the links were made for",
            )
        pair = np.repeat(np.arange(len(links)), np.diff(links.offsets))
        lengths = np.diff(self.offsets)
        outside = positions >= lengths[pair]
        if outside.any():
            row = int(np.argmax(outside))
            line = int(pair[row])
            raise DataError(
                f"link {links.source[row]}-{links.target[row]}, but the {side} sentence has "
                f"{lengths[line]} tokens",
                "positions inside the sentence",
                file=self.file,
                line=self.first_line + line,
                remedy="Are the sides or the two tokenisations swapped? See `isogloss check`",
            )


Sentences = Iterable[Sequence[str]]
Texts = tuple[list[str], list[str]]  # of the tokens of one sentence, old and new
Files = tuple[str | Path | None, str | Path | None]


def map_tokens(
    old: Sentences | None,
    new: Sentences | None,
    *,
    styles: tuple[str, str] = ("plain", "plain"),
    files: Files = (None, None),
    folding: Folding | None = None,
    first_line: int = 1,
) -> TokenMap:
    """Match two tokenisations of the same sentences, line by line.

    ``None`` instead of sentences stands for the characters of the other side. Sentences are
    compared as they stand first; then without Moses' escapes; then as ``folding`` says.
    styles, files: of the old and the new tokens; first_line: number of the first sentence in them.

    Raises DataError where the texts or the numbers of sentences differ.
    """
    if old is None and new is None:
        raise ValueError("at least one of two tokenisations is given")
    fold = folding or Folding()
    lengths: tuple[list[int], list[int]] = ([], [])
    tokens: tuple[list[int], list[int]] = ([], [])
    pairs = _paired_texts(old, new, styles, files, first_line)
    for line, texts in enumerate(pairs, start=first_line):
        equal = texts if "".join(texts[0]) == "".join(texts[1]) else _reconcile(*texts, fold)
        if equal is None:
            raise _different_text(texts, styles, files, line, fold)
        for side, own in enumerate(equal):
            lengths[side].extend(map(len, own))
            tokens[side].append(len(own))
    bounds = [np.concatenate(([0], np.cumsum(np.array(own, np.int64)))) for own in tokens]
    begin, end = _spans(np.array(lengths[0], np.int64), bounds[0])
    new_begin, new_end = _spans(np.array(lengths[1], np.int64), bounds[1])
    first = np.searchsorted(new_end, begin, side="right")
    beyond = np.searchsorted(new_begin, end, side="left")
    return TokenMap(
        (first - np.repeat(bounds[1][:-1], tokens[0])).astype(np.int32),
        np.maximum(beyond - first, 0).astype(np.int32),
        bounds[0],
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
                f"the file ends before this line, which {files[1 - short]} has",
                "two tokenisations of the same lines",
                file=files[short],
                line=line,
                remedy="Look for a lost or a doubled line end in one of them",
            )
        yield token_texts(left, styles[0]), token_texts(right, styles[1])


def _reconcile(old: list[str], new: list[str], fold: Folding) -> Texts | None:
    """Both sides without escapes, and folded if need be; None where they still differ."""
    texts = _unescape(old), _unescape(new)
    if "".join(texts[0]) == "".join(texts[1]):
        return texts
    folded = [fold(text) for text in texts[0]], [fold(text) for text in texts[1]]
    # marks of one letter may follow each other in either order
    whole = [unicodedata.normalize("NFKD", "".join(own)) for own in folded]
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
    """Say where the two texts part, and what would make them equal if anything does."""
    old, new = (
        unicodedata.normalize("NFKD", "".join(map(fold, _unescape(side)))) for side in texts
    )
    place = next(
        (k for k, (a, b) in enumerate(zip(old, new, strict=False)) if a != b),
        min(len(old), len(new)),
    )
    shown = slice(max(place - 10, 0), place + 20)
    left, right = (unicodedata.normalize("NFC", side[shown]) for side in (old, new))
    if _reconcile(*texts, Folding(case=True, accents=fold.accents)):
        remedy = "They differ in case only: pass --ignore-case"
    elif _reconcile(*texts, Folding(case=True, accents=True)):
        remedy = "They differ in case and accents only: pass --ignore-case --ignore-accents"
    else:
        remedy = (
            f"Both must be made of the same text; they were read as {styles[0]} and {styles[1]}, "
            f"and STYLE:FILE forces another of {', '.join(STYLES)}"
        )
    return DataError(
        f"character {place + 1} of the text, blanks left out, begins {right!r}",
        f"{left!r} as in {files[0]}",
        file=files[1],
        line=line,
        remedy=remedy,
    )


def remap_links(
    links: Links,
    source: TokenMap | None,
    target: TokenMap | None,
    scores: NDArray[np.float64] | None = None,
) -> tuple[Links, NDArray[np.int64]]:
    """Links between the new tokens; a side without a map keeps its tokens.

    scores: float64[num_links], of the old links; default: their probabilities, where they have any.
    Returns the new links and, int64[num_new_links], the old link that each comes from: the one
    with the highest score where there are several, the first where there are no scores.

    Raises DataError for another number of sentences and for a link outside of its sentence.
    """
    pair = np.repeat(np.arange(len(links)), np.diff(links.offsets))
    if source is not None:
        source.check_range(links, links.source, "source")
    if target is not None:
        target.check_range(links, links.target, "target")
    first_source, count_source = _images(source, links.source, pair)
    first_target, count_target = _images(target, links.target, pair)
    size = count_source * count_target
    row = np.repeat(np.arange(len(size)), size)
    place = np.arange(len(row)) - np.repeat(np.cumsum(size) - size, size)
    new_source = first_source[row] + place // count_target[row]
    new_target = first_target[row] + place % count_target[row]
    spread = [int(column.max(initial=0)) + 1 for column in (new_source, new_target)]
    key = (pair[row] * spread[0] + new_source) * spread[1] + new_target
    rank = links.probability if scores is None else scores
    order = np.argsort(key, kind="stable") if rank is None else np.lexsort((-rank[row], key))
    fresh = np.ones(len(order), bool)
    fresh[1:] = key[order][1:] != key[order][:-1]
    kept = order[fresh]
    origin = row[kept]
    offsets = np.zeros(len(links) + 1, np.int64)
    np.cumsum(np.bincount(pair[origin], minlength=len(links)), out=offsets[1:])
    moved = Links(
        new_source[kept].astype(np.int32),
        new_target[kept].astype(np.int32),
        offsets,
        None if links.probability is None else links.probability[origin],
    )
    return moved, origin


def _images(
    tokens: TokenMap | None,
    positions: NDArray[np.int32],
    pair: NDArray[np.int64],
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """First new token and how many, int64[num_links] each, for one side of the links."""
    if tokens is None:
        return positions.astype(np.int64), np.ones(len(positions), np.int64)
    rows = tokens.offsets[pair] + positions
    return tokens.first[rows].astype(np.int64), tokens.count[rows].astype(np.int64)


def parse_scores(lines: Iterable[str], links: Links, file: str | Path | None = None) -> list[str]:
    """Scores of ``links`` as their file has them (``i-j:score``), one per link; "" for none.

    Of a link given twice the higher score counts, a link without a score being the lowest.
    ``i-j:score:score`` is read too; its first score is compared.

    Raises DataError for a score that is no number.
    """
    scores: list[str] = []
    for number, line in enumerate(lines):
        best: dict[tuple[int, int], str] = {}
        for token in line.split():
            position, _, score = token.partition(":")
            left, _, right = position.partition("-")
            link = int(left), int(right)
            try:
                value = score_value(score)
            except ValueError:
                raise DataError(
                    f"{token!r}",
                    "a number behind the colon, as in 3-4:0.87",
                    file=file,
                    line=number + 1,
                    remedy="Drop the scores or write numbers",
                ) from None
            if link not in best or value > score_value(best[link]):
                best[link] = score
        scores.extend(best[link] for link in links[number])
    return scores


def score_value(score: str) -> float:
    """Number to compare a link's score by: the first of several; -inf for no score.

    Raises ValueError for text that is no number.
    """
    value = float(score.partition(":")[0] or "-inf")
    if value != value:
        raise ValueError("nan is no score")
    return value


def format_scored_links(links: Links, scores: Sequence[str]) -> Iterator[str]:
    """Pharaoh text with the scores that are not empty, one line per pair, without line ends."""
    source, target = links.source.tolist(), links.target.tolist()
    for begin, end in pairwise(links.offsets.tolist()):
        yield " ".join(
            f"{source[k]}-{target[k]}:{scores[k]}" if scores[k] else f"{source[k]}-{target[k]}"
            for k in range(begin, end)
        )


@dataclass
class Tokenizations:
    """Two tokenisations of one side of a text, read as the links are.

    old, new: tokens of each sentence; None = the characters of the other one.
    styles, files: of both, see :func:`map_tokens`.
    """

    old: Sentences | None
    new: Sentences | None
    styles: tuple[str, str] = ("plain", "plain")
    files: Files = (None, None)
    folding: Folding = field(default_factory=Folding)

    def __post_init__(self) -> None:
        self.old, self.new = (None if side is None else iter(side) for side in (self.old, self.new))

    def map_next(self, number: int, first_line: int) -> TokenMap:
        """Match the next ``number`` sentences. Raises DataError as :func:`map_tokens` does."""
        old, new = (
            None if side is None else list(islice(side, number)) for side in (self.old, self.new)
        )
        return map_tokens(
            old, new, styles=self.styles, files=self.files, folding=self.folding,
            first_line=first_line,
        )  # fmt: skip


def retokenize_lines(
    lines: Iterable[str],
    source: Tokenizations | None,
    target: Tokenizations | None,
    file: str | Path | None = None,
) -> Iterator[str]:
    """Pharaoh text between the new tokens, one line per line of links, in bounded memory.

    Scores (``i-j:score``) are kept; where several old links meet in a new one, the highest.

    Raises DataError for what is no link, links that are not of the text, texts that differ.
    """
    rest = iter(lines)
    first_line = 1
    while True:
        block = list(islice(rest, _BLOCK))
        number = len(block) or 1  # one sentence more than there are links is an error, too
        maps = [
            None if side is None else side.map_next(number, first_line) for side in (source, target)
        ]
        if not block and not any(len(own) for own in maps if own is not None):
            return
        yield from _remap_block(block, maps[0], maps[1], file, first_line)
        first_line += len(block)


def _remap_block(
    block: Sequence[str],
    source: TokenMap | None,
    target: TokenMap | None,
    file: str | Path | None,
    first_line: int,
) -> Iterator[str]:
    try:
        links = parse_links(block, file)
        scores = parse_scores(block, links, file) if any(":" in line for line in block) else None
    except DataError as error:
        assert error.line is not None
        raise DataError(
            error.seen, error.expected, file=file, line=error.line + first_line - 1,
            remedy=error.remedy,
        ) from None  # fmt: skip
    if scores is None:
        yield from format_links(remap_links(links, source, target)[0])
    else:
        values = np.array([score_value(score) for score in scores])
        moved, origin = remap_links(links, source, target, values)
        yield from format_scored_links(moved, [scores[row] for row in origin.tolist()])
