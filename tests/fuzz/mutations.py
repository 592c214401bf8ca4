"""Input that has been tampered with: bytes, tokens, lines, values of JSON, members of archives.

All from a ``random.Random``, so that the same seed gives the same bytes everywhere.
"""

import bz2
import gzip
import io
import json
import lzma
import re
import zipfile
from collections.abc import Callable
from copy import deepcopy
from random import Random
from typing import Any

__all__ = ["Mutate", "mutated", "mutated_array", "mutated_json", "mutated_npz"]

Mutate = Callable[[bytes, Random], bytes]

NUMBERS = [
    b"0", b"-0", b"-1", b"1", b"+1", b"01", b".5", b"5.", b"1e5", b"1e-400", b"1e999", b"-1e999",
    b"nan", b"-nan", b"inf", b"-inf", b"Infinity", b"1_000", b"0x10", b"127", b"128", b"255",
    b"256", b"32767", b"32768", b"65535", b"65536", b"2097152", b"16777217", b"2147483647",
    b"2147483648", b"4294967296", b"9007199254740993", b"9223372036854775807",
    b"9223372036854775808", b"-9223372036854775809", b"18446744073709551616", b"3.4e38", b"3.5e38",
    b"1e-46", b"9" * 40, b"9" * 5000, "\u0661".encode(), "\u0967".encode(), "\u00b2".encode(),
    "\uff11".encode(), b"1,5", b"--1", b"1-", b"1e", b"e5", b"1.2.3",
]  # fmt: skip
WORDS = [
    b"", b" ", b"  ", b"\t", b"\n", b"\r", b"\r\n", b"\x00", b"\x0b", b"\x0c", b"\x1c", b"\x7f",
    b"\xff", b"\xc0\x80", b"\xed\xa0\x80", b"\xef\xbb\xbf", b"\xfe\xff", "\u0085".encode(),
    "\u00a0".encode(), "\u2028".encode(), "\u200b".encode(), "\U0001f600".encode(), b"|||",
    b" ||| ", b"|", b"=", b"= ", b":", b"_", b"-", b"#", b"%", b"\\", b'"', b"'", b"<", b">", b"&",
    b"[", b"]", b"{", b"}", b"[" * 3000, b'{"a":' * 3000, b"null", b"true", b"[]", b"{}", b'""',
    b"NaN", b'"\\ud800"', b'"\\u0000"', b"NULL", b"<NULL>", b"<s>", b"</s>", b"<unk>", b"0-0",
    b"99999-0", b"0-99999", b"1p1", b"0-0:nan", b"../../etc", b"/dev/null", b"~", b"${HOME}",
    b"a" * 70000, b"a " * 5000, b" " * 70000, b"0" * 70000 + b"x", b"," * 70000, b"{{LHS " * 10000,
]  # fmt: skip
VALUES: list[Any] = [
    None, True, False, 0, -1, 1, 2**31, 2**63, 2**64, 10**40, 1.5, -0.0, 1e308, float("nan"),
    float("inf"), "", "a", "1", "\x00", "\ud800", "../x", [], [[]], [None], {}, {"a": 1},
    [1, 2, 3], ["a"], "a" * 5000,
]  # fmt: skip
_TOKEN = re.compile(rb"[^\s]+")
_NUMBER = re.compile(rb"[-+]?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?")
_MOST = 3  # changes to an input


def _span(content: bytes, dice: Random) -> tuple[int, int]:
    begin = dice.randrange(len(content) + 1)
    return begin, min(len(content), begin + int(2 ** dice.uniform(0, 8)))


def _flip(content: bytes, dice: Random) -> bytes:
    if not content:
        return b"\x00"
    changed = bytearray(content)
    changed[dice.randrange(len(changed))] ^= 1 << dice.randrange(8)
    return bytes(changed)


def _overwrite(content: bytes, dice: Random) -> bytes:
    begin, end = _span(content, dice)
    return content[:begin] + dice.randbytes(end - begin) + content[end:]


def _delete(content: bytes, dice: Random) -> bytes:
    begin, end = _span(content, dice)
    return content[:begin] + content[end:]


def _repeat(content: bytes, dice: Random) -> bytes:
    begin, end = _span(content, dice)
    return content[:end] + content[begin:end] * dice.choice((1, 2, 50)) + content[end:]


def _cut(content: bytes, dice: Random) -> bytes:
    return content[: dice.randrange(len(content) + 1)]


def _insert(content: bytes, dice: Random) -> bytes:
    begin = dice.randrange(len(content) + 1)
    return content[:begin] + dice.choice(WORDS) + content[begin:]


def _replace(content: bytes, dice: Random, what: re.Pattern[bytes], odd: list[bytes]) -> bytes:
    found = list(what.finditer(content))
    if not found:
        return _insert(content, dice)
    match = dice.choice(found)
    return content[: match.start()] + dice.choice(odd) + content[match.end() :]


def _other_token(content: bytes, dice: Random) -> bytes:
    return _replace(content, dice, _TOKEN, WORDS + NUMBERS)


def _other_number(content: bytes, dice: Random) -> bytes:
    return _replace(content, dice, _NUMBER, NUMBERS)


def _lines(content: bytes, dice: Random) -> bytes:
    """A line that is lost, repeated, moved or joined to the next one."""
    lines = content.split(b"\n")
    row, other = dice.randrange(len(lines)), dice.randrange(len(lines))
    kind = dice.randrange(4)
    if kind == 0:
        del lines[row]
    elif kind == 1:
        lines.insert(other, lines[row])
    elif kind == 2:
        lines[row], lines[other] = lines[other], lines[row]
    else:
        lines[row : row + 2] = [b" ".join(lines[row : row + 2])]
    return b"\n".join(lines)


def _separators(content: bytes, dice: Random) -> bytes:
    old, new = dice.sample([b" ", b"\t", b" ||| ", b"\n", b"\r\n", b"=", b",", b":", b"  "], 2)
    return content.replace(old, new, dice.choice((1, -1)))


def _whole(content: bytes, dice: Random) -> bytes:
    """Another encoding, an archive, or nothing at all."""
    text = content.decode("utf-8", "replace")
    kind = dice.randrange(9)
    if kind < 3:
        return (b"", b"\n", b"\xef\xbb\xbf" + content)[kind]
    if kind < 5:
        return text.encode(("utf-16", "latin-1")[kind - 3], "replace")
    packed = (gzip.compress, bz2.compress, lzma.compress)[kind % 3](content)
    return packed if dice.random() < 0.5 else _cut(packed, dice)


TEXT_MUTATIONS: list[Mutate] = [
    _flip, _overwrite, _delete, _repeat, _cut, _insert, _other_token, _other_token, _other_number,
    _other_number, _other_number, _lines, _lines, _separators, _whole,
]  # fmt: skip


def mutated(content: bytes, dice: Random) -> bytes:
    """Text or bytes with one to three changes."""
    for _ in range(dice.randint(1, _MOST)):
        content = dice.choice(TEXT_MUTATIONS)(content, dice)
    return content


def _places(value: Any) -> list[tuple[Any, Any]]:
    """Containers and keys of all values in a value."""
    pairs: list[tuple[Any, Any]] = []
    items = value.items() if isinstance(value, dict) else enumerate(value)
    for key, below in items:
        pairs.append((value, key))
        if isinstance(below, dict | list):
            pairs += _places(below)
    return pairs


def _other_value(value: Any, dice: Random) -> Any:
    places = _places(value) if isinstance(value, dict | list) else []
    if not places:
        return deepcopy(dice.choice(VALUES))
    container, key = dice.choice(places)
    kind = dice.randrange(6)
    if kind == 0:
        del container[key]
    elif kind == 1:
        below, other = dice.choice(places)
        container[key] = json.loads(json.dumps(below[other])) if other in below else None
    elif kind == 2 and isinstance(container, dict):
        container[f"{key}{dice.choice(('', ' ', 'x', chr(0)))}"] = container.pop(key)
    elif isinstance(container[key], str) and kind == 3:
        container[key] = mutated(container[key].encode(errors="replace"), dice).decode(
            errors="replace"
        )
    else:
        container[key] = deepcopy(dice.choice(VALUES))
    return value


def mutated_json(content: bytes, dice: Random) -> bytes:
    """JSON, or lines of JSON, with other values of it; sometimes with other text."""
    if dice.random() < 0.3:
        return mutated(content, dice)
    try:
        documents, several = [json.loads(content)], False
    except ValueError:
        documents, several = [json.loads(line) for line in content.splitlines()], True
    for _ in range(dice.randint(1, _MOST)):
        row = dice.randrange(len(documents))
        documents[row] = _other_value(documents[row], dice)
    end = "\n" if several or content.endswith(b"\n") else ""
    return ("\n".join(map(json.dumps, documents)) + end).encode()


def _rearranged(header: bytes, values: bytes, dice: Random) -> bytes:
    """The numbers of an array in another order, or one of them in place of all."""
    form = re.search(rb"[<>|][a-zA-Z]([0-9]+)", header)
    size = int(form[1]) if form else 1
    numbers = [values[at : at + size] for at in range(0, len(values), size)]
    if dice.random() < 0.5:
        dice.shuffle(numbers)
        return b"".join(numbers)
    return dice.choice(numbers) * len(numbers)


def mutated_array(content: bytes, dice: Random) -> bytes:
    """An .npy file with another header or other numbers; mostly one that can be read."""
    lead = 10 + int.from_bytes(content[8:10], "little")
    header, values = content[10:lead], content[lead:]
    kind = dice.randrange(5)
    if kind == 0:
        return mutated(content, dice)
    if kind == 4 and values:
        return content[:lead] + _rearranged(header, values, dice)
    if kind == 1:
        old, new = dice.choice([
            (b"<i8", b"<f8"), (b"<i8", b"<u8"), (b"<i8", b">i8"), (b"<f8", b"<i8"),
            (b"<f4", b"<i4"), (b"<f4", b">f4"), (b"<i4", b"<u4"), (b"|u1", b"|i1"),
            (b"|u1", b"|b1"),
            (b"<", b"|O"), (b"False", b"True"), (b"(", b"(1, "), (b"(", b"(0, "), (b"(", b"(-1, "),
            (b"(", b"(99999999999, "), (b"shape", b"shapes"), (b"}", b""),
        ])  # fmt: skip
        header = header.replace(old, new, 1)
        header = header.rstrip(b"\n ").ljust(lead - 11) + b"\n"
        return content[:8] + len(header).to_bytes(2, "little") + header + values
    if not values:
        return content + dice.randbytes(8)
    changed = bytearray(values)
    width = dice.choice((1, 2, 4, 8))
    at = dice.randrange(0, len(changed), width)
    odd = [b"\x00", b"\xff", b"\x7f", b"\x80", b"\x01"]
    changed[at : at + width] = (dice.choice(odd) * width if kind == 2 else dice.randbytes(width))[
        : len(changed) - at
    ]
    return content[:lead] + bytes(changed)


def mutated_npz(content: bytes, dice: Random) -> bytes:
    """An .npz file with another member, whose checksum is right; sometimes with other bytes."""
    if dice.random() < 0.2:
        return mutated(content, dice)
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    name = dice.choice(sorted(members))
    kind = dice.randrange(8)
    if kind == 0:
        del members[name]
    elif kind == 1:
        members[name] = members[dice.choice(sorted(members))]
    elif name == "header.npy" and kind < 6:
        lead = 10 + int.from_bytes(members[name][8:10], "little")
        text = mutated_json(members[name][lead:], dice)
        form = b"{'descr': '|u1', 'fortran_order': False, 'shape': (%d,), }" % len(text)
        form = form.ljust(117) + b"\n"
        members[name] = b"\x93NUMPY\x01\x00" + len(form).to_bytes(2, "little") + form + text
    else:
        members[name] = mutated_array(members[name], dice)
    result = io.BytesIO()
    with zipfile.ZipFile(result, "w") as archive:
        for member, data in members.items():
            archive.writestr(zipfile.ZipInfo(member), data)
    return result.getvalue()
