"""What sentence pairs count: P(D | f, e) and instance weights, as files."""

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from isogloss.align.domains.posteriors import parse_posteriors
from isogloss.align.errors import DataError, pluralize
from isogloss.align.files.numerals import parse_number
from isogloss.align.text.readers import read_lines

__all__ = ["read_instance_weights", "read_posteriors"]

SMALLEST, LARGEST = 1e-9, 1e9  # weight of a sentence pair


def _numbers(fields: list[str], path: str | Path, line: int, expected: str) -> list[float]:
    try:
        return [parse_number(field) for field in fields]
    except ValueError:
        raise DataError(
            f"the line {chr(9).join(fields)[:120]!r} is malformed", expected, file=path, line=line
        ) from None


def read_posteriors(
    path: str | Path, num_pairs: int
) -> tuple[tuple[str, ...], NDArray[np.float64]]:
    """Read the TSV of ``align --posteriors`` and ``isogloss domains predict``.

    Returns the domains, and P(D | f, e) of each sentence pair: float64[num_pairs, D].

    Raises DataError for another number of lines than sentence pairs and one, a line with another
    number of columns, or one that doesn't hold probabilities.
    """
    lines = read_lines(path)
    if lines and len(lines) != num_pairs + 1:
        raise DataError(
            f"the file has {pluralize(len(lines))}",
            f"{num_pairs + 1}: domain names, then one line per sentence pair",
            file=path,
            remedy="Pass the posteriors of this text, as written by `isogloss domains predict`",
        )
    table = parse_posteriors(lines, path)
    for name in table.domains:
        if "=" in name or name == "|||":
            raise DataError(
                f"the domain {name!r} can't be part of the name of a score", "names without '='",
                file=path, line=1,
            )  # fmt: skip
    return table.domains, table.posterior


def read_instance_weights(path: str | Path, num_pairs: int) -> NDArray[np.float64]:
    """Read one weight per line, as Moses' ``--instance-weights-file``: float64[num_pairs].

    Raises DataError for another number of lines, or a line that holds no weight from 1e-9 to 1e9:
    counts are sums of weights, in single precision at the end.
    """
    lines = read_lines(path)
    if len(lines) != num_pairs:
        seen = f"the file has {pluralize(len(lines), 'weight')}"
        raise DataError(seen, f"{num_pairs}, one per sentence pair", file=path)
    expected = f"one weight per line, between {SMALLEST:g} and {LARGEST:g}"
    result = np.empty(num_pairs)
    for number, line in enumerate(lines):
        (result[number], *rest) = _numbers([line.strip()], path, number + 1, expected)
        if rest or not SMALLEST <= result[number] <= LARGEST:
            raise DataError(
                f"the line {line[:120]!r} is malformed", expected, file=path, line=number + 1
            )
    return result
