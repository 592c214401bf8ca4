"""What a file is, told by its first lines and some others: asked before it is read as text."""

from collections.abc import Collection, Iterator, Sequence
from functools import partial
from itertools import chain
from pathlib import Path

from ...errors import DataError, shown_file, warn
from ...files.inputs.samples import sample_of
from ...files.text_io import FIELD_SEPARATOR
from .bytes import forms_of_bytes
from .columns import forms_of_columns
from .decoder_files import forms_of_decoder_files
from .documents import forms_of_documents
from .kinds import KINDS, Form
from .sample import TextSample
from .words import forms_of_words

__all__ = [
    "NAMES_OF_LINES",
    "check_pairs",
    "check_text",
    "explained",
    "forms_of",
    "forms_of_pairs",
    "forms_of_text",
]

NAMES_OF_LINES = ("identifiers", "trn")  # of utterances, which some readers tell themselves
_ONE_SIDED = ("moses-entities", "backslashes")  # harmless where both sides have them
_IN_ANY_FILE = ("numbered-tab", "quoted")  # of links as well, for instance


def forms_of_text(path: str | Path) -> list[Form]:
    """What a file is that should have a sentence per line, the gravest first; empty for a text.

    Also empty for what can't be looked into before it is read: standard input, pipes, addresses.
    """
    sample = sample_of(path)
    return [] if sample is None else forms_of(TextSample.of(sample))


def forms_of(sample: TextSample) -> list[Form]:
    """The same of some lines."""
    forms: list[Form] = []
    for look in (forms_of_bytes, forms_of_documents, forms_of_columns, forms_of_words):
        for form in look(sample):
            if form.level == "error":
                return [form]
            forms.append(form)
    if any(form.kind == "markup" for form in forms):  # a tag alone may look like a placeholder
        forms = [form for form in forms if form.kind != "placeholders"]
    return sorted(forms, key=lambda form: form.level != "warning")


def forms_of_pairs(path: str | Path, format: str | None) -> list[Form]:
    """What a file is that should have both sides, as :func:`forms_of_text` says it.

    format: one of the formats in lines; None = it isn't known yet
    """
    sample = sample_of(path)
    if sample is None:
        return []
    text = TextSample.of(sample)
    found = [form for form in forms_of_bytes(text) if form.kind != "table"]
    if found or format not in ("tsv", "pairs"):
        return found
    found = list(forms_of_columns(text, is_side=False))
    separator = "\t" if format == "tsv" else f" {FIELD_SEPARATOR} "
    sides = zip(*((*line.split(separator), "")[:2] for line in text.lines), strict=True)
    for side in sides:
        known = {form.kind for form in found}
        found += (
            form for form in forms_of_words(TextSample.of_lines(side)) if form.kind not in known
        )
    return found


def check_text(*paths: str | Path, known: Collection[str] = ()) -> None:
    """Look into files with a sentence per line, the sides of a bitext or one.

    known: kinds that nothing is said of

    Raises DataError for a file that holds no lines of text, and warns (DataWarning) of lines that
    mean something else than they are read as.
    """
    forms = [[form for form in forms_of_text(path) if form.kind not in known] for path in paths]
    for path, found in zip(paths, forms, strict=True):
        _tell(path, found)
    if len(paths) > 1:
        for form, path, other in _one_sided(paths, forms):
            warn(f"{shown_file(path)}: {form.name}, but none in {shown_file(other)}. {form.remedy}")


def check_pairs(path: str | Path, format: str | None) -> None:
    """The same for a file of pairs, see :func:`forms_of_pairs`."""
    _tell(path, forms_of_pairs(path, format))


def explained(error: DataError) -> str:
    """What a file is that could not be read, and what to do; empty where the error says it all."""
    if error.file is None:
        return ""
    sample = sample_of(error.file)
    if sample is None:
        return ""
    text = TextSample.of(sample)
    looks = (
        forms_of_bytes,
        forms_of_decoder_files,
        forms_of_documents,
        partial(forms_of_columns, is_side=False),
    )
    for form in chain.from_iterable(look(text) for look in looks):
        if form.kind in _IN_ANY_FILE or (form.level == "error" and not KINDS[form.kind].is_read):
            what = form.name[:1].upper() + form.name[1:]
            return "" if form.remedy in str(error) else f"{what}. {form.remedy}"
    return ""


def _tell(path: str | Path, forms: Sequence[Form]) -> None:
    for form in forms:
        if form.level == "error":
            raise DataError(
                form.name, "one sentence per line, as plain UTF-8 text", file=path, line=form.line,
                remedy=form.remedy,
            )  # fmt: skip
        if form.level == "warning":
            place = shown_file(path) + (f", line {form.line}" if form.line else "")
            warn(f"{place}: {form.name}. {form.remedy}")


def _one_sided(
    paths: Sequence[str | Path], forms: Sequence[list[Form]]
) -> Iterator[tuple[Form, str | Path, str | Path]]:
    """Escapes that one side has and the other hasn't."""
    for side, other in ((0, 1), (1, 0)):
        kinds = {form.kind for form in forms[other]}
        for form in forms[side]:
            if form.kind in _ONE_SIDED and form.kind not in kinds:
                yield form, paths[side], paths[other]
