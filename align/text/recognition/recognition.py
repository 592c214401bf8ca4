"""What a file is, told by its first lines and some others: asked before it is read as text."""

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Protocol, TypeVar

from ...errors import DataError, shown_file, warn
from ...files.inputs.samples import sample_of
from ...files.text_io import FIELD_SEPARATOR
from ..markup.sgm import begins_test_set
from .bytes import forms_of_bytes
from .columns import forms_of_columns
from .decoder_files import forms_of_decoder_files, forms_of_transcripts
from .documents import forms_of_documents, forms_of_tags
from .headers import is_name
from .kinds import KINDS, Form
from .sample import TextSample
from .sides import forms_of_sides, without_shared
from .words import forms_of_words

__all__ = [
    "NAMES_OF_LINES",
    "check_pairs",
    "check_text",
    "explained",
    "forms_of",
    "forms_of_files",
    "forms_of_side",
    "forms_of_text",
    "looked_at",
]

NAMES_OF_LINES = ("identifiers", "trn")  # of utterances, which some readers tell themselves
_SIDES = ("source", "target")
_FIRST = 300  # pairs that are looked at
_COMMAND = re.compile(r"`[^`]+`")
_EXPLAINED = {"markup": "placeholders", "properties": "identifiers"}  # what looks like another kind
_OF_COLUMNS = ("conll",)  # whose first one is a number
_WITHOUT_TEXT = (
    "numbered-tab",
    "numbered-sides",
    "numbered-language",
    "numbered-languages",
)  # in the first column of pairs
_IN_ANY_FILE = ("numbered-tab", "quoted")  # of links as well, for instance


class _HasSides(Protocol):
    """A sentence pair as it stands in a file."""

    @property
    def source(self) -> str: ...

    @property
    def target(self) -> str: ...


_Sided = TypeVar("_Sided", bound=_HasSides)


def forms_of_text(path: str | Path) -> list[Form]:
    """What a file is that should have a sentence per line, the gravest first; empty for a text.

    Also empty for what can't be looked into before it is read: standard input, pipes, addresses.
    """
    text = _text_of(path)
    return [] if text is None else [form._replace(file=str(path)) for form in forms_of(text)]


def _text_of(path: str | Path) -> TextSample | None:
    """Lines of a file; None for a test set, whose markup is read, and for what can't be seen."""
    sample = sample_of(path)
    text = None if sample is None else TextSample.of(sample)
    return None if text is None or begins_test_set(text.first) else text


def forms_of(sample: TextSample) -> list[Form]:
    """The same of some lines."""
    forms: list[Form] = []
    looks = (
        forms_of_bytes, forms_of_documents, forms_of_transcripts, forms_of_columns, forms_of_words,
    )  # fmt: skip
    for look in looks:
        for form in look(sample):
            if form.level == "error":
                return [form]
            forms.append(form)
    for kind, another in _EXPLAINED.items():
        if any(form.kind == kind for form in forms):
            forms = [form for form in forms if form.kind != another]
    return sorted(forms, key=lambda form: form.level != "warning")


def forms_of_side(sample: TextSample) -> list[Form]:
    """What texts are that stood in a file of pairs, which can't be a document of their own."""
    looks = (forms_of_tags, forms_of_columns, forms_of_words)
    found = [form for look in looks for form in look(sample) if form.level != "error"]
    return sorted(found, key=lambda form: form.level != "warning")


def forms_of_files(
    paths: Sequence[str | Path], known: Collection[str] = ()
) -> tuple[list[list[Form]], list[TextSample | None]]:
    """What the files of a text are, as :func:`forms_of_text`, and the lines that show it.

    known: kinds that nothing is said of
    """
    samples = [_text_of(path) for path in paths]
    found = [
        [form for form in (forms_of(text) if text else ()) if form.kind not in known]
        for text in samples
    ]
    forms = without_shared(found)
    if len(paths) > 1 and all(
        text is not None and is_name(text, Path(path).suffixes)
        for text, path in zip(samples, paths, strict=True)
    ):
        forms[0].append(Form("header", "on both sides"))
    named = [
        [form._replace(file=str(path)) for form in side]
        for path, side in zip(paths, forms, strict=True)
    ]
    return named, samples


def check_text(*paths: str | Path, known: Collection[str] = ()) -> None:
    """Look into files with a sentence per line, the sides of a bitext or one.

    known: kinds that nothing is said of

    Raises DataError for a file that holds no lines of text, and warns (DataWarning) of lines that
    mean something else than they are read as.
    """
    forms, samples = forms_of_files(paths, known)
    for path, found in zip(paths, forms, strict=True):
        _tell(path, found)
    for form, side, remark in forms_of_sides(forms[:2], samples[:2]):
        other = f"but {remark} in {shown_file(paths[1 - side])}"
        remedy = form.remedy_for(paths[side])
        warn(f"{shown_file(paths[side])}: {form.name}, {other}. {remedy}")


def check_pairs(path: str | Path, format: str) -> None:
    """The same for a file of pairs in lines.

    format: "pairs", "tsv" or "jsonl", whose sides :func:`looked_at` sees
    """
    sample = sample_of(path)
    if sample is None:
        return
    text = TextSample.of(sample)
    _tell(path, list(forms_of_bytes(text)))
    if format != "jsonl":
        columns = list(forms_of_columns(text, is_side=False))
        _tell(path, columns)
        separator = "\t" if format == "tsv" else f" {FIELD_SEPARATOR} "
        pairs = [(*line.split(separator), "")[:2] for line in text.lines]
        if not any(form.kind in _WITHOUT_TEXT for form in columns):
            _check_sides(path, pairs)


def looked_at(pairs: Iterator[_Sided], path: str | Path) -> Iterator[_Sided]:
    """The same pairs; the first ones are looked at as they pass, and told of."""
    first: list[tuple[str, str]] = []
    for pair in pairs:
        first.append((pair.source, pair.target))
        yield pair
        if len(first) == _FIRST:
            break
    _check_sides(path, first)
    yield from pairs


def _check_sides(path: str | Path, pairs: Sequence[Sequence[str]]) -> None:
    """Warn of texts of both sides as :func:`check_text` does of files."""
    if not pairs:
        return
    samples = [TextSample.of_lines(side) for side in zip(*pairs, strict=True)]
    forms = without_shared(list(map(forms_of_side, samples)))
    kinds = [{form.kind for form in found} for found in forms]
    for side, found in enumerate(forms):
        for form in found:
            both = form.kind in kinds[1 - side]
            if both and side == 1:
                continue
            where = "both sides" if both else f"the {_SIDES[side]} side"
            _tell(path, [form._replace(what=f"{form.text}, on {where}", line=None)], None)
    for form, side, _ in forms_of_sides(forms, samples):
        where = f"but only on the {_SIDES[side]} side"
        warn(f"{shown_file(path)}: {form.name}, {where}. {form.remedy_for(None)}")


def explained(error: DataError) -> str:
    """What a file is that could not be read, and what to do; empty where the error says it all."""
    if error.file is None:
        return ""
    text = _text_of(error.file)
    if text is None:
        return ""
    looks: list[Callable[[TextSample], Iterator[Form]]] = [
        forms_of_bytes, forms_of_decoder_files, forms_of_documents,
    ]  # fmt: skip
    if FIELD_SEPARATOR not in text.text:  # not of a list, whose columns are its own
        looks.append(partial(forms_of_columns, is_side=False))
    for form in chain.from_iterable(look(text) for look in looks):
        if form.kind == "table" and "is not UTF-8" not in str(error):  # it is read as a table
            return ""
        if form.kind in _OF_COLUMNS or (form.kind == "numbered-tab" and _are_ids(text)):
            return ""
        if form.kind in _IN_ANY_FILE or (form.level == "error" and not KINDS[form.kind].is_read):
            if form.kind == "numbered-tab":  # of what may be no words
                form = form._replace(what="the lines begin with a number and a tab")
            what = form.name[:1].upper() + form.name[1:]
            remedy = form.remedy_for(error.file, is_text=False)
            told = _COMMAND.findall(remedy) or [remedy]
            is_told = any(one in str(error) for one in (form.text, *told))
            return "" if is_told else f"{what}. {remedy}"
    return ""


def _are_ids(text: TextSample) -> bool:
    """Whether leading numbers are a column that the file should have, as in lists of hypotheses."""
    heads = [line.partition("\t")[0] for line in text.lines]
    return len(set(heads)) < len(heads) or all(line.count("\t") > 1 for line in text.lines)


def _tell(path: str | Path, forms: Sequence[Form], named: str | Path | None = "") -> None:
    """Raise or warn. named: the file that remedies name, None where a part of it has the form"""
    for form in forms:
        remedy = form.remedy_for(path if named == "" else named)
        if form.level == "error":
            raise DataError(
                form.name, "one sentence per line, as plain UTF-8 text", file=path, line=form.line,
                remedy=remedy,
            )  # fmt: skip
        if form.level == "warning":
            place = shown_file(path) + (f", line {form.line}" if form.line else "")
            warn(f"{place}: {form.name}. {remedy}")
