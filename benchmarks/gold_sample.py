"""What gold links of some sentences teach: AER on other sentences, beside the default and eflomal.

    python benchmarks/gold_sample.py [--sizes 20 50 300] [--draws 5] [--choice suggested]
        [--external eflomal] [--learner all]

Learns from so many sentences of one gold set, drawn at random some times, and judges the others:
Japanese from half of its set, Czech stories, law and newswire from commentary alone, Wikipedia and
Graca from parliament, fiction from Hansards and Hansards from fiction. Prints mean AER with its
standard error over draws, and the 95 % interval of the difference to the default, by resampled
sentences that are judged. --choice words draws random sentences that have as many words as so many
suggested ones. --learner learns bins and crosses in place of trees.
"""

import argparse
import time
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any
from unittest import mock

import numpy as np
from binned_links import CROSSES, binned_learner
from mixtures import DATA
from peers import PEERS, run_peer

import isogloss as ig
from isogloss.align.links.classifier import learning
from isogloss.align.links.evaluate import link_counts
from isogloss.align.links.external_links import ExternalLinks


@dataclass(frozen=True)
class Task:
    """A language pair: where gold sentences come from, others that are judged, more text to align.

    other: half of the source set, if nothing else is named
    """

    languages: tuple[str, str]
    source: str
    judged: tuple[str, ...]
    more: tuple[str, ...]


TASKS = {
    "Japanese": Task(("en", "ja"), "en-ja-kftt-gold/dev", (), ("en-ja-kftt-gold/train.*",)),
    "Czech": Task(
        ("en", "cs"), "en-cs-gold/commentary",
        ("en-cs-gold/stories", "en-cs-gold/law", "en-cs-gold/newswire"),
        ("en-cs-multidomain/train.*",),
    ),
    "Spanish": Task(
        ("en", "es"), "en-es-gold/parliament",
        ("en-es-gold/wikipedia-test", "en-es-gold/parliament-graca100"),
        ("en-es-multidomain/train.*",),
    ),
    "French": Task(
        ("en", "fr"), "en-fr-hansards/test", ("en-fr-fiction-gold/test",),
        ("en-fr-multidomain/train.*",),
    ),
    "Hansards": Task(
        ("en", "fr"), "en-fr-fiction-gold/test", ("en-fr-hansards/test",),
        ("en-fr-multidomain/train.*",),
    ),
}  # fmt: skip


def read(task: Task, name: str) -> ig.Bitext:
    """A text, or all of those that a pattern names."""
    return ig.read_bitext(
        *(f"{DATA / name}.{language}.gz" for language in task.languages), lowercase=True
    )


def fitting(text: ig.Bitext, gold: ig.GoldLinks) -> np.ndarray:
    """Rows whose gold links are inside of the pair; nine of the Japanese ones are not."""
    sizes = zip(text.source.lengths, text.target.lengths, strict=True)
    return np.array(
        [
            row
            for row, ((height, width), (_, links)) in enumerate(zip(sizes, gold, strict=True))
            if all(source < height and target < width for source, target in links)
        ]
    )


def halves(rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Rows that may be learned from, and rows that are judged."""
    order = np.random.default_rng(7).permutation(rows)
    return np.sort(order[: len(rows) // 2]), np.sort(order[len(rows) // 2 :])


@dataclass(frozen=True)
class Judged:
    """A text that is judged, its gold links, and those of other aligners if they are used."""

    title: str
    text: ig.Bitext
    gold: ig.GoldLinks
    external: ExternalLinks | None

    def counts(self, model: ig.AlignmentModel) -> np.ndarray:
        """Counts of links of each sentence pair: float64[num_pairs, 4]."""
        return link_counts(model.align(self.text, external_links=self.external), self.gold)


def error(counts: np.ndarray) -> float:
    """AER in percent. counts: float64[num_pairs, 4]"""
    chosen, sure, sure_chosen, right = counts.sum(axis=0)
    return 100 * (1 - (sure_chosen + right) / (chosen + sure))


def difference(after: list[np.ndarray], before: np.ndarray) -> str:
    """Mean AER over draws less that before, with the interval of resampled sentences."""
    rng, found = np.random.default_rng(1), []
    for _ in range(1000):
        rows = rng.integers(0, len(before), len(before))
        found.append(np.mean([error(each[rows]) for each in after]) - error(before[rows]))
    low, high = np.percentile(found, (2.5, 97.5))
    return (
        f"{np.mean([error(each) for each in after]) - error(before):+.2f} [{low:+.2f}, {high:+.2f}]"
    )


def main() -> None:
    """Print a row for each set and size."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", choices=TASKS, nargs="+", default=list(TASKS))
    parser.add_argument("--sizes", type=int, nargs="+", default=[20, 50, 300])
    parser.add_argument("--draws", type=int, default=5)
    parser.add_argument(
        "--choice", choices=("random", "suggested", "words"), default="random",
        help="sentences that are learned from",
    )  # fmt: skip
    parser.add_argument(
        "--external", choices=PEERS, help="give links of this aligner as external ones"
    )
    parser.add_argument("--learner", choices=("trees", *CROSSES), default="trees")
    options = parser.parse_args()
    learner = nullcontext()
    if options.learner != "trees":
        learner = mock.patch.object(learning, "learn_trees", binned_learner(options.learner))
    with learner:
        for name in options.only:
            run(name, TASKS[name], options)


def external_parts(peer: str | None, texts: list[ig.Bitext], whole: ig.Bitext) -> list[Any]:
    """Links of another aligner of each text, in both directions; None without one."""
    if peer is None:
        return [None] * len(texts)
    links = run_peer(peer, whole)
    begins = np.cumsum([0, *map(len, texts)])
    return [
        ExternalLinks([side.part(begin, len(text)) for side in (links.forward, links.reverse)])
        for begin, text in zip(begins, texts, strict=False)
    ]


def run(name: str, task: Task, options: argparse.Namespace) -> None:
    """Print the rows of a language pair."""
    names = (task.source, *task.judged)
    texts = [read(task, each) for each in names]
    pair = "-".join(task.languages)
    golds = [ig.read_gold(f"{DATA / each}.{pair}.gold.gz") for each in names]
    whole = ig.Bitext.concat([*texts, *(read(task, each) for each in task.more)])
    begin = time.process_time()
    model = ig.train(whole)
    print(f"{name}: {len(whole):,} pairs, {time.process_time() - begin:.0f} CPU s to train")
    external = external_parts(options.external, texts, whole)
    learnable, sets = (
        fitting(texts[0], golds[0]),
        list(zip(names, texts, golds, external, strict=True)),
    )
    if not task.judged:
        learnable, rest = halves(learnable)
        others = None
        if external[0] is not None:
            others = ExternalLinks([links[rest] for links in external[0].files])
        sets.append(("other half", texts[0][rest], golds[0][rest], others))
    judged = [Judged(*each) for each in sets[1:]]
    before = [each.counts(model) for each in judged]
    for each, counts in zip(judged, before, strict=True):
        print(f"  {each.title:30} default {error(counts):6.2f}")
    rng = np.random.default_rng(1)
    doubted = texts[0][learnable], model.align(texts[0])[learnable]
    for size in (size for size in options.sizes if size <= len(learnable)):
        after, briers, words = [], [], []
        for _ in range(1 if options.choice == "suggested" else options.draws):
            rows = learnable[chosen(options.choice, doubted, size, rng)]
            taught = model.learn_links(texts[0], golds[0], rows=rows, external_links=external[0])
            after.append([each.counts(taught) for each in judged])
            briers.append([taught.classifier.before.brier, taught.classifier.after.brier])
            words.append([len(rows), texts[0].source.lengths[rows].sum()])
        print("  learned from {:.0f} sentences of {:.0f} source words".format(*np.mean(words, 0)))
        for number, each in enumerate(judged):
            found = [draw[number] for draw in after]
            errors = [error(counts) for counts in found]
            spread = np.std(errors, ddof=1) / len(errors) ** 0.5 if len(errors) > 1 else np.nan
            row = f"  {each.title:30} {size:5} {np.mean(errors):6.2f} +- {spread:.2f}"
            print(f"{row}  {difference(found, before[number])}", flush=True)
        scores = "{:.3f} -> {:.3f}".format(*np.mean(briers, axis=0))
        print(f"  {'Brier score, cross-fitted':30} {size:5} {scores}")


def chosen(
    choice: str, doubted: tuple[ig.Bitext, ig.Links], size: int, rng: np.random.Generator
) -> np.ndarray:
    """Sentences to learn from. doubted: those that there are, and links of them"""
    lengths = doubted[0].source.lengths
    if choice == "random":
        return np.sort(rng.choice(len(lengths), size, replace=False))
    rows = ig.suggest_pairs(*doubted, size)
    if choice == "suggested":
        return rows
    order = rng.permutation(len(lengths))
    return np.sort(order[np.cumsum(lengths[order]) <= lengths[rows].sum()])


if __name__ == "__main__":
    main()
