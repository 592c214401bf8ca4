"""The files beside a table: the names of its scores, and its bins."""

from collections.abc import Sequence
from pathlib import Path

from msgspec import Struct

from isogloss.align.errors import DataError, pluralize
from isogloss.align.files.outputs import is_stream
from isogloss.align.files.records import Name, conform, is_name, parse_json
from isogloss.align.files.text_io import LONGEST_DOCUMENT, read_lines
from isogloss.align.files.writers import COMPRESSED

from ..space import is_sparse

__all__ = [
    "MOSES_SCORES",
    "bins_file",
    "check_own_sidecar",
    "check_score_names",
    "columns_file",
    "is_filtered_table",
    "lines_of_bins",
    "read_score_names",
    "sidecars",
    "stored_bins",
    "table_score_names",
    "table_stem",
    "usual_score_names",
]

MOSES_SCORES = ("p(f|e)", "lex(f|e)", "p(e|f)", "lex(e|f)")


def table_stem(path: str | Path) -> str:
    """What a table is called without how it is compressed."""
    path = Path(path)
    return str(path.with_suffix("") if path.suffix in COMPRESSED else path)


def columns_file(path: str | Path) -> Path:
    """Path of the file that names the scores of a table: ``TABLE.columns.json``."""
    return Path(f"{table_stem(path)}.columns.json")


def bins_file(path: str | Path) -> Path:
    """Path of the file of bins of a table: ``TABLE.bins.json``, in a folder ``bins.json``."""
    path = Path(path)
    return path / "bins.json" if path.is_dir() else Path(f"{table_stem(path)}.bins.json")


def sidecars(path: str | Path) -> list[Path]:
    """The files that are read with a table where there are any: of its scores' names and bins.

    Tables that are called the same but for how they are compressed share them.
    """
    return [file for file in (columns_file(path), bins_file(path)) if file.exists()]


def stored_bins(path: str | Path) -> Path | None:
    """The file of bins of a table, None where there is none, as beside a stream."""
    file = bins_file(path)
    return None if is_stream(path) or not file.is_file() else file


def lines_of_bins(path: str | Path) -> list[str] | None:
    """The lines of the file of bins of a table, as they are; None where there is none.

    Raises DataError for a file that can't be read.
    """
    file = stored_bins(path)
    return None if file is None else read_lines(file, longest=LONGEST_DOCUMENT)


def check_own_sidecar(
    path: str | Path, names: Sequence[str], bins: Sequence[str] | None = None
) -> None:
    """Raise DataError where a new table would take the names of another table's scores away, or its
    bins.

    That is one that is called the same but for how it is compressed, and has others.
    path, names, bins: of the new table, its scores, and the lines of its file of bins
    """
    path, stem = Path(path), table_stem(path)
    tables = (Path(stem + suffix) for suffix in ("", *COMPRESSED))
    other = next((table for table in tables if table != path and table.is_file()), None)
    if other is None:
        return
    sidecar, beside = columns_file(path), lines_of_bins(path)
    seen = None
    if sidecar.exists() and _read_sidecar(sidecar) != tuple(names):
        seen = f"{sidecar} belongs to {other}, whose scores differ"
    elif beside is not None and beside != (None if bins is None else list(bins)):
        seen = f"{bins_file(path)} belongs to {other}, whose bins differ"
    if seen is not None:
        raise DataError(
            seen, file=path,
            remedy="Choose a table name that differs in more than the compression suffix",
        )  # fmt: skip


def check_score_names(names: Sequence[str], file: str | Path) -> None:
    """Raise DataError for a name that a grammar or a line of weights can't hold.

    file: where they stand, or are to stand
    """
    for name in names:
        if not is_name(name) or "=" in name or name == "|||" or name.startswith(("#", "{")):
            raise DataError(
                f"the name {name[:80]!r} is invalid",
                "printable names without spaces and =, not |||, not starting with # or {",
                file=file,
                remedy="Rename the score, also in the weights",
            )


class _Sidecar(Struct):
    scores: list[Name]
    filtered: bool = False  # whether rules were left out that a text has no use for


def is_filtered_table(path: str | Path) -> bool | None:
    """Whether a table holds the rules of one text alone; None where nothing tells.

    Raises DataError for a file beside it that can't be read.
    """
    sidecar = columns_file(path)
    if not sidecar.is_file():
        return None
    return conform(parse_json("\n".join(read_lines(sidecar))), _Sidecar).filtered


def _read_sidecar(path: Path) -> tuple[str, ...]:
    try:
        names = conform(parse_json("\n".join(read_lines(path))), _Sidecar).scores
        if len(set(names)) != len(names):
            raise DataError("a name is repeated")
    except DataError as error:
        raise DataError(
            f"the column names are invalid ({error.fault})", '{"scores": [NAME, ...]}', file=path,
            line=error.line,
        ) from error  # fmt: skip
    return tuple(names)


def read_score_names(path: str | Path, num_scores: int) -> tuple[str, ...]:
    """Names of the score columns: the sidecar's, else Moses' four and ``score.N``.

    Raises DataError where the sidecar has another number of columns than the table, a name that no
    line of weights can hold, or one with an underscore.
    """
    sidecar = columns_file(path)
    if sidecar.exists():
        names = _read_sidecar(sidecar)
        check_score_names(names, sidecar)
        if len(names) != num_scores:
            raise DataError(
                f"the file has {pluralize(len(names), 'column name')}, but the table has "
                f"{pluralize(num_scores, 'score')}",
                "one name per column",
                file=sidecar,
            )
        if any(map(is_sparse, names)):
            raise DataError(
                f"the name {next(filter(is_sparse, names))!r} contains an underscore",
                "names without underscores, which mark sparse features",
                file=sidecar,
            )
        return names
    return usual_score_names(num_scores)


def table_score_names(path: str | Path) -> tuple[str, ...]:
    """Names of the scores of a table, without a look into it: the sidecar's, else Moses's four.

    Raises DataError for a sidecar that can't be read.
    """
    sidecar = columns_file(path)
    return _read_sidecar(sidecar) if sidecar.exists() else MOSES_SCORES


def usual_score_names(num_scores: int) -> tuple[str, ...]:
    """Names of score columns that no file names: Moses' four, then ``score.N``."""
    extra = tuple(f"score.{k}" for k in range(len(MOSES_SCORES), num_scores))
    return (MOSES_SCORES + extra)[:num_scores]
