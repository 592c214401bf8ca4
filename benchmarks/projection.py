"""How well spans are carried over by our links, by those of others and by gold links.

    python benchmarks/projection.py [SET_UP ...] [--peers eflomal] [--threads N] [--all-policies]
                                    [--data FOLDER]

Without a set-up (see mixtures.py): the names and noun phrases that the generator of the sample
knows of, English to Spanish. With set-ups of real text with hand links: phrases of 1 to 5 words
whose hand links, sure and possible, lead to a stretch of words and from it back to no other, and
whose first and last words, on both sides, have a sure link; from the left, each the longest.

Printed for each links and policy: F1 of spans that are exactly right; precision, recall and F1 of
their words; spans that are lost. Then how often a span is exactly right, by its confidence.
"""

import argparse
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from mixtures import DATA, SET_UPS, flat, read_set_up
from numpy.typing import NDArray
from peers import parse_peers, run_peer

from isogloss.align import (
    AlignerOptions,
    AlignmentModel,
    Bitext,
    Links,
    ProjectionOptions,
    Span,
    Spans,
    UsageError,
    project,
    read_bitext,
    symmetrize,
    train,
)  # fmt: skip
from isogloss.align.links.gold_links import GoldLinks
from isogloss.align.model.parameters import PRESETS

ROOT = Path(__file__).resolve().parent.parent
LONGEST = 5  # words of a phrase of hand links
BOUNDS = (0.25, 0.5, 0.75, 0.9, 1.0)
HEURISTICS = ("intersection", "grow-diag-final", "union")
POLICIES = {
    f"{gaps} {max_gap}": ProjectionOptions(gaps, max_gap)
    for gaps in ("fill", "keep", "largest")
    for max_gap in (0, 1, 2, 3, 5, 99)
} | {
    f"{gaps} {max_gap}, extend": ProjectionOptions(gaps, max_gap, "extend")
    for gaps in ("fill", "largest")
    for max_gap in (1, 3)
}
USUAL = ("fill 99", "fill 3", "fill 1", "keep 3", "largest 3", "fill 3, extend")


@dataclass(frozen=True)
class Task:
    """Sentence pairs, and spans of both sides, one of the source for each of the target.

    rows: int64[n], the pairs of the text that spans are known of
    """

    name: str
    bitext: Bitext
    rows: NDArray[np.int64]
    source: Spans
    target: Spans
    gold: Links


def sample_task() -> Task:
    """The sample, with the phrases of its generator."""
    sys.path.insert(0, str(ROOT))
    from data.generate import generate

    pairs = generate().train
    bitext = read_bitext(ROOT / "data/train.en.gz", ROOT / "data/train.es.gz")
    sides = [
        Spans.from_sentences([[(*span[side], span[0]) for span in pair.spans] for pair in pairs])
        for side in (1, 2)
    ]
    gold = Links.from_pairs([[(i, j) for i, j, _ in pair.gold] for pair in pairs])
    return Task("sample, noun phrases", bitext, np.arange(len(bitext)), sides[0], sides[1], gold)


def gold_tasks(name: str, data: Path) -> Iterator[Task]:
    """The phrases of each gold text of a set-up."""
    mixture = read_set_up(data, SET_UPS[name])
    bitext = flat(mixture.bitext)
    for text, (first, count) in mixture.spans.items():
        rows = np.arange(first, first + count)
        gold = mixture.gold[text].links
        phrases = [
            list(closed_phrases(gold, k, int(bitext.source.lengths[first + k])))
            for k in range(count)
        ]
        sides = [
            Spans.from_sentences([[(*pair[side], "phrase") for pair in row] for row in phrases])
            for side in (0, 1)
        ]
        yield Task(f"{name} {text}", bitext, rows, sides[0], sides[1], gold.possible)


Range = tuple[int, int]


def closed_phrases(gold: GoldLinks, pair: int, length: int) -> Iterator[tuple[Range, Range]]:
    """Phrases of a sentence pair by its hand links, as the module says."""
    sure, links = set(gold.sure[pair]), gold.possible[pair]
    start = 0
    while start < length:
        step = 1
        for size in range(LONGEST, 0, -1):
            targets = {j for i, j in links if start <= i < start + size}
            back = {i for i, j in links if j in targets}
            ends = {(i, j) for i, j in sure if start <= i < start + size}
            if not ends or start + size > length or not back <= set(range(start, start + size)):
                continue
            source, target = {i for i, _ in ends}, {j for _, j in ends}
            tight = (min(source), max(source)) == (start, start + size - 1)
            tight &= (min(target), max(target)) == (min(targets), max(targets))
            if tight and max(targets) - min(targets) + 1 == len(targets):
                yield (start, start + size), (min(targets), max(targets) + 1)
                step = size
                break
        start += step


@dataclass(frozen=True)
class Score:
    """Counts of a projection.

    sure, right: of each span that was carried over, its confidence and whether it is right
    """

    read: int
    sure: NDArray[np.float64]
    right: NDArray[np.bool_]
    common: int
    words: int
    wanted: int

    @property
    def exact(self) -> float:
        """F1 of whole spans, in per cent."""
        return 200.0 * int(self.right.sum()) / max(self.read + len(self.right), 1)

    @property
    def partial(self) -> tuple[float, float, float]:
        """Precision, recall and F1 of words of spans, in per cent."""
        precision, recall = self.common / max(self.words, 1), self.common / max(self.wanted, 1)
        both = 2 * precision * recall / max(precision + recall, 1e-9)
        return 100 * precision, 100 * recall, 100 * both

    @property
    def lost(self) -> float:
        """Per cent of spans that were not carried over."""
        return 100.0 * (self.read - len(self.right)) / max(self.read, 1)


def words_of(span: Span) -> set[int]:
    """Words of a span."""
    return {word for start, end in span.parts for word in range(start, end)}


def judged(task: Task, links: Links, options: ProjectionOptions) -> Score:
    """What links and a policy make of a task."""
    text = task.bitext.select(task.rows)
    found = project(task.source, links, text.source.lengths, text.target.lengths, options)
    gold = [words_of(span) for spans in task.target for span in spans]
    own = [words_of(span) for spans in found.spans for span in spans]
    wanted = [gold[number] for number in found.origin.tolist()]
    return Score(
        len(gold),
        np.asarray(found.spans.confidence, np.float64),
        np.array([a == b for a, b in zip(own, wanted, strict=True)], np.bool_),
        sum(len(a & b) for a, b in zip(own, wanted, strict=True)),
        sum(map(len, own)),
        sum(map(len, gold)),
    )


def our_links(model: AlignmentModel, bitext: Bitext, threads: int) -> Iterator[tuple[str, Links]]:
    """Links of a model, in several ways."""
    for threshold in (0.5, 0.3, 0.15):
        yield f"ours {threshold}", model.align_posterior(bitext, threshold, threads)
    for heuristic in HEURISTICS:
        yield f"ours {heuristic}", model.align(bitext, heuristic=heuristic, threads=threads)


def print_scores(task: Task, name: str, links: Links, policies: Sequence[str]) -> None:
    """A line per policy."""
    for policy in policies:
        score = judged(task, links, POLICIES[policy])
        shown = " ".join(f"{value:6.2f}" for value in score.partial)
        print(f"  {name:24} {policy:16} {score.exact:6.2f} {shown} {score.lost:6.2f}", flush=True)


def print_confidence(task: Task, name: str, links: Links) -> None:
    """How often spans are right, by confidence, in the default policy."""
    score = judged(task, links, ProjectionOptions())
    low, shown = 0.0, []
    for high in BOUNDS:
        rows = (score.sure > low) & (score.sure <= high)
        if rows.any():
            share = 100 * float(score.right[rows].mean())
            shown.append(f"to {high:g}: {share:.1f} % of {int(rows.sum())}")
        low = high
    print(f"  {name}: exactly right with a confidence {'; '.join(shown)}")


def run(tasks: Sequence[Task], options: argparse.Namespace) -> None:
    """Print the table of some tasks, which are of one text."""
    bitext, threads = tasks[0].bitext, options.threads
    policies = tuple(POLICIES) if options.all_policies else USUAL
    preset: AlignerOptions = PRESETS["best"]
    model = train(bitext, options=preset, threads=threads)
    peers = {name: run_peer(name, bitext) for name in options.peers}
    for task in tasks:
        text = bitext.select(task.rows)
        first, count = int(task.rows[0]), len(task.rows)
        print(f"\n{task.name}: {len(task.source.label)} spans in {count} pairs")
        print(f"  {'links':24} {'policy':16}  exact   P      R      F1    lost, %")
        for name, links in our_links(model, text, threads):
            print_scores(task, name, links, policies)
        for peer, found in peers.items():
            directions = found.forward.part(first, count), found.reverse.part(first, count)
            for heuristic in HEURISTICS:
                links = symmetrize(*directions, heuristic)
                print_scores(task, f"{peer} {heuristic}", links, policies)
        print_scores(task, "gold", task.gold, policies)
        print_confidence(task, "ours 0.5", model.align_posterior(text, 0.5, threads))
        print_confidence(task, "ours 0.3", model.align_posterior(text, 0.3, threads))


def parse(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    """Options. Ends the program for a wrong one."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("set_ups", nargs="*", choices=[*SET_UPS, []], metavar="SET_UP")
    parser.add_argument("--peers", type=parse_peers, default=())
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--all-policies", action="store_true")
    parser.add_argument("--data", type=Path, default=DATA)
    return parser.parse_args(arguments)


def main() -> None:
    """The sample, or some set-ups."""
    options = parse()
    if not options.set_ups:
        run([sample_task()], options)
    for name in options.set_ups:
        run(list(gold_tasks(name, options.data)), options)


if __name__ == "__main__":
    try:
        main()
    except UsageError as error:
        sys.exit(f"projection.py: {error}")
