"""Scripture Burrito alignments: records of token ids in JSON, by files that list the ids of words.

The format is version 0.3 of the alignment specification of bible-technology: records by themselves
or in groups, whose references stand under their roles or in the order of the roles of the group.
Links are read to keys, as in ``Links.keys``.
"""

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from ...errors import DataError, pluralize, shown, warn
from ...files.records import parse_json
from ...files.text_io import iter_lines, split_tokens
from .kernels.pharaoh import LONGEST, PAIR_SHIFT, SOURCE_SHIFT
from .pharaoh import outside_pair

__all__ = [
    "BurritoFrame",
    "TokenIds",
    "burrito_keys",
    "burrito_records",
    "read_token_ids",
]

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
        If the file can't be read, an id occurs twice, or a line is too long for links.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = path
        self.lines = [split_tokens(line) for line in iter_lines(path)]
        self.places: dict[str, tuple[int, int]] = {}
        for number, tokens in enumerate(self.lines):
            if len(tokens) > LONGEST:
                raise DataError(
                    f"the line has {len(tokens)} token ids", f"at most {LONGEST}, as links have",
                    file=path, line=number + 1, remedy="Write one line per sentence",
                )  # fmt: skip
            for position, token in enumerate(tokens):
                if self.places.setdefault(token, (number, position)) != (number, position):
                    raise DataError(
                        f"the token id {token!r} occurs twice",
                        f"ids that differ; the first is on line {self.places[token][0] + 1}",
                        file=path, line=number + 1, remedy="Remove one of them",
                    )  # fmt: skip

    def __len__(self) -> int:
        return len(self.lines)

    def check_size(self, num_pairs: int, file: str | Path | None = None) -> None:
        """Raise DataError for another number of lines than a text. file: that has this number"""
        if len(self) != num_pairs:
            raise DataError(
                f"the file has {pluralize(len(self))} of token ids, but {file or 'the text'} has "
                f"{num_pairs}",
                "one line per sentence pair", file=self.path,
                remedy="Write an empty line for a verse that one text lacks",
            )  # fmt: skip


def read_token_ids(source: str | Path, target: str | Path) -> tuple[TokenIds, TokenIds]:
    """The token ids of both sides of a text.

    Raises DataError as :class:`TokenIds`, and for files with different numbers of lines.
    """
    ids = TokenIds(source), TokenIds(target)
    ids[1].check_size(len(ids[0]), source)
    return ids


def burrito_keys(
    lines: Iterable[str], path: str | Path | None, ids: tuple[TokenIds, TokenIds]
) -> list[int]:
    """Keys of the links between words whose ids are known.

    Each token of a record's source is linked with each of its target. Records that a person has
    rejected are omitted.

    Warns (DataWarning) of ids that no line has, and of records between different lines. Raises
    DataError for another shape, and if no id of a side is known.
    """
    keys: list[int] = []
    unknown, known, apart = (dict[str, None](), dict[str, None]()), [0, 0], 0
    for units in _records(lines, path):
        places = []
        for k, (side, unit) in enumerate(zip(ids, units, strict=True)):
            unknown[k].update(dict.fromkeys(token for token in unit if token not in side.places))
            places.append([side.places[token] for token in unit if token in side.places])
            known[k] += len(places[-1])
        cells = [(left, right) for left in places[0] for right in places[1]]
        apart += any(left[0] != right[0] for left, right in cells)
        for (line, i), (other, j) in cells:
            if line == other:
                keys.append(line << PAIR_SHIFT | i << SOURCE_SHIFT | j)
    _check_known(path, ids, unknown, known)
    _warn(path, unknown[0] | unknown[1], apart)
    return keys


def _check_known(
    path: str | Path | None,
    ids: tuple[TokenIds, TokenIds],
    unknown: tuple[dict[str, None], dict[str, None]],
    known: list[int],
) -> None:
    """Raise DataError if a side has token ids, but none of them is known."""
    for role, side, tokens, count in zip(_ROLES, ids, unknown, known, strict=True):
        if tokens and not count:
            raise DataError(
                f"no token id of a {role} is known (first: {next(iter(tokens))!r})",
                f"ids of {side.path}", file=path,
                remedy="Pass the ids of this text, written as in the JSON file",
            )  # fmt: skip


def _warn(path: str | Path | None, unknown: dict[str, None], apart: int) -> None:
    """Warn of what has been left out."""
    where = path or "links"
    if unknown:
        warn(
            f"{where}: {pluralize(len(unknown), 'token id', 'is')} in no line of ids (first: "
            f"{next(iter(unknown))!r}); links of these tokens are omitted",
        )
    if apart:
        warn(
            f"{where}: {pluralize(apart, 'record', 'links')} tokens of different lines; these "
            "links are omitted",
        )


def _records(
    lines: Iterable[str], path: str | Path | None
) -> Iterator[tuple[list[str], list[str]]]:
    """Source and target ids of each record that is not rejected."""
    try:
        content = parse_json("\n".join(lines))
    except DataError as error:
        raise error.placed(path or "links", remedy="Export the alignment again") from None
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
    record: Any, roles: list[str], name: str, path: str | Path | None
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


def _ids(unit: Any, name: str, path: str | Path | None) -> list[str]:
    """The token ids of a source or a target, which may stand below ``selectors``."""
    ids = unit.get("selectors") if isinstance(unit, dict) else unit
    if not isinstance(ids, list) or not all(isinstance(token, str) for token in ids):
        raise _odd(f"the source or target of {name} is {shown(unit)}", "a list of token ids", path)
    return ids


def _odd(seen: str, expected: str, path: str | Path | None) -> DataError:
    remedy = "Export the alignment as Scripture Burrito JSON"
    return DataError(seen, expected, file=path, remedy=remedy)


def burrito_records(
    pairs: Iterable[Iterable[tuple[int, int]]],
    ids: tuple[TokenIds, TokenIds],
    origin: str,
    first: int = 0,
) -> Iterator[str]:
    """A record for each group of words that are linked, a line each; see :class:`BurritoFrame`.

    origin: of the links, such as "manual"; first: number of the first pair

    Raises DataError for links outside of the ids.
    """
    for number, pair in enumerate(pairs, start=first):
        source, target = (side.lines[number] if number < len(side) else [] for side in ids)
        for count, (left, right) in enumerate(_blocks(pair), start=1):
            last = max(left), max(right)
            if last[0] >= len(source) or last[1] >= len(target):
                raise outside_pair(last, (len(source), len(target)), ids[0].path, number + 1)
            record = {
                "source": [source[i] for i in left],
                "target": [target[j] for j in right],
                "meta": {
                    "id": f"{number + 1}.{count:03d}", "origin": origin, "status": "created",
                },
            }  # fmt: skip
            yield json.dumps(record, ensure_ascii=False)


class BurritoFrame:
    """The lines of a JSON file whose records come a part of the text after the other."""

    def __init__(self) -> None:
        group = {
            "meta": {"conformsTo": _VERSION, "creator": "isogloss"},
            "roles": list(_ROLES),
            "type": "translation",
        }
        self._last, self._comma = json.dumps(group, ensure_ascii=False)[:-1] + ', "records": [', ""

    def add(self, records: Iterable[str]) -> Iterator[str]:
        """The lines before the last of these records, which stays until it is known if one follows.

        records: as :func:`burrito_records` makes them
        """
        for record in records:
            yield self._last + self._comma
            self._last, self._comma = record, ","

    def end(self) -> Iterator[str]:
        """The last lines."""
        yield self._last
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
