"""Hope and fear in the forest beside those of the 100-best list (Chiang 2012, Figure 1); speed.

    python benchmarks/forest_tuning.py [--only figure speed] [--system es-en] [--stack N]
        [--limit N] [--lm-weights X ...] [--stacks N ...] [--json FILE]

figure: The tuning set of ``smt-es-en`` (of the data) is translated with Moses's models and tuned
weights, made so large that the language model's is 1, 0.3 and 0.1: the smaller, the more B counts.
Each sentence's fear, the most of w h(d) - B(d), and its hope, the most of w h(d) + B(d), is looked
for among its 100 best translations, in the forest by reranking (section 5.2), and in the forest
with B to first order (A.3). B (eq. 3) is that of the oracle document of the 1-best translations
before, which decays by 0.9; what was found is measured with its exact, clipped B. CPU is that of
the search for both, the forest's splitting in front of it on its own.

speed: the CPU of kernels, without compilation, an edge at a time, on forests of three sizes: those
of stacks of 30, 100 and 200 (of the first 100 sentences, or ``--limit``). Beside it the floor: the
time to read and write each of an operation's arrays once, as fast as a large array is copied.
"""

import argparse
import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from decoding import SYSTEMS, names_of, read_weights
from forest_speed import copy_bandwidth, measure_size, print_growth, print_sizes
from mixtures import DATA
from numpy.typing import NDArray
from program import run_program

from isogloss.align.arrays.sparse_rows import Ragged
from isogloss.align.language_model.ngrams import NgramModel
from isogloss.align.text.readers import read_sentences
from isogloss.align.text.string_array import Texts
from isogloss.features.extraction.reordering import ReorderingModel
from isogloss.features.space import FeatureSpace
from isogloss.features.table.phrase_table import PhraseTable
from isogloss.tune.decoder.forest import search_forest
from isogloss.tune.decoder.model import Decoder, DecoderSettings
from isogloss.tune.decoder.reordering import ReorderingTable
from isogloss.tune.forest.bleu import BleuForest, linear_gains
from isogloss.tune.forest.hypergraph import Hypergraph
from isogloss.tune.forest.inference import ForestDerivations, k_best
from isogloss.tune.metrics.bleu import Bleu
from isogloss.tune.nbest.types import NBest
from isogloss.tune.references import References, read_references
from isogloss.tune.weights.weights import Weights

LIST = 100
DECAY = 0.9
METRIC = Bleu(reference_length="average", document="chiang")
SPEED_SENTENCES = 100
DOCUMENT = np.array([70.0, 100, 36, 90, 19, 80, 10, 71, 101])  # ten sentences or so
WAYS = ("100-best", "forest reranking", "linear BLEU")


@dataclass(frozen=True)
class Found:
    """What was found in a sentence, by way.

    fear, hope: w h(d) - B(d) and w h(d) + B(d), B exact; seconds: CPU; edges: of the forest before
    and after nodes were split
    """

    fear: tuple[float, ...]
    hope: tuple[float, ...]
    seconds: tuple[float, ...]
    edges: tuple[int, int]


def open_decoder(folder: Path, language: str, stack: int) -> tuple[Decoder, Weights]:
    """Moses's models, and its weights with 1 for the language model."""
    system = SYSTEMS[language]
    table = PhraseTable.load(folder / "phrase-table.gz", keep_text=False)
    model = ReorderingModel.parse(system.model)
    reordering = ReorderingTable.read(folder / "reordering-table.gz", model, table)
    limits = DecoderSettings(stack, 6, math.log(1e-5), 0, table_limit=20)
    decoder = Decoder(table, NgramModel.load(folder / "lm.arpa.gz"), limits, [reordering])
    weights = read_weights(folder / system.weights, decoder, names_of(decoder, model))
    return decoder, Weights(decoder.space, weights.values / weights["LM0"])


def statistics(texts: Sequence[str], references: References) -> NDArray[np.float64]:
    """Clipped BLEU statistics of translations of one sentence: float64[n, 9]."""
    lists = NBest(
        np.array([0, len(texts)]), Texts.from_strings(texts), Ragged.empty(len(texts)),
        FeatureSpace([]),
    )  # fmt: skip
    return METRIC.statistics(lists, references)


def timed(action: Callable[[], ForestDerivations]) -> tuple[ForestDerivations, float]:
    """What it gives, and CPU seconds."""
    begin = time.process_time()
    return action(), time.process_time() - begin


def look(
    graph: Hypergraph,
    weights: NDArray[np.float64],
    references: References,
    background: NDArray[np.float64],
) -> tuple[Found, NDArray[np.float64]]:
    """Hope and fear of a sentence by each way, and the statistics of its best translation.

    weights: float64[num_features]; background: float64[9], the oracle document
    """
    scores = graph.scores(weights)
    best, seconds = timed(lambda: k_best(graph, scores, LIST))
    of_list = statistics([" ".join(best.text(graph, k)) for k in range(len(best))], references)
    gains = METRIC.gains_in(background, of_list)
    fear, hope, spent = [(best.scores - gains).max()], [(best.scores + gains).max()], [seconds]
    begin = time.process_time()
    forest = BleuForest.of(graph, [text.split() for text in references.of(0)])
    split = time.process_time() - begin
    linear = linear_gains(forest, background)
    searches = (
        (lambda: forest.fear(scores, background), lambda: forest.hope(scores, background)),
        (lambda: forest.best_with(scores, -linear), lambda: forest.best_with(scores, linear)),
    )
    for actions in searches:
        (a, first), (b, second) = (timed(action) for action in actions)
        texts = [" ".join(one.text(graph, 0)) for one in (a, b)]
        exact = METRIC.gains_in(background, statistics(texts, references))
        fear.append(a.scores[0] - exact[0])
        hope.append(b.scores[0] + exact[1])
        spent.append(first + second)
    edges = graph.num_edges, len(forest.edge_of)
    return Found(tuple(fear), tuple(hope), (*spent, split), edges), of_list[0]


def measure_speed(options: argparse.Namespace) -> dict[str, Any]:
    """Forests of several stacks, and what is asked of them."""
    folder, system = options.data / f"smt-{options.system}", SYSTEMS[options.system]
    sentences = read_sentences(folder / f"tune.{system.source}")[: options.limit or SPEED_SENTENCES]
    texts = read_references([folder / f"tune.en.{k}" for k in range(system.references)])
    references = [[text.split() for text in texts.of(k)] for k in range(len(sentences))]
    sizes = []
    for stack in options.stacks:
        decoder, weights = open_decoder(folder, options.system, stack)
        graphs = [search_forest(decoder, decoder.search(one, weights)) for one in sentences]
        arguments = weights.values, references, DOCUMENT
        measure_size("", graphs[:1], weights.values, references[:1], DOCUMENT)  # compiles
        sizes.append(measure_size(f"stack {stack}", graphs, *arguments))
    print(f"{len(sentences):,} sentences")
    return {**print_sizes(sizes, copy_bandwidth()), "exponents": print_growth(sizes)}


def measure_figure(options: argparse.Namespace) -> dict[str, Any]:
    """Figure 1."""
    folder = options.data / f"smt-{options.system}"
    system = SYSTEMS[options.system]
    decoder, weights = open_decoder(folder, options.system, options.stack)
    sentences = read_sentences(folder / f"tune.{system.source}")[: options.limit]
    references = read_references([folder / f"tune.en.{k}" for k in range(system.references)])
    graphs = [search_forest(decoder, decoder.search(sentence, weights)) for sentence in sentences]
    record = {}
    for weight in options.lm_weights:
        background, found = np.zeros(METRIC.num_statistics), []
        for number, graph in enumerate(graphs):
            of_sentence = references.select(np.array([number]))
            one, of_best = look(graph, weight * weights.values, of_sentence, background)
            found.append(one)
            background = DECAY * (background + of_best)
        print(f"weight of the language model {weight}")
        record[str(weight)] = report(found)
    return record


def report(found: Sequence[Found]) -> dict[str, Any]:
    """Print means over the sentences, and how often the forest's is better than the list's."""
    seconds = np.array([one.seconds for one in found]).sum(0)
    before, after = np.array([one.edges for one in found]).mean(0)
    print(f"{len(found):,} sentences, {before:,.0f} edges, {after:,.0f} with contexts; CPU s of "
          f"contexts {seconds[-1]:.2f}")  # fmt: skip
    print(f"{'':18}{'w h - B of fear':>17}{'above list':>12}{'below':>8}"
          f"{'w h + B of hope':>17}{'above list':>12}{'below':>8}{'CPU s':>8}")  # fmt: skip
    record: dict[str, Any] = {}
    kinds = [np.array([one.fear for one in found]), np.array([one.hope for one in found])]
    for way, name in enumerate(WAYS):
        row: list[float] = []
        for values in kinds:
            change = values[:, way] - values[:, 0]
            row += [values[:, way].mean(), (change > 1e-6).mean(), (change < -1e-6).mean()]
        record[name] = dict(
            zip(("fear", "fear above", "fear below", "hope", "hope above", "hope below"), row,
                strict=True), seconds=seconds[way],
        )  # fmt: skip
        print(f"{name:18}{row[0]:17.3f}{row[1]:12.1%}{row[2]:8.1%}"
              f"{row[3]:17.3f}{row[4]:12.1%}{row[5]:8.1%}{seconds[way]:8.2f}")  # fmt: skip
    return record


PARTS: dict[str, Callable[[argparse.Namespace], dict[str, Any]]] = {
    "figure": measure_figure,
    "speed": measure_speed,
}


def run(options: argparse.Namespace) -> dict[str, Any]:
    """The parts that are asked for."""
    return {name: PARTS[name](options) for name in PARTS if name in options.only}


def parse(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    """Options. Ends the program for a wrong one."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--only", nargs="+", choices=tuple(PARTS), default=["figure"])
    parser.add_argument("--system", choices=SYSTEMS, default="es-en")
    parser.add_argument("--stack", type=int, default=100, metavar="N")
    parser.add_argument("--limit", type=int, metavar="N", help="the first sentences only")
    parser.add_argument("--lm-weights", nargs="+", type=float, default=[1.0, 0.3, 0.1], metavar="X")
    parser.add_argument("--stacks", nargs="+", type=int, default=[30, 100, 200], metavar="N")
    parser.add_argument("--data", type=Path, default=DATA, metavar="FOLDER")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all figures")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    run_program("forest_tuning.py", parse(), run)
