"""What gold links of some sentences teach: AER on other sentences, beside the default and eflomal.

    python benchmarks/gold_sample.py [--sizes 20 50 300] [--draws 5] [--suggested]
        [--external eflomal] [--data FOLDER]

Learns from so many sentences of one gold set, drawn at random some times, and judges the others:
Japanese from half of its set, Czech stories, law and newswire from commentary alone, Wikipedia from
parliament, fiction from Hansards. Prints mean AER with its standard error over draws, and CPU.
"""

import argparse
import time
from dataclasses import dataclass
from typing import Any

import numpy as np
from mixtures import DATA
from peers import PEERS, run_peer

import isogloss as ig
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

    def error(self, model: ig.AlignmentModel) -> float:
        """AER in percent."""
        links = model.align(self.text, external_links=self.external)
        return 100 * ig.evaluate(links, self.gold).aer


def main() -> None:
    """Print a row for each set and size."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", choices=TASKS, nargs="+", default=list(TASKS))
    parser.add_argument("--sizes", type=int, nargs="+", default=[20, 50, 300])
    parser.add_argument("--draws", type=int, default=5)
    parser.add_argument(
        "--suggested", action="store_true", help="sentences of suggest_pairs, not random ones"
    )
    parser.add_argument(
        "--external", choices=PEERS, help="give links of this aligner as external ones"
    )
    options = parser.parse_args()
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
    for each in judged:
        print(f"  {each.title:28} default {each.error(model):6.2f}")
    rng = np.random.default_rng(1)
    doubted = texts[0][learnable], model.align(texts[0])[learnable]
    for size in (size for size in options.sizes if size <= len(learnable)):
        errors: list[list[float]] = []
        briers = []
        for _ in range(1 if options.suggested else options.draws):
            rows = np.sort(rng.choice(learnable, size, replace=False))
            if options.suggested:
                rows = learnable[ig.suggest_pairs(*doubted, size)]
            taught = model.learn_links(texts[0], golds[0], rows=rows, external_links=external[0])
            errors.append([each.error(taught) for each in judged])
            briers.append([taught.classifier.before.brier, taught.classifier.after.brier])
        for title, found in zip((each.title for each in judged), np.transpose(errors), strict=True):
            spread = np.std(found, ddof=1) / len(found) ** 0.5 if len(found) > 1 else np.nan
            print(f"  {title:28} {size:5} {np.mean(found):6.2f} +- {spread:.2f}", flush=True)
        before, after = np.mean(briers, axis=0)
        print(f"  {'Brier score, cross-fitted':28} {size:5} {before:.3f} -> {after:.3f}")


if __name__ == "__main__":
    main()
