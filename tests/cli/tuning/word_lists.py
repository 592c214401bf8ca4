"""Lists whose feature ``good`` tells how many words are right, and how to tune from them."""

import gzip
import json

import numpy as np

from isogloss import program

WORDS = ["a", "b", "c", "d", "e", "f", "g", "h"]
SENTENCES = 12


def hypotheses(seed=1):
    """Sentences of (words, features): the feature ``good`` tells how many words are right."""
    rng = np.random.default_rng(seed)
    for _ in range(SENTENCES):
        truth = [str(word) for word in rng.permutation(WORDS)]
        candidates = []
        for errors in rng.permutation(6).tolist():
            words = ["x"] * errors + truth[errors:]
            candidates.append(
                (words, {"good": 8.0 - errors + rng.normal(0, 0.3), "bad": float(errors)})
            )
        yield truth, candidates


def run(folder, *options, status=0, lists=("list",)):
    arguments = ["tune", *(str(folder / name) for name in lists), *map(str, options)]
    assert program.main(arguments) == status


def options(folder, *more):
    return ("--refs", folder / "ref", "-w", folder / "start", *more)


ONLINE = ("--rate", "0.2", "--batch-size", "2")
FAST = {
    "mert": ("--random-walks", "2", "--random-restarts", "1"),
    "lp-mert": (),
    "mira": ("--epochs", "3"),
    "arow": (),
    "ramp": (*ONLINE, "--gain-scale", "20"),  # hope and fear are the model's best without
}


def records(folder, with_metrics=True):
    lines = []
    for number, (truth, candidates) in enumerate(hypotheses()):
        hyps = [
            {"text": " ".join(words), "features": values,
             "metrics": {"right": sum(map(str.__eq__, words, truth)) / 8} if with_metrics else {}}
            for words, values in candidates
        ]  # fmt: skip
        lines.append(json.dumps({"id": f"s{number}", "refs": [" ".join(truth)], "hyps": hyps}))
    path = folder / "lists.jsonl.gz"
    path.write_bytes(gzip.compress("".join(f"{line}\n" for line in lines).encode()))
    return path
