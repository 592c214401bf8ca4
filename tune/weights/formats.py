"""Weights in the formats of other programs: Moses (dense, sparse, moses.ini), cdec, Travatar."""

from collections.abc import Iterator
from pathlib import Path

from isogloss.align.files.outputs import output_path
from isogloss.align.files.writers import atomic_file, atomic_files, write_lines
from isogloss.features.space import is_sparse

from .lines import MARKS, check_line_names, grouped
from .moses_ini import MosesIni, read_moses_ini
from .weights import Weights, check_weight_names, weights_as_json

__all__ = [
    "WEIGHT_FORMATS",
    "format_weights",
    "sparse_weights_file",
    "update_moses_ini",
    "write_weights_as",
]

WEIGHT_FORMATS = ("json", "moses", "moses-sparse", "cdec", "travatar")
SPARSE_SUFFIX = ".sparse-weights"


def format_weights(weights: Weights, format: str) -> Iterator[str]:
    """Lines of a file in a format of WEIGHT_FORMATS.

    moses: ``NAME= v v``, dense features only; moses-sparse: ``NAME v``, sparse ones only;
    cdec: ``NAME v``; travatar: ``NAME=v``.

    Raises DataError for a name that can't stand in such a line.
    """
    if format == "json":
        check_weight_names(weights, None)
        yield from weights_as_json(dict(weights.items()))
        return
    check_line_names(weights, format)
    mark = MARKS[format]
    if format == "moses":
        dense = {name: value for name, value in weights.items() if not is_sparse(name)}
        for name, values in grouped(dense).items():
            yield f"{name}{mark}{' '.join(map(repr, values))}"
    else:
        for name, value in weights.items():
            if format != "moses-sparse" or is_sparse(name):
                yield f"{name}{mark}{value!r}"


def write_weights_as(weights: Weights, path: str | Path | None, format: str) -> None:
    """Write weights in a format of WEIGHT_FORMATS; see :func:`format_weights`.

    Raises DataError for names that the format can't hold.
    """
    write_lines(list(format_weights(weights, format)), path)


def sparse_weights_file(ini: str | Path) -> Path:
    """Where the sparse weights of a moses.ini go that is written: ``INI.sparse-weights``."""
    return Path(f"{ini}{SPARSE_SUFFIX}")


def update_moses_ini(
    ini: str | Path | MosesIni, weights: Weights, output: str | Path
) -> tuple[list[str], Path | None]:
    """Write a moses.ini with other weights, which may take its place; the rest keeps its bytes.

    Dense weights go to [weight], where features that ``weights`` lacks keep theirs. Sparse ones go
    to ``OUTPUT.sparse-weights``, which [weight-file] then names; it is written where there are
    any, or where the moses.ini names such a file. Both files are written or none.

    Returns the names that keep their weights, and the file of sparse weights, if any.

    Raises DataError as :meth:`isogloss.tune.weights.moses_ini.MosesIni.updated` does.
    """
    given = ini if isinstance(ini, MosesIni) else read_moses_ini(ini)
    sparse = list(format_weights(weights, "moses-sparse"))
    dense = {name: value for name, value in weights.items() if not is_sparse(name)}
    output = Path(output)
    beside = output_path(sparse_weights_file(output))
    beside_needed = bool(sparse) or given.has_weight_file
    lines, kept = given.updated(grouped(dense), beside if beside_needed else None)
    content = "\n".join(lines).encode()
    if not beside_needed:
        with atomic_file(output) as stream:
            stream.write(content)
        return kept, None
    with atomic_files(output, beside) as (stream, other):
        stream.write(content)
        other.write("".join(f"{line}\n" for line in sparse).encode())
    return kept, beside
