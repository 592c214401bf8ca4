"""Scripture Burrito alignments: records of token ids in JSON, by files that list the ids of words.

The format is version 0.3 of the alignment specification of bible-technology: records by themselves
or in groups, whose references stand under their roles or in the order of the roles of the group.
"""

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...errors import DataError, pluralize, shown, warn
from ...files.records import parse_json, read_bounded
from ...files.text_io import iter_lines, split_tokens
from ..links import Links

__all__ = ["TokenIds", "burrito_lines", "read_burrito"]

_ROLES = ("source", "target")
_VERSION = "0.3"
_REJECTED = "rejected"  # the status of records that a person has refused
_SHAPE = 'an object with "records" or "groups", as in Scripture Burrito alignments'


class TokenIds:
    """The token ids of the words of a text, a line for each sentence.

    Parameters
    ----------
    path : str or Path
        Ids of each line, separated by spaces.

    Raises
    ------
    DataError
        If the file can't be read, or an id occurs twice.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = path
        self.lines = [split_tokens(line) for line in iter_lines(path)]
        self.places: dict[str, tuple[int, int]] = {}
        for number, tokens in enumerate(self.lines):
            for position, token in enumerate(tokens):
                if self.places.setdefault(token, (number, position)) != (number, position):
                    raise DataError(
                        f"the token id {token!r} occurs twice",
                        f"ids that differ; the first is on line {self.places[token][0] + 1}",
                        file=path, line=number + 1, remedy="Remove one of them",
                    )  # fmt: skip

    @property
    def lengths(self) -> NDArray[np.int64]:
        """Words of each line: int64[num_pairs]."""
        return np.array([len(tokens) for tokens in self.lines], np.int64)


def read_burrito(path: str | Path, source: TokenIds, target: TokenIds) -> Links:
    """Read the links of a file between words whose ids are known.

    Each token of a record's source is linked with each of its target. Records that a person has
    rejected are omitted.

    Warns (DataWarning) of ids that no line has, and of records between different lines. Raises
    DataError for another shape, for two texts of different lengths, and if no id is known.
    """
    _check_lengths(source, target)
    pairs: list[list[tuple[int, int]]] = [[] for _ in source.lines]
    unknown, known, apart = dict[str, None](), 0, 0
    for units in _records(path):
        places = []
        for ids, unit in zip((source, target), units, strict=True):
            unknown |= dict.fromkeys(token for token in unit if token not in ids.places)
            places.append([ids.places[token] for token in unit if token in ids.places])
            known += len(places[-1])
        cells = [(left, right) for left in places[0] for right in places[1]]
        apart += any(left[0] != right[0] for left, right in cells)
        for (line, i), (other, j) in cells:
            if line == other:
                pairs[line].append((i, j))
    if unknown and not known:
        raise DataError(
            f"no token id is known (first: {next(iter(unknown))!r})",
            f"ids of {source.path} and {target.path}", file=path,
            remedy="Write the ids as in the JSON file, with all digits and letters",
        )  # fmt: skip
    _warn(path, unknown, apart)
    return Links.from_pairs(pairs)


def _check_lengths(source: TokenIds, target: TokenIds) -> None:
    if len(source.lines) != len(target.lines):
        raise DataError(
            f"the file has {pluralize(len(target.lines))} of token ids, but {source.path} has "
            f"{len(source.lines)}",
            "two files with one line per sentence pair", file=target.path,
            remedy="Write an empty line for a verse that one text lacks",
        )  # fmt: skip


def _warn(path: str | Path, unknown: dict[str, None], apart: int) -> None:
    """Warn of what has been left out."""
    if unknown:
        warn(
            f"{path}: {pluralize(len(unknown), 'token id', 'is')} in no line of ids (first: "
            f"{next(iter(unknown))!r}); links of these tokens are omitted"
        )
    if apart:
        warn(
            f"{path}: {pluralize(apart, 'record', 'links')} tokens of different lines; these "
            "links are omitted"
        )


def _records(path: str | Path) -> Iterator[tuple[list[str], list[str]]]:
    """Source and target ids of each record that is not rejected."""
    try:
        content = parse_json(read_bounded(path))
    except DataError as error:
        raise error.placed(path, remedy="Export the alignment again") from None
    groups = content.get("groups", [content]) if isinstance(content, dict) else []
    if not isinstance(groups, list) or not groups:
        raise _odd("the JSON has no groups of records", _SHAPE, path)
    for group in groups:
        records = group.get("records") if isinstance(group, dict) else None
        if not isinstance(records, list):
            raise _odd("the JSON has no list of records", _SHAPE, path)
        roles = group.get("roles", list(_ROLES))
        if not isinstance(roles, list) or sorted(map(str, roles)) != sorted(_ROLES):
            raise _odd(f"the roles are {shown(roles)}", "source and target", path)
        for number, record in enumerate(records, start=1):
            yield from _units(record, roles, f"record {number}", path)


def _units(
    record: Any, roles: list[str], name: str, path: str | Path
) -> Iterator[tuple[list[str], list[str]]]:
    """The ids of a record, or nothing of one that is rejected."""
    if not isinstance(record, dict):
        raise _odd(f"{name} is {shown(record)}", "an object", path)
    meta = record.get("meta")
    if isinstance(meta, dict) and meta.get("status") == _REJECTED:
        return
    units = record
    if "references" in record:
        listed = record["references"]
        if not isinstance(listed, list) or len(listed) != len(roles):
            raise _odd(f"the references of {name} are {shown(listed)}", "a list of two", path)
        units = dict(zip(roles, listed, strict=True))
    yield _ids(units.get("source"), name, path), _ids(units.get("target"), name, path)


def _ids(unit: Any, name: str, path: str | Path) -> list[str]:
    """The token ids of a source or a target, which may stand below ``selectors``."""
    ids = unit.get("selectors") if isinstance(unit, dict) else unit
    if not isinstance(ids, list) or not all(isinstance(token, str) for token in ids):
        raise _odd(f"the source or target of {name} is {shown(unit)}", "a list of token ids", path)
    return ids


def _odd(seen: str, expected: str, path: str | Path) -> DataError:
    remedy = "Export the alignment as Scripture Burrito JSON"
    return DataError(seen, expected, file=path, remedy=remedy)


def burrito_lines(
    links: Links, source: TokenIds, target: TokenIds, origin: str, file: str | Path | None = None
) -> Iterator[str]:
    """The lines of a JSON file with a record for each group of words that are linked.

    origin: of the links, such as "manual"; file: of the links, for messages

    Raises DataError for links outside of the ids.
    """
    _check_lengths(source, target)
    links.check_range(source.lengths, target.lengths, file)
    group = {
        "meta": {"conformsTo": _VERSION, "creator": "isogloss"},
        "roles": list(_ROLES),
        "type": "translation",
    }
    yield json.dumps(group, ensure_ascii=False)[:-1] + ', "records": ['
    last = ""
    for number, pair in enumerate(links):
        for count, (left, right) in enumerate(_blocks(pair), start=1):
            record = {
                "source": [source.lines[number][i] for i in left],
                "target": [target.lines[number][j] for j in right],
                "meta": {
                    "id": f"{number + 1}.{count:03d}", "origin": origin, "status": "created",
                },
            }  # fmt: skip
            if last:
                yield last + ","
            last = json.dumps(record, ensure_ascii=False)
    if last:
        yield last
    yield "]}"


def _blocks(pair: Iterable[tuple[int, int]]) -> Iterator[tuple[list[int], list[int]]]:
    """Words that are linked with the same words on the other side, whose links are the pair's."""
    rows: dict[int, list[int]] = {}
    for i, j in pair:
        rows.setdefault(i, []).append(j)
    same: dict[tuple[int, ...], list[int]] = {}
    for i, row in rows.items():
        same.setdefault(tuple(row), []).append(i)
    for right, left in same.items():
        yield left, list(right)
