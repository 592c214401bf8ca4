"""Requests as JSON: their types, and the words of their sentences.

Texts are checked here and not by msgspec, which at times crashes at the end of a program whose
types have patterns of texts within lists or beside them (msgspec 0.22, issue 717).
"""

import re
from typing import Annotated, Any, TypeVar

from msgspec import Meta, Struct

from isogloss.align.errors import DataError
from isogloss.align.files.records import Count, Counting, conform, parse_json
from isogloss.align.files.text_io import on_one_line, split_tokens

from .faults import Fault
from .limits import Limits

__all__ = [
    "AlignRequest",
    "DecodeRequest",
    "RerankRequest",
    "check_text",
    "parse_request",
    "words_of",
]

Request = TypeVar("Request", bound=Struct)
_ODD = re.compile("[\x00\ud800-\udfff]")
_Sentence = str | list[str]
_Pair = Annotated[list[_Sentence], Meta(min_length=2, max_length=2)]


class AlignRequest(Struct, forbid_unknown_fields=True):
    """A pair, or several: each side as text, whose words blanks set apart, or as words.

    heuristic: how the links of both directions become one; None = as the model does
    """

    source: _Sentence | None = None
    target: _Sentence | None = None
    pairs: list[_Pair] | None = None
    heuristic: str | None = None


class DecodeRequest(Struct, forbid_unknown_fields=True):
    """A sentence, or several: each as text or as words.

    nbest_size: translations that are listed of each, 0 = none but the best
    features: whether their features are told
    """

    text: _Sentence | None = None
    texts: list[_Sentence] | None = None
    nbest_size: Count = 0
    features: bool = False


class RerankRequest(Struct, forbid_unknown_fields=True):
    """N-best lists: as text, as its lines, or as records, in any form that `isogloss rerank` reads.

    nbest_size: hypotheses that are told of each sentence; None = all
    """

    nbest: str | list[str | dict[str, Any]]
    nbest_size: Counting | None = None


def parse_request(body: bytes, kind: type[Request]) -> Request:
    """The request of a body. Raises Fault for what is no JSON of that kind."""
    try:
        body.decode()
    except UnicodeDecodeError as error:
        raise Fault(
            400, f"byte {error.start + 1} of the body is not valid UTF-8", "UTF-8"
        ) from None
    try:
        value = parse_json(body)
        if not isinstance(value, dict):
            raise DataError(
                "the request is not a JSON object", "an object such as " + _EXAMPLES[kind]
            )
        return conform(value, kind)
    except DataError as error:
        remedy = f"Send JSON such as {_EXAMPLES[kind]}"
        raise Fault(400, error.seen, error.expected, remedy) from None


def check_text(text: str, field: str) -> None:
    """Raise Fault for a text that isn't whole. field: where it stands"""
    if _ODD.search(text):
        raise Fault(
            400, f"{field} is {text[:60]!r}", "text without NUL and lone surrogates",
            "Check that the text was not cut inside a character",
        )  # fmt: skip


def words_of(sentence: str | list[str], field: str, limits: Limits) -> list[str]:
    """The words of a sentence, split at blanks and tabs as everywhere. field: where it stands

    Raises Fault for words that are empty or hold blanks, and for too many of them.
    """
    for text in [sentence] if isinstance(sentence, str) else sentence:
        check_text(text, field)
    if isinstance(sentence, str):
        words = split_tokens(on_one_line(sentence))
    else:
        words = sentence
        for number, word in enumerate(words):
            if split_tokens(on_one_line(word)) != [word]:
                raise Fault(
                    400, f"{field}[{number}] is {word[:60]!r}", "a word without whitespace",
                    "Send words one by one, or the sentence as text",
                )  # fmt: skip
    limits.check_words(len(words), field)
    return words


_EXAMPLES: dict[type[Struct], str] = {
    AlignRequest: '{"source": "the house", "target": "la casa"} or {"pairs": [["a", "b"]]}',
    DecodeRequest: '{"text": "la casa", "nbest_size": 5} or {"texts": ["a", "b"]}',
    RerankRequest: '{"nbest": ["0 ||| the house ||| LM0= -3.2 ||| -1.6"]}',
}
