"""Styles of tokenization: how each marks its pieces, and what text they stand for."""

import codecs
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice

import numpy as np
from numpy.typing import NDArray

from ...arrays.ragged import offsets_of

__all__ = ["STYLES", "character_spans", "detect_style", "open_style", "token_spans", "token_texts"]

STYLES = ("plain", "sentencepiece", "bpe", "wordpiece", "characters")
_SENTENCEPIECE, _BPE, _WORDPIECE = "\u2581", "@@", "##"
_BYTE = re.compile("<0x([0-9A-F]{2})>")  # SentencePiece's pieces for what it has no piece for
_DETECTION_LINES = 10_000
_DETECTION_SHARE = 0.05  # of the lines; a stray ## of a heading is no style


def detect_style(sentences: Iterable[Sequence[str]]) -> str:
    """The style whose markers at least a twentieth of the sentences show, else ``plain``."""
    counts = dict.fromkeys((_SENTENCEPIECE, _BPE, _WORDPIECE), 0)
    lines = 0
    for tokens in sentences:
        lines += bool(tokens)
        counts[_SENTENCEPIECE] += any(token.startswith(_SENTENCEPIECE) for token in tokens)
        counts[_BPE] += any(token.endswith(_BPE) and token != _BPE for token in tokens[:-1])
        counts[_WORDPIECE] += any(
            token.startswith(_WORDPIECE) and token != _WORDPIECE for token in tokens[1:]
        )
    marker = max(counts, key=lambda mark: counts[mark])
    if not counts[marker] or counts[marker] < _DETECTION_SHARE * lines:
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
    """The text that each token adds to its sentence, without blanks and markers of the style.

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
        raise ValueError(f"unknown style {style!r}; expected one of {', '.join(STYLES)}")
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
    return "".join(texts), np.stack(character_spans(lengths, np.array([0, len(texts)])), axis=1)


def character_spans(
    lengths: NDArray[np.int64], offsets: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Begin and end, int64[num_tokens] each, in the concatenation of all sentences.

    lengths: int64[num_tokens], characters per token; offsets: int64[num_sentences + 1], tokens.
    """
    characters = offsets_of(lengths)
    begin, end = characters[:-1].copy(), characters[1:].copy()
    empty = np.flatnonzero(lengths == 0)
    if len(empty):
        bounds = characters[offsets]
        sentence = np.searchsorted(offsets, empty, side="right") - 1
        last, first = bounds[sentence + 1], bounds[sentence]
        end[empty] += begin[empty] < last
        begin[empty] -= (begin[empty] == last) & (first < last)
    return begin, end
