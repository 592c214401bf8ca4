"""N-best lists read line by line, with dictionaries and Python's own numbers."""

import re
import struct
from collections import Counter

Features = list[tuple[str, float]]

SEPARATOR = re.compile(r"(?:^| )\|\|\|(?= |$)|\t\|\|\|(?=\t)")
NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")


class Wrong(Exception):
    """A line that is no hypothesis."""


def single(token: str) -> float:
    if not NUMBER.fullmatch(token):
        raise Wrong(f"no number: {token}")
    value = float(token)
    if abs(value) > (2.0 - 2.0**-23) * 2.0**127:
        raise Wrong(f"too large: {token}")
    return float(struct.unpack("f", struct.pack("f", value))[0])


def grouped(field: str) -> list[tuple[str, list[float]]]:
    """Names as they stand, each with its values."""
    result: list[tuple[str, list[float]]] = []
    open_name = False
    for token in field.replace("\t", " ").split(" "):
        name, _, value = token.rpartition("=")
        if not token:
            continue
        if name:
            result.append((name, [single(value)] if value else []))
            open_name = not value
        elif open_name:
            result[-1][1].append(single(token))
        else:
            raise Wrong(f"no name before {token}")
    if any(not values for _, values in result):
        raise Wrong("a name without value")
    return result


def is_name(text: str) -> bool:
    """Whether an id is the name of an utterance: with a letter, or digits joined by hyphens."""
    if re.search(r"[\s|]", text):
        return False
    joined = re.split("[-_]", text)
    return (len(text) > 1 and any(c.isalpha() for c in text)) or (
        len(joined) > 1 and all(re.fullmatch("[0-9]+", part) for part in joined)
    )


def read(lines: list[str]) -> tuple[list[str], dict[int, list[tuple[str, Features]]]]:
    """Names, dense ones first, and the hypotheses of each sentence."""
    names: dict[str, None] = {}
    sizes: dict[str, int] = {}
    lists: dict[int, list[tuple[str, Features]]] = {}
    seen = set()
    numbers: dict[str, int] = {}
    rows = [[field.strip(" \t\r") for field in SEPARATOR.split(line)] for line in lines]
    named = is_name(rows[0][0])
    for fields in rows:
        if not 3 <= len(fields) <= 6:
            raise Wrong(fields)
        if not (is_name(fields[0]) if named else re.fullmatch("[0-9]{1,18}", fields[0])):
            raise Wrong(f"no id: {fields[0]}")
        features: Features = []
        for name, values in grouped(fields[2]):
            elements = [f"{name}.{k}" for k in range(len(values))]
            if sizes.setdefault(name, len(values)) != len(values):
                raise Wrong(f"another number of values of {name}")
            if len(values) == 1:
                elements = [name]
            elif any(sizes.setdefault(element, 1) != 1 for element in elements):
                raise Wrong(f"an element of {name} is a group")
            features += zip(elements, values, strict=True)
        counts = Counter(name for name, _ in features)
        if any(count > 1 and "_" not in name for name, count in counts.items()):
            raise Wrong("a dense name twice")
        names |= dict.fromkeys(name for name, _ in features)
        sentence = numbers.setdefault(fields[0], len(numbers)) if named else int(fields[0])
        hypotheses = lists.setdefault(sentence, [])
        key = sentence, fields[1], tuple(sorted((name, value) for name, value in features))
        if key not in seen:
            seen.add(key)
            hypotheses.append((fields[1], features))
    return sorted(names, key=lambda name: "_" in name), lists
