"""What fairseq-generate and fairseq-interactive print: hypotheses among lines of other kinds.

``S-0`` is a source, ``T-0`` its reference, ``H-0`` a hypothesis with its score, ``D-0`` the same
hypothesis detokenized, ``P-0`` the log-probabilities (base 2) of its tokens. All else is passed
over. Versions of 2018 print no numbers, and ``O`` before the hypotheses of each source.
"""

import re
from collections.abc import Iterator
from typing import Any, ClassVar

from isogloss.align.files.numerals import parse_number
from isogloss.align.files.text_io import split_tokens

from .fields import FieldFault, RecordFields

__all__ = ["FairseqLog", "is_fairseq"]

_LINE = re.compile(r"([SOTHDP])(?:-(0|[1-9][0-9]{0,17}))?\t(.*)", re.DOTALL)
_NUMBERED = re.compile(rb"[STH]-[0-9]+\t")
_BETWEEN = (b"T\t", b"P\t")  # lines between that of a source and its hypotheses
_HYPOTHESIS = re.compile(rb"H\t-?[0-9.]+(?:e-?[0-9]+)?\t")


def is_fairseq(begin: bytes) -> bool:
    """Whether a list is one of fairseq, by its first lines."""
    lines = begin.split(b"\n")
    if b" ||| " in lines[0]:
        return False
    in_sentence = False
    for line in lines:
        if _NUMBERED.match(line) or (in_sentence and _HYPOTHESIS.match(line)):
            return True
        in_sentence = line[:2] in (b"S\t", b"O\t") or (in_sentence and line[:2] in _BETWEEN)
    return False


class FairseqLog:
    """Brings the lines of each sentence together as a record of JSONL.

    Features are ``score``, as fairseq has it, and with ``P-`` lines ``logprob``, the sum, and
    ``length``, the number of tokens.

    fields: text=D takes the detokenized hypotheses; references are then T only with refs=T, since
        those are not detokenized
    """

    form: ClassVar[str] = "H-ID, a score and a hypothesis, separated by tabs"

    def __init__(self, fields: RecordFields | None = None) -> None:
        self._text = fields.names.get("text", "H") if fields else "H"
        self._refs = fields is None or fields.names.get("refs") == "T"
        self._record: dict[str, Any] = {}
        self._line = self._unnumbered = 0

    def records(self, block: str, line: int) -> Iterator[tuple[int, dict[str, Any]]]:
        """Records that end in some lines, each with the number of its first line.

        line: number of the first line

        Raises FieldFault with the number of the line for one that can't be read.
        """
        for number, text in enumerate(block.split("\n"), start=line):
            match = _LINE.fullmatch(text)
            if match is None:
                continue
            kind, sentence, rest = match[1], self._number(match[1], match[2]), match[3]
            if self._record and self._record["id"] != sentence:
                yield self._line, self._record
                self._record = {}
            if not self._record:
                self._record, self._line = {"id": sentence, "hyps": []}, number
            try:
                self._add(kind, rest)
            except ValueError as error:
                raise FieldFault(number, f"{text[:80]!r}: {error}") from None

    def _number(self, kind: str, number: str | None) -> int:
        """The number of a line's sentence; without one, hypotheses end with the next source."""
        if number is not None:
            return int(number)
        if kind in "SO" and self._record.get("hyps"):
            self._unnumbered += 1
        return self._unnumbered

    def end(self) -> Iterator[tuple[int, dict[str, Any]]]:
        """The last record."""
        if self._record:
            yield self._line, self._record
        self._record = {}

    def _add(self, kind: str, rest: str) -> None:
        """Add what a line says to the record. Raises ValueError for another form."""
        hyps = self._record["hyps"]
        if kind in "SO":
            self._record["src"] = rest
        elif kind == "T":
            if self._refs:
                self._record["refs"] = [rest]
        elif kind == "H":
            score, tab, text = rest.partition("\t")
            if not tab:
                raise ValueError("a score and a hypothesis, separated by a tab, are missing")
            hyps.append({"text": text, "features": {"score": parse_number(score)}})
        elif not hyps:
            raise ValueError("no hypothesis (H-) precedes it")
        elif kind == "D" and self._text == "D":
            hyps[-1]["text"] = rest.partition("\t")[2]
        elif kind == "P":
            values = [parse_number(value) for value in split_tokens(rest)]
            hyps[-1]["features"] |= {"logprob": sum(values), "length": float(len(values))}
