"""Our decoder beside Moses on Moses's own models: model scores, BLEU, CPU.

    python benchmarks/decoding.py [--systems es-en de-en] [--stacks 50 100 ...] [--pops N ...]
        [--json FILE]

Spanish-English telephone conversation with tuned weights and German-English captions with Moses's
starting weights (``smt-es-en`` and ``smt-de-en`` of the data): Moses's phrase table, reordering
table and language model; distortion limit 6, 20 rules per phrase, beam threshold 1e-5, as Moses was
run. Rows of Moses were measured once (user CPU after loading, one thread). A first sentence is
translated before the clock starts: nothing is compiled. The last row of a system says how many
times faster two threads are than one by the clock on the wall, the median of five alternations.
"""

import argparse
import math
import time
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
from mixtures import DATA
from program import run_program

from isogloss.align.execution import run_tasks
from isogloss.align.files.text_io import read_lines
from isogloss.align.language_model.ngrams import NgramModel
from isogloss.align.text.readers import read_sentences
from isogloss.features.extraction.reordering import ReorderingModel
from isogloss.features.table.phrase_table import PhraseTable
from isogloss.tune.decoder.derivations import Derivations
from isogloss.tune.decoder.language_model import NgramTable
from isogloss.tune.decoder.model import Decoder, DecoderSettings
from isogloss.tune.decoder.reordering import ReorderingTable
from isogloss.tune.metrics.names import metric_named
from isogloss.tune.metrics.reports import reported_score
from isogloss.tune.references import read_references
from isogloss.tune.weights.weights import Weights


@dataclass(frozen=True)
class System:
    """Moses's models of a language pair, and what Moses made of the test set with them.

    references: how many; weights: file; model: of the reordering table
    stack, cube: CPU seconds of Moses with stacks of 100, and with cube pruning
    """

    source: str
    references: int
    weights: str
    model: str
    stack: float
    cube: float

    def breakdowns(self) -> dict[str, tuple[str, float]]:
        """Files of Moses's best translations, and seconds, by a name to show."""
        kind = self.weights.partition(".")[0]
        file = f"moses-1best.test.{kind}.{{}}.breakdown.gz"
        return {
            "Moses, stack 100": (file.format("stack100"), self.stack),
            "Moses, cube pruning 1000": (file.format("cube1000"), self.cube),
        }


SYSTEMS = {
    "es-en": System("es", 4, "tuned.weights", "wbe-msd-bidirectional-fe", 18.7, 40.9),
    "de-en": System("de", 1, "default.weights", "hier-mslr-bidirectional-fe", 42.8, 30.5),
}
CLOSE = 1e-3  # model scores that differ by less are equal: Moses prints six digits


@dataclass(frozen=True)
class Hypothesis:
    """A line of Moses's breakdown: a translation, the values of each feature, the model score."""

    text: str
    features: dict[str, list[float]]
    score: float


def read_breakdown(path: Path) -> list[Hypothesis]:
    """Moses's best translations."""
    hypotheses = []
    for line in read_lines(path):
        _, text, features, score = line.split(" ||| ")
        hypotheses.append(Hypothesis(" ".join(text.split()), grouped(features), float(score)))
    return hypotheses


def grouped(text: str) -> dict[str, list[float]]:
    """Values behind each ``NAME=``."""
    values: dict[str, list[float]] = {}
    name = ""
    for part in text.split():
        if part.endswith("="):
            name = part[:-1]
            values[name] = []
        else:
            values[name].append(float(part))
    return values


def names_of(decoder: Decoder, model: ReorderingModel) -> dict[str, list[str]]:
    """The features of the decoder that stand for those of Moses."""
    alone = ("Distortion0", "LM0", "WordPenalty0", "PhrasePenalty0", "UnknownWordPenalty0")
    return {
        "LexicalReordering0": list(model.columns),
        "TranslationModel0": list(decoder.table.score_names),
    } | {name: [name] for name in alone}


def read_weights(path: Path, decoder: Decoder, names: dict[str, list[str]]) -> Weights:
    """Moses's weights under the names of the decoder."""
    values = grouped(" ".join(read_lines(path)))
    pairs = ((ours, values[theirs]) for theirs, ours in names.items())
    by_name = {name: value for ours, row in pairs for name, value in zip(ours, row, strict=True)}
    return decoder.weights(Weights.from_dict(by_name))


def values_of(decoder: Decoder, best: Derivations) -> dict[str, float]:
    """Feature values of the best derivation."""
    row = best.rows.part(0, 1)
    sums = np.bincount(row.ids, row.values, minlength=len(decoder.space))
    return dict(zip(decoder.space.names, sums.tolist(), strict=True))


def largest_difference(
    decoder: Decoder,
    names: dict[str, list[str]],
    found: Sequence[Derivations],
    moses: Sequence[Hypothesis],
) -> tuple[int, float]:
    """How many best derivations are Moses's, by text and rule scores; the others' difference."""
    same, largest = 0, 0.0
    for best, other in zip(found, moses, strict=True):
        values = values_of(decoder, best)
        differences = {
            theirs: max(
                abs(values[ours] - value) for ours, value in zip(names[theirs], row, strict=True)
            )
            for theirs, row in other.features.items()
        }
        if decoder.text(best, 0) == other.text and differences["TranslationModel0"] < CLOSE:
            same, largest = same + 1, max(largest, *differences.values())
    return same, largest


def decode(
    decoder: Decoder, sentences: Sequence[Sequence[str]], weights: Weights
) -> tuple[list[Derivations], float]:
    """The best translation of each sentence, and CPU seconds."""
    decoder.nbest(sentences[0], weights)
    begin = time.process_time()
    found = [decoder.nbest(sentence, weights) for sentence in sentences]
    return found, time.process_time() - begin


def two_threads(decoder: Decoder, sentences: Sequence[Sequence[str]], weights: Weights) -> float:
    """How many times faster two threads are than one: median of alternations."""
    tasks = [partial(decoder.nbest, sentence, weights) for sentence in sentences]
    ratios = []
    for _ in range(5):
        seconds = []
        for threads in (1, 2):
            begin = time.perf_counter()
            deque(run_tasks(tasks, threads, 16 * threads), maxlen=0)
            seconds.append(time.perf_counter() - begin)
        ratios.append(seconds[0] / seconds[1])
    return median(ratios)


def compare(
    system: System, folder: Path, stacks: Sequence[int], pops: Sequence[int]
) -> dict[str, Any]:
    """Print the rows of a system; returns figures by row."""
    sentences = read_sentences(folder / f"test.{system.source}")
    references = read_references([str(folder / f"test.en.{k}") for k in range(system.references)])
    table = PhraseTable.load(folder / "phrase-table.gz", keep_text=False)
    model = ReorderingModel.parse(system.model)
    reordering = ReorderingTable.read(folder / "reordering-table.gz", model, table)
    ngrams = NgramTable.from_model(NgramModel.load(folder / "lm.arpa.gz"))
    bleu = metric_named("bleu")
    moses = {name: read_breakdown(folder / file) for name, (file, _) in system.breakdowns().items()}
    for name, (_, seconds) in system.breakdowns().items():
        mean = np.mean([hypothesis.score for hypothesis in moses[name]])
        score, _ = reported_score(bleu, [one.text for one in moses[name]], references)
        print(f"{name:26}{seconds:8.1f}{mean:11.4f}{'':>18}{score:8.2f}")
    record: dict[str, Any] = {}
    with_stacks = next(iter(moses.values()))
    theirs = np.array([hypothesis.score for hypothesis in with_stacks])
    beams = {f"stack {stack}": (stack, 0) for stack in stacks}
    beams |= {f"{number} pops": (number, number) for number in pops}
    for beam, (stack, number) in beams.items():
        limits = DecoderSettings(stack, 6, math.log(1e-5), number, table_limit=20)
        decoder = Decoder(table, ngrams, limits, [reordering])
        names = names_of(decoder, model)
        weights = read_weights(folder / system.weights, decoder, names)
        found, seconds = decode(decoder, sentences, weights)
        ours = np.array([best.score[0] for best in found])
        score, _ = reported_score(bleu, [decoder.text(best, 0) for best in found], references)
        if stack == max(stacks[0], min(100, stacks[-1])) and not number:
            ratio = two_threads(decoder, sentences, weights)
            record["two threads"] = {"stack": stack, "ratio": ratio}
        same, difference = largest_difference(decoder, names, found, with_stacks)
        record[beam] = figures = {
            "seconds": seconds,
            "score": float(ours.mean()),
            "at least": float((ours > theirs - CLOSE).mean()),
            "higher": float((ours > theirs + CLOSE).mean()),
            "bleu": score,
            "same": same,
            "difference": difference,
        }
        print(
            f"{f'isogloss, {beam}':26}{seconds:8.1f}{ours.mean():11.4f}"
            f"{figures['at least']:10.1%}{figures['higher']:8.1%}{score:8.2f}"
            f"   {same} derivations of Moses, features within {difference:.5f}",
            flush=True,
        )
    for measured in filter(None, [record.get("two threads")]):
        print(f"two threads, stack {measured['stack']}: {measured['ratio']:.2f} times one")
    return record


def run(options: argparse.Namespace) -> dict[str, Any]:
    """Print the tables."""
    record = {}
    for name in options.systems:
        print(f"{name:26}{'CPU s':>8}{'score':>11}{'at least':>10}{'higher':>8}{'BLEU':>8}")
        record[name] = compare(
            SYSTEMS[name], options.data / f"smt-{name}", options.stacks, options.pops
        )
    return record


def parse(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    """Options. Ends the program for a wrong one."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--systems", nargs="+", choices=SYSTEMS, default=[*SYSTEMS])
    parser.add_argument("--stacks", nargs="+", type=int, default=[25, 50, 100, 200], metavar="N")
    parser.add_argument(
        "--pops", nargs="*", type=int, default=[500, 2000], metavar="N", help="limits of pops"
    )
    parser.add_argument("--data", type=Path, default=DATA, metavar="FOLDER")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all figures")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    run_program("decoding.py", parse(), run)
