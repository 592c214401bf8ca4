"""What gold links of one language pair teach about another one, by three thresholds.

    python benchmarks/gold_sample_across.py [--only Czech Japanese]

Learns from at most 300 gold sentences of each pair of languages, and chooses links of the others by
their probability: from the threshold learned with them, from the one with the highest F1 that these
probabilities themselves expect of the text, and from the best of all. Prints AER.
"""

import argparse
from dataclasses import dataclass, replace

import numpy as np
from gold_sample import TASKS, Judged, error, fitting, read
from mixtures import DATA

import isogloss as ig
from isogloss.align.links.evaluate import link_counts

_MOST = 300  # sentences
_LEAST = 0.02  # probability of links that are looked at


@dataclass(frozen=True)
class Pair:
    """Two languages: a model, what it has learned from gold sentences, and texts with gold links.

    texts: the first is the one that was learned from
    """

    name: str
    model: ig.AlignmentModel
    texts: list[Judged]


def main() -> None:
    """Print a row for each text and each pair of languages that was learned from."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", choices=TASKS, nargs="+", default=list(TASKS))
    pairs = [taught(name) for name in parser.parse_args().only]
    print(f"{'learned from':12} {'text':30} default learned expected   best")
    for teacher in pairs:
        for pair in pairs:
            for judged in pair.texts[1:] if pair is teacher else pair.texts:
                errors = errors_by(pair.model, teacher.model, judged)
                row = " ".join(f"{each:8.2f}" for each in errors)
                print(f"{teacher.name:12} {judged.title:30}{row}", flush=True)


def taught(name: str) -> Pair:
    """A model of a pair of languages that has learned from gold sentences."""
    task = TASKS[name]
    names, pair = (task.source, *task.judged), "-".join(task.languages)
    texts = [read(task, each) for each in names]
    model = ig.train(ig.Bitext.concat([*texts, *(read(task, each) for each in task.more)]))
    judged = []
    for each, text in zip(names, texts, strict=True):
        gold = ig.read_gold(f"{DATA / each}.{pair}.gold.gz")
        rows = fitting(text, gold)
        judged.append(Judged(each, text[rows], gold[rows], None))
    rows = np.random.default_rng(1).permutation(len(judged[0].text))[:_MOST]
    return Pair(name, model.learn_links(judged[0].text, judged[0].gold, rows=rows), judged)


def errors_by(model: ig.AlignmentModel, teacher: ig.AlignmentModel, judged: Judged) -> list[float]:
    """AER without what the teacher learned, and by the thresholds. model: of the judged text"""
    own, theirs = model.classifier, teacher.classifier
    words = {name: getattr(own, name) for name in ("source_words", "target_words")}
    model = replace(model, classifier=replace(theirs, **words))
    links = model.align_posterior(judged.text, _LEAST)
    chances = np.sort(links.probability)[::-1].astype(np.float64)
    found = np.cumsum(chances)
    expected = 2 * found / (np.arange(1, len(found) + 1) + found[-1])
    thresholds = [theirs.threshold, chances[expected.argmax()]]
    every = [
        error(link_counts(model.align_posterior(judged.text, each), judged.gold))
        for each in (*thresholds, *np.linspace(0.05, 0.95, 19))
    ]
    return [error(judged.counts(replace(model, classifier=None))), *every[:2], min(every)]


if __name__ == "__main__":
    main()
