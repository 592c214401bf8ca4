"""Domains of pairs: labels in files of their own, and seed samples."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ..errors import DataError, pluralize
from ..files.records import is_name
from ..files.text_io import read_lines
from .bitext import UNLABELED

__all__ = [
    "check_seed_size",
    "domains_of",
    "match_labels",
    "read_label_names",
    "read_labels",
    "read_seed_sample",
]

MAX_DOMAINS = 32767  # labels are int16
MINIMUM_SEED_PAIRS = 2  # one pair tells nothing about how usage varies in a domain


def read_labels(
    path: str | Path, num_pairs: int, allowed: Sequence[str] | None = None
) -> tuple[NDArray[np.int16], tuple[str, ...]]:
    """Read one domain name, or ``-`` for unknown, per line.

    Returns labels int16[num_pairs] and the domain names in alphabetical order.

    Raises DataError for a wrong number of lines, a blank in a name, a name that is not
    ``allowed`` (default: all are), a domain with one pair only, more than 32,767 domains.
    """
    names = read_label_names(path, num_pairs)
    for number, name in enumerate(names, start=1):
        if allowed is not None and name != "-" and name not in allowed:
            raise DataError(
                f"unknown domain {name!r}", f"one of {', '.join(allowed)}, or -", file=path,
                line=number, remedy="Correct the name, or add it to the domains",
            )  # fmt: skip
    domains = domains_of(names, path)
    return match_labels(names, domains, path), domains


def read_label_names(path: str | Path, num_pairs: int) -> list[str]:
    """The lines of :func:`read_labels`, also of domains with one pair. Raises DataError as it."""
    names = [line.strip(" \t") for line in read_lines(path)]
    if len(names) != num_pairs:
        raise DataError(
            f"the file has {pluralize(len(names), 'label')}",
            f"{num_pairs}, one per sentence pair",
            file=path,
            line=min(len(names), num_pairs) + 1,
            remedy="Use - for a pair whose domain is unknown",
        )
    for number, name in enumerate(names, start=1):
        if not is_name(name):
            raise DataError(
                f"the label {name!r} is malformed", "one domain name, or -, per line", file=path,
                line=number, remedy="Use - for an unknown domain, and remove spaces from names",
            )  # fmt: skip
    return names


def domains_of(
    names: Sequence[str], path: str | Path, rows: NDArray[np.int64] | None = None
) -> tuple[str, ...]:
    """The domains of pairs, in alphabetical order. Raises DataError for one with one pair only.

    rows: numbers of the pairs in the file, int64[n]; None = they are all its pairs
    """
    counts = Counter(names)
    domains = tuple(sorted(counts.keys() - {"-"}))
    for domain in domains:
        if counts[domain] < MINIMUM_SEED_PAIRS:
            place = names.index(domain)
            line = (place if rows is None else int(rows[place])) + 1
            raise _too_small(counts[domain], domain, path, line)
    return domains


def match_labels(
    names: Sequence[str], domains: Sequence[str], file: str | Path | None = None
) -> NDArray[np.int16]:
    """Labels int16[n] of domain names; ``-`` gives -1. Raises DataError for too many domains."""
    if len(domains) > MAX_DOMAINS:
        raise DataError(
            f"there are {len(domains)} domains", f"at most {MAX_DOMAINS}", file=file,
            remedy="Check the labels: a domain needs hundreds of pairs",
        )  # fmt: skip
    number = {domain: k for k, domain in enumerate(domains)} | {"-": UNLABELED}
    return np.array([number[name] for name in names], np.int16)


def _too_small(count: int, domain: str, file: str | Path, line: int) -> DataError:
    return DataError(
        f"the domain {domain!r} has {pluralize(count, 'seed pair')}",
        f"at least {MINIMUM_SEED_PAIRS}",
        file=file,
        line=line,
        remedy="Add pairs of that domain (several hundred work well), or remove it",
    )


def read_seed_sample(option: str) -> tuple[str, Path, Path | None]:
    """Take ``NAME=SRC,TGT`` or ``NAME=FILE`` apart.

    Raises DataError for any other text.
    """
    name, equals, files = option.partition("=")
    source, comma, target = files.partition(",")
    if not (name and equals and source) or (comma and not target) or name == "-":
        raise DataError(
            f"the seed sample {option!r} is malformed",
            "NAME=SRC,TGT with two line-aligned files, or NAME=FILE with one bitext",
        )
    if not is_name(name):
        raise DataError(
            f"the name in seed sample {option!r} is invalid", "a printable name without spaces"
        )
    return name, Path(source), Path(target) if comma else None


def check_seed_size(count: int, domain: str, file: str | Path) -> None:
    """Raise DataError where a seed sample is too small to tell its domain apart."""
    if count < MINIMUM_SEED_PAIRS:
        raise _too_small(count, domain, file, 1)
