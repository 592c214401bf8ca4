"""The file beside a table that names its scores."""

from pathlib import Path

from msgspec import Struct

from align.errors import DataError
from align.files.records import Name, conform, parse_json
from align.files.text_io import read_lines

from ..space import is_sparse

__all__ = ["MOSES_SCORES", "columns_file", "read_score_names", "sidecars"]

MOSES_SCORES = ("p(f|e)", "lex(f|e)", "p(e|f)", "lex(e|f)")

_COMPRESSED = (".gz", ".bz2", ".xz", ".zst")


def columns_file(path: str | Path) -> Path:
    """Path of the file that names the scores of a table: ``TABLE.columns.json``."""
    path = Path(path)
    return Path(f"{path.with_suffix('') if path.suffix in _COMPRESSED else path}.columns.json")


def sidecars(path: str | Path) -> list[Path]:
    """The file that names the scores of a table, where there is one: it is read with the table.

    Tables that are called the same but for how they are compressed share it.
    """
    sidecar = columns_file(path)
    return [sidecar] if sidecar.exists() else []


class _Sidecar(Struct):
    scores: list[Name]


def _read_sidecar(path: Path) -> tuple[str, ...]:
    try:
        names = conform(parse_json("\n".join(read_lines(path))), _Sidecar).scores
        if len(set(names)) != len(names):
            raise DataError("a name that comes twice")
    except DataError as error:
        raise DataError(
            f"no column names ({error.fault})", '{"scores": [NAME, ...]}', file=path,
            line=error.line,
        ) from error  # fmt: skip
    return tuple(names)


def read_score_names(path: str | Path, num_scores: int) -> tuple[str, ...]:
    """Names of the score columns: the sidecar's, else Moses' four and ``score.N``.

    Raises DataError where the sidecar has another number of columns than the table, or a name with
    an underscore.
    """
    sidecar = columns_file(path)
    if sidecar.exists():
        names = _read_sidecar(sidecar)
        if len(names) != num_scores:
            raise DataError(
                f"{len(names)} column names, but the table has {num_scores} scores",
                "one name per column",
                file=sidecar,
            )
        if any(map(is_sparse, names)):
            raise DataError(
                f"the name {next(filter(is_sparse, names))!r}",
                "names without underscores: with one, a feature is sparse",
                file=sidecar,
            )
        return names
    extra = tuple(f"score.{k}" for k in range(len(MOSES_SCORES), num_scores))
    return (MOSES_SCORES + extra)[:num_scores]
