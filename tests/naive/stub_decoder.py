"""A decoder for tests: it has a fixed list, which it scores under the weights that it is given.

    stub_decoder.py LIST WEIGHTS SIZE [--source FILE] [--to FILE] [--trouble KIND] [--calls FILE]

It writes the SIZE best hypotheses of each line of the source, like Moses, and knows weights as
`NAME value` lines and in a moses.ini. With --calls it counts how often it was run, and makes
trouble in the first call only.
"""

import argparse
import signal
import sys
import time
from pathlib import Path


def read_weights(path):
    lines = Path(path).read_text().splitlines()
    if "[weight]" in lines:
        lines = lines[lines.index("[weight]") + 1 :]
    weights = {}
    for line in lines:
        name, *values = line.replace("=", " ").split()
        for number, value in enumerate(values):
            weights[f"{name}.{number}" if len(values) > 1 else name] = float(value)
    return weights


def score(features, weights):
    total, name, number = 0.0, "", 0
    values = features.split()
    for k, value in enumerate(values):
        if value.endswith("="):
            name, number = value[:-1], 0
            grouped = k + 2 < len(values) and not values[k + 2].endswith("=")
            continue
        total += float(value) * weights.get(f"{name}.{number}" if grouped else name, 0.0)
        number += 1
    return total


def nbest(path, weights, size, count):
    hypotheses = [[] for _ in range(count)]
    for line in Path(path).read_text().splitlines():
        number, text, features, *_ = (field.strip() for field in line.split("|||"))
        hypotheses[int(number)].append((-score(features, weights), text, features))
    for number, rows in enumerate(hypotheses):
        for total, text, features in sorted(rows, key=lambda row: row[0])[:size]:
            yield f"{number} ||| {text} ||| {features} ||| {-total:g}"


def trouble(kind, lines):
    """The lines that are written all the same."""
    if kind == "fail":
        print("reading the table\n\x1b[31mno memory left", file=sys.stderr)
        sys.exit(3)
    if kind == "signal":
        signal.raise_signal(signal.SIGKILL)
    if kind == "sleep":
        print("loading", file=sys.stderr, flush=True)
        Path("begun").touch()
        time.sleep(600)
        Path("ended").touch()
    if kind == "short":
        return [line for line in lines if not line.startswith("1 ")]
    return {"garbled": ["0 ||| a b ||| x= one"], "empty": []}.get(kind, lines)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("list")
    parser.add_argument("weights")
    parser.add_argument("size", type=int)
    for name in ("--source", "--to", "--trouble", "--calls"):
        parser.add_argument(name, default="")
    given = parser.parse_args()
    source = Path(given.source).read_text() if given.source else sys.stdin.read()
    lines = list(nbest(given.list, read_weights(given.weights), given.size, source.count("\n")))
    calls = 0
    if given.calls:
        calls = len(Path(given.calls).read_text()) if Path(given.calls).exists() else 0
        Path(given.calls).write_text("x" * (calls + 1))
    if not calls:
        lines = trouble(given.trouble, lines)
    if given.trouble == "nothing":
        return
    output = "".join(f"{line}\n" for line in lines)
    if given.to:
        Path(given.to).write_text(output)
        print("translations go here")
    else:
        print(output, end="")


main()
