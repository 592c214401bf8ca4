"""What gold links of some sentences teach: AER on other sentences, beside the default and eflomal.

    python benchmarks/gold_sample.py [--sizes 20 50 300] [--draws 5] [--data FOLDER]

Learns from so many sentences of one gold set, drawn at random some times, and judges the others:
Japanese from half of its set, Czech stories, law and newswire from commentary alone, Wikipedia from
parliament, fiction from Hansards. Prints mean AER with its standard error over draws, and CPU.
"""

import argparse
import time
from dataclasses import dataclass

import numpy as np
from mixtures import DATA

import isogloss as ig


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
        ("en", "es"), "en-es-gold/parliament", ("en-es-gold/wikipedia-test",),
        ("en-es-multidomain/train.*",),
    ),
    "French": Task(
        ("en", "fr"), "en-fr-hansards/test", ("en-fr-fiction-gold/test",),
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


def main() -> None:
    """Print a row for each set and size."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", choices=TASKS, nargs="+", default=list(TASKS))
    parser.add_argument("--sizes", type=int, nargs="+", default=[20, 50, 300])
    parser.add_argument("--draws", type=int, default=5)
    options = parser.parse_args()
    for name in options.only:
        run(name, TASKS[name], options.sizes, options.draws)


def run(name: str, task: Task, sizes: list[int], draws: int) -> None:
    """Print the rows of a language pair."""
    names = (task.source, *task.judged)
    texts = [read(task, each) for each in names]
    pair = "-".join(task.languages)
    golds = [ig.read_gold(f"{DATA / each}.{pair}.gold.gz") for each in names]
    more = [read(task, each) for each in task.more]
    whole = ig.Bitext.concat([*texts, *more])
    begin = time.process_time()
    model = ig.train(whole)
    print(f"{name}: {len(whole):,} pairs, {time.process_time() - begin:.0f} CPU s to train")
    if task.judged:
        learnable = fitting(texts[0], golds[0])
        judged = list(zip(names[1:], texts[1:], golds[1:], strict=True))
    else:
        learnable, rest = halves(fitting(texts[0], golds[0]))
        judged = [("other half", texts[0][rest], golds[0][rest])]
    rng = np.random.default_rng(1)
    for title, text, gold in judged:
        print(f"  {title:28} default {100 * ig.evaluate(model.align(text), gold).aer:6.2f}")
    for size in (size for size in sizes if size <= len(learnable)):
        found: dict[str, list[float]] = {title: [] for title, _, _ in judged}
        for _ in range(draws):
            rows = np.sort(rng.choice(learnable, size, replace=False))
            taught = model.learn_links(texts[0], golds[0], rows=rows)
            for title, text, gold in judged:
                found[title].append(100 * ig.evaluate(taught.align(text), gold).aer)
        for title, errors in found.items():
            spread = np.std(errors, ddof=1) / np.sqrt(draws) if draws > 1 else np.nan
            print(f"  {title:28} {size:5} {np.mean(errors):6.2f} +- {spread:.2f}", flush=True)


if __name__ == "__main__":
    main()
